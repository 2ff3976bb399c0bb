//! What a source lacks, and what makes its figures doubtful.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LoadQuantity, SourceMoment};

/// A quantity that a source does not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// Index of the source.
    pub source: u32,
    /// The quantity.
    pub quantity: LoadQuantity,
    /// Where to get it.
    pub elsewhere: Elsewhere,
}

/// Where a quantity is found that a source does not tell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Elsewhere {
    /// A section of the same file, which is missing there.
    Section {
        /// Its heading.
        heading: String,
    },
    /// A view, table or statement of the same server, which was not dumped.
    View {
        /// Its name.
        name: String,
    },
    /// Statistics of the host (sysstat).
    HostStatistics,
    /// A newer version of the engine.
    NewerVersion {
        /// The first that has it.
        version: String,
    },
    /// A setting of the engine that is off.
    Setting {
        /// Its name.
        name: String,
    },
    /// A watched live server.
    Watching,
    /// Watching on the host of the server.
    WatchingOnHost,
    /// Nothing counts it.
    Nowhere,
}

/// What makes figures doubtful.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doubt {
    /// Index of the source; absent if it concerns all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
    /// Index of the instance; absent if it concerns all of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<u32>,
    /// Start of the first interval that it concerns; absent if it concerns all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at_ms: Option<SourceMoment>,
    /// Intervals (or lines, dumps) that it concerns.
    pub count: u64,
    /// What follows from it.
    pub weight: Weight,
    /// What it is.
    pub kind: DoubtKind,
}

/// What follows from a doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// The figures are used.
    Warning,
    /// What it concerns is left out.
    Refusal,
}

/// What makes figures doubtful.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoubtKind {
    /// An interval is so long that its average hides the peak.
    LongInterval {
        /// The longest.
        seconds: f64,
        /// Limit.
        seconds_max: f64,
    },
    /// The source was idle: it says nothing of a production load.
    Idle {
        /// Its largest average of active sessions, if it tells them.
        active_sessions: Option<f64>,
        /// Its largest rate of statements or commits, if it tells them.
        statements_per_second: Option<f64>,
    },
    /// The source has averages of intervals alone, and no maxima within them.
    AveragesOnly,
    /// A cluster of which not all instances were read.
    InstancesMissing {
        /// Instances that were read.
        read: u32,
        /// Instances that the source says there are.
        expected: u32,
    },
    /// Time in which some instances tell their figures and others do not.
    Incomplete {
        /// How long.
        seconds: f64,
    },
    /// Reports of one instance and of the whole cluster cover the same time; those of the cluster are left out.
    ClusterTwice,
    /// One dump of cumulative counters; there is no second one to subtract it from.
    SingleDump,
    /// One dump of cumulative counters without the time since which they count.
    NoResetTime,
    /// Counters were reset between two dumps.
    Reset,
    /// The server was restarted between two dumps.
    Restart,
    /// A counter is less than before without a reset that the source tells.
    Decreased {
        /// Name of the counter.
        counter: String,
    },
    /// A counter passed its largest value; the difference allows for that.
    Wrapped {
        /// Name of the counter.
        counter: String,
        /// Its width.
        bits: u32,
    },
    /// Statements were dropped from the statistics of statements between two dumps.
    StatementsDeallocated {
        /// How many.
        count: u64,
    },
    /// The server counts commits by the statement alone: those of single statements outside of transactions are missing.
    CommitStatements,
    /// Physical reads of the source include those that the page cache of the host served.
    PageCacheReads,
    /// Physical I/O of a host includes that of programs beside the database.
    WholeHost,
    /// The clock of the source stepped between two moments.
    ClockStep {
        /// Seconds that it stepped; below 0 if backwards.
        seconds: f64,
    },
    /// Two files tell of the same time; the later one is left out.
    Overlap,
    /// The file ends within a section or a line.
    Truncated,
    /// A section that the form has is missing.
    SectionMissing {
        /// Its heading.
        heading: String,
    },
    /// A number that may be read in two notations.
    AmbiguousNumber {
        /// It, as written.
        text: String,
    },
    /// A value that cannot be.
    Impossible {
        /// Name of the field.
        field: String,
        /// It, as written.
        text: String,
    },
    /// Bytes that are no text in the encoding of the file, and were replaced.
    Encoding,
}
