//! One run: one test at one degree of parallelism, one row of the result table.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Activity, Bytes, Dop, FileStreams, Finding, ForeignLoad, Latency, Load, Nanos, Pace, PlannedRun, RandomBlocks,
    Reading, RunKind, Second, Slices, Storage, Timestamp, Trace, Variation,
};

fn is_false(value: &bool) -> bool {
    !value
}

/// How an engine's reads of data that are not in its own cache reach the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataReads {
    /// Past the page cache of the operating system: the engine opens its files with `O_DIRECT`.
    Direct,
    /// Through the page cache, out of which dbdyno drops them again all the while (`posix_fadvise`, `DONTNEED`).
    Dropped,
    /// Through the page cache, which serves what it holds.
    PageCache {
        /// Why nothing was done about that.
        reason: String,
    },
}

impl DataReads {
    /// In one word.
    pub fn word(&self) -> &'static str {
        match self {
            DataReads::Direct => "direct",
            DataReads::Dropped => "dropped",
            DataReads::PageCache { .. } => "page_cache",
        }
    }
}

/// The layer of the platform that a test is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Processors.
    Cpu,
    /// Main memory.
    Memory,
    /// Storage, through the engine or without it.
    Storage,
    /// SQL on data that lies in the buffer cache.
    Server,
    /// The whole database.
    Database,
}

impl Layer {
    /// As it is written on the command line and in test files.
    pub fn word(self) -> &'static str {
        match self {
            Layer::Cpu => "cpu",
            Layer::Memory => "memory",
            Layer::Storage => "storage",
            Layer::Server => "server",
            Layer::Database => "database",
        }
    }
}

/// What an operation of a test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// An arithmetic or string operation.
    Operation,
    /// A row.
    Row,
    /// A statement.
    Statement,
    /// A transaction.
    Transaction,
    /// A call of a function.
    Call,
    /// A number that was examined.
    Number,
    /// An element that was sorted.
    Element,
    /// A block.
    Block,
    /// A byte.
    Byte,
    /// A load from memory that the next one depends on.
    Load,
}

/// Which degree of parallelism a test varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sweep {
    /// Concurrent sessions (#J).
    Jobs,
    /// Threads inside one statement (#T).
    Threads,
}

/// Why a step failed. A closed set: each engine maps its own codes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The engine chose this transaction as the victim of a deadlock.
    Deadlock,
    /// The isolation level could not be kept.
    Serialization,
    /// A lock was not had in time.
    LockTimeout,
    /// A uniqueness or other constraint was violated.
    Constraint,
    /// The statement was cancelled.
    Cancelled,
    /// Anything else that the engine refused while the session lives on.
    Other,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum Outcome {
    /// It was carried out as planned.
    Done,
    /// It broke off; what was counted until then is kept and is not a result.
    Failed {
        /// What happened, and where known a hint.
        message: String,
    },
}

/// What was counted, of all jobs together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Steps of the loop that were done, failed ones included.
    pub steps: u64,
    /// Operations, in the unit of the test, of steps that succeeded.
    pub operations: u64,
    /// Rows returned, changed or loaded.
    pub rows: u64,
    /// Transactions that the engine should have committed.
    pub transactions: u64,
    /// Bytes, where the test counts them itself (bulk load, memory).
    pub bytes: Option<Bytes>,
    /// Failed steps by kind.
    pub failures: BTreeMap<FailureKind, u64>,
    /// Steps that were due within the window and had not begun when the run was ended; they stand in the response
    /// histogram with the age that they had reached.
    pub unfinished: u64,
}

/// Which probe of the same record bounds a test, and in which unit the two are held against each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ceiling {
    /// The code of the probe.
    pub probe: String,
    /// What both count: operations of the test over operations of the probe, or bytes over bytes.
    pub unit: Unit,
}

/// Where the tables of a test should lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheFit {
    /// Inside the engine's buffer cache.
    Inside,
    /// Larger than it.
    Outside,
}

/// What the jobs on one node did, in a run that spread them over several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeRun {
    /// Its place among the nodes of the engine, counted from 1.
    pub node: u32,
    /// How many of the jobs worked on it.
    pub jobs: u32,
    /// What they counted.
    pub totals: Totals,
    /// Begun to done.
    pub service: Latency,
    /// Due to done.
    pub response: Latency,
    /// Second by second.
    #[serde(with = "crate::series::columns")]
    #[schemars(with = "crate::series::Columns")]
    pub seconds: Vec<Second>,
    /// Its own counters at the beginning and at the end of the window; the reading that it did not give is absent.
    pub readings: Vec<Reading>,
}

/// Something that happened to a node while a run went on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeEvent {
    /// When it was noticed, from the beginning of the window.
    pub at_ns: Nanos,
    /// The node, counted from 1.
    pub node: u32,
    /// What it is called.
    pub name: String,
    /// What happened.
    pub kind: NodeEventKind,
    /// How many jobs ended with it, each in the middle of a step.
    pub jobs: u32,
    /// What the engine said.
    pub message: String,
}

