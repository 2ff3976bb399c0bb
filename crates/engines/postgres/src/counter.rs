//! The counters of a node.
//!
//! Sources: PostgreSQL manual, "The Cumulative Statistics System", and `system_views.sql`, versions 13 to 18. A common
//! name is used only for the same meaning; if a version counts something else, the counter has another name there or is
//! missing.
//!
//! - `pg_stat_database` is that of the current database; `pg_stat_io`, the writers and the log are of the whole server.
//! - Commits: every transaction of a session counts, including read-only ones, a Parse outside a transaction, and each
//!   login. A session publishes its counters on request; the requesting statement is counted with them, the reading
//!   itself with the next ones. That makes two transactions of dbdyno itself between two readings.
//! - Before version 15 a collector writes the statistics to a file, at most twice a second, so a reading waits until
//!   the file must be newer than what was published before.
//! - Active time is that of the sessions of the current database while they run a statement; idle in transaction is not
//!   active.
//! - Redo is the difference of the WAL insert position: exact at any moment and on every version, without publishing.
//!   It includes the headers of WAL pages, and the rest of a segment that is switched.
//! - Physical reads: up to 16 each read is one block. Up to 15 a block that makes a file longer counts as one, too, though
//!   nothing is read, and no time of it. Version 17 reads several blocks at once and counts blocks, so it has bytes and no
//!   requests; 18 counts both.
//! - Physical writes: up to 15 those of checkpointer, background writer and sessions, the blocks that make a file
//!   longer included, those of a `create index` not. From 16 on blocks that make a file longer are counted apart,
//!   because most of them are only reserved and written later.
//! - Waits are timed if the timing settings are on; otherwise time and count are missing, not zero. Up to 15 the times
//!   of reads and writes of data are those of the sessions of the current database, from 16 on those of every process,
//!   as all others are. A wait has no count where the server counts something else than requests: up to 15 reads (with
//!   blocks that make a file longer) and writes (with those of the checkpointer), which the times leave out, reads in
//!   17 and blocks that make a file longer up to 17 (blocks, of which one request has several).

use std::collections::BTreeMap;
use std::time::Duration;

use engine::{Error, Kind, Result, Session, Value};
use record::name;

use crate::session::{PUBLISH_INTERVAL, PostgresSession, VERSION_OF_FLUSH};

/// The oldest version with its own counters here; flavours based on an older version use them too.
const OLDEST: u32 = 13;

/// No upper version limit.
const NEWEST: u32 = u32::MAX;

/// One counter, in the versions that have it, as an expression over [`SOURCES`].
struct Counter {
    name: &'static str,
    since: u32,
    until: u32,
    sql: &'static str,
    /// The setting that the counter depends on.
    setting: Option<&'static str>,
}

impl Counter {
    fn is_in(&self, major: u32) -> bool {
        (self.since..=self.until).contains(&major)
    }

    /// The expression, null if the setting is off.
    fn value(&self) -> String {
        let sql = self.sql.replace("{block}", BLOCK);
        match self.setting {
            Some(setting) => format!("case when current_setting('{setting}')::bool then {sql} end"),
            None => sql,
        }
    }

    /// Whether it uses `source`, whose alias is its last letter.
    fn reads(&self, source: &str) -> bool {
        let alias = &source[source.len() - 1..];
        let mut statements = self.sql.split(|letter: char| !letter.is_alphanumeric() && letter != '.' && letter != '_');
        statements.any(|word| word.strip_prefix(alias).is_some_and(|rest| rest.starts_with('.')))
    }
}

const fn counter(name: &'static str, since: u32, until: u32, sql: &'static str) -> Counter {
    Counter { name, since, until, sql, setting: None }
}

/// A wait for data files, which depends on `track_io_timing`.
const fn data(name: &'static str, since: u32, until: u32, sql: &'static str) -> Counter {
    Counter { name, since, until, sql, setting: Some("track_io_timing") }
}

/// A wait for WAL, which depends on `track_wal_io_timing`.
const fn log(name: &'static str, since: u32, until: u32, sql: &'static str) -> Counter {
    Counter { name, since, until, sql, setting: Some("track_wal_io_timing") }
}

