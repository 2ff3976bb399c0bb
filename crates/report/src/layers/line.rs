//! The lines of a latency table, in the order of every view.

use model::{LatencyLayer, LayerRow, LayerTable, Unaccounted};

/// One line.
pub(crate) enum Line<'a> {
    /// A kind of operation.
    Row(&'a LatencyLayer, &'a LayerRow),
    /// A layer at which nothing was done, by its source.
    Nothing(&'a LatencyLayer),
    /// What the layer has more than the one below it.
    Unaccounted(&'a LatencyLayer, Unaccounted),
    /// A layer without a source, or with one of the rows before it only.
    Missing(&'a LatencyLayer),
}

/// A part of less than this, nanoseconds per step, is the rounding of a mean.
const PART_MIN_NS: f64 = 0.5;

/// The lines of `table`.
pub(crate) fn lines(table: &LayerTable) -> Vec<Line<'_>> {
    table.layers.iter().flat_map(of_layer).collect()
}

fn of_layer(layer: &LatencyLayer) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = layer.rows.iter().map(|row| Line::Row(layer, row)).collect();
    if layer.missing.is_some() {
        lines.push(Line::Missing(layer));
    } else if lines.is_empty() {
        lines.push(Line::Nothing(layer));
    }
    let part = layer.unaccounted.filter(|part| part.per_step_ns.abs() >= PART_MIN_NS);
    lines.extend(part.map(|part| Line::Unaccounted(layer, part)));
    lines
}
