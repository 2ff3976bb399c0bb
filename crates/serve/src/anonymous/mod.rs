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

use record::{PlanSubject, Record};
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
    own: Own,
}

/// What the user wrote of what was measured; the rest is the same for everybody.
#[derive(Clone, Copy)]
struct Own {
    /// Tests, scripts or mixes.
    tests: bool,
    /// Job files of I/O.
    jobs: bool,
}

impl Own {
    fn of(record: &Record) -> Own {
        let plan = &record.plan;
        let has_file_beside = plan.loads_beside.iter().any(|load| load.test_file.is_some());
        Own {
            tests: plan.scripts.is_some() || !plan.test_files.is_empty() || has_file_beside,
            jobs: plan.subject() != PlanSubject::Catalogue,
        }
    }
}

impl Place<'_> {
    /// What becomes of a text that stands here.
    fn treatment(self) -> Treatment {
        match treatment(self.parent, self.key) {
            Treatment::Script if self.own.tests => Treatment::Name(Class::Script),
            Treatment::Statement if self.own.tests => Treatment::Own,
            Treatment::Name(Class::Job) if !self.own.jobs => Treatment::Text,
            Treatment::Script | Treatment::Statement => Treatment::Text,
            other => other,
        }
    }
}

/// Makes the names of `record` known.
fn collect(record: &Record, names: &mut StandIns) {
    let Ok(mut value) = serde_json::to_value(record) else { return };
    let place = Place { parent: "", key: "", name: "", own: Own::of(record) };
    walk(&mut value, place, &mut |text, place| {
        match place.treatment() {
            Treatment::Name(class) => drop(names.of(class, text)),
            Treatment::Target => drop(names.target(text)),
            _ => {}
        }
        None
    });
}

/// `record` with stand-ins; none where it is no record any more, as where a host is called like a word of the format.
fn replaced(record: &Record, names: &mut StandIns) -> Option<Record> {
    let mut value = serde_json::to_value(record).ok()?;
    let place = Place { parent: "", key: "", name: "", own: Own::of(record) };
    walk(&mut value, place, &mut |text, place| {
        Some(match place.treatment() {
            Treatment::Name(class) => names.of(class, text),
            Treatment::Target => names.target(text),
            Treatment::Setting => names.in_setting(place.name, text),
            Treatment::Message => names.in_message(text),
            Treatment::Own => LEFT_OUT.to_owned(),
            Treatment::Plain => return None,
            Treatment::Text | Treatment::Script | Treatment::Statement => names.in_text(text),
        })
    });
    serde_json::from_value(value).ok()
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
