//! The lines of a latency table.

use model::{LayerLine, LayerTable};
use record::Record;
use tables::layer::{self, LayerRow, id};

use super::words::{label, layer as layer_word, span};
use crate::document::Cell;
use crate::figure::{UNKNOWN, number};
use crate::view::View;

/// The columns of a line, without its label.
pub(crate) const FIGURES: [&str; 8] =
    ["per_step_ns", "count", "fan_out", "mean_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"];

/// The lines of `table`, which is of `record`.
pub(crate) fn rows<'a>(record: &'a Record, table: &'a LayerTable) -> impl Iterator<Item = LayerRow<'a>> {
    layer::rows(record, std::slice::from_ref(table))
}

/// The columns of lines.
pub(crate) fn view<'a>() -> View<LayerRow<'a>> {
    View::of(layer::columns())
        .words("layer", ("", ""), |of| Cell::text(point(of)))
        .words("name", ("", "layer"), |of| Cell::text(name(of)))
        .figure("per_step_ns", ("", "per\nstep"), |of| match of.figure.per_step_ns {
            Some(value) => Cell::Figure(span(value), Some(value)),
            None => Cell::Figure("n.d.".to_owned(), None),
        })
        .figure("count", ("", "count"), |of| match of.figure.count {
            Some(value) => Cell::Figure(short_count(value), Some(value as f64)),
            None if matches!(of.line, LayerLine::Row(..)) => Cell::Figure(UNKNOWN.to_owned(), None),
            None => Cell::Figure(String::new(), None),
        })
}

/// The measuring point; empty for the unaccounted part of a layer.
pub(crate) fn point(of: &LayerRow<'_>) -> &'static str {
    if is_aside(of) && of.figure.per_step_ns.is_some() { "" } else { id(of.figure.point) }
}

/// The label of a line.
pub(crate) fn name(of: &LayerRow<'_>) -> String {
    match of.line {
        LayerLine::Row(layer, row) => label(layer.point, row),
        LayerLine::Nothing(found) => format!("no {}", layer_word(found.point)),
        LayerLine::Unaccounted(..) => "unaccounted".to_owned(),
        LayerLine::Missing(found) => layer_word(found.point).to_owned(),
    }
}

/// Whether a line has no source: the unaccounted part of a layer, and a layer without a source.
pub(crate) fn is_aside(of: &LayerRow<'_>) -> bool {
    matches!(of.line, LayerLine::Unaccounted(..) | LayerLine::Missing(_))
}

/// A count in at most seven characters.
fn short_count(value: u64) -> String {
    if value < 1_000_000 { value.to_string() } else { number(value as f64) }
}
