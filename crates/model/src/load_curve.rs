//! Latency over arrival rate: the open-loop runs of one test at one degree of parallelism, with the plain run, an
//! unthrottled closed loop.
//!
//! In a closed loop a waiting job starts no steps, so that stalls hardly show in its latencies. In an open loop steps
//! keep arriving, and response time counts from the intended start. The difference is coordinated omission.

use std::collections::BTreeMap;

use record::{Dop, Latency, Nanos, Outcome, Pace, Rate, Ratio, Record, Run, Sweep, Variation, Verdict};

use crate::bound::Bound;
use crate::checks::failed_steps;
use crate::delta::per_second;
use crate::distribution::buckets;
use crate::group::middle;
use crate::level::meets_level;
use crate::times::{Times, times};
use crate::verdict::{is_invalid, run_verdict};

/// Minimum ratio of the p99 of open and closed loop for [`RateCurve::contrast`].
const CONTRAST_MIN: f64 = 2.0;

/// Minimum share of the lag of idle jobs in the response time, of the medians, that is told.
const NOTABLE_LAG: f64 = 0.1;

/// One test at one degree of parallelism at several rates.
#[derive(Clone, Debug)]
pub struct RateCurve<'a> {
    /// The code of the test.
    pub test: &'a str,
    /// The title.
    pub title: &'a str,
    /// Which degree of parallelism the test varies.
    pub sweep: Sweep,
    /// Degree of parallelism of all its runs.
    pub dop: Dop,
    /// The plain run; of several the one that [`capacity`] is taken from.
    pub closed: Option<&'a Run>,
    /// Steps per second of that run.
    pub capacity: Option<Rate>,
    /// The runs at a rate, ascending.
    pub points: Vec<RatePoint<'a>>,
}

/// One run at a rate.
#[derive(Clone, Debug)]
pub struct RatePoint<'a> {
    /// The run.
    pub run: &'a Run,
    /// Target steps per second.
    pub asked: Rate,
    /// Target as a share of the capacity; absent where unknown.
    pub share: Option<Ratio>,
    /// Achieved steps per second.
    pub done: Option<Rate>,
    /// Service time, from start to end.
    pub service: Option<Times>,
    /// Response time, from intended start to end.
    pub response: Option<Times>,
    /// How late idle jobs began their steps, which is part of the response time; absent where not measured.
    pub start_lag: Option<Times>,
    /// Whether it met the service level of the search; absent without one, and where not known.
    pub kept: Option<bool>,
    /// The verdict of the run.
    pub verdict: Verdict,
}

/// A closed and an open loop of the same test with different latencies.
#[derive(Clone, Debug)]
pub struct Contrast<'a> {
    /// The plain run.
    pub closed: &'a Run,
    /// The run at a rate.
    pub open: RatePoint<'a>,
    /// The threshold of long steps: half of the open loop's p99.
    pub long: Nanos,
    /// Long steps of the closed loop.
    pub closed_long: u64,
    /// Long steps of the open loop, from the intended start.
    pub open_long: u64,
}

/// Successful steps per second of the window: what a platform fails at is none of its capacity. None for an empty window.
pub fn steps_per_second(run: &Run) -> Option<Rate> {
    per_second(run, run.totals.steps.saturating_sub(failed_steps(run)))
}

/// The index of the run that gives the capacity, among plain runs of one test at one degree of parallelism, each with
/// whether it is invalid and its steps per second: that with the median rate, the lower one of two. Invalid runs count
/// only where all are, since their rate may still serve for a target. None without any step.
pub fn capacity(plain: &[(bool, f64)]) -> Option<usize> {
    let some_valid = plain.iter().any(|(invalid, rate)| !invalid && *rate > 0.0);
    let counts = |(invalid, rate): &(bool, f64)| *rate > 0.0 && (!some_valid || !invalid);
    let mut indexes: Vec<usize> = (0..plain.len()).filter(|index| counts(&plain[*index])).collect();
    indexes.sort_by(|one, other| plain[*one].1.total_cmp(&plain[*other].1).then(one.cmp(other)));
    middle(&indexes).copied()
}

