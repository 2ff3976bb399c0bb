//! Quantiles of distributions for intervals.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor, Normal, StudentsT};

/// Degrees of freedom from where on the expansion around the normal quantile is more accurate than the incomplete beta
/// function with arguments near 1.
const EXPANSION_FROM: f64 = 1e4;

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
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) => student.inverse_cdf(probability),
        Err(_) => f64::INFINITY.copysign(probability - 0.5),
    }
}

/// The first terms of the expansion of a quantile of Student's t around that of the normal distribution (Abramowitz and
/// Stegun 1964, 26.7.5).
fn expansion(normal: f64, freedom: f64) -> f64 {
    let square = normal * normal;
    let first = normal * (square + 1.0) / 4.0;
    let second = normal * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
    normal + first / freedom + second / freedom / freedom
}

/// The quantile of Fisher's F with `above` and `below` degrees of freedom; infinite without degrees of freedom, NaN
/// where `probability` is not in (0, 1).
pub fn f_quantile(probability: f64, above: f64, below: f64) -> f64 {
    if !is_probability(probability) {
        return f64::NAN;
    }
    FisherSnedecor::new(above, below).map_or(f64::INFINITY, |fisher| fisher.inverse_cdf(probability))
}

/// The quantile of chi squared with `freedom` degrees of freedom; infinite without degrees of freedom, NaN where
/// `probability` is not in (0, 1).
pub(crate) fn chi_squared_quantile(probability: f64, freedom: f64) -> f64 {
    if !is_probability(probability) {
        return f64::NAN;
    }
    ChiSquared::new(freedom).map_or(f64::INFINITY, |squares| squares.inverse_cdf(probability))
}

/// Probability of a value of the standard normal distribution that is at most `value`.
pub(crate) fn normal_probability(value: f64) -> f64 {
    Normal::standard().cdf(value)
}

/// The quantile of the standard normal distribution; NaN where `probability` is not in (0, 1).
pub fn normal_quantile(probability: f64) -> f64 {
    match is_probability(probability) {
        true => Normal::standard().inverse_cdf(probability),
        false => f64::NAN,
    }
}

fn is_probability(value: f64) -> bool {
    value > 0.0 && value < 1.0
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

    #[test]
    fn without_freedom_there_is_no_end_and_without_a_probability_no_number() {
        assert_eq!((student_quantile(0.975, 0.0), student_quantile(0.025, 0.0)), (f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!((student_quantile(0.975, f64::NAN), f_quantile(0.95, 1.0, 0.0)), (f64::INFINITY, f64::INFINITY));
        for probability in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(student_quantile(probability, 3.0).is_nan() && f_quantile(probability, 1.0, 3.0).is_nan());
            assert!(normal_quantile(probability).is_nan());
        }
    }

    proptest! {
        #[test]
        fn t_squared_is_f_and_t_shrinks_towards_the_normal(magnitude in 0.0f64..12.0) {
            let freedom = 10f64.powf(magnitude);
            let student = student_quantile(0.975, freedom);
            prop_assert!(student >= normal_quantile(0.975) && student <= student_quantile(0.975, freedom * 0.99));
            prop_assert!(freedom > 1e4 || (student.powi(2) / f_quantile(0.95, 1.0, freedom) - 1.0).abs() < 1e-6);
        }
    }
}
