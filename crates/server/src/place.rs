//! Where a temporary server lies: a folder of its engine in the measured directory, and what is in it.

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

/// `sun_path` of a Unix socket without its closing zero.
const SOCKET_PATH_BYTES_MAX: usize = 107;
/// How long a lock may be held by nobody.
const LOCK_TIMEOUT: Duration = Duration::from_millis(200);
/// Beginning of the name of a socket directory that does not lie in the measured directory.
const SOCKET_PREFIX: &str = "dbdyno-socket-";

/// The paths of one server; absolute.
#[derive(Clone, Debug)]
pub struct Place {
    /// What it is a server of.
    pub product: &'static Product,
    /// The measured directory.
    pub workspace: PathBuf,
    /// All of the server but perhaps its socket.
    pub root: PathBuf,
    /// Its data directory.
    pub data: PathBuf,
    /// What it writes while it runs.
    pub log: PathBuf,
    /// What dbdyno writes down about it, see [`super::State`].
    pub state: PathBuf,
}

/// The right to start, stop and remove the server of one place, for as long as it lives.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code)] Option<File>); // The kernel gives it back with the file.

impl Place {
    /// The place of `product` in the directory `site`, which must exist.
    ///
    /// # Errors
    /// `Usage` where the directory is not there, or has a name that no setting can hold.
    pub fn of(product: &'static Product, workspace: &Path) -> Result<Place> {
        let workspace = workspace.canonicalize().map_err(|error| Error::of_path("read", workspace, &error))?;
        if !workspace.to_str().is_some_and(|path| path.chars().all(|letter| !letter.is_control())) {
            let message = format!("directory {} has a name that a server setting cannot hold", workspace.display());
            return Err(Error::new(Kind::Usage, message).hint("give a --dir of UTF-8 text without control characters"));
        }
        let root = workspace.join(product.name);
        let (data, log, state) = (root.join("data"), root.join("server.log"), root.join("state"));
        Ok(Place { product, workspace, root, data, log, state })
    }

    /// Makes the directory of the server, or takes the one that dbdyno made before.
    ///
    /// # Errors
    /// `NotOurs` where it holds something and no state file says that dbdyno made it.
    pub(crate) fn claim(&self) -> Result<Lock> {
        match DirBuilder::new().mode(0o711).create(&self.root) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let mut entries = self.root.read_dir().map_err(|error| Error::of_path("read", &self.root, &error))?;
                let only_lock = entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == "lock"));
                if !self.state.is_file() && !only_lock {
                    let message = format!("directory {} was not made by dbdyno", self.root.display());
                    return Err(Error::new(Kind::NotOurs, message).hint("give another --dir, or move it away"));
                }
            }
            Err(error) => return Err(Error::of_path("create", &self.root, &error)),
        }
        let lock = self.lock().inspect_err(|_| {
            // If it was made just now it is empty, and only then this does anything.
            let _ = fs::remove_dir(&self.root);
        })?;
        lock.ok_or_else(|| {
            let message = format!("directory {} is in use by another dbdyno", self.root.display());
            Error::new(Kind::Usage, message).hint("wait until it has ended, or give another --dir")
        })
    }

    /// The lock of the place; none where somebody holds it. A file system that has no locks gives one that does not
    /// lock: then the state file alone says who is at work.
    pub(crate) fn lock(&self) -> Result<Option<Lock>> {
        let path = self.root.join("lock");
        let begun = Instant::now();
        loop {
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(|error| Error::of_path("write", &path, &error))?;
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                // A program that another thread is just starting holds a copy of what was locked here before.
                Err(rustix::io::Errno::WOULDBLOCK) if begun.elapsed() < LOCK_TIMEOUT => {
                    thread::sleep(Duration::from_millis(5));
                    continue;
                }
                Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
                Err(_) => return Ok(Some(Lock(None))),
            }
            // Whoever held it may have removed the file between our two calls: then the lock is worth nothing.
            let same = |named: fs::Metadata, held: fs::Metadata| (named.dev(), named.ino()) == (held.dev(), held.ino());
            if let (Ok(named), Ok(held)) = (fs::metadata(&path), file.metadata())
                && same(named, held)
            {
                return Ok(Some(Lock(Some(file))));
            }
        }
    }

    /// Makes the directory of the socket, which nobody but its owner may enter. It lies beside the data, or, where
    /// that path does not fit into a socket's address, in a directory for such things.
    ///
    /// # Errors
    /// `Space` where it cannot be created, `Usage` where every path is too long.
    pub fn make_socket_directory(&self, shared: &[PathBuf]) -> Result<PathBuf> {
        let beside = self.root.join("socket");
        if self.fits_socket(&beside) {
            return make_private(&beside)
                .map(|()| beside.clone())
                .map_err(|error| Error::of_path("create", &beside, &error));
        }
        let mut failure = None;
        for (parent, number) in shared.iter().flat_map(|parent| (0..16).map(move |number| (parent, number))) {
            let path = parent.join(format!("{SOCKET_PREFIX}{}-{number}", std::process::id()));
            match make_private(&path) {
                Ok(()) => return Ok(path),
                Err(error) => failure = Some(Error::of_path("create", &path, &error)),
            }
        }
        Err(failure.unwrap_or_else(|| {
            let message = format!("socket path {} is longer than {SOCKET_PATH_BYTES_MAX} bytes", beside.display());
            Error::new(Kind::Usage, message).hint("give a shorter --dir")
        }))
    }

    /// Whether `path` is a directory that [`Self::make_socket_directory`] may have made: nothing else is ever removed.
    pub(crate) fn is_socket_directory(&self, path: &Path) -> bool {
        let beside = path == self.root.join("socket");
        let shared = path.file_name().is_some_and(|name| name.as_bytes().starts_with(SOCKET_PREFIX.as_bytes()))
            && path.parent().is_some_and(Path::is_absolute);
        (beside || shared) && fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
    }

    /// Removes the data and the socket directory, and says what was removed. The directory itself and the lock
    /// stay, see [`Self::leave`].
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

    /// Whether a socket in `directory` has an address that fits, and the path can be said in a list of directories.
    fn fits_socket(&self, directory: &Path) -> bool {
        let bytes = directory.as_os_str().as_bytes();
        let length = bytes.len() + 1 + self.product.socket_name.len();
        length <= SOCKET_PATH_BYTES_MAX && !bytes.iter().any(|byte| matches!(byte, b',' | b'"'))
    }

    /// Gives the place up: the lock, and the directory if nothing is in it.
    pub(crate) fn leave(&self, lock: Lock) {
        if !self.state.exists() {
            let _ = fs::remove_file(self.root.join("lock"));
            let _ = fs::remove_dir(&self.root);
        }
        drop(lock);
    }
}

fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Removes a directory with all below it. A server that was killed may have children that still write for a moment.
fn remove_tree(path: &Path) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error)
                if error.kind() == io::ErrorKind::DirectoryNotEmpty && begun.elapsed() < Duration::from_secs(5) =>
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
    fn a_place_is_made_private_and_left_without_trace() {
        let scratch = scratch();
        let place = Place::of(&PRODUCT, scratch.path()).expect("place");
        let lock = place.claim().expect("claim");
        let socket = place.make_socket_directory(&[]).expect("socket directory");
        assert_eq!(socket, place.root.join("socket"));
        assert_eq!(fs::metadata(&socket).expect("socket").permissions().mode() & 0o7777, 0o700);
        assert!(place.is_socket_directory(&socket));
        place.remove(Some(&socket)).expect("remove");
        place.leave(lock);
        assert!(!place.root.exists());
    }

    #[test]
    fn a_directory_of_somebody_else_is_not_ours() {
        let scratch = scratch();
        let place = Place::of(&PRODUCT, scratch.path()).expect("place");
        fs::create_dir_all(&place.data).expect("foreign data");
        assert_eq!(place.claim().expect_err("foreign").kind, Kind::NotOurs);
        assert_eq!(fs::read_dir(&place.root).expect("entries").count(), 1, "nothing was put into it");
    }

    #[test]
    fn a_place_in_use_is_refused_and_free_again_afterwards() {
        let scratch = scratch();
        let place = Place::of(&PRODUCT, scratch.path()).expect("place");
        let lock = place.claim().expect("claim");
        assert!(place.claim().expect_err("taken").message.contains("in use"));
        drop(lock);
        place.claim().expect("free again");
    }

    #[test]
    fn a_path_too_long_for_a_socket_gets_a_short_one() {
        let (scratch, shared) = (scratch(), scratch());
        let long = scratch.path().join("x".repeat(100));
        fs::create_dir(&long).expect("long directory");
        let place = Place::of(&PRODUCT, &long).expect("place");
        let _lock = place.claim().expect("claim");
        let parents = [shared.path().to_owned()];
        let (first, second) = (place.make_socket_directory(&parents), place.make_socket_directory(&parents));
        let (first, second) = (first.expect("first"), second.expect("second"));
        assert_ne!(first, second);
        assert!(place.fits_socket(&first) && first.starts_with(shared.path()));
        assert!(place.is_socket_directory(&first));
        assert!(place.make_socket_directory(&[]).expect_err("nowhere").message.contains("107"));
    }

    #[test]
    fn only_what_looks_like_ours_is_a_socket_directory() {
        let scratch = scratch();
        let place = Place::of(&PRODUCT, scratch.path()).expect("place");
        let link = scratch.path().join(format!("{SOCKET_PREFIX}1-0"));
        std::os::unix::fs::symlink("/etc", &link).expect("link");
        for path in ["/etc", "/", "/tmp", "relative/dbdyno-socket-1"].map(Path::new) {
            assert!(!place.is_socket_directory(path), "{}", path.display());
        }
        assert!(!place.is_socket_directory(&link), "a link is not followed");
    }
}
