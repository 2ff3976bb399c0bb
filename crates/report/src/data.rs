//! The record as JSON text, and its runs as comma-separated values.

use record::{EngineInventory, HostInventory, NodeInventory, Record, RecordDocument};
use serde_json::json;
use tables::run;

use crate::disclosure::fitness;
use crate::fitness::judgement;
use crate::view::View;

/// The runs of `record` as comma-separated values (RFC 4180, UTF-8) with a header line; the unit of a column is in
/// its name: nanoseconds, bytes, per second. An invalid run has no results.
pub fn csv(record: &Record) -> String {
    View::of(run::columns()).csv(run::rows(record))
}

/// `record` as one document with the verdicts on it: indented JSON text that ends with a line end; its schema is published
/// in `schema/`.
pub fn json(record: &Record) -> String {
    let document = RecordDocument { record, judgement: judgement(record, &fitness(record)) };
    // Encoding fails only for keys that are not text, and a record has none.
    let text = serde_json::to_string_pretty(&document).expect("every key of a record is text");
    text + "\n"
}

/// The platform as JSON text: the fields `host`, `engine` (null without one) and `nodes` (empty unless there are
/// several) of a record.
pub fn inventory_json(host: &HostInventory, engine: Option<&EngineInventory>, nodes: &[NodeInventory]) -> String {
    format!("{:#}\n", json!({ "host": host, "engine": engine, "nodes": nodes }))
}
