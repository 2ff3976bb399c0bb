//! The sheet of hand-made and random records.

use proptest::prelude::*;
use record::{Bytes, Ceiling, Check, IoKind, Outcome, Ratio};

use super::*;
use crate::fixture::{faster, finding, io_run, record, run, storage};

fn invalid(mut run: Run) -> Run {
    run.findings.push(finding(Check::LittlesLaw, Verdict::Fail));
    run
}

fn under(mut run: Run, probe: &str, unit: Unit) -> Run {
    run.ceiling = Some(Ceiling { probe: probe.to_owned(), unit });
    run
}

#[test]
fn a_speedup_beyond_the_jobs_is_detected() {
    let gains = |times: u64| {
        let record = record(vec![run("T611", 1), faster(run("T611", 2), times)]);
        sheet(&record).lines[0].gains_beyond_its_workers()
    };
    assert!(!gains(1) && gains(3));
}

#[test]
fn speed_throughput_and_scalability_by_hand() {
    let sheet = sheet(&record(vec![run("T611", 1), run("T611", 2), faster(run("T611", 4), 2), run("T611", 8)]));
    let line = &sheet.lines[0];
    assert_eq!(line.speed.as_ref().unwrap().operations_per_second, Rate(1_000.0));
    let best = line.best.as_ref().unwrap();
    assert_eq!((best.dop.jobs, best.run, best.operations_per_second), (4, 3, Rate(8_000.0)));
    assert_eq!(line.scalability, Some(8.0));
    assert_eq!((line.runs, line.invalid_runs, line.verdict), (4, 0, Verdict::Warn), "eight times with four jobs");
}

#[test]
fn the_optimum_is_a_valid_point_beside_the_best() {
    let slow = |mut run: Run| {
        run.service.mean_ns = record::Nanos(run.service.mean_ns.0 * 9);
        run
    };
    let runs = || vec![run("T611", 1), run("T611", 2), slow(faster(run("T611", 4), 2))];
    let of = |runs: Vec<Run>| {
        let line = sheet(&record(runs)).lines.remove(0);
        let found = line.optimum.map(|found| (found.point.run, found.point.dop.jobs, found.utilisation));
        (line.best.map(|best| best.run), found)
    };
    assert_eq!(of(runs()), (Some(3), Some((2, 2, Ratio(0.25)))));
    let mut doubtful = runs();
    doubtful[1] = invalid(doubtful[1].clone());
    assert_eq!(of(doubtful), (Some(3), Some((1, 1, Ratio(0.125)))));
    assert_eq!(of(runs().drain(..1).collect()), (Some(1), None));
}

#[test]
fn an_invalid_run_is_never_the_best() {
    let outcome = Outcome::Failed { message: "gone".to_owned() };
    let failed = Run { outcome, ..faster(run("T611", 8), 100) };
    let sheet = sheet(&record(vec![run("T611", 1), invalid(faster(run("T611", 4), 10)), failed, run("T611", 2)]));
    let line = &sheet.lines[0];
    assert_eq!(line.best.as_ref().unwrap().dop.jobs, 2);
    assert_eq!((line.runs, line.invalid_runs, line.is_invalid()), (4, 2, false));
    assert_eq!(line.verdict, Verdict::Pass, "of the valid runs");
}

#[test]
fn the_verdict_of_a_test_is_the_worst_of_its_valid_runs() {
    let mut doubtful = run("T611", 2);
    doubtful.findings = [Verdict::Warn, Verdict::Unknown].map(|verdict| finding(Check::Steal, verdict)).into();
    let sheet = sheet(&record(vec![run("T611", 1), doubtful, invalid(run("T611", 4))]));
    assert_eq!(sheet.lines[0].verdict, Verdict::Warn);
}

#[test]
fn a_test_with_only_invalid_runs_is_invalid() {
    let sheet = sheet(&record(vec![invalid(run("T611", 1)), invalid(run("T611", 2))]));
    let line = &sheet.lines[0];
    assert!(line.is_invalid());
    assert_eq!((line.verdict, line.scalability, line.runs), (Verdict::Fail, None, 2));
    assert_eq!((&line.speed, &line.best), (&None, &None));
}

#[test]
fn the_ceiling_is_taken_at_the_same_number_of_jobs_where_it_was_probed() {
    let runs = vec![
        faster(run("C11", 1), 10),
        faster(run("C11", 2), 20),
        under(run("T131", 1), "C11", Unit::Operation),
        under(faster(run("T131", 2), 4), "C11", Unit::Operation),
        under(faster(run("T131", 4), 4), "C11", Unit::Operation),
    ];
    let sheet = sheet(&record(runs));
    let line = &sheet.lines[1];
    let limit = line.speed.as_ref().unwrap().ceiling.as_ref().unwrap();
    assert_eq!((limit.jobs, limit.per_second, limit.efficiency), (1, Rate(10_000.0), Ratio(0.1)));
    let limit = line.best.as_ref().unwrap().ceiling.as_ref().unwrap();
    assert_eq!((limit.jobs, limit.per_second), (2, Rate(40_000.0)), "not probed at 4: the best");
    assert_eq!(limit.efficiency, Ratio(0.4));
}

