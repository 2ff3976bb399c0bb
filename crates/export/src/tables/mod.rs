//! The tables, and what their columns hold.

mod activity;
mod data_set;
mod event;
mod file_stream;
mod finding;
mod layer;
mod load;
mod node;
mod parameter;
mod platform;
mod reading;
pub(crate) mod reference;
mod run;
mod scan;
mod second;
mod setting;
mod stream;
mod trace;

use record::{Evidence, Record, Run};
use serde::Serialize;

use crate::table::{Column, Kind, Table, Value};

/// All tables about records. Rows of different tables belong together by `record` and `run`.
pub(crate) const TABLES: &[Table] = &[
    run::TABLE,
    second::TABLE,
    finding::TABLE,
    setting::TABLE,
    reading::TABLE,
    stream::TABLE,
    file_stream::TABLE,
    node::TABLE,
    event::TABLE,
    trace::TABLE,
    activity::TABLE,
    layer::TABLE,
    load::TABLE,
    load::STAGE_TABLE,
    scan::TABLE,
    parameter::TABLE,
    data_set::TABLE,
];

/// The first columns of every table about runs.
const RECORD: Column = ("record", Kind::Text);
const RUN: Column = ("run", Kind::Count);
const TEST: Column = ("test", Kind::Text);

/// What is needed beside a run to fill its row.
struct Subject<'a> {
    record: &'a Record,
    run: &'a Run,
    /// Which repetition it is; absent where the plan does not have it.
    repeat: Option<u32>,
    row: model::Row,
    /// Absent of a void run.
    steadiness: Option<model::Steadiness>,
}

/// The name of a variant as a record spells it.
fn word(variant: impl Serialize) -> Value<'static> {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(word)) => word.into(),
        _ => Value::Empty,
    }
}

/// What a check found, as a record spells it, without the name of the check.
fn data(evidence: &Evidence) -> Value<'static> {
    match serde_json::to_value(evidence) {
        Ok(serde_json::Value::Object(named)) => {
            named.into_values().next().map_or(Value::Empty, |data| data.to_string().into())
        }
        _ => Value::Empty,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use record::{Check, Side, Unit, Verdict};

    use super::*;

    #[test]
    fn words_are_those_of_the_record() {
        let words = [word(Check::LittlesLaw), word(Verdict::Warn), word(Side::A), word(Unit::Statement)];
        assert_eq!(words, ["littles_law", "warn", "a", "statement"].map(Value::from));
        assert_eq!(word(7), Value::Empty);
    }

    #[test]
    fn names_are_not_given_twice() {
        let of_records = TABLES.iter().map(|table| (table.name, (table.columns)()));
        let of_references = reference::TABLES.iter().map(|table| (table.name, (table.columns)()));
        let all: Vec<(&str, Vec<Column>)> = of_records.chain(of_references).collect();
        let names: BTreeSet<&str> = all.iter().map(|(table, _)| *table).collect();
        assert_eq!(names.len(), all.len());
        for (table, columns) in all {
            let names: BTreeSet<&str> = columns.iter().map(|(name, _)| *name).collect();
            assert_eq!(names.len(), columns.len(), "{table}");
        }
    }
}
