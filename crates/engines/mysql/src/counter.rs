//! The counters of a node.
//!
//! Sources: MariaDB "Server Status Variables", MySQL "Server Status Variables"; the sources of both where these are
//! silent. All are of the whole server and current at any moment: sessions need not publish them. A common name is used
//! only for the same meaning. Disabled counters are missing, not zero.
//!
//! - Commits: see `commits`.
//! - Physical reads and writes: requests of InnoDB, 1 page or more each. Since version 10.8 MariaDB does not count log
//!   writes in them; elsewhere log writes are included and are subtracted.
//! - Database time: MariaDB sums the busy time of its sessions, MySQL times its statements; see `database_time`.
//! - Redo: the log position (LSN); in MySQL from InnoDB's metrics if enabled (the status variable of that name is up to
//!   a second old), else the bytes written to the log, which include the rest of a block.
//! - Waits are those of the performance schema, for all enabled and timed instruments: summed over all threads,
//!   including background threads, which wait for work most of the time. Waits for tables (`wait/io/table`,
//!   `wait/lock/table`) are excluded: they are sums over existing tables, and decrease when one is dropped.
//! - MariaDB does not report the number of log syncs since 10.8.
//! - Reading the counters accesses no table, and is not a commit. But MySQL reads its data dictionary on cache misses,
//!   and `Handler_commit` counts these as well: their number is taken from the session status.

use std::collections::BTreeMap;

use engine::{Result, Session};
use record::name;

use crate::commits::Commits;
use crate::connect::Server;
use crate::database_time::DatabaseTime;
use crate::flavour::Flavour;
use crate::query::{if_permitted, is_on, rows};
use crate::replication::Replication;
use crate::session::Sums;

/// A status variable: counter name without the prefix of the product, variable, and factor.
type StatusCounter = (&'static str, &'static str, u64);

/// Factor from milliseconds to nanoseconds.
const MILLISECOND_NS: u64 = 1_000_000;

/// Variables of `show global status` with product-specific counter names.
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

/// The same for a node of a cluster. On other servers some of these are zero.
const CLUSTER_STATUS: &[StatusCounter] = &[
    ("replicated_transaction_count", "wsrep_replicated", 1),
    ("replicated_bytes", "wsrep_replicated_bytes", 1),
    ("received_transaction_count", "wsrep_received", 1),
    ("received_bytes", "wsrep_received_bytes", 1),
    ("certified_commit_count", "wsrep_local_commits", 1),
    ("certification_failure_count", "wsrep_local_cert_failures", 1),
    ("replication_abort_count", "wsrep_local_bf_aborts", 1),
    ("replay_count", "wsrep_local_replays", 1),
    ("flow_control_paused_time_ns", "wsrep_flow_control_paused_ns", 1),
    ("flow_control_sent_count", "wsrep_flow_control_sent", 1),
];

/// InnoDB metrics, which exist only if they are enabled.
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

/// The InnoDB metric with the log position.
const LOG_POSITION: &str = "log_lsn_current";

/// File waits of the performance schema, with the names of their counters.
const WAITS: &[(&str, &str, &str, &str)] = &[
    ("wait/io/file/innodb/innodb_log_file", "log_sync", "count_misc", "sum_timer_misc"),
    ("wait/io/file/innodb/innodb_data_file", "data_file_read", "count_read", "sum_timer_read"),
    ("wait/io/file/innodb/innodb_data_file", "data_file_write", "count_write", "sum_timer_write"),
];

/// Whether the performance schema collects anything.
const COLLECTED: &str = "exists (select 1 from performance_schema.setup_consumers \
     where name = 'global_instrumentation' and enabled = 'YES')";

/// The statements that read all counters of one server.
pub(crate) struct CounterQuery {
    flavour: Flavour,
    replication: Replication,
    /// Whether log writes are included in InnoDB's data writes.
    log_in_data_writes: bool,
    metrics: Option<String>,
    waits: Option<String>,
    events: Option<String>,
    commits: Commits,
    pub(crate) database_time: Option<DatabaseTime>,
}

