//! The load profile: figures per second and per transaction.

use record::{Run, name};

use super::{Context, DatabaseTime, NoSource, cpu_counter};
use crate::delta::{delta, share};

/// The unit of a line of the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileUnit {
    /// Nanoseconds.
    Time,
    /// Bytes.
    Bytes,
    /// A count.
    Count,
}

/// A line of the profile.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileLine {
    /// The name.
    pub name: &'static str,
    /// The unit.
    pub unit: ProfileUnit,
    /// Over the window; absent without a source.
    pub total: Option<f64>,
    /// Per second of the window.
    pub per_second: Option<f64>,
    /// Per transaction; absent where there was none.
    pub per_transaction: Option<f64>,
    /// The reason why there is no source.
    pub reason: Option<NoSource>,
}

/// The line of database time.
pub(super) const DATABASE_TIME: &str = "DB time";

/// Transactions that ended in the window: commits and rollbacks of the engine without dbdyno's bookkeeping; those
/// counted by the jobs where the engine counts none.
pub(super) fn transactions(context: &Context<'_>) -> Option<u64> {
    let run = context.run;
    let counted = commits(run).map(|commits| commits.saturating_add(rollbacks(context).unwrap_or(0)));
    counted.filter(|count| *count > 0).or(Some(run.totals.transactions)).filter(|count| *count > 0)
}

/// Commits of the engine without dbdyno's bookkeeping.
pub(super) fn commits(run: &Run) -> Option<u64> {
    let own = delta(run, name::BOOKKEEPING_COMMIT_COUNT).unwrap_or(0);
    Some(delta(run, name::COMMIT_COUNT)?.saturating_sub(own))
}

fn rollbacks(context: &Context<'_>) -> Option<u64> {
    context.first_of(&[name::ROLLBACK_COUNT, "user_rollback_count", "handler_rollback_count"])
}

/// The lines, in the order of AWR.
pub(super) fn profile(
    context: &Context<'_>,
    time: Option<DatabaseTime>,
    transactions: Option<u64>,
) -> Vec<ProfileLine> {
    let run = context.run;
    let counted = |name: &str| context.first_of(&[name]).map(|count| count as f64);
    let lines = [
        (DATABASE_TIME, ProfileUnit::Time, time.map(|time| time.total_ns), NoSource::NotTimed { is_sampled: false }),
        ("DB CPU", ProfileUnit::Time, counted(cpu_counter(context)), NoSource::OtherHost),
        ("Redo size", ProfileUnit::Bytes, counted(name::REDO_WRITE_BYTES), NoSource::NotCounted),
        ("Logical reads", ProfileUnit::Count, counted(name::LOGICAL_READ_COUNT), NoSource::NotCounted),
        ("Block changes", ProfileUnit::Count, counted("block_change_count"), NoSource::NotCounted),
        ("Physical read", ProfileUnit::Bytes, counted(name::PHYSICAL_READ_BYTES), NoSource::NotCounted),
        ("Physical write", ProfileUnit::Bytes, counted(name::PHYSICAL_WRITE_BYTES), NoSource::NotCounted),
        ("Read I/O requests", ProfileUnit::Count, counted(name::PHYSICAL_READ_COUNT), NoSource::NotCounted),
        ("Write I/O requests", ProfileUnit::Count, counted(name::PHYSICAL_WRITE_COUNT), NoSource::NotCounted),
        ("User calls", ProfileUnit::Count, counted("user_call_count"), NoSource::NotCounted),
        ("Statements", ProfileUnit::Count, statements(context), NoSource::NotCounted),
        ("Commits", ProfileUnit::Count, commits(run).map(|count| count as f64), NoSource::NotCounted),
        ("Rollbacks", ProfileUnit::Count, rollbacks(context).map(|count| count as f64), NoSource::NotCounted),
        ("Transactions", ProfileUnit::Count, transactions.map(|count| count as f64), NoSource::NoTransaction),
        ("Rows", ProfileUnit::Count, Some(run.totals.rows as f64).filter(|rows| *rows > 0.0), NoSource::NoRows),
    ];
    let per = |total: Option<f64>, whole: Option<f64>| share(total?, whole?);
    let line = |(name, unit, total, reason): (_, _, Option<f64>, _)| ProfileLine {
        name,
        unit,
        total,
        per_second: per(total, Some(run.window_ns.seconds())),
        per_transaction: per(total, transactions.map(|count| count as f64)),
        reason: total.is_none().then_some(reason),
    };
    lines.into_iter().map(line).collect()
}

/// Statements executed by the engine, dbdyno's readings and samples included; those counted by the jobs where the unit
/// of the test is a statement.
fn statements(context: &Context<'_>) -> Option<f64> {
    let counted = context.first_of(&["execute_count", "statement_count"]);
    let by_jobs = (context.run.unit == record::Unit::Statement).then_some(context.run.totals.operations);
    counted.or(by_jobs).map(|count| count as f64)
}
