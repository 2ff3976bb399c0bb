//! The counters of a node.
//!
//! Sources: MariaDB "Server Status Variables", MySQL "Server Status Variables"; the sources of both where these are
//! silent. All are of the whole server and current at any moment: sessions publish nothing. A common name is used only
//! where the meaning is equal. What the server has switched off is missing, not zero.
//!
//! - Commits: `Handler_commit` counts what every storage engine is told to commit, a transaction that only read and a
//!   statement of definition included, a statement that touches no table not. Inside a transaction it counts each
//!   statement at its end as well; the sessions count these too, and they are taken off. (`Com_commit` counts only those
//!   that say `commit`; InnoDB's own counts, which are here where they are on, count several for one definition.)
//! - Physical reads and writes: requests of InnoDB, 1 page or more each. From version 10.8 on MariaDB writes its log past
//!   these counters; elsewhere the writes of the log are in them and are taken off.
//! - Redo: MariaDB gives the position in the log, MySQL what was written of it, so that it includes the rest of a block.
//! - How often the log was forced to storage MariaDB does not say from 10.8 on.
//! - Reading the counters touches no table, and is no commit.

use std::collections::BTreeMap;

use engine::{Kind, Result, Session, Value};
use record::name;

use crate::connect::Server;
use crate::flavour::Flavour;

/// A status variable: its name behind the prefix of the product, the variable, and what one of it is.
type StatusCounter = (&'static str, &'static str, u64);

/// Milliseconds and the like in nanoseconds.
const MILLISECOND_NS: u64 = 1_000_000;

/// Variables of `show global status` that are counted under a name of the product.
const STATUS: &[StatusCounter] = &[
    ("handler_commit_count", "Handler_commit", 1),
    ("handler_rollback_count", "Handler_rollback", 1),
    ("commit_statement_count", "Com_commit", 1),
    ("rollback_statement_count", "Com_rollback", 1),
    ("data_sync_count", "Innodb_data_fsyncs", 1),
    ("page_read_count", "Innodb_pages_read", 1),
    ("page_written_count", "Innodb_pages_written", 1),
    ("page_created_count", "Innodb_pages_created", 1),
    ("double_written_page_count", "Innodb_dblwr_pages_written", 1),
    ("log_request_count", "Innodb_log_write_requests", 1),
    ("log_write_count", "Innodb_log_writes", 1),
    ("log_write_bytes", "Innodb_os_log_written", 1),
    ("log_wait_count", "Innodb_log_waits", 1),
    ("buffer_pool_miss_count", "Innodb_buffer_pool_reads", 1),
    ("buffer_pool_wait_count", "Innodb_buffer_pool_wait_free", 1),
    ("read_ahead_page_count", "Innodb_buffer_pool_read_ahead", 1),
    ("row_lock_wait_count", "Innodb_row_lock_waits", 1),
    ("row_lock_wait_time_ns", "Innodb_row_lock_time", MILLISECOND_NS),
    ("deadlock_count", "Innodb_deadlocks", 1),
    ("temporary_disk_table_count", "Created_tmp_disk_tables", 1),
    ("sort_merge_pass_count", "Sort_merge_passes", 1),
    ("statement_count", "Questions", 1),
];

/// Counters of InnoDB that are there only while they are switched on.
const METRICS: &[(&str, &str)] = &[
    ("transaction_write_count", "trx_rw_commits"),
    ("transaction_read_count", "trx_ro_commits"),
    ("transaction_read_statement_count", "trx_nl_ro_commits"),
    ("transaction_rollback_count", "trx_rollbacks"),
    ("lock_deadlock_count", "lock_deadlocks"),
    ("lock_timeout_count", "lock_timeouts"),
    ("row_read_count", "dml_reads"),
    ("row_inserted_count", "dml_inserts"),
    ("row_updated_count", "dml_updates"),
    ("row_deleted_count", "dml_deletes"),
];

