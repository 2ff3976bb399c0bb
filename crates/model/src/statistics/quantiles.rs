//! Quantiles of distributions for intervals.
//!
//! A quantile is that of the smaller tail, which has all digits: the root of the logarithm of the tail by Newton's method, which
//! is kept between bounds that are known.

use super::incomplete::{Tail, beta_tail, gamma_tail, normal_density};

/// Degrees of freedom from where on the expansion around the normal quantile is as accurate as a double.
const EXPANSION_FROM: f64 = 1e5;
/// Steps to a root at most; usual freedoms need three to fourteen.
const STEPS_MAX: u32 = 200;
/// A step, of the root or of 1, that changes no digit of a result any more.
const SMALLEST_STEP: f64 = 1e-15;
/// How far from the root, of it or of 1, no step of Newton's method is as large as half of the one before it.
const NEAR: f64 = 1e-5;
/// So many steps near the root that are hardly smaller than one before them end it.
const STALLS_MAX: u32 = 2;

/// The quantile of Student's t with `freedom` degrees of freedom, which need not be whole.
///
/// Infinite without degrees of freedom; NaN where `probability` is not in (0, 1).
pub fn student_quantile(probability: f64, freedom: f64) -> f64 {
    if !is_probability(probability) {
        return f64::NAN;
    }
    if freedom >= EXPANSION_FROM {
        return expansion(normal_quantile(probability), freedom);
    }
    if !is_freedom(freedom) {
        return f64::INFINITY.copysign(probability - 0.5);
    }
    let both_tails = 2.0 * probability.min(1.0 - probability);
    // Both tails beyond t are the incomplete beta function of x = n / (n + t^2).
    let logit = beta_quantile(both_tails, freedom / 2.0, 0.5);
    (freedom * (-logit).exp()).sqrt().copysign(probability - 0.5)
}

/// The first terms of the expansion of a quantile of Student's t around that of the normal distribution (Abramowitz and
/// Stegun 1964, 26.7.5).
fn expansion(normal: f64, freedom: f64) -> f64 {
    let square = normal * normal;
    let first = normal * (square + 1.0) / 4.0;
    let second = normal * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
    normal + first / freedom + second / freedom / freedom
}

/// The quantile of Fisher's F with `above` and `below` degrees of freedom, of which each may be infinite; infinite without
/// degrees of freedom, NaN where `probability` is not in (0, 1).
pub fn f_quantile(probability: f64, above: f64, below: f64) -> f64 {
    if !is_probability(probability) {
        return f64::NAN;
    }
    let is_known = |freedom: f64| is_freedom(freedom) || freedom == f64::INFINITY;
    if !is_known(above) || !is_known(below) {
        return f64::INFINITY;
    }
    // A variance of infinite freedom is known.
    match (above.is_finite(), below.is_finite()) {
        (true, true) => {}
        (true, false) => return chi_squared_quantile(probability, above) / above,
        (false, true) => return below / chi_squared_quantile(1.0 - probability, below),
        (false, false) => return 1.0,
    }
    beta_quantile(probability, above / 2.0, below / 2.0).exp() * below / above
}

/// The quantile of chi squared with `freedom` degrees of freedom; infinite without degrees of freedom, and with an infinite
/// number of them; NaN where `probability` is not in (0, 1).
pub(crate) fn chi_squared_quantile(probability: f64, freedom: f64) -> f64 {
    if !is_probability(probability) {
        return f64::NAN;
    }
    if !is_freedom(freedom) {
        return f64::INFINITY;
    }
    let shape = freedom / 2.0;
    let ln_half = match probability <= 0.5 {
        true => root(probability, shape.ln(), |ln_x| gamma_tail(shape, ln_x, false)),
        false => -root(1.0 - probability, -shape.ln(), |minus| gamma_tail(shape, -minus, true)),
    };
    2.0 * ln_half.exp()
}

/// Probability of a value of the standard normal distribution that is at most `value`.
pub(crate) fn normal_probability(value: f64) -> f64 {
    // Nothing that a double can tell from zero lies further out.
    let half_square = (value * value / 2.0).clamp(0.0, 1e4);
    let beyond = 0.5 * gamma_tail(0.5, half_square.ln(), true).probability;
    if value < 0.0 { beyond } else { 1.0 - beyond }
}

/// The quantile of the standard normal distribution; NaN where `probability` is not in (0, 1).
pub fn normal_quantile(probability: f64) -> f64 {
    if !is_probability(probability) {
        return f64::NAN;
    }
    let tail = probability.min(1.0 - probability);
    // Within 0.00045 (Abramowitz and Stegun 1964, 26.2.23).
    let size = (-2.0 * tail.ln()).sqrt();
    let above = (0.010_328 * size + 0.802_853) * size + 2.515_517;
    let below = ((0.001_308 * size + 0.189_269) * size + 1.432_788) * size + 1.0;
    let mut quantile = above / below - size;
    // Each step of Halley's method triples the number of digits.
    for _ in 0..3 {
        let miss = (normal_probability(quantile) - tail) / normal_density(quantile);
        quantile -= miss / (1.0 + quantile * miss / 2.0);
    }
    quantile.copysign(probability - 0.5)
}

