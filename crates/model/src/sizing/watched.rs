//! The interval between two readings of a live server.

use std::collections::BTreeMap;

use record::load_profile::{Amount, LoadQuantity};
use record::name;

/// Names, after the prefix of the engine, of counters that engines have under names of their own.
const STATEMENTS: &[&str] = &["statement_count"];
const LOG_WRITES: &[&str] = &["wal_write_count", "log_write_count"];
/// Time and number of the waits for a block, and for the log.
const READ_WAITS: &[(&str, &str)] =
    &[("wait_data_read_ns", "wait_data_read_count"), ("data_file_read_time_ns", "data_file_read_count")];
const LOG_WAITS: &[(&str, &str)] =
    &[("wait_wal_sync_ns", "wait_wal_sync_count"), ("log_sync_time_ns", "log_sync_count")];

/// Cumulative counters at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// The moment, on a clock that does not step.
    pub at_ns: u64,
    /// Counters by their names: those of [`record::name`], and of the engine's own with its prefix.
    pub values: BTreeMap<String, u64>,
    /// Transactions of this reading itself, which the next reading has among its commits.
    pub own_transactions: u64,
}

/// Two readings of one source.
struct Between<'a> {
    before: &'a Counted,
    after: &'a Counted,
    seconds: f64,
}

impl Between<'_> {
    /// What a counter grew by; absent where one reading does not have it.
    fn growth(&self, counter: &str) -> Option<f64> {
        let (before, after) = (self.before.values.get(counter)?, self.after.values.get(counter)?);
        Some(after.saturating_sub(*before) as f64)
    }

    fn rate(&self, counter: &str) -> Option<f64> {
        self.growth(counter).map(|growth| growth / self.seconds)
    }

    fn own(&self, prefix: &str, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|name| self.rate(&format!("{prefix}_{name}")))
    }

    /// The mean time of a wait; absent where there was none.
    fn wait(&self, prefix: &str, names: &[(&str, &str)]) -> Option<f64> {
        names.iter().find_map(|(time, count)| {
            let of = |name: &str| self.growth(&format!("{prefix}_{name}"));
            let (time_ns, count) = (of(time)?, of(count)?);
            (count > 0.0).then(|| time_ns / count / 1e9)
        })
    }
}

/// What is less in `after` than in `before`: the server was restarted or its counters reset. The waits and the time of
/// sessions may fall when a session ends, and are not held against each other.
pub fn decreased<'a>(before: &Counted, after: &'a Counted) -> Option<&'a str> {
    let watched = [
        name::COMMIT_COUNT,
        name::LOGICAL_READ_COUNT,
        name::PHYSICAL_READ_COUNT,
        name::PHYSICAL_WRITE_COUNT,
        name::REDO_WRITE_BYTES,
        name::HOST_CPU_USER_NS,
    ];
    let is_less = |(counter, value): &(&'a String, &u64)| {
        watched.contains(&counter.as_str()) && before.values.get(*counter).is_some_and(|earlier| earlier > *value)
    };
    after.values.iter().find(is_less).map(|(counter, _)| counter.as_str())
}

fn seconds(before: &Counted, after: &Counted) -> f64 {
    after.at_ns.saturating_sub(before.at_ns) as f64 / 1e9
}

fn amounts<const N: usize>(values: [(LoadQuantity, Option<f64>); N]) -> BTreeMap<LoadQuantity, Amount> {
    let known = values.into_iter().filter_map(|(quantity, value)| Some((quantity, value?)));
    known.map(|(quantity, average)| (quantity, Amount { average: average.max(0.0), max: None })).collect()
}

/// What counts commits of other sessions between two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitSource {
    /// The common counter.
    Common,
    /// Transactions of the storage engine that changed something.
    Changes,
    /// Statements that commit: single statements outside of transactions are not among them.
    Statements,
}

/// Counters of engines, after their prefix, of transactions that changed something and of statements that commit.
const CHANGES: &str = "transaction_write_count";
const COMMIT_STATEMENTS: &str = "commit_statement_count";

