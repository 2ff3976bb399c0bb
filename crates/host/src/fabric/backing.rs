//! What may be offered: a block device without use, or a file.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::geteuid;

use super::error::FabricError;
use super::target::Backing;
use crate::storage::{Medium, block_device, file_signatures, loop_devices, place};

/// What may be done about something that is in use.
const INSTEAD: &str = "name an unused device, or make a file: truncate -s 1G FILE";

/// The device or file at `path`, following links.
pub(super) fn find(path: &Path) -> Result<Backing, FabricError> {
    let shown = path.display();
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            FabricError::user(format!("{shown} is not there"), INSTEAD)
        }
        _ => FabricError::environment(format!("{shown}: {error}"), INSTEAD),
    };
    let real = path.canonicalize().map_err(refused)?;
    let kind = real.metadata().map_err(refused)?.file_type();
    let is_block_device = std::os::unix::fs::FileTypeExt::is_block_device(&kind);
    if !is_block_device && !kind.is_file() {
        return Err(FabricError::user(format!("{shown} is neither a block device nor a file"), INSTEAD));
    }
    // The kernel reads the path as one line.
    let is_plain = real.to_str().is_some_and(|text| !text.contains(char::is_control) && text == text.trim_end());
    if !is_plain {
        return Err(FabricError::user(
            format!("path {:?} has letters that the kernel does not take", real.to_string_lossy()),
            "give it a plain name",
        ));
    }
    Ok(Backing { path: real, is_block_device })
}

/// Refuses what is in use, or what cannot be written: who connects may write it.
pub(super) fn refuse_use(backing: &Backing) -> Result<(), FabricError> {
    let path = &backing.path;
    let failed = |error: io::Error| {
        let message = match error.to_string() {
            text if text.starts_with(&format!("{}: ", path.display())) => text,
            text => format!("{}: {text}", path.display()),
        };
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied => {
                "run as root, outside of containers: only then is it known whether it is in use"
            }
            _ => INSTEAD,
        };
        FabricError::environment(message, hint)
    };
    let reasons = match block_device(path).map_err(failed)? {
        Some(device) if device.size_bytes.0 == 0 => vec!["has no medium".to_owned()],
        Some(device) if device.read_only => vec!["can only be read".to_owned()],
        Some(device) => device.uses,
        None => file_reasons(path).map_err(failed)?,
    };
    match reasons.is_empty() {
        true => Ok(()),
        false => Err(FabricError::environment(
            format!("{} may not be offered: {}", path.display(), reasons.join("; ")),
            INSTEAD,
        )),
    }
}

/// Why somebody else may put something in the place of the file at `path`, which has no links in it: the kernel opens it by this
/// path later, as root, and would offer what stands there then.
fn replaceable(path: &Path) -> io::Result<Option<String>> {
    let is_trusted = |uid: u32| uid == 0 || uid == geteuid().as_raw();
    let mut below = path;
    for directory in path.ancestors().skip(1) {
        let (found, inner) = (directory.symlink_metadata()?, below.symlink_metadata()?);
        if !is_trusted(found.uid()) {
            let (shown, owner) = (directory.display(), found.uid());
            return Ok(Some(format!("lies below {shown}, which belongs to user {owner}, who may replace it")));
        }
        // In a directory like /tmp only its owner replaces an entry.
        let keeps_entries = found.mode() & 0o1000 != 0 && is_trusted(inner.uid());
        if found.mode() & 0o022 != 0 && !keeps_entries {
            return Ok(Some(format!("lies below {}, where other users may replace it", directory.display())));
        }
        below = directory;
    }
    Ok(None)
}

fn file_reasons(path: &Path) -> io::Result<Vec<String>> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(vec!["is empty".to_owned()]);
    }
    // Older kernels cannot open it, and it would be no storage.
    if place(path)?.medium == Medium::Memory {
        return Ok(vec!["lies in memory".to_owned()]);
    }
    if let Some(reason) = replaceable(path)? {
        return Ok(vec![reason]);
    }
    let mut reasons: Vec<String> = loop_devices(path).into_iter().map(|name| format!("held by {name}")).collect();
    reasons.extend(file_signatures(&file)?);
    Ok(reasons)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown};

    use super::*;

    #[test]
    fn a_file_that_others_may_replace_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().canonicalize().unwrap().join("inner");
        fs::create_dir(&inner).unwrap();
        let path = inner.join("disk.img");
        fs::write(&path, "x").unwrap();
        let with_mode = |mode: u32| {
            fs::set_permissions(&inner, PermissionsExt::from_mode(mode)).unwrap();
            replaceable(&path).unwrap()
        };
        assert_eq!((with_mode(0o755), with_mode(0o1777)), (None, None));
        assert!(with_mode(0o777).is_some_and(|reason| reason.contains("other users may replace it")));
        assert!(with_mode(0o775).is_some());
        if geteuid().is_root() {
            assert_eq!(with_mode(0o755), None);
            chown(&inner, Some(65_534), None).unwrap();
            assert!(replaceable(&path).unwrap().is_some_and(|reason| reason.contains("belongs to user 65534")));
            chown(&inner, Some(0), None).unwrap();
            chown(&path, Some(65_534), None).unwrap();
            assert!(with_mode(0o1777).is_some(), "its owner may remove it there");
        }
    }
}
