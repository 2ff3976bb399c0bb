//! What the environment says where the target is silent: the same variables and files as libpq reads.

use std::path::{Path, PathBuf};

/// Looks a variable up.
type Variables = Box<dyn Fn(&str) -> Option<String>>;

/// The environment of the process, or one that a test made up.
pub(crate) struct Surroundings {
    variable: Variables,
    home: Option<PathBuf>,
    operating_system_user: Option<String>,
    /// Where servers put their sockets unless they are told otherwise: Debian's place, and that of the sources.
    pub(crate) socket_directories: Vec<PathBuf>,
}

impl Surroundings {
    /// Those of this process.
    pub(crate) fn here() -> Surroundings {
        Surroundings {
            variable: Box::new(|name| std::env::var(name).ok()),
            home: std::env::home_dir(),
            operating_system_user: operating_system_user(),
            socket_directories: ["/var/run/postgresql", "/tmp"].map(PathBuf::from).into(),
        }
    }

    /// The variable `name`; one that is empty counts as not there, as in libpq.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub(crate) fn operating_system_user(&self) -> Option<&str> {
        self.operating_system_user.as_deref()
    }
}

/// The name of the effective user: of the process, not of the login, as libpq has it.
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
            socket_directories: vec![home.join("first"), home.join("second")],
        }
    }
}
