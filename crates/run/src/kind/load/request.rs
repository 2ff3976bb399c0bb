//! What is asked for, already parsed.

use std::path::PathBuf;

use flat::{Compression, Layout};
use record::{Build, Bytes, IndexTime, LoadForm, LoadModel, Placement, Plan, Preset};
use workload::load::Input;

use crate::Request;

/// The largest batch that is not asked for: large enough for an engine to take it at its full rate.
const BATCH_MAX: Bytes = Bytes(8 << 20);
/// The smallest.
const BATCH_MIN: Bytes = Bytes(64 << 10);
/// So many batches a small source has at least, so that sessions have some each. More of them would be too small for the
/// full rate, above all where the source is compressed: its size is that of less than half of its lines.
const BATCHES_MIN: u64 = 16;

/// A load, or several of the same source.
#[derive(Clone, Debug)]
pub struct LoadRequest {
    /// Where lines come from.
    pub input: Input,
    /// What they are.
    pub layout: Layout,
    /// How the source is compressed; absent for what its first bytes say.
    pub compression: Option<Compression>,
    /// The name of the table.
    pub table: String,
    /// How it is stored: a run for each.
    pub models: Vec<LoadModel>,
    /// How rows reach the engine: a run for each.
    pub forms: Vec<LoadForm>,
    /// Sessions that load, each number at least 1: a run for each; absent for what suits source and machine.
    pub degrees: Option<Vec<u32>>,
    /// Size of a batch, in bytes of flat file; absent for one that suits the source.
    pub batch: Option<Bytes>,
    /// Ends of the ranges of dates of a partitioned table, exclusive and ascending, in days since 1970-01-01.
    pub months: Vec<i32>,
    /// When indexes are made.
    pub indexes: IndexTime,
    /// Lines that may be rejected in each run.
    pub max_errors: u64,
    /// Where those of the first run go.
    pub rejects: PathBuf,
    /// Whether a load that was broken off is gone on with.
    pub resume: bool,
    /// The named size: how large the cache of a server of our own is.
    pub preset: Preset,
    /// Directory below which the measured directory is made.
    pub directory: PathBuf,
    /// Whether the tables stay.
    pub keep: bool,
    /// Where jobs run.
    pub placement: Placement,
    /// Whether somebody looks at what the sessions of the engine are doing.
    pub looks: bool,
    /// How each table is read after its last load; absent where it is not.
    pub scans: Option<ScanRequest>,
    /// Where the record goes.
    pub record: PathBuf,
    /// The version of the program, for the record.
    pub version: String,
    /// What the program was built from and with, for the record.
    pub build: Option<Build>,
}

/// How a loaded table is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRequest {
    /// Threads inside a statement, each number at least 1: a run for each; absent for 1, 2, 4, ... up to twice the
    /// processors.
    pub degrees: Option<Vec<u32>>,
    /// Whether the device is probed first, where runs are long enough for it.
    pub probes: bool,
}

impl LoadRequest {
    /// Size of a batch: it depends on the source alone, so that a load is gone on with at the same boundaries.
    pub(super) fn batch(&self) -> Bytes {
        let suits = |Bytes(size): Bytes| Bytes((size / BATCHES_MIN).clamp(BATCH_MIN.0, BATCH_MAX.0));
        self.batch.unwrap_or_else(|| self.input.size().map_or(BATCH_MAX, suits))
    }

    /// Degrees of parallelism: of generated rows 1, 2, 4, ... up to the processors; of files, which are loaded once, as
    /// many sessions as there are processors.
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

    /// What all rows are drawn from; 0 of a source that is there.
    pub(super) fn seed(&self) -> u64 {
        match self.input {
            Input::Generated { seed, .. } => seed,
            _ => 0,
        }
    }

    /// As one would ask for tests of the catalogue: what opens directory and engine needs. The database stays where
    /// `keep`.
    pub(super) fn request(&self, degrees: &[u32], keep: bool) -> Request {
        Request {
            directory: self.directory.clone(),
            degrees: Some(degrees.to_vec()),
            preset: self.preset,
            window: Some(Plan::OPEN_WINDOW_NS),
            seed: self.seed(),
            placement: self.placement,
            looks: self.looks,
            keep,
            ..Request::bare(&self.record, &self.version, self.build.as_ref())
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::kind::load) fn request(input: Input) -> LoadRequest {
        LoadRequest {
            input,
            layout: Layout::cards(),
            compression: None,
            table: "cards".to_owned(),
            models: vec![LoadModel::default()],
            forms: vec![LoadForm::Typed],
            degrees: None,
            batch: None,
            months: vec![1],
            indexes: IndexTime::None,
            max_errors: 0,
            rejects: PathBuf::from("r.rejects"),
            resume: false,
            preset: Preset::Smoke,
            directory: PathBuf::from("."),
            keep: false,
            placement: Placement::Kernel,
            looks: false,
            scans: None,
            record: PathBuf::from("r.json"),
            version: "0".to_owned(),
            build: None,
        }
    }

    #[test]
    fn a_small_source_has_small_batches_and_a_pipe_large_ones() {
        let batch = |input| request(input).batch();
        let rows = |rows| Input::Generated { seed: 1, rows };
        assert_eq!((batch(Input::Pipe), batch(rows(1 << 40)), batch(rows(10))), (BATCH_MAX, BATCH_MAX, BATCH_MIN));
        let given = LoadRequest { batch: Some(Bytes(123_456)), ..request(Input::Pipe) };
        assert_eq!(given.batch(), Bytes(123_456));
    }

    #[test]
    fn generated_rows_are_loaded_again_and_again_and_files_once() {
        let degrees = |input: Input, processors| request(input).degrees(processors);
        let rows = || Input::Generated { seed: 1, rows: 1 };
        assert_eq!(degrees(rows(), 1), [1]);
        assert_eq!(degrees(rows(), 6), [1, 2, 4, 6]);
        assert_eq!(degrees(rows(), 8), [1, 2, 4, 8]);
        assert_eq!(degrees(Input::Pipe, 6), [6]);
    }
}
