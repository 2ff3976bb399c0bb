//! JSON Schemas of records.

use record::{Line, RecordDocument, SCHEMA_VERSION};
use serde_json::Value;

/// A form of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line of the file.
    Line,
    /// The whole record as one document, as exported.
    Document,
}

impl Form {
    /// The name of the file in `schema/`.
    pub fn file_name(self) -> String {
        match self {
            Form::Line => format!("record-v{SCHEMA_VERSION}.json"),
            Form::Document => format!("record-document-v{SCHEMA_VERSION}.json"),
        }
    }
}

/// The JSON Schema (draft 2020-12) of a record of this version in `form`, as published in `schema/`.
pub fn schema(form: Form) -> Value {
    let (schema, title, pointer) = match form {
        Form::Line => (schemars::schema_for!(Line), "line of a dbdyno record", "/$defs/Head/properties/schema_version"),
        Form::Document => {
            (schemars::schema_for!(RecordDocument<'static>), "dbdyno record", "/properties/schema_version")
        }
    };
    let mut schema = Value::from(schema);
    schema["title"] = Value::from(format!("{title}, schema version {SCHEMA_VERSION}"));
    if form == Form::Document {
        // The record is flattened into the document, by which the refusal of other fields is lost.
        schema["additionalProperties"] = Value::from(false);
    }
    // A validator should refuse other versions.
    if let Some(version) = schema.pointer_mut(pointer) {
        version["const"] = Value::from(SCHEMA_VERSION);
    }
    schema
}

/// [`schema`] as the text of the file in `schema/`.
pub fn schema_text(form: Form) -> String {
    format!("{:#}\n", schema(form))
}
