//! The witness of a crash in a file outside of what the fault reaches.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crash::SharedVolume;
use measure::clock;
use model::durability::{
    Witness, WitnessDamage, WitnessKind, WitnessObject, WitnessRecord, WitnessWriter, read_witness,
};

use crate::{Error, Result};

/// A witness that several clients append to.
pub(super) struct WitnessFile {
    path: PathBuf,
    appended: Mutex<(File, WitnessWriter, u64)>,
    volume: Option<SharedVolume>,
}

impl WitnessFile {
    /// A new one at `path`, with `text` in its header; `volume` is what the engine writes to, where that is known.
    pub(super) fn create(path: &Path, text: &str, volume: Option<SharedVolume>) -> Result<WitnessFile> {
        let (writer, header) = WitnessWriter::new(text);
        let made = File::create(path).and_then(|mut file| file.write_all(&header).map(|()| file));
        let file = made.map_err(|error| refused(path, &error))?;
        Ok(WitnessFile { path: path.to_owned(), appended: Mutex::new((file, writer, 0)), volume })
    }

    /// Appends a record, one write each: what another process has not seen was not said.
    pub(super) fn say(&self, kind: WitnessKind, object: WitnessObject, client: u32, number: u64) -> Result<()> {
        let device_seq = self.volume.as_ref().map_or(0, |volume| volume.lock().seq());
        let mut appended = self.appended.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, writer, count) = &mut *appended;
        let mono_ns = clock::now().0;
        let bytes = writer.record(&WitnessRecord { kind, object, client, number, device_seq, mono_ns });
        *count += 1;
        file.write_all(&bytes).map_err(|error| refused(&self.path, &error))
    }

    /// Ends it, reads it from the file, and removes that.
    pub(super) fn read(self) -> Result<Witness> {
        let count = self.appended.lock().unwrap_or_else(PoisonError::into_inner).2;
        self.say(WitnessKind::End, WitnessObject::Row, 0, count)?;
        let bytes = std::fs::read(&self.path).map_err(|error| refused(&self.path, &error))?;
        let witness = read_witness(&bytes).map_err(|damage| {
            let what = match damage {
                WitnessDamage::Header => "its header is damaged".to_owned(),
                WitnessDamage::Record { index } => format!("its record {index} is not the one that was written"),
                WitnessDamage::Incomplete { index } => format!("its record {index} is incomplete"),
                WitnessDamage::NoEnd => "it ends too early".to_owned(),
                WitnessDamage::BeyondEnd => "there is more after its end".to_owned(),
            };
            Error::environment(format!("the witness {} cannot be believed: {what}", self.path.display()))
                .hint("nothing else may write to the measured directory; give another --dir")
        })?;
        std::fs::remove_file(&self.path).map_err(|error| refused(&self.path, &error))?;
        Ok(witness)
    }
}

fn refused(path: &Path, error: &std::io::Error) -> Error {
    Error::environment(format!("the witness {} cannot be kept: {error}", path.display()))
        .hint("free some space, or give another --dir")
}
