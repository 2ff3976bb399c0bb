//! Finds the programs of an installed server.

use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result};
use server::{Identity, Search, version_output};

use super::spec::ServerSpec;
use crate::flavour::{Flavour, release};

/// The programs of one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Programs {
    /// The server.
    pub(super) server: PathBuf,
    /// The program that initialises the data directory; it may be the server.
    pub(super) installer: PathBuf,
}

/// Finds the programs that `spec` names, in `directory` only if one is given, for the user `identity` where it is known.
pub(super) fn find(spec: &ServerSpec, directory: Option<&Path>, identity: Option<&Identity>) -> Result<Programs> {
    find_in(spec, &Search::here(directory, spec.package_directories), identity)
}

fn find_in(spec: &ServerSpec, search: &Search<'_>, identity: Option<&Identity>) -> Result<Programs> {
    let mut candidates = search.directories();
    // An installation in one directory has them in bin and scripts.
    candidates.extend(search.directory.map(|directory| directory.with_file_name("scripts")));
    let programs = |name: &str| -> Vec<PathBuf> {
        let all = candidates.iter().map(|directory| directory.join(name));
        all.filter(|program| program.is_file()).collect()
    };
    let missing = |what: String| {
        let hint = format!("{}, or give {}?bin=DIR", spec.package, spec.target());
        Error::new(Kind::Missing, format!("{what} in {search}")).hint(hint)
    };
    let absent = |name: &str| missing(format!("no program {name}"));
    let least = spec.flavour.version_min();
    // MariaDB also installs its server as mysqld.
    let is_suitable = |found: &(Flavour, (u32, u32))| found.0 == spec.flavour && found.1 >= least;
    let servers = programs(spec.server);
    let server = servers.iter().find(|program| version(program, identity).as_ref().is_some_and(is_suitable));
    let server = server.cloned().ok_or_else(|| match servers.first() {
        None => absent(spec.server),
        Some(other) => {
            let found = version(other, identity).map_or_else(
                || "of unknown version".to_owned(),
                |(flavour, (major, minor))| format!("of {} {major}.{minor}", flavour.title()),
            );
            let wanted = format!("{} {}.{}", spec.flavour.title(), least.0, least.1);
            missing(format!("no {wanted} or later, only {} {found},", other.display()))
        }
    })?;
    if spec.installer == spec.server {
        return Ok(Programs { installer: server.clone(), server });
    }
    let installer = programs(spec.installer).into_iter().next().ok_or_else(|| absent(spec.installer))?;
    Ok(Programs { server, installer })
}

/// The product and the release in `mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)`.
fn version(server: &Path, identity: Option<&Identity>) -> Option<(Flavour, (u32, u32))> {
    parse_version(&version_output(server, identity)?)
}

fn parse_version(output: &str) -> Option<(Flavour, (u32, u32))> {
    let version = output.split_once("Ver ")?.1.split_ascii_whitespace().next()?;
    Some((Flavour::of_version(version), release(version)?))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn search<'a>(directory: Option<&'a Path>, path: &Path, package_directories: &'a [&'a str]) -> Search<'a> {
        Search { directory, path: path.into(), package_directories, root: Path::new("/") }
    }

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
    fn the_programs_may_be_in_different_directories() {
        let mariadb = ServerSpec::of(Flavour::MariaDb);
        let root = tempfile::tempdir().expect("temporary directory");
        let bin = install(root.path(), "bin", &["mariadb-install-db"], "");
        let sbin = install(root.path(), "sbin", &["mariadbd"], "10.11.19-MariaDB-0+deb12u1");
        let found = find_in(mariadb, &search(None, &bin, &[sbin.to_str().unwrap()]), None).expect("found");
        assert_eq!(found, Programs { server: sbin.join("mariadbd"), installer: bin.join("mariadb-install-db") });
        let error = find_in(mariadb, &search(Some(&sbin), &bin, &[]), None).expect_err("only there");
        assert!(error.message.contains("mariadb-install-db"), "{error}");
    }

    #[test]
    fn what_is_absent_or_old_is_named_with_the_places_and_the_package() {
        let mariadb = ServerSpec::of(Flavour::MariaDb);
        let root = tempfile::tempdir().expect("temporary directory");
        let error = find_in(mariadb, &search(None, Path::new(""), &["/nonexistent"]), None).expect_err("nothing there");
        assert_eq!(error.kind, Kind::Missing);
        assert!(error.message.contains("PATH, /nonexistent"), "{error}");
        assert!(error.hint.expect("hint").contains("apt-get install mariadb-server"));
        for version in ["10.3.39-MariaDB", "8.0.36"] {
            let bin = install(root.path(), "bin", &["mariadbd", "mariadb-install-db"], version);
            let error = find_in(mariadb, &search(Some(&bin), Path::new(""), &[]), None).expect_err("not this one");
            assert!(error.message.contains("10.5"), "{error}");
        }
    }

    #[test]
    fn a_mariadb_server_named_mysqld_is_skipped() {
        let mysql = ServerSpec::of(Flavour::MySql);
        let root = tempfile::tempdir().expect("temporary directory");
        let other = install(root.path(), "sbin", &["mysqld"], "10.11.19-MariaDB-0+deb12u1");
        let error =
            find_in(mysql, &search(None, Path::new(""), &[other.to_str().unwrap()]), None).expect_err("not this one");
        assert!(error.message.contains("no MySQL 8.0 or later") && error.message.contains("MariaDB 10.11"), "{error}");
        assert!(error.hint.expect("hint").contains("local:mysql?bin=DIR"));
        let own = install(root.path(), "mysql", &["mysqld"], "9.7.4-2");
        let found = find_in(mysql, &search(None, &other, &[own.to_str().unwrap()]), None).expect("found after it");
        assert_eq!(found, Programs { server: own.join("mysqld"), installer: own.join("mysqld") });
    }

    #[test]
    fn the_version_is_parsed_from_the_output() {
        let output = "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)\n";
        assert_eq!(parse_version(output), Some((Flavour::MariaDb, (10, 11))));
        let output = "/opt/mysql/bin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))";
        assert_eq!(parse_version(output), Some((Flavour::MySql, (9, 7))));
        assert_eq!(parse_version(""), None);
    }
}
