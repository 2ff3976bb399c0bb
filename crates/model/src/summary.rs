//! The summary of a record: its main results, whether they can be trusted, what limits them, and what would help.

mod remedy;
mod storage;

use std::collections::BTreeMap;

use record::{
    Bytes, Check, Dop, Finding, Layer, Outcome, PlanSubject, Rate, Ratio, Record, Run, RunCounts, Sweep, Verdict,
    WarningSubject,
};

use crate::attribution::{Attribution, Capacities, Limiter};
use crate::calibration::{Calibration, calibration};
use crate::claim::ClaimBasis;
use crate::group::ByTest;
use crate::load_curve::rate_curves;
use crate::platform_proof::{PlatformProof, platform_proof};
use crate::proof::{Proof, limit_basis, proofs};
use crate::random_blocks::bytes_to_cache;
use crate::recorded_search::io_search;
use crate::row::row;
use crate::sheet::{Line, line};
use crate::verdict::{is_invalid, run_counts};
use crate::warning::{Warning, most_serious, warnings};

pub use remedy::{Gain, Remedy};
pub use storage::{Beyond, StorageLimit, StorageLimiter};

use self::remedy::remedies;
use self::storage::storage_limit;

/// The tests of the catalogue that stand for a platform, the most telling first: transactions, single statements,
/// physical I/O, scans, loads, processors and memory.
pub const MAIN_TESTS: [&str; 14] =
    ["T616", "T311", "T716", "T611", "T626", "T721", "T426", "T331", "T431", "T131", "S22", "S21", "M11", "C11"];

/// What preset `quick` measures where no tests are named, and the rows of a short sheet: one test for each way in which a
/// platform is used, and the probes that are their ceilings.
pub const QUICK_TESTS: [&str; 16] = [
    "C11", "M11", "M21", "S11", "S21", "S22", "S31", "T131", "T421", "T611", "T426", "T626", "T331", "T311", "T616",
    "T716",
];

/// The tests and probes that preset `soak` measures: one for each thing that has credits, processors, reads and writes of disks, alone
/// and through the engine.
pub const SOAK_TESTS: [&str; 5] = ["C11", "S21", "S23", "T616", "T721"];

/// Checks by which a reader believes a figure, the most telling first.
const TELLING_CHECKS: [Check; 8] = [
    Check::DeviceIo,
    Check::ForeignIo,
    Check::PageCache,
    Check::Flush,
    Check::GeneratorBound,
    Check::ForeignCpu,
    Check::Steal,
    Check::Steady,
];

/// Main results of a summary, at most.
const RESULTS_MAX: usize = 3;

/// The summary of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The main results of this kind of record.
    pub results: Vec<MainResult>,
    /// Whether they can be trusted.
    pub validity: Validity,
    /// The limits of the main results that need an engine.
    pub limits: Vec<MainLimit>,
    /// What is known of the limit of a measurement of storage.
    pub storage: Option<StorageLimit>,
}

/// A main result.
#[derive(Clone, Debug, PartialEq)]
pub enum MainResult {
    /// The best run of a test, of an I/O job, load, scan or stream.
    Best(Box<Line>),
    /// The maximum IOPS and MB/s under a latency bound.
    Calibration(Box<Calibration>),
    /// The highest rate that meets a service level.
    Search(FoundRate),
    /// What a proof found.
    Proof(Box<PlatformProof>),
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRate {
    /// The test; absent for a plan of I/O jobs.
    pub test: Option<(String, String)>,
    /// The service level.
    pub level: String,
    /// The highest rate that meets it, in steps or I/Os per second; absent where none was found.
    pub rate: Option<Rate>,
    /// The 95 % interval of the rate, where both ends are known.
    pub interval: Option<(Rate, Rate)>,
    /// Whether runs above the rate confirmed it.
    pub is_confirmed: bool,
}

/// How many runs can be trusted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validity {
    /// The runs by verdict.
    pub counts: RunCounts,
    /// Tests that were run and have no valid run.
    pub without_result: Vec<String>,
    /// Tests that gained more than the added workers can give.
    pub gains_beyond_workers: Vec<String>,
    /// The tests whose repeats drift, see [`crate::RepeatDrift`].
    pub drifting: Vec<String>,
    /// Tests with runs that begin or end in another state of the database than the others.
    pub in_other_states: Vec<String>,
    /// What could not be checked, with the number of runs.
    pub unchecked: BTreeMap<Check, usize>,
    /// Checks that were made and that no run failed, the most telling first.
    pub passed: Vec<Check>,
    /// The most serious finding, of several equally serious ones that of most runs.
    pub most_serious: Option<MostSerious>,
}

