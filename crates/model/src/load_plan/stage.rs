//! The stages of a planned load, and their costs.

use record::Rate;

use crate::statistics::Interval;

/// A processing stage of every byte of a flat file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Read the file or the network.
    Read,
    /// Decompress.
    Decompress,
    /// Parse lines into values.
    Parse,
    /// Convert values to the protocol, and send them where that is not measured apart.
    Convert,
    /// Send to the server.
    Send,
    /// Insert in the server, with log and commit.
    Insert,
    /// Build indexes after the load.
    Index,
    /// Verify the loaded data against what was sent.
    Verify,
}

/// The processors that a stage runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Client.
    Client,
    /// Server.
    Server,
}

impl Stage {
    /// All stages, in the order of the pipeline.
    pub const ALL: [Stage; 8] = [
        Stage::Read,
        Stage::Decompress,
        Stage::Parse,
        Stage::Convert,
        Stage::Send,
        Stage::Insert,
        Stage::Index,
        Stage::Verify,
    ];

    /// Its name on the command line and in views.
    pub fn word(self) -> &'static str {
        match self {
            Stage::Read => "read",
            Stage::Decompress => "decompress",
            Stage::Parse => "parse",
            Stage::Convert => "convert",
            Stage::Send => "send",
            Stage::Insert => "insert",
            Stage::Index => "index",
            Stage::Verify => "verify",
        }
    }

    /// The processors that it runs on.
    pub fn place(self) -> Place {
        match self {
            Stage::Read | Stage::Decompress | Stage::Parse | Stage::Convert | Stage::Send => Place::Client,
            Stage::Insert | Stage::Index | Stage::Verify => Place::Server,
        }
    }

    /// Whether it starts after the end of the load.
    pub fn is_after_the_load(self) -> bool {
        matches!(self, Stage::Index | Stage::Verify)
    }
}

/// The source of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateSource {
    /// Given by the user.
    Given,
    /// Measured by runs of a record.
    Measured,
    /// Commonly published; to be replaced by a measurement.
    NotMeasured,
}

/// The rate of one worker of a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageRate {
    /// The stage.
    pub stage: Stage,
    /// Bytes of flat file per second of one worker: the rate to plan with, with its range where known.
    pub rate: Interval,
    /// Cores of a worker; above 0.
    pub worker_cores: f64,
    /// Passes of each byte: one per index.
    pub times: u32,
    /// The source of the rate.
    pub source: RateSource,
}

impl StageRate {
    /// A rate of one core without a range.
    pub fn per_core(stage: Stage, rate: Rate, source: RateSource) -> StageRate {
        StageRate { stage, rate: Interval::around(rate.0, 0.0), worker_cores: 1.0, times: 1, source }
    }

    /// Core-seconds per byte, with their range.
    pub(super) fn core_seconds(&self) -> Interval {
        let of = |rate: f64| f64::from(self.times) * self.worker_cores / rate;
        Interval { estimate: of(self.rate.estimate), low: of(self.rate.high), high: of(self.rate.low) }
    }
}

/// The cost of a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StageCost {
    /// By rate.
    Rate(StageRate),
    /// None: the stage is skipped.
    Skipped(Stage),
}

impl StageCost {
    /// The stage.
    pub fn stage(&self) -> Stage {
        match self {
            StageCost::Rate(rate) => rate.stage,
            StageCost::Skipped(stage) => *stage,
        }
    }
}

/// The source of write amplification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenSource {
    /// Given by the user.
    Given,
    /// Writes of the block layer in a run.
    Device,
    /// Log and table of a run, where more than the writes of the block layer.
    LogAndTable,
}

/// Commonly published rates per core, to start with; the lower end is the estimate. `compression` is a name; unknown
/// ones have no rate.
pub fn starting_rates(compression: Option<&str>) -> Vec<StageRate> {
    let decompress = match compression {
        Some("gzip") => Some((250e6, 400e6)),
        Some("zstd") => Some((1_000e6, 1_500e6)),
        Some("lz4") => Some((3_000e6, 4_500e6)),
        _ => None,
    };
    let spans = [
        (Stage::Decompress, decompress),
        (Stage::Parse, Some((100e6, 300e6))),
        (Stage::Insert, Some((30e6, 80e6))),
        (Stage::Index, Some((20e6, 60e6))),
    ];
    let rate = |(stage, span): (Stage, Option<(f64, f64)>)| {
        let (low, high) = span?;
        let rate = Interval { estimate: low, low, high };
        Some(StageRate { stage, rate, worker_cores: 1.0, times: 1, source: RateSource::NotMeasured })
    };
    spans.into_iter().filter_map(rate).collect()
}
