//! Random numbers of scripts. The distributions are those of pgbench's documentation ("Built-in Functions"); the numbers are
//! drawn from the stream of the job.

use std::f64::consts::TAU;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::number::Fault;
use crate::data::below;

/// The least parameter of a gaussian distribution.
const GAUSSIAN_MIN: f64 = 2.0;

/// The parameters that a zipfian distribution may have.
const ZIPFIAN: std::ops::RangeInclusive<f64> = 1.001..=1000.0;

/// The random source of a job.
#[derive(Clone)]
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// In [0, `limit`).
    #[inline]
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        below(&mut self.0, limit)
    }

    /// In [0, 1), with 53 bits.
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Each number from `low` to `high` with the same probability.
    pub(crate) fn uniform(&mut self, low: i64, high: i64) -> Result<i64, Fault> {
        let count = count(low, high)?;
        Ok(low + self.below(count) as i64)
    }

    /// Falling exponentially from `low` to `high`: with k = i - `low`, n numbers and p = `parameter`, the probability of i is
    /// (e^(-p k/n) - e^(-p (k+1)/n)) / (1 - e^-p).
    pub(crate) fn exponential(&mut self, low: i64, high: i64, parameter: f64) -> Result<i64, Fault> {
        let count = count(low, high)?;
        if parameter.is_nan() || parameter <= 0.0 {
            return Err(Fault::new(format!("parameter {parameter} of random_exponential is not above 0")));
        }
        let least = (-parameter).exp();
        // In (0, 1], so that its logarithm is finite.
        let drawn = 1.0 - self.unit();
        let share = -(least + (1.0 - least) * drawn).ln() / parameter;
        Ok(place(low, count, share))
    }

    /// The normal distribution around the middle, cut off at `parameter` standard deviations, which are the ends: with
    /// k = i - `low`, n numbers and p = `parameter`, the probability of i is
    /// (F(2 p (k+1)/n - p) - F(2 p k/n - p)) / (2 F(p) - 1), F the normal distribution function.
    pub(crate) fn gaussian(&mut self, low: i64, high: i64, parameter: f64) -> Result<i64, Fault> {
        let count = count(low, high)?;
        if parameter.is_nan() || parameter < GAUSSIAN_MIN {
            return Err(Fault::new(format!("parameter {parameter} of random_gaussian is below {GAUSSIAN_MIN}")));
        }
        // Box and Muller (1958); at least 95 % are inside.
        let deviation = loop {
            let (radius, turn) = (1.0 - self.unit(), self.unit());
            let drawn = (-2.0 * radius.ln()).sqrt() * (TAU * turn).sin();
            if (-parameter..parameter).contains(&drawn) {
                break drawn;
            }
        };
        Ok(place(low, count, (deviation + parameter) / (2.0 * parameter)))
    }

    /// Zipf's distribution: number k of the n numbers from `low`, counted from 1, has a probability proportional to
    /// 1/k^`parameter`. By rejection (Devroye 1986, X.6.1).
    pub(crate) fn zipfian(&mut self, low: i64, high: i64, parameter: f64) -> Result<i64, Fault> {
        let count = count(low, high)?;
        if !ZIPFIAN.contains(&parameter) {
            let (least, most) = (ZIPFIAN.start(), ZIPFIAN.end());
            return Err(Fault::new(format!("parameter {parameter} of random_zipfian is not from {least} to {most}")));
        }
        if count == 1 {
            return Ok(low);
        }
        let power = 2f64.powf(parameter - 1.0);
        loop {
            let (first, second) = (self.unit(), self.unit());
            let rank = first.powf(-1.0 / (parameter - 1.0)).floor();
            let ratio = (1.0 + 1.0 / rank).powf(parameter - 1.0);
            // Infinite ranks are above any count.
            if rank <= count as f64 && second * rank * (ratio - 1.0) / (power - 1.0) <= ratio / power {
                return Ok(low + (rank as u64).clamp(1, count) as i64 - 1);
            }
        }
    }
}

/// Numbers from `low` to `high`, which are fewer than 2^63.
fn count(low: i64, high: i64) -> Result<u64, Fault> {
    if low > high {
        return Err(Fault::new(format!("the range from {low} to {high} of a random number is empty")));
    }
    match high.checked_sub(low).and_then(|span| span.checked_add(1)) {
        Some(count) => Ok(count as u64),
        None => Err(Fault::new(format!("the range from {low} to {high} of a random number has 2^63 numbers or more"))),
    }
}

