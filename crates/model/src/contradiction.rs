//! Rates of a search about which its runs contradict each other: kept by one run and not by another, or not kept although
//! a higher rate is.

use record::{Plan, Rate};

use crate::load_curve::RateCurve;
use crate::rate_search::Purpose;
use crate::recorded_search::{RecordedSearch, SearchPoint};

/// One rate at which the service level was kept and not kept, or not kept although a higher one is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contradiction {
    /// Steps per second that were due.
    pub asked: Rate,
    /// Runs at this rate that kept the level.
    pub kept: u64,
    /// Runs at this rate that did not.
    pub not_kept: u64,
    /// Whether a higher rate is the answer of the search.
    pub is_below_answer: bool,
}

impl RateCurve<'_> {
    /// Those of the search of `plan` at this curve.
    pub fn contradictions(&self, plan: &Plan) -> Vec<Contradiction> {
        self.search(plan).map_or_else(Vec::new, |search| search.contradictions())
    }
}

impl RecordedSearch<'_> {
    /// The rates at which the answer is not the only one that the runs gave, ascending. Runs that say nothing count nowhere,
    /// nor do those of rounds and confirmations, which go to where runs contradict each other.
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
    use record::{Arrival, Check, Pace, Ratio, Run, Until, Variation, Verdict};

    use crate::fixture::{finding, record, run};
    use crate::load_curve::rate_curves;

    fn found(said: &[(f64, bool)]) -> Vec<(f64, u64, u64, bool)> {
        let runs = said.iter().map(|(rate, kept)| {
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
        assert!(found(&[(100.0, true), (200.0, false), (200.0, false), (150.0, true), (150.0, true)]).is_empty());
        assert!(found(&[(100.0, false), (100.0, false)]).is_empty());
    }

    #[test]
    fn a_rate_kept_and_not_kept_and_one_below_the_answer_are_told() {
        let said = [
            (100.0, true),
            (200.0, false),
            (400.0, true),
            (400.0, true),
            (800.0, true),
            (800.0, false),
            (800.0, false),
        ];
        assert_eq!(found(&said), [(200.0, 0, 1, true), (800.0, 1, 2, false)]);
    }
}
