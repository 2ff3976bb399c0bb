//! Starts, ends and the two rates of a run of a fleet.
//!
//! The windows of agents do not coincide. Their own rates, added, are of windows that overlap only mostly; the seconds
//! in which every agent worked are a window of all, but without its edges. Where both agree, it does not matter.

use record::{AgentRun, Nanos, Rate, Run};

use super::series::shift;

/// The rates of a run of a fleet, in operations per second, and its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentRates {
    /// Sum of the rates of the agents, each over its own window.
    pub own_windows: Rate,
    /// Rate in the whole seconds that all windows have in common; None without such a second.
    pub common_seconds: Option<Rate>,
    /// When the first agent was done, from the first start.
    pub first_done_ns: Nanos,
    /// When the last agent was done.
    pub last_done_ns: Nanos,
}

impl AgentRates {
    /// The difference of the two rates, as a share of the larger one; None where one of them is unknown.
    pub fn gap(&self) -> Option<f64> {
        let (one, other) = (self.own_windows.0, self.common_seconds?.0);
        let larger = one.max(other);
        (larger > 0.0).then(|| (one - other).abs() / larger)
    }
}

/// The rates of `run`; None for a run without agents, and where a window is empty.
pub fn agent_rates(run: &Run) -> Option<AgentRates> {
    let begun = first_start(run)?;
    let own =
        |agent: &AgentRun| (agent.window_ns.0 > 0).then(|| agent.totals.operations as f64 / agent.window_ns.seconds());
    let own_windows = Rate(run.agents.iter().map(own).sum::<Option<f64>>()?);
    let done = || run.agents.iter().map(|agent| since(agent, begun) + agent.window_ns);
    Some(AgentRates {
        own_windows,
        common_seconds: common_rate(run, begun),
        first_done_ns: done().min()?,
        last_done_ns: done().max()?,
    })
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
