//! The log of every I/O of a run, in a format for other programs.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use probe::storage::Ledger;
use record::{IoKind, Nanos, Run};

use crate::{Error, Result};

/// The most I/Os of a log, of all lanes of a run together: they are held in memory until the run ends.
const MARKS_MAX: usize = 4_000_000;

/// A log: comma-separated, one line per I/O, times in nanoseconds since the start of the invocation.
#[derive(Debug)]
pub(crate) struct Log {
    file: Mutex<BufWriter<File>>,
    shown: String,
}

impl Log {
    /// Creates the file, which must not exist.
    pub(crate) fn create(path: &Path) -> Result<Log> {
        let shown = path.display().to_string();
        let refused = |error: std::io::Error| {
            Error::environment(format!("log {shown} cannot be created: {error}")).hint("give another --log")
        };
        let file = File::create_new(path).map_err(refused)?;
        let mut file = BufWriter::new(file);
        writeln!(file, "run,job,kind,due_ns,start_ns,end_ns,offset_bytes,size_bytes,lane,failed").map_err(refused)?;
        Ok(Log { file: Mutex::new(file), shown })
    }

    /// Capacity for each of `lanes` lanes.
    pub(crate) fn room(lanes: u32) -> usize {
        MARKS_MAX / (lanes.max(1) as usize)
    }

    /// Writes the I/Os of `run`; returns how many exceeded the capacity.
    pub(crate) fn write(&self, run: &Run, ledger: &Ledger, origin: Nanos) -> Result<u64> {
        let streams = run.storage.as_deref().map(|storage| storage.streams.as_slice()).unwrap_or_default();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missed = 0;
        for (lane, page) in ledger.pages().iter() {
            missed += page.log_missed;
            for mark in &page.log {
                let Some(stream) = streams.get(mark.stream as usize) else { continue };
                let [intended, start, end] = [mark.due_ns, mark.start_ns, mark.end_ns].map(|at| (at - origin).0);
                let (job, kind) = (stream.job.replace(',', " "), word(stream.kind));
                let line = writeln!(
                    file,
                    "{},{job},{kind},{intended},{start},{end},{},{},{lane},{}",
                    run.number,
                    mark.offset,
                    mark.size_bytes.0,
                    u8::from(mark.failed)
                );
                line.map_err(|error| Error::environment(format!("log {} cannot be written: {error}", self.shown)))?;
            }
        }
        file.flush().map_err(|error| Error::environment(format!("log {} cannot be written: {error}", self.shown)))?;
        Ok(missed)
    }
}

fn word(kind: IoKind) -> &'static str {
    match kind {
        IoKind::Read => "read",
        IoKind::Write => "write",
        IoKind::Trim => "trim",
        IoKind::Sync => "sync",
        IoKind::Commit => "commit",
    }
}
