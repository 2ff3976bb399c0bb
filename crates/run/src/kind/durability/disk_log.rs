//! The log of a disk that lost its power, in a file that other programs replay.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crash::SharedVolume;
use record::CrashRung;

use crate::{Error, Result};

/// Refuses a rung without a disk, and a file that is there already.
pub(super) fn check(path: &Path, rung: CrashRung) -> Result<()> {
    if rung != CrashRung::D2 {
        return Err(Error::user(format!("rung {} has no disk whose log could be written", rung.word()))
            .hint("give --rung D2, or leave --log-writes out"));
    }
    match path.exists() {
        true => Err(Error::user(format!("{} is there already", path.display())).hint("give another --log-writes")),
        false => Ok(()),
    }
}

/// Writes all that `volume`, a disk without power, was told, to a new file.
pub(super) fn write(path: &Path, volume: &SharedVolume) -> Result<()> {
    let written = File::create_new(path).and_then(|file| {
        let mut to = BufWriter::new(file);
        volume.lock().export_log_writes(&mut to)?;
        to.flush()
    });
    written.map_err(|error| {
        Error::environment(format!("the log of the disk cannot be written to {}: {error}", path.display()))
            .hint("free some space, or give another --log-writes")
    })
}
