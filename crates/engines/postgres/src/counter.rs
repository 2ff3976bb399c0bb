//! The counters of a node.
//!
//! Sources: PostgreSQL manual, "The Cumulative Statistics System", and `system_views.sql`, versions 13 to 18. A common
//! name is used only where the meaning is equal; where a version counts something else, the counter has another name
//! there or is missing.
//!
//! - `pg_stat_database` is that of the current database; `pg_stat_io`, the writers and the log are of the whole server.
//! - Commits: every transaction of a session is one, also one that only read, a Parse outside a transaction, and each
//!   login. A session publishes its counters when told to; the statement that tells it is counted with them, the
//!   reading itself with the next ones. That makes two transactions of our own between two readings.
//! - Below version 15 a collector writes what sessions send it to a file, at most twice a second, so a reading waits
//!   until the file that it reads must be newer than what was published before.
//! - Redo is the difference of the insert position of the log: exact at any moment and on every version, without any
//!   session publishing anything. It includes the headers of log pages, and the rest of a segment that is switched.
//! - Physical reads: up to 16 each read is one block. Version 17 reads several blocks at once and counts blocks, so it
//!   has bytes and no requests; 18 counts both.
//! - Physical writes: up to 15 those of checkpointer, background writer and sessions, the blocks that make a file
//!   longer included, those of a `create index` not. From 16 on blocks that make a file longer are counted apart,
//!   because most of them are only reserved and written later.

use std::collections::BTreeMap;
use std::time::Duration;

use engine::{Error, Kind, Result, Session, Value};
use record::name;

use crate::session::{PUBLISH_INTERVAL, VERSION_OF_FLUSH};

/// No version is known that lacks it again.
const NEWEST: u32 = u32::MAX;

/// One counter, in the versions that have it, as an expression over [`SOURCES`].
struct Counter {
    name: &'static str,
    since: u32,
    until: u32,
    sql: &'static str,
}

const fn counter(name: &'static str, since: u32, until: u32, sql: &'static str) -> Counter {
    Counter { name, since, until, sql }
}

/// What stands behind `from`, by version. Each is one row.
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
         coalesce(sum(extends * op_bytes), 0) extend_bytes from pg_catalog.pg_stat_io) i",
    ),
    (
        18,
        NEWEST,
        "(select coalesce(sum(reads) filter (where object <> 'wal'), 0) reads, \
         coalesce(sum(read_bytes) filter (where object <> 'wal'), 0) read_bytes, \
         coalesce(sum(writes) filter (where object <> 'wal'), 0) writes, \
         coalesce(sum(write_bytes) filter (where object <> 'wal'), 0) write_bytes, \
         coalesce(sum(extend_bytes) filter (where object <> 'wal'), 0) extend_bytes, \
         coalesce(sum(writes) filter (where object = 'wal'), 0) wal_writes, \
         coalesce(sum(fsyncs) filter (where object = 'wal'), 0) wal_syncs, \
         coalesce(sum(fsync_time) filter (where object = 'wal'), 0) wal_sync_time from pg_catalog.pg_stat_io) i",
    ),
];

const BLOCK: &str = "current_setting('block_size')::int8";

