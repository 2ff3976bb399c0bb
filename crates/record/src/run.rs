//! One run: one test at one degree of parallelism, one row of the result table.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Activity, AgentRun, Bytes, CacheFit, Ceiling, Crash, DataReads, DatabaseState, Dop, FileStreams, Finding,
    ForeignLoad, GaugeRun, Latency, Layer, Load, LoadBesideRun, Nanos, ObservedRun, Outcome, Owed, Pace, PlannedRun,
    RandomBlocks, Reading, RequestedCheckpoints, RunKind, Second, Settling, Slices, Storage, Sweep, Timestamp, Totals,
    Trace, TransactionType, Unit, Variation,
};

fn is_false(value: &bool) -> bool {
    !value
}

/// Results of one node, in a run over several nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeRun {
    /// Number of the node, counted from 1.
    pub node: u32,
    /// Number of its jobs.
    pub jobs: u32,
    /// Totals.
    pub totals: Totals,
    /// From start to end.
    pub service: Latency,
    /// From intended start to end.
    pub response: Latency,
    /// Second by second.
    #[serde(with = "crate::series::columns")]
    #[schemars(with = "crate::series::Columns")]
    pub seconds: Vec<Second>,
    /// Its counters at the start and end of the window; a missing reading is absent.
    pub readings: Vec<Reading>,
}

/// An event of a node during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeEvent {
    /// Time of detection, from the start of the window.
    pub at_ns: Nanos,
    /// The node, counted from 1.
    pub node: u32,
    /// Its name.
    pub name: String,
    /// Kind of event.
    pub kind: NodeEventKind,
    /// Number of jobs that ended with it.
    pub jobs: u32,
    /// Message of the engine.
    pub message: String,
}

/// Kinds of node events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeEventKind {
    /// It stopped responding, and the run continued without it.
    Lost,
    /// It was lost before the run.
    Gone,
}

/// Threads of dbdyno that several jobs of a run shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientThreads {
    /// Their number.
    pub threads: u32,
    /// How they waited for answers.
    pub method: WaitMethod,
    /// Upper bound of the time for which an answer lay unseen, because its thread was at work for other jobs: the median, of
    /// several agents the largest.
    pub unseen_ns_p50: Nanos,
    /// The same, of 99 %.
    pub unseen_ns_p99: Nanos,
    /// The same, of all.
    pub unseen_ns_max: Nanos,
}

/// How a thread waits for the answers of several sessions, the better way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitMethod {
    /// By io_uring.
    IoUring,
    /// By `epoll`.
    Epoll,
}

