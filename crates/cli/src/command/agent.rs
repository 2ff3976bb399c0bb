//! `dbdyno agent`: takes part in a fleet.

use std::io::stdin;
use std::path::Path;

use fleet::{Agent, read_ticket};
use record::{Hello, PROTOCOL_VERSION, SCHEMA_VERSION, Tool};
use run::{Error, Result};

use crate::arguments::fleet::AgentArguments;
use crate::build::build;

/// Carries out `dbdyno agent`.
///
/// # Errors
/// Where there is no ticket, the fleet cannot be joined, or its coordinator is gone.
pub fn agent(arguments: &AgentArguments) -> Result<()> {
    if arguments.join != "-" {
        // What was given may be a ticket, which is not shown.
        return Err(Error::user("a ticket is read from the standard input only")
            .hint("use --join -: other users can read arguments"));
    }
    let ticket = read_ticket(stdin().lock()).map_err(|error| {
        Error::user(error.message).hint("`dbdyno fleet` starts agents and hands them their tickets")
    })?;
    Agent::join(&ticket, &hello()).and_then(|mut agent| agent.follow()).map_err(refused)
}

/// What an agent of this program says of itself.
pub fn hello() -> Hello {
    Hello {
        protocol_version: PROTOCOL_VERSION,
        schema_version: SCHEMA_VERSION,
        catalogue_crc32c: workload::catalogue_crc32c(),
        tool: Tool {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            optimised: !cfg!(debug_assertions),
            build: Some(build()),
        },
        boot_id: host::boot_id(),
        host: host::inventory(Path::new(".")),
    }
}

/// What the environment refuses to a fleet.
pub fn refused(error: fleet::Error) -> Error {
    let refused = Error::environment(error.message);
    match error.hint {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
}
