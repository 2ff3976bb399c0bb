//! What the environment says where the target is silent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Looks a variable up.
type Variables = Box<dyn Fn(&str) -> Option<String>>;

/// The environment of the process, or one that was made up.
pub struct Surroundings {
    variable: Variables,
    home: Option<PathBuf>,
    operating_system_user: Option<String>,
    /// Where servers have their sockets unless they are told otherwise, in the order in which they are looked for.
    pub sockets: Vec<PathBuf>,
}

impl Surroundings {
    /// Those of this process; servers have their sockets at `sockets`.
    pub fn here(sockets: &[&str]) -> Surroundings {
        Surroundings {
            variable: Box::new(|name| std::env::var(name).ok()),
            home: std::env::home_dir(),
            operating_system_user: operating_system_user(),
            sockets: sockets.iter().map(PathBuf::from).collect(),
        }
    }

    /// Made up, for tests: `variables`, a home, the user `tester`, and sockets at `sockets` below the home.
    pub fn of(variables: &[(&str, &str)], home: &Path, sockets: &[&str]) -> Surroundings {
        let variables: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Surroundings {
            variable: Box::new(move |name| variables.get(name).cloned()),
            home: Some(home.to_owned()),
            operating_system_user: Some("tester".to_owned()),
            sockets: sockets.iter().map(|name| home.join(name)).collect(),
        }
    }

    /// The variable `name`; one that is empty counts as not there.
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// The home directory of the user; absent where it is not known.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The name of the effective user, of the process and not of the login; a server may know it without a password.
    pub fn operating_system_user(&self) -> Option<&str> {
        self.operating_system_user.as_deref()
    }
}

fn operating_system_user() -> Option<String> {
    let number = rustix::process::geteuid().as_raw().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    // Accounts of a directory service stand in no file.
    name_of(&accounts, &number).or_else(|| std::env::var("USER").ok()).or_else(|| std::env::var("LOGNAME").ok())
}

/// The name of user `number` in the text of `/etc/passwd`.
fn name_of(accounts: &str, number: &str) -> Option<String> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_the_number_and_not_by_that_of_the_group() {
        let accounts =
            "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1001::/home/ann:/bin/sh\nbob:x:1001:1000::/:/bin/sh\n";
        assert_eq!(name_of(accounts, "1000").as_deref(), Some("ann"));
        assert_eq!(name_of(accounts, "1001").as_deref(), Some("bob"));
        assert_eq!(name_of(accounts, "7"), None);
    }

    #[test]
    fn a_variable_that_is_empty_is_not_there() {
        let made_up = Surroundings::of(&[("A", ""), ("B", "b")], Path::new("/home"), &["s"]);
        assert_eq!((made_up.variable("A"), made_up.variable("B").as_deref()), (None, Some("b")));
        assert_eq!(made_up.sockets, [Path::new("/home/s")]);
    }
}
