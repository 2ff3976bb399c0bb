//! The lines of a latency table, in the order of every view.

use super::{LatencyLayer, LayerRow, LayerTable, Unaccounted};

/// One line.
#[derive(Clone, Copy, Debug)]
pub enum LayerLine<'a> {
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
