//! A volume mounted at a directory, and the end of that mount while programs still use it.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};

use fuser::{Config, Session, SessionACL};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use rustix::process::configure_io_flusher_behavior;

use crate::directory::Directory;
use crate::volume::SharedVolume;

/// The device of FUSE.
const DEVICE: &str = "/dev/fuse";

/// The type of the mount, as `/proc/self/mountinfo` shows it.
const TYPE: &str = "fuse.dbdyno";

/// Why there is no mount.
#[derive(Debug)]
pub enum MountError {
    /// The device of FUSE cannot be opened.
    NoDevice(io::Error),
    /// There is no loop device over a file on it.
    NoLoop(io::Error),
    /// The kernel does not mount the file system of a disk.
    Unreadable {
        /// Its name.
        file_system: &'static str,
        /// What the kernel says.
        error: io::Error,
    },
    /// The kernel refuses.
    Refused(io::Error),
}

impl std::fmt::Display for MountError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MountError::NoDevice(error) => write!(to, "{DEVICE} cannot be opened: {error}"),
            MountError::NoLoop(error) => write!(to, "no loop device can be had: {error}"),
            MountError::Unreadable { file_system, error } => {
                write!(to, "the file system {file_system} on it cannot be mounted: {error}")
            }
            MountError::Refused(error) => write!(to, "a directory cannot be mounted by FUSE: {error}"),
        }
    }
}

impl std::error::Error for MountError {}

/// Whether a volume can be mounted on this host by this process.
///
/// # Errors
/// Why not.
pub fn can_mount() -> Result<(), MountError> {
    open_device()?;
    match rustix::process::geteuid().is_root() {
        true => Ok(()),
        false => Err(MountError::Refused(io::Error::from(io::ErrorKind::PermissionDenied))),
    }
}

fn open_device() -> Result<File, MountError> {
    OpenOptions::new().read(true).write(true).open(DEVICE).map_err(MountError::NoDevice)
}

/// A mount; it ends when the value is dropped.
#[derive(Debug)]
pub struct Mounted {
    directory: PathBuf,
    volume: SharedVolume,
    server: Option<JoinHandle<()>>,
}

impl Mounted {
    /// Mounts `volume` at `directory`, which must exist, for all users: the kernel checks permissions. What is in the directory
    /// is hidden as long as the mount lasts.
    ///
    /// # Errors
    /// Where FUSE is not there, and without the privilege to mount.
    pub fn at(directory: &Path, volume: &SharedVolume) -> Result<Mounted, MountError> {
        let server = serve(directory.to_owned(), volume.clone())?;
        Ok(Mounted { directory: directory.to_owned(), volume: volume.clone(), server: Some(server) })
    }

    /// Ends the mount, whoever uses it: what waits for an answer gets an error.
    ///
    /// # Errors
    /// Where it cannot be unmounted.
    pub fn end(mut self) -> io::Result<()> {
        self.unmount()
    }

    fn unmount(&mut self) -> io::Result<()> {
        let Some(server) = self.server.take() else { return Ok(()) };
        // Forced, so that the connection is aborted, and detached, because programs may still have files open.
        let unmounted = unmount(&self.directory, UnmountFlags::FORCE | UnmountFlags::DETACH);
        self.volume.freeze();
        self.volume.release();
        if unmounted.is_ok() {
            let _ = server.join();
        }
        Ok(unmounted?)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // An error cannot be returned here; the mount ends with the process in any case.
        let _ = self.unmount();
    }
}

/// Mounts `volume` and serves it in threads of their own until the mount ends.
///
/// They have the device of FUSE open in a table of files that no other thread shares. A thread of this process may wait in the
/// kernel for the file system above; when the process is killed, those that serve end, the device is closed, and the thread is
/// let go. Were the table shared, it would stay open as long as the thread that waits for it.
fn serve(directory: PathBuf, volume: SharedVolume) -> Result<JoinHandle<()>, MountError> {
    let (said, answer) = channel();
    let server = thread::Builder::new().name("volume".to_owned()).spawn(move || {
        leave_files();
        // Threads that it starts take over that they must not wait for others to write what they need to go on; it needs a
        // privilege, and is done without it.
        let _ = configure_io_flusher_behavior(true);
        match mount_session(&directory, &volume) {
            Ok(session) => {
                let _ = said.send(Ok(()));
                // It ends with an error, because it is aborted.
                let _ = session.run();
            }
            Err(error) => drop(said.send(Err(error))),
        }
    });
    let server = server.map_err(MountError::Refused)?;
    match answer.recv() {
        Ok(Ok(())) => Ok(server),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(MountError::Refused(io::Error::other("its thread has ended"))),
    }
}

/// A table of files of its own for this thread and those that it starts, with the standard ones alone.
fn leave_files() {
    // SAFETY: files are closed in the new table, which no other thread has; this one has opened none. Where the kernel does not know
    // the call, nothing is done.
    unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_UNSHARE) };
}

fn mount_session(directory: &Path, volume: &SharedVolume) -> Result<Session<Directory>, MountError> {
    let device = open_device()?;
    let options =
        format!("fd={},rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions", device.as_raw_fd());
    let options = CString::new(options).map_err(|error| MountError::Refused(error.into()))?;
    // Programs may be started from it: servers have scripts beside their data.
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("dbdyno", directory, TYPE, flags, options.as_c_str()).map_err(|error| MountError::Refused(error.into()))?;
    let mut config = Config::default();
    config.acl = SessionACL::All;
    Session::from_fd(Directory(volume.clone()), OwnedFd::from(device), SessionACL::All, config).map_err(|error| {
        let _ = unmount(directory, UnmountFlags::DETACH);
        MountError::Refused(error)
    })
}

/// Whether tests may mount, by what `can` says: where root may not, they fail, because nothing would have been tested.
#[cfg(test)]
pub(crate) fn may_mount(can: Result<(), MountError>) -> bool {
    let is_root = rustix::process::geteuid().is_root();
    assert!(can.is_ok() || !is_root, "root cannot mount: {}", can.unwrap_err());
    can.is_ok()
}

/// Whether a directory of a path is a mount of this crate, by the text of `/proc/self/mountinfo`.
#[cfg(test)]
fn is_mounted(mountinfo: &str, directory: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    mountinfo.lines().any(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let place = fields.get(4).map(|place| place.as_bytes());
        place == Some(directory.as_os_str().as_bytes()) && line.contains(TYPE)
    })
}

#[cfg(test)]
mod tests;
