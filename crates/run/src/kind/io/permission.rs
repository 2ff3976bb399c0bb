//! What is not dbdyno's own: which of it may be read, and which of it may be destroyed.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use record::{Bytes, Layout};

use super::file_set::FileSetEntry;
use crate::{Error, Result};

/// What the user allowed beyond files of dbdyno's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permission {
    /// Devices and files that are there already and may be read.
    pub devices: Vec<PathBuf>,
    /// Those of them that may be written, whatever is on them.
    pub destroy: Vec<PathBuf>,
}

/// Whether a name in a job is that of something that is not dbdyno's own: a device, or a file that is there already.
pub fn is_foreign(path: &Path) -> bool {
    path.is_absolute() && (path.exists() || path.starts_with("/dev"))
}

/// Which file or device it is, whatever its name.
pub(crate) fn identity(metadata: &std::fs::Metadata) -> (u64, u64, u64) {
    (metadata.dev(), metadata.ino(), metadata.rdev())
}

/// A device, or a file that is there.
pub(crate) fn foreign(path: &Path, permission: &Permission) -> Result<FileSetEntry> {
    let shown = path.display();
    if !permission.devices.iter().any(|named| named == path) {
        return Err(Error::user(format!("{shown} is not a file of dbdyno's own"))
            .hint(format!("allow it to be read by --device {shown}, or give another filename")));
    }
    let refused = |error: std::io::Error| {
        Error::environment(format!("{shown} cannot be opened: {error}")).hint("name a device or a file that is there")
    };
    let (size, is_device) = match host::block_device(path).map_err(refused)? {
        Some(device) => (device.size_bytes, true),
        None => {
            let metadata = path.metadata().map_err(refused)?;
            if !metadata.is_file() {
                return Err(Error::user(format!("{shown} is neither a block device nor a file"))
                    .hint("name a block device such as /dev/nvme1n1, or a file"));
            }
            (Bytes(metadata.len()), false)
        }
    };
    if size.0 == 0 {
        return Err(Error::user(format!("{shown} is empty")).hint("name a device or a file with something in it"));
    }
    Ok(FileSetEntry {
        path: path.to_owned(),
        size,
        found: true,
        is_device,
        writable: false,
        identity: path.metadata().ok().as_ref().map(identity),
        layout: Layout::Written,
        unit: None,
        made: true,
    })
}

/// Whether a device may be overwritten.
pub(crate) fn may_be_written(path: &Path, permission: &Permission) -> Result<()> {
    let shown = path.display();
    let device = host::block_device(path).ok().flatten();
    if device.as_ref().is_some_and(|device| device.read_only) {
        return Err(Error::environment(format!("{shown} is read-only")).hint("measure reads, or give another device"));
    }
    let mut uses = device.map(|device| device.uses).unwrap_or_default();
    uses.extend(host::loop_devices(path).into_iter().map(|name| format!("what lies behind {name}")));
    if !uses.is_empty() {
        return Err(Error::environment(format!("{shown} is in use: {}", uses.join("; ")))
            .hint("dbdyno writes only to a device that nobody uses; give a --dir on it instead"));
    }
    match permission.destroy.iter().any(|named| named == path) {
        true => Ok(()),
        false => Err(Error::user(format!("the job writes to {shown} and would destroy what is on it"))
            .hint(format!("if that is what you want: --destroy-data {shown}"))),
    }
}
