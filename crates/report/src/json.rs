//! The record itself, and parts of it, as JSON text.

use record::{EngineInventory, HostInventory, NodeInventory, Record};
use serde_json::json;

/// `record` as it is stored: indented JSON text that ends with a line end; its form is published in `schema/`.
pub fn json(record: &Record) -> String {
    // Encoding fails only for keys that are not text, and a record has none.
    let text = serde_json::to_string_pretty(record).expect("every key of a record is text");
    text + "\n"
}

/// The platform as JSON text: the fields `host`, `engine` (null where none was asked) and `nodes` (empty where there are not
/// several) of a record.
pub fn inventory_json(host: &HostInventory, engine: Option<&EngineInventory>, nodes: &[NodeInventory]) -> String {
    format!("{:#}\n", json!({ "host": host, "engine": engine, "nodes": nodes }))
}
