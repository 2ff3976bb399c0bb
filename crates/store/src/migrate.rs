//! Brings records of older versions of the format up to date, one version at a time.

use record::{Record, SCHEMA_VERSION};
use serde_json::{Map, Value, json};

/// Turns a record of one version into one of the next; says what is in the way.
type Step = fn(Value) -> Result<Value, String>;

/// The step at index i leads from version i + 1 to version i + 2.
const STEPS: [Step; SCHEMA_VERSION as usize - 1] = [to_version_2];

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

/// Version 2 knows repetitions, keeps what happened second by second in columns, and has data in findings.
fn to_version_2(mut record: Value) -> Result<Value, String> {
    let plan = fields(&mut record, "plan")?;
    plan.insert("repeats".to_owned(), json!(1));
    for run in elements(plan, "runs")? {
        run.as_object_mut().ok_or("a planned run is not an object")?.insert("repeat".to_owned(), json!(1));
    }
    let record_fields = record.as_object_mut().ok_or("it is not an object")?;
    for run in elements(record_fields, "runs")? {
        let run = run.as_object_mut().ok_or("a run is not an object")?;
        seconds_to_columns(run)?;
        // They were sentences, which are no data.
        run.insert("findings".to_owned(), json!([]));
        if let Some(storage) = run.get_mut("storage").and_then(Value::as_object_mut) {
            for stream in elements(storage, "streams")? {
                seconds_to_columns(stream.as_object_mut().ok_or("a stream is not an object")?)?;
            }
        }
    }
    Ok(record)
}

/// The members of a second as version 1 had them, each a column of version 2.
const SECOND_MEMBERS: [&str; 8] = [
    "steps",
    "operations",
    "rows",
    "failures",
    "service_ns_sum",
    "service_ns_max",
    "response_ns_sum",
    "response_ns_max",
];

fn seconds_to_columns(fields: &mut Map<String, Value>) -> Result<(), String> {
    let seconds = fields.get("seconds").and_then(Value::as_array).ok_or("seconds are not a list")?;
    let column = |member: &str| {
        let value = |second: &Value| second.get(member).cloned().ok_or(format!("a second has no {member}"));
        seconds.iter().map(value).collect::<Result<Value, String>>()
    };
    let columns: Map<String, Value> =
        SECOND_MEMBERS.iter().map(|member| Ok((member.to_string(), column(member)?))).collect::<Result<_, String>>()?;
    fields.insert("seconds".to_owned(), Value::Object(columns));
    Ok(())
}

fn fields<'a>(value: &'a mut Value, name: &str) -> Result<&'a mut Map<String, Value>, String> {
    value.get_mut(name).and_then(Value::as_object_mut).ok_or(format!("{name} is not an object"))
}

fn elements<'a>(fields: &'a mut Map<String, Value>, name: &str) -> Result<&'a mut Vec<Value>, String> {
    fields.get_mut(name).and_then(Value::as_array_mut).ok_or(format!("{name} are not a list"))
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn seconds_become_columns_and_what_they_lack_is_said() {
        let second = |steps: u64| {
            let members = SECOND_MEMBERS.iter().map(|member| (member.to_string(), json!(steps)));
            Value::Object(members.collect())
        };
        let record = |seconds: Value| {
            let stream = json!({"seconds": [second(9)]});
            let run = json!({"seconds": seconds, "storage": {"streams": [stream]}});
            json!({"plan": {"runs": [{"number": 1}]}, "runs": [run]})
        };
        let new = to_version_2(record(json!([second(7), second(8)]))).unwrap();
        assert_eq!(new["runs"][0]["seconds"]["service_ns_sum"], json!([7, 8]));
        assert_eq!(new["runs"][0]["storage"]["streams"][0]["seconds"]["steps"], json!([9]));
        assert_eq!(new["plan"], json!({"repeats": 1, "runs": [{"number": 1, "repeat": 1}]}));
        assert_eq!(to_version_2(record(json!([{"steps": 1}]))).unwrap_err(), "a second has no operations");
        assert_eq!(to_version_2(json!({"plan": 1})).unwrap_err(), "plan is not an object");
    }
}
