//! Tests whose statements were sent in a pipeline, beside the runs in which each waited for its answer.

use record::{Rate, Record, Run, Variation};

use crate::delta::per_second;
use crate::verdict::is_invalid;

/// A test at a degree of parallelism, with statements sent so many at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PipelinePoint<'a> {
    /// Statements that are sent before the first answer is read; 1 without a pipeline.
    pub statements: u32,
    /// The valid repeat with the median rate, the lower one of two; any repeat where none is valid.
    pub run: &'a Run,
    /// Its operations per second; none of an invalid run.
    pub per_second: Option<Rate>,
}

/// The tests of `record` that have runs with a pipeline, in the order of their first runs: at each degree of parallelism without a
/// pipeline and with more and more statements in it.
pub fn pipelines(record: &Record) -> Vec<PipelinePoint<'_>> {
    let mut points: Vec<(usize, u32, Vec<&Run>)> = Vec::new();
    let key = |run: &Run| (run.test.clone(), run.dop);
    let mut keys = Vec::new();
    for run in record.runs.iter().filter(|run| statements(run) > Some(1)) {
        if !keys.contains(&key(run)) {
            keys.push(key(run));
        }
    }
    for run in &record.runs {
        let (Some(statements), Some(place)) = (statements(run), keys.iter().position(|known| *known == key(run)))
        else {
            continue;
        };
        match points.iter_mut().find(|(at, of, _)| (*at, *of) == (place, statements)) {
            Some((_, _, runs)) => runs.push(run),
            None => points.push((place, statements, vec![run])),
        }
    }
    points.sort_by_key(|(place, statements, _)| (*place, *statements));
    points.into_iter().filter_map(|(_, statements, runs)| point(statements, &runs)).collect()
}

fn point<'a>(statements: u32, runs: &[&'a Run]) -> Option<PipelinePoint<'a>> {
    let rate = |run: &&'a Run| Some((per_second(run, run.totals.operations)?, *run));
    let mut valid: Vec<(Rate, &Run)> = runs.iter().filter(|run| !is_invalid(run)).filter_map(rate).collect();
    valid.sort_by(|one, other| one.0.0.total_cmp(&other.0.0));
    let middle = valid.len().checked_sub(1).map(|last| valid[last / 2]);
    let run = middle.map(|(_, run)| run).or(runs.first().copied())?;
    Some(PipelinePoint { statements, run, per_second: middle.map(|(rate, _)| rate) })
}

/// The statements that are sent together; none of a run that differs otherwise from the plain one.
fn statements(run: &Run) -> Option<u32> {
    match run.variation {
        None => Some(1),
        Some(Variation::Pipelined { statements }) => Some(statements),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use record::{Nanos, Totals};

    use super::*;
    use crate::fixture::{record, run};

    fn with(test: &str, statements: u32, operations: u64) -> Run {
        let variation = (statements > 1).then_some(Variation::Pipelined { statements });
        let totals = Totals { operations, ..Totals::default() };
        Run { variation, totals, window_ns: Nanos::SECOND, ..run(test, 4) }
    }

    #[test]
    fn runs_without_a_pipeline_stand_before_those_with_one() {
        let traced = Run { variation: Some(Variation::Traced), ..with("T611", 1, 9) };
        let runs = vec![
            with("T621", 1, 7),
            with("T611", 1, 100),
            with("T611", 32, 300),
            with("T611", 8, 250),
            with("T611", 8, 200),
            with("T611", 8, 260),
            traced,
        ];
        let record = record(runs);
        let found: Vec<(&str, u32, Option<f64>)> = pipelines(&record)
            .iter()
            .map(|point| (point.run.test.as_str(), point.statements, point.per_second.map(|rate| rate.0)))
            .collect();
        let expected = [(1, 100.0), (8, 250.0), (32, 300.0)].map(|(of, rate)| ("T611", of, Some(rate)));
        assert_eq!(found, expected);
    }
}