/// The logarithm of x / (1 - x) where the regularized incomplete beta function of x is `probability`.
fn beta_quantile(probability: f64, first: f64, second: f64) -> f64 {
    let middle = first.ln() - second.ln();
    match probability <= 0.5 {
        true => root(probability, middle, |logit| beta_tail(first, second, logit)),
        false => -root(1.0 - probability, -middle, |logit| beta_tail(second, first, logit)),
    }
}

/// Where `tail`, which rises, is `probability`; from `start` on.
fn root(probability: f64, start: f64, tail: impl Fn(f64) -> Tail) -> f64 {
    let (mut low, mut high, mut at, mut stride) = (f64::NEG_INFINITY, f64::INFINITY, start, 1.0);
    let (mut least, mut stalls) = (f64::INFINITY, 0);
    for _ in 0..STEPS_MAX {
        let Tail { probability: found, slope } = tail(at);
        let miss = (found / probability).ln();
        let next = at - miss * found / slope;
        let scale = at.abs().max(1.0);
        let step = (next - at).abs() / scale;
        // Near the root each step is far smaller than the one before it, unless it is made of the noise of the tail.
        let is_near = step <= NEAR || low < next && next < high && high - low <= NEAR * scale;
        stalls += u32::from(is_near && step > least / 2.0);
        least = least.min(step);
        if step <= SMALLEST_STEP || stalls == STALLS_MAX {
            return next;
        }
        if high - low <= SMALLEST_STEP * scale {
            return at;
        }
        if miss > 0.0 {
            high = at
        } else {
            low = at
        }
        at = if low < next && next < high {
            next
        } else if low.is_finite() && high.is_finite() {
            low.midpoint(high)
        } else {
            stride *= 2.0;
            if miss > 0.0 { at - stride } else { at + stride }
        };
    }
    at
}

fn is_probability(value: f64) -> bool {
    value > 0.0 && value < 1.0
}

