//! The spec sheet: what a record comes to, one line per test.

use std::collections::BTreeMap;

use record::{Dop, Layer, Rate, Ratio, Record, Run, Sweep, Unit, Verdict};

use crate::checks::has_probe_code;
use crate::delta::{per_second, share};
use crate::derived::{Derived, derived};
use crate::efficiency::{limit, rate_in};
use crate::queue::in_flight;
use crate::row::{Quantiles, is_void, quantiles, verdict};
use crate::rules::RULES;

/// The condensed record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// One per test or probe, in the order in which they were first run.
    pub lines: Vec<Line>,
}

/// One test.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its code.
    pub test: String,
    /// What it is, in a few words.
    pub title: String,
    /// The layer it is about.
    pub layer: Layer,
    /// What is counted.
    pub unit: Unit,
    /// Which degree of parallelism was varied.
    pub sweep: Sweep,
    /// At one job, or at one thread where threads were varied; absent where that was not run or is void.
    pub speed: Option<Point>,
    /// The highest throughput; absent where every run is void.
    pub best: Option<Point>,
    /// Throughput over speed; at least 1.
    pub scalability: Option<f64>,
    /// The worst that is said of a run that is not void; `Fail` where all are.
    pub verdict: Verdict,
    /// Runs of this test.
    pub runs: usize,
    /// Runs of it that are void; they contribute nothing above.
    pub void_runs: usize,
}

impl Line {
    /// Whether more was gained than jobs and threads can explain: a cache that was warmed, or a single job that the
    /// kernel kept waiting.
    pub fn gains_beyond_its_workers(&self) -> bool {
        let workers = self.best.as_ref().map(|best| f64::from(best.workers()));
        matches!((self.scalability, workers), (Some(gain), Some(workers)) if gain > workers * RULES.gain_per_worker_max)
    }

    /// Whether not one run of the test is a result.
    pub fn is_void(&self) -> bool {
        self.best.is_none()
    }
}

/// One test at one degree of parallelism. Where it was run there several times, the run with the median rate (the
/// lower one of two) speaks, so that rate and latencies belong together and repetition does not pay.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The number of that run.
    pub run: u32,
    /// Degree of parallelism.
    pub dop: Dop,
    /// I/Os that it keeps in flight; absent where it is not a probe of storage.
    pub in_flight: Option<u32>,
    /// Operations, in the unit of the line.
    pub operations_per_second: Rate,
    /// Bytes, where the test counts them itself.
    pub bytes_per_second: Option<Rate>,
    /// Service time.
    pub service: Option<Quantiles>,
    /// What the test is usually spoken of in, where that is something else.
    pub derived: Option<Derived>,
    /// What it is held against, where the probe was run and is not void.
    pub ceiling: Option<Limit>,
}

impl Point {
    /// How much goes on at once: I/Os in flight of a probe of storage, jobs times threads of everything else.
    pub(crate) fn workers(&self) -> u32 {
        self.in_flight.unwrap_or(self.dop.jobs.saturating_mul(self.dop.threads))
    }
}

/// A ceiling, as found in the same record.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The code of the probe.
    pub probe: String,
    /// In what the two are compared. Against a probe of storage, blocks are physical I/Os and bytes physical bytes of
    /// the kind that the probe makes, and transactions are held against commits.
    pub unit: Unit,
    /// Its rate, in that unit.
    pub per_second: Rate,
    /// The point's rate, in that unit.
    pub reached: Rate,
    /// At how many jobs the probe gave it: as many as the point has workers (jobs times threads) where the probe was
    /// run so; otherwise where it gave most.
    pub jobs: u32,
    /// At how many I/Os in flight, of a probe of storage; these are then what the point's workers are held against.
    pub in_flight: Option<u32>,
    /// Share of what the engine read that the block layer did not see, where reads are held against a probe of
    /// storage: the page cache served it. A small efficiency then says that the device was hardly asked.
    pub cached: Option<Ratio>,
    /// The point's share of it; above 1 where the probe does not bound the test.
    pub efficiency: Ratio,
}

