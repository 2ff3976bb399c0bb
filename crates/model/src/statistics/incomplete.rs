//! The logarithm of the gamma function, and the incomplete gamma and beta functions: the tails of chi squared, the normal
//! distribution, Student's t and Fisher's F.
//!
//! Series and continued fractions of the NIST Digital Library of Mathematical Functions (8.11, 8.9, 8.17), the fractions by the
//! modified algorithm of Lentz (Press et al. 2007, 5.2). What they are multiplied with is taken around its maximum by Stirling's
//! formula, so that large parameters lose no digits.

use std::f64::consts::TAU;

/// Stirling's series has all digits of a double from here on.
const STIRLING_FROM: f64 = 16.0;
/// Terms of a series or fraction, of which about the root of the largest parameter are needed.
const TERMS_MAX: u32 = 1_000_000;
/// In place of zero in a fraction.
const TINY: f64 = 1e-300;

/// The logarithm of the gamma function of `value` above 0.
pub(super) fn ln_gamma(value: f64) -> f64 {
    let (mut shifted, mut product) = (value, 1.0);
    while shifted < STIRLING_FROM {
        product *= shifted;
        shifted += 1.0;
    }
    stirling(shifted) + stirling_series(shifted) - product.ln()
}

/// Stirling's formula for the logarithm of the gamma function.
fn stirling(value: f64) -> f64 {
    (value - 0.5) * value.ln() - value + 0.5 * TAU.ln()
}

/// What Stirling's formula lacks of the logarithm of the gamma function at `value` above 0.
fn stirling_error(value: f64) -> f64 {
    if value >= STIRLING_FROM {
        return stirling_series(value);
    }
    ln_gamma(value) - stirling(value)
}

/// The same by its series (DLMF 5.11.1), for large values.
fn stirling_series(value: f64) -> f64 {
    const TERMS: [f64; 7] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1_260.0, -1.0 / 1_680.0, 1.0 / 1_188.0, -691.0 / 360_360.0, 1.0 / 156.0];
    let square = value * value;
    TERMS.iter().rev().fold(0.0, |sum, term| sum / square + term) / value
}

/// A tail of a distribution, and how fast it grows with the variable that it is given by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    /// Its probability.
    pub probability: f64,
    /// The derivative.
    pub slope: f64,
}

/// The regularized incomplete gamma function P(`shape`, x), and Q where it is `upper`, by the logarithm of x; the slope is that
/// of P.
pub(super) fn gamma_tail(shape: f64, ln_x: f64, upper: bool) -> Tail {
    let x = ln_x.exp();
    // x^a e^-x / Gamma(a)
    let exponent = shape * (ln_x - shape.ln()) + (shape - x) - stirling_error(shape);
    let slope = (shape / TAU).sqrt() * exponent.exp();
    let is_lower = x < shape + 1.0;
    let found = match is_lower {
        // Too small for a double, or no number.
        _ if slope.is_nan() || slope == 0.0 => slope,
        true => slope * gamma_series(shape, x),
        false => slope * gamma_fraction(shape, x),
    };
    Tail { probability: if is_lower == upper { 1.0 - found } else { found }, slope }
}

/// The sum of x^n / (a (a + 1) ... (a + n)) (DLMF 8.11.4).
fn gamma_series(shape: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0 / shape, 1.0 / shape);
    for number in 1..TERMS_MAX {
        term *= x / (shape + f64::from(number));
        sum += term;
        if term < sum * f64::EPSILON / 4.0 {
            break;
        }
    }
    sum
}

/// The fraction 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)) (DLMF 8.9.2).
fn gamma_fraction(shape: f64, x: f64) -> f64 {
    let mut fraction = Fraction::new(x + 1.0 - shape);
    for number in 1..TERMS_MAX {
        let number = f64::from(number);
        if fraction.add(-number * (number - shape), x + 2.0 * number + 1.0 - shape) {
            break;
        }
    }
    1.0 / fraction.value
}

/// The regularized incomplete beta function of x with `first` and `second`, by the logarithm of x / (1 - x).
pub(super) fn beta_tail(first: f64, second: f64, logit: f64) -> Tail {
    let (x, rest) = (1.0 / (1.0 + (-logit).exp()), 1.0 / (1.0 + logit.exp()));
    let both = first + second;
    // x^a (1 - x)^b / B(a, b)
    let exponent = first * (x * both / first).ln() + second * (rest * both / second).ln();
    let error = stirling_error(both) - stirling_error(first) - stirling_error(second);
    let slope = (first / both * second / TAU).sqrt() * (exponent + error).exp();
    let probability = match x * (both + 2.0) < first + 1.0 {
        true if slope == 0.0 => 0.0,
        false if slope == 0.0 => 1.0,
        true => slope * beta_fraction(first, second, x) / first,
        false => 1.0 - slope * beta_fraction(second, first, rest) / second,
    };
    Tail { probability, slope }
}

