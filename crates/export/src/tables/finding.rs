//! What the self-checks say: one row for each check of each run.

use record::Record;

use super::{RECORD, RUN, TEST, data, word};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 6] = [RECORD, RUN, TEST, ("check", Kind::Text), ("verdict", Kind::Text), ("data", Kind::Text)];

pub(crate) const TABLE: Table = Table { name: "findings", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in &record.runs {
        for finding in &run.findings {
            let row: [Value<'_>; COLUMNS.len()] = [
                Value::from(&record.id),
                run.number.into(),
                Value::from(&run.test),
                word(finding.check()),
                word(finding.verdict),
                data(&finding.evidence),
            ];
            take(&row)?;
        }
    }
    Ok(())
}
