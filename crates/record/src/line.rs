//! Lines of a record on disk: a head, then one line per event.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentHost, DataSet, EngineInventory, HostInventory, HostState, Instrument, LocalRoundTrips, NodeInventory,
    ObservedHost, Plan, PlannedRun, Run, Status, Timestamp, Tool, Unproved,
};

/// Value of [`Head::format`].
pub const FORMAT: &str = "dbdyno record";

/// One line of the file: an object with one member, whose name is the kind of line. Only the first line is a head. `R`
/// is the run, or the part of it that is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Line<R = Box<Run>> {
    /// Everything that is known before the first run.
    Head(Box<Head>),
    /// A run that was added to the plan during the measurement.
    Planned(PlannedRun),
    /// Runs that are removed from the plan: they were not executed before the record was resumed, and are decided
    /// again.
    Unplanned {
        /// Their numbers.
        numbers: Vec<u32>,
    },
    /// A table; replaces an earlier one of the same name.
    DataSet(DataSet),
    /// A finished run; replaces an earlier one of the same number.
    Run(R),
    /// Limits that could not be tested; replaces an earlier list.
    Unproved(Vec<Unproved>),
    /// The record is resumed: an earlier end no longer applies.
    Resumed {
        /// Numbers of failed runs, which are repeated and removed from the record.
        repeated: Vec<u32>,
    },
    /// The invocation is over.
    End(Box<End>),
}

/// The part of a record that is known before its first run. The fields are those of the whole record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// [`FORMAT`].
    pub format: String,
    /// Version of the format of records of the writer.
    pub schema_version: u32,
    /// Name of the record, by time and host of its start.
    pub id: String,
    /// The program.
    pub tool: Tool,
    /// Start of the invocation.
    pub started_at: Timestamp,
    /// The plan.
    pub plan: Plan,
    /// The machine at the start.
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
}

/// How an invocation ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Status.
    pub status: Status,
    /// Why it was aborted, if it was.
    pub reason: Option<String>,
    /// End of the invocation.
    pub ended_at: Option<Timestamp>,
    /// State of the machine then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_at_end: Option<HostState>,
}
