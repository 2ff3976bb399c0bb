//! Mounts that only this process and its children see: they end with it, however it ends.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::mount::{MountPropagationFlags, UnmountFlags, mount_change, unmount};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use crate::system_program::system_program;

/// What is mounted has data alone.
const RESTRICTIONS: &str = "nosuid,nodev,noexec";

/// Why there is no mount.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MountError {
    /// The kernel gives this process no mounts of its own.
    #[error("mounting is not allowed here: {0}")]
    NotAllowed(String),
    /// `mount` cannot be started, or refuses.
    #[error("{shown} cannot be mounted: {reason}")]
    Refused {
        /// What was to be mounted.
        shown: String,
        /// What `mount` says.
        reason: String,
    },
}

/// Mounts of its own for the calling thread and those that it starts later: to be called by the first thread, whose mounts
/// `/proc/self` shows.
///
/// # Errors
/// Without the privilege to mount.
pub fn separate_mounts() -> Result<(), MountError> {
    let refused = |error: rustix::io::Errno| MountError::NotAllowed(std::io::Error::from(error).to_string());
    // SAFETY: of what threads share, mounts alone are separated; file descriptors and memory stay shared.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.map_err(refused)?;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(refused)
}

/// A mount; it ends when the value is dropped.
#[derive(Debug)]
pub struct PrivateMount {
    directory: PathBuf,
}

impl PrivateMount {
    /// Mounts the NFS export `source` at `directory` with `options`, by the program `mount` and its helper for NFS. Nothing on it
    /// is run, and no device of it is one here: others write to it.
    ///
    /// # Errors
    /// What `mount` says.
    pub fn nfs(source: &str, options: &str, directory: &Path) -> Result<PrivateMount, MountError> {
        let refused = |reason: String| MountError::Refused { shown: source.to_owned(), reason };
        let options = format!("{options},{RESTRICTIONS}");
        let mut command = Command::new(system_program("mount"));
        command.args(["-t", "nfs", "-o", &options, "--", source]).arg(directory).stdin(Stdio::null());
        let output = command.output().map_err(|error| refused(format!("mount: {error}")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            return Err(refused(lines.join("; ")));
        }
        Ok(PrivateMount { directory: directory.to_owned() })
    }
}

impl Drop for PrivateMount {
    fn drop(&mut self) {
        // A file that is still open keeps the mount alive, but no longer at this place.
        if unmount(&self.directory, UnmountFlags::empty()).is_err() {
            let _ = unmount(&self.directory, UnmountFlags::DETACH);
        }
    }
}