/// The fraction 1 / (1 + d1 / (1 + d2 / ...)) (DLMF 8.17.22).
fn beta_fraction(first: f64, second: f64, x: f64) -> f64 {
    let mut fraction = Fraction::new(1.0);
    for number in 0..TERMS_MAX {
        let number = f64::from(number);
        let place = first + 2.0 * number;
        let odd = -(first + number) * (first + second + number) * x / (place * (place + 1.0));
        let next = number + 1.0;
        let even = next * (second - next) * x / ((place + 1.0) * (place + 2.0));
        fraction.add(odd, 1.0);
        if fraction.add(even, 1.0) {
            break;
        }
    }
    1.0 / fraction.value
}

/// A continued fraction b0 + a1 / (b1 + a2 / (b2 + ...)) as far as its terms were added.
struct Fraction {
    value: f64,
    upper: f64,
    lower: f64,
}

impl Fraction {
    fn new(value: f64) -> Fraction {
        let value = not_zero(value);
        Fraction { value, upper: value, lower: 0.0 }
    }

    /// Adds a term; whether it changed nothing.
    fn add(&mut self, numerator: f64, denominator: f64) -> bool {
        self.lower = 1.0 / not_zero(denominator + numerator * self.lower);
        self.upper = not_zero(denominator + numerator / self.upper);
        let factor = self.upper * self.lower;
        self.value *= factor;
        (factor - 1.0).abs() <= f64::EPSILON
    }
}

fn not_zero(value: f64) -> f64 {
    if value.abs() < TINY { TINY } else { value }
}

/// The density of the standard normal distribution.
pub(super) fn normal_density(value: f64) -> f64 {
    (-value * value / 2.0).exp() / TAU.sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // Values by mpmath 1.3 with 40 digits.

    #[test]
    fn the_logarithm_of_the_gamma_function_has_the_digits_of_a_double() {
        let values: [(f64, f64); 9] = [
            (0.05, 2.968_879_201_051_73),
            (0.5, 0.572_364_942_924_7),
            (1.5, -0.120_782_237_635_245),
            (2.5, 0.284_682_870_472_919),
            (7.25, 7.052_185_450_738_54),
            (16.5, 29.277_754_515_040_8),
            (101.0, 363.739_375_555_563),
            (12_345.5, 103_958.242_965_123),
            (1_000_001.0, 12_815_518.384_658_2),
        ];
        for (value, expected) in values {
            let found = ln_gamma(value);
            assert!((found - expected).abs() < 1e-14 * expected.abs().max(1.0), "{value}: {found}");
        }
        assert!(ln_gamma(1.0).abs() < 1e-14 && ln_gamma(2.0).abs() < 1e-14);
    }

    proptest! {
        #[test]
        fn both_tails_are_one_and_grow_with_the_slope(magnitude in -1.0f64..4.0, other in -1.0f64..4.0, place in -2.0f64..2.0) {
            let (shape, second) = (10f64.powf(magnitude), 10f64.powf(other));
            // Within some deviations of the middle.
            let ln_x = shape.ln() + place / shape.sqrt();
            let (lower, upper) = (gamma_tail(shape, ln_x, false), gamma_tail(shape, ln_x, true));
            prop_assert!((lower.probability + upper.probability - 1.0).abs() < 1e-11);
            let logit = shape.ln() - second.ln() + place * (1.0 / shape + 1.0 / second).sqrt();
            let (near, far) = (beta_tail(shape, second, logit), beta_tail(second, shape, -logit));
            prop_assert!((near.probability + far.probability - 1.0).abs() < 1e-11);
            let step = 1e-4 / (shape.sqrt() + second.sqrt());
            let grown = |tail: &dyn Fn(f64) -> Tail, at: f64| {
                (tail(at + step).probability - tail(at - step).probability) / (2.0 * step)
            };
            let gamma = grown(&|at| gamma_tail(shape, at, false), ln_x);
            prop_assert!((gamma - lower.slope).abs() < 1e-4 * lower.slope.max(1e-3), "{gamma} {}", lower.slope);
            let beta = grown(&|at| beta_tail(shape, second, at), logit);
            prop_assert!((beta - near.slope).abs() < 1e-4 * near.slope.max(1e-3), "{beta} {}", near.slope);
        }
    }
}