#[test]
fn threads_are_workers_too() {
    let mut scan = under(run("T421", 1), "C11", Unit::Operation);
    (scan.sweep, scan.dop.threads) = (Sweep::Threads, 2);
    let sheet = sheet(&record(vec![faster(run("C11", 1), 9), run("C11", 2), scan]));
    let line = &sheet.lines[1];
    assert_eq!(line.best.as_ref().unwrap().ceiling.as_ref().unwrap().jobs, 2);
    assert_eq!(line.speed, None, "one thread was not run");
}

#[test]
fn bytes_are_compared_with_bytes_and_an_invalid_probe_is_no_ceiling() {
    let mut scan = under(run("T421", 1), "M12", Unit::Byte);
    let mut probe = run("M12", 1);
    probe.unit = Unit::Byte;
    let without = sheet(&record(vec![probe.clone(), scan.clone()]));
    assert_eq!(without.lines[1].best.as_ref().unwrap().ceiling, None, "the test counts no bytes");
    scan.totals.bytes = Some(Bytes(2_500));
    let with = sheet(&record(vec![probe.clone(), scan.clone()]));
    let best = with.lines[1].best.as_ref().unwrap();
    assert_eq!(best.bytes_per_second, Some(Rate(250.0)));
    assert_eq!(best.ceiling.as_ref().unwrap().efficiency, Ratio(0.25));
    let invalidated = sheet(&record(vec![invalid(probe), scan]));
    assert_eq!(invalidated.lines[1].best.as_ref().unwrap().ceiling, None);
}

#[test]
fn repeats_are_represented_by_the_median() {
    let sheet = sheet(&record(vec![faster(run("T1", 1), 9), run("T1", 1), faster(run("T1", 1), 3)]));
    let best = sheet.lines[0].best.as_ref().unwrap();
    assert_eq!((best.run, best.operations_per_second), (3, Rate(3_000.0)));
    assert_eq!((best.repeats, best.interval), (3, None));
}

#[test]
fn six_valid_repeats_have_an_interval_and_five_have_none() {
    let at = |count: u64| {
        let mut runs: Vec<Run> = (1..=count).map(|times| faster(run("T1", 1), times)).collect();
        runs.push(invalid(faster(run("T1", 1), 50)));
        sheet(&record(runs)).lines[0].best.clone().unwrap()
    };
    assert_eq!((at(5).repeats, at(5).interval), (5, None));
    let found = at(6).interval.unwrap();
    assert_eq!((at(6).repeats, found.low, found.estimate, found.high), (6, 1_000.0, 3_500.0, 6_000.0));
}

#[test]
fn a_probe_of_storage_has_a_point_per_number_of_ios_in_flight() {
    let at = |depth: u32, times: u64| {
        let mut probe = faster(io_run("S22", IoKind::Read, 1), times);
        let stream = &mut storage(&mut probe).streams[0];
        (stream.depth, stream.slots) = (depth, stream.clones * depth);
        probe
    };
    let runs = vec![at(32, 20), at(1, 1), at(32, 22), at(128, 21), at(32, 24), io_run("job", IoKind::Read, 1)];
    let sheet = sheet(&record(runs));
    assert_eq!(sheet.lines.len(), 1, "a job file has a view of its own");
    let line = &sheet.lines[0];
    let (speed, best) = (line.speed.as_ref().unwrap(), line.best.as_ref().unwrap());
    assert_eq!((speed.in_flight, speed.operations_per_second), (Some(1), Rate(1_000.0)));
    assert_eq!((best.in_flight, best.operations_per_second), (Some(32), Rate(22_000.0)), "the median of three");
    assert!(!line.gains_beyond_its_workers(), "22 times with 32 in flight");
}

#[test]
fn an_empty_record_has_an_empty_sheet() {
    assert_eq!(sheet(&record(Vec::new())), Sheet::default());
}

proptest! {
    #[test]
    fn the_order_of_runs_does_not_change_a_line(
        factors in prop::collection::vec(1u64..50, 1..6),
        turn in 0usize..6,
    ) {
        let mut runs: Vec<Run> =
            factors.iter().zip(0..).map(|(factor, power)| faster(run("T1", 1 << power), *factor)).collect();
        let strip = |sheet: Sheet| {
            let line = sheet.lines[0].clone();
            (line.best.map(|best| (best.dop, best.operations_per_second)), line.scalability, line.verdict)
        };
        let straight = strip(sheet(&record(runs.clone())));
        let turn = turn % runs.len();
        runs.rotate_left(turn);
        prop_assert_eq!(strip(sheet(&record(runs))), straight);
        prop_assert!(straight.1.unwrap() >= 1.0);
    }
}
