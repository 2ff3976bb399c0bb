//! The history of one figure as a document.

use model::history::{HistoryEntry, HistoryQuery, Metric, Series};

use super::series::{at, label, look, warning};
use super::{changed, headline, method, metric, shown, verdict};
use crate::chart::{self, Axis, Figures, LineChart, Mark, Point, Role, Scale};
use crate::document::{Bar, BarRole, Block, Cell, Column, Diagram, Document, Row, Section, Table, Tone, drawn_by};
use crate::figure::UNKNOWN;
use crate::words::unit_per_second;

/// The history in `entries`: for each series the verdict, a line per record with value and bar, the changes between them, and the
/// curve with its changes.
pub fn history(entries: Vec<HistoryEntry>, query: &HistoryQuery) -> Document {
    let subtitle = headline(&entries, query);
    let unit = entries.first().map_or("", |entry| unit_per_second(entry.unit));
    let look = look(entries);
    let method = method(&look).map(Block::text);
    let series = look.series.iter().enumerate();
    let series = series.flat_map(|(number, series)| platform(series, query, unit, number));
    let body = method.into_iter().chain(series).collect();
    Document {
        subtitle,
        foot: vec![drawn_by()],
        ..Document::new(format!("History of {}", query.test), vec![Section::new("platforms", "Platforms", body)])
    }
}

fn platform(series: &Series, query: &HistoryQuery, unit: &str, number: usize) -> Vec<Block> {
    let warning = warning(series).map(|warning| Block::note(Tone::Invalid, [format!("warning: {warning}")]));
    let body = [
        Block::Heading(label(series)),
        Block::text(verdict(series)),
        Block::whole(vec![Block::Charts(vec![diagram(series, query, unit, number)])]),
        records(series, query.metric, number).into(),
    ];
    let mut body = Vec::from(body);
    body.splice(1..1, warning);
    body
}

fn diagram(series: &Series, query: &HistoryQuery, unit: &str, number: usize) -> Diagram {
    let names = series.entries.iter().map(|entry| entry.started_at.0.chars().take("2026-01-31".len()).collect());
    let points = series.entries.iter().zip(0..).filter_map(|(entry, place)| {
        Some(Point::new(f64::from(place), entry.value?).noted(format!("{} {}", entry.record, at(entry))))
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
            label(series),
            verdict(series),
            Axis::new("record started", Scale::Linear, Figures::Names(names.collect())),
            Axis::new(axis, Scale::FromZero, figures),
            vec![chart::Series::new("measured", Role::Measured, points.collect())],
        )
    };
    Diagram::new(format!("history-{number}"), chart)
}

/// A line per record; a change stands above the record that it precedes.
fn records(series: &Series, metric: Metric, number: usize) -> Table {
    let columns = vec![
        Column::text("started"),
        Column::text("record"),
        Column::figure("value"),
        Column::text("at"),
        Column::text(""),
    ];
    let most = series.entries.iter().filter_map(|entry| entry.value).fold(0.0, f64::max);
    let row = |entry: &HistoryEntry| {
        let (value, tone) = match entry.value {
            Some(value) => (shown(value, metric), Tone::Plain),
            None if entry.at.is_none() => ("invalid".to_owned(), Tone::Invalid),
            None => (UNKNOWN.to_owned(), Tone::Plain),
        };
        let bar = |value| Cell::Bar(Bar { from: 0.0, to: value / most, role: BarRole::Own });
        let cells = vec![
            Cell::text(&*entry.started_at.0),
            Cell::text(&*entry.record),
            Cell::Figure(value, entry.value),
            Cell::text(at(entry)),
            entry.value.filter(|_| most > 0.0).map_or_else(Cell::empty, bar),
        ];
        Row::new(cells).in_tone(tone)
    };
    let rows = series.entries.iter().enumerate().flat_map(|(index, entry)| {
        let change = series.change_before(index).map(|change| Row::group(changed(series, index, change)));
        change.into_iter().chain([row(entry)])
    });
    let table = Table::new(format!("records-{number}"), "Records", columns).with(rows);
    Table { flexible: Some(1), ..table }
}
