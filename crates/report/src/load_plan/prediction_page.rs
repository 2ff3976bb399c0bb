//! Predictions of loads from a record, as a page.

use maud::{Markup, html};
use model::load::{LoadCheck, Prediction};

use super::page::remarks;
use super::prediction::{
    LoadPredictionView, RequestedLoad, checked_notes, checked_rows, measured_notes, predicted_notes, predicted_rows,
    stage_rows,
};
use crate::chart::{Axis, Bar, BarChart, Figures, LineChart, Mark, Point, Role, Scale, Series, Tone};
use crate::html::{Cell, Column, Diagram, Page, Row, Section, Table, gallery};
use crate::layout::clean;

const STAGES: [Column; 3] = [Column::text("stage"), Column::figures("MB/s per core"), Column::figures("range")];

const LOADS: [Column; 9] = [
    Column::text("table"),
    Column::text("form"),
    Column::figures("jobs"),
    Column::text("input"),
    Column::figures("MB/s"),
    Column::figures("TB/h"),
    Column::figures("range, MB/s"),
    Column::figures("measured, MB/s"),
    Column::text("bottleneck"),
];

const CHECKS: [Column; 9] = [
    Column::figures("run"),
    Column::text("table"),
    Column::text("form"),
    Column::figures("jobs"),
    Column::text("input"),
    Column::figures("predicted, MB/s"),
    Column::figures("measured, MB/s"),
    Column::figures("error"),
    Column::text("bottleneck"),
];

/// The view as a self-contained HTML file: cost of the stages, predictions, and their errors against another record.
pub fn load_prediction_html(view: &LoadPredictionView) -> String {
    let page = Page {
        title: clean(&view.title),
        subtitle: "MB are 10^6 bytes of flat file, uncompressed".to_owned(),
        lead: remarks(&view.remarks),
        sections: vec![
            Section::new("stages", "Measured stages", stages(view)),
            Section::new("predicted", "Predicted", predicted(view)),
            Section::new("checked", "Predicted and measured", checked(view)),
        ],
        foot: html! { p { "Drawn by dbdyno " (env!("CARGO_PKG_VERSION")) "." } },
    };
    page.html()
}

/// A text table.
fn table<const CELLS: usize>(id: &str, caption: &str, columns: &[Column], rows: Vec<[String; CELLS]>) -> Markup {
    let row = |cells: [String; CELLS]| Row::new(cells.into_iter().map(Cell::text).collect());
    Table { rows: rows.into_iter().map(row).collect(), ..Table::new(id, caption, columns) }.html()
}

fn list(notes: &[String]) -> Markup {
    html! { @if !notes.is_empty() { ul { @for note in notes { li { (clean(note)) } } } } }
}

fn stages(view: &LoadPredictionView) -> Markup {
    let Some(plan) = &view.measured else { return Markup::default() };
    html! {
        (table("stages-table", "Flat file per second and core", &STAGES, stage_rows(plan)))
        (list(&measured_notes(plan)))
    }
}

fn predicted(view: &LoadPredictionView) -> Markup {
    if view.asked.is_empty() {
        return Markup::default();
    }
    html! {
        (gallery(curves(view).as_slice()))
        (table("predicted-table", "Requested loads", &LOADS, predicted_rows(view)))
        (list(&predicted_notes(view)))
    }
}

/// Rates over sessions, a curve for each input, with the measurements. Nothing without a prediction.
fn curves(view: &LoadPredictionView) -> Option<Diagram> {
    let mut inputs: Vec<&str> = view.asked.iter().map(|asked| asked.target.input.as_str()).collect();
    inputs.dedup();
    let series: Vec<Series> = inputs.iter().flat_map(|input| curve(view, input)).collect();
    let first = predicted_notes(view).into_iter().next();
    let chart = LineChart::new(
        "Flat file per second over sessions",
        clean(&first.unwrap_or_default()),
        Axis::new("jobs", Scale::Log2, Figures::Plain),
        Axis::new("bytes per second", Scale::FromZero, Figures::Rate),
        series,
    );
    (!chart.series.is_empty()).then(|| Diagram::new("rates", chart))
}

/// Measured and predicted rates of loads from `input`.
fn curve(view: &LoadPredictionView, input: &str) -> Vec<Series> {
    let asked = || view.asked.iter().filter(|asked| asked.target.input == input);
    let point = |asked: &RequestedLoad, prediction: &Prediction| {
        let point = Point::new(f64::from(asked.target.jobs), prediction.rate.0);
        match prediction.interval() {
            Some((low, high)) => point.within(low.0, high.0),
            None => point,
        }
    };
    let predicted = asked().filter_map(|asked| Some(point(asked, asked.predicted.as_ref().ok()?))).collect();
    let measured =
        asked().filter_map(|asked| Some(Point::new(f64::from(asked.target.jobs), asked.measured?.0))).collect();
    let input = clean(input);
    let all = [
        Series::new(format!("measured, {input}"), Role::Measured, measured),
        Series::new(format!("predicted, {input}"), Role::Other, predicted),
    ];
    all.into_iter().filter(|series| !series.points.is_empty()).collect()
}

fn checked(view: &LoadPredictionView) -> Markup {
    if view.checked.is_empty() {
        return Markup::default();
    }
    let bar = |check: &LoadCheck| {
        let load = &check.target;
        let bar = Bar {
            label: format!("run {}, {} J{}", check.run, clean(&load.input), load.jobs),
            value: check.off()? + 1.0,
            interval: None,
            note: String::new(),
            tone: Tone::Plain,
        };
        Some(bar)
    };
    let chart = BarChart {
        title: "Predicted over measured".to_owned(),
        description: clean(&checked_notes(view).join("; ")),
        axis: Axis::new("predicted over measured", Scale::Log2, Figures::Factor),
        base: 1.0,
        marks: vec![Mark { x: 1.0, label: "as measured".to_owned() }],
        bars: view.checked.iter().filter_map(bar).collect(),
    };
    let diagram = (!chart.bars.is_empty()).then(|| Diagram::new("off", chart));
    html! {
        (gallery(diagram.as_slice()))
        (table("checked-table", "Loads of the other record", &CHECKS, checked_rows(view)))
        (list(&checked_notes(view)))
    }
}