/// The spec sheet of `record`. A void run contributes nothing, and job files and calibrations have views of their own.
pub fn sheet(record: &Record) -> Sheet {
    let mut codes: Vec<&str> = Vec::new();
    for run in record.runs.iter().filter(|run| run.storage.is_none() || has_probe_code(&run.test)) {
        if !codes.contains(&run.test.as_str()) {
            codes.push(&run.test);
        }
    }
    Sheet { lines: codes.into_iter().filter_map(|code| line(record, code)).collect() }
}

fn line(record: &Record, code: &str) -> Option<Line> {
    let runs: Vec<&Run> = record.runs.iter().filter(|run| run.test == code).collect();
    let first = *runs.first()?;
    let valid: Vec<&Run> = valid(record, code, first.unit).into_values().collect();
    let single = |run: &&&Run| match first.sweep {
        // Of a probe of storage the first of them has fewest I/Os in flight.
        Sweep::Jobs => run.dop.jobs == 1,
        Sweep::Threads => run.dop.threads == 1,
    };
    let speed = valid.iter().find(single).and_then(|run| point(record, run));
    let best = fastest(&valid, first.unit).and_then(|run| point(record, run));
    let scalability = match (&speed, &best) {
        (Some(speed), Some(best)) => share(best.operations_per_second.0, speed.operations_per_second.0),
        _ => None,
    };
    let void_runs = runs.iter().filter(|run| is_void(run)).count();
    let worst = runs.iter().filter(|run| !is_void(run)).map(|run| verdict(run)).max();
    Some(Line {
        test: first.test.clone(),
        title: first.title.clone(),
        layer: first.layer,
        unit: first.unit,
        sweep: first.sweep,
        verdict: worst.filter(|_| best.is_some()).unwrap_or(Verdict::Fail),
        speed,
        best,
        scalability,
        runs: runs.len(),
        void_runs,
    })
}

/// The runs of `code` that are not void and have a rate in `unit`, the median one at each degree of parallelism and,
/// of storage, number of I/Os in flight.
pub(crate) fn valid<'a>(record: &'a Record, code: &str, unit: Unit) -> BTreeMap<(Dop, Option<u32>), &'a Run> {
    let mut groups: BTreeMap<(Dop, Option<u32>), Vec<&Run>> = BTreeMap::new();
    for run in record.runs.iter().filter(|run| run.test == code && !is_void(run)) {
        if rate_in(run, unit).is_some() {
            groups.entry((run.dop, in_flight(run))).or_default().push(run);
        }
    }
    let median = |mut runs: Vec<&'a Run>| {
        runs.sort_by(|one, other| {
            rate_of(one, unit).total_cmp(&rate_of(other, unit)).then(one.number.cmp(&other.number))
        });
        runs.get((runs.len() - 1) / 2).copied()
    };
    groups.into_iter().filter_map(|(load, runs)| Some((load, median(runs)?))).collect()
}

/// The run with the highest rate; of equal ones that with the least parallelism, which comes first.
pub(crate) fn fastest<'a>(runs: &[&'a Run], unit: Unit) -> Option<&'a Run> {
    runs.iter().copied().reduce(|best, run| if rate_of(run, unit) > rate_of(best, unit) { run } else { best })
}

fn point(record: &Record, run: &Run) -> Option<Point> {
    Some(Point {
        run: run.number,
        dop: run.dop,
        in_flight: in_flight(run),
        operations_per_second: per_second(run, run.totals.operations)?,
        bytes_per_second: run.totals.bytes.and_then(|bytes| per_second(run, bytes.0)),
        service: quantiles(&run.service),
        derived: derived(run),
        ceiling: run.ceiling.as_ref().and_then(|ceiling| limit(record, run, ceiling)),
    })
}