/// The most serious finding of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct MostSerious {
    /// The test of its first run.
    pub test: String,
    /// The finding of that run.
    pub finding: Finding,
    /// Runs with a finding of this check that is as serious.
    pub runs: usize,
}

/// The limit of a main result.
#[derive(Clone, Debug, PartialEq)]
pub struct MainLimit {
    /// The test.
    pub test: String,
    /// Its title.
    pub title: String,
    /// Its layer.
    pub layer: Layer,
    /// Which degree of parallelism it varies.
    pub sweep: Sweep,
    /// The degree of its best run.
    pub dop: Dop,
    /// The limit by the figures of that run, with its evidence.
    pub attribution: Attribution,
    /// The proof of the limit, if it was tried.
    pub proof: Option<Proof>,
    /// The fastest valid run with more sessions or threads: its degree, and its rate as a ratio of that of the best run.
    pub with_more: Option<(Dop, Ratio)>,
    /// What a cache has to hold of the data that the test works on.
    pub data_bytes: Option<Bytes>,
    /// What would help, the largest gain first.
    pub remedies: Vec<Gain>,
}

impl MainLimit {
    /// What the limit rests on; absent where none is named.
    pub fn basis(&self) -> Option<ClaimBasis> {
        limit_basis(Some(&self.attribution), self.proof.as_ref())
    }

    /// Whether the best rate is the best of those tried and perhaps not of those possible: no resource is full, and more
    /// sessions or threads were not tried.
    pub fn is_best_of_tried(&self) -> bool {
        let is_open = matches!(
            self.attribution.limiter,
            Limiter::TooFewClients { .. } | Limiter::WakeUps(_) | Limiter::Unexplained | Limiter::Serialised(_)
        );
        is_open && self.with_more.is_none()
    }
}

/// The summary of `record`.
pub fn summary(record: &Record) -> Summary {
    let by_test = ByTest::of(record);
    let results = results(record, &by_test);
    let (capacities, proofs) = (Capacities::of(record), proofs(record));
    let limits = results.iter().filter_map(|result| match result {
        MainResult::Best(line) if !line.is_probe => limit(record, line, &capacities, &proofs),
        _ => None,
    });
    let storage = results.first().and_then(|result| match result {
        MainResult::Best(line) => storage_limit(record, line.best.as_ref()?.run, None),
        MainResult::Calibration(found) => storage_limit(record, found.run, Some(found)),
        MainResult::Search(_) | MainResult::Proof(_) => None,
    });
    Summary { limits: limits.collect(), storage, validity: validity(record, &by_test), results }
}

fn results(record: &Record, by_test: &ByTest<'_>) -> Vec<MainResult> {
    let searches = searches(record);
    if !searches.is_empty() {
        return searches.into_iter().take(RESULTS_MAX).map(MainResult::Search).collect();
    }
    if let PlanSubject::Proof(_) = record.plan.subject() {
        return platform_proof(record).map(|found| MainResult::Proof(Box::new(found))).into_iter().collect();
    }
    if let Some(found) = calibration(record) {
        return vec![MainResult::Calibration(Box::new(found))];
    }
    let known = |code: &&str| line(by_test, code).filter(|line| line.best.is_some());
    let mut lines: Vec<Line> = MAIN_TESTS.iter().filter_map(known).collect();
    if lines.iter().all(|line| line.is_probe) {
        // Tests come before the probes that were measured beside them, which are their ceilings.
        let others = by_test.codes().filter_map(|code| known(&code)).filter(|line| !line.is_probe);
        lines.splice(0..0, others);
    }
    if !record.plan.subject().properties().has_spec_sheet {
        lines.retain(|line| !line.is_probe);
    } else if lines.is_empty() {
        lines = by_test.codes().filter_map(|code| known(&code)).collect();
    }
    lines.truncate(RESULTS_MAX);
    lines.into_iter().map(|line| MainResult::Best(Box::new(line))).collect()
}

