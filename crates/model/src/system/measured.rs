//! A record as a system of a comparison.

use std::collections::{BTreeMap, HashMap};

use record::{CacheFit, Check, Finding, Nanos, Outcome, Rate, Ratio, Record, Run, Status, Sweep, Verdict};

use super::conditions::{conditions, parameters};
use super::facts::facts;
use super::paired::{is_control_probe, paired};
use super::{
    Columns, Condition, Durability, InvalidReason, InvalidRun, MeasuredRate, Origin, Remark, System, SystemPoint,
    SystemTest,
};
use crate::changes::changes_anything;
use crate::degree::Degree;
use crate::delta::rate_in;
use crate::group::{ByTest, middle};
use crate::queue::in_flight;
use crate::random_blocks::compared_bytes;
use crate::row::row;
use crate::sheet::line;
use crate::statistics::mean_interval;
use crate::summary::summary;
use crate::verdict::is_invalid;

/// The platform of `record` with its tests and probes, in the order in which they were first run, without job files and
/// calibrations.
///
/// Each valid repeat is one rate: operations over its whole window. Invalid runs are kept with their reasons.
pub fn system(record: &Record) -> System {
    let mut remarks = Vec::new();
    if !record.tool.optimised {
        remarks.push(Remark::NotOptimised);
    }
    match record.status {
        Status::Finished => {}
        Status::Running => remarks.push(Remark::NotFinished(record.reason.clone())),
        Status::Interrupted | Status::Failed => remarks.push(Remark::Aborted(record.reason.clone())),
    }
    remarks.extend(unsteady(record));
    System {
        name: record.id.clone(),
        title: title(record),
        origin: Origin::Measured {
            started_at: record.started_at.clone(),
            version: record.tool.version.clone(),
            preset: record.plan.preset,
            paired: paired(record),
        },
        facts: facts(record),
        durability: record.engine.as_ref().map(Durability::of),
        tests: tests(record),
        limits: summary(record).limits,
        remarks,
        price: None,
        claims: Vec::new(),
        tables: Vec::new(),
    }
}

/// One remark for each test with a valid run that was not steady over its whole window, by the finding of its check,
/// since the seconds may have been dropped.
fn unsteady(record: &Record) -> Vec<Remark> {
    let mut tests: Vec<(&str, Vec<&Run>)> = Vec::new();
    let is_result = |run: &&Run| run.storage.is_none() && run.variation.is_none() && !is_invalid(run);
    for run in record.runs.iter().filter(is_result) {
        match tests.iter_mut().find(|(code, _)| *code == run.test) {
            Some((_, runs)) => runs.push(run),
            None => tests.push((&run.test, vec![run])),
        }
    }
    tests.iter().filter_map(|(code, runs)| unsteady_test(code, runs)).collect()
}

/// The first steadiness warning of `runs`, and their number.
fn unsteady_test(test: &str, runs: &[&Run]) -> Option<Remark> {
    let is_warning = |finding: &&Finding| finding.check() == Check::Steady && finding.verdict == Verdict::Warn;
    let warned = runs.iter().filter_map(|run| Some((run.number, run.findings.iter().find(is_warning)?)));
    let warned: Vec<(u32, &Finding)> = warned.collect();
    let (first_run, first) = *warned.first()?;
    let (test, finding) = (test.to_owned(), first.clone());
    Some(Remark::NotSteady { test, runs: warned.len(), of_runs: runs.len(), first_run, finding })
}

fn title(record: &Record) -> String {
    let engine = record.engine.as_ref().map(|engine| format!("{} {}", engine.title, engine.version));
    let host = record.host.host_name.clone().or_else(|| record.host.cpu.model.clone());
    match (engine, host) {
        (Some(engine), Some(host)) => format!("{engine} on {host}"),
        (Some(engine), None) => engine,
        (None, Some(host)) => format!("{host}, probes only"),
        (None, None) => "probes only".to_owned(),
    }
}

