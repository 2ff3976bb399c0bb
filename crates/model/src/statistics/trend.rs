//! A straight line through a series, by least squares.

use super::mean;

/// The line through values at 0, 1, 2, ...
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Slope per value.
    pub slope: f64,
    /// Standard error of the slope, if the values are independent; degrees of freedom are two fewer than values.
    pub slope_error: f64,
}

/// The line through `values`; None below three.
pub fn trend(values: &[f64]) -> Option<Trend> {
    let count = values.len();
    if count < 3 {
        return None;
    }
    let (mean, middle) = (mean(values)?, (count - 1) as f64 / 2.0);
    let (mut products, mut squares) = (0.0, 0.0);
    for (value, at) in values.iter().zip(0u32..) {
        let distance = f64::from(at) - middle;
        products += distance * (value - mean);
        squares += distance * distance;
    }
    let slope = products / squares;
    let residuals = values.iter().zip(0u32..).map(|(value, at)| value - mean - slope * (f64::from(at) - middle));
    let rest: f64 = residuals.map(|residual| residual * residual).sum();
    Some(Trend { slope, slope_error: (rest / (count - 2) as f64 / squares).sqrt() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_by_hand() {
        // Slope (-1.5 * -1 - 0.5 * 0 + 0.5 * 0 + 1.5 * 1) / 5 = 0.6; residuals -0.1, 0.3, -0.3, 0.1.
        let found = trend(&[1.0, 2.0, 2.0, 3.0]).unwrap();
        assert!((found.slope - 0.6).abs() < 1e-12 && (found.slope_error - (0.2f64 / 2.0 / 5.0).sqrt()).abs() < 1e-12);
        assert_eq!(trend(&[5.0, 7.0, 9.0]).unwrap(), Trend { slope: 2.0, slope_error: 0.0 });
        assert_eq!(trend(&[1.0, 2.0]), None);
    }
}
