//! The host of a server that is measured from another one, as an agent on it counted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ForeignLoad, Hello, HostInventory, Nanos, Reading};

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
    /// Name of the host.
    pub name: String,
    /// Raw readings, by the clock of the measuring host: the middle between question and answer.
    pub readings: Vec<Reading>,
    /// The error of these times: half of the longest round trip.
    pub time_error_ns: Nanos,
    /// Load of programs other than the server and the agent; absent if not measured.
    pub foreign_load: Option<ForeignLoad>,
}

/// A question to an agent that observes its host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToObserver {
    /// Which server to observe. It is found by its program, or by the port on which it listens.
    Watch {
        /// Program of its processes.
        program: Option<String>,
        /// The port.
        port: Option<u16>,
        /// Directory of its data; absent for the working directory of its first process.
        directory: Option<String>,
    },
    /// A window is about to begin: processes are listed.
    Scan,
    /// The counters now.
    Read,
    /// The window is over: the load of other programs since the last [`ToObserver::Scan`].
    Load,
}

/// The answer to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromObserver {
    /// The first message, before any question.
    Hello(Box<Hello>),
    /// The server that is observed; its name, and whether it is the same machine, are not filled in.
    Watching(Box<ServerHost>),
    /// Processes are listed.
    Scanned,
    /// The counters, by the names of [`crate::name`].
    Counters(BTreeMap<String, u64>),
    /// The load of other programs.
    Load(ForeignLoad),
    /// It cannot be done.
    Refused {
        /// Why, with a hint.
        message: String,
    },
}
