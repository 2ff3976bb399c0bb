//! Loads beside the jobs of runs: one row for each in each run.

use record::{LoadBesideRun, Rate, Record};

use crate::column::{Column, Kind, Part, identity, invalid, latency, parts};
use crate::run::failures;
use crate::value::Value;

/// A load beside a run.
pub type LoadBesideRow<'a> = Part<'a, &'a LoadBesideRun>;

/// The loads beside each run of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = LoadBesideRow<'_>> {
    parts(record, |run| run.loads_beside.iter())
}

fn rate(of: &LoadBesideRow<'_>) -> Option<Rate> {
    let seconds = of.of.window_ns.seconds();
    (seconds > 0.0).then(|| Rate(of.of.totals.operations as f64 / seconds))
}

/// Counts, then results.
pub fn columns<'a>() -> Vec<Column<LoadBesideRow<'a>>> {
    type Figure<'a> = Column<LoadBesideRow<'a>>;
    let mut columns = identity();
    columns.extend([
        Figure::fact("jobs", Kind::Count, |of| of.run.dop.jobs.into()).head("#J"),
        Figure::fact("load", Kind::Text, |of| of.of.load.test.as_str().into()),
        Figure::fact("load_title", Kind::Text, |of| of.of.title.as_str().into()),
        Figure::fact("load_unit", Kind::Text, |of| Value::word(of.of.unit)),
        Figure::fact("load_jobs", Kind::Count, |of| of.of.load.jobs.into()).head("load\n#J"),
        Figure::fact("load_steps_per_second", Kind::PerSecond, |of| of.of.load.rate.map(Rate).into())
            .head("load\nwanted/s"),
        Figure::fact("window_ns", Kind::Nanoseconds, |of| of.of.window_ns.into()),
        Figure::fact("steps", Kind::Count, |of| of.of.totals.steps.into()),
        Figure::fact("operations", Kind::Count, |of| of.of.totals.operations.into()),
        Figure::fact("rows", Kind::Count, |of| of.of.totals.rows.into()),
        Figure::fact("transactions", Kind::Count, |of| of.of.totals.transactions.into()),
        Figure::fact("failures", Kind::Count, |of| failures(&of.of.totals)),
        Figure::fact("retried", Kind::Count, |of| of.of.totals.retried.into()),
        Figure::fact("retries", Kind::Count, |of| of.of.totals.retries.into()),
        Figure::fact("cancelled", Kind::Count, |of| of.of.cancelled.into()),
        invalid(),
        Figure::result("operations_per_second", Kind::PerSecond, |of| rate(of).into()).head("ops/s"),
    ]);
    columns.extend(latency!(Figure, "service", |of| &of.of.service));
    columns.extend(latency!(Figure, "response", |of| &of.of.response));
    columns
}
