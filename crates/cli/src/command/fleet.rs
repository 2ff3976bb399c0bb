//! `dbdyno fleet`: one load from several agents.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fleet::{Coordinator, LocalAgents, Started};
use model::fleet::CheckedAgent;
use record::Nanos;
use run::{Error, Interrupt, Result};

use super::agent::hello;
use super::run::run_by;
use crate::arguments::fleet::{FleetArguments, FleetCheckArguments, FleetCommand};
use crate::output::{print, style, width};
use crate::signal;

/// How long all agents may take to join.
const JOIN_TIMEOUT: Duration = Duration::from_secs(30);

/// How long agents may take to be ready for a start without work.
const READY_TIMEOUT: Nanos = Nanos(10_000_000_000);

/// Carries out `dbdyno fleet`.
///
/// # Errors
/// Where agents cannot be started, do not join, or do not start together.
pub fn fleet(arguments: &FleetArguments) -> Result<()> {
    match &arguments.command {
        FleetCommand::Check(arguments) => check(arguments),
        FleetCommand::Run(arguments) => run_by(&arguments.run, Some(arguments.agents)),
    }
}

fn check(arguments: &FleetCheckArguments) -> Result<()> {
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))?;
    let names: Vec<String> = (1..=arguments.agents).map(|number| format!("agent-{number}")).collect();
    let (mut coordinator, tickets) = Coordinator::start(&names)?;
    // The same program, even if its file was replaced meanwhile.
    let program = Path::new("/proc/self/exe");
    let _agents = LocalAgents::start(program, &["agent", "--join", "-"], &tickets)?;
    let is_interrupted = || interrupt.is_raised();
    let started = coordinator
        .gather(&hello(), JOIN_TIMEOUT, &is_interrupted)
        .and_then(|()| coordinator.start_together(0, READY_TIMEOUT, &is_interrupted));
    let text = started.map(|started| report::fleet_check(&checked(&coordinator, &started), style(), width()));
    coordinator.dismiss();
    match text {
        _ if interrupt.is_raised() => Err(Error::interrupted()),
        Ok(text) => print(&text),
        Err(error) => Err(error.into()),
    }
}

fn checked<'a>(coordinator: &'a Coordinator, started: &[Started]) -> Vec<CheckedAgent<'a>> {
    let one = |(agent, started): (&'a fleet::JoinedAgent, &Started)| CheckedAgent {
        name: &agent.name,
        hello: &agent.hello,
        round_trip: started.clock.error + started.clock.error,
        clock: started.clock.offset,
        start: started.start,
    };
    coordinator.agents().iter().zip(started).map(one).collect()
}
