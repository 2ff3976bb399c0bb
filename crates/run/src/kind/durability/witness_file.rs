//! The witness of a crash in a file outside of what the fault reaches.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crash::SharedVolume;
use measure::clock;
use model::durability::{
    Witness, WitnessDamage, WitnessKind, WitnessObject, WitnessParts, WitnessRecord, WitnessWriter, read_witness,
    read_witness_parts,
};
use rustix::fs::FlockOperation;
use rustix::io::Errno;

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

    /// The one at `path`, to be gone on with, and what it says; a new one with `text` in its header, where there is none. No other
    /// process has it meanwhile.
    pub(super) fn go_on(path: &Path, text: &str) -> Result<(WitnessFile, WitnessParts)> {
        let opened = File::options().read(true).append(true).create(true).open(path);
        let mut file = opened.map_err(|error| refused(path, &error))?;
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|error| match error {
            Errno::WOULDBLOCK => {
                Error::environment(format!("the witness {} is in use by another dbdyno", path.display()))
                    .hint("wait until it has exited")
            }
            error => refused(path, &error.into()),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| refused(path, &error))?;
        let (parts, writer) = match bytes.is_empty() {
            true => {
                let (writer, header) = WitnessWriter::new(text);
                file.write_all(&header).map_err(|error| refused(path, &error))?;
                (WitnessParts { text: text.to_owned(), parts: Vec::new() }, writer)
            }
            false => read_witness_parts(&bytes).map_err(|damage| {
                not_believed(path, damage)
                    .hint("what was acknowledged is not known any more; begin anew with another --witness")
            })?,
        };
        Ok((WitnessFile { path: path.to_owned(), appended: Mutex::new((file, writer, 0)), volume: None }, parts))
    }

    /// Appends a record, one write each: what another process has not seen was not said.
    pub(super) fn say(&self, kind: WitnessKind, object: WitnessObject, client: u32, number: u64) -> Result<()> {
        let device_seq = self.volume.as_ref().map_or(0, |volume| volume.lock().seq());
        self.append(|mono_ns| WitnessRecord { kind, object, client, number, device_seq, mono_ns })
    }

    /// Appends the record that `record` makes of the monotonic clock.
    pub(super) fn append(&self, record: impl FnOnce(u64) -> WitnessRecord) -> Result<()> {
        let mut appended = self.appended.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, writer, count) = &mut *appended;
        let bytes = writer.record(&record(clock::now().0));
        *count += 1;
        file.write_all(&bytes).map_err(|error| refused(&self.path, &error))
    }

    /// Ends a part of it, which is on stable storage then.
    pub(super) fn end_part(&self) -> Result<()> {
        let count = std::mem::take(&mut self.appended.lock().unwrap_or_else(PoisonError::into_inner).2);
        self.say(WitnessKind::End, WitnessObject::Row, 0, count)?;
        let appended = self.appended.lock().unwrap_or_else(PoisonError::into_inner);
        appended.0.sync_all().map_err(|error| refused(&self.path, &error))
    }

    /// Ends it, reads it from the file, and removes that.
    pub(super) fn read(self) -> Result<Witness> {
        let count = self.appended.lock().unwrap_or_else(PoisonError::into_inner).2;
        self.say(WitnessKind::End, WitnessObject::Row, 0, count)?;
        let bytes = std::fs::read(&self.path).map_err(|error| refused(&self.path, &error))?;
        let witness = read_witness(&bytes).map_err(|damage| {
            not_believed(&self.path, damage)
                .hint("nothing else may write to the measured directory; give another --dir")
        })?;
        std::fs::remove_file(&self.path).map_err(|error| refused(&self.path, &error))?;
        Ok(witness)
    }
}

fn not_believed(path: &Path, damage: WitnessDamage) -> Error {
    let what = match damage {
        WitnessDamage::Header => "its header is damaged".to_owned(),
        WitnessDamage::Record { index } => format!("its record {index} is not the one that was written"),
        WitnessDamage::Incomplete { index } => format!("its record {index} is incomplete"),
        WitnessDamage::NoEnd => "it ends too early".to_owned(),
        WitnessDamage::BeyondEnd => "there is more after its end".to_owned(),
    };
    Error::environment(format!("the witness {} cannot be believed: {what}", path.display()))
}

fn refused(path: &Path, error: &std::io::Error) -> Error {
    Error::environment(format!("the witness {} cannot be kept: {error}", path.display()))
        .hint("free some space, or give another place for it")
}
