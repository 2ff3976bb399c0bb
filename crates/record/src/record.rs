//! The record: all results of one invocation. It is the only thing that is stored, compared and reported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentHost, Bytes, EngineInventory, HostInventory, Instrument, LocalRoundTrips, Nanos, NodeInventory, ObservedHost,
    Plan, Run, Timestamp, Tool, Unproved,
};

/// The version of the format. Readers refuse other versions.
pub const SCHEMA_VERSION: u32 = 1;

/// Status of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// In progress, or the process was killed.
    Running,
    /// All runs of the plan are finished.
    Finished,
    /// Aborted by the user.
    Interrupted,
    /// Aborted by an error.
    Failed,
}

/// A table that was generated and loaded, or reused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataSet {
    /// Name of the table.
    pub table: String,
    /// Number of rows.
    pub rows: u64,
    /// Bytes of the generated rows, by the widths of the columns.
    pub size_bytes: Bytes,
    /// Fingerprint of generator, seed and size; equal for equal data.
    pub fingerprint: String,
    /// Whether an existing table with this fingerprint was reused.
    pub reused: bool,
    /// Parallel load sessions.
    pub jobs: u32,
    /// From the first row to the last acknowledged one, without indexes; absent if reused.
    pub load_ns: Option<Nanos>,
    /// Time of index builds, statistics and other work after the load; absent if reused.
    pub finish_ns: Option<Nanos>,
    /// CPU time of generating and encoding rows, if separable from that of the engine.
    pub generator_cpu_ns: Option<Nanos>,
    /// CPU time of the engine's processes while loading, if separable from that of dbdyno.
    pub server_cpu_ns: Option<Nanos>,
}

/// All results of one invocation. Stored as [`crate::Line`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// Name of the record, by time and host of its start.
    pub id: String,
    /// The program.
    pub tool: Tool,
    /// Start of the invocation.
    pub started_at: Timestamp,
    /// End of the invocation; absent while it runs.
    pub ended_at: Option<Timestamp>,
    /// Status.
    pub status: Status,
    /// Why it was aborted, if it was.
    pub reason: Option<String>,
    /// The plan.
    pub plan: Plan,
    /// The machine of dbdyno.
    pub host: HostInventory,
    /// The machines of the server, where agents observed them: one for each node, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_hosts: Vec<ObservedHost>,
    /// The machines of storage on a network, where agents observed them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub storage_hosts: Vec<ObservedHost>,
    /// The machines of agents on other hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agent_hosts: Vec<AgentHost>,
    /// The engine; absent if only probes were run.
    pub engine: Option<EngineInventory>,
    /// Its nodes, if it has several, in the order of use: the first accepts writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeInventory>,
    /// Overhead of dbdyno.
    pub instrument: Instrument,
    /// Round trips between two threads of this host; absent unless the engine is reached over a socket of this host, and in
    /// records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_round_trips: Option<LocalRoundTrips>,
    /// The measured tables.
    pub data_sets: Vec<DataSet>,
    /// Finished runs, in order of execution.
    pub runs: Vec<Run>,
    /// Tests whose limit could not be tested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unproved: Vec<Unproved>,
}

impl Record {
    /// What tells this record from others of the same name: name and time.
    pub fn key(&self) -> String {
        format!("{} {}", self.id, self.started_at.0)
    }
}
