//! Think time: throughput for users who pause between two steps, and their CPU utilisation corrected for SMT.
//!
//! The operating system counts hardware threads as processors. Two threads of one core share it, so that a machine
//! whose threads are half busy may have little headroom: see [`crate::platform::capacity_used`], which needs the SMT
//! yield, known where the same was also measured on one thread per core.

use std::collections::{BTreeMap, BTreeSet};

use record::{Dop, Location, Nanos, Pace, Rate, Ratio, Record, Run, Sweep, Variation, name};

use crate::cpu::cpu_shares;
use crate::delta::{delta, per_second, share};
use crate::platform::{capacity_used, smt_yield};
use crate::times::{Times, times};
use crate::verdict::is_invalid;

/// One test at one degree of parallelism with several think times.
#[derive(Clone, Debug)]
pub struct ThinkStudy<'a> {
    /// The code of the test.
    pub test: &'a str,
    /// The title.
    pub title: &'a str,
    /// Which degree of parallelism the test varies.
    pub sweep: Sweep,
    /// Degree of parallelism of all its runs.
    pub dop: Dop,
    /// SMT yield: the rate with all hardware threads over that with one per core, both without think time; absent where
    /// one of them is unknown.
    pub smt_yield: Option<f64>,
    /// The runs: all hardware threads first, then one per core, each from the longest think time to none.
    pub points: Vec<ThinkPoint<'a>>,
}

/// One run with a think time.
#[derive(Clone, Debug)]
pub struct ThinkPoint<'a> {
    /// The run.
    pub run: &'a Run,
    /// The wait of each job between two steps.
    pub think: Nanos,
    /// Whether it used only one hardware thread per core.
    pub one_thread_per_core: bool,
    /// Mean of the response times; absent where no step succeeded.
    pub response_mean: Option<Nanos>,
    /// Their quantiles.
    pub response: Option<Times>,
    /// Transactions per second; steps of a test that makes none.
    pub per_second: Option<Rate>,
    /// CPU utilisation of the host, of all programs.
    pub busy: Option<Ratio>,
    /// The scope of `processors`, `processors_share` and `per_transaction`.
    pub cpu_scope: CpuScope,
    /// Hardware threads used: 1.5 is one and a half of them.
    pub processors: Option<f64>,
    /// The same as a share of all of the host.
    pub processors_share: Option<Ratio>,
    /// CPU time per transaction.
    pub per_transaction: Option<Nanos>,
    /// Used share of the capacity of the host, corrected for SMT; absent where the SMT yield is unknown, and with one
    /// thread per core.
    pub used: Option<Ratio>,
}

/// The scope of CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuScope {
    /// dbdyno and the engine.
    Own,
    /// The whole host, where the engine's CPU time is unknown.
    Host,
}

/// A study for each test and degree of parallelism of `record` that was run with think time, in the order in which they
/// were first run, with the runs without think time that are plain or on one thread per core.
pub fn think_studies(record: &Record) -> Vec<ThinkStudy<'_>> {
    let key = |run: &'_ Run| (run.test.clone(), run.dop);
    let studied = || record.runs.iter().filter(|run| is_studied(run, record) && !is_invalid(run));
    let is_telling = |run: &&Run| think(run) > Some(Nanos(0)) || is_on_fewer(run);
    let telling: BTreeSet<(String, Dop)> = studied().filter(is_telling).map(key).collect();
    let mut studies: Vec<ThinkStudy<'_>> = Vec::new();
    let mut indexes: BTreeMap<(String, Dop), usize> = BTreeMap::new();
    for run in studied() {
        let key = key(run);
        if !telling.contains(&key) {
            continue;
        }
        let index = *indexes.entry(key).or_insert(studies.len());
        if index == studies.len() {
            studies.push(empty(run));
        }
        studies[index].points.extend(point(run, record));
    }
    for study in &mut studies {
        study.points.sort_by_key(|point| (point.one_thread_per_core, std::cmp::Reverse(point.think), point.run.number));
        study.smt_yield = yielded(study);
        let yielded = study.smt_yield;
        for point in study.points.iter_mut().filter(|point| !point.one_thread_per_core) {
            point.used = point.busy.zip(yielded).map(|(busy, yielded)| Ratio(capacity_used(busy.0, yielded)));
        }
    }
    studies
}

