//! A block device that was named to be measured: what it is, and why it must not be written.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use base::root::Root;
use record::Bytes;
use rustix::ioctl::{Getter, Opcode, ioctl, opcode};

use super::claim;
use super::signature::{EDGE_BYTES, signatures};
use crate::stack;

/// A block device as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDeviceState {
    /// Size. Zero for one without a medium (a loop device without a file).
    pub size_bytes: Bytes,
    /// Whether the kernel refuses writes.
    pub read_only: bool,
    /// Every reason why it must not be written, in words (`mounted at /data (its partition sda1)`); empty for a device
    /// that nobody is known to use. What lies on it, and who has it open, is asked at the moment of the call.
    pub uses: Vec<String>,
}

/// The block device that `path` is or leads to; none where it is something else. Reads the first and last MiB of it,
/// and opens it for reading only.
///
/// # Errors
///
/// Those of the operating system, with the path: that it is absent, or that it may not be opened, among them.
pub fn block_device(path: &Path) -> io::Result<Option<BlockDeviceState>> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let metadata = path.metadata().map_err(named)?;
    if !metadata.file_type().is_block_device() {
        return Ok(None);
    }
    let number = (rustix::fs::major(metadata.rdev()), rustix::fs::minor(metadata.rdev()));
    state(&Root::host(), &path.canonicalize().map_err(named)?, number).map(Some).map_err(named)
}

fn state(root: &Root, path: &Path, number: (u32, u32)) -> io::Result<BlockDeviceState> {
    let file = open(path, false)?;
    let size_bytes = size_bytes(&file)?;
    let directory = stack::by_number(root, number);
    let known = directory.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let mut uses = known.as_deref().map_or_else(
        // Without sysfs nobody can be asked.
        || vec!["not in sight of the kernel's list of devices: who uses it cannot be found out".to_owned()],
        |name| claim::uses(root, name),
    );
    uses.extend(exclusive(path)?);
    uses.extend(contents(&file, size_bytes)?);
    Ok(BlockDeviceState { size_bytes: Bytes(size_bytes), read_only: is_read_only(&file)?, uses })
}

fn open(path: &Path, exclusively: bool) -> io::Result<File> {
    // Without waiting for a medium.
    let flags = libc::O_NONBLOCK | if exclusively { libc::O_EXCL } else { 0 };
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Its size in bytes, by `BLKGETSIZE64`.
fn size_bytes(file: &File) -> io::Result<u64> {
    const BLKGETSIZE64: Opcode = opcode::read::<usize>(0x12, 114);
    // SAFETY: the kernel writes one number of 64 bits.
    Ok(unsafe { ioctl(file, Getter::<BLKGETSIZE64, u64>::new()) }?)
}

/// Whether the kernel refuses writes, by `BLKROGET`.
fn is_read_only(file: &File) -> io::Result<bool> {
    const BLKROGET: Opcode = opcode::none(0x12, 94);
    // SAFETY: the kernel writes one `int`.
    Ok(unsafe { ioctl(file, Getter::<BLKROGET, i32>::new()) }? != 0)
}

/// Whether somebody holds it for himself, as mounts and volumes do, those out of sight included.
fn exclusive(path: &Path) -> io::Result<Option<String>> {
    match open(path, true) {
        Ok(_) => Ok(None),
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
            Ok(Some("held exclusively by a mount, a volume or a program".to_owned()))
        }
        Err(error) => Err(error),
    }
}

/// What its first and last bytes say that it holds.
fn contents(file: &File, size_bytes: u64) -> io::Result<Vec<String>> {
    let edge = EDGE_BYTES.min(usize::try_from(size_bytes).unwrap_or(EDGE_BYTES));
    let (mut first, mut last) = (vec![0; edge], vec![0; edge]);
    file.read_exact_at(&mut first, 0)?;
    file.read_exact_at(&mut last, size_bytes - edge as u64)?;
    Ok(signatures(&first, &last, size_bytes).into_iter().map(|name| format!("bears the signature of {name}")).collect())
}

#[cfg(test)]
mod tests;
