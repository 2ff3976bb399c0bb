//! The load profile: so much of everything per second and per transaction.

use record::{Run, name};

use super::{DatabaseTime, Place, cpu_counter};
use crate::delta::{delta, share};

/// What a line of the profile counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileUnit {
    /// Nanoseconds of work or of waiting.
    Time,
    /// Bytes.
    Bytes,
    /// How many.
    Count,
}

/// A line of the profile.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileLine {
    /// What it is.
    pub name: &'static str,
    /// What it counts.
    pub unit: ProfileUnit,
    /// In all of the window; absent where it has no source.
    pub total: Option<f64>,
    /// Per second of the window.
    pub per_second: Option<f64>,
    /// Per transaction; absent where there was none.
    pub per_transaction: Option<f64>,
    /// Why it has no source, where it has none.
    pub reason: Option<&'static str>,
}

/// The line of database time.
pub(super) const DATABASE_TIME: &str = "DB time";

/// Transactions that ended in the window: commits and rollbacks by the engine, without those that dbdyno made to read
/// counters; what the jobs counted where the engine counts none.
pub(super) fn transactions(place: &Place<'_>) -> Option<u64> {
    let run = place.run;
    let counted = commits(run).map(|commits| commits.saturating_add(rollbacks(place).unwrap_or(0)));
    counted.filter(|count| *count > 0).or(Some(run.totals.transactions)).filter(|count| *count > 0)
}

/// Commits by the engine, without those of dbdyno's own bookkeeping.
pub(super) fn commits(run: &Run) -> Option<u64> {
    let own = delta(run, name::BOOKKEEPING_COMMIT_COUNT).unwrap_or(0);
    Some(delta(run, name::COMMIT_COUNT)?.saturating_sub(own))
}

fn rollbacks(place: &Place<'_>) -> Option<u64> {
    place.first_of(&[name::ROLLBACK_COUNT, "user_rollback_count", "handler_rollback_count"])
}

/// The lines, in the order of the reports that administrators know.
pub(super) fn profile(place: &Place<'_>, time: Option<DatabaseTime>, transactions: Option<u64>) -> Vec<ProfileLine> {
    let run = place.run;
    let counted = |name: &str| place.first_of(&[name]).map(|count| count as f64);
    let not_counted = "the engine does not count it";
    let lines = [
        (DATABASE_TIME, ProfileUnit::Time, time.map(|time| time.total_ns), "the engine does not time it as it is set"),
        ("DB CPU", ProfileUnit::Time, counted(cpu_counter(place)), "its processes are not on this host"),
        ("Redo size", ProfileUnit::Bytes, counted(name::REDO_WRITE_BYTES), not_counted),
        ("Logical reads", ProfileUnit::Count, counted(name::LOGICAL_READ_COUNT), not_counted),
        ("Block changes", ProfileUnit::Count, counted("block_change_count"), not_counted),
        ("Physical read", ProfileUnit::Bytes, counted(name::PHYSICAL_READ_BYTES), not_counted),
        ("Physical write", ProfileUnit::Bytes, counted(name::PHYSICAL_WRITE_BYTES), not_counted),
        ("Read I/O requests", ProfileUnit::Count, counted(name::PHYSICAL_READ_COUNT), not_counted),
        ("Write I/O requests", ProfileUnit::Count, counted(name::PHYSICAL_WRITE_COUNT), not_counted),
        ("User calls", ProfileUnit::Count, counted("user_call_count"), not_counted),
        ("Statements", ProfileUnit::Count, statements(place), not_counted),
        ("Commits", ProfileUnit::Count, commits(run).map(|count| count as f64), not_counted),
        ("Rollbacks", ProfileUnit::Count, rollbacks(place).map(|count| count as f64), not_counted),
        ("Transactions", ProfileUnit::Count, transactions.map(|count| count as f64), "there was none"),
        ("Rows", ProfileUnit::Count, Some(run.totals.rows as f64).filter(|rows| *rows > 0.0), "the test returns none"),
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

/// Statements that the engine ran, those included with which dbdyno reads its counters and looks at its sessions; what
/// the jobs counted where a statement is what the test counts.
fn statements(place: &Place<'_>) -> Option<f64> {
    let counted = place.first_of(&["execute_count", "statement_count"]);
    let by_jobs = (place.run.unit == record::Unit::Statement).then_some(place.run.totals.operations);
    counted.or(by_jobs).map(|count| count as f64)
}
