//! What the database did: one row for each figure of each run that is not void and in which an engine took part.

use model::{ActivityFigure, activity_figures};
use record::{Record, Run};

use super::{RECORD, RUN, TEST};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 15] = [
    RECORD,
    RUN,
    TEST,
    ("section", Kind::Text),
    ("name", Kind::Text),
    ("figure", Kind::Text),
    ("class", Kind::Text),
    ("method", Kind::Text),
    ("below_us", Kind::Count),
    ("value", Kind::Number),
    ("unit", Kind::Text),
    ("per_second", Kind::Number),
    ("per_transaction", Kind::Number),
    ("share", Kind::Number),
    ("reason", Kind::Text),
];

pub(crate) const TABLE: Table = Table { name: "activity", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in record.runs.iter().filter(|run| !model::is_void(run)) {
        let Some(activity) = model::own_activity(record, run) else { continue };
        for figure in &activity_figures(&activity) {
            take(&row(record, run, figure))?;
        }
    }
    Ok(())
}

fn row<'a>(record: &'a Record, run: &'a Run, of: &'a ActivityFigure) -> [Value<'a>; COLUMNS.len()] {
    [
        Value::from(&record.id),
        run.number.into(),
        Value::from(&run.test),
        of.section.word().into(),
        Value::from(&of.name),
        of.figure.into(),
        of.class.into(),
        of.method.into(),
        of.below_us.into(),
        of.value.into(),
        of.value.map(|_| of.unit.word()).into(),
        of.per_second.into(),
        of.per_transaction.into(),
        of.share.map(|share| share.0).into(),
        of.reason.as_deref().into(),
    ]
}
