//! Agents of this program: how they are started, what they say of themselves, and their directories.

use std::fs;
use std::path::Path;

use fleet::{Deployment, RemoteHost};
use record::{Hello, PROTOCOL_VERSION, SCHEMA_VERSION, Tool};
use run::{Error, Result};
use tempfile::TempDir;

use crate::arguments::fleet::AgentsArguments;
use crate::build::build;

/// The agents that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agents {
    /// So many on this machine.
    Here(u32),
    /// One on each of these hosts.
    On(Vec<RemoteHost>),
}

impl Agents {
    /// The agents of `arguments`.
    ///
    /// # Errors
    /// For a file of hosts that cannot be read, or has a line that is none.
    pub fn of(arguments: &AgentsArguments) -> Result<Agents> {
        let Some(path) = &arguments.hosts else { return Ok(Agents::Here(arguments.agents.unwrap_or(1))) };
        let text = fs::read_to_string(path).map_err(|error| {
            Error::user(format!("the file of hosts {} cannot be read: {error}", path.display()))
                .hint("write one line for each host")
        })?;
        let hosts = RemoteHost::parse_file(&text);
        let hosts = hosts.map_err(|error| as_users(error, &path.display().to_string()))?;
        Ok(Agents::On(hosts))
    }

    /// Their number.
    pub fn count(&self) -> u32 {
        match self {
            Agents::Here(count) => *count,
            Agents::On(hosts) => hosts.len() as u32,
        }
    }

    /// The names of the agents on other hosts; none for those of this machine.
    pub fn hosts(&self) -> Vec<String> {
        match self {
            Agents::Here(_) => Vec::new(),
            Agents::On(hosts) => hosts.iter().map(|host| host.name.clone()).collect(),
        }
    }

    /// Starts them; those of this machine use `directory`.
    ///
    /// # Errors
    /// Where they cannot be started, do not join, or are interrupted.
    pub fn deploy(&self, directory: &Path, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Result<Deployment> {
        let deployed = match self {
            Agents::Here(count) => {
                let directory = directory.display().to_string();
                // The same program, even if its file was replaced meanwhile.
                let program = Path::new("/proc/self/exe");
                let arguments = ["agent", "--join", "-", "--dir", &directory];
                Deployment::on_this_machine(*count, program, &arguments, &hello(), is_interrupted)
            }
            Agents::On(hosts) => Deployment::on_hosts(hosts, &hello(), is_interrupted),
        };
        deployed.map_err(|error| if is_interrupted() { Error::interrupted() } else { error.into() })
    }
}

/// A mistake of the user in `what`.
fn as_users(error: fleet::Error, what: &str) -> Error {
    let refused = Error::user(format!("{what}: {}", error.message));
    match error.hint {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
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

/// A directory below `parent` with a name that begins with `prefix`, which is removed with its content when it is dropped.
///
/// # Errors
/// Where it cannot be made.
pub fn temporary_directory(parent: &Path, prefix: &str) -> Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir_in(parent).map_err(|error| {
        Error::environment(format!("no directory can be made in {}: {error}", parent.display()))
            .hint("give a --dir that may be written")
    })
}
