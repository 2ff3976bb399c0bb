//! Brings records of older versions of the format up to date, one version at a time.

use record::{Record, SCHEMA_VERSION};
use serde_json::Value;

/// Turns a record of one version into one of the next; says what is in the way.
type Step = fn(Value) -> Result<Value, String>;

/// The step at index i leads from version i + 1 to version i + 2. Empty as long as there is only version 1.
const STEPS: [Step; SCHEMA_VERSION as usize - 1] = [];

/// The record in `json`, of version `found` in [1, [`SCHEMA_VERSION`]), as one of today.
pub(crate) fn migrate(json: &[u8], found: u64) -> Result<Record, String> {
    let value = climb(&STEPS, serde_json::from_slice(json).map_err(|cause| cause.to_string())?, found)?;
    serde_json::from_value(value).map_err(|cause| cause.to_string())
}

/// Takes every step from version `found` on, and stamps the version that each leads to.
fn climb(steps: &[Step], mut value: Value, found: u64) -> Result<Value, String> {
    for (index, step) in steps.iter().enumerate() {
        let version = index as u64 + 1;
        if version >= found {
            value = step(value)?;
            value["schema_version"] = Value::from(version + 1);
        }
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rename(mut value: Value, from: &str, to: &str) -> Result<Value, String> {
        let fields = value.as_object_mut().ok_or("is not an object")?;
        let moved = fields.remove(from).ok_or(format!("has no {from}"))?;
        fields.insert(to.to_owned(), moved);
        Ok(value)
    }

    #[test]
    fn a_record_climbs_only_the_steps_above_it_and_bears_the_last_version() {
        let steps: [Step; 2] = [|value| rename(value, "a", "b"), |value| rename(value, "b", "c")];
        let expected = json!({"schema_version": 3, "c": 7});
        assert_eq!(climb(&steps, json!({"schema_version": 1, "a": 7}), 1).unwrap(), expected);
        assert_eq!(climb(&steps, json!({"schema_version": 2, "b": 7}), 2).unwrap(), expected);
        assert_eq!(climb(&steps, json!({"schema_version": 1, "b": 7}), 1).unwrap_err(), "has no a");
    }
}
