//! Defaults of a target from the environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns the value of a variable.
type Variables = Box<dyn Fn(&str) -> Option<String>>;

/// The environment of the process, or a simulated one.
pub struct Environment {
    variable: Variables,
    home: Option<PathBuf>,
    operating_system_user: Option<String>,
    /// Default paths of server sockets, in search order.
    pub sockets: Vec<PathBuf>,
}

impl Environment {
    /// The environment of this process, with `sockets` as default socket paths.
    pub fn here(sockets: &[&str]) -> Environment {
        Environment {
            variable: Box::new(|name| std::env::var(name).ok()),
            home: std::env::home_dir(),
            operating_system_user: operating_system_user(),
            sockets: sockets.iter().map(PathBuf::from).collect(),
        }
    }

    /// A simulated one for tests: `variables`, a home directory, the user `tester`, and `sockets` below the home
    /// directory.
    pub fn of(variables: &[(&str, &str)], home: &Path, sockets: &[&str]) -> Environment {
        let variables: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Environment {
            variable: Box::new(move |name| variables.get(name).cloned()),
            home: Some(home.to_owned()),
            operating_system_user: Some("tester".to_owned()),
            sockets: sockets.iter().map(|name| home.join(name)).collect(),
        }
    }

    /// The variable `name`; an empty one counts as unset.
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// The home directory of the user, if known.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The name of the effective user of the process, by which a server may authenticate it without password.
    pub fn operating_system_user(&self) -> Option<&str> {
        self.operating_system_user.as_deref()
    }
}

fn operating_system_user() -> Option<String> {
    let number = rustix::process::geteuid().as_raw().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    // Accounts of a directory service are not in the file.
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
    fn a_user_is_found_by_uid_not_by_gid() {
        let accounts =
            "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1001::/home/ann:/bin/sh\nbob:x:1001:1000::/:/bin/sh\n";
        assert_eq!(name_of(accounts, "1000").as_deref(), Some("ann"));
        assert_eq!(name_of(accounts, "1001").as_deref(), Some("bob"));
        assert_eq!(name_of(accounts, "7"), None);
    }

    #[test]
    fn an_empty_variable_is_unset() {
        let simulated = Environment::of(&[("A", ""), ("B", "b")], Path::new("/home"), &["s"]);
        assert_eq!((simulated.variable("A"), simulated.variable("B").as_deref()), (None, Some("b")));
        assert_eq!(simulated.sockets, [Path::new("/home/s")]);
    }
}
