//! The runs of a record whose latency tables are shown by default.

use std::collections::HashMap;

use record::{Layer, Record, Run};

use super::{has_steps, repeat};
use crate::delta::per_second;
use crate::group::Repeats;
use crate::sheet::sheet;

/// One run of each test that does I/O or commits: its traced repeat, otherwise the representative run at the best
/// degree of parallelism. In the order of the spec sheet; none for a test without a valid run.
pub fn layered_runs(record: &Record) -> Vec<&Run> {
    let mut traced: HashMap<&str, &Run> = HashMap::new();
    let mut by_number: HashMap<u32, &Run> = HashMap::new();
    for run in record.runs.iter().filter(|run| has_steps(run)) {
        if repeat::is_traced(run) {
            traced.entry(&run.test).or_insert(run);
        }
        by_number.entry(run.number).or_insert(run);
    }
    let lines = sheet(record).lines;
    let chosen = lines.iter().filter_map(|line| {
        let best = || by_number.get(&line.best.as_ref()?.run).copied().filter(|run| run.test == line.test);
        traced.get(line.test.as_str()).copied().or_else(best)
    });
    chosen.filter(|run| touches_storage(run)).collect()
}

/// Whether the test of a run does I/O or commits.
fn touches_storage(run: &Run) -> bool {
    run.changes || matches!(run.layer, Layer::Storage | Layer::Database)
}

/// The representative run of `test` at each degree of parallelism, in the order in which these were first run: the
/// plain one with the median rate, the lower one of two; a traced one where no plain one is valid.
pub fn layered_runs_of<'a>(record: &'a Record, test: &str) -> Vec<&'a Run> {
    let mut degrees: Vec<Vec<&Run>> = Vec::new();
    for run in record.runs.iter().filter(|run| run.test == test && has_steps(run)) {
        match degrees.iter_mut().find(|runs| runs.first().is_some_and(|first| repeat::is_alike(first, run))) {
            Some(runs) => runs.push(run),
            None => degrees.push(vec![run]),
        }
    }
    degrees.into_iter().filter_map(|runs| representative(&runs)).collect()
}

fn representative<'a>(runs: &[&'a Run]) -> Option<&'a Run> {
    let plain = runs.iter().filter(|run| run.variation.is_none());
    let rated = plain.filter_map(|run| Some((per_second(run, run.totals.operations)?.0, *run))).collect();
    let median = Repeats::of(rated).and_then(|repeats| repeats.speaking()).map(|(_, run)| run);
    median.or_else(|| runs.iter().copied().find(|run| repeat::is_traced(run)))
}
