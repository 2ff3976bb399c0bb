//! What the self-checks of a run found: for each check the figures that its verdict rests on, with the limits that held
//! when it was made. A source that is missing is `None`.

mod storage;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use storage::{
    Compressible, Content, DeviceIo, Flush, FlushSharing, GeneratorBound, IoDirection, Stall, StepDown, Unwritten,
};

use crate::{Bytes, Check, DataReads, FailureKind, Nanos, Rate, Ratio, SteadyRate, SteadyReason, SteadyVerdict};

/// What a check found, by the name of the check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The answers of the statements.
    Answers(Answers),
    /// Jobs or I/Os in flight, and counts that must agree.
    LittlesLaw(LittlesLaw),
    /// Commits here and in the engine.
    CommitCount(CommitCount),
    /// The processor time of dbdyno.
    ClientShare(ClientShare),
    /// What the hypervisor took.
    Steal(Option<Steal>),
    /// What other programs used of the processors.
    ForeignCpu(Option<Box<ForeignCpuShare>>),
    /// What other programs did on the device.
    ForeignIo(Option<Box<ForeignIoShare>>),
    /// How long the processor quota held the run back.
    Throttling(Throttling),
    /// Pages that were swapped in.
    Swapping(Option<Swapping>),
    /// Where the bytes that were read came from.
    PageCache(PageCache),
    /// The tables against the engine's cache.
    CacheFit(CacheFill),
    /// Commits against flushes of the device.
    Durability(Durable),
    /// The two levels of the rate; `None` where it has one.
    RateLevels(Option<RateLevels>),
    /// Steps that failed; `None` where none did.
    Failures(Option<Box<Failures>>),
    /// Steps that were due and not done.
    Backlog(Backlog),
    /// The window against what is said of it.
    WindowLength(WindowLength),
    /// Commits of others.
    OtherSessions(OtherSessions),
    /// I/O that was asked for against I/O of the block layer.
    DeviceIo(DeviceIo),
    /// Blocks that were never written.
    Unwritten(Unwritten),
    /// What a device could save.
    Compressible(Compressible),
    /// Syncs against flushes, or commits against the probe of commits.
    Flush(Flush),
    /// A fall of the rate; `None` where there was none.
    StepDown(Option<StepDown>),
    /// Whether the rate was steady.
    Steady(Steady),
    /// How long the generator was held up at most.
    Stall(Option<Stall>),
    /// The busiest job against the generator's own ceiling.
    GeneratorBound(Option<Box<GeneratorBound>>),
    /// Blocks whose content was checked.
    Content(Content),
    /// The response times against a service level.
    Bound(Bound),
    /// What became of the nodes.
    NodeLoss(NodeLoss),
}

impl Evidence {
    /// What was checked.
    pub fn check(&self) -> Check {
        match self {
            Evidence::Answers(_) => Check::Answers,
            Evidence::LittlesLaw(_) => Check::LittlesLaw,
            Evidence::CommitCount(_) => Check::CommitCount,
            Evidence::ClientShare(_) => Check::ClientShare,
            Evidence::Steal(_) => Check::Steal,
            Evidence::ForeignCpu(_) => Check::ForeignCpu,
            Evidence::ForeignIo(_) => Check::ForeignIo,
            Evidence::Throttling(_) => Check::Throttling,
            Evidence::Swapping(_) => Check::Swapping,
            Evidence::PageCache(_) => Check::PageCache,
            Evidence::CacheFit(_) => Check::CacheFit,
            Evidence::Durability(_) => Check::Durability,
            Evidence::RateLevels(_) => Check::RateLevels,
            Evidence::Failures(_) => Check::Failures,
            Evidence::Backlog(_) => Check::Backlog,
            Evidence::WindowLength(_) => Check::WindowLength,
            Evidence::OtherSessions(_) => Check::OtherSessions,
            Evidence::DeviceIo(_) => Check::DeviceIo,
            Evidence::Unwritten(_) => Check::Unwritten,
            Evidence::Compressible(_) => Check::Compressible,
            Evidence::Flush(_) => Check::Flush,
            Evidence::StepDown(_) => Check::StepDown,
            Evidence::Steady(_) => Check::Steady,
            Evidence::Stall(_) => Check::Stall,
            Evidence::GeneratorBound(_) => Check::GeneratorBound,
            Evidence::Content(_) => Check::Content,
            Evidence::Bound(_) => Check::Bound,
            Evidence::NodeLoss(_) => Check::NodeLoss,
        }
    }
}

