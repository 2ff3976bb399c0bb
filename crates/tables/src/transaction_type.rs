//! Types of transactions: one row for each script or transaction of a mix in each run, and one for each of their statements.

use record::{Rate, Ratio, Record, Role, StatementRun, TransactionType};

use crate::column::{Column, Kind, Part, identity, invalid, latency, parts};
use crate::run::{failures, retries};

/// A type of transactions of a run.
pub type TypeRow<'a> = Part<'a, &'a TransactionType>;

/// The types of transactions of each run of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = TypeRow<'_>> {
    parts(record, |run| run.transaction_types.iter())
}

type Figure<'a> = Column<TypeRow<'a>>;

/// What it did as a share of what the run did.
fn share(of: &TypeRow<'_>) -> Option<Ratio> {
    let all = of.run.totals.steps;
    (all > 0).then(|| Ratio(of.of.totals.steps as f64 / all as f64))
}

fn role<'a>(of: &TypeRow<'a>) -> Option<&'a Role> {
    of.of.role.as_ref()
}

fn rate(of: &TypeRow<'_>) -> Option<Rate> {
    let seconds = of.run.window_ns.seconds();
    (seconds > 0.0).then(|| Rate(of.of.totals.operations as f64 / seconds))
}

/// Committed transactions in a minute of the window, where they are known by a figure of that kind.
fn per_minute(of: &TypeRow<'_>) -> Option<u64> {
    let minutes = of.run.window_ns.seconds() / 60.0;
    (minutes > 0.0 && of.of.per_minute.is_some()).then(|| (of.of.totals.transactions as f64 / minutes).round() as u64)
}

/// Counts, then results.
pub fn columns<'a>() -> Vec<Column<TypeRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("jobs", Kind::Count, |of| of.run.dop.jobs.into()).head("#J"),
        Figure::fact("type", Kind::Text, |of| of.of.name.as_str().into()),
        Figure::fact("weight", Kind::Count, |of| of.of.weight.into()),
        Figure::fact("role", Kind::Text, |of| role(of).map(|role| role.name.as_str()).into()),
        Figure::fact("role_jobs", Kind::Count, |of| role(of).and_then(|role| role.jobs).into()).head("role\n#J"),
        Figure::fact("role_steps_per_second", Kind::PerSecond, |of| {
            role(of).and_then(|role| role.rate).map(Rate).into()
        })
        .head("role\nwanted/s"),
        Figure::fact("steps", Kind::Count, |of| of.of.totals.steps.into()),
        Figure::fact("steps_ratio", Kind::Ratio, |of| share(of).into()).head("% of\nsteps"),
        Figure::fact("operations", Kind::Count, |of| of.of.totals.operations.into()),
        Figure::fact("rows", Kind::Count, |of| of.of.totals.rows.into()),
        Figure::fact("transactions", Kind::Count, |of| of.of.totals.transactions.into()),
        Figure::fact("failures", Kind::Count, |of| failures(&of.of.totals)),
        Figure::fact("retried", Kind::Count, |of| retries(of.run, of.of.totals.retried)),
        Figure::fact("retries", Kind::Count, |of| retries(of.run, of.of.totals.retries)),
        Figure::fact("unfinished", Kind::Count, |of| of.of.totals.unfinished.into()),
        invalid(),
        Figure::result("operations_per_second", Kind::PerSecond, |of| rate(of).into()).head("ops/s"),
        Figure::fact("minute_figure", Kind::Text, |of| of.of.per_minute.as_deref().into()).head("figure"),
        Figure::result("per_minute", Kind::Count, |of| per_minute(of).into()).head("per\nminute"),
    ]);
    columns.extend(latency!(Figure, "service", |of| &of.of.service));
    columns.extend(latency!(Figure, "response", |of| &of.of.response));
    columns
}

/// A statement of a type of transactions of a run.
pub type StatementRow<'a> = Part<'a, (&'a TransactionType, &'a StatementRun)>;

/// The statements of each type of each run of `record`.
pub fn statement_rows(record: &Record) -> impl Iterator<Item = StatementRow<'_>> {
    parts(record, |run| {
        run.transaction_types.iter().flat_map(|of| of.statements.iter().map(move |statement| (of, statement)))
    })
}

type StatementFigure<'a> = Column<StatementRow<'a>>;

/// The statement, then its times.
pub fn statement_columns<'a>() -> Vec<Column<StatementRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        StatementFigure::fact("jobs", Kind::Count, |of| of.run.dop.jobs.into()).head("#J"),
        StatementFigure::fact("type", Kind::Text, |of| of.of.0.name.as_str().into()),
        StatementFigure::fact("line", Kind::Count, |of| of.of.1.line.into()),
        StatementFigure::fact("statement", Kind::Text, |of| of.of.1.text.as_str().into()),
        StatementFigure::fact("executions", Kind::Count, |of| of.of.1.service.count.into()),
        StatementFigure::fact("failures", Kind::Count, |of| of.of.1.failures.into()),
        StatementFigure::fact("retries", Kind::Count, |of| retries(of.run, of.of.1.retries)),
        invalid(),
    ]);
    columns.extend(latency!(StatementFigure, "service", |of| &of.of.1.service));
    columns
}
