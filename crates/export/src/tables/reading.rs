//! Raw cumulative counters: one row for each counter of each reading of each run.

use record::Record;

use super::{RECORD, RUN, TEST};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 6] =
    [RECORD, RUN, TEST, ("at_ns", Kind::Count), ("counter", Kind::Text), ("value", Kind::Count)];

pub(crate) const TABLE: Table = Table { name: "readings", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in &record.runs {
        for reading in &run.readings {
            for (counter, value) in &reading.values {
                let row: [Value<'_>; COLUMNS.len()] = [
                    Value::from(&record.id),
                    run.number.into(),
                    Value::from(&run.test),
                    reading.at_ns.0.into(),
                    Value::from(counter),
                    (*value).into(),
                ];
                take(&row)?;
            }
        }
    }
    Ok(())
}
