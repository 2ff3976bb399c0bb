//! The steady state of SNIA: Solid State Storage Performance Test Specification 2.0.1, par. 2.1.24.

use crate::rules::RULES;

/// The rule applied to the last five rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snia {
    /// Their mean.
    pub average: f64,
    /// Range, as a share of the mean.
    pub range: f64,
    /// Slope of the line fitted to them by least squares, per round.
    pub slope: f64,
    /// Change of that line over the five rounds, as a share of the mean.
    pub rise: f64,
    /// Whether the range is at most 0.2 and the rise at most 0.1.
    pub steady: bool,
}

/// The rule over the last five of `rounds`, each a rate; None where there are fewer, or where nothing was done.
///
/// It does not detect drifts that are much slower than five rounds.
pub fn snia(rounds: &[f64]) -> Option<Snia> {
    let count = RULES.steady_rounds;
    let window = &rounds[rounds.len().checked_sub(count)?..];
    let average = window.iter().sum::<f64>() / count as f64;
    if !average.is_finite() || average <= 0.0 {
        return None;
    }
    let largest = window.iter().copied().fold(f64::MIN, f64::max);
    let smallest = window.iter().copied().fold(f64::MAX, f64::min);
    let range = (largest - smallest) / average;
    let middle = (count - 1) as f64 / 2.0;
    let weighted: f64 = window.iter().zip(0u32..).map(|(value, round)| (f64::from(round) - middle) * value).sum();
    let squares: f64 = (0..count).map(|round| (round as f64 - middle).powi(2)).sum();
    let slope = weighted / squares;
    let rise = slope.abs() * (count - 1) as f64 / average;
    let steady = range <= RULES.steady_range_max && rise <= RULES.steady_rise_max;
    Some(Snia { average, range, slope, rise, steady })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn five_rounds_by_hand() {
        // sum((i - 2) y) / 10 = (-2 100 - 98 + 0 + 104 + 2 102) / 10 = 1.
        let found = snia(&[1.0, 500.0, 100.0, 98.0, 100.0, 104.0, 102.0]).unwrap();
        assert_eq!((found.average, found.slope, found.steady), (100.8, 1.0, true));
        assert!((found.range - 6.0 / 100.8).abs() < 1e-12 && (found.rise - 4.0 / 100.8).abs() < 1e-12);
    }

    #[test]
    fn both_limits_count() {
        assert!(!snia(&[100.0, 121.0, 100.0, 100.0, 100.0]).unwrap().steady, "range 20.2 %");
        assert!(snia(&[96.0, 98.0, 100.0, 102.0, 104.0]).unwrap().steady, "rise 8 %");
        assert!(!snia(&[94.0, 97.0, 100.0, 103.0, 106.0]).unwrap().steady, "rise 12 %");
        assert!(snia(&[95.0, 97.5, 100.0, 102.5, 105.0]).unwrap().steady, "rise 10 %, the limit");
    }

    #[test]
    fn four_rounds_and_rounds_of_nothing_are_none() {
        assert_eq!((snia(&[1.0; 4]), snia(&[0.0; 5]), snia(&[])), (None, None, None));
        assert_eq!(snia(&[f64::NAN; 5]), None);
    }

    proptest! {
        #[test]
        fn the_unit_does_not_matter(rounds in prop::collection::vec(1u32..1_000, 5..20), factor in 1u32..1_000) {
            let of = |factor: u32| {
                let rounds: Vec<f64> = rounds.iter().map(|rate| f64::from(*rate) * f64::from(factor)).collect();
                snia(&rounds).unwrap()
            };
            let (one, other) = (of(1), of(factor));
            prop_assert!((one.range - other.range).abs() < 1e-9 && (one.rise - other.rise).abs() < 1e-9);
        }
    }
}
