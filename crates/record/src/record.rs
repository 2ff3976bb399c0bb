//! The record: all that one invocation measured and found out about the platform. The only thing that is stored,
//! compared and reported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Bytes, EngineInventory, HostInventory, Instrument, Nanos, NodeInventory, Plan, Run, Timestamp, Tool, Unproved,
};

/// The version of the format. A reader refuses any other one.
pub const SCHEMA_VERSION: u32 = 1;

/// How far the invocation came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Runs are still to come, or the process died before it could say otherwise.
    Running,
    /// All runs of the plan were carried out.
    Finished,
    /// The user broke it off.
    Interrupted,
    /// The environment broke it off.
    Failed,
}

/// A table that was generated and loaded, or found and used again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataSet {
    /// Name of the table.
    pub table: String,
    /// Rows in it.
    pub rows: u64,
    /// Bytes of the rows as they were generated, in the widths of the columns.
    pub size_bytes: Bytes,
    /// Identifies generator, seed and size; equal fingerprints mean equal data.
    pub fingerprint: String,
    /// Whether an existing table with this fingerprint was used.
    pub reused: bool,
    /// Sessions that loaded in parallel.
    pub jobs: u32,
    /// From the first row to the last acknowledged one, indexes not included; absent where reused.
    pub load_ns: Option<Nanos>,
    /// Indexes, statistics and what else the engine does after a load; absent where reused.
    pub finish_ns: Option<Nanos>,
    /// Processor time spent on generating and encoding rows, where it can be told from the engine's.
    pub generator_cpu_ns: Option<Nanos>,
    /// Processor time of the engine's processes while loading, where it can be told from ours.
    pub server_cpu_ns: Option<Nanos>,
}

/// All that one invocation measured. On disk it is [`crate::Line`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// Name of the record: when and where it was begun.
    pub id: String,
    /// The program.
    pub tool: Tool,
    /// When the invocation began.
    pub started_at: Timestamp,
    /// When it ended; absent while it runs.
    pub ended_at: Option<Timestamp>,
    /// How far it came.
    pub status: Status,
    /// Why it was broken off, if it was.
    pub reason: Option<String>,
    /// What it was asked to do.
    pub plan: Plan,
    /// The machine that dbdyno ran on.
    pub host: HostInventory,
    /// The engine; absent where only probes were run.
    pub engine: Option<EngineInventory>,
    /// Its nodes, where it has several, in the order in which runs use them: the first takes writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeInventory>,
    /// What dbdyno itself costs.
    pub instrument: Instrument,
    /// The tables that were measured.
    pub data_sets: Vec<DataSet>,
    /// The runs that are finished, in the order in which they were carried out.
    pub runs: Vec<Run>,
    /// What was to be proved of tests, and could not be tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unproved: Vec<Unproved>,
}