/// The number at `share`, in [0, 1), of `count` numbers from `low`.
fn place(low: i64, count: u64, share: f64) -> i64 {
    // A product may be rounded up to the count.
    low + ((count as f64 * share) as u64).min(count - 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 1_000_000;
    const NUMBERS: i64 = 20;

    /// The chi-square statistic of draws of 11 to 30 against their probabilities. With 19 degrees of freedom it is above 54 once
    /// in 30,000 cases; the seed is fixed.
    fn chi_square(mut draw: impl FnMut(&mut Random) -> i64, probability: impl Fn(i64) -> f64) -> f64 {
        let mut random = Random::new(42);
        let mut counts = [0u32; NUMBERS as usize];
        for _ in 0..DRAWS {
            counts[(draw(&mut random) - 11) as usize] += 1;
        }
        let sum: f64 = (0..NUMBERS).map(&probability).sum();
        assert!((sum - 1.0).abs() < 1e-9, "the probabilities sum up to {sum}");
        (0..NUMBERS)
            .zip(counts)
            .map(|(k, found)| {
                let expected = DRAWS as f64 * probability(k);
                (f64::from(found) - expected).powi(2) / expected
            })
            .sum()
    }

    const CHI_SQUARE_MAX: f64 = 54.0;

    #[test]
    fn uniform_numbers_have_equal_probabilities() {
        let found = chi_square(|random| random.uniform(11, 30).unwrap(), |_| 1.0 / NUMBERS as f64);
        assert!(found < CHI_SQUARE_MAX, "{found}");
    }

    #[test]
    fn exponential_numbers_follow_their_formula() {
        for parameter in [0.5_f64, 2.5, 5.0] {
            let at = |k: i64| (-parameter * k as f64 / NUMBERS as f64).exp();
            let probability = |k: i64| (at(k) - at(k + 1)) / (1.0 - (-parameter).exp());
            let found = chi_square(|random| random.exponential(11, 30, parameter).unwrap(), probability);
            assert!(found < CHI_SQUARE_MAX, "{parameter}: {found}");
        }
    }

    /// The normal distribution function, by the series of its integral (Abramowitz and Stegun, 26.2.10).
    fn normal(x: f64) -> f64 {
        let mut term = x;
        let mut sum = x;
        for n in 1..200 {
            term *= -x * x / (2.0 * f64::from(n));
            sum += term / f64::from(2 * n + 1);
        }
        0.5 + sum / TAU.sqrt()
    }

    #[test]
    fn gaussian_numbers_follow_their_formula() {
        assert!((normal(1.0) - 0.841_344_746_068_543).abs() < 1e-12);
        for parameter in [2.0, 2.5, 4.0] {
            let at = |k: i64| normal(2.0 * parameter * k as f64 / NUMBERS as f64 - parameter);
            let probability = |k: i64| (at(k + 1) - at(k)) / (2.0 * normal(parameter) - 1.0);
            let found = chi_square(|random| random.gaussian(11, 30, parameter).unwrap(), probability);
            assert!(found < CHI_SQUARE_MAX, "{parameter}: {found}");
        }
    }

    #[test]
    fn zipfian_numbers_follow_their_formula() {
        for parameter in [1.1, 1.5, 3.0] {
            let weight = |k: i64| (k as f64 + 1.0).powf(-parameter);
            let sum: f64 = (0..NUMBERS).map(weight).sum();
            let found = chi_square(|random| random.zipfian(11, 30, parameter).unwrap(), |k| weight(k) / sum);
            assert!(found < CHI_SQUARE_MAX, "{parameter}: {found}");
        }
    }

    #[test]
    fn limits_of_ranges_and_parameters_are_named() {
        let mut random = Random::new(1);
        let message = |drawn: Result<i64, Fault>| drawn.unwrap_err().0;
        assert_eq!(message(random.uniform(2, 1)), "the range from 2 to 1 of a random number is empty");
        assert!(message(random.uniform(i64::MIN, i64::MAX)).contains("2^63 numbers"));
        assert!(message(random.uniform(-1, i64::MAX - 1)).contains("2^63 numbers"));
        assert!(message(random.gaussian(1, 2, 1.9)).contains("1.9 of random_gaussian is below 2"));
        assert!(message(random.gaussian(1, 2, f64::NAN)).contains("below 2"));
        assert!(message(random.exponential(1, 2, 0.0)).contains("not above 0"));
        assert!(message(random.exponential(1, 2, f64::NAN)).contains("not above 0"));
        assert!(message(random.zipfian(1, 2, 1.0)).contains("not from 1.001 to 1000"));
        assert!(message(random.zipfian(1, 2, 1000.1)).contains("not from 1.001 to 1000"));
    }

    #[test]
    fn ends_of_the_largest_ranges_are_kept() {
        let mut random = Random::new(7);
        for _ in 0..1_000 {
            for drawn in [
                random.uniform(i64::MIN, -2).unwrap(),
                random.exponential(i64::MIN, -2, 1e-300).unwrap(),
                random.exponential(i64::MIN, -2, 700.0).unwrap(),
                random.gaussian(i64::MIN, -2, 2.0).unwrap(),
                random.zipfian(i64::MIN, -2, 1.001).unwrap(),
            ] {
                assert!(drawn <= -2);
            }
            assert_eq!(random.zipfian(5, 5, 1.1), Ok(5));
            assert_eq!(random.uniform(5, 5), Ok(5));
        }
    }
}
