//! How the tests were set: one row for each parameter of each run.

use record::Record;

use super::{RECORD, RUN, TEST};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 5] = [RECORD, RUN, TEST, ("name", Kind::Text), ("value", Kind::Number)];

pub(crate) const TABLE: Table = Table { name: "parameters", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in &record.runs {
        for (name, value) in &run.parameters {
            let row: [Value<'_>; COLUMNS.len()] = [
                Value::from(&record.id),
                run.number.into(),
                Value::from(&run.test),
                Value::from(name),
                (*value as f64).into(),
            ];
            take(&row)?;
        }
    }
    Ok(())
}
