//! A volume mounted at a directory, and the end of that mount while programs still use it.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use fuser::{BackgroundSession, Config, Session, SessionACL};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

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
    /// The kernel refuses.
    Refused(io::Error),
}

impl std::fmt::Display for MountError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MountError::NoDevice(error) => write!(to, "{DEVICE} cannot be opened: {error}"),
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
    session: Option<BackgroundSession>,
}

impl Mounted {
    /// Mounts `volume` at `directory`, which must exist, for all users: the kernel checks permissions. What is in the directory
    /// is hidden as long as the mount lasts.
    ///
    /// # Errors
    /// Where FUSE is not there, and without the privilege to mount.
    pub fn at(directory: &Path, volume: &SharedVolume) -> Result<Mounted, MountError> {
        let device = open_device()?;
        let refused = |error: rustix::io::Errno| MountError::Refused(error.into());
        let options =
            format!("fd={},rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions", device.as_raw_fd());
        let options = CString::new(options).map_err(|error| MountError::Refused(error.into()))?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        mount("dbdyno", directory, TYPE, flags, options.as_c_str()).map_err(refused)?;
        let mut config = Config::default();
        config.acl = SessionACL::All;
        let session = Session::from_fd(Directory(volume.clone()), OwnedFd::from(device), SessionACL::All, config)
            .and_then(Session::spawn);
        match session {
            Ok(session) => {
                Ok(Mounted { directory: directory.to_owned(), volume: volume.clone(), session: Some(session) })
            }
            Err(error) => {
                let _ = unmount(directory, UnmountFlags::DETACH);
                Err(MountError::Refused(error))
            }
        }
    }

    /// Ends the mount, whoever uses it: what waits for an answer gets an error.
    ///
    /// # Errors
    /// Where it cannot be unmounted.
    pub fn end(mut self) -> io::Result<()> {
        self.unmount()
    }

    fn unmount(&mut self) -> io::Result<()> {
        let Some(session) = self.session.take() else { return Ok(()) };
        // Forced, so that the connection is aborted, and detached, because programs may still have files open.
        let unmounted = unmount(&self.directory, UnmountFlags::FORCE | UnmountFlags::DETACH);
        self.volume.freeze();
        self.volume.release();
        // The session ends with an error, because it was aborted.
        if unmounted.is_ok() {
            let _ = session.join();
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
