//! Records without the names of hosts, addresses, users, paths, labels and serial numbers: each has a stand-in, the same
//! in all records of a directory.
//!
//! Records are changed, not pages: whatever is drawn of them cannot say more than they do. What is found by a digest of
//! a name is found by that of its stand-in then, so that no name can be guessed from it.

mod directory;
mod stand_ins;
mod text;
mod treatment;

pub use directory::{Anonymized, anonymize};

use record::Record;
use serde_json::{Map, Value};

use self::stand_ins::{Class, StandIns};
use self::treatment::{Treatment, treatment};

/// What stands for a text that is the user's own.
const LEFT_OUT: &str = "left out";

/// Maps whose keys are names of hosts.
const BY_HOST: [&str; 2] = ["server_hosts", "storage_hosts"];

/// Where a value stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    parent: &'a str,
    key: &'a str,
    /// The name beside it.
    name: &'a str,
    /// Whether the record has tests of the user.
    has_own_tests: bool,
}

/// Makes the names of `record` known.
fn collect(record: &Record, names: &mut StandIns) {
    let Ok(mut value) = serde_json::to_value(record) else { return };
    names.of(Class::Record, &record.id);
    let place = Place { parent: "", key: "", name: "", has_own_tests: has_own_tests(record) };
    walk(&mut value, place, &mut |text, place| {
        match treatment(place.parent, place.key) {
            Treatment::Name(class) => drop(names.of(class, text)),
            Treatment::Target => drop(names.target(text)),
            Treatment::Script if place.has_own_tests => drop(names.of(Class::Script, text)),
            _ => {}
        }
        None
    });
}

/// `record` with stand-ins; none where it is no record any more, as where a host is called like a word of the format.
fn replaced(record: &Record, names: &mut StandIns) -> Option<Record> {
    let mut value = serde_json::to_value(record).ok()?;
    let place = Place { parent: "", key: "", name: "", has_own_tests: has_own_tests(record) };
    walk(&mut value, place, &mut |text, place| {
        Some(match treatment(place.parent, place.key) {
            Treatment::Name(class) => names.of(class, text),
            Treatment::Target => names.target(text),
            Treatment::Setting => names.in_setting(place.name, text),
            Treatment::Message => names.in_message(text),
            Treatment::Script if place.has_own_tests => names.of(Class::Script, text),
            Treatment::Own => LEFT_OUT.to_owned(),
            Treatment::Statement if place.has_own_tests => LEFT_OUT.to_owned(),
            Treatment::Plain => return None,
            Treatment::Text | Treatment::Script | Treatment::Statement => names.in_text(text),
        })
    });
    serde_json::from_value(value).ok()
}

fn has_own_tests(record: &Record) -> bool {
    let plan = &record.plan;
    plan.scripts.is_some()
        || !plan.test_files.is_empty()
        || plan.loads_beside.iter().any(|load| load.test_file.is_some())
}

/// Calls `change` for each text below `value`, and for the keys of maps that are names.
fn walk(value: &mut Value, place: Place<'_>, change: &mut dyn FnMut(&str, Place<'_>) -> Option<String>) {
    match value {
        Value::String(text) => {
            if let Some(changed) = change(text, place) {
                *text = changed;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| walk(value, place, change)),
        Value::Object(fields) => {
            let name = fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            for (key, value) in fields.iter_mut() {
                walk(value, Place { parent: place.key, key, name: &name, ..place }, change);
            }
            if BY_HOST.contains(&place.key) && place.parent == "runs" {
                let host = Place { key: "host_name", ..place };
                let of = std::mem::take(fields);
                let renamed = of.into_iter().map(|(key, value)| (change(&key, host).unwrap_or(key), value));
                *fields = renamed.collect::<Map<_, _>>();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