/// Waits of the performance schema, with the names of their counters.
const WAITS: &[(&str, &str, &str, &str)] = &[
    ("wait/io/file/innodb/innodb_log_file", "log_sync", "count_misc", "sum_timer_misc"),
    ("wait/io/file/innodb/innodb_data_file", "data_file_read", "count_read", "sum_timer_read"),
    ("wait/io/file/innodb/innodb_data_file", "data_file_write", "count_write", "sum_timer_write"),
];

/// The statements that read all counters of one server.
pub(crate) struct CounterQuery {
    flavour: Flavour,
    /// Whether the writes of the log are among those of InnoDB.
    log_among_writes: bool,
    metrics: Option<String>,
    waits: Option<String>,
}

impl CounterQuery {
    /// For `server`; `session` is asked what is switched on and may be read.
    pub(crate) fn of(server: &Server, session: &mut dyn Session) -> Result<CounterQuery> {
        let names = |list: Vec<&str>| format!("'{}'", list.join("', '"));
        let metrics = format!(
            "select name, cast(count as char) from information_schema.innodb_metrics where {} and name in ({})",
            match server.flavour {
                Flavour::MariaDb => "enabled = 1",
                Flavour::MySql => "status = 'enabled'",
            },
            names(METRICS.iter().map(|(_, metric)| *metric).collect())
        );
        let waits: Vec<String> = WAITS
            .iter()
            .map(|(event, name, count, time)| {
                format!(
                    "select '{name}', cast({count} as char), cast({time} div 1000 as char) \
                     from performance_schema.file_summary_by_event_name where event_name = '{event}' \
                     and exists (select 1 from performance_schema.setup_instruments \
                     where name = '{event}' and enabled = 'YES' and timed = 'YES')"
                )
            })
            .collect();
        let is_on = rows(session, "select cast(@@performance_schema as char)")?;
        let waits =
            if is_on == [["1"]] || is_on == [["ON"]] { readable(session, waits.join(" union all "))? } else { None };
        let log_among_writes = server.flavour == Flavour::MySql || server.release < (10, 8);
        Ok(CounterQuery { flavour: server.flavour, log_among_writes, metrics: readable(session, metrics)?, waits })
    }

    /// Reads them in `session`. `inner_statements` are those that ended inside a transaction.
    pub(crate) fn read(&self, session: &mut dyn Session, inner_statements: u64) -> Result<BTreeMap<String, u64>> {
        let status = rows(session, "show global status")?;
        let status: BTreeMap<&str, u64> = status
            .iter()
            .filter_map(|row| match row.as_slice() {
                [name, value] => Some((name.as_str(), value.parse().ok()?)),
                _ => None,
            })
            .collect();
        let mut counters = self.common(&status, inner_statements);
        let prefix = self.flavour.name();
        let mut own = |name: &str, value: u64| counters.insert(format!("{prefix}_{name}"), value);
        for (name, variable, unit) in STATUS {
            if let Some(value) = status.get(variable) {
                own(name, value.saturating_mul(*unit));
            }
        }
        for row in self.metrics.iter().map(|sql| rows(session, sql)).collect::<Result<Vec<_>>>()?.concat() {
            let known = METRICS.iter().find(|(_, metric)| row.first().is_some_and(|name| name == metric));
            if let (Some((name, _)), Some(Ok(value))) = (known, row.get(1).map(|value| value.parse())) {
                own(name, value);
            }
        }
        for row in self.waits.iter().map(|sql| rows(session, sql)).collect::<Result<Vec<_>>>()?.concat() {
            if let [name, count, time] = row.as_slice()
                && let (Ok(count), Ok(time)) = (count.parse(), time.parse())
            {
                own(&format!("{name}_count"), count);
                own(&format!("{name}_time_ns"), time);
            }
        }
        Ok(counters)
    }

