//! Other hosts that do a part of the work, as agents on them counted: that of a server, and those of storage.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ForeignLoad, HostInventory, Nanos, Reading};

/// A host that an agent observes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservedHost {
    /// Its name, as it was given.
    pub name: String,
    /// Program of the server's processes; absent where the kernel serves, such as the target of a fabric.
    pub program: Option<String>,
    /// Whether it is the machine of dbdyno: client and server are then other programs to each other.
    pub is_same_machine: bool,
    /// Directory of the data, or their device, which is counted; absent if it is not known.
    pub directory: Option<String>,
    /// The machine, with file system and devices of the directory.
    pub host: HostInventory,
}

/// What an observed host counted during a run. Its `client_` counters are those of the agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservedRun {
    /// Raw readings, by the clock of the measuring host: the middle between question and answer.
    pub readings: Vec<Reading>,
    /// The error of these times: half of the longest round trip.
    pub time_error_ns: Nanos,
    /// Load of programs other than the server and the agent; absent if not measured.
    pub foreign_load: Option<ForeignLoad>,
}
