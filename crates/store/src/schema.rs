//! JSON Schemas of records and load profiles.

use record::load_profile::LOAD_PROFILE_VERSION;
use record::{Line, LoadProfile, RecordDocument, SCHEMA_VERSION};
use serde_json::Value;

/// A form of what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line of the file.
    Line,
    /// The whole record as one document, as exported.
    Document,
    /// A load profile.
    LoadProfile,
}

impl Form {
    /// The name of the file in `schema/`.
    pub fn file_name(self) -> String {
        match self {
            Form::Line => format!("record-v{SCHEMA_VERSION}.json"),
            Form::Document => format!("record-document-v{SCHEMA_VERSION}.json"),
            Form::LoadProfile => format!("load-profile-v{LOAD_PROFILE_VERSION}.json"),
        }
    }
}

/// The JSON Schema (draft 2020-12) of `form` in this version, as published in `schema/`.
pub fn schema(form: Form) -> Value {
    let (schema, title, pointer) = match form {
        Form::Line => (schemars::schema_for!(Line), "line of a dbdyno record", "/$defs/Head/properties/schema_version"),
        Form::Document => {
            (schemars::schema_for!(RecordDocument<'static>), "dbdyno record", "/properties/schema_version")
        }
        Form::LoadProfile => (schemars::schema_for!(LoadProfile), "dbdyno load profile", "/properties/version"),
    };
    let number = if form == Form::LoadProfile { LOAD_PROFILE_VERSION } else { SCHEMA_VERSION };
    let mut schema = Value::from(schema);
    schema["title"] = Value::from(format!("{title}, schema version {number}"));
    if form == Form::Document {
        // The record is flattened into the document, by which the refusal of other fields is lost.
        schema["additionalProperties"] = Value::from(false);
    }
    // A validator should refuse other versions.
    if let Some(version) = schema.pointer_mut(pointer) {
        version["const"] = Value::from(number);
    }
    schema
}

/// [`schema`] as the text of the file in `schema/`.
pub fn schema_text(form: Form) -> String {
    format!("{:#}\n", schema(form))
}
