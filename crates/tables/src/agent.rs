//! Agents: one row for each agent of each run of a fleet.

use record::{AgentRun, Nanos, Rate, Record, Run};

use crate::column::{Column, Kind, Part, identity, invalid, latency, parts};
use crate::run::failures;

/// An agent in a run.
pub type AgentRow<'a> = Part<'a, &'a AgentRun>;

/// The agents of each run of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = AgentRow<'_>> {
    parts(record, |run| run.agents.iter())
}

/// Operations per second over the agent's own window.
fn rate(agent: &AgentRun) -> Option<Rate> {
    let seconds = agent.window_ns.seconds();
    (seconds > 0.0).then(|| Rate(agent.totals.operations as f64 / seconds))
}

/// From the start of the first agent of `run` to that of `agent`.
fn after_first(run: &Run, agent: &AgentRun) -> Option<Nanos> {
    let first = run.agents.iter().map(|agent| agent.start.offset_ns.0).min()?;
    Some(Nanos(agent.start.offset_ns.0.abs_diff(first)))
}

type Figure<'a> = Column<AgentRow<'a>>;

/// Counts, then results.
pub fn columns<'a>() -> Vec<Column<AgentRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("agent", Kind::Text, |of| of.of.agent.clone().into()),
        Figure::fact("jobs", Kind::Count, |of| of.of.jobs.into()).head("#J"),
        Figure::fact("host_threads", Kind::Count, |of| of.of.host_threads.into()).head("CPUs"),
        Figure::fact("after_first_start_ns", Kind::Nanoseconds, |of| after_first(of.run, of.of).into()).head("start"),
        Figure::fact("clock_error_ns", Kind::Nanoseconds, |of| of.of.start.clock_error_ns.into()).head("clock error"),
        Figure::fact("window_ns", Kind::Nanoseconds, |of| of.of.window_ns.into()).head("window"),
        Figure::fact("steps", Kind::Count, |of| of.of.totals.steps.into()),
        Figure::fact("operations", Kind::Count, |of| of.of.totals.operations.into()),
        Figure::fact("rows", Kind::Count, |of| of.of.totals.rows.into()),
        Figure::fact("transactions", Kind::Count, |of| of.of.totals.transactions.into()),
        Figure::fact("failures", Kind::Count, |of| failures(&of.of.totals)),
        Figure::fact("unfinished", Kind::Count, |of| of.of.totals.unfinished.into()),
        invalid(),
        Figure::result("operations_per_second", Kind::PerSecond, |of| rate(of.of).into()).head("ops/s"),
    ]);
    columns.extend(latency!(Figure, "service", |of| &of.of.service));
    columns.extend(latency!(Figure, "response", |of| &of.of.response));
    columns
}
