//! The request, parsed.

use std::path::{Path, PathBuf};

use flat::{Compression, Header, Layout};
use record::{Bytes, IndexTime, LoadForm, LoadModel, LoadPart, LoadSource};
use workload::load::{Input, InputFile, LoadTable};

use crate::{Error, Result, Setup};

/// The largest default batch: large enough for the full rate of an engine.
const BATCH_MAX: Bytes = Bytes(8 << 20);
/// The smallest default batch.
const BATCH_MIN: Bytes = Bytes(64 << 10);
/// The least number of batches of a small source, so that each session has some. More of them would be too small for
/// the full rate, especially of a compressed source, whose size is less than half of that of its lines.
const BATCHES_MIN: u64 = 16;

/// A load, or several of the same source.
#[derive(Clone, Debug)]
pub struct LoadRequest {
    /// What every kind of run is asked for.
    pub setup: Setup,
    /// The source of the lines.
    pub input: Input,
    /// The layout of the lines.
    pub layout: Layout,
    /// What [`Layout::of`] makes it of.
    pub layout_source: String,
    /// Compression of the source; absent to detect it from the first bytes.
    pub compression: Option<Compression>,
    /// The name of the table.
    pub table: String,
    /// How the table is stored: a run for each.
    pub models: Vec<LoadModel>,
    /// How rows reach the engine: a run for each.
    pub forms: Vec<LoadForm>,
    /// Numbers of loading sessions, each at least 1: a run for each; absent for a default of source and machine.
    pub degrees: Option<Vec<u32>>,
    /// Size of a batch, in bytes of flat file; absent for a default of the source.
    pub batch: Option<Bytes>,
    /// Ends of the ranges of dates of a partitioned table, exclusive and ascending, in days since 1970-01-01.
    pub months: Vec<i32>,
    /// When indexes are created.
    pub indexes: IndexTime,
    /// Lines that may be rejected in each run.
    pub max_errors: u64,
    /// Path of the rejected lines of the first run.
    pub rejects: PathBuf,
    /// Whether an aborted load is resumed.
    pub resume: bool,
    /// The scans of each table after its last load; absent for none.
    pub scans: Option<ScanRequest>,
}

/// The scans of a loaded table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRequest {
    /// Threads inside a statement, each number at least 1: a run for each; absent for 1, 2, 4, ... up to twice the
    /// processors.
    pub degrees: Option<Vec<u32>>,
    /// Whether the device is probed first, if runs are long enough.
    pub probes: bool,
}

impl LoadRequest {
    /// What agents are asked for in the load of `table` in `form`, in batches of `batch`.
    pub(super) fn part(&self, table: &LoadTable, form: LoadForm, batch: Bytes) -> Result<LoadPart> {
        let source = match &self.input {
            Input::Generated { seed, rows } => LoadSource::Generated { seed: *seed, rows: *rows },
            Input::Files(files) => {
                LoadSource::Files(files.iter().map(|file| file.path().display().to_string()).collect())
            }
            Input::Pipe => {
                return Err(Error::user("a pipe cannot be read by a fleet").hint("give files, or leave them out"));
            }
        };
        Ok(LoadPart {
            source,
            layout: self.layout_source.clone(),
            header_unread: self.layout.header == Header::Unread,
            compression: self.compression.map(|compression| compression.name().to_owned()),
            table: table.name().to_owned(),
            model: table.model(),
            partition_ends: self.months.clone(),
            form,
            batch_bytes: batch,
            rejected_rows_max: self.max_errors,
        })
    }

    /// What an agent is asked for.
    pub(super) fn of_agent(setup: Setup, part: &LoadPart) -> Result<LoadRequest> {
        let file = |path: &String| {
            InputFile::inspect(Path::new(path)).map_err(|error| {
                Error::environment(format!("{path} cannot be read: {error}")).hint("it must be the same on all hosts")
            })
        };
        let input = match &part.source {
            LoadSource::Generated { seed, rows } => Input::Generated { seed: *seed, rows: *rows },
            LoadSource::Files(paths) => Input::Files(paths.iter().map(file).collect::<Result<_>>()?),
        };
        let mut layout = Layout::of(&part.layout).map_err(|error| Error::user(error.to_string()))?;
        if part.header_unread {
            layout.header = Header::Unread;
        }
        Ok(LoadRequest {
            setup,
            input,
            layout,
            layout_source: part.layout.clone(),
            compression: part.compression.as_deref().and_then(Compression::of_name),
            table: part.table.clone(),
            models: vec![part.model],
            forms: vec![part.form],
            degrees: None,
            batch: Some(part.batch_bytes),
            months: part.partition_ends.clone(),
            indexes: IndexTime::None,
            max_errors: part.rejected_rows_max,
            rejects: PathBuf::new(),
            resume: true,
            scans: None,
        })
    }

    /// Size of a batch: it depends only on the source, so that a resumed load has the same boundaries.
    pub(super) fn batch(&self) -> Bytes {
        let suits = |Bytes(size): Bytes| Bytes((size / BATCHES_MIN).clamp(BATCH_MIN.0, BATCH_MAX.0));
        self.batch.unwrap_or_else(|| self.input.size().map_or(BATCH_MAX, suits))
    }

    /// Degrees of parallelism: for generated rows 1, 2, 4, ... up to the processors; for files, which are loaded once,
    /// the number of processors.
    pub(super) fn degrees(&self, processors: u32) -> Vec<u32> {
        let usual = || match self.input {
            Input::Generated { .. } => {
                let powers = (0..32).map(|power| 1_u32 << power).take_while(|degree| *degree < processors);
                powers.chain([processors.max(1)]).collect()
            }
            _ => vec![processors.max(1)],
        };
        self.degrees.clone().unwrap_or_else(usual)
    }

    /// Seed of generated rows; 0 for an existing source.
    pub(super) fn seed(&self) -> u64 {
        match self.input {
            Input::Generated { seed, .. } => seed,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::request;
    use super::*;

    #[test]
    fn a_small_source_has_small_batches_and_a_pipe_large_ones() {
        let batch = |input| request(input).batch();
        let rows = |rows| Input::Generated { seed: 1, rows };
        assert_eq!((batch(Input::Pipe), batch(rows(1 << 40)), batch(rows(10))), (BATCH_MAX, BATCH_MAX, BATCH_MIN));
        let given = LoadRequest { batch: Some(Bytes(123_456)), ..request(Input::Pipe) };
        assert_eq!(given.batch(), Bytes(123_456));
    }

    #[test]
    fn generated_rows_are_loaded_repeatedly_and_files_once() {
        let degrees = |input: Input, processors| request(input).degrees(processors);
        let rows = || Input::Generated { seed: 1, rows: 1 };
        assert_eq!(degrees(rows(), 1), [1]);
        assert_eq!(degrees(rows(), 6), [1, 2, 4, 6]);
        assert_eq!(degrees(rows(), 8), [1, 2, 4, 8]);
        assert_eq!(degrees(Input::Pipe, 6), [6]);
    }
}
