//! Latencies of one or more streams as one distribution, in fio's keys.

use model::{buckets, quantile};
use record::{Latency, Nanos, Ratio};
use serde_json::{Map, Value, json};

use super::FioJson;

/// The default percentiles of fio.
const PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];

/// Upper bounds of the buckets of latency, in its unit; a bucket holds the values below its bound and not below the
/// previous one. Only milliseconds have one more, for longer values.
const BUCKETS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// The latencies of some streams.
#[derive(Clone, Debug, Default)]
pub(super) struct Distribution {
    count: u64,
    min_ns: u64,
    max_ns: u64,
    mean_ns: f64,
    /// Values with their counts, ascending; empty where a histogram is missing.
    buckets: Vec<(u64, u64)>,
    /// The stored quantiles of a single stream without histogram.
    stored: Option<Latency>,
}

impl Distribution {
    /// All values of `latencies`.
    pub(super) fn of<'a>(latencies: impl Iterator<Item = &'a Latency>) -> Distribution {
        let latencies: Vec<&Latency> = latencies.filter(|latency| latency.count > 0).collect();
        let Some(first) = latencies.first() else { return Distribution::default() };
        let count = latencies.iter().fold(0u64, |sum, latency| sum.saturating_add(latency.count));
        let weighted = latencies.iter().map(|latency| latency.mean_ns.0 as f64 * latency.count as f64);
        let histograms: Option<Vec<Vec<(Nanos, u64)>>> = latencies.iter().map(|latency| buckets(latency)).collect();
        let mut values: Vec<(u64, u64)> =
            histograms.into_iter().flatten().flatten().map(|(value, count)| (value.0, count)).collect();
        values.sort_unstable();
        Distribution {
            count,
            min_ns: latencies.iter().map(|latency| latency.min_ns.0).min().unwrap_or(0),
            max_ns: latencies.iter().map(|latency| latency.max_ns.0).max().unwrap_or(0),
            mean_ns: weighted.sum::<f64>() / count as f64,
            stored: (latencies.len() == 1).then(|| (*first).clone()),
            buckets: merged(values),
        }
    }

    /// Standard deviation in nanoseconds, from the histogram; zero without one.
    fn deviation(&self) -> f64 {
        let count: f64 = self.buckets.iter().map(|(_, count)| *count as f64).sum();
        if count < 2.0 {
            return 0.0;
        }
        let mean = self.buckets.iter().map(|(value, count)| *value as f64 * *count as f64).sum::<f64>() / count;
        let squares: f64 =
            self.buckets.iter().map(|(value, count)| (*value as f64 - mean).powi(2) * *count as f64).sum();
        (squares / (count - 1.0)).sqrt()
    }

    /// The value at or below which `percent` of the values lie; none where that is not known.
    fn percentile(&self, percent: f64) -> Option<u64> {
        if self.buckets.is_empty() {
            return quantile(self.stored.as_ref()?, Ratio(percent / 100.0)).map(|value| value.0);
        }
        let all = self.buckets.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
        let wanted = ((percent / 100.0 * all as f64).ceil() as u64).clamp(1, all.max(1));
        let mut seen = 0u64;
        let reached = |(_, count): &&(u64, u64)| {
            seen = seen.saturating_add(*count);
            seen >= wanted
        };
        // The middle of a bucket may be outside of the exact range.
        self.buckets.iter().find(reached).map(|(value, _)| (*value).clamp(self.min_ns, self.max_ns))
    }

    /// As an object of fio: smallest, largest, mean, standard deviation and number; with percentiles where fio prints
    /// them, and with the histogram where it is requested.
    pub(super) fn object(&self, percentiles: bool, form: FioJson) -> Value {
        let mut object = Map::new();
        object.insert("min".to_owned(), json!(self.min_ns));
        object.insert("max".to_owned(), json!(self.max_ns));
        object.insert("mean".to_owned(), json!(self.mean_ns));
        object.insert("stddev".to_owned(), json!(self.deviation()));
        object.insert("N".to_owned(), json!(self.count));
        if percentiles && self.count > 0 {
            let known = PERCENTILES.into_iter().filter_map(|percent| Some((percent, self.percentile(percent)?)));
            let shown: Map<String, Value> =
                known.map(|(percent, value)| (format!("{percent:.6}"), json!(value))).collect();
            object.insert("percentile".to_owned(), Value::Object(shown));
            if form == FioJson::Plus {
                let bins = self.buckets.iter().map(|(value, count)| (value.to_string(), json!(count)));
                object.insert("bins".to_owned(), Value::Object(bins.collect()));
            }
        }
        Value::Object(object)
    }
}

/// `values`, which are sorted, with equal ones merged.
fn merged(values: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    let mut merged: Vec<(u64, u64)> = Vec::with_capacity(values.len());
    for (value, count) in values {
        match merged.last_mut() {
            Some((last, sum)) if *last == value => *sum = sum.saturating_add(count),
            _ => merged.push((value, count)),
        }
    }
    merged
}

/// The share of all values, in percent, in each of fio's buckets: `latency_ns`, `latency_us`, `latency_ms`.
pub(super) fn shares(all: &Distribution) -> [(&'static str, Value); 3] {
    let count: f64 = all.buckets.iter().map(|(_, count)| *count as f64).sum();
    let share = |from: u64, to: u64| {
        let inside = all.buckets.iter().filter(|(value, _)| (from..to).contains(value));
        // An empty sum of floating-point numbers is minus zero.
        let inside = inside.map(|(_, count)| *count).sum::<u64>() as f64;
        if count > 0.0 { inside / count * 100.0 } else { 0.0 }
    };
    [("latency_ns", 1), ("latency_us", 1_000), ("latency_ms", 1_000_000)].map(|(key, unit_ns)| {
        let mut object = Map::new();
        // Values below the unit belong to the previous unit.
        let mut below = if unit_ns == 1 { 0 } else { unit_ns };
        for bound in BUCKETS {
            object.insert(bound.to_string(), json!(share(below, bound * unit_ns)));
            below = bound * unit_ns;
        }
        if unit_ns == 1_000_000 {
            object.insert("2000".to_owned(), json!(share(below, 2_000 * unit_ns)));
            object.insert(">=2000".to_owned(), json!(share(2_000 * unit_ns, u64::MAX)));
        }
        (key, Value::Object(object))
    })
}
