//! Quantiles of a stored latency, read from its histogram.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use record::{Latency, Nanos, Ratio};

/// The values of a histogram, at most: so many can be stored in one bucket, and the sum of all buckets stays a number.
pub(crate) const VALUES_MAX: u64 = i64::MAX as u64;

/// Tolerance of equal quantiles.
const SAME: f64 = 1e-9;

/// The quantile `quantile`, with a relative error of 0.1 %: a stored one, otherwise from the histogram. The quantile of
/// 1 is the maximum.
///
/// None without values, where the quantile is not in [0, 1], and where the histogram is missing or cannot be read.
pub fn quantile(latency: &Latency, quantile: Ratio) -> Option<Nanos> {
    if latency.count == 0 || !(0.0..=1.0).contains(&quantile.0) {
        return None;
    }
    let stored = [
        (0.5, Some(latency.p50_ns)),
        (0.9, latency.p90_ns),
        (0.99, latency.p99_ns),
        (0.999, latency.p999_ns),
        (1.0, Some(latency.max_ns)),
    ];
    match stored.into_iter().find(|(stored, _)| (stored - quantile.0).abs() < SAME) {
        Some((_, Some(value))) => Some(value),
        _ => Some(Nanos(histogram(latency)?.value_at_quantile(quantile.0))),
    }
}

/// The non-empty buckets of a stored latency: midpoint and count, ascending. None where the histogram is missing or
/// cannot be read.
pub fn buckets(latency: &Latency) -> Option<Vec<(Nanos, u64)>> {
    let histogram = histogram(latency)?;
    let middle = |value: u64| Nanos(histogram.median_equivalent(value));
    Some(histogram.iter_recorded().map(|step| (middle(step.value_iterated_to()), step.count_at_value())).collect())
}

/// How many values of a stored latency are above `limit`, by its buckets. None where the histogram is missing or cannot be read.
pub fn count_above(latency: &Latency, limit: Nanos) -> Option<u64> {
    let histogram = histogram(latency)?;
    let above = |value: u64| value > histogram.highest_equivalent(limit.0);
    Some(
        histogram
            .iter_recorded()
            .filter(|step| above(step.value_iterated_to()))
            .map(|step| step.count_at_value())
            .sum(),
    )
}

/// The standard deviation of all values of the stored `histograms`, nanoseconds. None without values, and where one cannot be read.
pub fn standard_deviation<'a>(histograms: impl IntoIterator<Item = &'a str>) -> Option<f64> {
    let mut all: Option<Histogram<u64>> = None;
    for text in histograms.into_iter().filter(|text| !text.is_empty()) {
        let one = decoded(text)?;
        match &mut all {
            Some(all) => all.add(one).ok()?,
            None => all = Some(one),
        }
    }
    all.filter(|all| !all.is_empty()).map(|all| all.stdev())
}

fn histogram(latency: &Latency) -> Option<Histogram<u64>> {
    decoded(&latency.histogram).filter(|histogram| !histogram.is_empty())
}

/// Decodes a stored histogram: V2 format, deflated, base64. None where it cannot be read, and where it has more than
/// [`VALUES_MAX`] values.
pub(crate) fn decoded(text: &str) -> Option<Histogram<u64>> {
    let bytes = BASE64_STANDARD.decode(text).ok()?;
    let histogram: Option<Histogram<u64>> = Deserializer::new().deserialize(&mut bytes.as_slice()).ok();
    histogram.filter(|histogram| histogram.len() <= VALUES_MAX)
}

/// The stored form of a histogram.
pub(crate) fn encoded(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).expect("writing to memory does not fail");
    BASE64_STANDARD.encode(bytes)
}

