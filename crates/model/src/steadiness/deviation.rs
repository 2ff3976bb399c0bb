//! How far the rate of shorter windows is from that of all counted seconds, as TPC-E limits it.

use crate::rules::RULES;

const MINUTE: usize = 60;

/// Largest deviation of windows within the counted seconds, as a share of their rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowDeviation {
    /// Of any ten minutes, a minute apart.
    pub ten_minutes: f64,
    /// Of any sixty minutes, ten minutes apart; absent where there are no sixty.
    pub sixty_minutes: Option<f64>,
    /// Whether the first is at most 0.2 and the second, if there is one, at most 0.02.
    pub holds: bool,
}

impl WindowDeviation {
    /// Of `rates`, one per second, from `rate`; none where they are less than ten minutes, or the rate is zero.
    pub(super) fn of(rates: &[f64], rate: f64) -> Option<WindowDeviation> {
        let mut sums = vec![0.0];
        sums.extend(rates.iter().scan(0.0, |sum, rate| {
            *sum += rate;
            Some(*sum)
        }));
        let largest = |width: usize, step: usize| {
            let begins = (0..sums.len().saturating_sub(width)).step_by(step);
            let deviations =
                begins.map(|begin| ((sums[begin + width] - sums[begin]) / width as f64 / rate - 1.0).abs());
            deviations.reduce(f64::max).filter(|deviation| deviation.is_finite())
        };
        let ten_minutes = largest(10 * MINUTE, MINUTE)?;
        let sixty_minutes = largest(60 * MINUTE, 10 * MINUTE);
        let holds = ten_minutes <= RULES.ten_minutes_deviation_max
            && sixty_minutes.is_none_or(|deviation| deviation <= RULES.sixty_minutes_deviation_max);
        Some(WindowDeviation { ten_minutes, sixty_minutes, holds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_by_hand() {
        let rates = [vec![100.0; 600], vec![80.0; 600]].concat();
        let found = WindowDeviation::of(&rates, 90.0).unwrap();
        assert!((found.ten_minutes - 1.0 / 9.0).abs() < 1e-12);
        assert_eq!((found.sixty_minutes, found.holds), (None, true));
        let long = [vec![100.0; 3_600], vec![90.0; 3_600]].concat();
        let found = WindowDeviation::of(&long, 95.0).unwrap();
        assert!((found.sixty_minutes.unwrap() - 5.0 / 95.0).abs() < 1e-12 && !found.holds);
        assert_eq!((WindowDeviation::of(&[1.0; 599], 1.0), WindowDeviation::of(&[0.0; 600], 0.0)), (None, None));
    }
}