fn empty(run: &Run) -> ThinkStudy<'_> {
    let (test, title) = (run.test.as_str(), run.title.as_str());
    ThinkStudy { test, title, sweep: run.sweep, dop: run.dop, smt_yield: None, points: Vec::new() }
}

/// Whether `run` may be a point: a closed loop, plain or of a sweep of paces, and not a probe.
fn is_studied(run: &Run, record: &Record) -> bool {
    let is_test = run.storage.is_none() && !run.kind.is_probe();
    let is_paced = matches!(run.variation, None | Some(Variation::Paced { .. }));
    is_test && is_paced && record.plan.until.is_none() && think(run).is_some()
}

/// The wait of each job between two steps; None in an open loop.
fn think(run: &Run) -> Option<Nanos> {
    match run.pace {
        Pace::ThinkTime { think_ns } => Some(think_ns),
        Pace::Unthrottled => Some(Nanos(0)),
        Pace::Rate { .. } | Pace::Poisson { .. } => None,
    }
}

fn is_on_fewer(run: &Run) -> bool {
    matches!(run.variation, Some(Variation::Paced { one_thread_per_core: true, .. }))
}

fn point<'a>(run: &'a Run, record: &Record) -> Option<ThinkPoint<'a>> {
    let count = if run.totals.transactions > 0 { run.totals.transactions } else { run.totals.steps };
    let busy = cpu_shares(run).map(|shares| shares.busy());
    let (threads, window_ns) = (f64::from(record.host.cpu.threads), run.window_ns.0 as f64);
    let (cpu_scope, processors) = match own_cpu_ns(run, record).and_then(|own| share(own, window_ns)) {
        Some(own) => (CpuScope::Own, Some(own)),
        None => (CpuScope::Host, busy.map(|busy| busy.0 * threads)),
    };
    let time_ns = processors.map(|processors| processors * window_ns);
    Some(ThinkPoint {
        run,
        think: think(run)?,
        one_thread_per_core: is_on_fewer(run) || record.plan.one_thread_per_core,
        response_mean: (run.response.count > 0).then_some(run.response.mean_ns),
        response: times(&run.response),
        per_second: per_second(run, count),
        busy,
        cpu_scope,
        processors,
        processors_share: processors.and_then(|processors| share(processors, threads)).map(Ratio),
        per_transaction: time_ns.and_then(|time_ns| share(time_ns, count as f64)).map(|nanos| Nanos(nanos as u64)),
        used: None,
    })
}

/// CPU time of dbdyno and the engine; None where a part of it is unknown.
fn own_cpu_ns(run: &Run, record: &Record) -> Option<f64> {
    let client = delta(run, name::CLIENT_CPU_NS)? as f64;
    match record.engine.as_ref().map(|engine| engine.location) {
        None | Some(Location::InProcess) => Some(client),
        Some(_) => Some(client + delta(run, name::SERVER_CPU_NS)? as f64),
    }
}

/// The SMT yield, from the runs without think time.
fn yielded(study: &ThinkStudy<'_>) -> Option<f64> {
    let rate = |fewer: bool| {
        let saturated = |point: &&ThinkPoint<'_>| point.one_thread_per_core == fewer && point.think == Nanos(0);
        study.points.iter().find(saturated)?.per_second.map(|rate| rate.0)
    };
    smt_yield(rate(false)?, rate(true)?)
}

#[cfg(test)]
mod tests {
    use record::{EngineInventory, Totals};

    use super::*;
    use crate::fixture::{counted, engine, record, run};

    /// Ten seconds in which the 8 hardware threads of the host were busy for `busy_s` seconds in all.
    fn thinking(think_ms: u64, fewer: bool, transactions: u64, busy_s: u64) -> Run {
        let pace = match think_ms {
            0 => Pace::Unthrottled,
            _ => Pace::ThinkTime { think_ns: Nanos(think_ms * 1_000_000) },
        };
        let variation = (fewer || think_ms > 0).then_some(Variation::Paced { pace, one_thread_per_core: fewer });
        let totals = Totals { steps: transactions, operations: transactions, transactions, ..Totals::default() };
        let counters = [
            (name::HOST_CPU_USER_NS, busy_s * 1_000_000_000),
            (name::HOST_CPU_SYSTEM_NS, 0),
            (name::HOST_CPU_IDLE_NS, (80 - busy_s) * 1_000_000_000),
        ];
        counted(Run { pace, variation, totals, ..run("T616", 40) }, &counters)
    }

