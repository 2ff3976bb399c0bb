//! The self-checks of a run and their evidence: for each check the figures of its verdict, with the limits at that time. A
//! missing source is `None`.

mod level;
mod storage;
mod work;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use level::{Bound, Confirmation, RateInterval, SearchAnswer, SearchEnding};
pub use storage::{
    Compressible, Content, DeviceIo, Flush, FlushSharing, GeneratorBound, IoDirection, Stall, StepDown, Unwritten,
};
pub use work::{Answers, CountedTwice, FileCount, GapExplanation, LittlesLaw};

use crate::{Bytes, DataReads, FailureKind, Nanos, Rate, Ratio, SteadyRate, SteadyReason, SteadyVerdict};

/// The list of the self-checks, in their order, as the argument of the macro `$take`. A line is the name of a check with the
/// type of its evidence, its subject, what is checked, and what the evidence is.
#[macro_export]
macro_rules! checks {
    ($take:ident) => {
        $take! {
            Answers(Answers), Work,
                "Answers of statements in the warm-up against the expected ones.", "The answers of the statements.";
            LittlesLaw(LittlesLaw), Work,
                "Jobs in flight against throughput times response time.",
                "Jobs or I/Os in flight, and counts that must agree.";
            CommitCount(CommitCount), Work,
                "Commits counted by dbdyno against commits counted by the engine.", "Commits here and in the engine.";
            ClientShare(ClientShare), Surroundings, "CPU time of dbdyno.", "CPU time of dbdyno.";
            Steal(Option<Steal>), Surroundings, "CPU steal.", "CPU steal.";
            ForeignCpu(Option<Box<ForeignCpuShare>>), Surroundings,
                "CPU time of other programs.", "CPU time of other programs.";
            ForeignIo(Option<Box<ForeignIoShare>>), Surroundings,
                "I/O of other programs on the measured device.", "I/O of other programs on the device.";
            Throttling(Throttling), Surroundings,
                "Throttling by the CPU quota of the control group.", "Throttling by the CPU quota.";
            Swapping(Option<Swapping>), Surroundings, "Swapping during the run.", "Pages swapped in.";
            PageCache(PageCache), Measurement,
                "Share of reads that came from the device and not from the page cache.", "Origin of the bytes read.";
            CacheFit(CacheFill), Measurement,
                "Whether the table fits the buffer cache or not, as the test requires.",
                "The tables against the engine's cache.";
            CacheMisses(CacheMisses), Measurement,
                "Whether reads of random rows missed the buffer cache as often as uniform access does, from the first to the last.",
                "Reads of random rows that missed the engine's cache.";
            Durability(Durable), Measurement,
                "Whether commits were flushed to stable storage.", "Commits against flushes of the device.";
            RateLevels(Option<RateLevels>), Surroundings,
                "A rate that jumps between two levels.", "The two levels of the rate; `None` if it has one.";
            Failures(Option<Box<Failures>>), Work, "Steps that failed.", "Failed steps; `None` without any.";
            Backlog(Backlog), Measurement,
                "Scheduled steps that were not done when the run ended.", "Scheduled steps that were not done.";
            WindowLength(WindowLength), Measurement, "A window that is too short.", "Length of the window.";
            OtherSessions(OtherSessions), Surroundings, "Other sessions in the same engine.", "Commits of others.";
            DeviceIo(DeviceIo), Measurement,
                "Requested I/O against I/O of the block layer.", "Requested I/O against I/O of the block layer.";
            Unwritten(Unwritten), Measurement,
                "Reads of blocks that were never written: holes, reserved extents, trimmed ranges.",
                "Blocks that were never written.";
            Compressible(Compressible), Measurement,
                "Data that a device can compress or deduplicate.", "Compression and deduplication by the device.";
            Flush(Flush), Measurement,
                "Flushes against syncs, and the time of a sync.",
                "Syncs against flushes, or commits against the probe of commits.";
            StepDown(Option<StepDown>), Measurement,
                "A drop of the rate during the run: throttling, exhausted burst credits, heat.",
                "A drop of the rate; `None` without one.";
            Steady(Steady), Measurement,
                "Whether the rate was steady (over rounds: the SNIA rule).", "Whether the rate was steady.";
            Stall(Option<Stall>), Measurement,
                "Scheduling delay of the generator.", "Maximum scheduling delay of the generator.";
            GeneratorBound(Option<Box<GeneratorBound>>), Measurement,
                "Load of the generator in relation to its ceiling.",
                "The busiest job against the ceiling of the generator.";
            Content(Content), Work,
                "Data read or verified against data written.", "Blocks whose content was checked.";
            Bound(Bound), Measurement, "A service level.", "The response times against a service level.";
            NodeLoss(NodeLoss), Measurement, "Nodes lost during the run.", "Availability of the nodes.";
            AgentStarts(AgentStarts), Measurement,
                "Starts of the agents of a fleet.", "How far apart the agents of a fleet started.";
            AgentRates(AgentRates), Measurement, "Rates of the agents of a fleet.", "The two rates of a fleet.";
            SlowAgent(SlowAgent), Measurement,
                "The slowest agent of a fleet against the others.", "The slowest agent of a fleet.";
            UnseenAnswers(UnseenAnswers), Measurement,
                "Answers that lay unseen on shared threads.",
                "How long answers lay unseen on threads that several jobs shared.";
            Checkpoints(SeenCheckpoints), Measurement,
                "Checkpoints in the window of a test that wants some.", "Checkpoints in the window.";
            Warehouses(Warehouses), Measurement,
                "Warehouses of an order mix whose jobs keep their own, for each job.", "Warehouses and jobs.";
            LoadBeside(LoadBesideSteps), Measurement,
                "Steps of the loads beside that failed.", "The steps of a load beside.";
        }
    };
}

