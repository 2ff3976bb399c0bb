//! What the environment says where the target is silent: variables and the option file of the client programs.

use std::path::{Path, PathBuf};

/// Looks a variable up.
type Variables = Box<dyn Fn(&str) -> Option<String>>;

/// The environment of the process, or one that a test made up.
pub(crate) struct Surroundings {
    variable: Variables,
    home: Option<PathBuf>,
    operating_system_user: Option<String>,
    /// Where servers put their sockets unless they are told otherwise: Debian, Red Hat, the sources.
    pub(crate) sockets: Vec<PathBuf>,
}

impl Surroundings {
    /// Those of this process.
    pub(crate) fn here() -> Surroundings {
        Surroundings {
            variable: Box::new(|name| std::env::var(name).ok()),
            home: std::env::home_dir(),
            operating_system_user: operating_system_user(),
            sockets: ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"]
                .map(PathBuf::from)
                .into(),
        }
    }

    /// The variable `name`; one that is empty counts as not there.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    pub(crate) fn operating_system_user(&self) -> Option<&str> {
        self.operating_system_user.as_deref()
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// What `~/.my.cnf` says of `name` to every client program.
    pub(crate) fn option(&self, name: &str) -> Option<String> {
        let text = std::fs::read(self.home()?.join(".my.cnf")).ok()?;
        option(&String::from_utf8_lossy(&text), name)
    }
}

/// The last value of `name` in the group `[client]` of an option file.
fn option(text: &str, name: &str) -> Option<String> {
    let (mut inside, mut found) = (false, None);
    for line in text.lines().map(str::trim) {
        if let Some(group) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            inside = matches!(group.0, "client" | "client-server");
        } else if inside && let Some((key, value)) = line.split_once('=') {
            // Dashes and underscores are the same to these programs.
            if key.trim().replace('-', "_") == name {
                found = Some(unquoted(value.trim()).to_owned());
            }
        }
    }
    found
}

fn unquoted(value: &str) -> &str {
    let between = |mark: char| value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    between('"').or_else(|| between('\'')).unwrap_or(value)
}

/// The name of the effective user, which a server may know without a password.
fn operating_system_user() -> Option<String> {
    let number = rustix::process::geteuid().as_raw().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let by_file = accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then(|| name.to_owned())
    });
    // Accounts of a directory service stand in no file.
    by_file.or_else(|| std::env::var("USER").ok()).or_else(|| std::env::var("LOGNAME").ok())
}

#[cfg(test)]
impl Surroundings {
    /// With `variables`, a home, and the user `tester`.
    pub(crate) fn of(variables: &[(&str, &str)], home: &Path) -> Surroundings {
        let variables: std::collections::BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Surroundings {
            variable: Box::new(move |name| variables.get(name).cloned()),
            home: Some(home.to_owned()),
            operating_system_user: Some("tester".to_owned()),
            sockets: vec![home.join("first.sock"), home.join("second.sock")],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_option_is_read_from_the_groups_of_all_clients_only() {
        let text =
            "[mysqld]\nuser=server\n[client]\nuser = ann\n# password=no\npassword=\"a=b\"\n[mysqldump]\nuser=x\n";
        assert_eq!(option(text, "user").as_deref(), Some("ann"));
        assert_eq!(option(text, "password").as_deref(), Some("a=b"));
        assert_eq!(option(text, "host"), None);
    }

    proptest! {
        #[test]
        fn no_option_file_is_too_strange(text in "[\\PC\n]*") {
            let _ = option(&text, "password");
        }
    }
}
