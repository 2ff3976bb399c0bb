//! The lines of a record on disk: what is known when it begins, then what happens, each as it happens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    DataSet, EngineInventory, HostInventory, HostState, Instrument, NodeInventory, Plan, PlannedRun, Run, Status,
    Timestamp, Tool, Unproved,
};

/// What [`Head::format`] holds.
pub const FORMAT: &str = "dbdyno record";

/// One line of the file: an object of one member, whose name says what it is. The first line is the head, and no other
/// is. `R` is the run, or as much of it as is looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Line<R = Box<Run>> {
    /// What is known before the first run.
    Head(Box<Head>),
    /// A run that was added to the plan when what was measured so far had decided it.
    Planned(PlannedRun),
    /// Runs that are no longer of the plan: they had not been carried out when the record was gone on with, and are decided
    /// anew.
    Unplanned {
        /// Their numbers.
        numbers: Vec<u32>,
    },
    /// A table; it replaces an earlier one of the same name.
    DataSet(DataSet),
    /// A run that is finished; it replaces an earlier one of the same number.
    Run(R),
    /// What was to be proved and could not be tried; the list replaces an earlier one.
    Unproved(Vec<Unproved>),
    /// The record is gone on with: what an earlier end said holds no longer.
    Resumed {
        /// Numbers of the runs that failed before. They are carried out again, and no longer of the record.
        repeated: Vec<u32>,
    },
    /// The invocation is over.
    End(Box<End>),
}

/// What is known of a record before its first run. The fields are those of [`crate::Record`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// [`FORMAT`].
    pub format: String,
    /// [`crate::SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// Name of the record: when and where it was begun.
    pub id: String,
    /// The program.
    pub tool: Tool,
    /// When the invocation began.
    pub started_at: Timestamp,
    /// What it was asked to do.
    pub plan: Plan,
    /// The machine that dbdyno ran on, as it was at the beginning.
    pub host: HostInventory,
    /// The engine; absent where only probes were run.
    pub engine: Option<EngineInventory>,
    /// Its nodes, where it has several, in the order in which runs use them: the first takes writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeInventory>,
    /// What dbdyno itself costs.
    pub instrument: Instrument,
}

/// How an invocation ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// How far it came.
    pub status: Status,
    /// Why it was broken off, if it was.
    pub reason: Option<String>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What the machine was like then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_at_end: Option<HostState>,
}
