//! Latencies of one run.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Nanos;

/// Minimum number of values beyond a printed quantile.
pub const SAMPLES_BEYOND_QUANTILE: f64 = 10.0;

/// Whether a quantile may be printed: at least [`SAMPLES_BEYOND_QUANTILE`] of the (effective) samples lie beyond it.
pub fn is_printable(quantile: f64, effective_samples: f64) -> bool {
    // 1e-7 allows for rounding: 1 - 0.9 is less than 0.1.
    effective_samples * (1.0 - quantile) >= SAMPLES_BEYOND_QUANTILE * (1.0 - 1e-7)
}

/// The distribution of a latency: quantiles and histogram.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Latency {
    /// Number of values.
    pub count: u64,
    /// The smallest value.
    pub min_ns: Nanos,
    /// The arithmetic mean, from the histogram (relative error at most 0.1 %).
    pub mean_ns: Nanos,
    /// The median.
    pub p50_ns: Nanos,
    /// The 0.9 quantile; absent for fewer than 100 values, of which fewer than ten lie beyond it.
    pub p90_ns: Option<Nanos>,
    /// The 0.99 quantile; absent for fewer than 1,000 values.
    pub p99_ns: Option<Nanos>,
    /// The 0.999 quantile; absent for fewer than 10,000 values.
    pub p999_ns: Option<Nanos>,
    /// The largest value.
    pub max_ns: Nanos,
    /// All values as an HdrHistogram: V2 format, deflated, base64; nanoseconds, three significant digits.
    /// Histograms of several jobs or hosts can be added, quantiles cannot.
    pub histogram: String,
}

impl Latency {
    /// Drops quantiles that are not [printable](is_printable).
    pub fn printable(self) -> Latency {
        let printable =
            |quantile: f64, value: Option<Nanos>| value.filter(|_| is_printable(quantile, self.count as f64));
        let (p90_ns, p99_ns) = (printable(0.9, self.p90_ns), printable(0.99, self.p99_ns));
        Latency { p90_ns, p99_ns, p999_ns: printable(0.999, self.p999_ns), ..self }
    }
}

/// The serialized form; older records have all quantiles.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    count: u64,
    min_ns: Nanos,
    mean_ns: Nanos,
    p50_ns: Nanos,
    p90_ns: Option<Nanos>,
    p99_ns: Option<Nanos>,
    p999_ns: Option<Nanos>,
    max_ns: Nanos,
    histogram: String,
}

impl<'de> Deserialize<'de> for Latency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Latency, D::Error> {
        let Written { count, min_ns, mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns, histogram } =
            Written::deserialize(deserializer)?;
        Ok(Latency { count, min_ns, mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns, histogram }.printable())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_with_too_few_values_beyond_is_absent() {
        let of = |count: u64| {
            let value = Some(Nanos(1));
            let latency =
                Latency { count, p90_ns: value, p99_ns: value, p999_ns: value, ..Latency::default() }.printable();
            [latency.p90_ns, latency.p99_ns, latency.p999_ns].map(|quantile| quantile.is_some())
        };
        assert_eq!(of(99), [false, false, false]);
        assert_eq!(of(100), [true, false, false]);
        assert_eq!(of(999), [true, false, false]);
        assert_eq!(of(1_000), [true, true, false]);
        assert_eq!((of(9_999), of(10_000)), ([true, true, false], [true, true, true]));
    }

    #[test]
    fn ten_values_lie_beyond_a_printed_quantile() {
        assert!(is_printable(0.9, 100.0) && !is_printable(0.9, 99.0));
        assert!(is_printable(0.999, 10_000.0) && !is_printable(0.999, 9_990.0));
        assert!(!is_printable(0.5, f64::NAN));
    }

    #[test]
    fn an_older_record_is_read_by_the_same_rule() {
        let text = r#"{"count":999,"min_ns":1,"mean_ns":2,"p50_ns":2,"p90_ns":3,"p99_ns":4,"p999_ns":5,"max_ns":6,"histogram":""}"#;
        let latency: Latency = serde_json::from_str(text).unwrap();
        assert_eq!((latency.p90_ns, latency.p99_ns, latency.p999_ns), (Some(Nanos(3)), None, None));
        assert_eq!(serde_json::from_str::<Latency>(&serde_json::to_string(&latency).unwrap()).unwrap(), latency);
    }
}
