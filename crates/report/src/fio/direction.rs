//! What one job read, wrote, trimmed or synced, in fio's keys.

use record::{IoKind, IoStream, Second};
use serde_json::{Map, Value, json};

use super::FioJson;
use super::distribution::Distribution;

/// The streams of one job that fio counts as one direction. Empty where the job has none, or is invalid.
pub(super) struct Direction<'a> {
    streams: Vec<&'a IoStream>,
}

impl<'a> Direction<'a> {
    /// The streams of `streams` that do one of `kinds`.
    pub(super) fn new(streams: &[&'a IoStream], kinds: &[IoKind]) -> Direction<'a> {
        Direction { streams: streams.iter().copied().filter(|stream| kinds.contains(&stream.kind)).collect() }
    }

    fn sum(&self, of: fn(&IoStream) -> u64) -> u64 {
        self.streams.iter().fold(0, |sum, stream| sum.saturating_add(of(stream)))
    }

    /// The length of the window, in seconds.
    fn seconds(&self) -> f64 {
        self.streams.iter().map(|stream| stream.window_ns.seconds()).fold(0.0, f64::max)
    }

    fn per_second(&self, count: u64) -> f64 {
        let seconds = self.seconds();
        if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
    }

    /// Bytes per second.
    pub(super) fn bytes_per_second(&self) -> f64 {
        self.per_second(self.sum(|stream| stream.bytes.0))
    }

    /// Latencies of the I/O.
    pub(super) fn service(&self) -> Distribution {
        Distribution::of(self.streams.iter().map(|stream| &stream.service))
    }

    /// As an object of fio. `group_bytes_per_second` is the rate of all jobs of the report group together.
    pub(super) fn object(&self, group_bytes_per_second: f64, form: FioJson) -> Value {
        let bytes = self.sum(|stream| stream.bytes.0);
        let operations = self.sum(|stream| stream.operations);
        let service = self.service();
        let samples = self.samples();
        let bytes_per_operation = if operations > 0 { bytes as f64 / operations as f64 } else { 0.0 };
        let kibibytes: Vec<f64> = samples.iter().map(|sample| sample * bytes_per_operation / 1024.0).collect();
        let [kib_min, kib_max, kib_mean, kib_deviation] = moments(&kibibytes);
        let [iops_min, iops_max, iops_mean, iops_deviation] = moments(&samples);
        let share = if group_bytes_per_second > 0.0 { self.bytes_per_second() / group_bytes_per_second } else { 0.0 };
        let mut object = json!({
            "io_bytes": bytes,
            "io_kbytes": bytes / 1024,
            "bw_bytes": self.bytes_per_second() as u64,
            "bw": (self.bytes_per_second() / 1024.0) as u64,
            "iops": self.per_second(operations),
            "runtime": (self.seconds() * 1000.0).round() as u64,
            "total_ios": operations,
            "short_ios": self.sum(|stream| stream.short),
            "drop_ios": 0,
            "slat_ns": Distribution::default().object(false, form),
            "clat_ns": service.object(true, form),
            "lat_ns": service.object(false, form),
            "bw_min": kib_min as u64,
            "bw_max": kib_max as u64,
            "bw_agg": (share * 100.0).min(100.0),
            "bw_mean": kib_mean,
            "bw_dev": kib_deviation,
            "bw_samples": samples.len(),
            "iops_min": iops_min as u64,
            "iops_max": iops_max as u64,
            "iops_mean": iops_mean,
            "iops_stddev": iops_deviation,
            "iops_samples": samples.len(),
        });
        if let (false, Some(object)) = (self.streams.is_empty(), object.as_object_mut()) {
            object.insert("dbdyno".to_owned(), self.extension(form));
        }
        object
    }

    /// Figures without a key of fio.
    fn extension(&self, form: FioJson) -> Value {
        let response = Distribution::of(self.streams.iter().map(|stream| &stream.response));
        let first = self.streams.iter().find_map(|stream| stream.first_failure.as_deref());
        json!({
            "response_ns": response.object(true, form),
            "commit": self.streams.iter().any(|stream| stream.kind == IoKind::Commit),
            "failures": self.sum(|stream| stream.failures),
            "first_failure": first,
            "unfinished": self.sum(|stream| stream.unfinished),
            "verified": self.sum(|stream| stream.verified),
            "corrupt": self.sum(|stream| stream.corrupt),
            "stale": self.sum(|stream| stream.stale),
            "unverified": self.sum(|stream| stream.unverified),
        })
    }

    /// I/Os of each whole second of the window.
    fn samples(&self) -> Vec<f64> {
        let whole = self.streams.iter().map(|stream| (stream.window_ns.0 / 1_000_000_000) as usize).min().unwrap_or(0);
        let length = self.streams.iter().map(|stream| stream.seconds.len()).max().unwrap_or(0).min(whole);
        let of = |second: usize, stream: &&IoStream| stream.seconds.get(second).map_or(0, |at: &Second| at.operations);
        (0..length).map(|second| self.streams.iter().map(|stream| of(second, stream) as f64).sum()).collect()
    }
}

/// What was synced, as an object of fio: only a count, which fio leaves at zero, and latencies.
pub(super) fn sync(streams: &[&IoStream], form: FioJson) -> Value {
    let direction = Direction::new(streams, &[IoKind::Sync]);
    let mut object = Map::new();
    object.insert("total_ios".to_owned(), json!(direction.sum(|stream| stream.operations)));
    object.insert("lat_ns".to_owned(), direction.service().object(true, form));
    Value::Object(object)
}

/// Smallest, largest, mean and standard deviation; zeros where there is nothing.
fn moments(values: &[f64]) -> [f64; 4] {
    if values.is_empty() {
        return [0.0; 4];
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = if values.len() > 1 { (squares / (values.len() - 1) as f64).sqrt() } else { 0.0 };
    let min = values.iter().copied().fold(f64::INFINITY, f64::min);
    [min, values.iter().copied().fold(0.0, f64::max), mean, deviation]
}
