//! The counters of a node.
//!
//! Sources: Oracle "Database Reference", the dynamic performance views and "Statistics Descriptions". All are of the
//! whole instance (in a pluggable database, of that) and current at any moment: sessions publish nothing. A common name
//! is used only where the meaning is equal. A view that this user may not read is missing, not zero; what a view has not
//! counted yet is zero.
//!
//! - Commits: `user commits`. A transaction that only read is none: dbdyno sends nothing for it.
//! - Physical reads and writes: the requests of the database itself, one block or more each; the log is not among them.
//! - Redo: `redo size` is what was produced; `redo writes` are the writes of the log writer, each of which is on storage
//!   when it ends.
//! - Waits: how often and how long, of a fixed list of events; the histogram of a wait counts in powers of two of a
//!   microsecond (`..._under_64us_count`: at least 32, less than 64).
//! - Nothing is read that needs the Diagnostics Pack (session history, workload repository).
//! - Reading the counters changes nothing and is no commit.

use std::collections::BTreeMap;

use engine::{Kind, Result, Session, Value};
use record::name;

/// Statistics of `v$sysstat` with the names of their counters; the common ones first.
const STATISTICS: &[(&str, &str)] = &[
    (name::COMMIT_COUNT, "user commits"),
    (name::LOGICAL_READ_COUNT, "session logical reads"),
    (name::PHYSICAL_READ_COUNT, "physical read IO requests"),
    (name::PHYSICAL_READ_BYTES, "physical read bytes"),
    (name::PHYSICAL_WRITE_COUNT, "physical write IO requests"),
    (name::PHYSICAL_WRITE_BYTES, "physical write bytes"),
    (name::REDO_WRITE_BYTES, "redo size"),
    (name::REDO_SYNC_COUNT, "redo writes"),
    ("oracle_user_rollback_count", "user rollbacks"),
    ("oracle_user_call_count", "user calls"),
    ("oracle_execute_count", "execute count"),
    ("oracle_parse_count", "parse count (total)"),
    ("oracle_hard_parse_count", "parse count (hard)"),
    ("oracle_block_change_count", "db block changes"),
    ("oracle_consistent_get_count", "consistent gets"),
    ("oracle_physical_read_block_count", "physical reads"),
    ("oracle_physical_read_direct_block_count", "physical reads direct"),
    ("oracle_physical_write_block_count", "physical writes"),
    ("oracle_physical_write_direct_block_count", "physical writes direct"),
    ("oracle_total_read_request_count", "physical read total IO requests"),
    ("oracle_total_read_bytes", "physical read total bytes"),
    ("oracle_total_write_request_count", "physical write total IO requests"),
    ("oracle_total_write_bytes", "physical write total bytes"),
    ("oracle_redo_entry_count", "redo entries"),
    ("oracle_redo_wastage_bytes", "redo wastage"),
    ("oracle_redo_sync_count", "redo synch writes"),
    ("oracle_table_scan_row_count", "table scan rows gotten"),
    ("oracle_table_scan_block_count", "table scan blocks gotten"),
    ("oracle_fetch_by_rowid_count", "table fetch by rowid"),
    ("oracle_sort_disk_count", "sorts (disk)"),
    ("oracle_sent_bytes", "bytes sent via SQL*Net to client"),
    ("oracle_received_bytes", "bytes received via SQL*Net from client"),
    ("oracle_round_trip_count", "SQL*Net roundtrips to/from client"),
];

/// Figures of `v$sys_time_model`, microseconds, with the names of their counters. They are no waits and are not called so.
const TIMES: &[(&str, &str)] = &[
    (name::DATABASE_TIME_NS, "DB time"),
    ("oracle_db_cpu_ns", "DB CPU"),
    ("oracle_sql_execute_elapsed_ns", "sql execute elapsed time"),
    ("oracle_plsql_execution_elapsed_ns", "PL/SQL execution elapsed time"),
    ("oracle_parse_elapsed_ns", "parse time elapsed"),
    ("oracle_background_cpu_ns", "background cpu time"),
];

