//! Times in powers of two of a microsecond: the layout of V$EVENT_HISTOGRAM_MICRO.

use std::collections::BTreeMap;

use record::{Latency, MeasuringPoint, Nanos, Run};

use super::ActivityMethod;
use crate::delta::delta;
use crate::distribution::buckets;
use crate::wait_count::event_words;

/// The last bucket with a limit holds what is less than 2^32 microseconds, 71 minutes.
const LAST: u32 = 32;

/// The number of times in one bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MicroBucket {
    /// Upper bound in microseconds; the lower bound is half of it, and 0 for the first bucket. Absent from 2^32 on.
    pub below_us: Option<u64>,
    /// Times in the bucket.
    pub count: u64,
}

/// What times are distributed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistogramSubject {
    /// Service time of a step, by the client.
    Step,
    /// A wait, by the engine.
    Wait {
        /// The event.
        event: String,
    },
    /// An operation, by the tracer.
    Traced {
        /// The traced repeat; absent where the run itself was traced.
        run: Option<u32>,
        /// The layer.
        point: MeasuringPoint,
        /// The name in the layer.
        name: String,
    },
}

/// A distribution of times.
#[derive(Clone, Debug, PartialEq)]
pub struct MicroHistogram {
    /// What is distributed.
    pub subject: HistogramSubject,
    /// The method of measurement.
    pub method: ActivityMethod,
    /// Times in all buckets.
    pub count: u64,
    /// Without gaps, from the first to the last that is not empty.
    pub buckets: Vec<MicroBucket>,
}

/// The buckets of `latency` from below 1 microsecond to the last that is not empty. None where its histogram is missing
/// or cannot be read.
///
/// Each bucket of a stored histogram with three significant digits lies within one of these, since both have edges at
/// multiples of the same power of two.
pub fn micro_buckets(latency: &Latency) -> Option<Vec<MicroBucket>> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for (value, count) in buckets(latency)? {
        let sum = counts.entry(bucket_of(value)).or_default();
        *sum = sum.saturating_add(count);
    }
    Some(filled(&counts, 0))
}

/// The exponent of the upper bound of the bucket of `value`; `LAST + 1` for the unbounded one.
fn bucket_of(value: Nanos) -> u32 {
    (0..=LAST).find(|exponent| value.0 < 1_000_u64 << exponent).unwrap_or(LAST + 1)
}

/// The buckets from `first` to the last of `counts`.
fn filled(counts: &BTreeMap<u32, u64>, first: u32) -> Vec<MicroBucket> {
    let Some(last) = counts.keys().next_back() else { return Vec::new() };
    let bucket = |exponent: u32| MicroBucket {
        below_us: (exponent <= LAST).then(|| 1 << exponent),
        count: counts.get(&exponent).copied().unwrap_or(0),
    };
    (first..=*last).map(bucket).collect()
}

/// All histograms of `run`: of the client, of the engine, and of its trace or of that of its traced repeat `repeats`.
pub(super) fn histograms(run: &Run, repeats: Option<&Run>) -> Vec<MicroHistogram> {
    let of_latency = |subject, method, latency: &Latency| {
        let all = micro_buckets(latency)?;
        let empty = all.iter().take_while(|bucket| bucket.count == 0).count();
        let buckets: Vec<MicroBucket> = all.into_iter().skip(empty).collect();
        let count = buckets.iter().fold(0, |sum: u64, bucket| sum.saturating_add(bucket.count));
        Some(MicroHistogram { subject, method, count, buckets })
    };
    let client = of_latency(HistogramSubject::Step, ActivityMethod::Called, &run.service);
    let traced = [Some(run), repeats].into_iter().flatten().flat_map(|traced| {
        let latencies = traced.trace.iter().flat_map(|trace| &trace.latencies);
        latencies.filter_map(move |seen| {
            let repeat = Some(traced.number).filter(|number| *number != run.number);
            let subject = HistogramSubject::Traced { run: repeat, point: seen.point, name: seen.name.clone() };
            of_latency(subject, ActivityMethod::Timed, &seen.latency)
        })
    });
    client.into_iter().chain(engine(run)).chain(traced).collect()
}