/// Whether `run` may give the capacity of its test: a plain, unthrottled closed loop that was not aborted.
pub fn gives_capacity(run: &Run) -> bool {
    run.variation.is_none() && run.pace == Pace::Unthrottled && run.outcome == Outcome::Done
}

/// A curve for each test and degree of parallelism of `record` that was run at rates, in the order in which they were
/// first run.
pub fn rate_curves(record: &Record) -> Vec<RateCurve<'_>> {
    let bound: Option<Bound> = record.plan.until.as_ref().and_then(|until| until.level.parse().ok());
    let mut plain: BTreeMap<(&str, Dop), Vec<&Run>> = BTreeMap::new();
    for run in record.runs.iter().filter(|run| gives_capacity(run)) {
        plain.entry((&run.test, run.dop)).or_default().push(run);
    }
    let mut curves: Vec<RateCurve<'_>> = Vec::new();
    let mut indexes: BTreeMap<(&str, Dop), usize> = BTreeMap::new();
    for run in record.runs.iter().filter(|run| is_under_rate(run)) {
        let Some(asked) = run.pace.rate() else { continue };
        let key = (run.test.as_str(), run.dop);
        let index = *indexes.entry(key).or_insert(curves.len());
        if index == curves.len() {
            curves.push(empty(run, plain.get(&key).map_or(&[], Vec::as_slice)));
        }
        let capacity = curves[index].capacity;
        curves[index].points.push(point(run, asked, capacity, bound.as_ref()));
    }
    for curve in &mut curves {
        curve.points.sort_by(|one, other| one.asked.0.total_cmp(&other.asked.0));
    }
    curves
}

/// Whether `run` is a point of a curve.
fn is_under_rate(run: &Run) -> bool {
    matches!(run.variation, Some(Variation::Paced { .. } | Variation::ShareOfCapacity { .. }))
}

/// The curve of `run` without points, with its `plain` runs.
fn empty<'a>(run: &'a Run, plain: &[&'a Run]) -> RateCurve<'a> {
    let rate = |run: &Run| steps_per_second(run).map_or(0.0, |rate| rate.0);
    let rates: Vec<(bool, f64)> = plain.iter().map(|run| (is_invalid(run), rate(run))).collect();
    let closed = capacity(&rates).map(|index| plain[index]);
    RateCurve {
        test: &run.test,
        title: &run.title,
        sweep: run.sweep,
        dop: run.dop,
        closed,
        capacity: closed.and_then(steps_per_second),
        points: Vec::new(),
    }
}

fn point<'a>(run: &'a Run, asked: f64, capacity: Option<Rate>, bound: Option<&Bound>) -> RatePoint<'a> {
    let share = match run.variation {
        Some(Variation::ShareOfCapacity { share }) => Some(share),
        _ => capacity.map(|capacity| asked / capacity.0),
    };
    RatePoint {
        run,
        asked: Rate(asked),
        share: share.map(Ratio),
        done: steps_per_second(run),
        service: times(&run.service),
        response: times(&run.response),
        start_lag: run.start_lag.as_deref().and_then(times),
        kept: bound.and_then(|bound| meets_level(run, bound)),
        verdict: run_verdict(run),
    }
}

impl RatePoint<'_> {
    /// The median lag of idle jobs, where it is much of the median response time.
    pub fn notable_lag(&self) -> Option<Nanos> {
        let (lag, response) = (self.start_lag?.p50_ns, self.response?.p50_ns);
        (self.verdict != Verdict::Fail && lag.0 as f64 >= NOTABLE_LAG * response.0 as f64).then_some(lag)
    }
}