/// Events of `v$system_event` with the names of their counters; those with true have a histogram too.
const EVENTS: &[(&str, &str, bool)] = &[
    ("single_block_read", "db file sequential read", true),
    ("multiblock_read", "db file scattered read", true),
    ("parallel_read", "db file parallel read", false),
    ("direct_read", "direct path read", true),
    ("direct_write", "direct path write", true),
    ("background_data_write", "db file parallel write", true),
    ("background_log_write", "log file parallel write", true),
    ("log_sync", "log file sync", true),
    ("log_buffer_space", "log buffer space", false),
    ("log_switch", "log file switch completion", false),
    ("log_switch_checkpoint", "log file switch (checkpoint incomplete)", false),
    ("free_buffer", "free buffer waits", false),
    ("buffer_busy", "buffer busy waits", false),
    ("row_lock", "enq: TX - row lock contention", false),
    ("index_contention", "enq: TX - index contention", false),
    ("write_complete", "write complete waits", false),
];

/// The buckets of a histogram: less than 1, 2, 4, ... 2^22 microseconds (4.2 s); one more for all above.
const BUCKETS: u32 = 23;

/// Functions of `v$iostat_function` with the names of their counters.
const FUNCTIONS: &[(&str, &str)] = &[
    ("log_writer", "LGWR"),
    ("database_writer", "DBWR"),
    ("buffer_cache", "Buffer Cache Reads"),
    ("direct_read_function", "Direct Reads"),
    ("direct_write_function", "Direct Writes"),
];

/// Kinds of files in `v$iostat_file` with the names of their counters.
const FILES: &[(&str, &str)] = &[("data_file", "Data File"), ("temp_file", "Temp File"), ("log_file", "Log File")];

/// The questions, each with the view that it asks: its rows are a name and numbers.
pub(crate) fn questions() -> [String; 6] {
    let list = |names: Vec<&str>| format!("'{}'", names.join("', '"));
    [
        format!("select name, value from v$sysstat where name in ({})", list(STATISTICS.iter().map(|s| s.1).collect())),
        format!(
            "select stat_name, value from v$sys_time_model where stat_name in ({})",
            list(TIMES.iter().map(|time| time.1).collect())
        ),
        format!(
            "select event, total_waits, time_waited_micro from v$system_event where event in ({})",
            list(EVENTS.iter().map(|event| event.1).collect())
        ),
        format!(
            "select event, wait_time_micro, wait_count from v$event_histogram_micro where event in ({})",
            list(EVENTS.iter().filter(|event| event.2).map(|event| event.1).collect())
        ),
        format!(
            "select function_name, small_read_reqs + large_read_reqs, small_write_reqs + large_write_reqs, \
                 number_of_waits, wait_time from v$iostat_function where function_name in ({})",
            list(FUNCTIONS.iter().map(|function| function.1).collect())
        ),
        format!(
            "select filetype_name, sum(small_read_reqs + large_read_reqs), sum(small_write_reqs + large_write_reqs), \
                 sum(small_sync_read_reqs), sum(small_sync_read_latency) from v$iostat_file \
                 where filetype_name in ({}) group by filetype_name",
            list(FILES.iter().map(|file| file.1).collect())
        ),
    ]
}

/// What the counters of the wait `event` are called.
pub(crate) fn name_of_wait(event: &str) -> Option<&'static str> {
    EVENTS.iter().find(|(_, known, _)| *known == event).map(|(name, ..)| *name)
}

/// Puts the rows of one question into the counters.
type Reader = fn(&[Row], &mut BTreeMap<String, u64>);

/// What becomes of the rows of each question, in their order.
const READERS: [Reader; 6] = [statistics, times, events, histograms, functions, files];

/// A row of an answer: a name and numbers.
type Row = (String, Vec<u64>);

/// The questions that this user may ask.
pub(crate) struct CounterQuery {
    questions: Vec<(String, Reader)>,
}

