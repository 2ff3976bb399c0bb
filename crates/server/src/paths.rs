//! Files of a temporary server: a subdirectory of the measured directory per engine, and its contents.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;

use super::Product;
use engine::{Error, Kind, Result};

/// Size of `sun_path` of a Unix socket, without the terminating zero.
const SOCKET_PATH_BYTES_MAX: usize = 107;
/// How long a lock may be held by a process that is just being started.
const LOCK_TIMEOUT: Duration = Duration::from_millis(200);
/// Name prefix of a socket directory outside the measured directory.
const SOCKET_PREFIX: &str = "dbdyno-socket-";

/// The paths of one server; absolute.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The product.
    pub product: &'static Product,
    /// The measured directory.
    pub workspace: PathBuf,
    /// Directory of everything of the server, except possibly its socket.
    pub root: PathBuf,
    /// Its data directory.
    pub data: PathBuf,
    /// Its log.
    pub log: PathBuf,
    /// The state file, see [`super::State`].
    pub state: PathBuf,
}

/// Exclusive right to start, stop and remove the server, until it is dropped.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code)] Option<File>); // The kernel releases it when the file is closed.

impl Paths {
    /// The paths of `product` in the directory `workspace`, which must exist.
    ///
    /// # Errors
    /// `Usage` if the directory does not exist, or its name cannot be the value of a setting.
    pub fn of(product: &'static Product, workspace: &Path) -> Result<Paths> {
        let workspace = workspace.canonicalize().map_err(|error| Error::of_path("read", workspace, &error))?;
        if !workspace.to_str().is_some_and(|path| path.chars().all(|letter| !letter.is_control())) {
            let message =
                format!("directory {} has a name that cannot be the value of a server setting", workspace.display());
            return Err(Error::new(Kind::Usage, message).hint("give a --dir in UTF-8 without control characters"));
        }
        let root = workspace.join(product.name);
        let (data, log, state) = (root.join("data"), root.join("server.log"), root.join("state"));
        Ok(Paths { product, workspace, root, data, log, state })
    }

    /// Creates the directory of the server, or reuses the one that dbdyno created earlier.
    pub(crate) fn claim(&self) -> Result<Lock> {
        match DirBuilder::new().mode(0o711).create(&self.root) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let mut entries = self.root.read_dir().map_err(|error| Error::of_path("read", &self.root, &error))?;
                let only_lock = entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == "lock"));
                if !self.state.is_file() && !only_lock {
                    let message = format!("directory {} was not created by dbdyno", self.root.display());
                    return Err(Error::new(Kind::NotOurs, message).hint("give another --dir, or move it away"));
                }
            }
            Err(error) => return Err(Error::of_path("create", &self.root, &error)),
        }
        let lock = self.lock().inspect_err(|_| {
            // Has an effect only if it is empty, because it was just created.
            let _ = fs::remove_dir(&self.root);
        })?;
        lock.ok_or_else(|| {
            let message = format!("directory {} is in use by another dbdyno", self.root.display());
            Error::new(Kind::Usage, message).hint("wait until it has exited, or give another --dir")
        })
    }

    /// The lock; `None` if another process holds it. On a file system without locks it has no effect: then only the
    /// state file identifies the owner.
    pub(crate) fn lock(&self) -> Result<Option<Lock>> {
        let path = self.root.join("lock");
        let start = Instant::now();
        loop {
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(|error| Error::of_path("write", &path, &error))?;
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                // A program that another thread is just starting may hold a copy of an earlier lock.
                Err(rustix::io::Errno::WOULDBLOCK) if start.elapsed() < LOCK_TIMEOUT => {
                    thread::sleep(Duration::from_millis(5));
                    continue;
                }
                Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
                Err(_) => return Ok(Some(Lock(None))),
            }
            // The previous holder may have removed the file between the two calls: then it has no effect.
            let same =
                |named: fs::Metadata, handle: fs::Metadata| (named.dev(), named.ino()) == (handle.dev(), handle.ino());
            if let (Ok(named), Ok(handle)) = (fs::metadata(&path), file.metadata())
                && same(named, handle)
            {
                return Ok(Some(Lock(Some(file))));
            }
        }
    }

    /// Creates the directory of the socket, which only its owner may enter. It is next to the data, or, if that path
    /// does not fit into a socket address, in one of the directories `shared`.
    ///
    /// # Errors
    /// `Space` if it cannot be created, `Usage` if every path is too long.
    pub fn create_socket_directory(&self, shared: &[PathBuf]) -> Result<PathBuf> {
        let default = self.root.join("socket");
        if self.fits_socket(&default) {
            return create_private(&default)
                .map(|()| default.clone())
                .map_err(|error| Error::of_path("create", &default, &error));
        }
        let mut failure = None;
        for (parent, number) in shared.iter().flat_map(|parent| (0..16).map(move |number| (parent, number))) {
            let path = parent.join(format!("{SOCKET_PREFIX}{}-{number}", std::process::id()));
            match create_private(&path) {
                Ok(()) => return Ok(path),
                Err(error) => failure = Some(Error::of_path("create", &path, &error)),
            }
        }
        Err(failure.unwrap_or_else(|| {
            let message = format!("socket path {} is longer than {SOCKET_PATH_BYTES_MAX} bytes", default.display());
            Error::new(Kind::Usage, message).hint("give a shorter --dir")
        }))
    }

    /// Whether `path` is a directory that [`Self::create_socket_directory`] may have created: nothing else is ever
    /// removed.
    pub(crate) fn is_socket_directory(&self, path: &Path) -> bool {
        let default = path == self.root.join("socket");
        let shared = path.file_name().is_some_and(|name| name.as_bytes().starts_with(SOCKET_PREFIX.as_bytes()))
            && path.parent().is_some_and(Path::is_absolute);
        (default || shared) && fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
    }

    /// Removes the data and the socket directory; returns a line for each. The directory itself and the lock remain,
    /// see [`Self::release`].
    pub(crate) fn remove(&self, socket: Option<&Path>) -> Result<Vec<String>> {
        let mut removed = Vec::new();
        let socket = socket.filter(|path| self.is_socket_directory(path));
        for path in [Some(self.data.as_path()), socket].into_iter().flatten() {
            if fs::symlink_metadata(path).is_ok() {
                remove_tree(path).map_err(|error| Error::of_path("remove", path, &error))?;
                removed.push(format!("removed {}", path.display()));
            }
        }
        for path in [&self.log, &self.state] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::of_path("remove", path, &error));
                }
                _ => {}
            }
        }
        Ok(removed)
    }

    /// Whether the address of a socket in `directory` fits, and the path can be part of a list of directories.
    fn fits_socket(&self, directory: &Path) -> bool {
        let bytes = directory.as_os_str().as_bytes();
        let length = bytes.len() + 1 + self.product.socket_name.len();
        length <= SOCKET_PATH_BYTES_MAX && !bytes.iter().any(|byte| matches!(byte, b',' | b'"'))
    }

    /// Releases the lock, and removes the directory if it is empty.
    pub(crate) fn release(&self, lock: Lock) {
        if !self.state.exists() {
            let _ = fs::remove_file(self.root.join("lock"));
            let _ = fs::remove_dir(&self.root);
        }
        drop(lock);
    }
}

