//! Finds the programs of an installed PostgreSQL server.

use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result};
use server::{Identity, Search, version_output};

/// Major versions that are known to work.
pub(super) const MAJOR_MIN: u32 = 13;
/// See [`MAJOR_MIN`].
pub(super) const MAJOR_MAX: u32 = 18;

/// Installation directories of packages; `*` is the version. Searched after `PATH`, in this order.
const DIRECTORIES: &[&str] = &[
    "/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
    "/usr/pgsql-*/bin",                                   // postgresql.org for Red Hat and SUSE
    "/usr/lib/postgresql*/bin",                           // SUSE
    "/usr/lib64/postgresql-*/bin",                        // Gentoo
    "/usr/libexec/postgresql*",                           // Alpine
    "/usr/local/pgsql/bin",                               // built from source
    "/opt/homebrew/opt/postgresql@*/bin",                 // Homebrew, macOS on ARM
    "/usr/local/opt/postgresql@*/bin",                    // Homebrew, macOS on x86
    "/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",    // Homebrew on Linux
    "/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
];

/// The programs of one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Programs {
    pub(super) directory: PathBuf,
    pub(super) major: u32,
}

/// Requirements of the target.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Requirement<'a> {
    /// Only this directory.
    pub(super) directory: Option<&'a Path>,
    /// Only this major version.
    pub(super) major: Option<u32>,
    /// The user that runs them.
    pub(super) identity: Option<&'a Identity>,
}

/// Finds the programs that meet `requirement`.
pub(super) fn find(requirement: Requirement) -> Result<Programs> {
    find_in(requirement, &Search::here(requirement.directory, DIRECTORIES))
}

fn find_in(requirement: Requirement, search: &Search<'_>) -> Result<Programs> {
    let mut rejected = Vec::new();
    for directory in search.directories() {
        let Some(programs) = programs_in(&directory, requirement.identity) else { continue };
        match programs.major {
            MAJOR_MIN..=MAJOR_MAX if requirement.major.is_none_or(|major| major == programs.major) => {
                return Ok(programs);
            }
            major => {
                let found = format!("version {major} in {}", programs.directory.display());
                if !rejected.contains(&found) {
                    rejected.push(found);
                }
            }
        }
    }
    Err(missing(requirement, search, &rejected))
}

fn missing(requirement: Requirement, search: &Search<'_>, rejected: &[String]) -> Error {
    let wanted = match requirement.major {
        Some(major) => format!("PostgreSQL {major}"),
        None => format!("PostgreSQL {MAJOR_MIN} to {MAJOR_MAX}"),
    };
    let found = match rejected {
        [] => String::new(),
        _ => format!("; found only {}", rejected.join(", ")),
    };
    let package = requirement.major.map_or_else(|| "postgresql".to_owned(), |major| format!("postgresql-{major}"));
    Error::new(Kind::Missing, format!("no server programs (initdb, postgres) of {wanted} in {search}{found}"))
        .hint(format!("install them (Debian, Ubuntu: apt-get install {package}), or give local:postgres?bin=DIR"))
}

/// The programs in `directory`, if both exist and report their version.
fn programs_in(directory: &Path, identity: Option<&Identity>) -> Option<Programs> {
    let server = directory.join("postgres");
    if !server.is_file() {
        return None;
    }
    // A link such as /usr/local/bin/postgres leads to the directory of the other programs.
    let real = server.canonicalize().ok().and_then(|path| path.parent().map(Path::to_owned));
    let given = directory.canonicalize().ok();
    let directory = real.into_iter().chain(given).find(|directory| directory.join("initdb").is_file())?;
    let major = parse_major(&version_output(&server, identity)?)?;
    Some(Programs { directory, major })
}

