//! What happened to nodes: one row for each event of each run.

use record::Record;

use super::{RECORD, RUN, TEST, word};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 9] = [
    RECORD,
    RUN,
    TEST,
    ("at_seconds", Kind::Number),
    ("node", Kind::Count),
    ("name", Kind::Text),
    ("kind", Kind::Text),
    ("jobs", Kind::Count),
    ("message", Kind::Text),
];

pub(crate) const TABLE: Table = Table { name: "events", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in &record.runs {
        for event in &run.events {
            let row: [Value<'_>; COLUMNS.len()] = [
                Value::from(&record.id),
                run.number.into(),
                Value::from(&run.test),
                // From the beginning of the window, so that its whole part is the `second` of the table of seconds.
                event.at_ns.seconds().into(),
                event.node.into(),
                Value::from(&event.name),
                word(event.kind),
                event.jobs.into(),
                Value::from(&event.message),
            ];
            take(&row)?;
        }
    }
    Ok(())
}