/// The stored latency of the values of a histogram.
pub(crate) fn latency_of(histogram: &Histogram<u64>) -> Latency {
    if histogram.is_empty() {
        return Latency::default();
    }
    let at = |quantile| Nanos(histogram.value_at_quantile(quantile));
    Latency {
        count: histogram.len(),
        min_ns: Nanos(histogram.min()),
        mean_ns: Nanos(histogram.mean() as u64),
        p50_ns: at(0.5),
        p90_ns: Some(at(0.9)),
        p99_ns: Some(at(0.99)),
        p999_ns: Some(at(0.999)),
        max_ns: Nanos(histogram.max()),
        histogram: encoded(histogram),
    }
    .printable()
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The stored latency of these values.
    pub(crate) fn stored(values: &[u64]) -> Latency {
        let mut histogram: Histogram<u64> = Histogram::new_with_bounds(1, 86_400_000_000_000, 3).unwrap();
        values.iter().for_each(|value| histogram.saturating_record(*value));
        latency_of(&histogram)
    }

    #[test]
    fn any_quantile_is_read_from_the_histogram() {
        let values: Vec<u64> = (1..=100_000).map(|value| value * 1_000).collect();
        let latency = stored(&values);
        for wanted in [0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0] {
            let found = quantile(&latency, Ratio(wanted)).unwrap().0 as f64;
            assert!((found / (wanted * 1e8) - 1.0).abs() < 0.001, "{wanted}: {found}");
        }
    }

    #[test]
    fn buckets_have_the_counts_of_the_values() {
        let latency = stored(&[3, 70, 70, 900_000]);
        let buckets = buckets(&latency).unwrap();
        assert_eq!(buckets.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 2, 1]);
        assert_eq!((buckets[0].0, buckets[1].0), (Nanos(3), Nanos(70)));
        assert!((buckets[2].0.0 as f64 / 900_000.0 - 1.0).abs() < 0.001);
    }

    #[test]
    fn values_above_a_limit_are_those_of_later_buckets() {
        let latency = stored(&[3, 70, 70, 900_000]);
        let above = |limit: u64| count_above(&latency, Nanos(limit));
        assert_eq!([above(2), above(3), above(70), above(1_000_000)], [Some(4), Some(3), Some(1), Some(0)]);
        assert_eq!(count_above(&Latency::default(), Nanos(1)), None);
    }

    #[test]
    fn the_standard_deviation_is_of_all_histograms_together() {
        let (one, other) = (stored(&[10, 10]).histogram, stored(&[30, 30]).histogram);
        // The mean is 20, and each value is 10 away from it.
        assert_eq!(standard_deviation([one.as_str(), "", other.as_str()]), Some(10.0));
        assert_eq!(standard_deviation([one.as_str()]), Some(0.0));
        assert_eq!((standard_deviation([]), standard_deviation([""]), standard_deviation(["x"])), (None, None, None));
    }

    #[test]
    fn without_a_histogram_only_stored_quantiles_are_known() {
        let latency = Latency { histogram: String::new(), ..stored(&[1_000; 10]) };
        assert_eq!(quantile(&latency, Ratio(0.99)), latency.p99_ns);
        assert_eq!(quantile(&latency, Ratio(0.95)), None);
        assert_eq!((quantile(&Latency::default(), Ratio(0.5)), buckets(&latency)), (None, None));
        assert_eq!(quantile(&latency, Ratio(1.5)), None);
        assert_eq!(quantile(&latency, Ratio(f64::NAN)), None);
    }

    proptest! {
        #[test]
        fn no_text_and_no_quantile_panics(text in "[A-Za-z0-9+/=]{0,80}", wanted in any::<f64>()) {
            let broken = Latency { count: 1, histogram: text, ..Latency::default() };
            quantile(&broken, Ratio(wanted));
            buckets(&broken);
        }

        #[test]
        fn a_damaged_histogram_is_no_panic(at in 8usize..60, byte in any::<u8>()) {
            let mut latency = stored(&[3, 70, 70, 900_000]);
            let mut bytes = BASE64_STANDARD.decode(&latency.histogram).unwrap();
            let at = at % bytes.len();
            bytes[at] = byte;
            latency.histogram = BASE64_STANDARD.encode(bytes);
            quantile(&latency, Ratio(0.95));
        }

        #[test]
        fn quantiles_rise(values in prop::collection::vec(1u64..10_000_000_000, 1..50)) {
            let latency = stored(&values);
            let found: Vec<Nanos> =
                [0.05, 0.5, 0.95, 0.99, 0.9999, 1.0].iter().map(|q| quantile(&latency, Ratio(*q)).unwrap()).collect();
            prop_assert!(found.is_sorted());
        }
    }
}
