//! The published schema is the one of the types, and a record keeps it.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::sample;

fn published() -> (PathBuf, String) {
    let version = record::SCHEMA_VERSION;
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../schema/record-v{version}.json"));
    let text = fs::read_to_string(&path).unwrap_or_default();
    (path, text)
}

#[test]
fn the_published_schema_is_current() {
    let (path, text) = published();
    // As values: the order of keys is the encoder's business.
    let published: Option<Value> = serde_json::from_str(&text).ok();
    assert!(
        published == Some(dbdyno_store::schema()),
        "{} is not current; renew it with\n    cargo run -p dbdyno-store --example schema > schema/record-v{}.json",
        path.display(),
        record::SCHEMA_VERSION
    );
}

#[test]
fn a_record_keeps_the_published_schema() {
    let schema: Value = serde_json::from_str(&published().1).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for record in [sample::full(), sample::sparse()] {
        let errors: Vec<String> =
            validator.iter_errors(&json!(record)).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn what_is_not_a_record_does_not_keep_it() {
    let validator = jsonschema::validator_for(&dbdyno_store::schema()).unwrap();
    let spoiled = |spoil: fn(&mut Value)| {
        let mut value = json!(sample::full());
        spoil(&mut value);
        !validator.is_valid(&value)
    };
    assert!(spoiled(|value| value["schema_version"] = json!(3)));
    assert!(spoiled(|value| value["surprise"] = json!(1)));
    assert!(spoiled(|value| value["runs"][0]["totals"]["steps"] = json!(-1)));
    assert!(spoiled(|value| value["runs"][0]["layer"] = json!("network")));
    assert!(spoiled(|value| drop(value["runs"][0].as_object_mut().unwrap().remove("window_ns"))));
}
