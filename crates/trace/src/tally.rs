//! From the histograms of all processors to a stored latency.

use measure::Histogram;
use record::{Latency, Nanos};

use crate::layout::{Head, Words, buckets, midpoint_ns};

/// The latency of the events of all processors, and the bytes that they transferred; none without events. Mean, minimum
/// and maximum are exact, quantiles have an error of at most 1/64.
pub(crate) fn latency<'a>(processors: impl Iterator<Item = &'a Words> + Clone) -> Option<(Latency, u64)> {
    let head = processors.clone().map(Head::of).fold(Head::default(), Head::and);
    if head.count == 0 {
        return None;
    }
    let within = |latency_ns: u64| latency_ns.clamp(head.min_ns, head.max_ns.max(head.min_ns));
    let mut histogram = Histogram::default();
    for words in processors {
        for (bucket, count) in buckets(words).iter().enumerate().filter(|(_, count)| **count > 0) {
            histogram.record_many(Nanos(within(midpoint_ns(bucket))), *count);
        }
    }
    let counted = histogram.latency();
    // The upper bound of a bucket of the stored histogram may be above the maximum.
    let clamped = |quantile: Nanos| Nanos(within(quantile.0));
    let latency = Latency {
        count: counted.count,
        min_ns: Nanos(head.min_ns),
        mean_ns: Nanos(head.sum_ns / head.count),
        p50_ns: clamped(counted.p50_ns),
        p90_ns: counted.p90_ns.map(clamped),
        p99_ns: counted.p99_ns.map(clamped),
        p999_ns: counted.p999_ns.map(clamped),
        max_ns: Nanos(head.max_ns),
        histogram: counted.histogram,
    };
    Some((latency, head.bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::{WORDS, count};

    fn counted(latencies_ns: &[u64]) -> Words {
        let mut words = [0; WORDS];
        latencies_ns.iter().for_each(|latency_ns| count(&mut words, *latency_ns, 4_096));
        words
    }

    #[test]
    fn the_counts_of_processors_add_up() {
        let words = [counted(&[1_000, 2_000, 3_000]), counted(&[]), counted(&[94_000])];
        let (latency, bytes) = latency(words.iter()).unwrap();
        assert_eq!((latency.count, bytes), (4, 4 * 4_096));
        assert_eq!((latency.min_ns, latency.mean_ns, latency.max_ns), (Nanos(1_000), Nanos(25_000), Nanos(94_000)));
        assert!((latency.p50_ns.0 as f64 / 2_000.0 - 1.0).abs() < 0.02, "{:?}", latency.p50_ns);
    }

    #[test]
    fn no_events_have_no_latency() {
        assert_eq!(latency([counted(&[])].iter()), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn quantiles_ascend_and_are_near_the_true_ones(
            mut all in prop::collection::vec(1u64..10_000_000_000, 1..300),
            cut in 0usize..300,
        ) {
            let cut = cut.min(all.len());
            let words = [counted(&all[..cut]), counted(&all[cut..])];
            let (latency, _) = latency(words.iter()).unwrap();
            all.sort_unstable();
            prop_assert_eq!(latency.count, all.len() as u64);
            let tail = [latency.p90_ns, latency.p99_ns, latency.p999_ns, Some(latency.max_ns)];
            let row: Vec<_> = [latency.min_ns, latency.p50_ns].into_iter().chain(tail.into_iter().flatten()).collect();
            prop_assert!(row.is_sorted(), "{:?}", row);
            let half = all[(all.len() - 1) / 2] as f64;
            prop_assert!((latency.p50_ns.0 as f64 / half - 1.0).abs() < 0.02, "{:?}, not {half}", latency.p50_ns);
        }
    }
}
