//! A service level: a statistic of a latency and its upper limit.

use std::fmt;
use std::str::FromStr;

use base::quantity::{self, Written};
use record::{Latency, Nanos, Ratio, is_printable};

use crate::distribution::quantile;
use crate::rules::RULES;

/// Units in which a limit is written.
const UNITS: [(&str, u64); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
/// Limits are shorter than this.
const LIMIT_NS_MAX: u64 = 1_000_000_000_000_000_000;

/// `p99=1ms`: 99 % of the values lie at or below a millisecond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The statistic of the latency.
    pub statistic: Statistic,
    /// Its upper limit.
    pub limit: Nanos,
}

/// A statistic of a latency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// The value at or below which this share of all values lies; in (0, 1).
    Quantile(Ratio),
    /// The arithmetic mean.
    Mean,
    /// The largest value.
    Max,
}

/// A service level that cannot be parsed: the text and the reason; the hint is [`BoundError::HINT`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundError(String);

impl Statistic {
    /// Its value for `latency`; None without values, or where the quantile is not stored and the histogram cannot be
    /// read.
    fn value(self, latency: &Latency) -> Option<Nanos> {
        match self {
            Statistic::Quantile(wanted) => quantile(latency, wanted),
            Statistic::Mean => (latency.count > 0).then_some(latency.mean_ns),
            Statistic::Max => (latency.count > 0).then_some(latency.max_ns),
        }
    }

    /// The same; None also where too few values lie beyond the quantile for it to be shown.
    pub fn printable(self, latency: &Latency) -> Option<Nanos> {
        let is_printable = match self {
            Statistic::Quantile(Ratio(wanted)) => wanted <= 0.5 || is_printable(wanted, latency.count as f64),
            Statistic::Mean | Statistic::Max => true,
        };
        self.value(latency).filter(|_| is_printable)
    }
}

impl Bound {
    /// The value of the statistic for `latency`, however few values there are, by which the level is judged.
    pub fn value(&self, latency: &Latency) -> Option<Nanos> {
        self.statistic.value(latency)
    }

    /// The shortest window in which a rate of `steps_per_second` has enough values beyond the quantile; 0 for other
    /// statistics.
    pub fn window(&self, steps_per_second: f64) -> Nanos {
        match self.statistic {
            Statistic::Quantile(Ratio(share)) => {
                let seconds = RULES.samples_beyond_quantile / ((1.0 - share) * steps_per_second);
                Nanos((seconds * 1e9).ceil() as u64)
            }
            Statistic::Mean | Statistic::Max => Nanos(0),
        }
    }

    /// Whether `latency` meets the level; None where not known. Failed and unfinished I/O is left to the self-checks.
    pub fn met_by(&self, latency: &Latency) -> Option<bool> {
        Some(self.value(latency)? <= self.limit)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = |unit: &&(&str, u64)| self.limit.0.is_multiple_of(unit.1) && self.limit.0 > 0;
        let (unit, factor) = UNITS.iter().rev().find(exact).unwrap_or(&UNITS[0]);
        write!(formatter, "{}={}{unit}", self.statistic, self.limit.0 / factor)
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Rounds off the floating-point error of the share.
            Statistic::Quantile(share) => {
                let percent = format!("{:.9}", share.0 * 100.0);
                write!(formatter, "p{}", percent.trim_end_matches('0').trim_end_matches('.'))
            }
            Statistic::Mean => formatter.write_str("mean"),
            Statistic::Max => formatter.write_str("max"),
        }
    }
}

impl FromStr for Bound {
    type Err = BoundError;

    fn from_str(text: &str) -> Result<Bound, BoundError> {
        let error = |what: &str| BoundError(format!("service level {text:?}: {what}"));
        let (statistic, limit) = text.split_once('=').ok_or_else(|| error("it has no limit"))?;
        let statistic = statistic.strip_suffix('<').unwrap_or(statistic).trim();
        let statistic = match statistic {
            "mean" => Statistic::Mean,
            "max" => Statistic::Max,
            _ => {
                let share = statistic.strip_prefix('p').and_then(share_of_percent);
                Statistic::Quantile(share.ok_or_else(|| error("the statistic is not p50, p99, ..., mean or max"))?)
            }
        };
        let limit = span(limit.trim()).ok_or_else(|| error("its limit is not a time above 0 with a unit"))?;
        Ok(Bound { statistic, limit })
    }
}

