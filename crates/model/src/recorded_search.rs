//! A search for the highest rate that meets a level, replayed from its recorded runs.

use record::{Arrival, Pace, Plan, Rate, Ratio, Record, Run, Until};

use crate::bound::Bound;
use crate::level::visit;
use crate::load_curve::RateCurve;
use crate::rate_search::{Purpose, RateAnswer, RateSearch, Visit};
use crate::row::row;

/// The tolerance of records that do not state it.
const TOLERANCE_OF_BEFORE: Ratio = Ratio(0.05);

/// A replayed search.
#[derive(Clone, Debug)]
pub struct RecordedSearch<'a> {
    /// The requested level, arrival and tolerance.
    pub until: Until,
    /// The parsed level.
    pub bound: Bound,
    /// The runs, in the order of execution.
    pub points: Vec<SearchPoint<'a>>,
    /// The result. The indexes of its confirmation are those of `points`.
    pub answer: RateAnswer,
    /// The goal of the half-width.
    pub goal: f64,
}

/// One run of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchPoint<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its result.
    pub visit: Visit,
    /// Its purpose.
    pub purpose: Purpose,
}

/// A rate at which runs disagree about the service level, or that missed it although a higher rate is the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contradiction {
    /// Target steps per second.
    pub asked: Rate,
    /// Runs at this rate that met the level.
    pub kept: u64,
    /// Runs at this rate that missed it.
    pub not_kept: u64,
    /// Whether a higher rate is the result of the search.
    pub is_below_answer: bool,
}

impl<'a> RateCurve<'a> {
    /// The search of `plan` at this curve. None where the plan has no valid level.
    pub fn search(&self, plan: &Plan) -> Option<RecordedSearch<'a>> {
        let highest = self.points.last().map_or(1.0, |point| point.asked.0);
        let capacity = self.capacity.map_or(highest, |Rate(rate)| rate);
        recorded_search(self.points.iter().map(|point| point.run), capacity, plan.until.clone()?, plan.seed)
    }

    /// The contradictions of the search of `plan` at this curve.
    pub fn contradictions(&self, plan: &Plan) -> Vec<Contradiction> {
        self.search(plan).map_or_else(Vec::new, |search| search.contradictions())
    }
}

/// The search for an I/O rate in `record`; None without one.
pub fn io_search(record: &Record) -> Option<RecordedSearch<'_>> {
    let level = |run: &Run| Some(run.storage.as_ref()?.bound.clone()?).filter(|_| run.pace.rate().is_some());
    let bounded = || record.runs.iter().filter(|run| level(run).is_some());
    // Older records have the level only at their runs.
    let of_runs = || {
        let first = bounded().next()?;
        let arrival = if matches!(first.pace, Pace::Rate { .. }) { Arrival::Fixed } else { Arrival::Poisson };
        Some(Until { level: level(first)?, arrival, tolerance: TOLERANCE_OF_BEFORE })
    };
    let until = record.plan.until.clone().or_else(of_runs)?;
    let closed = record.runs.iter().find(|run| run.storage.is_some() && run.pace.rate().is_none());
    let highest = bounded().filter_map(|run| run.pace.rate()).fold(1.0, f64::max);
    let capacity = closed.and_then(|run| row(run).operations_per_second).map_or(highest, |Rate(rate)| rate);
    bounded().next()?;
    recorded_search(bounded(), capacity, until, record.plan.seed)
}

fn recorded_search<'a>(
    runs: impl Iterator<Item = &'a Run>,
    capacity: f64,
    until: Until,
    seed: u64,
) -> Option<RecordedSearch<'a>> {
    let bound: Bound = until.level.parse().ok()?;
    let mut visits: Vec<(&Run, Visit)> = runs.filter_map(|run| Some((run, visit(run, &bound)?))).collect();
    visits.sort_by_key(|(run, _)| run.number);
    let mut search = RateSearch::new(capacity, until.tolerance.0, seed);
    visits.iter().for_each(|(_, visit)| search.record(*visit));
    let purposes = search.visits().iter().map(|(_, purpose)| *purpose);
    let points = visits.into_iter().zip(purposes).map(|((run, visit), purpose)| SearchPoint { run, visit, purpose });
    let points = points.collect();
    Some(RecordedSearch { until, bound, points, answer: search.answer(), goal: search.goal() })
}

