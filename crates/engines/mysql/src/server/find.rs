//! Finds the programs of an installed MariaDB server.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use engine::{Error, Kind, Result};

use crate::flavour::{Flavour, release};

/// Where packages put the server, which is no program for ordinary users. Searched behind `PATH`.
const SERVER_PLACES: &[&str] = &["/usr/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/opt/mariadb/bin"];

/// The programs of one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Programs {
    /// `mariadbd`.
    pub(super) server: PathBuf,
    /// `mariadb-install-db`.
    pub(super) install: PathBuf,
}

/// Finds the programs, in `directory` only if one is given.
///
/// # Errors
/// `Missing`, with the places that were looked at.
pub(super) fn find(directory: Option<&Path>) -> Result<Programs> {
    find_in(directory, &std::env::var_os("PATH").unwrap_or_default(), SERVER_PLACES)
}

fn find_in(directory: Option<&Path>, path: &OsStr, places: &[&str]) -> Result<Programs> {
    let candidates: Vec<PathBuf> = match directory {
        // An installation in one directory keeps them in bin and scripts.
        Some(directory) => vec![directory.to_owned(), directory.with_file_name("scripts")],
        None => {
            let listed = std::env::split_paths(path).filter(|directory| directory.is_absolute());
            listed.chain(places.iter().map(PathBuf::from)).collect()
        }
    };
    let program =
        |name: &str| candidates.iter().map(|directory| directory.join(name)).find(|program| program.is_file());
    let missing = |what: String| {
        let looked = match directory {
            Some(directory) => directory.display().to_string(),
            None => format!("PATH, {}", places.join(", ")),
        };
        Error::new(Kind::Missing, format!("{what} in {looked}"))
            .hint("install MariaDB (Debian, Ubuntu: apt-get install mariadb-server), or give local:mariadb?bin=DIR")
    };
    let server = program("mariadbd").ok_or_else(|| missing("no server program mariadbd".to_owned()))?;
    let install = program("mariadb-install-db").ok_or_else(|| missing("no program mariadb-install-db".to_owned()))?;
    let (major, minor) = Flavour::MariaDb.version_min();
    match version(&server) {
        Some(found) if found >= (major, minor) => Ok(Programs { server, install }),
        found => {
            let found = found.map_or_else(|| "of no known version".to_owned(), |(one, two)| format!("{one}.{two}"));
            Err(missing(format!("no MariaDB {major}.{minor} or later, only {} {found},", server.display())))
        }
    }
}

/// The release in `mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)`.
fn version(server: &Path) -> Option<(u32, u32)> {
    let said = Command::new(server).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    parse_version(&String::from_utf8_lossy(&said.stdout))
}

fn parse_version(said: &str) -> Option<(u32, u32)> {
    let version = said.split_once("Ver ")?.1.split_ascii_whitespace().next()?;
    version.contains("MariaDB").then(|| release(version)).flatten()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn install(root: &Path, directory: &str, programs: &[&str], version: &str) -> PathBuf {
        let directory = root.join(directory);
        fs::create_dir_all(&directory).expect("directory");
        for name in programs {
            let program = directory.join(name);
            fs::write(&program, format!("#!/bin/sh\necho '{name}  Ver {version} for Linux'\n")).expect("program");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
        }
        directory
    }

    #[test]
    fn the_programs_need_not_lie_together() {
        let root = tempfile::tempdir().expect("temporary directory");
        let bin = install(root.path(), "bin", &["mariadb-install-db"], "");
        let sbin = install(root.path(), "sbin", &["mariadbd"], "10.11.19-MariaDB-0+deb12u1");
        let found = find_in(None, bin.as_os_str(), &[sbin.to_str().unwrap()]).expect("found");
        assert_eq!(found, Programs { server: sbin.join("mariadbd"), install: bin.join("mariadb-install-db") });
        let error = find_in(Some(&sbin), bin.as_os_str(), &[]).expect_err("only there");
        assert!(error.message.contains("mariadb-install-db"), "{error}");
    }

    #[test]
    fn what_is_absent_or_old_is_named_with_the_places_and_the_package() {
        let root = tempfile::tempdir().expect("temporary directory");
        let error = find_in(None, OsStr::new(""), &["/nonexistent"]).expect_err("nothing there");
        assert_eq!(error.kind, Kind::Missing);
        assert!(error.message.contains("PATH, /nonexistent"), "{error}");
        assert!(error.hint.expect("hint").contains("apt-get install mariadb-server"));
        for version in ["10.3.39-MariaDB", "8.0.36"] {
            let bin = install(root.path(), "bin", &["mariadbd", "mariadb-install-db"], version);
            let error = find_in(Some(&bin), OsStr::new(""), &[]).expect_err("not this one");
            assert!(error.message.contains("10.5"), "{error}");
        }
    }

    #[test]
    fn a_version_is_read_from_between_the_words() {
        let said = "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)\n";
        assert_eq!(parse_version(said), Some((10, 11)));
        assert_eq!(parse_version("mysqld  Ver 8.0.36 for Linux"), None);
        assert_eq!(parse_version(""), None);
    }
}
