//! Latency histogram (HdrHistogram): nanoseconds, lower bound 1, three digits, up to a day.

use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use hdrhistogram::{Counter, Histogram as Hdr};
use record::{Latency, Nanos};

use crate::counts::FineCounts;

/// A sparse histogram. Relative error at most 0.1 %.
///
/// The lower bound is 1 ns: with a bound of 1 µs every value below 1 ms would be a multiple of 512 ns.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: FineCounts,
}

impl Histogram {
    /// Counts one value; one above [`LATENCY_NS_MAX`](crate::LATENCY_NS_MAX) counts as that, and zero as 1 ns.
    #[inline]
    pub fn record(&mut self, latency: Nanos) {
        self.counts.record(latency, 1);
    }

    /// Counts `count` equal values.
    pub fn record_many(&mut self, latency: Nanos, count: u64) {
        self.counts.record(latency, count);
    }

    /// Adds the values of `other`.
    pub fn add(&mut self, other: &Histogram) {
        self.counts.add(&other.counts);
    }

    /// Clears all values and keeps the memory.
    pub fn clear(&mut self) {
        self.counts.clear();
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.counts.len()
    }

    /// The `quantile` in [0, 1] of all values; zero without values.
    pub fn quantile(&self, quantile: f64) -> Nanos {
        quantile_of(&self.counts.hdr(), quantile)
    }

    /// The stored form.
    pub fn latency(&self) -> Latency {
        let hdr = self.counts.hdr();
        if hdr.is_empty() {
            return Latency::default();
        }
        Latency {
            count: hdr.len(),
            min_ns: Nanos(hdr.min()),
            mean_ns: Nanos(hdr.mean() as u64),
            p50_ns: quantile_of(&hdr, 0.5),
            p90_ns: Some(quantile_of(&hdr, 0.9)),
            p99_ns: Some(quantile_of(&hdr, 0.99)),
            p999_ns: Some(quantile_of(&hdr, 0.999)),
            max_ns: Nanos(hdr.max()),
            histogram: encode(&hdr),
        }
        .printable()
    }
}

fn quantile_of(hdr: &Hdr<u64>, quantile: f64) -> Nanos {
    match hdr.is_empty() {
        true => Nanos(0),
        false => Nanos(hdr.value_at_quantile(quantile)),
    }
}

/// The stored form: V2, deflated, base64.
pub(crate) fn encode<T: Counter>(hdr: &Hdr<T>) -> String {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(hdr, &mut bytes).expect("writing to memory does not fail");
    base64(&bytes)
}

/// Standard base64 with padding (RFC 4648, section 4), as viewers of HdrHistogram logs expect it.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for position in 0..4 {
            match position <= group.len() {
                true => text.push(DIGITS[(word >> (18 - 6 * position)) as usize & 63] as char),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LATENCY_NS_MAX;

    #[test]
    fn quantiles_of_one_to_a_million_are_within_a_thousandth() {
        let mut histogram = Histogram::default();
        (1..=1_000_000).for_each(|value| histogram.record(Nanos(value)));
        for (quantile, expected) in [(0.5, 500_000.0), (0.9, 900_000.0), (0.99, 990_000.0), (1.0, 1_000_000.0)] {
            let value = histogram.quantile(quantile).0 as f64;
            assert!((value / expected - 1.0).abs() < 0.001, "{quantile}: {value}");
        }
    }

    #[test]
    fn the_lower_bound_keeps_the_resolution_of_microseconds() {
        let mut histogram = Histogram::default();
        histogram.record(Nanos(10_000));
        let value = histogram.quantile(0.5).0;
        assert!((9_990..=10_010).contains(&value), "{value}");
    }

    #[test]
    fn values_above_a_day_count_as_a_day() {
        let mut histogram = Histogram::default();
        histogram.record(Nanos(u64::MAX));
        assert_eq!(histogram.count(), 1);
        assert!(histogram.quantile(1.0).0 as f64 >= LATENCY_NS_MAX as f64 * 0.999);
    }

    #[test]
    fn the_stored_form_can_be_decoded() {
        use hdrhistogram::serialization::Deserializer;
        let mut histogram = Histogram::default();
        [3, 70, 70, 900_000].into_iter().for_each(|value| histogram.record(Nanos(value)));
        let stored = histogram.latency().histogram;
        let bytes = unbase64(&stored);
        let read: Hdr<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).expect("V2 format");
        assert_eq!(read, histogram.counts.hdr());
    }

    #[test]
    fn base64_follows_the_standard() {
        // RFC 4648, section 10.
        for (plain, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }

    fn unbase64(text: &str) -> Vec<u8> {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut bits = text.bytes().filter_map(|byte| digits.iter().position(|digit| *digit == byte));
        let mut bytes = Vec::new();
        while let (Some(a), Some(b)) = (bits.next(), bits.next()) {
            bytes.push((a << 2 | b >> 4) as u8);
            if let Some(c) = bits.next() {
                bytes.push((b << 4 | c >> 2) as u8);
                if let Some(d) = bits.next() {
                    bytes.push((c << 6 | d) as u8);
                }
            }
        }
        bytes
    }
}
