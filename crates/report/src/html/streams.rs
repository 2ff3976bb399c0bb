//! File streams: rates of files in the engine and on the file system, and their cost.

use maud::{Markup, html};
use record::{FileStreams, Rate, Record, Run, StreamBackend};
use tables::file_stream;

use crate::chart::{Axis, Bar, BarChart, Figures, Scale, Tone};
use crate::document::Diagram;
use crate::layout::clean;
use crate::render::page::parts;
use crate::streams::{facts, remarks, rows, valid};
use crate::view::View;

/// Runs that are shown.
const RUNS_MAX: usize = 40;

/// The columns of the first table; as many fit on paper.
const FIRST: [&str; 15] = [
    "run",
    "form",
    "direction",
    "streams",
    "bytes_per_second",
    "over_file_system_ratio",
    "requests_per_second",
    "request_ns_p50",
    "request_ns_p99",
    "commit_ns_p50",
    "client_cpu_ns_per_byte",
    "server_cpu_ns_per_byte",
    "redo_bytes_per_byte",
    "engine_bytes_per_byte",
    "device_bytes_per_byte",
];

/// The columns that the facts above the table state.
const LEFT_OUT: [&str; 7] =
    ["record", "test", "backend", "request_bytes", "file_bytes", "requests_per_commit", "invalid"];

/// Facts, picture and table; nothing without such runs.
pub(super) fn streams(record: &Record) -> Markup {
    let runs: Vec<(&Run, &FileStreams)> = valid(record).take(RUNS_MAX).collect();
    if runs.is_empty() {
        return Markup::default();
    }
    let view = View::of(file_stream::columns()).except(&LEFT_OUT).first(&FIRST);
    let caption = "File streams, in the engine and on the file system";
    let tables = view.html_parts("streams-table", caption, (4, FIRST.len()), rows(record).take(RUNS_MAX), |_| "");
    html! {
        ul { @for fact in facts(record).into_iter().chain(remarks(record)) { li { (clean(&fact)) "." } } }
        (picture(&runs).html())
        (parts(&tables, "All other figures of the runs"))
    }
}

/// A bar for each run.
fn picture(runs: &[(&Run, &FileStreams)]) -> Diagram {
    let bar = |(run, streams): &(&Run, &FileStreams)| {
        let rate = model::stream_figures(run).and_then(|figures| figures.bytes_per_second);
        let note = if streams.backend == StreamBackend::Engine { "engine" } else { "files" };
        Bar {
            label: format!("{} {} J{}", streams.form, streams.direction.word(), run.dop.jobs),
            value: rate.map_or(f64::NAN, |Rate(rate)| rate / 1e6),
            interval: None,
            note: note.to_owned(),
            tone: Tone::Plain,
        }
    };
    let chart = BarChart {
        title: "Throughput of files, by form and number of streams".to_owned(),
        description: "The same streams in each form of the engine and on the file system, written and read.".to_owned(),
        axis: Axis::new("MB/s", Scale::FromZero, Figures::Plain),
        base: 0.0,
        bars: runs.iter().map(bar).collect(),
        marks: Vec::new(),
    };
    Diagram::new("streams", chart)
}
