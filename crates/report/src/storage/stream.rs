//! Streams of I/O: name, block sizes, threads, operations.

use model::row;
use record::{Bytes, Check, Finding, IoKind, IoStream, Pace, Record, Run, Storage, Verdict};

use crate::figure::memory;

/// The runs of `record` that have streams.
pub(crate) fn runs(record: &Record) -> impl Iterator<Item = (&Run, &Storage)> {
    record.runs.iter().filter_map(|run| Some((run, run.storage.as_deref()?)))
}

/// The worst verdict of a run; a missed service level is the answer of a search and no warning.
pub(crate) fn verdict(run: &Run) -> Verdict {
    match row(run).verdict {
        Verdict::Warn => {
            let others = run.findings.iter().filter(|finding| !is_answer(finding));
            others.map(|finding| finding.verdict).max().unwrap_or(Verdict::Pass)
        }
        verdict => verdict,
    }
}

/// Whether a finding only states a missed service level.
pub(crate) fn is_answer(finding: &Finding) -> bool {
    (finding.check(), finding.verdict) == (Check::Bound, Verdict::Warn)
}

/// The block sizes of a stream; nothing for a sync, which has none.
pub(crate) fn block(stream: &IoStream) -> String {
    match stream.kind {
        IoKind::Sync => String::new(),
        _ => sizes(stream.block_bytes_min, stream.block_bytes_max),
    }
}

/// The name of the job of a stream, with the number of the thread where threads are reported separately.
pub(crate) fn name(stream: &IoStream) -> String {
    match stream.clone {
        Some(clone) => format!("{}.{clone}", stream.job),
        None => stream.job.clone(),
    }
}

/// Whether steps have intended start times.
pub(crate) fn is_open(pace: Pace) -> bool {
    matches!(pace, Pace::Rate { .. } | Pace::Poisson { .. })
}

/// A block size, or a range of them: `8 KiB`, `4-128 KiB`.
pub(crate) fn sizes(min: Bytes, max: Bytes) -> String {
    let (low, high) = (memory(min), memory(max));
    match (low.split_once(' '), high.split_once(' ')) {
        _ if low == high => low,
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number}-{high}"),
        _ => format!("{low}-{high}"),
    }
}

/// Threads of a run: the numjobs of each job, whatever kinds of I/O they do.
pub(crate) fn threads(storage: &Storage) -> u64 {
    let mut counted: Vec<(u32, &str, Option<u32>)> = Vec::new();
    let mut threads = 0;
    for stream in &storage.streams {
        let job = (stream.report_group, stream.job.as_str(), stream.clone);
        if !counted.contains(&job) {
            counted.push(job);
            threads += u64::from(stream.clones);
        }
    }
    threads
}

/// I/Os of all streams.
pub(crate) fn operations(storage: &Storage) -> u64 {
    storage.streams.iter().fold(0, |sum, stream| sum.saturating_add(stream.operations))
}
