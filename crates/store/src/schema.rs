//! The published form of a record.

use record::{Record, SCHEMA_VERSION};
use serde_json::Value;

/// The JSON Schema (draft 2020-12) of a record of this version, as it is published in `schema/`.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Record);
    schema.insert("title".to_owned(), Value::from(format!("dbdyno record, schema version {SCHEMA_VERSION}")));
    let mut schema = Value::from(schema);
    // A record says which version it is of; a validator should refuse any other.
    schema["properties"]["schema_version"]["const"] = Value::from(SCHEMA_VERSION);
    schema
}

/// [`schema`] as text that ends with a line end: the content of the file in `schema/`.
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}
