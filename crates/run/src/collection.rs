//! A record that is completed with parts that agents kept, because their coordinator or the way to it was lost.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use record::evidence::{Answers, CommitCount};
use record::{
    Dop, Evidence, Finding, GivenPart, KeptPart, Line, Outcome, PartKey, PlannedRun, Record, Run, RunKind, Status,
    Verdict,
};
use store::Writer;

use crate::fleet::{merged, sweep};
use crate::hands::Delivered;
use crate::item;
use crate::recorder::timestamp;
use crate::{Error, Fault, Result};

/// What became of the parts of one attempt at a run.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedRun {
    /// Number of the run that they say they are of.
    pub number: u32,
    /// That run in the plan; None where the plan has no such run.
    pub planned: Option<PlannedRun>,
    /// The agents whose parts there are.
    pub agents: Vec<String>,
    /// The parts.
    pub parts: Vec<PartKey>,
    /// What became of them.
    pub outcome: CollectionOutcome,
}

impl CollectedRun {
    /// Whether the record has what they were kept for, so that they are not needed any more.
    pub fn is_in_record(&self) -> bool {
        matches!(self.outcome, CollectionOutcome::Completed | CollectionOutcome::Superfluous)
    }
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
    /// The plan has no such run.
    Unplanned,
    /// The parts are not those of the planned run, or cannot be merged.
    Refused {
        /// Why.
        message: String,
    },
}

/// Completes the record at `path` with `parts` of its runs; parts of other records are passed over. What a part may become
/// is decided by the plan, and a run that is done stays as it is.
///
/// # Errors
/// Where the record cannot be read, is being written by another process, or cannot be written.
pub fn complete(path: &Path, parts: Vec<GivenPart>) -> Result<(Record, Vec<CollectedRun>)> {
    let (mut writer, mut record) =
        Writer::resume(path).map_err(|error| Error { fault: Fault::User, ..Error::from(error) })?;
    let mut collected = Vec::new();
    for (number, parts) in attempts(&record, parts) {
        let keys = parts.iter().map(GivenPart::key).collect();
        let parts: Vec<KeptPart> = parts.into_iter().map(|given| given.part).collect();
        let agents = parts.iter().map(|part| part.agent.clone()).collect();
        let planned = record.plan.runs.iter().find(|planned| planned.number == number).cloned();
        let outcome = match &planned {
            None => CollectionOutcome::Unplanned,
            Some(planned) => take(&mut writer, &mut record, planned, parts)?,
        };
        collected.push(CollectedRun { number, planned, agents, parts: keys, outcome });
    }
    // A later attempt that was given up, of a run that an earlier one has completed.
    let is_incomplete = |run: &&mut CollectedRun| matches!(run.outcome, CollectionOutcome::Incomplete { .. });
    for run in collected.iter_mut().filter(is_incomplete).filter(|run| is_done(&record, run.number)) {
        run.outcome = CollectionOutcome::Superfluous;
    }
    let is_whole = |planned: &PlannedRun| is_done(&record, planned.number);
    let has_new = collected.iter().any(|run| run.outcome == CollectionOutcome::Completed);
    if has_new && record.status != Status::Finished && record.plan.runs.iter().all(is_whole) {
        (record.status, record.reason) = (Status::Finished, None);
        record.ended_at.get_or_insert_with(timestamp);
        writer.append_end(&record)?;
    }
    Ok((record, collected))
}

