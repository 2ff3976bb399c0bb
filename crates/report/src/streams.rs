//! File streams: rates of files written to and read from the engine, their cost, and the same on the file system.

use model::StreamFigures;
use record::{FileStreams, Rate, Record, Run, StreamBackend, StreamDirection};
use tables::Row;
use tables::file_stream::{self, FileStreamRow};

use crate::chart::{self, Axis, Bar, BarChart, Figures, Scale};
use crate::document::{Block, Diagram, Section, Table, Tone};
use crate::figure::memory;
use crate::listed_parts;
use crate::view::View;
use crate::words::plural;

/// The runs of file streams that are results.
pub(crate) fn valid(record: &Record) -> impl Iterator<Item = (&Run, &FileStreams)> {
    let runs = crate::listed(record).filter(|run| !model::is_invalid(run));
    runs.filter_map(|run| Some((run, run.streams.as_deref()?)))
}

/// The common facts of the runs and their forms, as sentences.
fn facts(record: &Record) -> Vec<String> {
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
fn remarks(record: &Record) -> Vec<String> {
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

/// Bytes and requests per second, the time of a request and of a commit.
const RATES: [&str; 6] = [
    "bytes_per_second",
    "over_file_system_ratio",
    "requests_per_second",
    "request_ns_*",
    "open_ns_p50",
    "commit_ns_p50",
];

/// CPU time of client and server, and bytes transferred by the engine and the device.
const COSTS: [&str; 6] = [
    "client_cpu_ns_per_byte",
    "server_cpu_ns_per_byte",
    "redo_bytes_per_byte",
    "engine_bytes_per_byte",
    "device_bytes_per_byte",
    "page_cached_ratio",
];

/// What the facts above the tables state.
const STATED: [&str; 7] =
    ["record", "test", "backend", "request_bytes", "file_bytes", "requests_per_commit", "invalid"];

/// Runs that are drawn.
const RUNS_MAX: usize = 40;

/// The workload, rates in the engine and on the file system, and cost of a megabyte; nothing without such runs. `published`
/// is a note on published measurements.
pub(crate) fn streams(record: &Record, published: Option<&str>) -> Section {
    if valid(record).next().is_none() {
        return Section::new("streams", "File streams", Vec::new());
    }
    let view = View::of(file_stream::columns()).only(&[&IDENTITY[..], &COSTS].concat());
    let costs = view.table("streams-costs", "Resource cost per MB", rows(record), |_| Tone::Plain);
    let body = vec![
        Block::list(facts(record).into_iter().chain(published.map(str::to_owned))),
        rates(record).into(),
        Block::list(remarks(record)),
        Block::Charts(vec![picture(record)]),
        costs.into(),
    ];
    Section::new("streams", "File streams", body)
}

/// The runs of file streams that are results.
fn rows(record: &Record) -> impl Iterator<Item = FileStreamRow<'_>> {
    listed_parts(file_stream::rows(record)).filter(|of| !of.is_invalid() && of.of.1 != StreamFigures::default())
}

/// A line for each run: rates, and all that no other table has.
pub(crate) fn rates(record: &Record) -> Table {
    let view = View::of(file_stream::columns())
        .except(&[&STATED[..], &COSTS].concat())
        .first(&[&IDENTITY[..], &RATES].concat())
        .with_others(IDENTITY.len());
    let caption = "Rates, in the engine and on the file system";
    view.table("streams-table", caption, rows(record), |_| Tone::Plain)
}

/// A bar for each run.
fn picture(record: &Record) -> Diagram {
    let bar = |(run, streams): (&Run, &FileStreams)| {
        let rate = model::stream_figures(run).and_then(|figures| figures.bytes_per_second);
        let note = if streams.backend == StreamBackend::Engine { "engine" } else { "files" };
        Bar {
            label: format!("{} {} J{}", streams.form, streams.direction.word(), run.dop.jobs),
            value: rate.map_or(f64::NAN, |Rate(rate)| rate / 1e6),
            interval: None,
            note: note.to_owned(),
            tone: chart::Tone::Plain,
        }
    };
    let chart = BarChart {
        title: "Throughput of files, by form and number of streams".to_owned(),
        description: "The same streams in each form of the engine and on the file system, written and read.".to_owned(),
        axis: Axis::new("MB/s", Scale::FromZero, Figures::Plain),
        base: 0.0,
        bars: valid(record).take(RUNS_MAX).map(bar).collect(),
        marks: Vec::new(),
    };
    Diagram::new("streams", chart)
}
