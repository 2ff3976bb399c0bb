//! Groups of runs: by test, by degree of parallelism, and the representative of repeats.

use std::collections::{BTreeMap, HashMap};

use record::{Record, Run, Unit};

use crate::degree::Degree;
use crate::delta::rate_in;
use crate::queue::in_flight;
use crate::rules::RULES;
use crate::verdict::is_invalid;
use crate::wake_up::{WakeUp, WakeUps};

/// Runs of one test at one degree of parallelism, each with its rate: from the slowest to the fastest, equally fast
/// ones by number. At least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeats<'a>(Vec<(f64, &'a Run)>);

impl<'a> Repeats<'a> {
    /// The repeats `rated`; None without any.
    pub fn of(mut rated: Vec<(f64, &'a Run)>) -> Option<Repeats<'a>> {
        rated.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.number.cmp(&other.1.number)));
        (!rated.is_empty()).then_some(Repeats(rated))
    }

    /// The representative, with its rate: the run with the median rate, the lower one of two, so that rate and
    /// latencies belong together and repetition does not improve the result.
    pub fn speaking(&self) -> Option<(f64, &'a Run)> {
        middle(&self.0).copied()
    }

    /// All runs.
    pub fn runs(&self) -> impl Iterator<Item = &'a Run> {
        self.0.iter().map(|(_, run)| *run)
    }

    /// Their rates.
    pub fn rates(&self) -> Vec<f64> {
        self.0.iter().map(|(rate, _)| *rate).collect()
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// The degree of parallelism of `run` with, for storage, I/Os in flight.
pub fn degree(run: &Run) -> Degree {
    Degree { dop: run.dop, in_flight: in_flight(run) }
}

/// The `runs` of one test that have a `rate`, by degree of parallelism.
pub fn by_degree<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    rate: impl Fn(&Run) -> Option<f64>,
) -> BTreeMap<Degree, Repeats<'a>> {
    let mut groups: BTreeMap<Degree, Vec<(f64, &Run)>> = BTreeMap::new();
    for run in runs {
        if let Some(rate) = rate(run) {
            groups.entry(degree(run)).or_default().push((rate, run));
        }
    }
    groups.into_iter().filter_map(|(degree, rated)| Some((degree, Repeats::of(rated)?))).collect()
}

/// The plain runs of a record by the code of their test, each test where it was first run.
pub(crate) struct ByTest<'a> {
    codes: Vec<&'a str>,
    runs: HashMap<&'a str, Vec<&'a Run>>,
    /// What wake-ups of processors add to round trips, where it is known.
    wake_ups: Option<WakeUps>,
    /// Tests and degrees with repeats enough to see a drift in them.
    rows_repeated: usize,
}

impl<'a> ByTest<'a> {
    pub(crate) fn of(record: &'a Record) -> ByTest<'a> {
        let (mut codes, mut runs) = (Vec::new(), HashMap::<&str, Vec<&Run>>::new());
        for run in record.runs.iter().filter(|run| run.variation.is_none()) {
            let of_test = runs.entry(&run.test).or_default();
            if of_test.is_empty() {
                codes.push(run.test.as_str());
            }
            of_test.push(run);
        }
        let repeated = |runs: &Vec<&Run>| -> usize {
            let groups = valid_groups(runs, runs[0].unit);
            groups.values().filter(|repeats| repeats.count() >= RULES.repeat_drift_repeats_min).count()
        };
        let rows_repeated = runs.values().map(repeated).sum();
        ByTest { codes, runs, wake_ups: WakeUps::of(record), rows_repeated }
    }

    /// The codes of the tests.
    pub(crate) fn codes(&self) -> impl Iterator<Item = &'a str> {
        self.codes.iter().copied()
    }

    /// What wake-ups of processors add to the steps of `run`.
    pub(crate) fn wake_up(&self, run: &Run) -> Option<WakeUp> {
        self.wake_ups.as_ref()?.of_run(run)
    }

    /// Tests and degrees with repeats enough to see a drift in them.
    pub(crate) fn rows_repeated(&self) -> usize {
        self.rows_repeated
    }

    /// The runs of the test `code`, in the order of execution.
    pub(crate) fn runs(&self, code: &str) -> &[&'a Run] {
        self.runs.get(code).map_or(&[], Vec::as_slice)
    }
}

/// The representative of the valid `runs` of one test with a rate in `unit`, by degree of parallelism.
pub(crate) fn valid<'a>(runs: &[&'a Run], unit: Unit) -> BTreeMap<Degree, &'a Run> {
    let groups = valid_groups(runs, unit).into_iter();
    groups.filter_map(|(degree, repeats)| Some((degree, repeats.speaking()?.1))).collect()
}

/// The valid `runs` of one test with a rate in `unit`, by degree of parallelism.
pub(crate) fn valid_groups<'a>(runs: &[&'a Run], unit: Unit) -> BTreeMap<Degree, Repeats<'a>> {
    let rate = |run: &Run| rate_in(run, unit).filter(|_| !is_invalid(run)).map(|rate| rate.0);
    by_degree(runs.iter().copied(), rate)
}

/// The run with the highest rate, the first of equal ones.
pub(crate) fn fastest<'a>(runs: &[&'a Run], unit: Unit) -> Option<&'a Run> {
    runs.iter().copied().reduce(|best, run| if rate_of(run, unit) > rate_of(best, unit) { run } else { best })
}

fn rate_of(run: &Run, unit: Unit) -> f64 {
    rate_in(run, unit).map_or(0.0, |rate| rate.0)
}

/// The middle of `sorted`, the lower one of two.
pub(crate) fn middle<T>(sorted: &[T]) -> Option<&T> {
    sorted.get(sorted.len().checked_sub(1)? / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;

    #[test]
    fn the_representative_is_the_lower_one_of_two_in_the_middle() {
        let runs = [4, 2, 3, 1].map(|number| Run { number, ..run("T611", 1) });
        let rated = |rates: &[f64]| rates.iter().copied().zip(&runs).collect::<Vec<_>>();
        let speaking = |rates: &[f64]| Repeats::of(rated(rates))?.speaking().map(|(rate, run)| (rate, run.number));
        assert_eq!(speaking(&[]), None);
        assert_eq!(speaking(&[5.0]), Some((5.0, 4)));
        assert_eq!(speaking(&[5.0, 3.0]), Some((3.0, 2)));
        assert_eq!(speaking(&[5.0, 3.0, 9.0]), Some((5.0, 4)));
        assert_eq!(speaking(&[5.0, 5.0, 5.0, 5.0]), Some((5.0, 2)), "of equally fast ones by number");
    }
}
