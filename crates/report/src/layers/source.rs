//! The sources of the figures of latency tables.

use std::collections::BTreeSet;

use model::{LatencyLayer, LayerTable};

use super::words::{between, id, interval, label, method};
use crate::layout::clean;

/// The source of a kind of figure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Source {
    /// The measuring point; empty of an unaccounted part.
    pub(crate) id: &'static str,
    /// The label of the rows.
    pub(crate) label: String,
    /// The timed interval, or which layer less which.
    pub(crate) interval: String,
    /// The method.
    pub(crate) method: String,
    /// The counter, the tracepoint, the clock; for an unaccounted part, its possible contents.
    pub(crate) source: String,
}

/// Each kind of figure of `tables` once, from the client down, then the unaccounted parts.
pub(crate) fn sources(tables: &[LayerTable]) -> Vec<Source> {
    let layers = || tables.iter().flat_map(|table| &table.layers);
    let mut found: Vec<Source> = Vec::new();
    let mut add = |source: Source| {
        if !found.contains(&source) {
            found.push(source);
        }
    };
    let mut ordered: Vec<&LatencyLayer> = layers().collect();
    ordered.sort_by_key(|layer| layer.point);
    for (layer, row) in ordered.iter().flat_map(|layer| layer.rows.iter().map(move |row| (layer, row))) {
        add(Source {
            id: id(layer.point),
            label: label(layer.point, row),
            interval: interval(layer.point).to_owned(),
            method: method(row.method),
            source: clean(&row.source),
        });
    }
    let parts: BTreeSet<_> = layers().filter_map(|layer| Some((layer.point, layer.unaccounted?.below))).collect();
    for (above, below) in parts {
        add(Source {
            id: "",
            label: "unaccounted".to_owned(),
            interval: format!("{} less {}", id(above), id(below)),
            method: "difference".to_owned(),
            source: between(above, below),
        });
    }
    found
}