/// `99.9` as 0.999; None unless a decimal number above 0 and below 100.
fn share_of_percent(text: &str) -> Option<Ratio> {
    let plain = text.bytes().all(|letter| letter.is_ascii_digit() || letter == b'.');
    let percent: f64 = text.parse().ok().filter(|_| plain)?;
    let share = (percent / 100.0 * 1e12).round() / 1e12;
    (share > 0.0 && share < 1.0).then_some(Ratio(share))
}

/// `500us` or `1.5ms` in nanoseconds; None without a unit.
fn span(text: &str) -> Option<Nanos> {
    let has_unit = !Written::of(text).unit.is_empty();
    quantity::time_ns(text).filter(|time_ns| has_unit && (1..LIMIT_NS_MAX).contains(time_ns)).map(Nanos)
}

impl BoundError {
    /// How a service level is written.
    pub const HINT: &str = "write it as p99=1ms, p99.9=500us or mean=10ms";
}

impl fmt::Display for BoundError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for BoundError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::distribution::tests::stored;

    fn bound(text: &str) -> Bound {
        text.parse().unwrap()
    }

    #[test]
    fn levels_are_parsed() {
        let quantile = |share: f64, limit| Bound { statistic: Statistic::Quantile(Ratio(share)), limit: Nanos(limit) };
        assert_eq!(bound("p99=1ms"), quantile(0.99, 1_000_000));
        assert_eq!(bound("p99.9=500us"), quantile(0.999, 500_000));
        assert_eq!(bound("p50<=2ms"), quantile(0.5, 2_000_000));
        assert_eq!(bound(" p99.99 <= 1.5 s ".trim()), quantile(0.9999, 1_500_000_000));
        assert_eq!(bound("p95=250µs"), quantile(0.95, 250_000));
        assert_eq!(bound("mean=10ms"), Bound { statistic: Statistic::Mean, limit: Nanos(10_000_000) });
        assert_eq!(bound("max=1s"), Bound { statistic: Statistic::Max, limit: Nanos(1_000_000_000) });
    }

    #[test]
    fn a_level_prints_as_it_was_parsed() {
        for text in ["p99=1ms", "p99.9=500us", "p50=2ms", "mean=10ms", "max=1s", "p99.9999=1500us", "p12.5=7ns"] {
            assert_eq!(bound(text).to_string(), text);
        }
        assert_eq!(bound("p99<=1000us").to_string(), "p99=1ms");
    }

    #[test]
    fn malformed_levels_are_refused() {
        for text in ["", "p99", "p99=", "p99=1", "p0=1ms", "p100=1ms", "p-1=1ms", "pinf=1ms", "q9=1ms", "max=0ms"] {
            let error = text.parse::<Bound>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("service level {text:?}: ")), "{error}");
            assert!(!error.contains("hint"), "the caller prints it on a separate line: {error}");
        }
        assert_eq!(
            "p99=fast".parse::<Bound>().unwrap_err().to_string(),
            "service level \"p99=fast\": its limit is not a time above 0 with a unit"
        );
    }

    #[test]
    fn a_latency_meets_a_level_or_not_or_is_unknown() {
        let values: Vec<u64> = (1..=1_000).map(|value| value * 1_000).collect();
        let latency = stored(&values);
        assert_eq!(bound("p95=952us").met_by(&latency), Some(true));
        assert_eq!(bound("p95=948us").met_by(&latency), Some(false));
        assert_eq!(bound("mean=501us").met_by(&latency), Some(true));
        assert_eq!(bound("max=900us").met_by(&latency), Some(false));
        assert_eq!(bound("mean=1s").met_by(&Latency::default()), None);
        let bare = Latency { histogram: String::new(), ..latency };
        assert_eq!((bound("p95=1s").met_by(&bare), bound("p99=1s").met_by(&bare)), (None, Some(true)));
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in "\\PC{0,20}") {
            let _ = text.parse::<Bound>();
        }

        #[test]
        fn a_printed_level_parses_again(percent in 1u32..100_000, limit in 1u64..1_000_000_000_000) {
            let share = Ratio((f64::from(percent) / 100_000.0 * 1e12).round() / 1e12);
            let bound = Bound { statistic: Statistic::Quantile(share), limit: Nanos(limit) };
            prop_assert_eq!(bound.to_string().parse::<Bound>(), Ok(bound));
        }
    }
}
