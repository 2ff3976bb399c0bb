//! The state of a block device to be measured, and why it must not be written.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use base::root::Root;
use record::Bytes;
use rustix::ioctl::{Getter, Opcode, ioctl, opcode};

use super::device_use;
use super::signature::{EDGE_BYTES, signatures};
use crate::stack;

/// The current state of a block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDeviceState {
    /// Size. Zero without a medium (a loop device without a file).
    pub size_bytes: Bytes,
    /// Whether the kernel refuses writes.
    pub read_only: bool,
    /// Every reason why it must not be written (`mounted at /data (its partition sda1)`); empty for a device without
    /// known use. Contents and open descriptors are those at the time of the call.
    pub uses: Vec<String>,
}

/// The block device at `path`, following links; none if it is something else. Opens it read-only and reads its first
/// and last MiB.
///
/// # Errors
///
/// Those of the operating system, with the path.
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
        || vec!["not visible in sysfs: its uses cannot be determined".to_owned()],
        |name| device_use::uses(root, name),
    );
    uses.extend(exclusive(path)?);
    uses.extend(contents(&file, size_bytes)?);
    Ok(BlockDeviceState { size_bytes: Bytes(size_bytes), read_only: is_read_only(&file)?, uses })
}

fn open(path: &Path, exclusively: bool) -> io::Result<File> {
    // Does not wait for a medium.
    let flags = libc::O_NONBLOCK | if exclusively { libc::O_EXCL } else { 0 };
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Size in bytes, by `BLKGETSIZE64`.
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

/// Whether it is opened exclusively, as by mounts and volumes, including those not visible here.
fn exclusive(path: &Path) -> io::Result<Option<String>> {
    match open(path, true) {
        Ok(_) => Ok(None),
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
            Ok(Some("held exclusively by a mount, a volume or a program".to_owned()))
        }
        Err(error) => Err(error),
    }
}

/// Signatures in its first and last bytes.
fn contents(file: &File, size_bytes: u64) -> io::Result<Vec<String>> {
    let edge = EDGE_BYTES.min(usize::try_from(size_bytes).unwrap_or(EDGE_BYTES));
    let (mut first, mut last) = (vec![0; edge], vec![0; edge]);
    file.read_exact_at(&mut first, 0)?;
    file.read_exact_at(&mut last, size_bytes - edge as u64)?;
    Ok(signatures(&first, &last, size_bytes).into_iter().map(|name| format!("has the signature of {name}")).collect())
}

/// The same of a file: one that would be found on a device with its content.
pub(crate) fn file_signatures(file: &File) -> io::Result<Vec<String>> {
    contents(file, file.metadata()?.len())
}

#[cfg(test)]
mod tests;