impl CounterQuery {
    /// For `server`; `session` is used to detect what is enabled and readable.
    pub(crate) fn of(server: &Server, replication: Replication, session: &mut dyn Session) -> Result<CounterQuery> {
        let names = |list: Vec<&str>| format!("'{}'", list.join("', '"));
        let metrics = format!(
            "select name, cast(count as char) from information_schema.innodb_metrics where {} and name in ({})",
            match server.flavour {
                Flavour::MariaDb => "enabled = 1",
                Flavour::MySql => "status = 'enabled'",
            },
            names(METRICS.iter().map(|(_, metric)| *metric).chain([LOG_POSITION]).collect())
        );
        let file_waits: Vec<String> = WAITS
            .iter()
            .map(|(event, name, count, time)| {
                format!(
                    "select '{name}', cast({count} as char), cast({time} div 1000 as char) \
                     from performance_schema.file_summary_by_event_name where event_name = '{event}' \
                     and exists (select 1 from performance_schema.setup_instruments \
                     where name = '{event}' and enabled = 'YES' and timed = 'YES') and {COLLECTED}"
                )
            })
            .collect();
        let events = format!(
            "select e.event_name, cast(e.count_star as char), cast(e.sum_timer_wait div 1000 as char) \
             from performance_schema.events_waits_summary_global_by_event_name e \
             join performance_schema.setup_instruments i on i.name = e.event_name \
             where i.enabled = 'YES' and i.timed = 'YES' and {COLLECTED} \
             and e.event_name like 'wait/%' and e.event_name not like 'wait/%/table/%' and e.event_name not in ({})",
            names(WAITS.iter().map(|(event, ..)| *event).collect())
        );
        let is_collected = is_on(session, "performance_schema")?;
        let (waits, events) = match is_collected {
            true => (if_permitted(session, file_waits.join(" union all "))?, if_permitted(session, events)?),
            false => (None, None),
        };
        let log_in_data_writes = server.flavour == Flavour::MySql || server.release < (10, 8);
        let metrics = if_permitted(session, metrics)?;
        let database_time = DatabaseTime::of(server.flavour, is_collected, session)?;
        let flavour = server.flavour;
        let commits = Commits::of(flavour, replication, is_collected, session)?;
        Ok(CounterQuery { flavour, replication, log_in_data_writes, metrics, waits, events, commits, database_time })
    }

    /// Whether it counts transactions themselves: the other sources count each statement in one, and know only those that a session
    /// has sent, not those of a procedure.
    pub(crate) fn counts_transactions(&self) -> bool {
        self.commits == Commits::Transactions
    }