impl RecordedSearch<'_> {
    /// The contradictory rates of the bracketing runs, ascending. Rounds and confirmations do not count, since they
    /// visit rates where runs disagree.
    pub fn contradictions(&self) -> Vec<Contradiction> {
        let answer = self.answer.bracket.0;
        let bracketing = self.points.iter().filter(|point| point.purpose == Purpose::Bracket);
        let mut searched: Vec<&SearchPoint<'_>> = bracketing.collect();
        searched.sort_by(|one, other| one.visit.rate.total_cmp(&other.visit.rate));
        let count = |alike: &[&SearchPoint<'_>], kept| {
            alike.iter().filter(|point| point.visit.kept == Some(kept)).count() as u64
        };
        let of_rate = searched.chunk_by(|one, other| one.visit.rate == other.visit.rate).map(|alike| Contradiction {
            asked: Rate(alike[0].visit.rate),
            kept: count(alike, true),
            not_kept: count(alike, false),
            is_below_answer: answer.is_some_and(|answer| alike[0].visit.rate < answer),
        });
        of_rate.filter(|rate| rate.not_kept > 0 && (rate.kept > 0 || rate.is_below_answer)).collect()
    }
}

#[cfg(test)]
mod tests {
    use record::{Arrival, Check, IoKind, Pace, Variation, Verdict};

    use super::*;
    use crate::fixture::{finding, io_run, record, run, storage};
    use crate::load_curve::rate_curves;
    use crate::rate_search::Ending;

    fn bounded(number: u32, rate: f64, kept: bool, stolen: bool) -> Run {
        let pace = Pace::Poisson { steps_per_second: rate };
        let mut findings = vec![finding(Check::Bound, if kept { Verdict::Pass } else { Verdict::Warn })];
        findings.extend(stolen.then(|| finding(Check::Steal, Verdict::Fail)));
        let variation = Some(Variation::Paced { pace, one_thread_per_core: false });
        Run { number, variation, pace, findings, ..run("T611", 4) }
    }

    fn record_of(runs: Vec<Run>) -> record::Record {
        let mut record = record([vec![run("T611", 4)], runs].concat());
        let level = "p99=2ms".to_owned();
        record.plan.until = Some(Until { level, arrival: Arrival::Poisson, tolerance: Ratio(0.1) });
        record
    }

    #[test]
    fn a_replayed_search_has_the_same_result() {
        let mut search = RateSearch::new(4_000.0, 0.1, record_of(Vec::new()).plan.seed);
        let mut runs = Vec::new();
        while let Some((rate, _)) = search.next() {
            search.record(Visit { rate, kept: Some(rate < 1_000.0), is_disturbed: false });
            runs.push(bounded(runs.len() as u32 + 2, rate, rate < 1_000.0, false));
        }
        let record = record_of(runs);
        let curves = rate_curves(&record);
        let found = curves[0].search(&record.plan).unwrap();
        assert_eq!(found.answer, search.answer());
        assert_eq!(found.answer.ending, Some(Ending::Confirmed));
        assert!(
            found
                .points
                .iter()
                .zip(search.visits())
                .all(|(point, (visit, purpose))| point.visit == *visit && point.purpose == *purpose)
        );
    }

    /// The runs of a search for an I/O rate on a device that meets the level below 1000, except for lucky runs.
    fn io_record(is_lucky: impl Fn(f64, usize) -> bool) -> record::Record {
        let bounded = |number: u32, rate: Option<f64>, kept: bool| {
            let mut run = Run { number, ..io_run("io", IoKind::Read, 1) };
            if let Some(rate) = rate {
                run.pace = Pace::Rate { steps_per_second: rate };
                storage(&mut run).bound = Some("p99=2ms".to_owned());
                let verdict = if kept { Verdict::Pass } else { Verdict::Warn };
                run.findings = vec![finding(Check::Bound, verdict)];
            }
            run
        };
        let closed = bounded(1, None, true);
        let mut search =
            RateSearch::new(row(&closed).operations_per_second.unwrap().0, 0.1, record_of(Vec::new()).plan.seed);
        let mut runs = vec![closed];
        while let Some((rate, _)) = search.next() {
            let kept = rate < 1_000.0 || is_lucky(rate, runs.len());
            search.record(Visit { rate, kept: Some(kept), is_disturbed: false });
            runs.push(bounded(runs.len() as u32 + 1, Some(rate), kept));
        }
        Record { plan: record_of(Vec::new()).plan, ..record(runs) }
    }

