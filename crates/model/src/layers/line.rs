//! The lines of a latency table, in the order of every view, and each line as figures for exports.

use record::{MeasuringPoint, OperationClass};

use super::{LatencyLayer, LayerAbsence, LayerMethod, LayerRow, LayerTable, Unaccounted};
use crate::times::Times;

/// One line.
#[derive(Clone, Copy, Debug)]
pub enum LayerLine<'a> {
    /// A kind of operation.
    Row(&'a LatencyLayer, &'a LayerRow),
    /// A layer without operations.
    Nothing(&'a LatencyLayer),
    /// The unaccounted part of a layer.
    Unaccounted(&'a LatencyLayer, Unaccounted),
    /// A layer without a source, or with an incomplete one.
    Missing(&'a LatencyLayer),
}

/// Smaller parts are the rounding of a mean, nanoseconds per step.
const PART_MIN_NS: f64 = 0.5;

/// The lines of `table`.
pub fn layer_lines(table: &LayerTable) -> Vec<LayerLine<'_>> {
    table.layers.iter().flat_map(of_layer).collect()
}

fn of_layer(layer: &LatencyLayer) -> Vec<LayerLine<'_>> {
    let mut lines: Vec<LayerLine<'_>> = layer.rows.iter().map(|row| LayerLine::Row(layer, row)).collect();
    if layer.missing.is_some() {
        lines.push(LayerLine::Missing(layer));
    } else if lines.is_empty() {
        lines.push(LayerLine::Nothing(layer));
    }
    let part = layer.unaccounted.filter(|part| part.per_step_ns.abs() >= PART_MIN_NS);
    lines.extend(part.map(|part| LayerLine::Unaccounted(layer, part)));
    lines
}

/// The figures of one line of a latency table; unknown ones are absent.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerFigure<'a> {
    /// The layer.
    pub point: MeasuringPoint,
    /// `row`, `unaccounted`, or `missing` where the layer has no source.
    pub kind: &'static str,
    /// The operation.
    pub class: Option<OperationClass>,
    /// The name in the layer; empty unless it is a row.
    pub name: &'a str,
    /// Number of operations.
    pub count: Option<u64>,
    /// Total time, nanoseconds.
    pub total_ns: Option<f64>,
    /// The same per step.
    pub per_step_ns: Option<f64>,
    /// Total over count.
    pub mean_ns: Option<f64>,
    /// The times of single operations, where the source has the distribution.
    pub times: Option<Times>,
    /// Operations per operation of the layer above that leads to them.
    pub fan_out: Option<f64>,
    /// The method of measurement.
    pub method: Option<LayerMethod>,
    /// The counter, tracepoint or clock; empty unless it is a row.
    pub source: &'a str,
    /// For an unaccounted part, the layer below.
    pub below: Option<MeasuringPoint>,
    /// The reason why there is no source.
    pub missing: Option<&'a LayerAbsence>,
}

/// The figures of `line` of `table`.
pub fn layer_figure<'a>(table: &LayerTable, line: &LayerLine<'a>) -> LayerFigure<'a> {
    match *line {
        LayerLine::Row(layer, row) => of_row(layer.point, row),
        LayerLine::Nothing(layer) => {
            // The sum of no rows is -0.0.
            let per_step_ns = Some(layer.per_step_ns.unwrap_or(0.0) + 0.0);
            LayerFigure { count: Some(0), per_step_ns, ..bare(layer.point, "row") }
        }
        LayerLine::Unaccounted(layer, part) => LayerFigure {
            total_ns: Some(part.per_step_ns * table.steps as f64),
            per_step_ns: Some(part.per_step_ns),
            below: Some(part.below),
            ..bare(layer.point, "unaccounted")
        },
        LayerLine::Missing(layer) => LayerFigure { missing: layer.missing.as_ref(), ..bare(layer.point, "missing") },
    }
}

fn bare<'a>(point: MeasuringPoint, kind: &'static str) -> LayerFigure<'a> {
    LayerFigure {
        point,
        kind,
        class: None,
        name: "",
        count: None,
        total_ns: None,
        per_step_ns: None,
        mean_ns: None,
        times: None,
        fan_out: None,
        method: None,
        source: "",
        below: None,
        missing: None,
    }
}

fn of_row(point: MeasuringPoint, row: &LayerRow) -> LayerFigure<'_> {
    LayerFigure {
        class: row.class,
        name: &row.name,
        count: row.count,
        total_ns: Some(row.total_ns),
        per_step_ns: Some(row.per_step_ns),
        mean_ns: row.mean_ns(),
        times: row.times,
        fan_out: row.fan_out,
        method: Some(row.method),
        source: &row.source,
        ..bare(point, "row")
    }
}
