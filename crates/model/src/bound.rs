//! A service level: a statistic of a latency and the most that it may be.

use std::fmt;
use std::str::FromStr;

use base::quantity::{self, Written};
use record::{Latency, Nanos, Ratio, is_printable};

use crate::distribution::quantile;
use crate::rules::RULES;

/// Units in which a limit is written.
const UNITS: [(&str, u64); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
/// No limit is as long.
const LIMIT_NS_MAX: u64 = 1_000_000_000_000_000_000;

/// `p99=1ms`: 99 % of the values lie at or below a millisecond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// What of the latency is meant.
    pub statistic: Statistic,
    /// The most that it may be.
    pub limit: Nanos,
}

/// One number that stands for a latency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// The value at or below which this share of all values lies; in (0, 1).
    Quantile(Ratio),
    /// The arithmetic mean.
    Mean,
    /// The largest value.
    Max,
}

/// A service level that cannot be read: what was written and why not; the hint stands apart, see [`BoundError::HINT`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundError(String);

impl Statistic {
    /// What it comes to in `latency`; absent where there are no values, or where the quantile is not stored and the
    /// histogram cannot be read.
    fn value(self, latency: &Latency) -> Option<Nanos> {
        match self {
            Statistic::Quantile(wanted) => quantile(latency, wanted),
            Statistic::Mean => (latency.count > 0).then_some(latency.mean_ns),
            Statistic::Max => (latency.count > 0).then_some(latency.max_ns),
        }
    }

    /// The same where it may be shown: absent as well where too few values lie beyond the quantile.
    pub fn printable(self, latency: &Latency) -> Option<Nanos> {
        let is_printable = match self {
            Statistic::Quantile(Ratio(wanted)) => wanted <= 0.5 || is_printable(wanted, latency.count as f64),
            Statistic::Mean | Statistic::Max => true,
        };
        self.value(latency).filter(|_| is_printable)
    }
}

impl Bound {
    /// What the statistic comes to in `latency`, however few values there are: what the level is judged by.
    pub fn value(&self, latency: &Latency) -> Option<Nanos> {
        self.statistic.value(latency)
    }

    /// The shortest window in which a rate of `steps_per_second` leaves enough values beyond the quantile; nothing of a
    /// statistic that is no quantile.
    pub fn window(&self, steps_per_second: f64) -> Nanos {
        match self.statistic {
            Statistic::Quantile(Ratio(share)) => {
                let seconds = RULES.samples_beyond_quantile / ((1.0 - share) * steps_per_second);
                Nanos((seconds * 1e9).ceil() as u64)
            }
            Statistic::Mean | Statistic::Max => Nanos(0),
        }
    }

    /// Whether `latency` keeps the level; absent where that cannot be said. It says nothing of I/O that failed or
    /// was left over: see the self-checks.
    pub fn kept_by(&self, latency: &Latency) -> Option<bool> {
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
            // A share has no more than a dozen digits that mean anything; the rest is the error of the fraction.
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
                Statistic::Quantile(
                    share.ok_or_else(|| error("what is limited is neither p50, p99, ..., mean nor max"))?,
                )
            }
        };
        let limit = span(limit.trim()).ok_or_else(|| error("its limit is no time above zero with a unit"))?;
        Ok(Bound { statistic, limit })
    }
}

/// `99.9` as 0.999; none for what is not a decimal number above 0 and below 100.
fn share_of_percent(text: &str) -> Option<Ratio> {
    let plain = text.bytes().all(|letter| letter.is_ascii_digit() || letter == b'.');
    let percent: f64 = text.parse().ok().filter(|_| plain)?;
    let share = (percent / 100.0 * 1e12).round() / 1e12;
    (share > 0.0 && share < 1.0).then_some(Ratio(share))
}

/// `500us` or `1.5ms` in nanoseconds; a number without a unit is no limit.
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
    fn what_is_written_is_read() {
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
    fn it_is_written_as_it_is_read() {
        for text in ["p99=1ms", "p99.9=500us", "p50=2ms", "mean=10ms", "max=1s", "p99.9999=1500us", "p12.5=7ns"] {
            assert_eq!(bound(text).to_string(), text);
        }
        assert_eq!(bound("p99<=1000us").to_string(), "p99=1ms");
    }

    #[test]
    fn what_is_no_service_level_is_refused() {
        for text in ["", "p99", "p99=", "p99=1", "p0=1ms", "p100=1ms", "p-1=1ms", "pinf=1ms", "q9=1ms", "max=0ms"] {
            let error = text.parse::<Bound>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("service level {text:?}: ")), "{error}");
            assert!(!error.contains("hint"), "the caller says it on a line of its own: {error}");
        }
        assert_eq!(
            "p99=fast".parse::<Bound>().unwrap_err().to_string(),
            "service level \"p99=fast\": its limit is no time above zero with a unit"
        );
    }

    #[test]
    fn a_latency_keeps_a_level_or_not_or_cannot_tell() {
        let values: Vec<u64> = (1..=1_000).map(|value| value * 1_000).collect();
        let latency = stored(&values);
        assert_eq!(bound("p95=952us").kept_by(&latency), Some(true));
        assert_eq!(bound("p95=948us").kept_by(&latency), Some(false));
        assert_eq!(bound("mean=501us").kept_by(&latency), Some(true));
        assert_eq!(bound("max=900us").kept_by(&latency), Some(false));
        assert_eq!(bound("mean=1s").kept_by(&Latency::default()), None);
        let bare = Latency { histogram: String::new(), ..latency };
        assert_eq!((bound("p95=1s").kept_by(&bare), bound("p99=1s").kept_by(&bare)), (None, Some(true)));
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in "\\PC{0,20}") {
            let _ = text.parse::<Bound>();
        }

        #[test]
        fn what_is_written_is_read_again(percent in 1u32..100_000, limit in 1u64..1_000_000_000_000) {
            let share = Ratio((f64::from(percent) / 100_000.0 * 1e12).round() / 1e12);
            let bound = Bound { statistic: Statistic::Quantile(share), limit: Nanos(limit) };
            prop_assert_eq!(bound.to_string().parse::<Bound>(), Ok(bound));
        }
    }
}
