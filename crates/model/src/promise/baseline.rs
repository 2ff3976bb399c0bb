//! What a record says of the operations of a promise.

use record::{Nanos, Record, Run};

use super::event::Operation;
use crate::times::times;
use crate::verdict::run_verdict;

/// The tests that measure what an operation does, the closest first. A scan of the small table of a monitor has none, and no
/// test measures how far a replica is behind.
const TESTS: [(Operation, &[&str]); 4] = [
    (Operation::Read, &["T611"]),
    (Operation::Commit, &["T321", "T311"]),
    (Operation::StorageRead, &["S21"]),
    (Operation::StorageSync, &["S31"]),
];

/// What is promised from: figures of a record at one job.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// The record.
    pub record: String,
    /// Its engine, by the name of its product; absent where it has none.
    pub engine: Option<String>,
    /// One for each operation that the record has a valid run of.
    pub figures: Vec<BaselineFigure>,
}

/// The baseline of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineFigure {
    /// The operation.
    pub operation: Operation,
    /// The test that stands for it.
    pub test: String,
    /// The median of the service time of a step.
    pub p50_ns: Nanos,
    /// Its 0.99 quantile.
    pub p99_ns: Nanos,
}

/// The baseline in `record`: of each operation the plain, valid run at one job with the highest 0.99 quantile, which is
/// what may be promised of repeats that differ. Runs with a load beside are none: they are of two loads.
pub fn baseline(record: &Record) -> Baseline {
    let figure = |(operation, tests): &(Operation, &[&str])| {
        tests.iter().find_map(|test| figure_of(record.runs.iter().filter(|run| run.test == *test), *operation))
    };
    Baseline {
        record: record.id.clone(),
        engine: record.engine.as_ref().map(|engine| engine.title.clone()),
        figures: TESTS.iter().filter_map(figure).collect(),
    }
}

fn figure_of<'a>(runs: impl Iterator<Item = &'a Run>, operation: Operation) -> Option<BaselineFigure> {
    let is_plain = |run: &&Run| run.variation.is_none() && run.loads_beside.is_empty();
    let is_valid = |run: &&Run| run_verdict(run) != record::Verdict::Fail;
    let at_one_job = runs.filter(|run| run.dop.jobs == 1).filter(is_plain).filter(is_valid);
    let figures = at_one_job.filter_map(|run| {
        let times = times(&run.service)?;
        Some(BaselineFigure { operation, test: run.test.clone(), p50_ns: times.p50_ns, p99_ns: times.p99_ns? })
    });
    figures.max_by_key(|figure| figure.p99_ns)
}

#[cfg(test)]
mod tests {
    use record::{LoadBeside, LoadBesideRun, Totals, Unit};

    use super::*;
    use crate::fixture::{latency, record, run};

    #[test]
    fn a_promise_is_made_of_plain_runs_at_one_job() {
        let of = |jobs: u32, mean_ns: u64| Run { service: latency(10_000, mean_ns), ..run("T611", jobs) };
        let load = LoadBesideRun {
            load: LoadBeside { test: "H100".to_owned(), test_file: None, jobs: 1, rate: None },
            title: String::new(),
            unit: Unit::Statement,
            window_ns: Nanos::SECOND,
            totals: Totals::default(),
            cancelled: 0,
            service: Default::default(),
            response: Default::default(),
        };
        let beside = Run { loads_beside: vec![load], ..of(1, 9_000) };
        let median = |runs: Vec<Run>| baseline(&record(runs)).figures.first().map(|figure| figure.p50_ns);
        let runs = vec![of(1, 2_000), of(1, 4_000), beside.clone(), of(2, 8_000)];
        assert_eq!(median(runs), Some(Nanos(4_000)), "the slowest of them");
        assert_eq!(median(vec![beside]), None);
    }
}
