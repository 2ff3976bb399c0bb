//! Finds installed programs.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program that is being written is tried again.
const BUSY_MAX: Duration = Duration::from_secs(1);

/// Search path for programs of a server.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// The only directory to search, if requested.
    pub directory: Option<&'a Path>,
    /// The value of `PATH`.
    pub path: OsString,
    /// Installation directories of packages, searched after `PATH` in this order; `*` is a version.
    pub package_directories: &'a [&'a str],
    /// Root directory of `package_directories`.
    pub root: &'a Path,
}

impl<'a> Search<'a> {
    /// On this host: in `directory` only, or in `PATH` and then in `package_directories`.
    pub fn here(directory: Option<&'a Path>, package_directories: &'a [&'a str]) -> Search<'a> {
        Search {
            directory,
            path: std::env::var_os("PATH").unwrap_or_default(),
            package_directories,
            root: Path::new("/"),
        }
    }

    /// The directories in search order; a pattern gives the newest version first.
    pub fn directories(&self) -> Vec<PathBuf> {
        if let Some(directory) = self.directory {
            return vec![directory.to_owned()];
        }
        let listed = std::env::split_paths(&self.path).filter(|directory| directory.is_absolute());
        listed.chain(self.package_directories.iter().flat_map(|pattern| expand(self.root, pattern))).collect()
    }
}

/// The searched directories, for error messages.
impl fmt::Display for Search<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.directory {
            Some(directory) => write!(formatter, "{}", directory.display()),
            None => write!(formatter, "PATH, {}", self.package_directories.join(", ")),
        }
    }
}

/// Output of `program --version`; `None` if it cannot be run. A program that is being written, such as by an update of its
/// package, is tried again for a second.
pub fn version_output(program: &Path) -> Option<String> {
    let start = Instant::now();
    loop {
        let output = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
        match output {
            Ok(messages) => return Some(String::from_utf8_lossy(&messages.stdout).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && start.elapsed() < BUSY_MAX => {
                std::thread::sleep(BUSY_MAX / 50);
            }
            Err(_) => return None,
        }
    }
}

/// The directories that match `pattern`, the newest version first.
fn expand(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let pattern = pattern.trim_start_matches('/');
    let Some((before, after)) = pattern.split_once('*') else { return vec![root.join(pattern)] };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let mut found: Vec<(Vec<u32>, PathBuf)> = fs::read_dir(root.join(parent))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let version = name.to_str()?.strip_prefix(prefix)?;
            let numbers = version.split('.').map(str::parse).collect::<Result<Vec<u32>, _>>();
            // Some packages have a link `latest` to one of the versions.
            Some((numbers.ok()?, entry.path().join(after.trim_start_matches('/'))))
        })
        .collect();
    found.sort_by(|left, right| right.cmp(left));
    found.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_program_that_is_being_written_is_tried_again() {
        let root = tempfile::tempdir().expect("temporary directory");
        let program = root.path().join("program");
        fs::write(&program, "#!/bin/sh\necho 'Ver 1'\n").expect("program");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
        let writer = fs::File::options().append(true).open(&program).expect("open");
        let written = std::thread::spawn(move || {
            std::thread::sleep(BUSY_MAX / 20);
            drop(writer);
        });
        assert_eq!(version_output(&program).as_deref(), Some("Ver 1\n"));
        written.join().expect("written");
        assert_eq!(version_output(&root.path().join("none")), None);
    }

    #[test]
    fn versions_are_ordered_as_numbers() {
        let root = tempfile::tempdir().expect("temporary directory");
        for version in ["9.6", "10", "13", "latest"] {
            fs::create_dir_all(root.path().join("usr/lib/somebase").join(version)).expect("directory");
        }
        let names = expand(root.path(), "/usr/lib/somebase/*/bin");
        let expected = ["13", "10", "9.6"].map(|version| root.path().join(format!("usr/lib/somebase/{version}/bin")));
        assert_eq!(names, expected);
    }

    #[test]
    fn a_requested_directory_replaces_path_and_package_directories() {
        let root = Path::new("/r");
        let search = Search { directory: None, path: "/a:relative:/b".into(), package_directories: &["/c/d"], root };
        assert_eq!(search.directories(), ["/a", "/b", "/r/c/d"].map(PathBuf::from));
        assert_eq!(search.to_string(), "PATH, /c/d");
        let requested = Search { directory: Some(Path::new("/e")), ..search };
        assert_eq!((requested.directories(), requested.to_string().as_str()), (vec![PathBuf::from("/e")], "/e"));
    }
}
