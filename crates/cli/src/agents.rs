//! Agents of this program: how they are started, what they say of themselves, and their directories.

use std::path::Path;

use engine::Target;
use fleet::{Deployment, RemoteHost};
use record::{Hello, PROTOCOL_VERSION, Permitted, SCHEMA_VERSION, Tool};
use run::{Error, Result};

use crate::arguments::agents::AgentsArguments;
use crate::build::build;
use crate::own_directory::OwnDirectory;

/// What the names of directories of agents on this machine begin with.
pub const AGENTS_PREFIX: &str = "dbdyno-agents-";

/// What the name of the directory of one agent begins with.
pub const AGENT_PREFIX: &str = "dbdyno-agent-";

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
        match &arguments.hosts {
            None => Ok(Agents::Here(arguments.agents.unwrap_or(1))),
            Some(path) => hosts_of(path).map(Agents::On),
        }
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

    /// Starts them to do what is `permitted`; those of this machine use `directory`, and keep results below `kept` until they
    /// are in the record.
    ///
    /// # Errors
    /// Where they cannot be started, do not join, or are interrupted.
    pub fn deploy(
        &self,
        directory: &Path,
        kept: &Path,
        permitted: &Permitted,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Deployment> {
        let own = hello(Path::new("."));
        let deployed = match self {
            Agents::Here(count) => {
                let [directory, kept] = [directory, kept].map(|path| path.display().to_string());
                // The same program, even if its file was replaced meanwhile.
                let program = Path::new("/proc/self/exe");
                let arguments = ["agent", "--join", "-", "--dir", &directory, "--keep", &kept];
                Deployment::on_this_machine(*count, program, &arguments, &own, permitted, is_interrupted)
            }
            Agents::On(hosts) => Deployment::on_hosts(hosts, &own, permitted, is_interrupted),
        };
        deployed.map_err(|error| if is_interrupted() { Error::interrupted() } else { error.into() })
    }

    /// Starts them for what is `permitted` of a measurement in `directory`: those of this machine get directories of their own below one in it,
    /// which is removed when they have ended.
    ///
    /// # Errors
    /// As [`Agents::deploy`].
    pub fn deploy_in(
        &self,
        directory: &Path,
        permitted: &Permitted,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Deployment, OwnDirectory)> {
        let own = OwnDirectory::below(directory, AGENTS_PREFIX)?;
        let deployment = self.deploy(own.path(), directory, permitted, is_interrupted)?;
        Ok((deployment, own))
    }

    /// The same agents; those on other hosts work in `directory` where the file of hosts names none.
    pub fn working_in(mut self, directory: &Path) -> Agents {
        if let Agents::On(hosts) = &mut self {
            let unnamed = hosts.iter_mut().filter(|host| host.directory.is_none());
            unnamed.for_each(|host| host.directory = Some(directory.display().to_string()));
        }
        self
    }
}

/// Refuses a target that cannot be handed to agents.
///
/// # Errors
/// For a target with a password.
pub fn check_target(target: &Target) -> Result<()> {
    match target.password {
        None => Ok(()),
        Some(_) => Err(Error::user("the password in the target is not handed to agents")
            .hint("leave it out, and give it in the environment or in a password file of the client programs")),
    }
}

/// What agents may do that measure `target`, and nothing else.
pub fn permitting(target: &Target) -> Permitted {
    Permitted { target: Some(target.to_string()), ..Permitted::default() }
}

/// The hosts of the file at `path`.
///
/// # Errors
/// Where it cannot be read, or has a line that is no host.
pub fn hosts_of(path: &Path) -> Result<Vec<RemoteHost>> {
    let text = base::read_text(path).map_err(|error| {
        Error::user(format!("the file of hosts {} cannot be read: {error}", path.display()))
            .hint("write one line for each host")
    })?;
    RemoteHost::parse_file(&text).map_err(|error| as_users(error, &path.display().to_string()))
}

/// A mistake of the user in `what`.
fn as_users(error: fleet::Error, what: &str) -> Error {
    let refused = Error::user(format!("{what}: {}", error.message));
    match error.hint {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
}

/// What an agent of this program that works in `directory` says of itself.
pub fn hello(directory: &Path) -> Hello {
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
        host: host::inventory(directory),
    }
}
