//! Streams of I/O in words and in figures: what a published row of storage has.

use model::{is_void, row};
use record::{Bytes, Check, Finding, IoJob, IoKind, IoStream, Pace, Record, Run, Storage, Verdict};

use crate::figure::memory;

/// A stream, with the run that it belongs to and the job that asked for it.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub run: &'a Run,
    pub stream: &'a IoStream,
    /// Absent where the plan does not have it.
    pub job: Option<&'a IoJob>,
    /// Whether the run is no result.
    pub void: bool,
}

/// The runs of `record` that have streams.
pub(crate) fn runs(record: &Record) -> impl Iterator<Item = (&Run, &Storage)> {
    of_storage(record.runs.iter())
}

/// Those of `runs` that have streams.
pub(crate) fn of_storage<'a>(runs: impl Iterator<Item = &'a Run>) -> impl Iterator<Item = (&'a Run, &'a Storage)> {
    runs.filter_map(|run| Some((run, run.storage.as_deref()?)))
}

/// All streams of `runs` of `record`, in the order of the runs.
pub(crate) fn lines<'a>(runs: impl Iterator<Item = &'a Run>, record: &'a Record) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for (run, storage) in of_storage(runs) {
        let void = is_void(run);
        lines.extend(storage.streams.iter().map(|stream| Line { run, stream, job: job(record, run, stream), void }));
    }
    lines
}

/// The job that a stream comes from: that of its name in the phase of the run, or else in any phase.
pub(crate) fn job<'a>(record: &'a Record, run: &Run, stream: &IoStream) -> Option<&'a IoJob> {
    let phases = &record.plan.io.as_ref()?.phases;
    let own = (run.number as usize).checked_sub(1).and_then(|index| phases.get(index));
    own.into_iter().chain(phases).flat_map(|phase| &phase.jobs).find(|job| job.name == stream.job)
}

/// The worst that is said of a run; that a load does not keep a service level is the answer of a search and no doubt.
pub(crate) fn verdict(run: &Run) -> Verdict {
    match row(run).verdict {
        Verdict::Warn => {
            let doubts = run.findings.iter().filter(|finding| !is_answer(finding));
            doubts.map(|finding| finding.verdict).max().unwrap_or(Verdict::Pass)
        }
        verdict => verdict,
    }
}

/// Whether a finding only says that a load does not keep a service level.
pub(crate) fn is_answer(finding: &Finding) -> bool {
    (finding.check(), finding.verdict) == (Check::Bound, Verdict::Warn)
}

impl Line<'_> {
    /// What it does, in one word that the field uses: `randread`, `write`, `fdatasync`, `commit`.
    pub(crate) fn profile(&self) -> &'static str {
        match (self.stream.kind, self.stream.random) {
            (IoKind::Read, true) => "randread",
            (IoKind::Read, false) => "read",
            (IoKind::Write, true) => "randwrite",
            (IoKind::Write, false) => "write",
            (IoKind::Trim, true) => "randtrim",
            (IoKind::Trim, false) => "trim",
            (IoKind::Commit, _) => "commit",
            (IoKind::Sync, _) => match self.job.and_then(|job| job.sync_every) {
                Some(sync) if sync.data_only => "fdatasync",
                Some(_) => "fsync",
                None => "sync",
            },
        }
    }

    /// Its block sizes; nothing for a sync, which has none.
    pub(crate) fn block(&self) -> String {
        if self.stream.kind == IoKind::Sync {
            return String::new();
        }
        sizes(self.stream.block_bytes_min, self.stream.block_bytes_max)
    }

    /// The name of the job, and the number of the clone where clones are reported one by one.
    pub(crate) fn name(&self) -> String {
        match self.stream.clone {
            Some(clone) => format!("{}.{clone}", self.stream.job),
            None => self.stream.job.clone(),
        }
    }

    /// Operations per second.
    pub(crate) fn per_second(&self) -> Option<f64> {
        per_second(self.stream, self.stream.operations)
    }

    /// Bytes per second; none for a sync, which moves none.
    pub(crate) fn bytes_per_second(&self) -> Option<f64> {
        (self.stream.kind != IoKind::Sync).then(|| per_second(self.stream, self.stream.bytes.0)).flatten()
    }

    /// Whether its I/O was due at times of its own, so that response times say more than service times.
    pub(crate) fn is_open(&self) -> bool {
        is_open(self.stream.pace)
    }
}

/// Whether steps are due at times of their own.
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

/// Threads of a run: the clones of each job, whatever kinds of I/O they do.
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

fn per_second(stream: &IoStream, count: u64) -> Option<f64> {
    (stream.window_ns.0 > 0).then(|| count as f64 / stream.window_ns.seconds())
}