fn searches(record: &Record) -> Vec<FoundRate> {
    let found = |test, search: crate::RecordedSearch<'_>| {
        let limit = search.answer.limit;
        let ends = limit.filter(|limit| limit.low.is_told && limit.high.is_told);
        FoundRate {
            test,
            level: search.until.level.clone(),
            rate: limit.map(|limit| Rate(limit.estimate)),
            interval: ends.map(|limit| (Rate(limit.low.rate), Rate(limit.high.rate))),
            is_confirmed: search.answer.confirmation.as_ref().is_some_and(|found| found.is_confirmed),
        }
    };
    let of_io = io_search(record).map(|search| found(None, search));
    let curves = rate_curves(record);
    let of_tests = curves.iter().filter_map(|curve| {
        let test = (curve.test.to_owned(), curve.title.to_owned());
        Some(found(Some(test), curve.search(&record.plan)?))
    });
    of_io.into_iter().chain(of_tests).collect()
}

fn validity(record: &Record, by_test: &ByTest<'_>) -> Validity {
    let (counts, warnings) = (run_counts(record), warnings(record));
    let has_none = |code: &&str| by_test.runs(code).iter().all(|run| is_invalid(run));
    let without_result = by_test.codes().filter(has_none).map(str::to_owned).collect();
    let findings = record.runs.iter().flat_map(|run| &run.findings);
    let mut unchecked = BTreeMap::new();
    for finding in findings.filter(|finding| finding.verdict == Verdict::Unknown) {
        *unchecked.entry(finding.check()).or_default() += 1;
    }
    let of = |subject| {
        let found = warnings.iter().filter(|warning| warning.subject == subject);
        found.flat_map(Warning::tests).map(str::to_owned).collect()
    };
    Validity {
        counts,
        without_result,
        gains_beyond_workers: of(WarningSubject::Gain),
        drifting: of(WarningSubject::Drift),
        in_other_states: of(WarningSubject::State),
        passed: passed(record),
        unchecked,
        most_serious: most_serious_of(&warnings),
    }
}

/// The checks that passed in all runs in which they were made, those of [`TELLING_CHECKS`] first.
fn passed(record: &Record) -> Vec<Check> {
    let mut worst: BTreeMap<Check, Verdict> = BTreeMap::new();
    for finding in record.runs.iter().flat_map(|run| &run.findings) {
        let known = worst.entry(finding.check()).or_insert(finding.verdict);
        // What could not be checked in one run is not passed.
        *known = if finding.verdict == Verdict::Pass { *known } else { finding.verdict };
    }
    worst.retain(|_, verdict| *verdict == Verdict::Pass);
    let place = |check: &Check| TELLING_CHECKS.iter().position(|telling| telling == check).unwrap_or(usize::MAX);
    let mut passed: Vec<Check> = worst.into_keys().collect();
    passed.sort_by_key(place);
    passed
}