/// The parts of `record` by attempt, with the number of their run: of each run first the attempts of the fleet that was last
/// at work, and of each fleet the last one first, because a later attempt was made where an earlier one was given up.
fn attempts(record: &Record, parts: Vec<GivenPart>) -> Vec<(u32, Vec<GivenPart>)> {
    let mut worked: BTreeMap<(u32, String), Option<SystemTime>> = BTreeMap::new();
    let mut attempts: BTreeMap<(u32, String, u64), Vec<GivenPart>> = BTreeMap::new();
    for given in parts.into_iter().filter(|given| given.part.record == record.key()) {
        let KeptPart { fleet, attempt, result, .. } = &given.part;
        let last = worked.entry((attempt.run, fleet.clone())).or_default();
        *last = (*last).max(humantime::parse_rfc3339(&result.run.started_at.0).ok());
        attempts.entry((attempt.run, fleet.clone(), attempt.epoch)).or_default().push(given);
    }
    let mut attempts: Vec<_> = attempts.into_iter().collect();
    attempts.sort_by_key(|((run, fleet, epoch), _)| {
        let last = worked.get(&(*run, fleet.clone())).copied().flatten();
        (*run, Reverse(last), fleet.clone(), Reverse(*epoch))
    });
    let in_order = |((run, ..), mut parts): ((u32, String, u64), Vec<GivenPart>)| {
        parts.sort_by_key(|given| given.part.share.first);
        // Hosts that share a directory give the same parts.
        parts.dedup_by(|one, other| one.part.agent == other.part.agent && one.part.share == other.part.share);
        (run, parts)
    };
    attempts.into_iter().map(in_order).collect()
}

fn is_done(record: &Record, number: u32) -> bool {
    record.runs.iter().any(|run| run.number == number && run.outcome == Outcome::Done)
}

/// Takes the run of `parts`, which are of one attempt at the run `planned`, into `record`, where it is one.
fn take(
    writer: &mut Writer,
    record: &mut Record,
    planned: &PlannedRun,
    parts: Vec<KeptPart>,
) -> Result<CollectionOutcome> {
    let strange = parts.iter().find_map(|part| strangeness(record, planned, part));
    if let Some(message) = strange {
        return Ok(CollectionOutcome::Refused { message });
    }
    if is_done(record, planned.number) {
        return Ok(CollectionOutcome::Superfluous);
    }
    if let (jobs, false) = jobs_of_all(&parts) {
        return Ok(CollectionOutcome::Incomplete { jobs });
    }
    let run = run_of(record, planned, parts);
    let checked = run.and_then(|run| match store::check_run(record, &run) {
        Ok(()) => Ok(run),
        Err(why) => Err(Error::environment(format!("its parts are impossible: {why}"))),
    });
    match checked {
        Err(error) => Ok(CollectionOutcome::Refused { message: error.message }),
        Ok(run) => {
            writer.append(&Line::Run(&run))?;
            record.runs.retain(|known| known.number != planned.number);
            record.runs.push(run);
            Ok(CollectionOutcome::Completed)
        }
    }
}

