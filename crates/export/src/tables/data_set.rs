//! The data that were loaded: one row for each table of each record.

use record::{Nanos, Record};

use super::RECORD;
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 11] = [
    RECORD,
    ("table", Kind::Text),
    ("rows", Kind::Count),
    ("size_bytes", Kind::Count),
    ("fingerprint", Kind::Text),
    ("reused", Kind::Truth),
    ("jobs", Kind::Count),
    ("load_ns", Kind::Count),
    ("finish_ns", Kind::Count),
    ("generator_cpu_ns", Kind::Count),
    ("server_cpu_ns", Kind::Count),
];

pub(crate) const TABLE: Table = Table { name: "data_sets", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    let time = |time: Option<Nanos>| Value::from(time.map(|time| time.0));
    for data in &record.data_sets {
        let row: [Value<'_>; COLUMNS.len()] = [
            Value::from(&record.id),
            Value::from(&data.table),
            data.rows.into(),
            data.size_bytes.0.into(),
            Value::from(&data.fingerprint),
            data.reused.into(),
            data.jobs.into(),
            time(data.load_ns),
            time(data.finish_ns),
            time(data.generator_cpu_ns),
            time(data.server_cpu_ns),
        ];
        take(&row)?;
    }
    Ok(())
}
