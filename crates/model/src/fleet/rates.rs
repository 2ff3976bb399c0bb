//! Starts, ends and the two rates of a run of a fleet.
//!
//! The windows of agents do not coincide. Their own rates, added, are of windows that overlap only mostly; the seconds
//! in which every agent worked are a window of all, but without its edges. Where both agree, it does not matter.

use record::evidence::AgentRates;
use record::{AgentRun, Nanos, Rate, Ratio, Run};

use super::series::shift;
use crate::rules::RULES;

/// The rates of `run`; None for a run without agents, and where a window is empty.
pub fn agent_rates(run: &Run) -> Option<AgentRates> {
    let begun = first_start(run)?;
    let own =
        |agent: &AgentRun| (agent.window_ns.0 > 0).then(|| agent.totals.operations as f64 / agent.window_ns.seconds());
    let own_windows = Rate(run.agents.iter().map(own).sum::<Option<f64>>()?);
    let done = || run.agents.iter().map(|agent| since(agent, begun) + agent.window_ns);
    let common_seconds = common_rate(run, begun);
    Some(AgentRates {
        own_windows,
        common_seconds,
        gap: common_seconds.and_then(|common| gap(own_windows.0, common.0)),
        limit: Ratio(RULES.agent_rate_gap_max),
        first_done_ns: done().min()?,
        last_done_ns: done().max()?,
    })
}

/// The difference of two rates as a share of the larger one; None where both are 0.
fn gap(one: f64, other: f64) -> Option<Ratio> {
    let larger = one.max(other);
    (larger > 0.0).then(|| Ratio((one - other).abs() / larger))
}

/// From the first start of an agent to the last one; None for a run without agents.
pub fn start_spread(run: &Run) -> Option<Nanos> {
    let begun = first_start(run)?;
    run.agents.iter().map(|agent| since(agent, begun)).max()
}

fn first_start(run: &Run) -> Option<i64> {
    run.agents.iter().map(|agent| agent.start.offset_ns.0).min()
}

fn since(agent: &AgentRun, begun: i64) -> Nanos {
    Nanos(agent.start.offset_ns.0.abs_diff(begun))
}

/// Operations per second in the whole seconds of all agents.
fn common_rate(run: &Run, begun: i64) -> Option<Rate> {
    let whole = |agent: &AgentRun| {
        let from = shift(since(agent, begun), Nanos::SECOND);
        (from, from.saturating_add((agent.window_ns.0 / Nanos::SECOND.0) as usize))
    };
    let from = run.agents.iter().map(|agent| whole(agent).0).max()?;
    let end = run.agents.iter().map(|agent| whole(agent).1).min()?;
    let count = end.checked_sub(from).filter(|count| *count > 0)?;
    // A second beyond the series of an agent is one in which no step of it ended.
    let operations = |agent: &AgentRun| {
        let own = from - whole(agent).0;
        agent.seconds.iter().skip(own).take(count).map(|second| second.operations as f64).sum::<f64>()
    };
    Some(Rate(run.agents.iter().map(operations).sum::<f64>() / count as f64))
}
