//! One job, or one report group, in fio's keys.

use model::{is_invalid, row};
use record::{Finding, IoJob, IoKind, IoStream, Outcome, Record, Run, Storage, Verdict};
use serde_json::{Map, Value, json};
use tables::io_stream;

use super::direction::{Direction, sync};
use super::distribution::{Distribution, shares};
use super::{FioJson, options};
use crate::clock;
use crate::finding::finding_text;
use crate::storage::threads;
use crate::verdict::key;

/// The `error` of an invalid job: EIO, the closest of those that fio reports.
const INVALID_ERROR: i32 = 5;

/// The streams that fio would print as one job.
pub(super) struct Entry<'a> {
    run: &'a Run,
    storage: &'a Storage,
    job: Option<&'a IoJob>,
    streams: Vec<&'a IoStream>,
}

/// The entries of a run: one per job, or one per thread or group where they are reported so.
pub(super) fn entries<'a>(record: &'a Record, run: &'a Run, storage: &'a Storage) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    for stream in &storage.streams {
        let same = |entry: &&mut Entry<'_>| {
            let other = entry.streams[0];
            (other.report_group, &other.job, other.clone) == (stream.report_group, &stream.job, stream.clone)
        };
        match entries.iter_mut().find(same) {
            Some(entry) => entry.streams.push(stream),
            None => {
                entries.push(Entry { run, storage, job: io_stream::job(record, run, stream), streams: vec![stream] })
            }
        }
    }
    entries
}

impl Entry<'_> {
    /// The options of the job, as text.
    pub(super) fn options(&self) -> Map<String, Value> {
        self.job.map_or_else(|| options::of_streams(&self.streams), options::of_job)
    }

    /// The streams, as far as they are a result.
    fn results(&self) -> &[&IoStream] {
        if is_invalid(self.run) { &[] } else { &self.streams }
    }

    fn group(&self) -> (u32, u32) {
        (self.run.number, self.streams[0].report_group)
    }
}

/// `entry` as an object of fio; `all` are the entries that it is one of.
pub(super) fn job(entry: &Entry<'_>, all: &[Entry<'_>], form: FioJson) -> Value {
    let (run, stream) = (entry.run, entry.streams[0]);
    let results = entry.results();
    let window_ms = run.window_ns.0 / 1_000_000;
    let every = Distribution::of(of_kinds(results, &[IoKind::Read, IoKind::Write, IoKind::Commit, IoKind::Trim]));
    let mut object = json!({
        // As fio names a report group: by its first job.
        "jobname": stream.jobs().next(),
        "groupid": stream.report_group,
        "job_start": clock::unix_ms(&run.started_at).unwrap_or(0),
        "error": if is_invalid(run) { INVALID_ERROR } else { 0 },
        "eta": 0,
        "elapsed": window_ms.div_ceil(1000),
        "job options": entry.options(),
        "sync": sync(results, form),
        "job_runtime": window_ms.saturating_mul(u64::from(stream.clones)),
        "usr_cpu": cpu_percent(entry),
        "sys_cpu": 0.0,
        "ctx": 0,
        "majf": 0,
        "minf": 0,
        "iodepth_level": depth_level(stream.depth),
        "iodepth_submit": zeros(&["0", "4", "8", "16", "32", "64", ">=64"]),
        "iodepth_complete": zeros(&["0", "4", "8", "16", "32", "64", ">=64"]),
        "latency_depth": stream.depth,
        "latency_target": 0,
        "latency_percentile": 100.0,
        "latency_window": 0,
        "dbdyno": extension(entry),
    });
    let Some(keys) = object.as_object_mut() else { return object };
    for (key, kinds) in DIRECTIONS {
        let of_group = |other: &&Entry<'_>| other.group() == entry.group();
        let rates = all.iter().filter(of_group).map(|other| Direction::new(other.results(), kinds).bytes_per_second());
        keys.insert(key.to_owned(), Direction::new(results, kinds).object(rates.sum(), form));
    }
    keys.extend(shares(&every).into_iter().map(|(key, value)| (key.to_owned(), value)));
    let description = entry.job.and_then(|job| job.description.as_ref());
    keys.extend(description.map(|text| ("desc".to_owned(), json!(text))));
    object
}

/// fio has no commit: a write with its sync counts as a write.
const DIRECTIONS: [(&str, &[IoKind]); 3] =
    [("read", &[IoKind::Read]), ("write", &[IoKind::Write, IoKind::Commit]), ("trim", &[IoKind::Trim])];

fn of_kinds<'a>(streams: &'a [&IoStream], kinds: &'a [IoKind]) -> impl Iterator<Item = &'a record::Latency> {
    streams.iter().filter(|stream| kinds.contains(&stream.kind)).map(|stream| &stream.service)
}

/// CPU time of dbdyno over the time of the threads, in percent of one processor; the same for all threads of the run,
/// because it is counted for all of them.
fn cpu_percent(entry: &Entry<'_>) -> f64 {
    let threads = threads(entry.storage).max(1) as f64;
    if is_invalid(entry.run) { 0.0 } else { row(entry.run).client_cpu.map_or(0.0, |cpu| cpu.cores / threads * 100.0) }
}

/// The distribution of I/Os in flight, in percent: all at the configured depth, which the generator maintains.
fn depth_level(depth: u32) -> Value {
    let mut levels = zeros(&["1", "2", "4", "8", "16", "32", ">=64"]);
    let level = match depth {
        64.. => ">=64".to_owned(),
        depth => (1 << depth.max(1).ilog2()).to_string(),
    };
    levels[level] = json!(100.0);
    levels
}

fn zeros(keys: &[&str]) -> Value {
    Value::Object(keys.iter().map(|key| ((*key).to_owned(), json!(0.0))).collect())
}

/// Figures without a key of fio: validity and findings.
fn extension(entry: &Entry<'_>) -> Value {
    let object = |finding: &Finding| json!({ "verdict": key(finding.verdict), "detail": finding_text(finding) });
    let findings = entry.run.findings.iter().filter(|finding| finding.verdict != Verdict::Pass);
    let aborted = match &entry.run.outcome {
        Outcome::Done => None,
        Outcome::Failed { message } => Some(message),
    };
    json!({
        "run": entry.run.number,
        "verdict": key(row(entry.run).verdict),
        "aborted": aborted,
        "findings": findings.map(object).collect::<Vec<Value>>(),
        "modes": entry.storage.modes,
        "clone": entry.streams[0].clone,
        "generator_per_second": entry.storage.generator_per_second,
    })
}