/// The major version in `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
fn parse_major(output: &str) -> Option<u32> {
    let version = output.split_once("(PostgreSQL)")?.1.trim_start();
    version[..digits(version)].parse().ok()
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use proptest::prelude::*;

    use super::*;

    /// A server that only prints its version.
    fn install(root: &Path, directory: &str, version: &str) {
        let directory = root.join(directory);
        fs::create_dir_all(&directory).expect("directory");
        for name in ["initdb", "postgres"] {
            let program = directory.join(name);
            fs::write(&program, format!("#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")).expect("program");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
        }
    }

    /// The programs below `root` that meet `requirement`, with this value of `PATH`.
    fn find_below(root: &Path, requirement: Requirement, path: &str) -> Result<Programs> {
        find_in(
            requirement,
            &Search { directory: requirement.directory, path: path.into(), package_directories: DIRECTORIES, root },
        )
    }

    fn require_major(major: u32) -> Requirement<'static> {
        Requirement { major: Some(major), ..Requirement::default() }
    }

    #[test]
    fn the_path_comes_first_and_then_the_newest_version() {
        let root = tempfile::tempdir().expect("temporary directory");
        for version in ["9.6", "13", "15", "18"] {
            install(root.path(), &format!("usr/lib/postgresql/{version}/bin"), version);
        }
        install(root.path(), "usr/pgsql-14/bin", "14.22");
        install(root.path(), "elsewhere", "16.1 (built by hand)");
        let found = |requirement, path: &str| find_below(root.path(), requirement, path).map(|programs| programs.major);
        let path = format!("/nonexistent:relative:{}", root.path().join("elsewhere").display());
        assert_eq!(found(Requirement::default(), &path).expect("of the path"), 16);
        assert_eq!(found(Requirement::default(), "").expect("the newest"), 18);
        assert_eq!(found(require_major(13), &path).expect("the requested one"), 13);
        assert_eq!(found(require_major(14), "").expect("after Debian's"), 14);
    }

    #[test]
    fn missing_programs_are_named_with_directories_and_package() {
        let root = tempfile::tempdir().expect("temporary directory");
        let error = find_below(root.path(), require_major(17), "").expect_err("nothing there");
        assert_eq!(error.kind, Kind::Missing);
        assert!(error.message.contains("PATH, /usr/lib/postgresql/*/bin"), "{error}");
        assert!(error.hint.expect("hint").contains("apt-get install postgresql-17"));
        install(root.path(), "usr/pgsql-12/bin", "12.4");
        let error = find_below(root.path(), Requirement::default(), "").expect_err("too old");
        assert!(error.message.contains("found only version 12 in"), "{error}");
        let directory = root.path().join("usr/pgsql-14/bin");
        let requirement = Requirement { directory: Some(&directory), ..Requirement::default() };
        let error = find_below(root.path(), requirement, "/usr/bin").expect_err("only there");
        assert!(error.message.ends_with(&format!("in {}", directory.display())), "{error}");
    }

    #[test]
    fn a_link_leads_to_the_directory_of_all_programs() {
        let root = tempfile::tempdir().expect("temporary directory");
        install(root.path(), "usr/lib/postgresql/15/bin", "15.18");
        let (links, real) = (root.path().join("links"), root.path().join("usr/lib/postgresql/15/bin"));
        fs::create_dir(&links).expect("links");
        std::os::unix::fs::symlink(real.join("postgres"), links.join("postgres")).expect("link");
        let found = find_below(root.path(), Requirement::default(), links.to_str().expect("text")).expect("found");
        assert_eq!(found.directory, real.canonicalize().expect("real"));
    }

    #[test]
    fn versions_of_all_packagers_are_parsed() {
        for (output, major) in [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", Some(15)),
            ("postgres (PostgreSQL) 18\n", Some(18)),
            ("postgres (PostgreSQL) 19devel", Some(19)),
            ("postgres (PostgreSQL) 9.6.24", Some(9)),
            ("postgres (EnterpriseDB) 15", None),
            ("", None),
        ] {
            assert_eq!(parse_major(output), major, "{output}");
        }
    }

    proptest! {
        #[test]
        fn no_version_output_panics(output in "(postgres \\(PostgreSQL\\) ?)?\\PC*") {
            let _ = parse_major(&output);
        }
    }
}
