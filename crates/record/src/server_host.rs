//! The host of a server that is measured from another one, as an agent on it counted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ForeignLoad, HostInventory, Nanos, Reading};

/// The host of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerHost {
    /// Its name, as it was given.
    pub name: String,
    /// Program of the server's processes.
    pub program: String,
    /// Whether it is the machine of dbdyno: client and server are then other programs to each other.
    pub is_same_machine: bool,
    /// Directory of the server's data, whose device is counted; absent if it cannot be read.
    pub directory: Option<String>,
    /// The machine, with file system and devices of the directory.
    pub host: HostInventory,
}

/// What the host of the server counted during a run. Its `client_` counters are those of the agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerHostRun {
    /// Raw readings, by the clock of the measuring host: the middle between question and answer.
    pub readings: Vec<Reading>,
    /// The error of these times: half of the longest round trip.
    pub time_error_ns: Nanos,
    /// Load of programs other than the server and the agent; absent if not measured.
    pub foreign_load: Option<ForeignLoad>,
}
