//! The settings of the engine: one row for each of each record.

use record::Record;

use super::RECORD;
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 6] = [
    RECORD,
    ("engine", Kind::Text),
    ("engine_version", Kind::Text),
    ("name", Kind::Text),
    ("value", Kind::Text),
    ("default", Kind::Text),
];

pub(crate) const TABLE: Table = Table { name: "settings", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    let Some(engine) = &record.engine else { return Ok(()) };
    for setting in &engine.settings {
        let row: [Value<'_>; COLUMNS.len()] = [
            Value::from(&record.id),
            Value::from(&engine.name),
            Value::from(&engine.version),
            Value::from(&setting.name),
            Value::from(&setting.value),
            setting.default.as_ref().into(),
        ];
        take(&row)?;
    }
    Ok(())
}
