//! The data of a chart as comma-separated values.

use super::line::LineChart;
use super::series::Side;
use super::{Axis, BarChart, HeatMap};
use crate::view::line;

/// `value` with all its digits; nothing for what is not a number.
fn exact(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

/// The name of a value of an axis whose values are names, else all its digits.
fn cell(axis: &Axis, value: f64) -> String {
    match &axis.figures {
        super::Figures::Names(_) => axis.figures.text(value),
        _ => exact(value),
    }
}

fn append(text: &mut String, fields: &[&str]) {
    line(text, fields.iter().copied());
}

/// One line per point and per place of a band: series, x, y, low, high, what the value is, note.
pub(super) fn of_lines(chart: &LineChart) -> String {
    let mut text = String::new();
    append(&mut text, &["series", &chart.x.measure(), "value", "low", "high", "measure", "note"]);
    for series in &chart.series {
        let axis = if series.side == Side::Right { chart.right.as_ref().unwrap_or(&chart.y) } else { &chart.y };
        let measure = axis.measure();
        for point in &series.points {
            let (low, high) = point.interval.map_or_else(Default::default, |(low, high)| (exact(low), exact(high)));
            let (x, y) = (cell(&chart.x, point.x), cell(axis, point.y));
            append(&mut text, &[&series.name, &x, &y, &low, &high, &measure, &point.note]);
        }
        for reach in &series.band {
            let (x, low, high) = (cell(&chart.x, reach.x), exact(reach.low), exact(reach.high));
            append(&mut text, &[&series.name, &x, "", &low, &high, &measure, "band"]);
        }
    }
    text
}

/// One line per bar.
pub(super) fn of_bars(chart: &BarChart) -> String {
    let mut text = String::new();
    append(&mut text, &["label", &chart.axis.measure(), "low", "high", "note"]);
    for bar in &chart.bars {
        let (low, high) = bar.interval.map_or_else(Default::default, |(low, high)| (exact(low), exact(high)));
        append(&mut text, &[&bar.label, &exact(bar.value), &low, &high, &bar.note]);
    }
    text
}

/// One line per cell, then one per point of the lines over it.
pub(super) fn of_heat(chart: &HeatMap) -> String {
    let (x, y) = (chart.x.measure(), chart.y.measure());
    let heads = [format!("{x} from"), format!("{x} to"), format!("{y} low"), format!("{y} high")];
    let mut text = String::new();
    append(&mut text, &[&heads[0], &heads[1], &heads[2], &heads[3], "count", "line"]);
    for column in &chart.columns {
        for (low, high, count) in &column.cells {
            let edges = [exact(column.from), exact(column.to), exact(*low), exact(*high)];
            append(&mut text, &[&edges[0], &edges[1], &edges[2], &edges[3], &count.to_string(), ""]);
        }
    }
    for series in &chart.lines {
        for point in &series.points {
            let (x, y) = (exact(point.x), exact(point.y));
            append(&mut text, &[&x, &x, &y, &y, "", &series.name]);
        }
    }
    text
}
