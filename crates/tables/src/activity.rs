//! Database activity: one row for each figure of each run with an engine.

use model::{ActivityFigure, DatabaseActivity};
use record::{Record, Run};

use crate::column::{Column, Kind, Part, Row, degree, identity, parts};

/// A figure of a run.
pub type ActivityRow<'a> = Part<'a, ActivityFigure>;

/// The figures of each run of `record` that is not invalid.
pub fn rows(record: &Record) -> impl Iterator<Item = ActivityRow<'_>> {
    let of_run = |run| model::own_activity(record, run).map(|activity| model::activity_figures(&activity));
    parts(record, move |run| of_run(run).unwrap_or_default()).filter(|row| !row.is_invalid())
}

/// The figures of `activity` of `run` of `record`.
pub fn rows_of<'a>(
    record: &'a Record,
    run: &'a Run,
    activity: &DatabaseActivity,
) -> impl Iterator<Item = ActivityRow<'a>> + use<'a> {
    let of_run = move |of| Part::new(record, run, of);
    model::activity_figures(activity).into_iter().map(of_run)
}

type Figure<'a> = Column<ActivityRow<'a>>;

/// The figure and its value.
pub fn columns<'a>() -> Vec<Column<ActivityRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("section", Kind::Text, |of| of.of.section.word().into()),
        Figure::fact("name", Kind::Text, |of| (&of.of.name).into()),
        Figure::fact("figure", Kind::Text, |of| of.of.figure.into()),
        Figure::fact("class", Kind::Text, |of| of.of.class.into()),
        Figure::fact("method", Kind::Text, |of| of.of.method.into()),
        Figure::fact("below_us", Kind::Count, |of| of.of.below_us.into()),
        Figure::fact("value", Kind::Number, |of| of.of.value.into()),
        Figure::fact("unit", Kind::Text, |of| of.of.value.map(|_| of.of.unit.word()).into()),
        Figure::fact("per_second", Kind::PerSecond, |of| of.of.per_second.into()),
        Figure::fact("per_transaction", Kind::Number, |of| of.of.per_transaction.into()),
        Figure::fact("share", Kind::Ratio, |of| of.of.share.into()),
        Figure::fact("reason", Kind::Text, |of| of.of.reason.as_deref().into()),
    ]);
    columns.extend(degree());
    columns
}