/// A run: one row of the result table, with all underlying data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Position in the plan, counted from 1.
    pub number: u32,
    /// The code of the test or probe.
    pub test: String,
    /// Kind of run; absent for a test of an engine.
    #[serde(default, skip_serializing_if = "RunKind::is_test")]
    pub kind: RunKind,
    /// Short description.
    pub title: String,
    /// Layer.
    pub layer: Layer,
    /// Unit of operations.
    pub unit: Unit,
    /// The degree of parallelism that the test varies.
    pub sweep: Sweep,
    /// Degree of parallelism of this run.
    pub dop: Dop,
    /// Variation of the plain run of the test; absent for the plain run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variation: Option<Variation>,
    /// Pace.
    pub pace: Pace,
    /// Ceiling.
    pub ceiling: Option<Ceiling>,
    /// Whether the tables should fit the buffer cache; absent if irrelevant.
    pub cache_fit: Option<CacheFit>,
    /// Whether each of its rows is at a random place of its tables, all places alike.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rows_at_random: bool,
    /// What was done before the warm-up so that the run begins in a known state; absent for probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settling: Option<Settling>,
    /// What it left to be written back after its window; absent where it changes nothing, and where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owed: Option<Owed>,
    /// The database when the window began; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_at_begin: Option<Box<DatabaseState>>,
    /// The same when the window had ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_at_end: Option<Box<DatabaseState>>,
    /// How data reads of the engine reach the device; absent if irrelevant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_reads: Option<DataReads>,
    /// Checkpoints that it asks the engine for; absent where its test wants none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<Box<RequestedCheckpoints>>,
    /// Size of its tables, as generated.
    pub data_bytes: Option<Bytes>,
    /// Commits that the engine should have counted; absent if it does not count such transactions.
    pub commits_expected: Option<u64>,
    /// Whether its transactions change the database, so that commits must be durable.
    pub changes: bool,
    /// Whether some of its transactions may change nothing, so that it needs fewer flushes than it has commits.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reads_too: bool,
    /// Numeric parameters of the test (`n` of the Fibonacci test, ...).
    pub parameters: BTreeMap<String, i64>,
    /// Threads that its jobs shared; absent where each had its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_threads: Option<ClientThreads>,
    /// The largest difference between the clock of its latencies and CLOCK_MONOTONIC; absent where that is the clock,
    /// and in a run of a fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_difference_ns_max: Option<Nanos>,
    /// Start of the window.
    pub started_at: Timestamp,
    /// From the start of the window to the end of the last step.
    pub window_ns: Nanos,
    /// Whether jobs ended at different times, after a number of steps or when their work was done, so that faster jobs
    /// were idle at the end.
    #[serde(default, skip_serializing_if = "is_false")]
    pub jobs_ended_separately: bool,
    /// Outcome.
    pub outcome: Outcome,
    /// Totals.
    pub totals: Totals,
    /// From start to end.
    pub service: Latency,
    /// From intended start to end.
    pub response: Latency,
    /// From intended to actual start, of steps whose job was idle when they were due: how late the thread of the job woke
    /// up, which is part of their response times and none of the engine's. Absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_lag: Option<Box<Latency>>,
    /// Second by second.
    #[serde(with = "crate::series::columns")]
    #[schemars(with = "crate::series::Columns")]
    pub seconds: Vec<Second>,
    /// Response times over time; absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Slices>,
    /// Raw readings: the first at the start of the window, the last at its end, host counters also in between.
    pub readings: Vec<Reading>,
    /// Load of other programs; absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign_load: Option<Box<ForeignLoad>>,
    /// Viewers who followed the record live through `dbdyno serve` on this host while the run was made; absent where
    /// nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_viewers: Option<NonZeroU32>,
    /// What the hosts of the server counted, those of the nodes of the run, by their names; without those whose agent
    /// gave no answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub server_hosts: BTreeMap<String, ObservedRun>,
    /// What the hosts of storage counted, by their names; without those whose agent gave no answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub storage_hosts: BTreeMap<String, ObservedRun>,
    /// Results by node, in a run over several nodes; empty otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeRun>,
    /// Node events, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<NodeEvent>,
    /// Results by agent, in a run of a fleet; empty otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentRun>,
    /// Results of I/O jobs; absent for other runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Box<Storage>>,
    /// Sampled activity of the sessions; absent if not sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<Activity>,
    /// Latencies of the layers below the engine; absent if not traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Box<Trace>>,
    /// Results of random blocks; absent for other runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Box<RandomBlocks>>,
    /// Results of a load; absent for other runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Box<Load>>,
    /// Results of file streams; absent for other runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<Box<FileStreams>>,
    /// The types of its transactions, where it is one of scripts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transaction_types: Vec<TransactionType>,
    /// Its gauges, where its test has some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gauges: Vec<GaugeRun>,
    /// Its crashes, where it has some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crashes: Vec<Crash>,
    /// What the loads beside it did, in the order of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads_beside: Vec<LoadBesideRun>,
    /// Findings of the self-checks.
    pub findings: Vec<Finding>,
}

impl Run {
    /// An empty run of `planned` at `pace`, started at `started_at`.
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
            rows_at_random: false,
            settling: None,
            owed: None,
            state_at_begin: None,
            state_at_end: None,
            data_reads: None,
            checkpoints: None,
            data_bytes: None,
            commits_expected: None,
            changes: false,
            reads_too: false,
            parameters: BTreeMap::new(),
            client_threads: None,
            clock_difference_ns_max: None,
            started_at,
            window_ns: Nanos(0),
            jobs_ended_separately: false,
            start_lag: None,
            outcome: Outcome::Done,
            totals: Totals::default(),
            service: Latency::default(),
            response: Latency::default(),
            seconds: Vec::new(),
            slices: None,
            readings: Vec::new(),
            foreign_load: None,
            live_viewers: None,
            server_hosts: BTreeMap::new(),
            storage_hosts: BTreeMap::new(),
            nodes: Vec::new(),
            events: Vec::new(),
            agents: Vec::new(),
            storage: None,
            activity: None,
            trace: None,
            blocks: None,
            load: None,
            streams: None,
            transaction_types: Vec::new(),
            gauges: Vec::new(),
            crashes: Vec::new(),
            loads_beside: Vec::new(),
            findings: Vec::new(),
        }
    }
}
