//! The history of one figure as a page.

use maud::{Markup, html};
use model::history::{HistoryEntry, HistoryQuery, Metric, Series};

use super::series::{at, label, look, warning};
use super::{changed, headline, method, metric, shown, verdict};
use crate::chart::{self, Axis, Figures, LineChart, Mark, Point, Role, Scale};
use crate::figure::UNKNOWN;
use crate::html::{Cell, Column, Diagram, Page, Row, Section, Table, gallery};
use crate::layout::clean;
use crate::words::unit_per_second;

/// The history in `entries` as a self-contained HTML file: for each platform the curve with its changes, the verdict,
/// and the records.
pub fn history_html(entries: Vec<HistoryEntry>, query: &HistoryQuery) -> String {
    let subtitle = clean(&headline(&entries, query));
    let unit = entries.first().map_or("", |entry| unit_per_second(entry.unit));
    let look = look(entries);
    let platforms = html! {
        @if let Some(method) = method(&look) { p { (method) } }
        @for (number, series) in look.series.iter().enumerate() {
            h3 { (clean(&label(series))) }
            @if let Some(warning) = warning(series) {
                div class="note fail" { p { strong { "Warning: " } (warning) } }
            }
            p { (clean(&verdict(series))) }
            (gallery(&[diagram(series, query, unit, number)]))
            (records(series, query.metric, number))
        }
    };
    let page = Page {
        title: format!("History of {}", clean(&query.test)),
        subtitle,
        lead: html! {},
        sections: vec![Section::new("platforms", "Platforms", platforms)],
        foot: html! { p { "Drawn by dbdyno " (env!("CARGO_PKG_VERSION")) "." } },
    };
    page.html()
}

fn diagram(series: &Series, query: &HistoryQuery, unit: &str, number: usize) -> Diagram {
    let names = series.entries.iter().map(|entry| entry.started_at.0.chars().take("2026-01-31".len()).collect());
    let points = series.entries.iter().zip(0..).filter_map(|(entry, place)| {
        Some(Point::new(f64::from(place), entry.value?).noted(format!("{} {}", clean(&entry.record), at(entry))))
    });
    let figures = match query.metric {
        Metric::Throughput => Figures::Rate,
        Metric::P99 => Figures::Nanos,
        Metric::Efficiency => Figures::Percent,
    };
    let axis = if query.metric == Metric::Throughput { unit.to_owned() } else { metric(query.metric, unit) };
    let marks = (0..series.entries.len()).filter(|index| series.change_before(*index).is_some());
    let chart = LineChart {
        // A change is between two records.
        marks: marks.map(|index| Mark { x: index as f64 - 0.5, label: "change".to_owned() }).collect(),
        ..LineChart::new(
            clean(&label(series)),
            clean(&verdict(series)),
            Axis::new("record started", Scale::Linear, Figures::Names(names.collect())),
            Axis::new(axis, Scale::FromZero, figures),
            vec![chart::Series::new("measured", Role::Measured, points.collect())],
        )
    };
    Diagram::new(format!("history-{number}"), chart)
}

const COLUMNS: [Column; 5] = [
    Column::text("started"),
    Column::text("record"),
    Column::figures("value"),
    Column::text("at"),
    Column::text("change before"),
];

fn records(series: &Series, metric: Metric, number: usize) -> Markup {
    let mut table = Table::new(format!("records-{number}"), format!("Records: {}", clean(&label(series))), &COLUMNS);
    let row = |(index, entry): (usize, &HistoryEntry)| {
        let change = series.change_before(index).map(|change| changed(series, index, change));
        let shown = match entry.value {
            Some(value) => shown(value, metric),
            None if entry.at.is_none() => "invalid".to_owned(),
            None => UNKNOWN.to_owned(),
        };
        Row::new(vec![
            Cell::text(clean(&entry.started_at.0)),
            Cell::text(clean(&entry.record)),
            Cell::Figure(shown, entry.value),
            Cell::text(clean(&at(entry))),
            Cell::text(change.unwrap_or_default()),
        ])
    };
    table.rows = series.entries.iter().enumerate().map(row).collect();
    table.html()
}
