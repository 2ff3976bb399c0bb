//! A record that is completed with parts that agents kept, because their coordinator or the way to it was lost.

use std::collections::BTreeMap;
use std::path::Path;

use record::evidence::{Answers, CommitCount};
use record::{Attempt, Evidence, Finding, KeptPart, Line, Outcome, PlannedRun, Record, Run, Status, Verdict};
use store::Writer;

use crate::fleet::{merged, sweep};
use crate::hands::Delivered;
use crate::recorder::timestamp;
use crate::{Error, Fault, Result};

/// What became of the parts of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedRun {
    /// The run in the plan.
    pub planned: PlannedRun,
    /// The agents whose parts there are.
    pub agents: Vec<String>,
    /// What became of them.
    pub outcome: CollectionOutcome,
}

/// What became of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CollectionOutcome {
    /// The run is in the record now.
    Completed,
    /// It was measured already: the parts are not needed.
    Superfluous,
    /// Parts of other agents are missing.
    Incomplete {
        /// Jobs of which there are parts.
        jobs: u32,
    },
    /// The parts cannot be merged.
    Refused {
        /// Why.
        message: String,
    },
}

/// Completes the record at `path` with `parts` of its runs; parts of other records are passed over.
///
/// # Errors
/// Where the record cannot be read, is being written by another process, or cannot be written.
pub fn complete(path: &Path, parts: Vec<KeptPart>) -> Result<(Record, Vec<CollectedRun>)> {
    let (mut writer, mut record) =
        Writer::resume(path).map_err(|error| Error { fault: Fault::User, ..Error::from(error) })?;
    let mut attempts: BTreeMap<(u32, String, u64), Vec<KeptPart>> = BTreeMap::new();
    for part in parts.into_iter().filter(|part| part.record == record.key()) {
        let Attempt { epoch, run } = part.attempt;
        attempts.entry((run, part.fleet.clone(), epoch)).or_default().push(part);
    }
    let mut collected = Vec::new();
    for ((number, ..), mut parts) in attempts {
        parts.sort_by_key(|part| part.share.first);
        // Hosts that share a directory give the same parts.
        parts.dedup_by(|one, other| one.agent == other.agent && one.share == other.share);
        let Some(planned) = record.plan.runs.iter().find(|planned| planned.number == number).cloned() else { continue };
        let agents = parts.iter().map(|part| part.agent.clone()).collect();
        let is_done = record.runs.iter().any(|run| run.number == number && run.outcome == Outcome::Done);
        let outcome = match jobs_of_all(&parts) {
            _ if is_done => CollectionOutcome::Superfluous,
            (jobs, false) => CollectionOutcome::Incomplete { jobs },
            (_, true) => match run_of(&record, parts) {
                Err(error) => CollectionOutcome::Refused { message: error.message },
                Ok(run) => {
                    writer.append(&Line::Run(&run))?;
                    record.runs.retain(|known| known.number != number);
                    record.runs.push(run);
                    CollectionOutcome::Completed
                }
            },
        };
        collected.push(CollectedRun { planned, agents, outcome });
    }
    let is_whole = |planned: &PlannedRun| {
        record.runs.iter().any(|run| run.number == planned.number && run.outcome == Outcome::Done)
    };
    let has_new = collected.iter().any(|run| run.outcome == CollectionOutcome::Completed);
    if has_new && record.status != Status::Finished && record.plan.runs.iter().all(is_whole) {
        (record.status, record.reason) = (Status::Finished, None);
        record.ended_at.get_or_insert_with(timestamp);
        writer.append_end(&record)?;
    }
    Ok((record, collected))
}

/// The jobs of `parts`, in order, and whether those are all of the run.
fn jobs_of_all(parts: &[KeptPart]) -> (u32, bool) {
    let all = parts.first().map_or(0, |part| part.share.all);
    let (mut next, mut follows) = (0u32, true);
    for share in parts.iter().map(|part| part.share) {
        follows &= share.first == next && share.all == all;
        next = next.saturating_add(share.count);
    }
    (next, follows && next == all)
}

/// The run of all `parts`. The counters of the engine and of this host belong to a coordinator, which did not see its end.
fn run_of(record: &Record, parts: Vec<KeptPart>) -> Result<Run> {
    let delivered: Vec<Delivered> =
        parts.into_iter().map(|KeptPart { agent, start, result, .. }| Delivered { agent, start, result }).collect();
    let mut run = merged(&delivered, &record.agent_hosts)?;
    run.sweep = sweep(record.plan.jobs_per_agent, run.sweep);
    run.commits_expected = None;
    if run.storage.is_none() {
        let message = "the parts of the agents were collected later".to_owned();
        run.findings.push(Finding::new(Verdict::Unknown, Evidence::CommitCount(CommitCount::NotRead { message })));
    }
    if run.load.is_some() {
        run.findings.push(Finding::new(Verdict::Unknown, Evidence::Answers(Answers::NotQueried)));
    }
    let context = model::Context {
        engine: record.engine.as_ref(),
        server_hosts: &record.server_hosts,
        storage_hosts: &record.storage_hosts,
        host_threads: record.host.cpu.threads,
        makes_claims: record.plan.preset != record::Preset::Smoke,
        instrument: &record.instrument,
        flush_probe: None,
        write_cache: None,
    };
    let findings = model::findings(&run, &context);
    run.findings.extend(findings);
    Ok(run)
}

#[cfg(test)]
mod tests {
    use record::{AgentStart, Dop, JobShare, Pace, PartResult, RunKind, Timestamp};

    use super::*;

    fn part(first: u32, count: u32, all: u32) -> KeptPart {
        let planned = PlannedRun::new("T611", RunKind::Test, Dop::jobs(count));
        let run = Run::new(&planned, Pace::Unthrottled, Timestamp::default());
        KeptPart {
            record: "r".to_owned(),
            fleet: "f".to_owned(),
            attempt: Attempt { epoch: 1, run: 1 },
            agent: "a".to_owned(),
            share: JobShare { first, count, all },
            start: AgentStart::default(),
            result: PartResult { run, host_threads: 1 },
        }
    }

    #[test]
    fn only_parts_with_each_job_once_make_a_run() {
        assert_eq!(jobs_of_all(&[part(0, 2, 5), part(2, 3, 5)]), (5, true));
        assert_eq!(jobs_of_all(&[part(0, 2, 5)]), (2, false), "the end is missing");
        assert_eq!(jobs_of_all(&[part(2, 3, 5)]), (3, false), "the beginning is missing");
        assert_eq!(jobs_of_all(&[part(0, 2, 5), part(0, 2, 5), part(2, 1, 5)]), (5, false), "some twice");
        assert_eq!(jobs_of_all(&[part(0, 2, 4), part(2, 3, 5)]), (5, false), "of two runs");
        assert_eq!(jobs_of_all(&[part(0, u32::MAX, 5), part(2, 3, 5)]), (u32::MAX, false));
    }
}