macro_rules! declare {
    ($($check:ident($evidence:ty), $subject:ident, $checked:literal, $found:literal;)+) => {
        /// What was checked.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Check {
            $(#[doc = $checked] $check,)+
        }

        /// Evidence, by check.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Evidence {
            $(#[doc = $found] $check($evidence),)+
        }

        impl Check {
            /// All checks.
            pub const ALL: &'static [Check] = &[$(Check::$check),+];

            /// What is checked, in a sentence.
            pub fn description(self) -> &'static str {
                match self { $(Check::$check => $checked),+ }
            }

            /// What it is about.
            pub fn subject(self) -> CheckSubject {
                match self { $(Check::$check => CheckSubject::$subject),+ }
            }
        }

        impl Evidence {
            /// What was checked.
            pub fn check(&self) -> Check {
                match self { $(Evidence::$check(_) => Check::$check),+ }
            }
        }
    };
}

checks!(declare);

/// What a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckSubject {
    /// What the jobs did: right answers, and counts that agree.
    Work,
    /// Whether the figures are those of the platform: its settings, the load, the window.
    Measurement,
    /// What is outside of the run: other guests of the host, other programs, a client that is too slow.
    Surroundings,
}

/// Commits counted by dbdyno and by the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CommitCount {
    /// The engine's count is not known.
    NotCounted,
    /// The engine's counters could not be read.
    NotRead {
        /// Message of the engine.
        message: String,
    },
    /// Both are known.
    Counted {
        /// Commits of dbdyno.
        ours: u64,
        /// Commits of the engine minus ours.
        surplus: i64,
        /// The difference as a share of ours.
        difference: Ratio,
        /// Up to here the difference may be background work of the engine.
        limit: Ratio,
    },
}

/// CPU time of dbdyno in relation to the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientShare {
    /// The engine runs in other processes, or there is none.
    Processors {
        /// Of the processors that jobs or numjobs can occupy; absent where it is not known.
        share: Option<Ratio>,
        /// Whether the jobs are those of an I/O job (numjobs).
        of_storage: bool,
        /// Of the CPU time of client and server together.
        of_both: Option<Ratio>,
        /// Limit of a warning.
        limit: Ratio,
        /// Whether the generator polls, and therefore uses its processors fully.
        polls: bool,
        /// Whether the window is too short for the resolution of CPU time.
        is_coarse: bool,
    },
    /// Client and engine share one process: cost of an empty step over the service time.
    PerStep {
        /// Of the service time; absent where the cost is not known.
        share: Option<Ratio>,
        /// Whether the statement interpreter is included.
        with_interpreter: bool,
        /// Limit of a warning.
        limit: Ratio,
    },
}

