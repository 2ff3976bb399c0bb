//! Where each figure of latency tables was measured.

use std::collections::BTreeSet;

use model::{LatencyLayer, LayerTable};

use super::words::{between, id, interval, label, method};
use crate::layout::clean;

/// Where a kind of figure was measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Source {
    /// The measuring point; empty of an unaccounted part.
    pub(crate) id: &'static str,
    /// What the rows are called.
    pub(crate) label: String,
    /// From when to when, or which layer less which.
    pub(crate) interval: String,
    /// How.
    pub(crate) method: String,
    /// The counter, the tracepoint, the clock; of an unaccounted part what may be in it.
    pub(crate) source: String,
}

/// Each kind of figure of `tables` once, from the client down, then the unaccounted parts.
pub(crate) fn sources(tables: &[LayerTable]) -> Vec<Source> {
    let layers = || tables.iter().flat_map(|table| &table.layers);
    let mut told: Vec<Source> = Vec::new();
    let mut add = |source: Source| {
        if !told.contains(&source) {
            told.push(source);
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
    told
}