/// What tells the commits between two readings best. The common counter of some engines is right for sessions of this process alone
/// (`counts_others` is false): of others it also has each statement within a transaction, so that it is right only where
/// nobody commits by a statement.
pub fn commit_source(before: &Counted, after: &Counted, prefix: &str, counts_others: bool) -> CommitSource {
    let between = Between { before, after, seconds: seconds(before, after) };
    let growth = |name: &str| between.growth(&format!("{prefix}_{name}"));
    match (counts_others, growth(CHANGES), growth(COMMIT_STATEMENTS)) {
        (true, ..) => CommitSource::Common,
        (false, Some(_), _) => CommitSource::Changes,
        (false, None, Some(statements)) if statements > 0.0 => CommitSource::Statements,
        (false, ..) => CommitSource::Common,
    }
}

/// What the database did between two readings, whose own counters begin with `prefix`. Transactions of the readings are none of
/// its commits; writes of the log are among its writes.
pub fn watched_database(
    before: &Counted,
    after: &Counted,
    prefix: &str,
    source: CommitSource,
) -> BTreeMap<LoadQuantity, Amount> {
    let seconds = seconds(before, after);
    if seconds <= 0.0 {
        return BTreeMap::new();
    }
    let between = Between { before, after, seconds };
    let commits = match source {
        CommitSource::Common => {
            between.growth(name::COMMIT_COUNT).map(|all| (all - before.own_transactions as f64) / seconds)
        }
        CommitSource::Changes => between.own(prefix, &[CHANGES]),
        CommitSource::Statements => between.own(prefix, &[COMMIT_STATEMENTS]),
    };
    let log_writes = between.own(prefix, LOG_WRITES);
    let log_bytes = between.rate(name::REDO_WRITE_BYTES);
    let with = |counter: &str, log: Option<f64>| Some(between.rate(counter)? + log.unwrap_or(0.0));
    amounts([
        (LoadQuantity::PhysicalReadsPerSecond, between.rate(name::PHYSICAL_READ_COUNT)),
        (LoadQuantity::PhysicalReadBytesPerSecond, between.rate(name::PHYSICAL_READ_BYTES)),
        (LoadQuantity::PhysicalWritesPerSecond, with(name::PHYSICAL_WRITE_COUNT, log_writes)),
        (LoadQuantity::PhysicalWriteBytesPerSecond, with(name::PHYSICAL_WRITE_BYTES, log_bytes)),
        (LoadQuantity::CommitsPerSecond, commits),
        (LoadQuantity::RollbacksPerSecond, between.rate(name::ROLLBACK_COUNT)),
        (LoadQuantity::LogBytesPerSecond, log_bytes),
        (LoadQuantity::LogWritesPerSecond, log_writes),
        (LoadQuantity::LogSyncsPerSecond, between.rate(name::REDO_SYNC_COUNT)),
        (LoadQuantity::LogicalReadsPerSecond, between.rate(name::LOGICAL_READ_COUNT)),
        (LoadQuantity::StatementsPerSecond, between.own(prefix, STATEMENTS)),
        (
            LoadQuantity::DatabaseProcessorSecondsPerSecond,
            between.rate(name::SERVER_CPU_NS).map(|time_ns| time_ns / 1e9),
        ),
        (LoadQuantity::ActiveSessions, between.rate(name::DATABASE_TIME_NS).map(|time_ns| time_ns / 1e9)),
        (LoadQuantity::RandomReadSeconds, between.wait(prefix, READ_WAITS)),
        (LoadQuantity::CommitSeconds, between.wait(prefix, LOG_WAITS)),
    ])
}

