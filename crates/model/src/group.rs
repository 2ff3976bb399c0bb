//! Repeats: runs of one test at one degree of parallelism, and the one of them that speaks for all.

use std::collections::BTreeMap;

use record::Run;

use crate::queue::in_flight;
use crate::system::Degree;

/// Runs of one test at one degree of parallelism, each with its rate: from the slowest to the fastest, equally fast ones by
/// number. At least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeats<'a>(Vec<(f64, &'a Run)>);

impl<'a> Repeats<'a> {
    /// Those of `rated`; none of none.
    pub fn of(mut rated: Vec<(f64, &'a Run)>) -> Option<Repeats<'a>> {
        rated.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.number.cmp(&other.1.number)));
        (!rated.is_empty()).then_some(Repeats(rated))
    }

    /// The one that speaks, with its rate: that with the median rate, the lower one of two, so that rate and latencies
    /// belong together and repetition does not pay.
    pub fn speaking(&self) -> Option<(f64, &'a Run)> {
        middle(&self.0).copied()
    }

    /// All of them.
    pub fn runs(&self) -> impl Iterator<Item = &'a Run> {
        self.0.iter().map(|(_, run)| *run)
    }

    /// Their rates.
    pub fn rates(&self) -> Vec<f64> {
        self.0.iter().map(|(rate, _)| *rate).collect()
    }

    /// How many they are.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// How much goes on at once in `run`: its degree of parallelism and, of storage, I/Os in flight.
pub fn degree(run: &Run) -> Degree {
    Degree { dop: run.dop, in_flight: in_flight(run) }
}

/// Those of `runs`, which are of one test, that have a `rate`, by degree of parallelism.
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

/// What stands in the middle of `sorted`, the lower one of two.
pub(crate) fn middle<T>(sorted: &[T]) -> Option<&T> {
    sorted.get(sorted.len().checked_sub(1)? / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;

    #[test]
    fn the_lower_one_of_two_in_the_middle_speaks() {
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