/// Why `part` is none of the run `planned` of `record`. Its file says itself what it is of; only what the plan says as well is
/// believed.
fn strangeness(record: &Record, planned: &PlannedRun, part: &KeptPart) -> Option<String> {
    let KeptPart { agent, share, result, .. } = part;
    let (run, hosts) = (&result.run, &record.plan.agent_hosts);
    let refused = |what: String| Some(format!("the part of agent {agent} {what}"));
    if !hosts.is_empty() && !hosts.contains(agent) {
        return refused(format!("is of none of the agents of the plan, {}", hosts.join(", ")));
    }
    let described = |number: u32, test: &str, dop: Dop| {
        format!("run {number} ({test}) on {} nodes with {} threads in a statement", dop.nodes, dop.threads)
    };
    let (wanted, found) =
        (described(planned.number, &planned.test, planned.dop), described(run.number, &run.test, run.dop));
    if wanted != found {
        return refused(format!("is of {found}, and the plan has {wanted}"));
    }
    if (&run.kind, run.variation) != (&planned.kind, planned.variation) {
        return refused("is of another kind or variation of this run than that of the plan".to_owned());
    }
    if (run.dop.jobs, share.all) != (share.count, planned.dop.jobs) {
        let (jobs, all, wanted) = (run.dop.jobs, share.all, planned.dop.jobs);
        return refused(format!("has {jobs} jobs, of {all} in all, and the plan has {wanted}"));
    }
    None
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

/// The run `planned` of all `parts`. The counters of the engine and of this host belong to a coordinator, which did not see
/// its end.
fn run_of(record: &Record, planned: &PlannedRun, parts: Vec<KeptPart>) -> Result<Run> {
    let delivered: Vec<Delivered> =
        parts.into_iter().map(|KeptPart { agent, start, result, .. }| Delivered { agent, start, result }).collect();
    let mut run = merged(&delivered, &record.agent_hosts)?;
    (run.variation, run.dop) = (planned.variation, planned.dop);
    describe(&mut run, record);
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

/// Describes `run` as the catalogue does, where it is one of the catalogue.
fn describe(run: &mut Run, record: &Record) {
    let is_of_catalogue = matches!(run.kind, RunKind::Test | RunKind::Probe) && record.plan.test_files.is_empty();
    if let Some(item) = item::catalogue().find(|item| is_of_catalogue && item.code() == run.test) {
        (run.title, run.layer) = (item.title().to_owned(), item.layer());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use record::{AgentStart, Attempt, JobShare, Pace, PartResult, Timestamp, Variation};

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

    /// A record with run 1 (T611 J2) done, and run 2 (T311 J2) planned; the result of run 2 by an agent with one job.
    fn interrupted() -> (Record, Run) {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/records/run.jsonl");
        let mut record = store::read(&fixture).expect("a record");
        let run = |test: &str, jobs: u32| {
            let run = record.runs.iter().find(|run| run.test == test && run.dop.jobs == jobs).expect(test);
            run.clone()
        };
        let (done, part) =
            (Run { number: 1, ..run("T611", 2) }, Run { number: 2, findings: Vec::new(), ..run("T311", 1) });
        let planned =
            |number: u32, test: &str| PlannedRun { number, ..PlannedRun::new(test, RunKind::Test, Dop::jobs(2)) };
        record.plan.runs = vec![planned(1, "T611"), planned(2, "T311")];
        record.plan.agents = Some(2);
        (record.runs, record.status, record.ended_at) = (vec![done], Status::Running, None);
        (record, part)
    }

    /// Parts of two agents with one job each, at attempt `epoch` of the run that `run` is of.
    fn given(record: &Record, run: &Run, epoch: u64) -> Vec<GivenPart> {
        let part = |first: u32| KeptPart {
            record: record.key(),
            attempt: Attempt { epoch, run: 2 },
            agent: format!("agent-{}", first + 1),
            share: JobShare { first, count: 1, all: 2 },
            result: PartResult { run: run.clone(), host_threads: 1 },
            ..part(first, 1, 2)
        };
        [0, 1].map(|first| GivenPart { sha256: format!("{first}"), part: part(first) }).into()
    }

    /// What becomes of `parts`; whether the file of the record is the same as before; the record.
    fn collected(record: &Record, parts: Vec<GivenPart>) -> (Vec<CollectedRun>, bool, Record) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join(format!("{}.jsonl", record.id));
        drop(Writer::create(&path, record).expect("a record"));
        let before = fs::read(&path).expect("a file");
        let (_, collected) = complete(&path, parts).expect("it can be written");
        let is_same = before == fs::read(&path).expect("a file");
        (collected, is_same, store::read(&path).expect("it can be read"))
    }

    #[test]
    fn the_parts_of_a_planned_run_complete_it() {
        let (record, part) = interrupted();
        let (found, is_same, after) = collected(&record, given(&record, &part, 1));
        assert_eq!(found[0].outcome, CollectionOutcome::Completed);
        assert!(!is_same && after.status == Status::Finished && after.runs[0] == record.runs[0]);
        let run = &after.runs[1];
        assert_eq!((run.number, run.dop, run.totals.steps), (2, Dop::jobs(2), 2 * part.totals.steps));
    }

    #[test]
    fn a_part_that_is_not_of_the_planned_run_changes_nothing() {
        let (record, part) = interrupted();
        let dop = |change: fn(&mut Dop)| {
            let mut run = part.clone();
            change(&mut run.dop);
            run
        };
        let perturbed = Variation::ShareOfCapacity { share: 0.5 };
        let others = [
            ("the number of a run that is done", Run { number: 1, title: "FORGED".to_owned(), ..part.clone() }),
            ("another test", Run { test: "T611".to_owned(), ..part.clone() }),
            ("what prepares a run", Run { test: "fill".to_owned(), ..part.clone() }),
            ("another kind", Run { kind: RunKind::Io, ..part.clone() }),
            ("another variation", Run { variation: Some(perturbed), ..part.clone() }),
            ("other nodes", dop(|dop| dop.nodes = 2)),
            ("other threads", dop(|dop| dop.threads = 2)),
            ("other jobs", dop(|dop| dop.jobs = 2)),
            ("what cannot be", Run { window_ns: record::Nanos(0), ..part.clone() }),
        ];
        for (what, run) in others {
            let (found, is_same, after) = collected(&record, given(&record, &run, 1));
            assert!(
                matches!(&found[..], [CollectedRun { outcome: CollectionOutcome::Refused { .. }, .. }]),
                "{found:?}"
            );
            assert!(is_same && after.runs == record.runs, "{what}");
            assert!(!found[0].is_in_record(), "{what} is kept");
        }
        let mut foreign = record.clone();
        foreign.plan.agent_hosts = vec!["db1".to_owned(), "db2".to_owned()];
        let (found, is_same, _) = collected(&foreign, given(&foreign, &part, 1));
        assert!(is_same && !found[0].is_in_record(), "parts of agents that the plan does not have: {found:?}");
        let more_jobs = given(&record, &part, 1).into_iter().map(|mut given| {
            given.part.share.all = 3;
            given
        });
        assert!(!collected(&record, more_jobs.collect()).0[0].is_in_record(), "of a run with more jobs");
    }

    #[test]
    fn a_part_of_a_run_that_is_not_planned_is_named_and_kept() {
        let (mut record, part) = interrupted();
        record.plan.runs.truncate(1);
        let (found, is_same, _) = collected(&record, given(&record, &part, 1));
        let [CollectedRun { number: 2, planned: None, parts, outcome: CollectionOutcome::Unplanned, .. }] = &found[..]
        else {
            panic!("{found:?}")
        };
        assert!(is_same && parts.len() == 2 && !found[0].is_in_record());
    }

    #[test]
    fn a_run_that_is_done_stays_as_it_is_and_the_last_attempt_is_taken() {
        let (record, part) = interrupted();
        let earlier = Run { totals: record::Totals { rows: 1, ..part.totals.clone() }, ..part.clone() };
        let parts = [given(&record, &earlier, 3), given(&record, &part, 4)].concat();
        let (found, _, after) = collected(&record, parts);
        let outcomes: Vec<&CollectionOutcome> = found.iter().map(|run| &run.outcome).collect();
        assert_eq!(outcomes, [&CollectionOutcome::Completed, &CollectionOutcome::Superfluous]);
        assert_eq!(after.runs[1].totals.rows, 2 * part.totals.rows);
        let (again, is_same, _) = collected(&after, given(&after, &earlier, 5));
        assert!(is_same && again[0].outcome == CollectionOutcome::Superfluous, "{again:?}");
    }

    #[test]
    fn an_attempt_that_was_given_up_is_not_needed_once_an_earlier_one_has_completed_the_run() {
        let (record, part) = interrupted();
        let mut given_up = given(&record, &part, 4);
        given_up.truncate(1);
        let (found, _, after) = collected(&record, [given_up, given(&record, &part, 3)].concat());
        let outcomes: Vec<&CollectionOutcome> = found.iter().map(|run| &run.outcome).collect();
        assert_eq!(outcomes, [&CollectionOutcome::Superfluous, &CollectionOutcome::Completed]);
        assert_eq!(after.runs.len(), 2);
    }

    #[test]
    fn the_fleet_that_was_last_at_work_is_taken() {
        let (record, part) = interrupted();
        let of_fleet = |fleet: &str, started_at: &str, epoch: u64| {
            let run = Run { started_at: Timestamp(started_at.to_owned()), ..part.clone() };
            let mut parts = given(&record, &run, epoch);
            parts.iter_mut().for_each(|given| given.part.fleet = fleet.to_owned());
            parts
        };
        let parts = [
            of_fleet("a", "2026-11-24T01:00:00.000Z", 9),
            of_fleet("b", "2026-11-24T02:00:00.000Z", 1),
            of_fleet("c", "no date", 9),
        ];
        let in_order = attempts(&record, parts.concat());
        let fleets: Vec<&str> = in_order.iter().map(|(_, parts)| parts[0].part.fleet.as_str()).collect();
        assert_eq!(fleets, ["b", "a", "c"]);
    }
}