impl Contrast<'_> {
    /// The p99 of the lag, where it explains most of what response times are longer than service times.
    pub fn lag(&self) -> Option<Nanos> {
        let p99 = |times: Option<Times>| times.and_then(|times| times.p99_ns);
        let (lag, service, response) = (p99(self.open.start_lag)?, p99(self.open.service)?, p99(self.open.response)?);
        (lag.0 >= response.since(service).0 / 2).then_some(lag)
    }
}

impl<'a> RateCurve<'a> {
    /// The run at the lowest rate whose p99 is more than twice that of the closed loop; there the queueing near
    /// capacity explains least of the difference. None where they agree, and where one of them is not known.
    pub fn contrast(&self) -> Option<Contrast<'a>> {
        let closed = self.closed.filter(|run| !is_invalid(run))?;
        let closed_p99 = times(&closed.response)?.p99_ns?;
        let differs = |point: &&RatePoint<'a>| {
            let p99 = point.response.and_then(|response| response.p99_ns);
            let is_valid = point.verdict != Verdict::Fail;
            is_valid && p99.is_some_and(|p99| p99.0 as f64 > CONTRAST_MIN * closed_p99.0 as f64)
        };
        let open = self.points.iter().find(differs)?.clone();
        let long = Nanos(open.response?.p99_ns?.0 / 2);
        let closed_long = longer(&closed.response, long)?;
        let open_long = longer(&open.run.response, long)?;
        Some(Contrast { closed, open, long, closed_long, open_long })
    }
}

