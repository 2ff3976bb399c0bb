//! A search for the highest rate that keeps a level, read from the runs that it made, as they decided it.

use record::{Arrival, Pace, Plan, Rate, Ratio, Record, Run, Until};

use crate::bound::Bound;
use crate::level::visit;
use crate::load_curve::RateCurve;
use crate::rate_search::{Purpose, RateAnswer, RateSearch, Visit};
use crate::row::row;

/// How near to the limit was near enough where a record does not say so.
const TOLERANCE_OF_BEFORE: Ratio = Ratio(0.05);

/// A search for the highest rate that keeps a level.
#[derive(Clone, Debug)]
pub struct RecordedSearch<'a> {
    /// What was asked for.
    pub until: Until,
    /// The level of that.
    pub bound: Bound,
    /// The runs in the order in which they were made.
    pub points: Vec<SearchPoint<'a>>,
    /// What they came to. The places of its confirmation are those of `points`.
    pub answer: RateAnswer,
    /// How near to the limit was near enough.
    pub goal: f64,
}

/// One run of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchPoint<'a> {
    /// It.
    pub run: &'a Run,
    /// What it told.
    pub visit: Visit,
    /// What it was made for.
    pub purpose: Purpose,
}

impl<'a> RateCurve<'a> {
    /// What the search of `plan` came to at this curve. None where the plan searches for nothing that can be read.
    pub fn search(&self, plan: &Plan) -> Option<RecordedSearch<'a>> {
        let highest = self.points.last().map_or(1.0, |point| point.asked.0);
        let capacity = self.capacity.map_or(highest, |Rate(rate)| rate);
        recorded_search(self.points.iter().map(|point| point.run), capacity, plan.until.clone()?, plan.seed)
    }
}

/// What the search for a rate of I/O that `record` holds came to; none where it holds none.
pub fn io_search(record: &Record) -> Option<RecordedSearch<'_>> {
    let level = |run: &Run| Some(run.storage.as_ref()?.bound.clone()?).filter(|_| run.pace.rate().is_some());
    let bounded = || record.runs.iter().filter(|run| level(run).is_some());
    // Records of before say at their runs only what was asked for.
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
    let mut told: Vec<(&Run, Visit)> = runs.filter_map(|run| Some((run, visit(run, &bound)?))).collect();
    told.sort_by_key(|(run, _)| run.number);
    let mut search = RateSearch::new(capacity, until.tolerance.0, seed);
    told.iter().for_each(|(_, visit)| search.record(*visit));
    let purposes = search.visits().iter().map(|(_, purpose)| *purpose);
    let points = told.into_iter().zip(purposes).map(|((run, visit), purpose)| SearchPoint { run, visit, purpose });
    let points = points.collect();
    Some(RecordedSearch { until, bound, points, answer: search.answer(), goal: search.goal() })
}

#[cfg(test)]
mod tests {
    use record::{Check, IoKind, Variation, Verdict};

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
    fn a_record_tells_what_the_search_told() {
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

    /// The runs of a search for a rate of I/O, on a device that keeps the level below a thousand, but for lucky runs.
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
    fn runs_of_another_version_are_evidence_and_no_end() {
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
}