impl CounterQuery {
    /// Asks each once.
    pub(crate) fn of(session: &mut dyn Session) -> Result<CounterQuery> {
        let mut readable = Vec::new();
        for (question, reader) in questions().into_iter().zip(READERS) {
            match rows(session, &question) {
                Ok(_) => readable.push((question, reader)),
                // Not granted, or not there in this version.
                Err(error) if matches!(error.kind, Kind::Access | Kind::Statement) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(CounterQuery { questions: readable })
    }

    /// Reads them.
    pub(crate) fn read(&self, session: &mut dyn Session) -> Result<BTreeMap<String, u64>> {
        let mut counters = BTreeMap::new();
        for (question, reader) in &self.questions {
            reader(&rows(session, question)?, &mut counters);
        }
        Ok(counters)
    }
}

/// The rows of a question whose first column is a name.
fn rows(session: &mut dyn Session, sql: &str) -> Result<Vec<Row>> {
    let statement = session.prepare(sql)?;
    Ok(session.query(statement, &[])?.iter().filter_map(|row| parse(row)).collect())
}

fn parse(row: &[Value<'static>]) -> Option<Row> {
    let (Value::Text(name), numbers) = row.split_first()? else { return None };
    let number = |value: &Value<'_>| match value {
        Value::Int(number) => u64::try_from(*number).unwrap_or(0),
        // Counters of the server go up to 2^64 and further.
        Value::Decimal(text) => text.split('.').next().and_then(|whole| whole.parse().ok()).unwrap_or(0),
        _ => 0,
    };
    Some((name.clone().into_owned(), numbers.iter().map(number).collect()))
}

/// The first number of each row that is called so; absent where there is none.
fn statistics(rows: &[Row], counters: &mut BTreeMap<String, u64>) {
    for (name, statistic) in STATISTICS {
        if let Some(value) = rows.iter().find(|row| row.0 == *statistic).and_then(|row| row.1.first()) {
            counters.insert((*name).to_owned(), *value);
        }
    }
}

fn times(rows: &[Row], counters: &mut BTreeMap<String, u64>) {
    for (name, statistic) in TIMES {
        if let Some(value) = rows.iter().find(|row| row.0 == *statistic).and_then(|row| row.1.first()) {
            counters.insert((*name).to_owned(), value.saturating_mul(1_000));
        }
    }
}

/// An event that has not occurred is not in the view.
fn events(rows: &[Row], counters: &mut BTreeMap<String, u64>) {
    for (name, event, _) in EVENTS {
        let row = rows.iter().find(|row| row.0 == *event);
        let figure = |index: usize| row.and_then(|row| row.1.get(index)).copied().unwrap_or(0);
        counters.insert(format!("oracle_wait_{name}_count"), figure(0));
        counters.insert(format!("oracle_wait_{name}_ns"), figure(1).saturating_mul(1_000));
    }
}

/// A bucket that is empty is not in the view either.
fn histograms(rows: &[Row], counters: &mut BTreeMap<String, u64>) {
    for (name, event, _) in EVENTS.iter().filter(|event| event.2) {
        for bucket in 0..BUCKETS {
            counters.insert(format!("oracle_wait_{name}_under_{}us_count", 1_u64 << bucket), 0);
        }
        counters.insert(format!("oracle_wait_{name}_over_{}us_count", 1_u64 << (BUCKETS - 1)), 0);
        for (_, figures) in rows.iter().filter(|row| row.0 == *event) {
            let [limit_us, count] = figures[..] else { continue };
            let known = format!("oracle_wait_{name}_under_{limit_us}us_count");
            let over = format!("oracle_wait_{name}_over_{}us_count", 1_u64 << (BUCKETS - 1));
            let name = if counters.contains_key(&known) { known } else { over };
            *counters.entry(name).or_default() += count;
        }
    }
}

fn functions(rows: &[Row], counters: &mut BTreeMap<String, u64>) {
    for (name, function) in FUNCTIONS {
        let Some((_, figures)) = rows.iter().find(|row| row.0 == *function) else { continue };
        let [reads, writes, waits, wait_ms] = figures[..] else { continue };
        let mut own = |what: &str, value: u64| counters.insert(format!("oracle_{name}_{what}"), value);
        own("read_request_count", reads);
        own("write_request_count", writes);
        own("wait_count", waits);
        own("io_elapsed_ns", wait_ms.saturating_mul(1_000_000));
    }
}

fn files(rows: &[Row], counters: &mut BTreeMap<String, u64>) {
    for (name, file) in FILES {
        let Some((_, figures)) = rows.iter().find(|row| row.0 == *file) else { continue };
        let [reads, writes, single_reads, single_read_ms] = figures[..] else { continue };
        let mut own = |what: &str, value: u64| counters.insert(format!("oracle_{name}_{what}"), value);
        own("read_request_count", reads);
        own("write_request_count", writes);
        own("single_block_read_count", single_reads);
        own("single_block_read_elapsed_ns", single_read_ms.saturating_mul(1_000_000));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, figures: &[u64]) -> Row {
        (name.to_owned(), figures.to_vec())
    }

    #[test]
    fn a_statistic_has_its_common_name_and_one_that_is_not_there_is_missing() {
        let mut counters = BTreeMap::new();
        statistics(&[row("user commits", &[23]), row("redo size", &[4_096])], &mut counters);
        let expected = [(name::COMMIT_COUNT, 23), (name::REDO_WRITE_BYTES, 4_096)];
        assert_eq!(counters, expected.map(|(name, value)| (name.to_owned(), value)).into());
    }

    #[test]
    fn an_event_that_has_not_occurred_is_zero_and_times_are_nanoseconds() {
        let mut counters = BTreeMap::new();
        events(&[row("log file sync", &[7, 1_500])], &mut counters);
        assert_eq!((counters["oracle_wait_log_sync_count"], counters["oracle_wait_log_sync_ns"]), (7, 1_500_000));
        assert_eq!(counters["oracle_wait_row_lock_count"], 0);
        assert_eq!(counters.len(), 2 * EVENTS.len());
    }

    #[test]
    fn a_histogram_has_all_its_buckets_and_what_is_above_is_one() {
        let mut counters = BTreeMap::new();
        let event = "db file sequential read";
        let rows = [row(event, &[64, 5]), row(event, &[1 << 25, 2]), row(event, &[u64::MAX, 1])];
        histograms(&rows, &mut counters);
        assert_eq!(counters["oracle_wait_single_block_read_under_64us_count"], 5);
        assert_eq!(counters["oracle_wait_single_block_read_over_4194304us_count"], 3);
        assert_eq!(counters["oracle_wait_log_sync_under_1us_count"], 0);
        assert_eq!(counters.len(), EVENTS.iter().filter(|event| event.2).count() * (BUCKETS as usize + 1));
    }

    #[test]
    fn numbers_beyond_an_integer_and_names_that_are_none_are_read_as_far_as_they_go() {
        let large = Value::Decimal("18446744073709551615".into());
        assert_eq!(parse(&[Value::Text("a".into()), large]), Some(row("a", &[u64::MAX])));
        assert_eq!(parse(&[Value::Null, Value::Int(1)]), None);
        assert_eq!(parse(&[]), None);
    }

    #[test]
    fn every_counter_has_a_common_name_or_the_prefix_of_the_engine_and_none_two_sources() {
        let mut counters = BTreeMap::new();
        let all = |names: Vec<&str>, figures: &[u64]| names.iter().map(|name| row(name, figures)).collect::<Vec<Row>>();
        let mut expected = 0;
        let mut count = |counters: &BTreeMap<String, u64>, more: usize| {
            expected += more;
            assert_eq!(counters.len(), expected, "two sources of one counter");
        };
        statistics(&all(STATISTICS.iter().map(|s| s.1).collect(), &[1]), &mut counters);
        count(&counters, STATISTICS.len());
        times(&all(TIMES.iter().map(|time| time.1).collect(), &[1]), &mut counters);
        count(&counters, TIMES.len());
        events(&[], &mut counters);
        count(&counters, 2 * EVENTS.len());
        functions(&all(FUNCTIONS.iter().map(|function| function.1).collect(), &[1, 2, 3, 4]), &mut counters);
        count(&counters, 4 * FUNCTIONS.len());
        files(&all(FILES.iter().map(|file| file.1).collect(), &[1, 2, 3, 4]), &mut counters);
        count(&counters, 4 * FILES.len());
        let waits = counters.keys().filter(|name| name::wait(name).is_some()).count();
        assert_eq!(waits, EVENTS.len(), "a time that is no wait is called like one");
        let own = counters.keys().filter(|name| name.starts_with("oracle_")).count();
        assert_eq!(counters.len() - own, 9, "those with a common name");
    }
}