/// Answers of statements, files and tables against what the data must give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answers {
    /// Every answer of the warm-up is right.
    Right,
    /// The engine gives no answers.
    NotGiven,
    /// An answer is wrong.
    Wrong {
        /// Which, and what it should be.
        message: String,
    },
    /// Every operation visits as many rows as its work unit has blocks.
    RowsPerOperation,
    /// The table holds what was loaded.
    Loaded {
        /// What was compared.
        compared: Vec<String>,
    },
    /// The table holds something else than what was loaded.
    LoadDiffers {
        /// What differs.
        what: String,
        /// What the table holds; absent where it answered nothing.
        found: Option<String>,
        /// What was loaded.
        expected: String,
    },
    /// The table could not be queried after the load.
    NotQueried,
    /// Every scan found the rows that were loaded.
    Scanned {
        /// Whether the sums were known too: of lines that are sent as they are, they are not.
        sums_known: bool,
    },
    /// Files were written.
    FilesWritten {
        /// Files as they were written.
        written: FileCount,
        /// Files as the engine counts them; absent where there is no engine.
        counted: Option<FileCount>,
    },
    /// Every byte that was read is the one that was written.
    FilesRead {
        /// What was compared.
        compared: FileCount,
    },
    /// Files do not hold what was written.
    FilesDiffer {
        /// How many.
        differing_files: u64,
        /// Of how many.
        files: u64,
        /// The stream of the first of them, counted from 1.
        stream: u32,
        /// Checksum of what was read of it.
        read_crc32c: u32,
        /// Checksum of what was written to it.
        written_crc32c: u32,
    },
    /// Requests gave pages of another place or file.
    MisplacedRequests {
        /// How many.
        requests: u64,
    },
}

/// Files and their bytes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileCount {
    /// Files.
    pub files: u64,
    /// Bytes of all of them.
    pub size_bytes: Bytes,
}

/// L = X R: what was in flight, from throughput and response time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LittlesLaw {
    /// Nothing was done, so that there is nothing to compare.
    NothingDone,
    /// Two counts of the same disagree.
    CountsDiffer {
        /// The job of storage that they are of; absent where they are of the whole run.
        job: Option<String>,
        /// What was counted twice.
        counted: CountedTwice,
        /// By the series or the histogram.
        value: u64,
        /// By the total.
        expected: u64,
    },
    /// The service times of the seconds and of the histogram have different sums.
    SumsDiffer {
        /// By how much, as a share of the sum.
        difference: Ratio,
        /// The largest difference that buckets explain.
        limit: Ratio,
    },
    /// Of an open loop: the jobs that were busy on average.
    OpenLoop {
        /// Busy jobs.
        busy: f64,
        /// All jobs.
        jobs: u32,
    },
    /// Of a closed loop: every job should be in flight.
    ClosedLoop {
        /// Jobs, on average where nodes were lost.
        jobs: f64,
        /// In flight, by throughput times response time.
        in_flight: f64,
        /// What is missing, as a share of the jobs; below 0 where there are too many.
        gap: f64,
        /// The largest gap, in size, that the edges of the window explain.
        limit: Ratio,
        /// What may explain a larger one.
        explanation: Option<GapExplanation>,
    },
    /// Of a queue of storage: I/Os in flight against its slots.
    Queue {
        /// The job.
        job: String,
        /// In flight, by throughput times service time.
        in_flight: f64,
        /// Slots.
        slots: u64,
        /// The share of the slots that may be empty, or of I/Os that may be too many.
        limit: Ratio,
    },
}