/// The sources after `from`, by version. Each has one row.
const SOURCES: [(u32, u32, &str); 6] = [
    (13, NEWEST, "(select * from pg_catalog.pg_stat_database where datname = current_database()) d"),
    (13, 16, "pg_catalog.pg_stat_bgwriter b"),
    (17, NEWEST, "pg_catalog.pg_stat_checkpointer c"),
    (14, NEWEST, "pg_catalog.pg_stat_wal w"),
    (
        16,
        17,
        "(select coalesce(sum(reads), 0) reads, coalesce(sum(reads * op_bytes), 0) read_bytes, \
         coalesce(sum(writes), 0) writes, coalesce(sum(writes * op_bytes), 0) write_bytes, \
         coalesce(sum(extends * op_bytes), 0) extend_bytes, coalesce(sum(fsyncs), 0) syncs, \
         coalesce(sum(read_time), 0) read_time, coalesce(sum(write_time), 0) write_time, \
         coalesce(sum(extend_time), 0) extend_time, coalesce(sum(fsync_time), 0) sync_time \
         from pg_catalog.pg_stat_io) i",
    ),
    (
        18,
        NEWEST,
        "(select coalesce(sum(reads) filter (where object <> 'wal'), 0) reads, \
         coalesce(sum(read_bytes) filter (where object <> 'wal'), 0) read_bytes, \
         coalesce(sum(writes) filter (where object <> 'wal'), 0) writes, \
         coalesce(sum(write_bytes) filter (where object <> 'wal'), 0) write_bytes, \
         coalesce(sum(extend_bytes) filter (where object <> 'wal'), 0) extend_bytes, \
         coalesce(sum(extends) filter (where object <> 'wal'), 0) extends, \
         coalesce(sum(fsyncs) filter (where object <> 'wal'), 0) syncs, \
         coalesce(sum(read_time) filter (where object <> 'wal'), 0) read_time, \
         coalesce(sum(write_time) filter (where object <> 'wal'), 0) write_time, \
         coalesce(sum(extend_time) filter (where object <> 'wal'), 0) extend_time, \
         coalesce(sum(fsync_time) filter (where object <> 'wal'), 0) sync_time, \
         coalesce(sum(writes) filter (where object = 'wal'), 0) wal_writes, \
         coalesce(sum(write_time) filter (where object = 'wal'), 0) wal_write_time, \
         coalesce(sum(fsyncs) filter (where object = 'wal'), 0) wal_syncs, \
         coalesce(sum(fsync_time) filter (where object = 'wal'), 0) wal_sync_time from pg_catalog.pg_stat_io) i",
    ),
];

const BLOCK: &str = "current_setting('block_size')::int8";

#[rustfmt::skip]
const COUNTERS: [Counter; 53] = [
    counter(name::COMMIT_COUNT, 13, NEWEST, "d.xact_commit"),
    counter(name::ROLLBACK_COUNT, 13, NEWEST, "d.xact_rollback"),
    counter(name::DATABASE_TIME_NS, 14, NEWEST, "d.active_time * 1000000"),
    counter(name::LOGICAL_READ_COUNT, 13, NEWEST, "d.blks_hit + d.blks_read"),
    counter(name::PHYSICAL_READ_COUNT, 13, 15, "d.blks_read"),
    counter(name::PHYSICAL_READ_COUNT, 16, 16, "i.reads"),
    counter(name::PHYSICAL_READ_COUNT, 18, NEWEST, "i.reads"),
    counter(name::PHYSICAL_READ_BYTES, 13, 15, "d.blks_read * {block}"),
    counter(name::PHYSICAL_READ_BYTES, 16, NEWEST, "i.read_bytes"),
    counter(name::PHYSICAL_WRITE_COUNT, 13, 15, "b.buffers_checkpoint + b.buffers_clean + b.buffers_backend"),
    counter(name::PHYSICAL_WRITE_COUNT, 16, NEWEST, "i.writes"),
    counter(name::PHYSICAL_WRITE_BYTES, 13, 15,
        "(b.buffers_checkpoint + b.buffers_clean + b.buffers_backend) * {block}"),
    counter(name::PHYSICAL_WRITE_BYTES, 16, NEWEST, "i.write_bytes"),
    counter(name::REDO_WRITE_BYTES, 13, NEWEST, "case when pg_catalog.pg_is_in_recovery() then null \
        else pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0') end"),
    // With these methods a write is also a sync, and is not counted as one.
    counter(name::REDO_SYNC_COUNT, 14, 17,
        "case when current_setting('wal_sync_method') not in ('open_sync', 'open_datasync') then w.wal_sync end"),
    counter(name::REDO_SYNC_COUNT, 18, NEWEST,
        "case when current_setting('wal_sync_method') not in ('open_sync', 'open_datasync') then i.wal_syncs end"),
    counter("postgres_extend_bytes", 16, NEWEST, "i.extend_bytes"),
    counter("postgres_read_block_count", 17, 17, "i.reads"),
    counter("postgres_row_inserted_count", 13, NEWEST, "d.tup_inserted"),
    counter("postgres_row_updated_count", 13, NEWEST, "d.tup_updated"),
    counter("postgres_row_deleted_count", 13, NEWEST, "d.tup_deleted"),
    counter("postgres_deadlock_count", 13, NEWEST, "d.deadlocks"),
    counter("postgres_temporary_file_bytes", 13, NEWEST, "d.temp_bytes"),
    counter("postgres_wal_record_count", 14, NEWEST, "w.wal_records"),
    counter("postgres_wal_full_page_count", 14, NEWEST, "w.wal_fpi"),
    counter("postgres_wal_record_bytes", 14, NEWEST, "w.wal_bytes"),
    counter("postgres_wal_buffers_full_count", 14, NEWEST, "w.wal_buffers_full"),
    counter("postgres_wal_write_count", 14, 17, "w.wal_write"),
    counter("postgres_wal_write_count", 18, NEWEST, "i.wal_writes"),
    counter("postgres_checkpoint_count", 13, 16, "b.checkpoints_timed + b.checkpoints_req"),
    counter("postgres_checkpoint_count", 17, NEWEST, "c.num_timed + c.num_requested"),
    counter("postgres_checkpoint_block_count", 13, 16, "b.buffers_checkpoint"),
    counter("postgres_checkpoint_block_count", 17, NEWEST, "c.buffers_written"),
    counter("postgres_session_count", 14, NEWEST, "d.sessions"),
    data("postgres_wait_data_read_ns", 13, 15, "d.blk_read_time * 1000000"),
    data("postgres_wait_data_read_ns", 16, NEWEST, "i.read_time * 1000000"),
    data("postgres_wait_data_read_count", 16, 16, "i.reads"),
    data("postgres_wait_data_read_count", 18, NEWEST, "i.reads"),
    data("postgres_wait_data_write_ns", 13, 15, "d.blk_write_time * 1000000"),
    data("postgres_wait_data_write_ns", 16, NEWEST, "i.write_time * 1000000"),
    data("postgres_wait_data_write_count", 16, NEWEST, "i.writes"),
    data("postgres_wait_data_sync_ns", 16, NEWEST, "i.sync_time * 1000000"),
    data("postgres_wait_data_sync_count", 16, NEWEST, "i.syncs"),
    data("postgres_wait_extend_ns", 16, NEWEST, "i.extend_time * 1000000"),
    data("postgres_wait_extend_count", 18, NEWEST, "i.extends"),
    log("postgres_wait_wal_write_ns", 14, 17, "w.wal_write_time * 1000000"),
    log("postgres_wait_wal_write_ns", 18, NEWEST, "i.wal_write_time * 1000000"),
    log("postgres_wait_wal_write_count", 14, 17, "w.wal_write"),
    log("postgres_wait_wal_write_count", 18, NEWEST, "i.wal_writes"),
    log("postgres_wait_wal_sync_ns", 14, 17, "w.wal_sync_time * 1000000"),
    log("postgres_wait_wal_sync_ns", 18, NEWEST, "i.wal_sync_time * 1000000"),
    log("postgres_wait_wal_sync_count", 14, 17, "w.wal_sync"),
    log("postgres_wait_wal_sync_count", 18, NEWEST, "i.wal_syncs"),
];