/// The number of values of `latency` above `limit`, within the width of a bucket. None where its histogram cannot be
/// read.
fn longer(latency: &Latency, limit: Nanos) -> Option<u64> {
    Some(buckets(latency)?.into_iter().filter(|(value, _)| *value > limit).map(|(_, count)| count).sum())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::Totals;

    use super::*;
    use crate::distribution::tests::stored;
    use crate::fixture::{record, run};

    fn shared(share: f64) -> Run {
        let pace = Pace::Poisson { steps_per_second: 4_000.0 * share };
        let steps = (40_000.0 * share) as u64;
        let totals = Totals { steps, operations: steps, ..Totals::default() };
        Run { variation: Some(Variation::ShareOfCapacity { share }), pace, totals, ..run("T611", 4) }
    }

    fn paced(rate: f64) -> Run {
        let pace = Pace::Poisson { steps_per_second: rate };
        Run { variation: Some(Variation::Paced { pace, one_thread_per_core: false }), pace, ..run("T611", 4) }
    }

    #[test]
    fn a_curve_holds_the_rates_of_one_degree_beside_its_plain_run() {
        let record = record(vec![run("T611", 4), shared(0.9), shared(0.5), run("T611", 8), run("T616", 4)]);
        let curves = rate_curves(&record);
        assert_eq!(curves.len(), 1);
        let curve = &curves[0];
        assert_eq!((curve.test, curve.dop, curve.capacity), ("T611", Dop::jobs(4), Some(Rate(4_000.0))));
        let shares: Vec<f64> = curve.points.iter().filter_map(|point| Some(point.share?.0)).collect();
        assert_eq!(shares, [0.5, 0.9], "ascending");
        assert_eq!((curve.points[0].asked, curve.points[0].done), (Rate(2_000.0), Some(Rate(2_000.0))));
    }

    #[test]
    fn a_rate_is_held_against_the_plain_run_where_there_is_one() {
        let with = record(vec![run("T611", 4), paced(1_000.0)]);
        assert_eq!(rate_curves(&with)[0].points[0].share, Some(Ratio(0.25)));
        let without = record(vec![run("T611", 8), paced(1_000.0)]);
        let curves = rate_curves(&without);
        assert_eq!((curves[0].capacity, curves[0].points[0].share), (None, None));
        assert!(curves[0].contrast().is_none());
    }

    #[test]
    fn runs_that_think_or_are_plain_make_no_curve() {
        let pace = Pace::ThinkTime { think_ns: Nanos(1) };
        let think =
            Run { variation: Some(Variation::Paced { pace, one_thread_per_core: false }), pace, ..run("T1", 1) };
        let open = Run { variation: None, ..paced(10.0) };
        assert!(
            rate_curves(&record(vec![think, open, Run { variation: Some(Variation::Traced), ..run("T1", 1) }]))
                .is_empty()
        );
    }

    #[test]
    fn the_lag_of_idle_jobs_is_told_where_it_is_much_of_the_response_time() {
        let lagging = |response: u64, lag: u64, share: f64| {
            let [service, response, lag] = [3_000, response, lag].map(|time| stored(&vec![time; 2_000]));
            Run { service, response, start_lag: Some(Box::new(lag)), ..shared(share) }
        };
        let plain = Run { service: stored(&[3_000; 2_000]), response: stored(&[3_000; 2_000]), ..run("T611", 4) };
        let told = record(vec![plain.clone(), lagging(20_000, 17_000, 0.1), lagging(200_000, 17_000, 0.9)]);
        let curve = &rate_curves(&told)[0];
        let lags: Vec<Option<u64>> = curve.points.iter().map(|point| Some(point.notable_lag()?.0 / 1_000)).collect();
        assert_eq!(lags, [Some(17), None]);
        assert_eq!(curve.contrast().and_then(|contrast| contrast.lag()).map(|lag| lag.0 / 1_000), Some(17));
        let queueing = record(vec![plain, lagging(200_000, 17_000, 0.9)]);
        assert_eq!(rate_curves(&queueing)[0].contrast().map(|contrast| contrast.lag()), Some(None), "of other steps");
    }

    #[test]
    fn the_capacity_is_the_median_of_what_is_valid() {
        assert_eq!(capacity(&[]), None);
        assert_eq!(capacity(&[(false, 0.0)]), None);
        assert_eq!(capacity(&[(false, 30.0), (false, 10.0), (false, 20.0)]), Some(2));
        assert_eq!(capacity(&[(true, 30.0), (false, 10.0), (true, 20.0)]), Some(1));
        assert_eq!(capacity(&[(true, 30.0), (true, 10.0)]), Some(1), "all are invalid");
    }

    #[test]
    fn a_stop_of_half_a_second_shows_in_the_open_loop_and_is_explained() {
        let quick = vec![1_000_000u64; 20_000];
        let closed = [quick.clone(), vec![500_000_000; 4]].concat();
        let late: Vec<u64> = (1..=2_000).map(|step| step * 250_000).collect();
        let plain = Run { service: stored(&closed), response: stored(&closed), ..run("T611", 4) };
        let open =
            Run { service: stored(&quick), response: stored(&[quick[..8_000].to_vec(), late].concat()), ..shared(0.5) };
        let calm = Run { response: stored(&quick[..2_000]), ..shared(0.25) };
        let record = record(vec![plain, open, calm]);
        let contrast = rate_curves(&record)[0].contrast().unwrap();
        assert_eq!(contrast.open.share, Some(Ratio(0.5)));
        let p99 = contrast.open.response.unwrap().p99_ns.unwrap().0;
        assert!((474_000_000..=476_000_000).contains(&p99), "{p99}");
        assert_eq!(contrast.closed_long, 4);
        assert!((1_040..=1_060).contains(&contrast.open_long), "{}", contrast.open_long);
    }

    #[test]
    fn loops_that_agree_need_no_explanation() {
        let values = vec![1_000_000u64; 20_000];
        let plain = Run { response: stored(&values), ..run("T611", 4) };
        let open = Run { response: stored(&values), ..shared(0.5) };
        assert!(rate_curves(&record(vec![plain, open]))[0].contrast().is_none());
    }

    proptest! {
        #[test]
        fn the_capacity_is_one_of_the_rates(plain in prop::collection::vec((any::<bool>(), 0.0f64..1e9), 0..20)) {
            match capacity(&plain) {
                Some(index) => prop_assert!(plain[index].1 > 0.0),
                None => prop_assert!(plain.iter().all(|(_, rate)| *rate <= 0.0)),
            }
        }
    }
}