/// What two sources count independently of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CountedTwice {
    /// Steps of the seconds, and in all.
    Steps,
    /// Failures of the seconds, and in all.
    Failures,
    /// Operations of the seconds, and in all.
    Operations,
    /// Rows of the seconds, and in all.
    Rows,
    /// Service times of the histogram, and steps or I/Os that succeeded.
    ServiceTimes,
    /// Response times of the histogram, and steps or I/Os that were due.
    ResponseTimes,
    /// I/Os of the streams, and operations of the run.
    Streams,
}

/// Why fewer jobs than there are may have been in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum GapExplanation {
    /// The time of failed steps is not known.
    FailedSteps {
        /// How many failed.
        count: u64,
    },
    /// Jobs had ends of their own.
    JobsEndedApart,
}

/// Commits as dbdyno and as the engine count them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CommitCount {
    /// The engine's count is not known.
    NotCounted,
    /// The engine's counters could not be read.
    NotRead {
        /// What the engine answered.
        message: String,
    },
    /// Both are known.
    Counted {
        /// Commits of dbdyno.
        ours: u64,
        /// Commits of the engine above ours; below 0 where it counted fewer.
        surplus: i64,
        /// The difference as a share of ours.
        difference: Ratio,
        /// Up to here it may be the engine's own.
        limit: Ratio,
    },
}

/// How much of the result is dbdyno's own processor time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientShare {
    /// Where the engine runs in other processes, or there is none.
    Processors {
        /// Of the processors that jobs or numjobs can occupy; absent where it is not known.
        share: Option<Ratio>,
        /// Whether the clones of a job of storage are meant.
        of_storage: bool,
        /// Of what client and server used together.
        of_both: Option<Ratio>,
        /// From here on it is a warning.
        limit: Ratio,
        /// Whether the generator polls, and so uses a processor all the time.
        polls: bool,
        /// Whether the window is so short that the clock of processor time is too coarse to judge.
        is_coarse: bool,
    },
    /// Where client and engine share one process: cost of a step that does nothing over the service time.
    PerStep {
        /// Of the service time; absent where the cost is not known.
        share: Option<Ratio>,
        /// Whether the interpreter of statements is part of it.
        with_interpreter: bool,
        /// From here on it is a warning.
        limit: Ratio,
    },
}

/// Processor time that the hypervisor gave to others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Steal {
    /// Of the time of all processors.
    pub share: Ratio,
    /// From here on it is a warning.
    pub limit: Ratio,
    /// In all.
    pub stolen_ns: Nanos,
    /// Less than this is not judged.
    pub judged_ns_min: Nanos,
    /// The share in the worst interval, where that is too much.
    pub worst_interval: Option<Ratio>,
}

/// What other programs used of the processors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForeignCpuShare {
    /// Of the time of all processors.
    pub share: Ratio,
    /// The limit that decided.
    pub limit: Ratio,
    /// Whether the run itself needs every processor, which makes the limit lower.
    pub needs_all: bool,
    /// Processors of the host.
    pub processors: f64,
    /// The programs that were seen.
    pub programs: Vec<ProgramCpu>,
    /// Processors of programs that cannot be seen from here; 0 where nothing is unaccounted for.
    pub unseen_processors: f64,
    /// Whether processes of the measured engine may be among them.
    pub may_be_engine: bool,
}

/// A program and what it used of the processors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramCpu {
    /// Its name.
    pub name: String,
    /// In processors.
    pub processors: f64,
}

/// What other programs read and wrote on the measured device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForeignIoShare {
    /// Of all bytes of the device.
    pub share: Ratio,
    /// The limit that decided.
    pub limit: Ratio,
    /// The programs that were seen.
    pub programs: Vec<ProgramIo>,
    /// Bytes per second of programs that cannot be seen or have ended; absent where they are few.
    pub unseen_bytes_per_second: Option<Rate>,
}

/// A program and what it read and wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramIo {
    /// Its name.
    pub name: String,
    /// Both directions together.
    pub bytes_per_second: Rate,
}

