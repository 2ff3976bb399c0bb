//! A disk that loses what was not flushed, below a real file system: a volume with one file, mounted at a directory, a loop
//! device over that file, and a file system on the device, mounted over the same directory.
//!
//! The volume is the cache of the disk: what the file system writes is a write of the file, and its flush is a sync of it. So
//! the file system decides what it flushes and when, and recovers by itself from what is left.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::mm::{MlockAllFlags, mlockall};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::change::Change;
use crate::file_system::FileSystem;
use crate::image::{Image, ROOT};
use crate::loop_device::{LoopDevice, has_loop_devices};
use crate::mounted::{MountError, Mounted, can_mount};
use crate::volume::{SharedVolume, Syncs, Volume};

/// The file of the volume.
const DISK: &str = "disk";

/// How long programs that were killed may keep a file system busy.
const BUSY_MAX: Duration = Duration::from_secs(10);

/// Whether a disk can be mounted on this host by this process.
///
/// # Errors
/// Why not.
pub fn can_mount_disk(file_system: FileSystem) -> Result<(), MountError> {
    can_mount()?;
    has_loop_devices().map_err(MountError::NoLoop)?;
    file_system.is_here().map_err(|missing| MountError::Refused(io::Error::other(missing)))
}

/// A volume with a disk of `size_bytes` on which `file_system` was made. It is mounted at `directory` meanwhile.
///
/// # Errors
/// Where it cannot be mounted or made.
pub fn formatted(file_system: FileSystem, size_bytes: u64, directory: &Path) -> Result<Image, MountError> {
    let mut image = Image::empty();
    let object = image.fresh();
    image.apply(&Change::CreateFile { parent: ROOT, name: DISK.into(), object });
    image.apply(&Change::Truncate { object, size: size_bytes });
    let volume = SharedVolume::new(Volume::new(image, Syncs::Honest));
    let mounted = Mounted::at(directory, &volume)?;
    file_system.make(&directory.join(DISK)).map_err(MountError::Refused)?;
    mounted.end().map_err(MountError::Refused)?;
    let image = volume.lock().live().clone();
    Ok(image)
}

/// A file system on a disk that is mounted; the mount ends when the value is dropped.
#[derive(Debug)]
pub struct MountedDisk {
    directory: PathBuf,
    file_system: FileSystem,
    /// The directory of the file system, to shut it down; none once it was unmounted.
    root: Option<File>,
    /// The file, below the file system.
    mounted: Option<Mounted>,
    volume: SharedVolume,
}

impl MountedDisk {
    /// Mounts the file system of `volume`, one of [`formatted`], at `directory`, without programs and devices on it.
    ///
    /// # Errors
    /// Without the privilege to mount, where FUSE or loop devices are not there, and where the file system refuses what is left of
    /// it.
    pub fn at(directory: &Path, volume: &SharedVolume, file_system: FileSystem) -> Result<MountedDisk, MountError> {
        // What serves the disk may not wait for memory that the file system on it has to write first.
        let _ = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT);
        let mounted = Mounted::at(directory, volume)?;
        let device = LoopDevice::over(&directory.join(DISK)).map_err(MountError::NoLoop)?;
        // Programs may be started from it: servers have scripts beside their data.
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        let options = std::ffi::CString::new(file_system.mount_options()).unwrap_or_default();
        mount(device.path(), directory, file_system.name(), flags, options.as_c_str())
            .map_err(|error| MountError::Unreadable { file_system: file_system.name(), error: error.into() })?;
        let root = match File::open(directory) {
            Ok(root) => root,
            Err(error) => {
                let _ = unmount(directory, UnmountFlags::DETACH);
                return Err(MountError::Refused(error));
            }
        };
        let (directory, volume) = (directory.to_owned(), volume.clone());
        Ok(MountedDisk { directory, file_system, root: Some(root), mounted: Some(mounted), volume })
    }

    /// Writes the files of `image` to it, as the only ones.
    ///
    /// # Errors
    /// Where one cannot be written.
    pub fn fill(&self, image: &Image) -> io::Result<()> {
        // What ext4 keeps for its check is no data of a program.
        match fs::remove_dir(self.directory.join("lost+found")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => image.write_all(&self.directory),
        }
    }

    /// Unmounts it as a user does: all that was written is on the disk.
    ///
    /// # Errors
    /// Where a program still uses it.
    pub fn finish(mut self) -> io::Result<()> {
        self.root = None;
        unmount(&self.directory, UnmountFlags::empty())?;
        self.mounted.take().map_or(Ok(()), Mounted::end)
    }

    /// Ends it without power: nothing more is written to the disk.
    ///
    /// # Errors
    /// Where it cannot be unmounted.
    pub fn end(mut self) -> io::Result<()> {
        self.cut()
    }

    fn cut(&mut self) -> io::Result<()> {
        self.volume.freeze();
        self.volume.release();
        if let Some(root) = self.root.take() {
            // A file system that cannot be shut down, or is already, ends by the errors of its disk.
            let _ = self.file_system.shut_down(&root);
            drop(root);
            unmount_soon(&self.directory)?;
        }
        self.mounted.take().map_or(Ok(()), Mounted::end)
    }
}

impl Drop for MountedDisk {
    fn drop(&mut self) {
        // An error cannot be returned here; mounts and devices end with the process in any case.
        let _ = self.cut();
    }
}

/// Unmounts `directory` once programs that were killed have left it; if that takes too long, for all that look it up from now on.
fn unmount_soon(directory: &Path) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match unmount(directory, UnmountFlags::empty()) {
            Err(Errno::BUSY) if start.elapsed() < BUSY_MAX => thread::sleep(Duration::from_millis(2)),
            Err(Errno::BUSY) => return Ok(unmount(directory, UnmountFlags::DETACH)?),
            other => return Ok(other?),
        }
    }
}

#[cfg(test)]
mod tests;
