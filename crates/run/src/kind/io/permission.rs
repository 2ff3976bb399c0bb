//! Devices and files that dbdyno did not create: which may be read, and which overwritten.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// What the user permits beyond files of dbdyno's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permission {
    /// Existing devices and files that may be read.
    pub devices: Vec<PathBuf>,
    /// Those of them that may be overwritten.
    pub destroy: Vec<PathBuf>,
}

/// Whether a name in a job is that of a device, or of an existing file.
pub fn is_foreign(path: &Path) -> bool {
    path.is_absolute() && (path.exists() || path.starts_with("/dev"))
}

/// A device or file that does not exist.
pub fn not_found(path: &Path, error: &std::io::Error) -> Error {
    Error::user(format!("device {} cannot be found: {error}", path.display()))
        .hint("give a block device such as /dev/nvme1n1, or an existing file")
}

/// The identity of a file or device, whatever its name.
pub(crate) fn identity(metadata: &std::fs::Metadata) -> (u64, u64, u64) {
    (metadata.dev(), metadata.ino(), metadata.rdev())
}

/// Checks whether a device or file may be overwritten.
pub(crate) fn check_writable(path: &Path, permission: &Permission) -> Result<()> {
    let shown = path.display();
    // What cannot be inspected is not known to be unused.
    let device = host::block_device(path).map_err(|error| {
        Error::environment(format!("{shown} cannot be inspected: {error}"))
            .hint("measure reads, or give another device")
    })?;
    if device.as_ref().is_some_and(|device| device.read_only) {
        return Err(Error::environment(format!("{shown} is read-only")).hint("measure reads, or give another device"));
    }
    let mut uses = device.map(|device| device.uses).unwrap_or_default();
    uses.extend(host::loop_devices(path).into_iter().map(|name| format!("the backing file of {name}")));
    if !uses.is_empty() {
        return Err(Error::environment(format!("{shown} is in use: {}", uses.join("; ")))
            .hint("dbdyno writes only to unused devices; give a --dir on it instead"));
    }
    match permission.destroy.iter().any(|named| named == path) {
        true => Ok(()),
        false => Err(Error::user(format!("the job writes to {shown} and would destroy its data"))
            .hint(format!("to permit that, give --destroy-data {shown}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_inspected_is_not_written_to() {
        let path = Path::new("/dev/there-is-no-such-device");
        let permission = Permission { devices: vec![path.to_owned()], destroy: vec![path.to_owned()] };
        let error = check_writable(path, &permission).unwrap_err();
        assert!(error.message.contains("/dev/there-is-no-such-device cannot be inspected"), "{error}");
    }
}