/// How long the processor quota of the control group held a run back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Throttling {
    /// Of the window; of several processors together it may exceed 1.
    pub share: Ratio,
    /// Above this the quota is what limits the run.
    pub limit: Ratio,
}

/// Pages that were brought in from swap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Swapping {
    /// In the window.
    pub pages: u64,
    /// Above this many per second the run is invalid.
    pub pages_per_second_max: f64,
}

/// Whether reads reached the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PageCache {
    /// Of an engine's reads.
    EngineReads {
        /// What the block layer read over what the engine read; absent where it is not known.
        device_share: Option<Ratio>,
        /// How the engine's reads reach the device; absent where that is not arranged by dbdyno.
        data_reads: Option<DataReads>,
    },
    /// Of files that a job of storage reads through the page cache.
    Files {
        /// The share that lay there when the window began; absent where it is not known.
        cached: Option<Ratio>,
        /// The limit that decided.
        limit: Ratio,
    },
    /// Of a run that is called cold.
    Cold {
        /// The share of the engine's files that lay in the page cache when the window began; absent where it is not known.
        cached: Option<Ratio>,
        /// The largest share of a cold run.
        limit: Ratio,
        /// What the block layer read over what the engine read; absent where that is not known, or next to nothing.
        device_share: Option<Ratio>,
    },
}

/// Tables against the engine's cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CacheFill {
    /// Of a test in memory whose reads are counted.
    Missed {
        /// Logical reads that the cache did not serve.
        share: Ratio,
        /// The most that it may be.
        limit: Ratio,
    },
    /// Of a test in memory whose reads are not counted.
    Inside {
        /// Size of the rows over size of the cache; may exceed 1; absent where it is not known.
        fill: Option<Ratio>,
    },
    /// Of a test whose tables should not fit.
    Outside {
        /// Size of the rows over size of the cache; absent where it is not known.
        multiple: Option<f64>,
        /// The least that it should be.
        multiple_min: f64,
    },
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
        /// The settings from which that follows.
        settings: String,
    },
    /// Commits wait, on another host whose flushes are not seen.
    Remote,
    /// Commits wait, and the device needs no flush.
    WriteThrough,
    /// Commits wait, and flushes are not counted.
    NotCounted,
    /// Commits wait, and flushes are counted.
    Counted {
        /// How many.
        flushes: u64,
        /// Who counted them.
        counted_by: FlushCounter,
        /// Commits of the run.
        commits: u64,
        /// Jobs that can share a flush.
        jobs: u32,
    },
}

/// Who counts flushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlushCounter {
    /// The block layer: flushes that the device completed.
    Device,
    /// The engine: syncs that it asked for.
    Engine,
}

/// Two levels between which a rate jumps, in steps per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLevels {
    /// Mean of the lower one.
    pub lower: Rate,
    /// Seconds in it.
    pub lower_seconds: u64,
    /// Mean of the upper one.
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
    /// The first of a job of storage.
    pub first: Option<FirstFailure>,
}

/// The first failure of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstFailure {
    /// The job.
    pub job: String,
    /// What the operating system answered.
    pub message: String,
}

/// Steps of an open loop against the rate that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Backlog {
    /// Every step that was due was done, at the rate that was asked for.
    Kept {
        /// The job of storage; absent where it is of the whole run.
        job: Option<String>,
    },
    /// Steps that were due were not begun.
    NotStarted {
        /// The job of storage; absent where it is of the whole run.
        job: Option<String>,
        /// How many.
        count: u64,
        /// Of all that were due.
        share: Ratio,
        /// Above this the run is invalid.
        limit: Ratio,
    },
    /// Every step was done in the end, at a lower rate.
    Slower {
        /// The job of storage; absent where it is of the whole run.
        job: Option<String>,
        /// The rate.
        done: Rate,
        /// The rate that was asked for.
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
    /// Too short to claim that the rate is steady.
    Short {
        /// The shortest for such a claim.
        window_ns_min: Nanos,
    },
    /// Too few steps for quantiles of their times.
    FewSteps {
        /// How many.
        steps: u64,
        /// How many it takes.
        steps_min: u64,
    },
    /// Much of what was written in the window was committed after it.
    CommittedLater {
        /// Committed after the window.
        late_bytes: Bytes,
        /// Of so many in all.
        committed_bytes: Bytes,
    },
}

