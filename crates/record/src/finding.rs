//! What a self-check of a run says: a verdict, and the figures that it rests on. Stored with the run; reports make the
//! sentences.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Evidence;

/// What was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// The answers of the statements, compared in the warm-up with what the data must give.
    Answers,
    /// Jobs in flight against throughput times response time.
    LittlesLaw,
    /// Commits as we count them against commits as the engine counts them.
    CommitCount,
    /// The processor time of dbdyno itself.
    ClientShare,
    /// Processor time that the hypervisor gave to others.
    Steal,
    /// Processor time that other programs took.
    ForeignCpu,
    /// I/O of other programs on the measured device.
    ForeignIo,
    /// The processor quota of the control group.
    Throttling,
    /// Swapping while measured.
    Swapping,
    /// How much of what the engine read came from the block device and not from the page cache.
    PageCache,
    /// Whether the table lies inside or outside the engine's cache, as the test wants it.
    CacheFit,
    /// Whether commits were forced to stable storage.
    Durability,
    /// A rate that jumps between two levels.
    RateLevels,
    /// Steps that failed.
    Failures,
    /// Steps that were due and not done when the run ended.
    Backlog,
    /// A window too short for what is said of it.
    WindowLength,
    /// Sessions of others at work in the same engine.
    OtherSessions,
    /// I/O that was asked for against I/O that the block layer saw.
    DeviceIo,
    /// Reads of blocks that were never written: holes, reserved extents, trimmed ranges.
    Unwritten,
    /// Data that a device can compress or store once.
    Compressible,
    /// Flushes against syncs, and how long a sync took.
    Flush,
    /// A rate that fell in mid-run: a throttle, spent burst credits, heat.
    StepDown,
    /// Whether the rate was steady (the rule of SNIA over rounds).
    Steady,
    /// The generator itself was held up.
    Stall,
    /// How near the generator came to its own ceiling.
    GeneratorBound,
    /// What was read or read again against what was written.
    Content,
    /// A service level.
    Bound,
    /// Nodes that were lost while the run went on.
    NodeLoss,
}

/// What a check says. `Unknown` is an answer: the source was missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Checked and right.
    Pass,
    /// Could not be checked.
    Unknown,
    /// To be read with the result.
    Warn,
    /// The result is invalid.
    Fail,
}

/// One check of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What the check says.
    pub verdict: Verdict,
    /// What it rests on, by the name of the check.
    pub evidence: Evidence,
    /// Of how many other parts of the run (files, jobs, queues) the same is to be said with other figures.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u32,
}

impl Finding {
    /// What is said of the run as a whole, or of one part of it.
    pub fn new(verdict: Verdict, evidence: Evidence) -> Finding {
        Finding { verdict, evidence, others: 0 }
    }

    /// What was checked.
    pub fn check(&self) -> Check {
        self.evidence.check()
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
