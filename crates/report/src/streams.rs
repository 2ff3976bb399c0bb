//! File streams: rates of files written to and read from the engine, their cost, and the same on the file system.

use model::StreamFigures;
use record::{FileStreams, Record, Run, StreamBackend, StreamDirection};
use tables::Row;
use tables::file_stream::{self, FileStreamRow};

use crate::figure::memory;
use crate::layout::Table;
use crate::listed_parts;
use crate::view::View;
use crate::words::plural;

/// The runs of file streams that are results.
pub(crate) fn valid(record: &Record) -> impl Iterator<Item = (&Run, &FileStreams)> {
    let runs = crate::listed(record).filter(|run| !model::is_invalid(run));
    runs.filter_map(|run| Some((run, run.streams.as_deref()?)))
}

/// The common facts of the runs and their forms, as sentences.
pub(crate) fn facts(record: &Record) -> Vec<String> {
    let Some((_, first)) = valid(record).next() else { return Vec::new() };
    let requests = first.file_bytes.0 / first.request_bytes.0.max(1);
    let commit = match first.requests_per_commit >= requests {
        true => "a whole file is one transaction".to_owned(),
        false => format!("a commit follows every {}", plural(first.requests_per_commit, "request")),
    };
    let mut facts = vec![format!(
        "each stream has its own file of {} and processes it once in requests of {}, each a statement; {commit}",
        memory(first.file_bytes),
        memory(first.request_bytes)
    )];
    let mut seen: Vec<&str> = Vec::new();
    for (_, streams) in valid(record) {
        if !seen.contains(&streams.form.as_str()) {
            seen.push(&streams.form);
            facts.push(format!("{}: {}", streams.form, streams.means));
        }
    }
    let beside = valid(record).find(|(_, streams)| streams.backend != StreamBackend::Engine);
    if let Some((_, FileStreams { same_device, .. })) = beside {
        facts.push(match same_device {
            Some(true) => "files on the file system are on the device of the engine's data".to_owned(),
            Some(false) => {
                "files on the file system are on another device than the engine's data: no ratio is shown".to_owned()
            }
            None => "the device of the engine's data is not known: files on the file system may be on another one"
                .to_owned(),
        });
    }
    let is_read = |(_, streams): &(&Run, &FileStreams)| {
        (streams.backend, streams.direction) == (StreamBackend::Engine, StreamDirection::Read)
    };
    if valid(record).any(|run| is_read(&run)) {
        facts.push(
            "the engine reads with its cache as the writes left it; its files are dropped from the page cache where possible"
                .to_owned(),
        );
    }
    facts.extend(compared(record));
    facts
}

/// Runs whose data fits in the cache of the engine.
fn kept(record: &Record) -> Option<String> {
    let cache = record.engine.as_ref()?.cache_bytes?;
    let has_room = |(run, streams): &(&Run, &FileStreams)| {
        let is_read = (streams.backend, streams.direction) == (StreamBackend::Engine, StreamDirection::Read);
        is_read && run.data_bytes.is_some_and(|bytes| bytes <= cache)
    };
    let runs: Vec<String> = valid(record).filter(has_room).map(|(run, _)| run.number.to_string()).collect();
    let noun = if runs.len() == 1 { "run" } else { "runs" };
    (!runs.is_empty()).then(|| {
        format!(
            "{noun} {}: all that was read fits in the engine's cache of {}, and may be there since the write",
            runs.join(", "),
            memory(cache)
        )
    })
}

/// The comparison of contents, of all reads together.
fn compared(record: &Record) -> Option<String> {
    let files = || valid(record).flat_map(|(_, streams)| &streams.compared);
    let bytes = files().fold(0_u64, |bytes, file| bytes.saturating_add(file.size_bytes.0));
    let count = files().count() as u64;
    let outcome = match files().filter(|file| !file.equal).count() {
        0 => "all identical".to_owned(),
        different => format!("{different} of them DIFFERENT"),
    };
    (count > 0).then(|| {
        format!(
            "after each read all files were read again and compared with what was written: {} in {}, {outcome}",
            crate::figure::volume(record::Bytes(bytes)),
            plural(count, "file")
        )
    })
}

/// Sentences about single runs: incomplete files, and reads that the engine may have cached.
pub(crate) fn remarks(record: &Record) -> Vec<String> {
    let cut = |(run, streams): (&Run, &FileStreams)| {
        let missing = run.dop.jobs.saturating_sub(streams.whole_files);
        (streams.direction == StreamDirection::Write && missing > 0).then(|| {
            format!(
                "run {} ended by time: {missing} of {} are incomplete",
                run.number,
                plural(run.dop.jobs.into(), "file")
            )
        })
    };
    valid(record).filter_map(cut).chain(kept(record)).collect()
}

/// The columns that identify a run.
const IDENTITY: [&str; 4] = ["run", "form", "direction", "streams"];

/// The runs of file streams that are results.
pub(crate) fn rows(record: &Record) -> impl Iterator<Item = FileStreamRow<'_>> {
    listed_parts(file_stream::rows(record)).filter(|of| !of.is_invalid() && of.of.1 != StreamFigures::default())
}

/// Bytes and requests per second, the time of a request and of a commit.
pub(crate) fn rates(record: &Record) -> Table {
    let figures = ["bytes_per_second", "over_file_system_ratio", "requests_per_second", "request_ns_p50"];
    table(record, &[&figures[..], &["request_ns_p99", "open_ns_p50", "commit_ns_p50"]].concat())
}

/// CPU time of client and server, and bytes transferred by the engine and the device.
pub(crate) fn costs(record: &Record) -> Table {
    let time = ["client_cpu_ns_per_byte", "server_cpu_ns_per_byte"];
    let bytes = ["redo_bytes_per_byte", "engine_bytes_per_byte", "device_bytes_per_byte", "page_cached_ratio"];
    table(record, &[&time[..], &bytes].concat())
}

fn table(record: &Record, figures: &[&str]) -> Table {
    View::of(file_stream::columns()).only(&[&IDENTITY, figures].concat()).text_table(rows(record), |_| None)
}
