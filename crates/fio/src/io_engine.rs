//! The I/O engines of fio, and those that carry out their jobs.

use record::IoMode;

use crate::error::{Error, Result};

/// Engines of fio in whose place io_uring is used.
pub(crate) const AS_RING: &[&str] = &["libaio", "aio", "linuxaio", "posixaio"];

/// The mode of the engine `name`.
pub(crate) fn mode_of(name: &str) -> Result<IoMode> {
    match name {
        "io_uring" => Ok(IoMode::Ring),
        name if AS_RING.contains(&name) => Ok(IoMode::Ring),
        "sync" | "psync" | "vsync" | "pvsync" | "pvsync2" => Ok(IoMode::Synchronous),
        "null" => Ok(IoMode::Null),
        _ => {
            let known = "io_uring libaio posixaio sync psync vsync pvsync pvsync2 null";
            Err(Error::new(format!("{name} is not a supported I/O engine")).hint(format!("one of {known}")))
        }
    }
}