/// What its host did between two readings.
pub fn watched_host(before: &Counted, after: &Counted) -> BTreeMap<LoadQuantity, Amount> {
    let seconds = seconds(before, after);
    if seconds <= 0.0 {
        return BTreeMap::new();
    }
    let between = Between { before, after, seconds };
    let sum = |counters: &[&str]| counters.iter().map(|counter| between.growth(counter)).sum::<Option<f64>>();
    let busy = sum(&[name::HOST_CPU_USER_NS, name::HOST_CPU_SYSTEM_NS, name::HOST_CPU_INTERRUPT_NS]);
    let idle = sum(&[name::HOST_CPU_IDLE_NS, name::HOST_CPU_IOWAIT_NS]);
    let stolen = between.growth(name::HOST_CPU_STEAL_NS).unwrap_or(0.0);
    let share = busy.zip(idle).map(|(busy, idle)| busy / (busy + idle + stolen));
    amounts([
        (LoadQuantity::PhysicalReadsPerSecond, between.rate(name::DEVICE_READ_COUNT)),
        (LoadQuantity::PhysicalReadBytesPerSecond, between.rate(name::DEVICE_READ_BYTES)),
        (LoadQuantity::PhysicalWritesPerSecond, between.rate(name::DEVICE_WRITE_COUNT)),
        (LoadQuantity::PhysicalWriteBytesPerSecond, between.rate(name::DEVICE_WRITE_BYTES)),
        (LoadQuantity::HostBusyShare, share.filter(|share| share.is_finite()).map(|share| share.clamp(0.0, 1.0))),
        (LoadQuantity::NetworkReceivedBytesPerSecond, between.rate(name::INTERFACE_RECEIVED_BYTES)),
        (LoadQuantity::NetworkSentBytesPerSecond, between.rate(name::INTERFACE_SENT_BYTES)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(at: u64, own_transactions: u64, values: &[(&str, u64)]) -> Counted {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        Counted { at_ns: at * 1_000_000_000, values, own_transactions }
    }

    #[test]
    fn transactions_of_the_readings_are_no_commits_of_the_load() {
        let before =
            counted(10, 2, &[(name::COMMIT_COUNT, 100), ("x_wal_write_count", 5), (name::PHYSICAL_WRITE_COUNT, 7)]);
        let after =
            counted(20, 2, &[(name::COMMIT_COUNT, 142), ("x_wal_write_count", 25), (name::PHYSICAL_WRITE_COUNT, 17)]);
        let found = watched_database(&before, &after, "x", CommitSource::Common);
        let average = |quantity| found.get(&quantity).map(|amount: &Amount| amount.average);
        assert_eq!(average(LoadQuantity::CommitsPerSecond), Some(4.0));
        assert_eq!(average(LoadQuantity::PhysicalWritesPerSecond), Some(3.0), "with those of the log");
        assert_eq!(average(LoadQuantity::LogicalReadsPerSecond), None, "absent, not zero");
        assert!(watched_database(&after, &after, "x", CommitSource::Common).is_empty());
    }

    #[test]
    fn commits_of_others_are_those_of_the_best_counter() {
        let source = |counts_others: bool, values: &[(&str, u64)]| {
            let zero: Vec<(&str, u64)> = values.iter().map(|(name, _)| (*name, 0)).collect();
            commit_source(&counted(0, 0, &zero), &counted(1, 0, values), "x", counts_others)
        };
        let all = [("x_transaction_write_count", 3), ("x_commit_statement_count", 3), (name::COMMIT_COUNT, 9)];
        assert_eq!(source(true, &all), CommitSource::Common);
        assert_eq!(source(false, &all), CommitSource::Changes);
        assert_eq!(source(false, &all[1..]), CommitSource::Statements);
        assert_eq!(source(false, &[("x_commit_statement_count", 0), (name::COMMIT_COUNT, 9)]), CommitSource::Common);
    }

    #[test]
    fn the_busy_share_is_of_all_processor_time() {
        let reading = |at: u64, user: u64, idle: u64| {
            let values = [
                (name::HOST_CPU_USER_NS, user),
                (name::HOST_CPU_SYSTEM_NS, 0),
                (name::HOST_CPU_INTERRUPT_NS, 0),
                (name::HOST_CPU_IDLE_NS, idle),
                (name::HOST_CPU_IOWAIT_NS, 0),
            ];
            counted(at, 0, &values)
        };
        let found = watched_host(&reading(0, 0, 0), &reading(1, 500, 1_500));
        assert_eq!(found[&LoadQuantity::HostBusyShare].average, 0.25);
    }

    #[test]
    fn a_counter_that_fell_was_reset() {
        let (one, other) = (counted(0, 0, &[(name::COMMIT_COUNT, 9)]), counted(1, 0, &[(name::COMMIT_COUNT, 3)]));
        assert_eq!((decreased(&one, &other), decreased(&other, &one)), (Some(name::COMMIT_COUNT), None));
    }
}