/// CPU steal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Steal {
    /// Of the time of all processors.
    pub share: Ratio,
    /// Limit of a warning.
    pub limit: Ratio,
    /// Total.
    pub stolen_ns: Nanos,
    /// Minimum that is judged.
    pub judged_ns_min: Nanos,
    /// The share in the worst interval, if above the limit.
    pub worst_interval: Option<Ratio>,
}

/// CPU time of other programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForeignCpuShare {
    /// Of the time of all processors.
    pub share: Ratio,
    /// The applied limit.
    pub limit: Ratio,
    /// Whether the run needs all processors, which lowers the limit.
    pub needs_all: bool,
    /// Processors of the host.
    pub processors: f64,
    /// The visible programs.
    pub programs: Vec<ProgramCpu>,
    /// Processors used by invisible programs; 0 if everything is accounted for.
    pub unseen_processors: f64,
    /// Whether processes of the measured engine may be among these.
    pub may_be_engine: bool,
}

/// CPU usage of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramCpu {
    /// Its name.
    pub name: String,
    /// In processors.
    pub processors: f64,
}

/// I/O of other programs on the measured device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForeignIoShare {
    /// Of all bytes of the device.
    pub share: Ratio,
    /// The applied limit.
    pub limit: Ratio,
    /// The visible programs.
    pub programs: Vec<ProgramIo>,
    /// Bytes per second of invisible or ended programs; absent if negligible.
    pub unseen_bytes_per_second: Option<Rate>,
}

/// I/O of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramIo {
    /// Its name.
    pub name: String,
    /// Reads and writes together.
    pub bytes_per_second: Rate,
}

/// Throttling by the CPU quota of the control group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Throttling {
    /// Of the window; may exceed 1 with several processors.
    pub share: Ratio,
    /// Above this the quota limits the run.
    pub limit: Ratio,
}

/// Pages swapped in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Swapping {
    /// Within the window.
    pub pages: u64,
    /// Above this many per second the run is invalid.
    pub pages_per_second_max: f64,
}

/// Whether reads reached the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PageCache {
    /// Reads of an engine.
    EngineReads {
        /// Bytes read by the block layer over bytes read by the engine; absent if unknown.
        device_share: Option<Ratio>,
        /// How reads of the engine reach the device; absent if dbdyno does not control it.
        data_reads: Option<DataReads>,
    },
    /// Files that an I/O job reads through the page cache.
    Files {
        /// The cached share at the start of the window; absent if unknown.
        cached: Option<Ratio>,
        /// The applied limit.
        limit: Ratio,
    },
    /// A cold run.
    Cold {
        /// The share of the engine's files in the page cache at the start of the window; absent if unknown.
        cached: Option<Ratio>,
        /// Maximum share of a cold run.
        limit: Ratio,
        /// Bytes read by the block layer over bytes read by the engine; absent if unknown or negligible.
        device_share: Option<Ratio>,
    },
}

/// Tables against the engine's cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CacheFill {
    /// A test in memory, with counted reads.
    Missed {
        /// Logical reads that missed the cache.
        share: Ratio,
        /// Upper limit.
        limit: Ratio,
    },
    /// A test in memory, without counted reads.
    Inside {
        /// Size of the rows over size of the cache; may exceed 1; absent if unknown.
        fill: Option<Ratio>,
    },
    /// A test whose tables should not fit.
    Outside {
        /// Size of the rows over size of the cache; absent if unknown.
        multiple: Option<f64>,
        /// Lower limit.
        multiple_min: f64,
    },
}

/// How the misses of a cache differ from those that it has in the long run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheDeviation {
    /// It held blocks of the same rows before: fewer misses than uniform access leaves.
    Warmed,
    /// It was still filling: more misses in the first third of the window than in the last.
    Cold,
}

