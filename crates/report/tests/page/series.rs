//! The sample record with what a real one has over time: seconds, slices and histograms.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use record::{Latency, Nanos, Record, Second, Slices};

use crate::sample;

/// Seconds of each window.
const SECONDS: usize = 90;

/// A sequence of numbers in [0, 1) that is the same on every machine.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}

fn encoded(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).unwrap();
    BASE64_STANDARD.encode(bytes)
}

/// The sample with windows of a minute and a half, so that every section of the page has something to show.
pub fn record() -> Record {
    let mut record = sample::record();
    let mut draw = Draw(7);
    for run in &mut record.runs {
        let per_second = run.totals.operations / 3;
        let steps = (run.totals.steps / 3).max(1);
        run.window_ns = Nanos(SECONDS as u64 * 1_000_000_000 + 2_000_000);
        let second = run.seconds[0];
        let times = |value: f64| Second {
            operations: (per_second as f64 * value) as u64,
            steps: (steps as f64 * value) as u64,
            ..second
        };
        run.seconds = (0..SECONDS).map(|_| times(0.97 + 0.06 * draw.next())).collect();
        run.totals.operations = run.seconds.iter().map(|second| second.operations).sum();
        run.totals.steps = run.seconds.iter().map(|second| second.steps).sum();
        for reading in run.readings.iter_mut().skip(1) {
            reading.at_ns = Nanos(5_000 + run.window_ns.0);
            reading.values.values_mut().for_each(|value| *value = (*value - 1_000) * 30 + 1_000);
        }
        let typical = run.service.p50_ns.0.max(2) as f64;
        let mut slices = Vec::new();
        let mut all: Histogram<u64> = Histogram::new_with_bounds(1, 86_400_000_000_000, 3).unwrap();
        for _ in 0..60 {
            let mut slice: Histogram<u64> = Histogram::new_with_bounds(1, 86_400_000_000_000, 1).unwrap();
            for _ in 0..200 {
                let tail = if draw.next() > 0.98 { 6.0 } else { 1.0 };
                let value = (typical * tail * (0.7 + 0.6 * draw.next())) as u64;
                slice.record(value).unwrap();
                all.record(value).unwrap();
            }
            slices.push(encoded(&slice));
        }
        let at = |quantile: f64| Nanos(all.value_at_quantile(quantile));
        run.service = Latency {
            count: all.len(),
            min_ns: Nanos(all.min()),
            mean_ns: Nanos(all.mean() as u64),
            p50_ns: at(0.5),
            p90_ns: Some(at(0.9)),
            p99_ns: Some(at(0.99)),
            p999_ns: Some(at(0.999)),
            max_ns: Nanos(all.max()),
            histogram: encoded(&all),
        }
        .printable();
        run.response = run.service.clone();
        run.slices = Some(Slices { width_ns: Nanos(1_500_000_000), responses: slices });
    }
    record
}