fn tests(record: &Record) -> Vec<SystemTest> {
    let repeats: HashMap<u32, u32> = record.plan.runs.iter().map(|run| (run.number, run.repeat)).collect();
    let mut order: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<Vec<&Run>> = Vec::new();
    // Jobs of a file are a curve where agents are added with them.
    let is_swept = |run: &Run| matches!(run.sweep, Sweep::Agents { .. });
    let is_of_tests = |run: &Run| run.storage.is_none() || run.kind.is_probe() || is_swept(run);
    let is_test = |run: &Run| is_of_tests(run) && !is_control_probe(record, run);
    for run in record.runs.iter().filter(|run| run.variation.is_none() && is_test(run)) {
        let at = *order.entry(&run.test).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    let by_test = ByTest::of(record);
    groups.iter().filter_map(|runs| test(runs, &repeats, &by_test)).collect()
}

fn test(runs: &[&Run], repeats: &HashMap<u32, u32>, by_test: &ByTest<'_>) -> Option<SystemTest> {
    let first = runs.first()?;
    let mut degrees: BTreeMap<Degree, Vec<&Run>> = BTreeMap::new();
    for run in runs {
        degrees.entry(Degree { dop: run.dop, in_flight: in_flight(run) }).or_default().push(run);
    }
    Some(SystemTest {
        code: first.test.clone(),
        title: first.title.clone(),
        is_probe: first.kind.is_probe(),
        layer: Some(first.layer),
        unit: first.unit,
        sweep: first.sweep,
        pace: first.pace,
        data_bytes: runs.iter().filter_map(|run| compared_bytes(run)).max(),
        changes: Some(changes_anything(first)),
        parameters: parameters(first),
        conditions: conditions_of(runs),
        verdict: line(by_test, &first.test).map(|line| line.verdict),
        warnings: warnings(runs),
        points: degrees.into_iter().map(|(degree, runs)| point(degree, &runs, repeats)).collect(),
        note: None,
    })
}

/// The conditions of `runs`, which are of one test.
fn conditions_of(runs: &[&Run]) -> Vec<Condition> {
    let of_first = runs.first().map_or(Vec::new(), |first| conditions(first));
    // With few jobs, each has a thread of its own in any case.
    let shared = runs.iter().filter_map(|run| run.client_threads).map(|client| client.threads).max();
    let has_jobs = runs.iter().any(|run| !run.kind.is_probe() && run.storage.is_none());
    let threads = Condition::ClientThreads(shared);
    // Alone is a condition, too: one record may have loads where the other has none.
    let alone = Condition::LoadsBeside(Vec::new());
    let is_alone = !of_first.iter().any(|condition| condition.is_alike(&alone));
    let others = of_first.into_iter().filter(|condition| !condition.is_alike(&threads));
    let of_jobs = [Some(threads.clone()), is_alone.then_some(alone)].into_iter().flatten().filter(|_| has_jobs);
    others.chain(reads(runs)).chain(of_jobs).collect()
}

/// The source of reads of tables outside the engine's cache, where checked: the page cache if it served any run.
fn reads(runs: &[&Run]) -> Option<Condition> {
    let outside = runs.iter().filter(|run| run.cache_fit == Some(CacheFit::Outside) && !is_invalid(run));
    let findings = outside.flat_map(|run| run.findings.iter().filter(|finding| finding.check() == Check::PageCache));
    match findings.map(|finding| finding.verdict).max()? {
        Verdict::Pass => Some(Condition::Reads { from_device: true }),
        Verdict::Unknown => None,
        Verdict::Warn | Verdict::Fail => Some(Condition::Reads { from_device: false }),
    }
}

/// Warnings about disturbances and caches, each once.
fn warnings(runs: &[&Run]) -> Vec<Finding> {
    let matters = |finding: &&Finding| {
        let of_surroundings = matches!(
            finding.check(),
            Check::PageCache
                | Check::CacheFit
                | Check::ForeignCpu
                | Check::ForeignIo
                | Check::Steal
                | Check::Throttling
        );
        of_surroundings && finding.verdict == Verdict::Warn
    };
    let counted = runs.iter().filter(|run| !is_invalid(run));
    let mut warnings: BTreeMap<Check, &Finding> = BTreeMap::new();
    for finding in counted.flat_map(|run| run.findings.iter().filter(matters)) {
        warnings.entry(finding.check()).or_insert(finding);
    }
    warnings.into_values().cloned().collect()
}

fn point(degree: Degree, runs: &[&Run], repeats: &HashMap<u32, u32>) -> SystemPoint {
    let mut counted: Vec<(MeasuredRate, &Run)> = Vec::new();
    let mut invalid = Vec::new();
    let has_counted = |run: &&Run| !is_invalid(run) && rate_in(run, run.unit).is_some_and(|rate| rate.0 > 0.0);
    let any_has = runs.iter().any(has_counted);
    for (run, nth) in runs.iter().zip(1..) {
        // A run that is not in the plan gets the next number.
        let repeat = repeats.get(&run.number).copied().unwrap_or(nth);
        // Beside runs that counted something, one that did nothing is a loss; where none did, nothing was measured.
        let rate = rate_in(run, run.unit).filter(|rate| rate.0 > 0.0 || (any_has && rate.0 == 0.0));
        match (is_invalid(run), rate) {
            (true, _) => invalid.push(InvalidRun { run: run.number, reason: why_invalid(run) }),
            (false, None) => invalid.push(InvalidRun { run: run.number, reason: InvalidReason::NothingCounted }),
            (false, Some(per_second)) => counted.push((MeasuredRate { repeat, per_second }, run)),
        }
    }
    let rates = counted.iter().map(|(rate, _)| *rate).collect();
    let within_run = match counted.as_slice() {
        [(rate, run)] => within(run, rate.per_second),
        _ => None,
    };
    counted.sort_by(|(one, _), (other, _)| {
        one.per_second.0.total_cmp(&other.per_second.0).then(one.repeat.cmp(&other.repeat))
    });
    let middle = middle(&counted);
    SystemPoint {
        degree,
        rates,
        invalid,
        columns: middle.map_or(Columns::default(), |(_, run)| columns(run)),
        within_run,
    }
}

fn why_invalid(run: &Run) -> InvalidReason {
    match &run.outcome {
        Outcome::Failed { message } => InvalidReason::Failed(message.lines().next().unwrap_or("aborted").to_owned()),
        Outcome::Done => {
            let failed = run.findings.iter().filter(|finding| finding.verdict == Verdict::Fail);
            InvalidReason::Findings(failed.cloned().collect())
        }
    }
}

/// Half of the interval of the mean of the whole seconds, as a share of the rate of the whole window.
fn within(run: &Run, rate: Rate) -> Option<Ratio> {
    let whole = usize::try_from(run.window_ns.0 / Nanos::SECOND.0).unwrap_or(usize::MAX).min(run.seconds.len());
    let seconds: Vec<f64> = run.seconds[..whole].iter().map(|second| second.operations as f64).collect();
    let interval = mean_interval(&seconds)?.interval?;
    Some(Ratio(interval.half() / rate.0)).filter(|share| share.0.is_finite())
}

fn columns(run: &Run) -> Columns {
    let row = row(run);
    let (engine, device) = (&row.engine_io, &row.device_io);
    Columns {
        operations_per_second: row.operations_per_second,
        rows_per_second: row.rows_per_second,
        transactions_per_second: row.transactions_per_second,
        bytes_per_second: row.bytes_per_second,
        cpu_busy: row.cpu.map(|cpu| cpu.busy()),
        reads_per_second: engine.reads_per_second.or(device.reads_per_second),
        writes_per_second: engine.writes_per_second.or(device.writes_per_second),
        read_bytes_per_second: engine.read_bytes_per_second.or(device.read_bytes_per_second),
        write_bytes_per_second: engine.write_bytes_per_second.or(device.write_bytes_per_second),
        redo_bytes_per_second: row.redo_bytes_per_second,
        service: row.service,
        service_mean_ns: row.service.map(|service| service.mean_ns),
        service_at_most_ns: None,
        time_ns: Some(row.window_ns),
    }
}

#[cfg(test)]
mod tests {
    use record::evidence::Steady;
    use record::{Dop, Evidence, IoKind, Pairing, PlannedRun, Side, SteadyReason, SteadyVerdict};

    use super::*;
    use crate::fixture::{counted, faster, finding, io_run, record, run};

    fn invalid(mut run: Run) -> Run {
        run.findings.push(finding(Check::Steal, Verdict::Fail));
        run
    }

    fn steady(verdict: Verdict, word: SteadyVerdict) -> Finding {
        let reason = SteadyReason::NothingDone { seconds: 60, of_seconds: 60 };
        Finding::new(verdict, Evidence::Steady(Steady::Window { verdict: word, reason, counted: None }))
    }

    fn planned(number: u32, repeat: u32) -> PlannedRun {
        PlannedRun {
            kind: record::RunKind::Test,
            number,
            test: "T611".to_owned(),
            dop: Dop::jobs(2),
            repeat,
            variation: None,
        }
    }

    #[test]
    fn repeats_bear_the_numbers_of_the_plan() {
        let mut record = record(vec![run("T611", 2), faster(run("T611", 2), 3), faster(run("T611", 2), 2)]);
        record.plan.runs = vec![planned(1, 3), planned(2, 1), planned(3, 2)];
        let system = system(&record);
        let point = &system.tests[0].points[0];
        let rates: Vec<(u32, f64)> = point.rates.iter().map(|rate| (rate.repeat, rate.per_second.0)).collect();
        assert_eq!(rates, [(3, 2_000.0), (1, 6_000.0), (2, 4_000.0)]);
        assert_eq!(point.columns.operations_per_second, Some(Rate(4_000.0)), "of the median");
        assert_eq!((point.within_run, point.degree.in_flight), (None, None));
    }

    #[test]
    fn unplanned_repeats_are_numbered_in_order() {
        let system = system(&record(vec![run("T611", 1), run("T616", 1), run("T611", 1), run("T611", 4)]));
        let codes: Vec<&str> = system.tests.iter().map(|test| test.code.as_str()).collect();
        assert_eq!(codes, ["T611", "T616"]);
        let repeats: Vec<u32> = system.tests[0].points[0].rates.iter().map(|rate| rate.repeat).collect();
        assert_eq!((repeats, system.tests[0].points.len()), (vec![1, 2], 2));
    }

    #[test]
    fn invalid_runs_have_no_rate_but_a_reason() {
        let mut failed = run("T611", 2);
        failed.outcome = Outcome::Failed { message: "the server is gone\nhint: look".to_owned() };
        let mut idle = run("T611", 2);
        idle.totals.operations = 0;
        let system = system(&record(vec![invalid(run("T611", 2)), failed, idle]));
        let point = &system.tests[0].points[0];
        assert_eq!(point.rates.len(), 0);
        let reasons = [
            InvalidReason::Findings(vec![finding(Check::Steal, Verdict::Fail)]),
            InvalidReason::Failed("the server is gone".to_owned()),
            InvalidReason::NothingCounted,
        ];
        let invalid: Vec<InvalidRun> =
            reasons.into_iter().zip(1..).map(|(reason, run)| InvalidRun { run, reason }).collect();
        assert_eq!(point.invalid, invalid);
    }

    #[test]
    fn a_run_that_did_nothing_beside_others_has_the_rate_zero() {
        let mut idle = run("T611", 2);
        idle.totals.operations = 0;
        let system = system(&record(vec![idle, run("T611", 2), run("T611", 2)]));
        let point = &system.tests[0].points[0];
        let rates: Vec<f64> = point.rates.iter().map(|rate| rate.per_second.0).collect();
        assert_eq!((rates, point.invalid.len()), (vec![0.0, 2_000.0, 2_000.0], 0));
    }

    #[test]
    fn a_single_run_knows_the_noise_within_it() {
        let mut noisy = run("T611", 2);
        noisy.window_ns = Nanos(40_000_000_000);
        noisy.totals.operations = 80_000;
        noisy.seconds = noisy.seconds.repeat(4);
        for (second, wave) in noisy.seconds.iter_mut().zip([0, 60, 20, 80, 40].into_iter().cycle()) {
            second.operations = 1_960 + wave;
        }
        let system = system(&record(vec![noisy]));
        let within = system.tests[0].points[0].within_run.unwrap().0;
        assert!(within > 0.003 && within < 0.01, "{within}");
    }

    #[test]
    fn columns_are_those_of_the_published_tables() {
        use record::name;
        let run = counted(run("T626", 2), &[(name::PHYSICAL_READ_COUNT, 500), (name::DEVICE_WRITE_BYTES, 1_000)]);
        let system = system(&record(vec![run]));
        let columns = &system.tests[0].points[0].columns;
        assert_eq!(columns.reads_per_second, Some(Rate(50.0)));
        assert_eq!((columns.write_bytes_per_second, columns.writes_per_second), (Some(Rate(100.0)), None));
        assert_eq!((columns.service_mean_ns, columns.time_ns), (Some(Nanos(1_000_000)), Some(Nanos(10_000_000_000))));
    }

    #[test]
    fn probes_of_storage_differ_by_what_is_in_flight_and_job_files_are_no_tests() {
        let system = system(&record(vec![io_run("S11", IoKind::Read, 4), io_run("JOB", IoKind::Read, 1)]));
        assert_eq!(system.tests.len(), 1);
        assert_eq!(system.tests[0].points[0].degree, Degree { dop: Dop::jobs(4), in_flight: Some(4) });
    }

    #[test]
    fn a_side_of_a_pair_names_the_other() {
        let mut record = record(vec![run("T611", 1)]);
        record.reason = Some("aborted by the user".to_owned());
        record.status = Status::Interrupted;
        let (other, other_target) = ("other".to_owned(), String::new());
        let pairing = Pairing { side: Side::A, other, other_target, plan_hash: None };
        record.plan.paired = Some(pairing);
        let system = system(&record);
        assert!(matches!(&system.origin, Origin::Measured { paired: Some(paired), .. } if paired.with == "other"));
        assert_eq!(system.durability.unwrap().durable, Some(true));
        assert_eq!(system.remarks.len(), 2, "aborted, and not optimised");
        assert_eq!(system.title, "Engine 1");
        record.reason = None;
        let remarks = |record: &Record| super::system(record).remarks[1..].to_vec();
        assert_eq!(remarks(&record), [Remark::Aborted(None)], "whatever the reason was");
        record.status = Status::Running;
        assert_eq!(remarks(&record), [Remark::NotFinished(None)]);
        (record.status, record.reason) = (Status::Finished, Some("all was done".to_owned()));
        assert!(remarks(&record).is_empty());
    }

    #[test]
    fn runs_that_were_not_steady_are_remarked_with_and_without_their_seconds() {
        let warned = |mut run: Run, verdict, word| {
            run.findings.push(steady(verdict, word));
            run
        };
        let rounds = Evidence::Steady(Steady::Rounds { rounds: 5, rounds_needed: 5, rule: None });
        let mut preconditioned = io_run("S11", IoKind::Read, 4);
        preconditioned.findings.push(Finding::new(Verdict::Warn, rounds));
        let mut record = record(vec![
            warned(run("T611", 2), Verdict::Pass, SteadyVerdict::Steady),
            warned(run("T611", 2), Verdict::Warn, SteadyVerdict::Drifting),
            warned(run("T616", 1), Verdict::Warn, SteadyVerdict::NotSteady),
            invalid(warned(run("T716", 1), Verdict::Warn, SteadyVerdict::Drifting)),
            preconditioned,
        ]);
        let found = system(&record).remarks;
        let not_steady = |test: &str, of_runs: usize, first_run: u32, word| {
            let (test, finding) = (test.to_owned(), steady(Verdict::Warn, word));
            Remark::NotSteady { test, runs: 1, of_runs, first_run, finding }
        };
        assert_eq!(
            found[1..],
            [not_steady("T611", 2, 2, SteadyVerdict::Drifting), not_steady("T616", 1, 3, SteadyVerdict::NotSteady)]
        );
        record.runs.iter_mut().for_each(crate::thin::thin);
        assert_eq!(system(&record).remarks, found);
    }
}
