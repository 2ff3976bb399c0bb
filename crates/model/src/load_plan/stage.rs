//! The stages of a load as a plan knows them, and what they cost.

use record::Rate;

use crate::statistics::Interval;

/// What is done to every byte of a flat file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Read, and received over the network.
    Read,
    /// Decompressed.
    Decompress,
    /// Lines become values.
    Parse,
    /// Values become what goes to the server, and go there where the two were not told apart.
    Convert,
    /// Handed to the server.
    Send,
    /// Taken up by the server, log and commit included.
    Insert,
    /// Indexes are made after the load.
    Index,
    /// What was loaded is counted and held against what was sent.
    Verify,
}

/// On whose processors a stage runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Those of the client.
    Client,
    /// Those of the server.
    Server,
}

impl Stage {
    /// All of them, in the order of the way.
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

    /// As it is written on the command line and in views.
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

    /// On whose processors it runs.
    pub fn place(self) -> Place {
        match self {
            Stage::Read | Stage::Decompress | Stage::Parse | Stage::Convert | Stage::Send => Place::Client,
            Stage::Insert | Stage::Index | Stage::Verify => Place::Server,
        }
    }

    /// Whether it begins when the load has ended.
    pub fn is_after_the_load(self) -> bool {
        matches!(self, Stage::Index | Stage::Verify)
    }
}

/// Where a rate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateSource {
    /// Somebody said so.
    Given,
    /// From runs of a record.
    Measured,
    /// Commonly published, to be replaced by a measured one.
    NotMeasured,
}

/// What one worker of a stage does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageRate {
    /// Which stage.
    pub stage: Stage,
    /// Bytes of flat file per second of one worker: the rate to plan with, and between which it lies where that is known.
    pub rate: Interval,
    /// Cores of a worker; above 0.
    pub worker_cores: f64,
    /// How often each byte goes through: once for each index.
    pub times: u32,
    /// Where the rate comes from.
    pub source: RateSource,
}

impl StageRate {
    /// A rate of one core that is known to no interval.
    pub fn per_core(stage: Stage, rate: Rate, source: RateSource) -> StageRate {
        StageRate { stage, rate: Interval::around(rate.0, 0.0), worker_cores: 1.0, times: 1, source }
    }

    /// Core-seconds for a byte, and between which they lie.
    pub(super) fn core_seconds(&self) -> Interval {
        let of = |rate: f64| f64::from(self.times) * self.worker_cores / rate;
        Interval { estimate: of(self.rate.estimate), low: of(self.rate.high), high: of(self.rate.low) }
    }
}

/// What a stage costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StageCost {
    /// So much.
    Rate(StageRate),
    /// Nothing: it is not gone through.
    Skipped(Stage),
}

impl StageCost {
    /// Which stage.
    pub fn stage(&self) -> Stage {
        match self {
            StageCost::Rate(rate) => rate.stage,
            StageCost::Skipped(stage) => *stage,
        }
    }
}

/// Where the bytes written for a byte of flat file come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenSource {
    /// Somebody said so.
    Given,
    /// What the block layer wrote in a run.
    Device,
    /// Log and table of a run, which are more than the block layer had written at its end.
    LogAndTable,
}

/// Rates per core as they are commonly published, for who has measured none: the lower end is to be planned with. Of
/// `compression` by its name; of one that is not known nothing is said.
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