/// The histograms that an engine counts itself, in counters `ENGINE_wait_EVENT_under_Nus_count` and
/// `..._over_Nus_count`.
fn engine(run: &Run) -> Vec<MicroHistogram> {
    let mut events: BTreeMap<&str, BTreeMap<u32, u64>> = BTreeMap::new();
    let counters = run.readings.first().map(|reading| &reading.values);
    for counter in counters.into_iter().flat_map(|values| values.keys()) {
        let Some((event, exponent)) = parsed(counter) else { continue };
        let count = delta(run, counter).filter(|count| *count > 0);
        if let Some(count) = count {
            let sum = events.entry(event).or_default().entry(exponent).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    let histogram = |(event, counts): (&str, BTreeMap<u32, u64>)| MicroHistogram {
        subject: HistogramSubject::Wait { event: event_words(event) },
        method: ActivityMethod::Timed,
        count: counts.values().fold(0, |sum, count| sum.saturating_add(*count)),
        buckets: filled(&counts, counts.keys().next().copied().unwrap_or(0)),
    };
    events.into_iter().map(histogram).collect()
}

/// The event and the exponent of the upper bound in the name of a histogram counter. Values over the last bound are in
/// the bucket after it.
fn parsed(counter: &str) -> Option<(&str, u32)> {
    let rest = counter.strip_suffix("us_count")?;
    let (stem, limit, above) = match rest.rsplit_once("_under_") {
        Some((stem, limit)) => (stem, limit, 0),
        None => rest.rsplit_once("_over_").map(|(stem, limit)| (stem, limit, 1))?,
    };
    let limit: u64 = limit.parse().ok()?;
    let (_, event) = stem.split_once("_wait_")?;
    limit.is_power_of_two().then(|| (event, (limit.trailing_zeros() + above).min(LAST + 1)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::distribution::tests::stored;
    use crate::fixture::{counted, run};

    #[test]
    fn a_time_lies_below_the_limit_of_its_bucket_and_not_below_half_of_it() {
        let at = |value: u64| bucket_of(Nanos(value));
        assert_eq!((at(0), at(999), at(1_000), at(1_999), at(2_000), at(3_999), at(4_000)), (0, 0, 1, 1, 2, 2, 3));
        assert_eq!(at((1_000 << 32) - 1), 32);
        assert_eq!((at(1_000 << 32), at(u64::MAX)), (33, 33), "the last one has no limit");
    }

    #[test]
    fn a_histogram_collapses_exactly() {
        let values = [500, 999, 1_000, 1_999, 2_000, 63_999, 64_000, 1_023_999, 1_024_000];
        let found = micro_buckets(&stored(&values)).unwrap();
        let filled: Vec<(Option<u64>, u64)> =
            found.iter().filter(|bucket| bucket.count > 0).map(|bucket| (bucket.below_us, bucket.count)).collect();
        let expected = [(1, 2), (2, 2), (4, 1), (64, 1), (128, 1), (1_024, 1), (2_048, 1)];
        assert_eq!(filled, expected.map(|(limit, count)| (Some(limit), count)));
        assert!(found.iter().zip(0..).all(|(bucket, exponent)| bucket.below_us == Some(1 << exponent)), "no gaps");
        assert_eq!(micro_buckets(&Latency::default()), None);
    }

    #[test]
    fn histograms_of_the_engine_are_read_from_its_counters() {
        let run = counted(
            run("T626", 1),
            &[
                ("example_wait_single_block_read_under_64us_count", 5),
                ("example_wait_single_block_read_under_256us_count", 2),
                ("example_wait_single_block_read_under_1us_count", 0),
                ("example_wait_single_block_read_over_4194304us_count", 1),
                ("example_wait_single_block_read_count", 8),
            ],
        );
        let [found] = &engine(&run)[..] else { panic!("one event") };
        let subject = HistogramSubject::Wait { event: "single block read".to_owned() };
        assert_eq!((&found.subject, found.count), (&subject, 8));
        let edges = (found.buckets.first().unwrap(), found.buckets.last().unwrap());
        assert_eq!((edges.0.below_us, edges.0.count, edges.1.below_us, edges.1.count), (Some(64), 5, Some(1 << 23), 1));
    }

    proptest! {
        #[test]
        fn buckets_sum_to_the_count(values in prop::collection::vec(1u64..80_000_000_000_000, 1..200)) {
            let latency = stored(&values);
            let buckets = micro_buckets(&latency).unwrap();
            prop_assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u64>(), latency.count);
            for bucket in &buckets {
                let limit = bucket.below_us.map_or(u64::MAX, |limit| limit * 1_000);
                let least = if limit <= 1_000 { 0 } else { bucket.below_us.map_or(1_000 << LAST, |limit| limit * 500) };
                let exact = values.iter().filter(|value| (least..limit).contains(*value)).count() as u64;
                prop_assert_eq!(bucket.count, exact, "{:?}", bucket);
            }
        }

        #[test]
        fn any_name_of_a_counter_is_read_or_is_none(counter in "[a-z_0-9]{0,40}(under|over)?_?[0-9]{0,22}(us_count)?") {
            if let Some((event, exponent)) = parsed(&counter) {
                prop_assert!(exponent <= LAST + 1 && counter.contains(event));
            }
        }
    }
}
