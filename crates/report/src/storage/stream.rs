//! Streams of I/O: name, threads, operations.

use record::{IoStream, Pace, Record, Run, Storage};

/// Jobs of a stream that are named one by one.
const JOBS_NAMED_MAX: usize = 2;

/// The runs of `record` that have streams.
pub(crate) fn runs(record: &Record) -> impl Iterator<Item = (&Run, &Storage)> {
    record.runs.iter().filter_map(|run| Some((run, run.storage.as_deref()?)))
}

/// The name of the job of a stream, with the number of the thread where threads are reported separately; of many jobs the
/// first, and how many there are besides.
pub(crate) fn name(stream: &IoStream) -> String {
    let jobs: Vec<&str> = stream.jobs().collect();
    match (stream.clone, &jobs[..]) {
        (Some(clone), _) => format!("{}.{clone}", stream.job),
        (None, [first, others @ ..]) if others.len() >= JOBS_NAMED_MAX => format!("{first} and {} more", others.len()),
        (None, _) => stream.job.clone(),
    }
}

/// Whether steps have intended start times.
pub(crate) fn is_open(pace: Pace) -> bool {
    matches!(pace, Pace::Rate { .. } | Pace::Poisson { .. })
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
