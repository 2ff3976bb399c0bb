//! File streams: how fast files go into the engine and out of it, beside the file system, and what that costs.

use maud::{Markup, html};
use record::{FileStreams, Rate, Record, Run, StreamKeeper};

use super::diagram::Diagram;
use super::runs::time;
use super::table::{Cell, Column, Row, Table};
use crate::chart::{Axis, Bar, BarChart, Figures, Scale, Tone};
use crate::figure::{UNKNOWN, megabytes, percent_digits, three_digits};
use crate::layout::clean;
use crate::streams::{facts, remarks, valid, way};

/// Runs that are drawn.
const RUNS_MAX: usize = 40;

const COLUMNS: [Column; 13] = [
    Column::figures("run"),
    Column::text("form"),
    Column::text("way"),
    Column::figures("streams"),
    Column::figures("MB/s"),
    Column::figures("% of files"),
    Column::figures("request p50"),
    Column::figures("request p99"),
    Column::figures("commit p50"),
    Column::figures("client ms/MB"),
    Column::figures("server ms/MB"),
    Column::figures("redo per byte"),
    Column::figures("device per byte"),
];

/// Facts, picture and table; nothing of a record without such runs.
pub(super) fn streams(record: &Record) -> Markup {
    let runs: Vec<(&Run, &FileStreams)> = valid(record).take(RUNS_MAX).collect();
    if runs.is_empty() {
        return Markup::default();
    }
    let mut table = Table::new("streams-table", "File streams, in the engine and on the file system", &COLUMNS);
    table.rows = runs.iter().filter_map(|(run, streams)| row(record, run, streams)).collect();
    html! {
        ul { @for fact in facts(record).into_iter().chain(remarks(record)) { li { (clean(&fact)) "." } } }
        (picture(&runs).html())
        div class="compact" { (table.html()) }
    }
}

/// A bar for each run.
fn picture(runs: &[(&Run, &FileStreams)]) -> Diagram {
    let bar = |(run, streams): &(&Run, &FileStreams)| {
        let rate = model::stream_figures(run).and_then(|figures| figures.bytes_per_second);
        let note = if streams.keeper == StreamKeeper::Engine { "engine" } else { "files" };
        Bar {
            label: format!("{} {} J{}", streams.form, way(streams), run.dop.jobs),
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

fn row(record: &Record, run: &Run, streams: &FileStreams) -> Option<Row> {
    let figures = model::stream_figures(run)?;
    let figure = |value: Option<f64>| Cell::Figure(value.map_or_else(|| UNKNOWN.to_owned(), three_digits), value);
    let number = |value: u32| Cell::Figure(value.to_string(), Some(f64::from(value)));
    let rate = figures.bytes_per_second.map(|Rate(rate)| rate);
    let ratio = model::over_file_system(record, run);
    Some(Row::new(vec![
        number(run.number),
        Cell::text(streams.form.clone()),
        Cell::text(way(streams).to_owned()),
        number(run.dop.jobs),
        Cell::Figure(megabytes(rate), rate),
        Cell::Figure(ratio.map_or_else(|| UNKNOWN.to_owned(), percent_digits), ratio.map(|ratio| ratio.0)),
        time(figures.requests, |quantiles| Some(quantiles.p50_ns)),
        time(figures.requests, |quantiles| quantiles.p99_ns),
        time(figures.commits, |quantiles| Some(quantiles.p50_ns)),
        figure(figures.client_ns_per_byte),
        figure(figures.server_ns_per_byte),
        figure(figures.redo_per_byte),
        figure(figures.device_per_byte),
    ]))
}
