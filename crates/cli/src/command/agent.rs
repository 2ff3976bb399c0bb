//! `dbdyno agent`: takes part in a fleet.

use std::io::{BufReader, stdin, stdout};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use engine::Target;
use fleet::{Agent, Bridge, KeptParts, PartWork, observe, read_ticket};
use record::{Part, PartResult};
use run::{AgentBench, Context, Error, Interrupt, Observers, Release, Result, Setup};

use crate::agent_target::agent_target;
use crate::agents::{AGENT_PREFIX, hello};
use crate::engines::{ENGINES, engine};
use crate::own_directory::OwnDirectory;
use crate::progress::{Loudness, Progress};
use crate::signal::outlive_connection;

/// Options of `dbdyno agent`.
#[derive(Args, Debug)]
pub struct AgentArguments {
    /// Read the ticket from the standard input: `-`, because a file or an argument may be read by others
    #[arg(long, value_name = "-", allow_hyphen_values = true, required_unless_present_any = ["observe", "parts"])]
    pub join: Option<String>,
    /// Answer questions about this host on the standard output, and measure nothing
    #[arg(long, conflicts_with = "join")]
    pub observe: bool,
    /// Give the results that agents hold below --dir, as they are asked for on the standard input
    #[arg(long, conflicts_with_all = ["join", "observe"])]
    pub parts: bool,
    /// Directory below which it makes one of its own, and removes it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Directory below which it keeps its results until the coordinator has them [default: --dir]
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

/// Carries out `dbdyno agent`.
///
/// # Errors
/// Where there is no ticket, the fleet cannot be joined, or its coordinator is gone.
pub fn agent(arguments: &AgentArguments) -> Result<()> {
    if arguments.observe {
        return Ok(observe(&hello(&arguments.dir), stdin().lock(), stdout().lock())?);
    }
    let kept = KeptParts::below(arguments.keep.as_deref().unwrap_or(&arguments.dir));
    if arguments.parts {
        return Ok(kept.answer(stdin().lock(), stdout().lock())?);
    }
    if arguments.join.as_deref() != Some("-") {
        // What was given may be a ticket, which is not shown.
        return Err(Error::user("a ticket is read from the standard input only")
            .hint("use --join -: other users can read arguments"));
    }
    // A part that is under way is ended, and kept.
    outlive_connection()?;
    let mut input = BufReader::new(stdin());
    let mut ticket = read_ticket(&mut input).map_err(|error| {
        Error::user(error.message).hint("`dbdyno fleet` starts agents and hands them their tickets")
    })?;
    // It ends after the agent, and waits for its last messages. Until then its port is nobody else's.
    let _bridge = Bridge::for_ticket(&mut ticket, input)?;
    let named = ticket.permitted.target.clone();
    let parts = Arc::new(Parts { directory: arguments.dir.clone(), named, own: Mutex::new(None) });
    let followed = Agent::join(&ticket, &hello(&arguments.dir), parts, kept).and_then(|mut agent| agent.follow());
    Ok(followed?)
}

/// What carries out the parts of runs on this machine.
struct Parts {
    directory: PathBuf,
    /// The target that was named when this agent was started.
    named: Option<String>,
    /// The bench in a directory of its own, because agents on one machine have one each; made for the first part.
    own: Mutex<Option<(AgentBench, OwnDirectory)>>,
}

impl PartWork for Parts {
    fn carry_out(&self, part: &Part, interrupt: &Interrupt, release: &dyn Release) -> Result<PartResult> {
        // What is asked for is known before anything of it is opened.
        let targets = part.nodes.iter().map(|node| agent_target(&node.target, self.named.as_deref()));
        let targets = targets.collect::<Result<Vec<Target>>>()?;
        // A probe needs no engine.
        let target = targets.into_iter().next().map_or_else(|| "null".parse(), Ok);
        let target: Target = target.map_err(|error| Error::environment(error.to_string()))?;
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let (bench, _) = match &mut *own {
            Some(own) => own,
            none => none.insert(self.make(part)?),
        };
        let listener = Progress::new(Loudness::Quiet);
        let (engine, listener) = (engine(&target)?, &listener);
        let context = Context {
            engine,
            target: &target,
            engines: ENGINES,
            listener,
            interrupt,
            fleet: None,
            observers: Observers::default(),
        };
        bench.carry_out(part, context, release)
    }
}

impl Parts {
    fn make(&self, part: &Part) -> Result<(AgentBench, OwnDirectory)> {
        let own = OwnDirectory::below(&self.directory, AGENT_PREFIX)?;
        let setup = Setup {
            directory: own.path().to_owned(),
            preset: part.plan.preset,
            seed: part.plan.seed,
            placement: part.plan.placement,
            client_threads: part.plan.client_threads,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..Setup::default()
        };
        Ok((AgentBench::new(setup)?, own))
    }
}