/// The statement that reads all counters of one version in one row.
pub(crate) struct CounterQuery {
    names: Vec<&'static str>,
    sql: String,
    /// Maximum age of the statistics that a reading gets (`PGSTAT_STAT_INTERVAL`).
    age_max: Duration,
}

impl CounterQuery {
    /// For the server of `session`. Counters that a flavour does not have, or this role may not read, are omitted: if
    /// the query for all of them fails, each is tried alone.
    pub(crate) fn of_server(session: &mut PostgresSession) -> Result<CounterQuery> {
        let major = session.server().major.max(OLDEST);
        let known: Vec<&Counter> = COUNTERS.iter().filter(|counter| counter.is_in(major)).collect();
        let all = CounterQuery::with(major, &known);
        if session.query_if_supported(&all.sql)?.is_some_and(|rows| rows.len() == 1) {
            return Ok(all);
        }
        let mut found = Vec::new();
        for counter in known {
            let alone = CounterQuery::with(major, &[counter]);
            if session.query_if_supported(&alone.sql)?.is_some_and(|rows| rows.len() == 1) {
                found.push(counter);
            }
        }
        Ok(CounterQuery::with(major, &found))
    }

    /// Whether any version has a counter of this name.
    #[cfg(test)]
    pub(crate) fn times(name: &str) -> bool {
        COUNTERS.iter().any(|counter| counter.name == name)
    }

    /// For a server of version `major`, from the sources that they need.
    fn with(major: u32, counters: &[&Counter]) -> CounterQuery {
        let values: Vec<String> = counters.iter().map(|counter| format!("({})::int8", counter.value())).collect();
        let is_needed = |source: &str| counters.iter().any(|counter| counter.reads(source));
        let sources = SOURCES.iter().filter(|(since, until, sql)| (*since..=*until).contains(&major) && is_needed(sql));
        let sources: Vec<&str> = sources.map(|(_, _, sql)| *sql).collect();
        let from = if sources.is_empty() { String::new() } else { format!(" from {}", sources.join(" cross join ")) };
        CounterQuery {
            names: counters.iter().map(|counter| counter.name).collect(),
            sql: format!("select {}{from}", values.join(", ")),
            age_max: if major < VERSION_OF_FLUSH { PUBLISH_INTERVAL } else { Duration::ZERO },
        }
    }