/// Reads of random rows that missed the cache of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheMisses {
    /// How they differ; absent where they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<CacheDeviation>,
    /// Blocks that the engine read for each row.
    pub per_row: f64,
    /// The fewest with uniform access to rows of this size and a cache of this size.
    pub per_row_min: f64,
    /// Blocks that the device read for each row in the first third of the window; absent where not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_row_first_third: Option<f64>,
    /// The same in the last third.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_row_last_third: Option<f64>,
}

/// Whether commits reached stable storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Durable {
    /// Whether a commit waits for stable storage is not known.
    NotKnown {
        /// The settings that it depends on.
        settings: String,
    },
    /// A commit does not wait.
    DoesNotWait {
        /// The settings that cause it.
        settings: String,
    },
    /// Commits wait, on another host, whose flushes are not visible.
    Remote,
    /// Commits wait, and the device needs no flush.
    WriteThrough,
    /// Commits wait, and flushes are not counted.
    NotCounted,
    /// Commits wait, and flushes are counted.
    Counted {
        /// Number of flushes.
        flushes: u64,
        /// Who counted them.
        counted_by: FlushCounter,
        /// Commits of the run.
        commits: u64,
        /// Jobs that can share a flush (group commit).
        jobs: u32,
    },
}

/// Who counts flushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlushCounter {
    /// The block layer: flushes that the device completed.
    Device,
    /// The engine: syncs that it requested.
    Engine,
}

/// Two levels of a bistable rate, in steps per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLevels {
    /// Mean of the lower level.
    pub lower: Rate,
    /// Seconds in it.
    pub lower_seconds: u64,
    /// Mean of the upper level.
    pub upper: Rate,
    /// Seconds in it.
    pub upper_seconds: u64,
}

/// Steps that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failures {
    /// Of all steps.
    pub share: Ratio,
    /// Above this the run is invalid.
    pub limit: Ratio,
    /// By kind.
    pub kinds: BTreeMap<FailureKind, u64>,
    /// The first failure of an I/O job.
    pub first: Option<FirstFailure>,
}

/// The first failure of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstFailure {
    /// The job.
    pub job: String,
    /// Message of the operating system.
    pub message: String,
}

/// Steps of an open loop against the target rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Backlog {
    /// Every scheduled step was done, at the target rate.
    Kept {
        /// The I/O job; absent for the whole run.
        job: Option<String>,
    },
    /// Scheduled steps were not started.
    NotStarted {
        /// The I/O job; absent for the whole run.
        job: Option<String>,
        /// How many.
        count: u64,
        /// Of all scheduled steps.
        share: Ratio,
        /// Above this the run is invalid.
        limit: Ratio,
    },
    /// Every step was done, at a lower rate.
    Slower {
        /// The I/O job; absent for the whole run.
        job: Option<String>,
        /// The achieved rate.
        done: Rate,
        /// The target rate.
        due: Rate,
    },
}

/// How long a window is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum WindowLength {
    /// Long enough.
    Enough {
        /// Its length.
        window_ns: Nanos,
    },
    /// Too short for a verdict on steadiness.
    Short {
        /// Minimum length.
        window_ns_min: Nanos,
    },
    /// Too few steps for quantiles of their times.
    FewSteps {
        /// How many.
        steps: u64,
        /// Required number.
        steps_min: u64,
    },
    /// Much data of the window was committed after it.
    CommittedLater {
        /// Committed after the window.
        late_bytes: Bytes,
        /// Committed in total.
        committed_bytes: Bytes,
    },
}

/// Checkpoints in the window of a run that wants some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeenCheckpoints {
    /// How many there were.
    pub seen: u64,
    /// How many the test wants.
    pub wanted: u32,
    /// Whether the engine has counted them; otherwise those count that were asked for and ended in the window.
    pub is_counted: bool,
    /// Why no more were asked for; absent where nothing was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

/// Warehouses of an order mix whose jobs each have a home warehouse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Warehouses {
    /// How many there are.
    pub warehouses: u32,
    /// Jobs that work on them.
    pub jobs: u32,
    /// How many each job should have at least.
    pub per_job_min: u32,
}