fn create_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Removes a directory tree. Children of a killed server may still write for a moment.
fn remove_tree(path: &Path) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error)
                if error.kind() == io::ErrorKind::DirectoryNotEmpty && start.elapsed() < Duration::from_secs(5) =>
            {
                thread::sleep(Duration::from_millis(50));
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::fixture::PRODUCT;

    fn scratch() -> tempfile::TempDir {
        tempfile::Builder::new().prefix("dd").tempdir().expect("temporary directory")
    }

    #[test]
    fn directories_are_private_and_removed() {
        let scratch = scratch();
        let paths = Paths::of(&PRODUCT, scratch.path()).expect("place");
        let lock = paths.claim().expect("claim");
        let socket = paths.create_socket_directory(&[]).expect("socket directory");
        assert_eq!(socket, paths.root.join("socket"));
        assert_eq!(fs::metadata(&socket).expect("socket").permissions().mode() & 0o7777, 0o700);
        assert!(paths.is_socket_directory(&socket));
        paths.remove(Some(&socket)).expect("remove");
        paths.release(lock);
        assert!(!paths.root.exists());
    }

    #[test]
    fn a_directory_of_somebody_else_is_not_ours() {
        let scratch = scratch();
        let paths = Paths::of(&PRODUCT, scratch.path()).expect("place");
        fs::create_dir_all(&paths.data).expect("foreign data");
        assert_eq!(paths.claim().expect_err("foreign").kind, Kind::NotOurs);
        assert_eq!(fs::read_dir(&paths.root).expect("entries").count(), 1, "nothing was put into it");
    }

    #[test]
    fn a_directory_in_use_is_rejected_until_it_is_released() {
        let scratch = scratch();
        let paths = Paths::of(&PRODUCT, scratch.path()).expect("place");
        let lock = paths.claim().expect("claim");
        assert!(paths.claim().expect_err("taken").message.contains("in use"));
        drop(lock);
        paths.claim().expect("free again");
    }

    #[test]
    fn a_path_too_long_for_a_socket_gets_a_short_one() {
        let (scratch, shared) = (scratch(), scratch());
        let long = scratch.path().join("x".repeat(100));
        fs::create_dir(&long).expect("long directory");
        let paths = Paths::of(&PRODUCT, &long).expect("place");
        let _lock = paths.claim().expect("claim");
        let parents = [shared.path().to_owned()];
        let (first, second) = (paths.create_socket_directory(&parents), paths.create_socket_directory(&parents));
        let (first, second) = (first.expect("first"), second.expect("second"));
        assert_ne!(first, second);
        assert!(paths.fits_socket(&first) && first.starts_with(shared.path()));
        assert!(paths.is_socket_directory(&first));
        assert!(paths.create_socket_directory(&[]).expect_err("too long").message.contains("107"));
    }

    #[test]
    fn only_names_of_dbdyno_are_socket_directories() {
        let scratch = scratch();
        let paths = Paths::of(&PRODUCT, scratch.path()).expect("place");
        let link = scratch.path().join(format!("{SOCKET_PREFIX}1-0"));
        std::os::unix::fs::symlink("/etc", &link).expect("link");
        for path in ["/etc", "/", "/tmp", "relative/dbdyno-socket-1"].map(Path::new) {
            assert!(!paths.is_socket_directory(path), "{}", path.display());
        }
        assert!(!paths.is_socket_directory(&link), "a link is not followed");
    }
}