/// Commits of others in an engine that dbdyno did not start.
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
    /// By the seconds of the window.
    Window {
        /// The verdict.
        verdict: SteadyVerdict,
        /// Why.
        reason: SteadyReason,
        /// The steady seconds; absent where there are none.
        counted: Option<SteadyRate>,
    },
    /// By the rounds of preconditioning: the rule of SNIA over the last of them.
    Rounds {
        /// Rounds that were made.
        rounds: u64,
        /// Rounds that the rule is about.
        rounds_needed: u64,
        /// What the rule says; absent where the rounds with I/O are too few.
        rule: Option<SniaRule>,
    },
}

/// The rule of SNIA over the last rounds of preconditioning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SniaRule {
    /// By how much they differ.
    pub range: Ratio,
    /// The most that it may be.
    pub range_max: Ratio,
    /// By how much their trend changes.
    pub rise: Ratio,
    /// The most that it may be.
    pub rise_max: Ratio,
}

/// Response times against a service level, which is written as `p99=5ms`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Bound {
    /// What is to be kept is no service level.
    Invalid {
        /// As it was written.
        level: String,
    },
    /// Of one run.
    Level {
        /// The service level.
        level: String,
        /// Its statistic: `p99`, `mean`, `max`.
        statistic: String,
        /// What that is of the response times; absent where it is not known.
        value_ns: Option<Nanos>,
        /// Where a search had the run made to confirm its answer.
        confirms: Option<Confirmation>,
    },
    /// Of a search for the highest rate, at its last run.
    Search(Box<SearchAnswer>),
}

/// What a run of a search confirms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confirmation {
    /// That the level is kept at the rate that was found.
    AtLimit,
    /// That it is not kept 10 % above.
    AboveLimit,
}

/// The answer of a search for the highest rate that keeps a service level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchAnswer {
    /// The service level.
    pub level: String,
    /// Whether rates are I/Os per second of a job of storage, and not steps per second.
    pub of_storage: bool,
    /// The rate; absent where none was found.
    pub rate: Option<RateInterval>,
    /// How it ended.
    pub ending: SearchEnding,
}

/// A rate with the 95 % interval of a repeat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateInterval {
    /// The rate.
    pub estimate: Rate,
    /// The lower end.
    pub low: Rate,
    /// Whether that is only the lowest rate that was tried.
    pub low_is_outermost: bool,
    /// The upper end.
    pub high: Rate,
    /// Whether that is only the highest rate that was tried.
    pub high_is_outermost: bool,
}

/// How a search for a rate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchEnding {
    /// The level is kept at the rate and broken 10 % above.
    Confirmed,
    /// It is not broken 10 % above.
    NotConfirmed,
    /// Rates that keep it, or that break it, are missing.
    OneSided,
}

/// What became of the nodes of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum NodeLoss {
    /// All of them answered.
    None {
        /// How many.
        nodes: u32,
    },
    /// Nodes were lost.
    Lost {
        /// Which, in the order of time.
        nodes: Vec<LostNode>,
    },
}

/// A node that was lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LostNode {
    /// The node, counted from 1.
    pub node: u32,
    /// What it is called.
    pub name: String,
    /// How it was lost in the run; absent where it was gone before.
    pub loss: Option<Loss>,
}

/// The loss of a node in mid-run, and the rates around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Loss {
    /// When, from the beginning of the window.
    pub at_ns: Nanos,
    /// Jobs that ended with it.
    pub jobs: u32,
    /// Operations per second of all nodes in the whole seconds before; absent where there are none.
    pub before: Option<Rate>,
    /// Operations per second in the whole seconds after; absent where there are none.
    pub after: Option<Rate>,
    /// Whole seconds in which nothing was done; absent where there are none.
    pub standstill_seconds: Option<u64>,
}
