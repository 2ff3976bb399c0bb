//! One run of the parts that the agents of a fleet counted.
//!
//! Counts and histograms add, quantiles do not: the merged run has exactly the buckets that one process would have
//! counted. Parts of unlike precision are refused, never approximated.

mod blocks;
mod check;
mod devices;
mod error;
mod hosts;
mod latencies;
mod load;
mod nodes;
mod rates;
mod series;
mod storage;
#[cfg(test)]
mod tests;
mod transaction_types;

use record::{AgentRun, AgentStart, Bytes, ClientThreads, Nanos, Outcome, PlannedRun, Run, Totals};

pub use self::check::{CheckedAgent, on_one_machine};
pub use self::devices::{device_readings, replace_devices};
pub use self::error::MergeError;
pub use self::hosts::{HostDifference, HostFact, host_differences};
pub use self::rates::{agent_rates, start_spread};

use self::blocks::merged_blocks;
use self::latencies::{merged_latency, merged_slices};
use self::load::merged_load;
use self::nodes::{merged_events, merged_nodes};
use self::series::merged_seconds;
use self::storage::{merged_storage, together};
use self::transaction_types::merged_types;

/// Starts that lie further apart belong to no common window.
const SPREAD_MAX: Nanos = Nanos(24 * 3_600 * 1_000_000_000);

/// What one agent counted in a run.
#[derive(Clone, Copy, Debug)]
pub struct AgentPart<'a> {
    /// Name of the agent.
    pub agent: &'a str,
    /// Hardware threads that its jobs may use.
    pub host_threads: u32,
    /// When its window started.
    pub start: AgentStart,
    /// Its jobs only.
    pub run: &'a Run,
}

impl AgentPart<'_> {
    /// The time from `first`, the earliest start, to this one.
    fn since(&self, first: i64) -> Nanos {
        Nanos(self.start.offset_ns.0.abs_diff(first))
    }
}