fn is_freedom(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_of_published_tables() {
        let student = [
            (0.975, 19.0, 2.093_024_054_5),
            (0.975, 3.0, 3.182_446_305_3),
            (0.975, 1.0, 12.706_204_736_2),
            (0.95, 10.0, 1.812_461_122_8),
            (0.975, 1_000.0, 1.962_339_080_8),
            (0.975, 100_000.0, 1.959_987_707_5),
        ];
        for (probability, freedom, value) in student {
            assert!((student_quantile(probability, freedom) - value).abs() < 1e-9, "{probability} {freedom}");
            assert!((student_quantile(1.0 - probability, freedom) + value).abs() < 1e-8, "{probability} {freedom}");
        }
        assert!((f_quantile(0.95, 1.0, 3.0) - 10.127_964_486).abs() < 1e-8);
        assert!((f_quantile(0.95, 2.0, 10.0) - 4.102_821_015).abs() < 1e-8);
        assert!((normal_quantile(0.975) - 1.959_963_984_540).abs() < 1e-10);
        assert!((chi_squared_quantile(0.95, 10.0) - 18.307_038_053).abs() < 1e-8);
        assert!((normal_probability(1.959_963_984_540) - 0.975).abs() < 1e-10);
    }

    /// Values by mpmath 1.3 with 40 digits, of the doubles that are given.
    #[test]
    fn quantiles_have_twelve_digits() {
        let is_near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-12;
        let student: [(f64, f64, f64); 10] = [
            (0.975, 19.0, 2.093_024_054_408_31),
            (0.975, 3.0, 3.182_446_305_283_71),
            (0.975, 1.0, 12.706_204_736_174_7),
            (0.95, 10.0, 1.812_461_122_811_68),
            (0.999, 2.5, 13.822_193_110_866),
            (0.9, 0.3, 64.786_545_637_096_9),
            (0.975, 1_000.0, 1.962_339_080_826_41),
            (0.975, 30_000.0, 1.960_043_063_383_93),
            (0.999_99, 7.0, 10.102_684_252_974_5),
            (0.51, 4.0, 0.026_670_618_302_639),
        ];
        for (probability, freedom, expected) in student {
            let found = student_quantile(probability, freedom);
            assert!(is_near(found, expected), "{probability} {freedom}: {found}");
        }
        let fisher: [(f64, f64, f64, f64); 7] = [
            (0.95, 1.0, 3.0, 10.127_964_486_013_9),
            (0.95, 2.0, 10.0, 4.102_821_015_130_4),
            (0.05, 4.0, 7.0, 0.164_090_152_472_909),
            (0.99, 12.0, 250.0, 2.256_500_097_260_75),
            (0.975, 0.5, 6.5, 10.466_545_742_316_2),
            (0.95, 3.0, 40_000.0, 2.605_131_209_421_29),
            (0.999, 30.0, 5.0, 24.868_773_379_830_6),
        ];
        for (probability, above, below, expected) in fisher {
            let found = f_quantile(probability, above, below);
            assert!(is_near(found, expected), "{probability} {above} {below}: {found}");
        }
        let squares: [(f64, f64, f64); 7] = [
            (0.95, 10.0, 18.307_038_053_275_1),
            (0.05, 10.0, 3.940_299_136_119_06),
            (0.99, 1.0, 6.634_896_601_021_21),
            (0.025, 99.0, 73.361_080_191_283_7),
            (0.975, 99.0, 128.421_988_643_84),
            (0.5, 0.7, 0.214_738_971_723_687),
            (0.999, 2_000.0, 2_201.156_196_586_63),
        ];
        for (probability, freedom, expected) in squares {
            let found = chi_squared_quantile(probability, freedom);
            assert!(is_near(found, expected), "{probability} {freedom}: {found}");
        }
        let normal: [(f64, f64); 7] = [
            (0.975, 1.959_963_984_540_05),
            (0.995, 2.575_829_303_548_9),
            (0.6, 0.253_347_103_135_8),
            (0.25, -0.674_489_750_196_082),
            (0.001, -3.090_232_306_167_81),
            (1e-10, -6.361_340_902_404_06),
            (1e-100, -21.273_453_560_965_3),
        ];
        for (probability, expected) in normal {
            assert!(is_near(normal_quantile(probability), expected), "{probability}");
        }
        let probabilities: [(f64, f64); 5] = [
            (-8.0, 6.220_960_574_271_78e-16),
            (-1.96, 0.024_997_895_148_220_4),
            (-0.25, 0.401_293_674_317_076),
            (0.5, 0.691_462_461_274_013),
            (3.0, 0.998_650_101_968_37),
        ];
        for (value, expected) in probabilities {
            assert!(is_near(normal_probability(value), expected), "{value}");
        }
        let ends = [f64::NEG_INFINITY, -1e200, 0.0, 1e200, f64::INFINITY].map(normal_probability);
        assert_eq!(ends, [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert!(normal_probability(f64::NAN).is_nan());
        assert!(normal_quantile(0.5).abs() < 1e-15 && student_quantile(0.5, 3.0).abs() < 1e-7);
    }

    #[test]
    fn without_freedom_there_is_no_end_and_without_a_probability_no_number() {
        assert_eq!((student_quantile(0.975, 0.0), student_quantile(0.025, 0.0)), (f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!((student_quantile(0.975, f64::NAN), f_quantile(0.95, 1.0, 0.0)), (f64::INFINITY, f64::INFINITY));
        for probability in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(student_quantile(probability, 3.0).is_nan() && f_quantile(probability, 1.0, 3.0).is_nan());
            assert!(normal_quantile(probability).is_nan());
        }
    }

    #[test]
    fn infinite_freedom_is_the_limit_of_much() {
        let is_near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-6;
        for probability in [0.01, 0.5, 0.95] {
            for freedom in [1.0, 4.5, 60.0] {
                let (above, below) = ((freedom, f64::INFINITY), (f64::INFINITY, freedom));
                assert!(is_near(f_quantile(probability, above.0, above.1), f_quantile(probability, freedom, 1e8)));
                assert!(is_near(f_quantile(probability, below.0, below.1), f_quantile(probability, 1e8, freedom)));
            }
            assert!((f_quantile(probability, f64::INFINITY, f64::INFINITY) - 1.0).abs() < 1e-15);
        }
        assert_eq!(f_quantile(0.95, f64::INFINITY, f64::NAN), f64::INFINITY);
    }

    #[test]
    fn few_steps_lead_to_a_root() {
        let most = std::cell::Cell::new(0);
        let check = |probability: f64, start: f64, tail: &dyn Fn(f64) -> Tail| {
            let calls = std::cell::Cell::new(0);
            let found = root(probability, start, |at| {
                calls.set(calls.get() + 1);
                tail(at)
            });
            most.set(most.get().max(calls.get()));
            // What is far smaller is a difference of larger numbers.
            let miss = tail(found).probability / probability - 1.0;
            assert!(probability < 1e-6 || miss.abs() < 1e-10, "{probability} from {start}: {miss}");
        };
        for probability in [1e-12, 1e-6, 0.001, 0.01, 0.025, 0.05, 0.1, 0.25, 0.499] {
            for shape in (1..=200).map(|number| f64::from(number) / 2.0).chain([1e3, 12_345.5, 5e4]) {
                for other in [0.5, 1.0, 3.5, 40.0] {
                    let middle = shape.ln() - f64::ln(other);
                    check(probability, middle, &|logit| beta_tail(shape, other, logit));
                    check(probability, -middle, &|logit| beta_tail(other, shape, logit));
                }
                check(probability, shape.ln(), &|ln_x| gamma_tail(shape, ln_x, false));
            }
        }
        assert!(most.get() <= 20, "{most:?} steps");
    }

    proptest! {
        #[test]
        fn t_squared_is_f_and_t_shrinks_towards_the_normal(magnitude in 0.0f64..12.0) {
            let freedom = 10f64.powf(magnitude);
            let student = student_quantile(0.975, freedom);
            prop_assert!(student >= normal_quantile(0.975) && student <= student_quantile(0.975, freedom * 0.99));
            prop_assert!(freedom > 1e4 || (student.powi(2) / f_quantile(0.95, 1.0, freedom) - 1.0).abs() < 1e-11);
        }
    }
}
