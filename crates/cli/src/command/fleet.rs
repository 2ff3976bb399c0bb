//! `dbdyno fleet`: one load from several agents.

use std::path::Path;
use std::sync::Arc;

use fleet::{JoinedAgent, Started};
use model::fleet::CheckedAgent;
use run::{Error, Interrupt, Result};

use super::run::run_by;
use crate::agents::Agents;
use crate::arguments::fleet::{FleetArguments, FleetCheckArguments, FleetCommand};
use crate::output::{print, style, width};
use crate::signal;

/// Carries out `dbdyno fleet`.
///
/// # Errors
/// Where agents cannot be started, do not join, or do not start together.
pub fn fleet(arguments: &FleetArguments) -> Result<()> {
    match &arguments.command {
        FleetCommand::Check(arguments) => check(arguments),
        FleetCommand::Run(arguments) => {
            run_by(&arguments.run, Some((&Agents::of(&arguments.agents)?, arguments.jobs_per_agent)))
        }
    }
}

fn check(arguments: &FleetCheckArguments) -> Result<()> {
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))?;
    let is_interrupted = || interrupt.is_raised();
    let deployment = Agents::of(&arguments.agents)?.deploy(Path::new("."), &is_interrupted)?;
    let started = deployment.start_together(&is_interrupted);
    if interrupt.is_raised() {
        return Err(Error::interrupted());
    }
    let text = report::fleet_check(&started?.iter().map(checked).collect::<Vec<_>>(), style(), width());
    drop(deployment);
    print(&text)
}

fn checked((agent, started): &(JoinedAgent, Started)) -> CheckedAgent<'_> {
    CheckedAgent {
        name: &agent.name,
        hello: &agent.hello,
        round_trip: started.clock.error + started.clock.error,
        clock: started.clock.offset,
        start: started.start,
    }
}
