//! `dbdyno agent`: takes part in a fleet.

use std::io::stdin;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fleet::{Agent, PartWork, read_ticket};
use record::{Hello, PROTOCOL_VERSION, Part, PartResult, SCHEMA_VERSION, Tool};
use run::{AgentBench, Context, Error, Interrupt, Release, Result, Setup};

use crate::arguments::fleet::AgentArguments;
use crate::build::build;
use crate::engines::{ENGINES, engine};
use crate::progress::{Loudness, Progress};
use crate::target::target;

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
    let failed = |error| Error::user(format!("no directory can be made below {}: {error}", arguments.dir.display()));
    // Agents on one machine have one each.
    let own = tempfile::Builder::new().prefix("dbdyno-agent-").tempdir_in(&arguments.dir).map_err(failed)?;
    let parts = Arc::new(Parts { directory: own.path().to_owned(), bench: Mutex::new(None) });
    let followed = Agent::join(&ticket, &hello(), parts).and_then(|mut agent| agent.follow());
    Ok(followed?)
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

/// What carries out the parts of runs on this machine.
struct Parts {
    directory: PathBuf,
    /// Made for the first part.
    bench: Mutex<Option<AgentBench>>,
}

impl PartWork for Parts {
    fn carry_out(&self, part: &Part, interrupt: &Interrupt, release: &dyn Release) -> Result<PartResult> {
        let mut bench = self.bench.lock().unwrap_or_else(PoisonError::into_inner);
        let bench = match &mut *bench {
            Some(bench) => bench,
            none => none.insert(AgentBench::new(self.setup(part))?),
        };
        // A probe needs no engine.
        let target = target(part.target.as_deref().unwrap_or("null"))?;
        let listener = Progress::new(Loudness::Quiet);
        let (engine, listener) = (engine(&target)?, &listener);
        let context = Context { engine, target: &target, engines: ENGINES, listener, interrupt, fleet: None };
        bench.carry_out(part, context, release)
    }
}

impl Parts {
    fn setup(&self, part: &Part) -> Setup {
        Setup {
            directory: self.directory.clone(),
            preset: part.plan.preset,
            seed: part.plan.seed,
            placement: part.plan.placement,
            sample_sessions: false,
            keep: false,
            record: PathBuf::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: None,
        }
    }
}