fn rate_of(run: &Run, unit: Unit) -> f64 {
    rate_in(run, unit).map_or(0.0, |rate| rate.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::{Bytes, Ceiling, Check, Finding, IoKind, Outcome};

    use super::*;
    use crate::fixture::{faster, io_run, record, run, storage};

    fn void(mut run: Run) -> Run {
        run.findings.push(Finding { check: Check::LittlesLaw, verdict: Verdict::Fail, detail: String::new() });
        run
    }

    fn under(mut run: Run, probe: &str, unit: Unit) -> Run {
        run.ceiling = Some(Ceiling { probe: probe.to_owned(), unit });
        run
    }

    #[test]
    fn a_gain_that_its_jobs_do_not_explain_is_seen() {
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
        assert_eq!((line.runs, line.void_runs, line.verdict), (4, 0, Verdict::Pass));
    }

    #[test]
    fn a_void_run_is_never_the_best() {
        let outcome = Outcome::Failed { message: "gone".to_owned() };
        let failed = Run { outcome, ..faster(run("T611", 8), 100) };
        let sheet = sheet(&record(vec![run("T611", 1), void(faster(run("T611", 4), 10)), failed, run("T611", 2)]));
        let line = &sheet.lines[0];
        assert_eq!(line.best.as_ref().unwrap().dop.jobs, 2);
        assert_eq!((line.runs, line.void_runs, line.is_void()), (4, 2, false));
        assert_eq!(line.verdict, Verdict::Pass, "of the runs that count");
    }

    #[test]
    fn the_worst_word_about_a_run_that_counts_is_the_word_about_the_test() {
        let mut doubtful = run("T611", 2);
        let finding = |verdict| Finding { check: Check::Steal, verdict, detail: String::new() };
        doubtful.findings = vec![finding(Verdict::Warn), finding(Verdict::Unknown)];
        let sheet = sheet(&record(vec![run("T611", 1), doubtful, void(run("T611", 4))]));
        assert_eq!(sheet.lines[0].verdict, Verdict::Warn);
    }

    #[test]
    fn a_test_with_only_void_runs_is_void() {
        let sheet = sheet(&record(vec![void(run("T611", 1)), void(run("T611", 2))]));
        let line = &sheet.lines[0];
        assert!(line.is_void());
        assert_eq!((line.verdict, line.scalability, line.runs), (Verdict::Fail, None, 2));
        assert_eq!((&line.speed, &line.best), (&None, &None));
    }

    #[test]
    fn the_ceiling_is_taken_at_the_same_number_of_jobs_where_it_was_probed() {
        let runs = vec![
            faster(run("P111", 1), 10),
            faster(run("P111", 2), 20),
            under(run("T131", 1), "P111", Unit::Operation),
            under(faster(run("T131", 2), 4), "P111", Unit::Operation),
            under(faster(run("T131", 4), 4), "P111", Unit::Operation),
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
        let mut scan = under(run("T421", 1), "P111", Unit::Operation);
        (scan.sweep, scan.dop.threads) = (Sweep::Threads, 2);
        let sheet = sheet(&record(vec![faster(run("P111", 1), 9), run("P111", 2), scan]));
        let line = &sheet.lines[1];
        assert_eq!(line.best.as_ref().unwrap().ceiling.as_ref().unwrap().jobs, 2);
        assert_eq!(line.speed, None, "one thread was not run");
    }

    #[test]
    fn bytes_are_held_against_bytes_and_a_void_probe_is_no_ceiling() {
        let mut scan = under(run("T421", 1), "P212", Unit::Byte);
        let mut probe = run("P212", 1);
        probe.unit = Unit::Byte;
        let without = sheet(&record(vec![probe.clone(), scan.clone()]));
        assert_eq!(without.lines[1].best.as_ref().unwrap().ceiling, None, "the test counts no bytes");
        scan.totals.bytes = Some(Bytes(2_500));
        let with = sheet(&record(vec![probe.clone(), scan.clone()]));
        let best = with.lines[1].best.as_ref().unwrap();
        assert_eq!(best.bytes_per_second, Some(Rate(250.0)));
        assert_eq!(best.ceiling.as_ref().unwrap().efficiency, Ratio(0.25));
        let voided = sheet(&record(vec![void(probe), scan]));
        assert_eq!(voided.lines[1].best.as_ref().unwrap().ceiling, None);
    }

    #[test]
    fn of_repeated_runs_the_median_speaks() {
        let sheet = sheet(&record(vec![faster(run("T1", 1), 9), run("T1", 1), faster(run("T1", 1), 3)]));
        let best = sheet.lines[0].best.as_ref().unwrap();
        assert_eq!((best.run, best.operations_per_second), (3, Rate(3_000.0)));
    }

    #[test]
    fn a_probe_of_storage_has_a_point_per_number_of_ios_in_flight() {
        let at = |depth: u32, times: u64| {
            let mut probe = faster(io_run("P322", IoKind::Read, 1), times);
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
}