    #[test]
    fn a_rate_of_io_is_what_was_confirmed() {
        let found = io_record(|_, _| false);
        let answer = io_search(&found).unwrap().answer;
        assert_eq!(answer.ending, Some(Ending::Confirmed));
        let limit = answer.limit.unwrap();
        assert!((900.0..1_100.0).contains(&limit.estimate), "{limit:?}");
        let before = Record { plan: record(Vec::new()).plan, ..found };
        assert_eq!(io_search(&before).unwrap().until.level, "p99=2ms");
        assert!(io_search(&Record { runs: Vec::new(), ..before }).is_none());
    }

    #[test]
    fn one_lucky_run_is_no_answer() {
        let lucky = io_record(|rate, number| (1_000.0..1_300.0).contains(&rate) && number.is_multiple_of(9));
        let rates = lucky.runs.iter().skip(1).filter(|run| run.findings[0].verdict == Verdict::Pass);
        let highest = rates.filter_map(|run| run.pace.rate()).fold(0.0, f64::max);
        assert!(highest > 1_000.0, "a lucky run: {highest}");
        let answer = io_search(&lucky).unwrap().answer;
        let limit = answer.limit.unwrap();
        assert!(limit.estimate < highest, "{limit:?}, {highest}");
    }

    #[test]
    fn runs_of_another_version_count() {
        let told = [(100.0, true), (200.0, false), (200.0, false), (150.0, true), (150.0, true)];
        let runs = told.iter().zip(2..).map(|((rate, kept), number)| bounded(number, *rate, *kept, false));
        let record = record_of(runs.collect());
        let curves = rate_curves(&record);
        let found = curves[0].search(&record.plan).unwrap();
        assert_eq!((found.answer.told, found.answer.ending), (5, None));
        assert_eq!(found.answer.bracket, (Some(150.0), Some(200.0)));
        let limit = found.answer.limit.unwrap();
        assert!((150.0..=200.0).contains(&limit.estimate), "{limit:?}");
        let mut without = record.plan.clone();
        without.until = None;
        assert!(curves[0].search(&without).is_none());
    }

    fn contradictions(results: &[(f64, bool)]) -> Vec<(f64, u64, u64, bool)> {
        let runs = results.iter().map(|(rate, kept)| {
            let pace = Pace::Poisson { steps_per_second: *rate };
            let verdict = if *kept { Verdict::Pass } else { Verdict::Warn };
            let findings = vec![finding(Check::Bound, verdict)];
            Run {
                variation: Some(Variation::Paced { pace, one_thread_per_core: false }),
                pace,
                findings,
                ..run("T611", 4)
            }
        });
        let mut record = record(runs.collect());
        let level = "p99=2ms".to_owned();
        record.plan.until = Some(Until { level, arrival: Arrival::Poisson, tolerance: Ratio(0.05) });
        let told = rate_curves(&record)[0].contradictions(&record.plan);
        told.into_iter().map(|rate| (rate.asked.0, rate.kept, rate.not_kept, rate.is_below_answer)).collect()
    }

    #[test]
    fn runs_that_agree_contradict_nothing() {
        assert!(
            contradictions(&[(100.0, true), (200.0, false), (200.0, false), (150.0, true), (150.0, true)]).is_empty()
        );
        assert!(contradictions(&[(100.0, false), (100.0, false)]).is_empty());
    }

    #[test]
    fn a_rate_kept_and_not_kept_and_one_below_the_answer_are_told() {
        let results = [
            (100.0, true),
            (200.0, false),
            (400.0, true),
            (400.0, true),
            (800.0, true),
            (800.0, false),
            (800.0, false),
        ];
        assert_eq!(contradictions(&results), [(200.0, 0, 1, true), (800.0, 1, 2, false)]);
    }
}