    /// Reads them in `session`; `sums` are the counts of the node's sessions. The second value is the number of commits
    /// of the reading itself that are not included yet.
    pub(crate) fn read(&self, session: &mut dyn Session, sums: Sums) -> Result<(BTreeMap<String, u64>, u64)> {
        self.own_commits(session)?;
        let answered = rows(session, "show global status")?;
        let counted = self.own_commits(session)?;
        let status: BTreeMap<&str, u64> = answered
            .iter()
            .filter_map(|row| match row.as_slice() {
                [name, value] => Some((name.as_str(), value.parse().ok()?)),
                _ => None,
            })
            .collect();
        let mut counters = self.common(&status);
        if let Some(commits) = self.commits.read(session, &status, sums)? {
            counters.insert(name::COMMIT_COUNT.to_owned(), commits);
        }
        if let Some(time) = &self.database_time
            && let Some(total_ns) = time.read(session, &answered)?
        {
            counters.insert(name::DATABASE_TIME_NS.to_owned(), total_ns);
        }
        let metrics = self.metrics.iter().map(|sql| rows(session, sql)).collect::<Result<Vec<_>>>()?.concat();
        if let Some(position) = self.log_position(&metrics) {
            counters.insert(name::REDO_WRITE_BYTES.to_owned(), position);
        }
        let prefix = self.flavour.name();
        let mut own = |name: &str, value: u64| counters.insert(format!("{prefix}_{name}"), value);
        let of_cluster = if self.replication == Replication::Galera { CLUSTER_STATUS } else { &[] };
        for (name, variable, unit) in STATUS.iter().chain(of_cluster) {
            if let Some(value) = status.get(variable) {
                own(name, value.saturating_mul(*unit));
            }
        }
        for row in &metrics {
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
        for row in self.events.iter().map(|sql| rows(session, sql)).collect::<Result<Vec<_>>>()?.concat() {
            if let [event, count, time] = row.as_slice()
                && let (Ok(count), Ok(time)) = (count.parse(), time.parse())
            {
                let stem = stem(event);
                own(&format!("{stem}_count"), count);
                own(&format!("{stem}_ns"), time);
            }
        }
        let later = self.own_commits(session)?.saturating_sub(counted);
        Ok((counters, later))
    }

    /// Commits of `session` as counted by MySQL, if `Handler_commit` is the source.
    fn own_commits(&self, session: &mut dyn Session) -> Result<u64> {
        if (self.flavour, self.commits) != (Flavour::MySql, Commits::Handler) {
            return Ok(0);
        }
        let counted = rows(session, "show session status like 'Handler_commit'")?;
        Ok(counted.first().and_then(|row| row.get(1)?.parse().ok()).unwrap_or(0))
    }

    /// The log position from InnoDB's metrics.
    fn log_position(&self, metrics: &[Vec<String>]) -> Option<u64> {
        let row = metrics.iter().find(|row| row.first().is_some_and(|name| name == LOG_POSITION))?;
        if self.flavour == Flavour::MySql { row.get(1)?.parse().ok() } else { None }
    }

    fn common(&self, status: &BTreeMap<&str, u64>) -> BTreeMap<String, u64> {
        let value = |variable: &str| status.get(variable).copied();
        let less = |variable: &str, log: &str| match self.log_in_data_writes {
            true => Some(value(variable)?.saturating_sub(value(log)?)),
            false => value(variable),
        };
        let redo = match self.flavour {
            Flavour::MariaDb => value("Innodb_lsn_current"),
            Flavour::MySql => value("Innodb_os_log_written"),
        };
        let all = [
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

/// Counter name of a wait event, without prefix and unit.
fn stem(event: &str) -> String {
    event.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(flavour: Flavour, log_in_data_writes: bool) -> CounterQuery {
        let replication = Replication::Log(flavour);
        let (metrics, waits, events, commits, database_time) = (None, None, None, Commits::Handler, None);
        CounterQuery { flavour, replication, log_in_data_writes, metrics, waits, events, commits, database_time }
    }

    #[test]
    fn an_event_is_a_wait_by_its_name() {
        for (event, counter, text) in [
            ("wait/io/file/sql/binlog", "mariadb_wait_io_file_sql_binlog_ns", "io_file_sql_binlog"),
            ("wait/io/file/aria/MAD-x", "mariadb_wait_io_file_aria_MAD_x_ns", "io_file_aria_MAD_x"),
            (
                "wait/synch/mutex/sql/TC_LOG::LOCK",
                "mariadb_wait_synch_mutex_sql_TC_LOG__LOCK_ns",
                "synch_mutex_sql_TC_LOG__LOCK",
            ),
        ] {
            assert_eq!(format!("mariadb_{}_ns", stem(event)), counter);
            assert_eq!(name::wait(counter).map(|wait| wait.event), Some(text));
        }
    }

    #[test]
    fn log_writes_are_not_data_writes() {
        let status = BTreeMap::from([
            ("Innodb_data_writes", 100),
            ("Innodb_log_writes", 40),
            ("Innodb_data_written", 9_000),
            ("Innodb_os_log_written", 1_000),
            ("Innodb_lsn_current", 5_000),
        ]);
        let among = query(Flavour::MySql, true).common(&status);
        assert_eq!((among[name::PHYSICAL_WRITE_COUNT], among[name::PHYSICAL_WRITE_BYTES]), (60, 8_000));
        assert_eq!(among[name::REDO_WRITE_BYTES], 1_000);
        let apart = query(Flavour::MariaDb, false).common(&status);
        assert_eq!((apart[name::PHYSICAL_WRITE_COUNT], apart[name::PHYSICAL_WRITE_BYTES]), (100, 9_000));
        assert_eq!(apart[name::REDO_WRITE_BYTES], 5_000);
    }

    #[test]
    fn no_counter_has_two_sources() {
        let waits = WAITS.iter().map(|(_, name, _, _)| *name);
        let mut names: Vec<&str> = STATUS
            .iter()
            .chain(CLUSTER_STATUS)
            .map(|(name, _, _)| *name)
            .chain(METRICS.iter().map(|(name, _)| *name))
            .chain(waits)
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
