//! Runs of a fleet: names of agents and sums.

use std::collections::BTreeSet;

use record::{AgentRun, Run, Totals};

use super::{Validity, at_least_one, latency};

/// One of the counts of a run or of an agent.
type Count = fn(&Totals) -> u64;

/// Checks the agents of `run`, and that their jobs and totals add up to those of the run.
pub(super) fn agents(run: &Run) -> Validity {
    run.agents.iter().try_for_each(agent)?;
    let mut known = BTreeSet::new();
    if let Some(twice) = run.agents.iter().find(|of| !known.insert(&of.agent)) {
        return Err(format!("agent {} occurs twice", twice.agent));
    }
    if run.agents.is_empty() {
        return Ok(());
    }
    let jobs = run.agents.iter().map(|of| u128::from(of.jobs)).sum();
    add_up("jobs", jobs, run.dop.jobs.into())?;
    let counts: [(&str, Count); 7] = [
        ("steps", |totals| totals.steps),
        ("operations", |totals| totals.operations),
        ("rows", |totals| totals.rows),
        ("transactions", |totals| totals.transactions),
        ("unfinished", |totals| totals.unfinished),
        ("retried", |totals| totals.retried),
        ("retries", |totals| totals.retries),
    ];
    counts.into_iter().try_for_each(|(name, count)| {
        let sum = run.agents.iter().map(|of| u128::from(count(&of.totals))).sum();
        add_up(name, sum, count(&run.totals).into())
    })
}

fn agent(of: &AgentRun) -> Validity {
    if of.agent.is_empty() {
        return Err("an agent without a name".to_owned());
    }
    let checked = at_least_one("jobs", of.jobs)
        .and_then(|()| latency("service", &of.service))
        .and_then(|()| latency("response", &of.response));
    checked.map_err(|why| format!("agent {}: {why}", of.agent))
}

fn add_up(name: &str, sum: u128, total: u128) -> Validity {
    if sum == total { Ok(()) } else { Err(format!("{name} of the agents are {sum} in total, the run has {total}")) }
}