/// One run of `parts`, described as the first of them.
///
/// Its window is from the first start to the last end, its seconds and slices are counted from the first start. A part
/// is moved by whole seconds and slices, to the nearest. Readings and findings are not merged: those of the engine
/// belong to the coordinator, those of each host stay with its agent.
///
/// # Errors
/// Where the parts are not of one run, or what they counted does not add.
pub fn merged(parts: &[AgentPart<'_>]) -> Result<Run, MergeError> {
    let first = parts.first().ok_or(MergeError::NoParts)?;
    parts.iter().try_for_each(|part| check(first.run, part))?;
    let begun = parts.iter().map(|part| part.start.offset_ns.0).min().unwrap_or(0);
    if let Some(late) = parts.iter().find(|part| part.since(begun) > SPREAD_MAX) {
        return Err(MergeError::Apart { agent: late.agent.to_owned(), after: late.since(begun), limit: SPREAD_MAX });
    }
    let ends = parts.iter().map(|part| part.since(begun) + part.run.window_ns);
    let mut run = described_as(first.run);
    run.dop.jobs = parts.iter().fold(0, |jobs, part| jobs.saturating_add(part.run.dop.jobs));
    run.window_ns = ends.max().unwrap_or_default();
    run.jobs_ended_separately = parts.iter().any(|part| part.run.jobs_ended_separately);
    run.outcome = merged_outcome(parts);
    run.totals = parts.iter().fold(Totals::default(), |sum, part| added(sum, &part.run.totals));
    run.service = merged_latency(parts.iter().map(|part| (part.agent, &part.run.service)))?;
    run.response = merged_latency(parts.iter().map(|part| (part.agent, &part.run.response)))?;
    let lags = || parts.iter().filter_map(|part| Some((part.agent, part.run.start_lag.as_deref()?)));
    run.start_lag = Some(Box::new(merged_latency(lags())?)).filter(|lag| lag.count > 0);
    run.seconds = merged_seconds(parts.iter().map(|part| (part.since(begun), part.run.seconds.as_slice())));
    run.slices = merged_slices(parts, begun)?;
    if first.run.storage.is_some() {
        // Each agent keeps the pace of its own jobs.
        run.pace = parts.iter().skip(1).fold(run.pace, |pace, part| together(pace, part.run.pace));
        run.storage = Some(Box::new(merged_storage(parts, begun)?));
    }
    run.client_threads = parts.iter().filter_map(|part| part.run.client_threads).reduce(together_on);
    run.nodes = merged_nodes(parts, begun)?;
    run.events = merged_events(parts, begun);
    run.blocks = merged_blocks(parts)?.map(Box::new);
    run.load = merged_load(parts).map(Box::new);
    run.transaction_types = merged_types(parts)?;
    // Of a table it is the same for all parts, of a load it is what each has loaded.
    run.data_bytes = run.load.as_ref().map_or(run.data_bytes, |load| Some(load.flat_bytes));
    // Where one of them does not know, nobody does.
    let commits = parts.iter().map(|part| part.run.commits_expected);
    run.commits_expected =
        commits.reduce(|sum, more| sum.zip(more).map(|(sum, more)| sum.saturating_add(more))).flatten();
    run.agents = parts.iter().map(agent_run).collect();
    Ok(run)
}

/// An empty run with the description of `run`.
fn described_as(run: &Run) -> Run {
    let planned = PlannedRun {
        number: run.number,
        variation: run.variation,
        ..PlannedRun::new(&run.test, run.kind.clone(), run.dop)
    };
    Run {
        title: run.title.clone(),
        layer: run.layer,
        unit: run.unit,
        sweep: run.sweep,
        ceiling: run.ceiling.clone(),
        cache_fit: run.cache_fit,
        rows_at_random: run.rows_at_random,
        settling: run.settling.clone(),
        owed: run.owed.clone(),
        state_at_begin: run.state_at_begin.clone(),
        state_at_end: run.state_at_end.clone(),
        data_reads: run.data_reads.clone(),
        data_bytes: run.data_bytes,
        changes: run.changes,
        parameters: run.parameters.clone(),
        ..Run::new(&planned, run.pace, run.started_at.clone())
    }
}

/// Whether `part` is one of `first`, and of a kind whose counts add.
fn check(first: &Run, part: &AgentPart<'_>) -> Result<(), MergeError> {
    let run = part.run;
    let agent = || part.agent.to_owned();
    let described = |run: &Run| (run.number, run.test.clone(), run.variation, run.dop.threads, run.dop.nodes);
    if described(run) != described(first) || run.pace != first.pace || run.unit != first.unit {
        return Err(MergeError::OtherRun { agent: agent(), number: run.number, test: run.test.clone() });
    }
    let types =
        |run: &Run| run.transaction_types.iter().map(|of| (of.name.clone(), of.statements.len())).collect::<Vec<_>>();
    let has = |run: &Run| (run.storage.is_some(), run.blocks.is_some(), run.load.is_some(), types(run));
    if has(run) != has(first) {
        return Err(MergeError::OtherRun { agent: agent(), number: run.number, test: run.test.clone() });
    }
    let kinds = [
        ("file streams", run.streams.is_some()),
        ("traces", run.trace.is_some()),
        ("other agents", !run.agents.is_empty()),
    ];
    match kinds.into_iter().find(|(_, has)| *has) {
        Some((what, _)) => Err(MergeError::Unmergeable { agent: agent(), what }),
        None => Ok(()),
    }
}

/// The outcome of the run: that of the first part that failed, if one did.
fn merged_outcome(parts: &[AgentPart<'_>]) -> Outcome {
    let failure = parts.iter().find_map(|part| match &part.run.outcome {
        Outcome::Failed { message } => Some(format!("agent {}: {message}", part.agent)),
        Outcome::Done => None,
    });
    failure.map_or(Outcome::Done, |message| Outcome::Failed { message })
}

fn added(mut sum: Totals, part: &Totals) -> Totals {
    for (kind, count) in &part.failures {
        let all = sum.failures.entry(*kind).or_insert(0);
        *all = all.saturating_add(*count);
    }
    let bytes = sum.bytes.into_iter().chain(part.bytes);
    Totals {
        steps: sum.steps.saturating_add(part.steps),
        operations: sum.operations.saturating_add(part.operations),
        rows: sum.rows.saturating_add(part.rows),
        transactions: sum.transactions.saturating_add(part.transactions),
        bytes: bytes.reduce(|all, more| Bytes(all.0.saturating_add(more.0))),
        unfinished: sum.unfinished.saturating_add(part.unfinished),
        retried: sum.retried.saturating_add(part.retried),
        retries: sum.retries.saturating_add(part.retries),
        failures: sum.failures,
    }
}

/// The client threads of two agents: the larger bound of each kind.
fn together_on(one: ClientThreads, other: ClientThreads) -> ClientThreads {
    ClientThreads {
        threads: one.threads.saturating_add(other.threads),
        method: one.method.max(other.method),
        unseen_ns_p50: one.unseen_ns_p50.max(other.unseen_ns_p50),
        unseen_ns_p99: one.unseen_ns_p99.max(other.unseen_ns_p99),
        unseen_ns_max: one.unseen_ns_max.max(other.unseen_ns_max),
    }
}

fn agent_run(part: &AgentPart<'_>) -> AgentRun {
    let AgentPart { agent, host_threads, start, run } = *part;
    AgentRun {
        agent: agent.to_owned(),
        jobs: run.dop.jobs,
        host_threads,
        start,
        window_ns: run.window_ns,
        totals: run.totals.clone(),
        service: run.service.clone(),
        response: run.response.clone(),
        seconds: run.seconds.clone(),
        readings: run.readings.clone(),
    }
}
