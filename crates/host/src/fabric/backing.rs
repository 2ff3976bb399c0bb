//! What may be offered: a block device without use, or a file.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

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

fn file_reasons(path: &Path) -> io::Result<Vec<String>> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(vec!["is empty".to_owned()]);
    }
    // Older kernels cannot open it, and it would be no storage.
    if place(path)?.medium == Medium::Memory {
        return Ok(vec!["lies in memory".to_owned()]);
    }
    let mut reasons: Vec<String> = loop_devices(path).into_iter().map(|name| format!("held by {name}")).collect();
    reasons.extend(file_signatures(&file)?);
    Ok(reasons)
}