/// The most serious finding of `warnings` of runs that were carried out.
fn most_serious_of(warnings: &[Warning<'_>]) -> Option<MostSerious> {
    let found = most_serious(warnings)?;
    let mut done = found.instances.iter().filter(|one| one.run.outcome == Outcome::Done);
    let runs = done.clone().count();
    let first = done.next()?;
    Some(MostSerious { test: first.run.test.clone(), finding: first.finding?.clone(), runs })
}

/// The limits of the best runs of `lines` of the sheet of `record`; absent where a line has no result or nothing is known.
pub fn main_limits(record: &Record, lines: &[&Line]) -> Vec<Option<MainLimit>> {
    let (capacities, proofs) = (Capacities::of(record), proofs(record));
    lines.iter().map(|line| limit(record, line, &capacities, &proofs)).collect()
}

fn limit(record: &Record, line: &Line, capacities: &Capacities, proofs: &[Proof]) -> Option<MainLimit> {
    let best = line.best.as_ref()?;
    let run = record.runs.iter().find(|run| run.number == best.run)?;
    let attribution = capacities.attribute(run)?;
    let proof = proofs.iter().rev().find(|proof| proof.test == line.test && proof.dop == best.dop).cloned();
    let processors = capacities.processors(run);
    let mut remedies = remedies(&attribution, proof.as_ref(), processors, run.pace.rate().is_none());
    // More sessions were tried, and were not faster.
    let workers = |dop: Dop| dop.jobs.saturating_mul(dop.threads);
    let is_plain = |run: &&Run| run.test == line.test && run.variation.is_none() && !is_invalid(run);
    let with_more = record.runs.iter().filter(is_plain).filter(|run| workers(run.dop) > workers(best.dop));
    let rates = with_more.filter_map(|run| {
        let Rate(rate) = row(run).operations_per_second?;
        Some((run.dop, Ratio(rate / best.operations_per_second.0)))
    });
    let with_more = rates.max_by(|one, other| one.1.0.total_cmp(&other.1.0));
    if with_more.is_some() {
        remedies.retain(|gain| gain.remedy != Remedy::Sessions);
    }
    Some(MainLimit {
        test: line.test.clone(),
        title: line.title.clone(),
        layer: line.layer,
        sweep: line.sweep,
        dop: best.dop,
        attribution,
        proof,
        with_more,
        data_bytes: bytes_to_cache(run),
        remedies,
    })
}

#[cfg(test)]
mod tests {
    use record::{CacheState, Check, EngineInventory, Location, Nanos, ObservedRun, PlannedRun, RunKind, name};

    use super::*;
    use crate::fixture::{blocks_run, engine, finding, reading, record, run, storage_host};

    /// A run against observed hosts of a server with these hardware threads, of which so many hundredths were busy. dbdyno
    /// has a host of four.
    fn on_servers(hosts: &[(&str, u32, u64)]) -> Record {
        let mut run = run("T611", 8);
        run.dop.nodes = hosts.len() as u32;
        let mut measured = record(vec![]);
        measured.host.cpu.threads = 4;
        measured.engine = Some(EngineInventory { location: Location::Remote, ..engine() });
        for (name, threads, busy) in hosts {
            let there = |at: u64| {
                let busy_and_idle = [(name::HOST_CPU_USER_NS, *busy), (name::HOST_CPU_IDLE_NS, 100 - busy)];
                let values = busy_and_idle.map(|(name, share)| (name, at * share * 1_000_000_000));
                reading(at, &[&values[..], &[(name::HOST_CPU_SYSTEM_NS, 0)]].concat())
            };
            let observed =
                ObservedRun { readings: vec![there(1), there(11)], time_error_ns: Nanos(1), foreign_load: None };
            run.server_hosts.insert((*name).to_owned(), observed);
            let mut host = storage_host(name, false);
            host.host.cpu.threads = *threads;
            measured.server_hosts.push(host);
        }
        measured.runs = vec![run];
        measured
    }

    #[test]
    fn more_processors_are_those_of_the_busiest_host_of_the_server() {
        let gains = |hosts: &[(&str, u32, u64)]| {
            let found = summary(&on_servers(hosts)).limits.remove(0);
            assert_eq!(found.attribution.limiter, Limiter::Processors);
            found.remedies.iter().map(|gain| (gain.remedy, gain.factor_max)).collect::<Vec<_>>()
        };
        let two_more = |factor| vec![(Remedy::Processors(2), Some(factor))];
        assert_eq!(gains(&[("db1", 64, 97)]), [], "two more of 64 are 1.03 times as many");
        assert_eq!(gains(&[("db1", 8, 97)]), two_more(1.3), "10 over 8, rounded up");
        assert_eq!(gains(&[("db1", 4, 60), ("db2", 16, 97)]), two_more(1.2), "18 over 16, rounded up");
        assert_eq!(gains(&[("db1", 0, 97)]), [], "not known");
    }

    #[test]
    fn the_result_is_the_subject_and_not_the_probe_beside_it() {
        let probe = || Run { kind: RunKind::Probe, ..run("S21", 1) };
        let codes = |measured: &Record| -> Vec<String> {
            let found = summary(measured).results.into_iter();
            found
                .filter_map(|result| if let MainResult::Best(line) = result { Some(line.test) } else { None })
                .collect()
        };
        let mut blocks = record(vec![probe(), blocks_run(CacheState::Warm)]);
        blocks.plan.runs = vec![
            PlannedRun::new("S21", RunKind::Probe, Dop::jobs(1)),
            PlannedRun::new("B100", RunKind::Blocks { cache_bytes: None }, Dop::jobs(1)),
        ];
        assert_eq!(codes(&blocks), ["B100"]);
        blocks.runs[1].outcome = Outcome::Failed { message: "the server is gone".to_owned() };
        assert_eq!(codes(&blocks), [""; 0]);
        assert_eq!(codes(&record(vec![probe(), run("T211", 1)])), ["T211", "S21"]);
        assert_eq!(codes(&record(vec![probe(), run("T211", 1), run("T611", 1)])), ["T611", "S21"]);
        assert_eq!(codes(&record(vec![probe()])), ["S21"]);
    }

    #[test]
    fn what_has_no_result_and_what_is_not_known_are_told() {
        let with = |test: &str, check: Check, verdict: Verdict| Run {
            findings: vec![finding(check, verdict)],
            ..run(test, 1)
        };
        let runs = vec![
            with("T611", Check::Steal, Verdict::Fail),
            with("T616", Check::ForeignIo, Verdict::Unknown),
            with("T616", Check::ForeignIo, Verdict::Unknown),
        ];
        let found = summary(&record(runs)).validity;
        assert_eq!(found.without_result, ["T611"]);
        assert_eq!(found.unchecked, BTreeMap::from([(Check::ForeignIo, 2)]));
    }

    #[test]
    fn the_most_serious_finding_is_that_of_most_runs_among_the_worst() {
        let with = |number: u32, findings: &[(Check, Verdict)]| Run {
            number,
            findings: findings.iter().map(|(check, verdict)| finding(*check, *verdict)).collect(),
            ..run("T611", number)
        };
        let steal = (Check::Steal, Verdict::Warn);
        let swapping = (Check::Swapping, Verdict::Warn);
        let unknown = (Check::ForeignIo, Verdict::Unknown);
        let told = |runs: Vec<Run>| {
            let found = summary(&record(runs)).validity;
            let most_serious = found.most_serious.map(|most_serious| (most_serious.finding.check(), most_serious.runs));
            (found.counts.runs, found.counts.invalid, found.counts.with_warnings, most_serious)
        };
        let runs = [with(1, &[steal]), with(2, &[swapping, unknown]), with(3, &[swapping])];
        assert_eq!(told(runs.to_vec()), (3, 0, 3, Some((Check::Swapping, 2))));
        assert_eq!(told(vec![with(1, &[steal]), with(2, &[swapping])]), (2, 0, 2, Some((Check::Steal, 1))));
        let invalid = with(4, &[(Check::Failures, Verdict::Fail)]);
        assert_eq!(told([&runs[..], &[invalid]].concat()), (4, 1, 3, Some((Check::Failures, 1))));
        assert_eq!(told(vec![with(1, &[unknown])]), (1, 0, 0, None));
    }
}
