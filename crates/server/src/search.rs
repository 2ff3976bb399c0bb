//! Finds installed programs.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Identity;
use super::identity::bare_command;

/// How long a program that is being written is tried again.
const BUSY_MAX: Duration = Duration::from_secs(1);
/// How long a program may take to say its version, and how much.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);
const VERSION_BYTES_MAX: usize = 64 << 10;

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

/// Output of `program --version`, which is run as `identity` where that is known; `None` if it cannot be run, or does not end in
/// time. A program that is being written, such as by an update of its package, is tried again for a second.
pub fn version_output(program: &Path, identity: Option<&Identity>) -> Option<String> {
    let root = Path::new("/");
    let mut command = identity.map_or_else(|| bare_command(program, root), |identity| identity.command(program, root));
    command.arg("--version");
    let start = Instant::now();
    loop {
        match output_within(&mut command, VERSION_TIMEOUT) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && start.elapsed() < BUSY_MAX => {
                std::thread::sleep(BUSY_MAX / 50);
            }
            // The user may not enter its directory, which is said with its name when the program is to do something.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && identity.is_some() => {
                return version_output(program, None);
            }
            output => return output.ok(),
        }
    }
}

/// What `command` writes until it closes its output, which it has to do within `limit`; it is killed then.
fn output_within(command: &mut Command, limit: Duration) -> io::Result<String> {
    base::die_with_parent(command);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let output = read_within(output, limit);
    // It has ended, or is of no use any more.
    let _ = child.kill().and_then(|()| child.wait());
    output
}

/// The text that comes from `output` within `limit`, which has to be all.
fn read_within(mut output: ChildStdout, limit: Duration) -> io::Result<String> {
    let start = Instant::now();
    let (mut text, mut part) = (Vec::new(), [0; 4096]);
    while text.len() < VERSION_BYTES_MAX {
        let left = Timespec::try_from(limit.saturating_sub(start.elapsed())).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(&output, PollFlags::IN)], Some(&left)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        match output.read(&mut part)? {
            0 => break,
            count => text.extend_from_slice(&part[..count]),
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
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
    use crate::fixture::PRODUCT;

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
        assert_eq!(version_output(&program, None).as_deref(), Some("Ver 1\n"));
        written.join().expect("written");
        assert_eq!(version_output(&root.path().join("none"), None), None);
    }

    /// A program of `script`.
    fn program(root: &Path, script: &str) -> PathBuf {
        let program = root.join("program");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("program");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
        program
    }

    #[test]
    fn a_program_is_told_nothing_that_is_not_its_own_and_cannot_hold_up_the_search() {
        let root = tempfile::tempdir().expect("temporary directory");
        let output = version_output(&program(root.path(), "env; echo asked $*; exec 1>&-; sleep 60"), None)
            .expect("it has said all");
        assert!(
            output.ends_with("asked --version\n") && output.contains("PATH=") && !output.contains("CARGO_MANIFEST_DIR"),
            "{output}"
        );
        let start = Instant::now();
        let mut command = bare_command(&program(root.path(), "echo some; sleep 60"), root.path());
        let error = output_within(&mut command, Duration::from_millis(200)).expect_err("it does not end");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let endless = version_output(&program(root.path(), "exec cat /dev/zero"), None).expect("enough of it");
        assert!((VERSION_BYTES_MAX..2 * VERSION_BYTES_MAX).contains(&endless.len()));
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_program_runs_as_the_user_of_the_server_where_that_may_enter() {
        let root = tempfile::tempdir().expect("temporary directory");
        let program = program(root.path(), "id -u");
        let identity = Identity::choose(&PRODUCT, None).expect("a user");
        let own = rustix::process::geteuid().as_raw().to_string();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o700)).expect("mode");
        let hidden = version_output(&program, Some(&identity)).expect("as ourselves");
        assert_eq!(hidden.trim(), own);
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).expect("mode");
        let output = version_output(&program, Some(&identity)).expect("output");
        assert_eq!(output.trim() == own, !identity.is_other_user, "{output}");
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