    fn common(&self, status: &BTreeMap<&str, u64>, inner_statements: u64) -> BTreeMap<String, u64> {
        let value = |variable: &str| status.get(variable).copied();
        let less = |variable: &str, log: &str| match self.log_among_writes {
            true => Some(value(variable)?.saturating_sub(value(log)?)),
            false => value(variable),
        };
        let redo = match self.flavour {
            Flavour::MariaDb => value("Innodb_lsn_current"),
            Flavour::MySql => value("Innodb_redo_log_current_lsn").or_else(|| value("Innodb_os_log_written")),
        };
        let all = [
            (name::COMMIT_COUNT, value("Handler_commit").map(|count| count.saturating_sub(inner_statements))),
            (name::LOGICAL_READ_COUNT, value("Innodb_buffer_pool_read_requests")),
            (name::PHYSICAL_READ_COUNT, value("Innodb_data_reads")),
            (name::PHYSICAL_READ_BYTES, value("Innodb_data_read")),
            (name::PHYSICAL_WRITE_COUNT, less("Innodb_data_writes", "Innodb_log_writes")),
            (name::PHYSICAL_WRITE_BYTES, less("Innodb_data_written", "Innodb_os_log_written")),
            (name::REDO_WRITE_BYTES, redo),
            (name::REDO_SYNC_COUNT, value("Innodb_os_log_fsyncs")),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// `sql`, if this user may run it.
fn readable(session: &mut dyn Session, sql: String) -> Result<Option<String>> {
    match rows(session, &sql) {
        Ok(_) => Ok(Some(sql)),
        // Not allowed, or not there in this version.
        Err(error) if matches!(error.kind, Kind::Access | Kind::Statement) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The rows of a question whose answers are texts.
fn rows(session: &mut dyn Session, sql: &str) -> Result<Vec<Vec<String>>> {
    let statement = session.prepare(sql)?;
    let text = |value: Value<'static>| match value {
        Value::Text(text) => text.into_owned(),
        Value::Int(number) => number.to_string(),
        Value::Decimal(number) => number.into_owned(),
        Value::Float(number) => number.to_string(),
        Value::Null => String::new(),
    };
    let rows = session.query(statement, &[])?;
    Ok(rows.into_iter().map(|row| row.into_iter().map(text).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(flavour: Flavour, log_among_writes: bool) -> CounterQuery {
        CounterQuery { flavour, log_among_writes, metrics: None, waits: None }
    }

    #[test]
    fn statements_inside_transactions_are_taken_off_the_commits() {
        let status = BTreeMap::from([("Handler_commit", 69)]);
        let counters = query(Flavour::MariaDb, false).common(&status, 46);
        assert_eq!(counters, BTreeMap::from([(name::COMMIT_COUNT.to_owned(), 23)]), "what is not there is missing");
    }

    #[test]
    fn writes_of_the_log_are_no_writes_of_data() {
        let status = BTreeMap::from([
            ("Innodb_data_writes", 100),
            ("Innodb_log_writes", 40),
            ("Innodb_data_written", 9_000),
            ("Innodb_os_log_written", 1_000),
            ("Innodb_lsn_current", 5_000),
        ]);
        let among = query(Flavour::MySql, true).common(&status, 0);
        assert_eq!((among[name::PHYSICAL_WRITE_COUNT], among[name::PHYSICAL_WRITE_BYTES]), (60, 8_000));
        assert_eq!(among[name::REDO_WRITE_BYTES], 1_000);
        let apart = query(Flavour::MariaDb, false).common(&status, 0);
        assert_eq!((apart[name::PHYSICAL_WRITE_COUNT], apart[name::PHYSICAL_WRITE_BYTES]), (100, 9_000));
        assert_eq!(apart[name::REDO_WRITE_BYTES], 5_000);
    }

    #[test]
    fn no_counter_has_two_sources() {
        let waits = WAITS.iter().map(|(_, name, _, _)| *name);
        let mut names: Vec<&str> =
            STATUS.iter().map(|(name, _, _)| *name).chain(METRICS.iter().map(|(name, _)| *name)).chain(waits).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
