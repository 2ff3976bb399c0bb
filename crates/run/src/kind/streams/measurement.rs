//! One run of file streams.

use std::sync::Arc;

use engine::Node;
use measure::{Tally, Work};
use record::evidence::{Answers, FileCount, WindowLength};
use record::{
    Bytes, ComparedFile, Evidence, FileStreams, Finding, Latency, Layer, Nanos, Outcome, PlannedRun, Ratio, Run,
    StreamBackend, StreamDirection, Unit, Verdict,
};
use workload::streams::{Progress, StreamJob};

use super::request::StreamsRequest;
use super::stream_files::StreamFiles;
use super::stream_run::{Backend, StreamRun};
use crate::bench::Bench;
use crate::run::{self, Workers, drive};
use crate::{Event, Result};

/// A comparison of at least this many bytes is announced.
const NOTED_BYTES_MIN: Bytes = Bytes(4_000_000_000);

/// If more than this share of the bytes is committed after the window, the rate is not that of committed bytes.
const LATE_SHARE_MAX: f64 = 0.05;

/// Carries out `planned`, which is `stream_run`. A failed run is recorded with what was counted until then.
pub(super) fn measure_one(
    bench: &Bench<'_>,
    planned: &PlannedRun,
    stream_run: &StreamRun,
    request: &StreamsRequest,
    stream_files: &mut StreamFiles<'_>,
) -> Result<Run> {
    let mut run = run::new(bench, planned);
    run.title = title(stream_run);
    (run.layer, run.unit) = (Layer::Storage, Unit::Block);
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    run.parameters = [
        ("request_bytes", number(request.request_bytes.0)),
        ("file_bytes", number(request.file_bytes.0)),
        ("requests_per_commit", number(request.per_commit())),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    run.changes = stream_run.direction == StreamDirection::Write && stream_run.backend != Backend::FileSystem;
    run.data_bytes = Some(request.file_bytes.times(stream_run.streams.into()));
    let expected = request.window.unwrap_or(Nanos(0));
    run::measure(bench, planned, run, expected, |run| try_one(bench, run, stream_run, request, stream_files))
}

/// Title: the same at each number of streams, which is that of the jobs.
fn title(stream_run: &StreamRun) -> String {
    format!("{} {} of files", stream_run.backend.name(), stream_run.direction.word())
}

fn try_one(
    bench: &Bench<'_>,
    run: &mut Run,
    stream_run: &StreamRun,
    request: &StreamsRequest,
    stream_files: &mut StreamFiles<'_>,
) -> Result<()> {
    let node_index =
        bench.subject.map(|subject| subject.nodes.choose(true, 1)).transpose()?.and_then(|one| one.first().copied());
    let node = bench.subject.zip(node_index).map(|(subject, node_index)| subject.nodes.at(node_index));
    match stream_run.direction {
        StreamDirection::Write => stream_files.clear(node)?,
        StreamDirection::Read => stream_files.fill(node, stream_run.streams, bench.listener, bench.interrupt)?,
    }
    run.settling = bench.settle()?;
    let jobs = stream_files.jobs(node, stream_run)?;
    let page_cached = match stream_run.direction {
        StreamDirection::Read => stream_files.drop_page_cache(node),
        StreamDirection::Write => None,
    };
    let progress: Vec<Arc<Progress>> = jobs.iter().map(StreamJob::progress).collect();
    let streams = drive_jobs(bench, run, jobs, node_index);
    if stream_run.direction == StreamDirection::Write {
        stream_files.record_progress(&progress);
        run.findings.extend(late(request.request_bytes, &progress));
    }
    if run.changes || node.is_some_and(|node| node.caps().counts_read_commits) {
        run.commits_expected = node.map(|_| run.totals.transactions);
    } else if node.is_some() {
        run.commits_expected = Some(0);
    }
    let mut streams_record = described(stream_run, request, stream_files, page_cached, &streams, &progress);
    if run.outcome == Outcome::Done && !bench.interrupt.is_raised() {
        check(bench, run, stream_run, stream_files, node, &mut streams_record)?;
    }
    run.streams = Some(Box::new(streams_record));
    Ok(())
}

/// Runs the streams; returns the tallies of their kinds of steps.
fn drive_jobs(bench: &Bench<'_>, run: &mut Run, jobs: Vec<StreamJob>, node_index: Option<usize>) -> Vec<Tally> {
    let workers = match (bench.subject, node_index) {
        (Some(subject), Some(node_index)) => Workers::of_sessions(bench, subject, vec![node_index], jobs),
        _ => {
            let works = jobs.into_iter().map(|job| Box::new(job) as Box<dyn Work>).collect();
            Workers { works, ..Workers::default() }
        }
    };
    drive(bench, run, u64::MAX, workers)
}

/// The finding if much of what was written in the window was committed after it: its commits are not in the rate.
fn late(request: Bytes, progress: &[Arc<Progress>]) -> Option<Finding> {
    let sum = |of: fn(&Progress) -> u64| progress.iter().map(|one| of(one)).sum::<u64>();
    let (late, all) = (sum(Progress::late), sum(Progress::committed));
    let (late_bytes, committed_bytes) = (request.times(late), request.times(all));
    let length = WindowLength::CommittedLater { late_bytes, committed_bytes };
    (late as f64 > LATE_SHARE_MAX * all as f64).then(|| Finding::new(Verdict::Warn, Evidence::WindowLength(length)))
}

/// The description of the run.
fn described(
    stream_run: &StreamRun,
    request: &StreamsRequest,
    stream_files: &StreamFiles<'_>,
    page_cached: Option<Ratio>,
    streams: &[Tally],
    progress: &[Arc<Progress>],
) -> FileStreams {
    let latency = |kind: usize| streams.get(kind).map_or_else(Latency::default, |tally| tally.service().latency());
    let (backend, means) = match stream_run.backend {
        Backend::FileSystem if stream_files.direct => {
            (StreamBackend::FileSystemDirect, "files with O_DIRECT, with an fsync where the engine commits")
        }
        Backend::FileSystem => {
            (StreamBackend::FileSystemCached, "buffered files, with an fsync where the engine commits")
        }
        Backend::Engine(form) => (StreamBackend::Engine, form.means),
    };
    FileStreams {
        form: stream_run.backend.name().to_owned(),
        means: means.to_owned(),
        backend,
        direction: stream_run.direction,
        request_bytes: request.request_bytes,
        file_bytes: request.file_bytes,
        requests_per_commit: request.per_commit(),
        whole_files: stream_files.written().1,
        page_cached,
        same_device: stream_files.same_device,
        openings: latency(0),
        requests: latency(1),
        commits: latency(2),
        wrong_requests: progress.iter().map(|one| one.wrong()).sum(),
        counted_bytes: None,
        compared: Vec::new(),
    }
}

/// Compares what was written with what the engine counts, and what is read with what was written.
fn check(
    bench: &Bench<'_>,
    run: &mut Run,
    stream_run: &StreamRun,
    stream_files: &StreamFiles<'_>,
    node: Option<&dyn Node>,
    streams_record: &mut FileStreams,
) -> Result<()> {
    let (verdict, answers) = match stream_run.direction {
        StreamDirection::Write => {
            let counted = stream_files.counted(node, bench.interrupt)?;
            streams_record.counted_bytes = counted.map(|(_, bytes)| bytes);
            counts(stream_files, counted)
        }
        StreamDirection::Read => {
            announce(bench, stream_files);
            streams_record.compared = stream_files.compare(node, stream_run.streams, bench.interrupt)?;
            comparison(&streams_record.compared, streams_record.wrong_requests)
        }
    };
    run.findings.push(Finding::new(verdict, Evidence::Answers(answers)));
    Ok(())
}

/// Announces a long comparison.
fn announce(bench: &Bench<'_>, stream_files: &StreamFiles<'_>) {
    let (files, _, bytes) = stream_files.written();
    if bytes >= NOTED_BYTES_MIN {
        let note = format!("comparing {files} files of {} MB in all with what was written", bytes.0 / 1_000_000);
        bench.listener.on_event(&Event::Note(&note));
    }
}

/// The answers of a write, from the count of files and bytes of the engine.
fn counts(stream_files: &StreamFiles<'_>, counted: Option<(u64, Bytes)>) -> (Verdict, Answers) {
    let (files, whole, size_bytes) = stream_files.written();
    let written = FileCount { files, size_bytes };
    let counted = counted.map(|(files, size_bytes)| FileCount { files, size_bytes });
    // A form that allocates a file at its full length does not show how much of it was written.
    let is_allocated = matches!(stream_files.backend, Backend::Engine(form) if form.is_allocated);
    let is_known = !is_allocated || u64::from(whole) == files;
    let is_right = |counted: FileCount| counted.files == files && (counted.size_bytes == size_bytes || !is_known);
    let verdict = if counted.is_none_or(is_right) { Verdict::Pass } else { Verdict::Fail };
    (verdict, Answers::FilesWritten { written, counted })
}

/// The answers of a read, from the comparison.
fn comparison(compared: &[ComparedFile], wrong_requests: u64) -> (Verdict, Answers) {
    let size_bytes = Bytes(compared.iter().map(|file| file.size_bytes.0).sum());
    let files = compared.len() as u64;
    let equal = |file: &&ComparedFile| file.equal && file.written_crc32c == file.read_crc32c;
    let wrong: Vec<&ComparedFile> = compared.iter().filter(|file| !equal(file)).collect();
    match (wrong.first(), wrong_requests) {
        (None, 0) => (Verdict::Pass, Answers::FilesRead { compared: FileCount { files, size_bytes } }),
        (None, requests) => (Verdict::Fail, Answers::MisplacedRequests { requests }),
        (Some(first), _) => {
            let differ = Answers::FilesDiffer {
                differing_files: wrong.len() as u64,
                files,
                stream: first.stream,
                read_crc32c: first.read_crc32c,
                written_crc32c: first.written_crc32c,
            };
            (Verdict::Fail, differ)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_were_committed_after_the_window_are_reported() {
        let of = |late: u64, committed: u64| late_progress(late, committed);
        assert_eq!(late(Bytes(1_000_000), &[of(1, 100), of(2, 100)]), None);
        let finding = late(Bytes(1_000_000), &[of(10, 10), of(0, 90)]).unwrap();
        assert_eq!(finding.verdict, Verdict::Warn);
        let (late_bytes, committed_bytes) = (Bytes(10_000_000), Bytes(100_000_000));
        let committed_later = WindowLength::CommittedLater { late_bytes, committed_bytes };
        assert_eq!(finding.evidence, Evidence::WindowLength(committed_later));
        assert_eq!(late(Bytes(1), &[of(0, 0)]), None);
    }

    fn late_progress(late: u64, committed: u64) -> Arc<Progress> {
        let progress = Progress::default();
        progress.end(committed - late, committed);
        Arc::new(progress)
    }

    #[test]
    fn one_byte_that_is_not_right_makes_a_comparison_fail() {
        let right = ComparedFile { stream: 1, size_bytes: Bytes(8192), written_crc32c: 7, read_crc32c: 7, equal: true };
        let wrong = ComparedFile { stream: 2, read_crc32c: 0xab, equal: false, ..right.clone() };
        let both = [right.clone(), wrong];
        assert_eq!(
            comparison(std::slice::from_ref(&right), 0),
            (Verdict::Pass, Answers::FilesRead { compared: FileCount { files: 1, size_bytes: Bytes(8192) } })
        );
        let differ =
            Answers::FilesDiffer { differing_files: 1, files: 2, stream: 2, read_crc32c: 0xab, written_crc32c: 7 };
        assert_eq!(comparison(&both, 0), (Verdict::Fail, differ));
        assert_eq!(comparison(&[right], 1).0, Verdict::Fail);
    }
}