    /// Reads them in `session`. Each statement is a transaction of its own, and a transaction's statistics snapshot is
    /// discarded at its end, so every reading is current.
    pub(crate) fn read(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        if self.names.is_empty() {
            return Ok((BTreeMap::new(), 0));
        }
        // Prepared first, because that is a transaction too, which is published before the reading.
        let statement = session.prepare(&self.sql)?;
        let published = session.publish_counters()?;
        std::thread::sleep(self.age_max);
        let rows = session.query(statement, &[])?;
        let [row] = rows.as_slice() else {
            return Err(Error::new(Kind::Statement, format!("the counters are {} rows, expected 1", rows.len())));
        };
        let values = self.names.iter().zip(row).filter_map(|(name, value)| match value {
            Value::Int(value) => Some(((*name).to_owned(), u64::try_from(*value).unwrap_or(0))),
            _ => None,
        });
        // The reading itself is published with the next one.
        Ok((values.collect(), published + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(major: u32) -> CounterQuery {
        let counters: Vec<&Counter> = COUNTERS.iter().filter(|counter| counter.is_in(major)).collect();
        CounterQuery::with(major, &counters)
    }

    #[test]
    fn no_version_has_a_counter_twice_and_every_version_has_the_common_ones() {
        for major in OLDEST..=19 {
            let query = query(major);
            let mut names = query.names.clone();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), query.names.len(), "version {major}");
            let common = [name::COMMIT_COUNT, name::LOGICAL_READ_COUNT, name::PHYSICAL_READ_BYTES];
            assert!(common.iter().all(|name| query.names.contains(name)), "version {major}");
            assert_eq!(query.names.contains(&name::PHYSICAL_READ_COUNT), major != 17, "17 counts blocks");
            assert!(!query.sql.contains("{block}"));
        }
    }

    #[test]
    fn every_expression_reads_a_source_that_its_version_has() {
        for major in OLDEST..=19 {
            let there: Vec<&str> = SOURCES
                .iter()
                .filter(|(since, until, _)| (*since..=*until).contains(&major))
                .map(|(_, _, sql)| *sql)
                .collect();
            for counter in COUNTERS.iter().filter(|counter| counter.is_in(major)) {
                let alone = CounterQuery::with(major, &[counter]);
                for (_, _, source) in SOURCES.iter().filter(|(_, _, source)| counter.reads(source)) {
                    let alias = &source[source.len() - 1..];
                    assert!(
                        there.iter().any(|known| known.ends_with(alias)),
                        "{} of version {major} reads {alias}",
                        counter.name
                    );
                }
                assert_eq!(alone.sql.contains(" from "), counter.name != name::REDO_WRITE_BYTES, "{}", alone.sql);
            }
        }
    }

    #[test]
    fn waits_have_wait_names_and_depend_on_timing() {
        for major in OLDEST..=19 {
            let waits: Vec<&Counter> =
                COUNTERS.iter().filter(|counter| counter.is_in(major) && counter.setting.is_some()).collect();
            for counter in &waits {
                let time = counter.name.replace("_count", "_ns");
                let wait = name::wait(&time).unwrap_or_else(|| panic!("{time} is no wait"));
                assert!(counter.name == time || counter.name == wait.count_name(), "{}", counter.name);
                assert!(
                    waits.iter().any(|other| other.name == time),
                    "{} of version {major} has no time",
                    counter.name
                );
                assert!(counter.value().starts_with("case when current_setting('track_"), "{}", counter.value());
            }
            let has = |name: &str| waits.iter().any(|counter| counter.name == name);
            assert_eq!(has("postgres_wait_wal_sync_ns"), major >= 14, "13 does not time its log");
            assert_eq!(has("postgres_wait_data_sync_ns"), major >= 16, "15 does not time these");
            let has_reads = has("postgres_wait_data_read_count");
            assert_eq!(has_reads, major == 16 || major >= 18, "15 counts what it does not read, 17 blocks");
        }
        let timed = COUNTERS.iter().filter(|counter| name::wait(counter.name).is_some());
        assert!(timed.into_iter().all(|counter| counter.setting.is_some()), "no wait without its setting");
    }

    #[test]
    fn an_alias_is_a_word_of_its_own() {
        let counter = counter("any", 13, 13, "pg_catalog.f(i.reads) + d.x");
        assert!(counter.reads("(select 1) i") && counter.reads("(select 1) d"));
        assert!(!counter.reads("pg_catalog.pg_stat_checkpointer c") && !counter.reads("pg_catalog.pg_stat_wal w"));
    }
}