#[rustfmt::skip]
const COUNTERS: [Counter; 38] = [
    counter(name::COMMIT_COUNT, 13, NEWEST, "d.xact_commit"),
    counter(name::ROLLBACK_COUNT, 13, NEWEST, "d.xact_rollback"),
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
    // With these methods a write is a sync as well, and is not counted as one.
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
    counter("postgres_active_time_ns", 14, NEWEST, "d.active_time * 1000000"),
    counter("postgres_read_time_ns", 13, NEWEST,
        "case when current_setting('track_io_timing')::bool then d.blk_read_time * 1000000 end"),
    counter("postgres_write_time_ns", 13, NEWEST,
        "case when current_setting('track_io_timing')::bool then d.blk_write_time * 1000000 end"),
    counter("postgres_wal_record_count", 14, NEWEST, "w.wal_records"),
    counter("postgres_wal_full_page_count", 14, NEWEST, "w.wal_fpi"),
    counter("postgres_wal_record_bytes", 14, NEWEST, "w.wal_bytes"),
    counter("postgres_wal_buffers_full_count", 14, NEWEST, "w.wal_buffers_full"),
    counter("postgres_wal_write_count", 14, 17, "w.wal_write"),
    counter("postgres_wal_write_count", 18, NEWEST, "i.wal_writes"),
    counter("postgres_wal_sync_time_ns", 14, 17,
        "case when current_setting('track_wal_io_timing')::bool then w.wal_sync_time * 1000000 end"),
    counter("postgres_wal_sync_time_ns", 18, NEWEST,
        "case when current_setting('track_wal_io_timing')::bool then i.wal_sync_time * 1000000 end"),
    counter("postgres_checkpoint_count", 13, 16, "b.checkpoints_timed + b.checkpoints_req"),
    counter("postgres_checkpoint_count", 17, NEWEST, "c.num_timed + c.num_requested"),
    counter("postgres_checkpoint_block_count", 13, 16, "b.buffers_checkpoint"),
    counter("postgres_checkpoint_block_count", 17, NEWEST, "c.buffers_written"),
    counter("postgres_session_count", 14, NEWEST, "d.sessions"),
];

/// The statement that reads all counters of one version in one row.
pub(crate) struct CounterQuery {
    names: Vec<&'static str>,
    sql: String,
    /// How old what a reading finds may be (`PGSTAT_STAT_INTERVAL`).
    age_max: Duration,
}

impl CounterQuery {
    /// For servers of version `major`.
    pub(crate) fn of(major: u32) -> CounterQuery {
        let there = |since: u32, until: u32| (since..=until).contains(&major);
        let counters: Vec<&Counter> = COUNTERS.iter().filter(|counter| there(counter.since, counter.until)).collect();
        let values: Vec<String> =
            counters.iter().map(|counter| format!("({})::int8", counter.sql.replace("{block}", BLOCK))).collect();
        let sources: Vec<&str> =
            SOURCES.iter().filter(|(since, until, _)| there(*since, *until)).map(|(_, _, sql)| *sql).collect();
        CounterQuery {
            names: counters.iter().map(|counter| counter.name).collect(),
            sql: format!("select {} from {}", values.join(", "), sources.join(" cross join ")),
            age_max: if major < VERSION_OF_FLUSH { PUBLISH_INTERVAL } else { Duration::ZERO },
        }
    }

    /// Reads them in `session`. Each statement is a transaction of its own, and what a transaction has once seen of
    /// the statistics it forgets at its end, so a second reading is a fresh one.
    pub(crate) fn read(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        // Parsed first, because that is a transaction too: it is published with the others before the reading.
        let statement = session.prepare(&self.sql)?;
        let published = session.publish_counters()?;
        std::thread::sleep(self.age_max);
        let rows = session.query(statement, &[])?;
        let [row] = rows.as_slice() else {
            return Err(Error::new(Kind::Statement, format!("the counters are {} rows where 1 is due", rows.len())));
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

    #[test]
    fn no_version_has_a_counter_twice_and_every_version_has_the_common_ones() {
        for major in 13..=19 {
            let query = CounterQuery::of(major);
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
        for major in 13..=19 {
            let there = |since: u32, until: u32| (since..=until).contains(&major);
            let sources: Vec<char> = SOURCES
                .iter()
                .filter(|(since, until, _)| there(*since, *until))
                .filter_map(|(_, _, sql)| sql.chars().last())
                .collect();
            for counter in COUNTERS.iter().filter(|counter| there(counter.since, counter.until)) {
                for alias in ['b', 'c', 'd', 'i', 'w'] {
                    let used =
                        counter.sql.split(|letter: char| !letter.is_alphanumeric() && letter != '.' && letter != '_');
                    if used.into_iter().any(|word| word.starts_with(&format!("{alias}."))) {
                        assert!(sources.contains(&alias), "{} of version {major} reads {alias}", counter.name);
                    }
                }
            }
        }
    }
}
