//! What happened second by second: one row for each second of each run.

use record::Record;

use super::{RECORD, RUN, TEST};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 12] = [
    RECORD,
    RUN,
    TEST,
    ("second", Kind::Count),
    ("steps", Kind::Count),
    ("operations", Kind::Count),
    ("rows", Kind::Count),
    ("failures", Kind::Count),
    ("service_ns_sum", Kind::Count),
    ("service_ns_max", Kind::Count),
    ("response_ns_sum", Kind::Count),
    ("response_ns_max", Kind::Count),
];

pub(crate) const TABLE: Table = Table { name: "seconds", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in &record.runs {
        for (number, second) in run.seconds.iter().enumerate() {
            let row: [Value<'_>; COLUMNS.len()] = [
                Value::from(&record.id),
                run.number.into(),
                Value::from(&run.test),
                // Counted from 0: the seconds that had passed when it began.
                number.into(),
                second.steps.into(),
                second.operations.into(),
                second.rows.into(),
                second.failures.into(),
                second.service_ns_sum.0.into(),
                second.service_ns_max.0.into(),
                second.response_ns_sum.0.into(),
                second.response_ns_max.0.into(),
            ];
            take(&row)?;
        }
    }
    Ok(())
}
