//! The search that the runs of a curve belong to, as they decided it.

use record::{Plan, Rate};

use crate::bound::Bound;
use crate::level::visit;
use crate::load_curve::{RateCurve, RatePoint};
use crate::rate_search::{Purpose, RateAnswer, RateSearch};

/// A search for the highest rate that keeps a level, read from its runs.
#[derive(Clone, Debug)]
pub struct CurveSearch<'c, 'a> {
    /// The runs in the order in which they were made, each with what it was made for.
    pub points: Vec<(&'c RatePoint<'a>, Purpose)>,
    /// What they came to. The places of its confirmation are those of `points`.
    pub answer: RateAnswer,
    /// How near to the limit was near enough.
    pub goal: f64,
}

impl<'a> RateCurve<'a> {
    /// What the search of `plan` came to at this curve. None where the plan searches for nothing that can be read.
    pub fn search(&self, plan: &Plan) -> Option<CurveSearch<'_, 'a>> {
        let until = plan.until.as_ref()?;
        let bound: Bound = until.level.parse().ok()?;
        let mut points: Vec<_> =
            self.points.iter().filter_map(|point| Some((point, visit(point.run, &bound)?))).collect();
        points.sort_by_key(|(point, _)| point.run.number);
        let highest = self.points.last().map_or(1.0, |point| point.asked.0);
        let mut search =
            RateSearch::new(self.capacity.map_or(highest, |Rate(rate)| rate), until.tolerance.0, plan.seed);
        points.iter().for_each(|(_, visit)| search.record(*visit));
        let purposes = search.visits().iter().map(|(_, purpose)| *purpose);
        let points = points.iter().map(|(point, _)| *point).zip(purposes).collect();
        Some(CurveSearch { points, answer: search.answer(), goal: search.goal() })
    }
}

#[cfg(test)]
mod tests {
    use record::{Arrival, Check, Finding, Pace, Ratio, Run, Until, Variation, Verdict};

    use super::*;
    use crate::fixture::{record, run};
    use crate::load_curve::rate_curves;
    use crate::rate_search::Ending;
    use crate::rate_search::Visit;

    fn bounded(number: u32, rate: f64, kept: bool, stolen: bool) -> Run {
        let pace = Pace::Poisson { steps_per_second: rate };
        let finding = |check, verdict| Finding { check, verdict, detail: String::new() };
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
                .all(|((point, purpose), (visit, same))| { point.asked.0 == visit.rate && purpose == same })
        );
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