    fn studied(runs: Vec<Run>) -> Record {
        let mut record = record(runs);
        record.host.cpu.threads = 8;
        record
    }

    #[test]
    fn half_busy_is_four_fifths_used_where_the_second_threads_add_a_quarter() {
        let runs = vec![
            thinking(0, false, 50_000, 80),
            thinking(20, false, 40_000, 40),
            thinking(0, true, 40_000, 40),
            thinking(20, true, 38_000, 38),
        ];
        let record = studied(runs);
        let studies = think_studies(&record);
        let [study] = studies.as_slice() else { panic!("one test at one degree") };
        assert_eq!(study.smt_yield, Some(1.25));
        let order: Vec<(bool, u64)> =
            study.points.iter().map(|point| (point.one_thread_per_core, point.think.0 / 1_000_000)).collect();
        assert_eq!(order, [(false, 20), (false, 0), (true, 20), (true, 0)]);
        let point = &study.points[0];
        assert_eq!(
            (point.busy, point.processors, point.per_second),
            (Some(Ratio(0.5)), Some(4.0), Some(Rate(4_000.0)))
        );
        assert_eq!(point.cpu_scope, CpuScope::Host, "the engine is unknown");
        // Four threads for ten seconds, and 40 000 transactions.
        assert_eq!(point.per_transaction, Some(Nanos(1_000_000)));
        assert!((point.used.unwrap().0 - 0.8).abs() < 1e-12);
        assert_eq!(study.points[2].used, None, "with one thread per core");
    }

    #[test]
    fn foreign_load_is_not_charged_to_the_test() {
        let own = [(name::CLIENT_CPU_NS, 3_000_000_000), (name::SERVER_CPU_NS, 5_000_000_000)];
        let shown = |deltas: &[(&str, u64)], location: Location| {
            let mut record = studied(vec![counted(thinking(20, false, 40_000, 40), deltas)]);
            record.engine = Some(EngineInventory { location, ..engine() });
            let studies = think_studies(&record);
            let point = &studies[0].points[0];
            assert_eq!(point.busy, Some(Ratio(0.5)));
            (point.cpu_scope, point.processors, point.processors_share, point.per_transaction)
        };
        // 8 s of 10 s on 8 threads, and 40 000 transactions.
        let both = (CpuScope::Own, Some(0.8), Some(Ratio(0.1)), Some(Nanos(200_000)));
        assert_eq!(shown(&own, Location::UnixSocket), both);
        let alone = (CpuScope::Own, Some(0.3), Some(Ratio(0.3 / 8.0)), Some(Nanos(75_000)));
        assert_eq!(shown(&own[..1], Location::InProcess), alone);
        let host = (CpuScope::Host, Some(4.0), Some(Ratio(0.5)), Some(Nanos(1_000_000)));
        assert_eq!(shown(&own[..1], Location::UnixSocket), host, "the engine's part is missing");
    }

    #[test]
    fn without_a_run_on_fewer_threads_the_capacity_is_unknown() {
        let record = studied(vec![thinking(0, false, 50_000, 80), thinking(20, false, 40_000, 40)]);
        let studies = think_studies(&record);
        assert_eq!((studies[0].smt_yield, studies[0].points[0].used), (None, None));
    }

    #[test]
    fn without_think_time_there_is_no_study() {
        assert!(think_studies(&studied(vec![thinking(0, false, 50_000, 80)])).is_empty());
        let open = Run { pace: Pace::Poisson { steps_per_second: 1.0 }, ..run("T616", 40) };
        assert!(think_studies(&studied(vec![open, run("C11", 1)])).is_empty());
    }

    #[test]
    fn figures_without_a_source_are_absent() {
        let mut bare = thinking(20, false, 40_000, 40);
        bare.readings.clear();
        let record = studied(vec![bare]);
        let studies = think_studies(&record);
        let point = &studies[0].points[0];
        assert_eq!((point.busy, point.processors, point.per_transaction), (None, None, None));
        assert!(point.per_second.is_some());
    }
}