/// What can happen to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeEventKind {
    /// It answers no more, and the run went on without it.
    Lost,
    /// It had been lost before the run began.
    Gone,
}

/// One row of the result table, with everything that it is derived from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Position in the plan, counted from 1.
    pub number: u32,
    /// The code of the test or probe.
    pub test: String,
    /// What kind of run it is; a test of an engine where it is absent.
    #[serde(default, skip_serializing_if = "RunKind::is_test")]
    pub kind: RunKind,
    /// What it is, in a few words.
    pub title: String,
    /// The layer it is about.
    pub layer: Layer,
    /// What an operation is.
    pub unit: Unit,
    /// Which degree of parallelism the test varies.
    pub sweep: Sweep,
    /// Degree of parallelism of this run.
    pub dop: Dop,
    /// In what it differs from the plain run of the test; absent where it is the plain one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variation: Option<Variation>,
    /// When its steps were due.
    pub pace: Pace,
    /// What it is held against.
    pub ceiling: Option<Ceiling>,
    /// Whether the test wants its tables inside or outside the engine's cache; absent where it does not matter.
    pub cache_fit: Option<CacheFit>,
    /// How the engine's reads of data reached the device; absent where it does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_reads: Option<DataReads>,
    /// Size of the tables that it works on, as they were generated.
    pub data_bytes: Option<Bytes>,
    /// Commits that the engine should have counted for the steps; absent where it does not count such transactions.
    pub commits_expected: Option<u64>,
    /// Whether its transactions change the database, so that each commit has to reach stable storage.
    pub changes: bool,
    /// Numbers that the test was run with (`n` of the Fibonacci test, ...).
    pub parameters: BTreeMap<String, i64>,
    /// When the window began.
    pub started_at: Timestamp,
    /// From the release of the jobs to the end of the last step.
    pub window_ns: Nanos,
    /// Whether its jobs had ends of their own, a number of steps each or work that was done, so that the faster ones had
    /// nothing to do at the end.
    #[serde(default, skip_serializing_if = "is_false")]
    pub jobs_ended_apart: bool,
    /// How it ended.
    pub outcome: Outcome,
    /// What was counted.
    pub totals: Totals,
    /// Begun to done.
    pub service: Latency,
    /// Due to done.
    pub response: Latency,
    /// Second by second.
    #[serde(with = "crate::series::columns")]
    #[schemars(with = "crate::series::Columns")]
    pub seconds: Vec<Second>,
    /// How the response times were distributed over time; absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Slices>,
    /// Raw readings: the first at the beginning of the window, the last at its end, host counters also in between.
    pub readings: Vec<Reading>,
    /// What other programs did meanwhile; absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign_load: Option<Box<ForeignLoad>>,
    /// The same node by node, in a run that spread its jobs over several; empty otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeRun>,
    /// What happened to nodes meanwhile, in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<NodeEvent>,
    /// What a run of storage has beside this; absent for every other run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Box<Storage>>,
    /// What the sessions of the engine were found doing meanwhile; absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<Activity>,
    /// What the layers below the engine said of their latencies; absent where the run was not traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Box<Trace>>,
    /// What a run of random blocks has beside this; absent for every other run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Box<RandomBlocks>>,
    /// What a run that loads a flat file has beside this; absent for every other run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Box<Load>>,
    /// What a run of file streams has beside this; absent for every other run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<Box<FileStreams>>,
    /// What the self-checks say.
    pub findings: Vec<Finding>,
}

impl Run {
    /// A run of `planned` at `pace` in which nothing has happened yet, begun at `started_at`.
    pub fn new(planned: &PlannedRun, pace: Pace, started_at: Timestamp) -> Run {
        Run {
            number: planned.number,
            test: planned.test.clone(),
            kind: planned.kind.clone(),
            title: String::new(),
            layer: Layer::Cpu,
            unit: Unit::Operation,
            sweep: Sweep::Jobs,
            dop: planned.dop,
            variation: planned.variation,
            pace,
            ceiling: None,
            cache_fit: None,
            data_reads: None,
            data_bytes: None,
            commits_expected: None,
            changes: false,
            parameters: BTreeMap::new(),
            started_at,
            window_ns: Nanos(0),
            jobs_ended_apart: false,
            outcome: Outcome::Done,
            totals: Totals::default(),
            service: Latency::default(),
            response: Latency::default(),
            seconds: Vec::new(),
            slices: None,
            readings: Vec::new(),
            foreign_load: None,
            nodes: Vec::new(),
            events: Vec::new(),
            storage: None,
            activity: None,
            trace: None,
            blocks: None,
            load: None,
            streams: None,
            findings: Vec::new(),
        }
    }
}