/// The steps of a load beside the jobs of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadBesideSteps {
    /// The code of its test.
    pub test: String,
    /// Steps that ended in the window.
    pub steps: u64,
    /// How many of them failed.
    pub failed: u64,
    /// Steps that were cancelled at the end of the run.
    pub cancelled: u64,
    /// Above this share of failed steps it is doubtful.
    pub limit: Ratio,
}

/// Commits of other sessions, in an engine that dbdyno did not start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OtherSessions {
    /// How many.
    pub commits: u64,
    /// As a share of ours.
    pub share: Ratio,
    /// The engine.
    pub engine: String,
}

/// Whether a rate was steady.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Steady {
    /// From the seconds of the window.
    Window {
        /// The verdict.
        verdict: SteadyVerdict,
        /// Why.
        reason: SteadyReason,
        /// The steady seconds; absent where there are none.
        counted: Option<SteadyRate>,
    },
    /// From the rounds of preconditioning, by the SNIA rule over the last ones.
    Rounds {
        /// Number of rounds.
        rounds: u64,
        /// Rounds of the rule.
        rounds_needed: u64,
        /// Result of the rule; absent with too few rounds with I/O.
        rule: Option<SniaRule>,
    },
}

/// The SNIA rule over the last rounds of preconditioning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SniaRule {
    /// Range of the rates.
    pub range: Ratio,
    /// Upper limit.
    pub range_max: Ratio,
    /// Change by the trend.
    pub rise: Ratio,
    /// Upper limit.
    pub rise_max: Ratio,
}

/// Availability of the nodes of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum NodeLoss {
    /// All nodes answered.
    None {
        /// How many.
        nodes: u32,
    },
    /// Nodes were lost.
    Lost {
        /// The nodes, in order of time.
        nodes: Vec<LostNode>,
    },
}

/// A node that was lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LostNode {
    /// The node, counted from 1.
    pub node: u32,
    /// Its name.
    pub name: String,
    /// The loss during the run; absent if it was lost before.
    pub loss: Option<Loss>,
}

/// Loss of a node during a run, and the rates around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Loss {
    /// Time from the start of the window.
    pub at_ns: Nanos,
    /// Jobs that ended with it.
    pub jobs: u32,
    /// Operations per second of all nodes in the whole seconds before; absent without any.
    pub before: Option<Rate>,
    /// Operations per second in the whole seconds after; absent without any.
    pub after: Option<Rate>,
    /// Whole seconds without operations; absent without any.
    pub standstill_seconds: Option<u64>,
}

/// How far apart the agents of a fleet started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentStarts {
    /// How many agents.
    pub agents: u32,
    /// From the first start to the last one.
    pub spread_ns: Nanos,
    /// The largest error of a start: that of the clocks.
    pub clock_error_ns: Nanos,
    /// Limit of both together.
    pub limit_ns: Nanos,
}

/// The two rates of a fleet, operations per second, and when its agents were done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentRates {
    /// Sum over the agents, each over its own window.
    pub own_windows: Rate,
    /// In the whole seconds that all windows have in common; absent without such a second.
    pub common_seconds: Option<Rate>,
    /// Their difference as a share of the larger one; absent where one of them is unknown.
    pub gap: Option<Ratio>,
    /// Limit of the difference.
    pub limit: Ratio,
    /// When the first agent was done, from the first start.
    pub first_done_ns: Nanos,
    /// When the last agent was done, from the first start.
    pub last_done_ns: Nanos,
}

/// How long answers lay unseen on threads that several jobs shared, against their service time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnseenAnswers {
    /// Upper bound of the median.
    pub unseen_ns: Nanos,
    /// The same as a share of the median service time.
    pub share: Ratio,
    /// Limit of the share.
    pub limit: Ratio,
}

/// The agent with the lowest rate per job against the median of the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowAgent {
    /// Its rate per job, of that of the others.
    pub share: Ratio,
    /// The least share that is no warning.
    pub limit: Ratio,
}
