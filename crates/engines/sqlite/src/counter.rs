//! Counters of the engine: of the VFS, of hooks, of the page caches.
//!
//! Counting must not influence the measurement: sessions and files use different shards, so that CPUs do not share
//! cache lines, and all counters only increase, so that a reading needs no lock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use record::name;

/// Purpose of a file, from the open flags of SQLite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The database.
    Database,
    /// The write-ahead log.
    Log,
    /// A rollback journal.
    Journal,
    /// Spilled sorts and statements, sub-journals, temporary tables.
    Temporary,
}

/// Calls of one kind.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    count: AtomicU64,
    bytes: AtomicU64,
    ns: AtomicU64,
}

impl Calls {
    pub(crate) fn add(&self, bytes: u64, elapsed: Duration) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.ns.fetch_add(elapsed.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// Calls for files of one purpose.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) reads: Calls,
    pub(crate) writes: Calls,
    pub(crate) syncs: Calls,
    /// Pages accessed through a memory map; device reads for them cannot be counted.
    pub(crate) mapped: Calls,
}

/// A shard of the counters.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Shard {
    traffic: [Traffic; 4],
    pub(crate) commits: AtomicU64,
    pub(crate) rollbacks: AtomicU64,
    pub(crate) busy_waits: AtomicU64,
    pub(crate) busy_wait_ns: AtomicU64,
    pub(crate) cache_hits: AtomicU64,
    pub(crate) cache_misses: AtomicU64,
}

impl Shard {
    pub(crate) fn traffic(&self, purpose: Purpose) -> &Traffic {
        &self.traffic[purpose as usize]
    }
}

/// Counters of one node.
#[derive(Debug)]
pub(crate) struct Tally {
    shards: Box<[Shard]>,
    next: AtomicUsize,
}

/// More than the usual number of concurrent sessions; beyond that they share shards.
const SHARDS: usize = 128;

impl Tally {
    pub(crate) fn new() -> Tally {
        Tally { shards: (0..SHARDS).map(|_| Shard::default()).collect(), next: AtomicUsize::new(0) }
    }

    /// The shard for the next session or file.
    pub(crate) fn shard(&self) -> &Shard {
        &self.shards[self.next.fetch_add(1, Ordering::Relaxed) % SHARDS]
    }

    fn sum(&self, value: impl Fn(&Shard) -> &AtomicU64) -> u64 {
        self.shards.iter().map(|shard| value(shard).load(Ordering::Relaxed)).sum()
    }

    fn calls(&self, purpose: Purpose, calls: fn(&Traffic) -> &Calls) -> [u64; 3] {
        let value = |field: fn(&Calls) -> &AtomicU64| self.sum(|shard| field(calls(shard.traffic(purpose))));
        [value(|calls| &calls.count), value(|calls| &calls.bytes), value(|calls| &calls.ns)]
    }

    /// The counters under their names.
    ///
    /// A physical read is one of the database or of the log: both contain pages. A physical write is one of the
    /// database; writes of the log or the journal are redo. Temporary files are counted separately. A session waits for
    /// each call of the VFS, and for locks; all of them are timed.
    pub(crate) fn values(&self) -> BTreeMap<String, u64> {
        let reads = |purpose| self.calls(purpose, |traffic| &traffic.reads);
        let writes = |purpose| self.calls(purpose, |traffic| &traffic.writes);
        let syncs = |purpose| self.calls(purpose, |traffic| &traffic.syncs);
        let sum = |left: [u64; 3], right: [u64; 3]| [left[0] + right[0], left[1] + right[1], left[2] + right[2]];
        let log_reads = reads(Purpose::Log);
        let page_reads = sum(reads(Purpose::Database), log_reads);
        let page_writes = writes(Purpose::Database);
        let redo_writes = sum(writes(Purpose::Log), writes(Purpose::Journal));
        let redo_syncs = sum(syncs(Purpose::Log), syncs(Purpose::Journal));
        let database_syncs = syncs(Purpose::Database);
        let temporary_reads = reads(Purpose::Temporary);
        let temporary_writes = writes(Purpose::Temporary);
        let misses = self.sum(|shard| &shard.cache_misses);
        let values = [
            (name::LOGICAL_READ_COUNT, self.sum(|shard| &shard.cache_hits) + misses),
            (name::PHYSICAL_READ_COUNT, page_reads[0]),
            (name::PHYSICAL_READ_BYTES, page_reads[1]),
            (name::PHYSICAL_WRITE_COUNT, page_writes[0]),
            (name::PHYSICAL_WRITE_BYTES, page_writes[1]),
            (name::REDO_WRITE_BYTES, redo_writes[1]),
            (name::REDO_SYNC_COUNT, redo_syncs[0]),
            (name::COMMIT_COUNT, self.sum(|shard| &shard.commits)),
            (name::ROLLBACK_COUNT, self.sum(|shard| &shard.rollbacks)),
            (name::BUSY_WAIT_COUNT, self.sum(|shard| &shard.busy_waits)),
            ("sqlite_wait_lock_count", self.sum(|shard| &shard.busy_waits)),
            ("sqlite_wait_lock_ns", self.sum(|shard| &shard.busy_wait_ns)),
            ("sqlite_wait_data_read_count", page_reads[0]),
            ("sqlite_wait_data_read_ns", page_reads[2]),
            ("sqlite_wait_data_write_count", page_writes[0]),
            ("sqlite_wait_data_write_ns", page_writes[2]),
            ("sqlite_wait_data_sync_count", database_syncs[0]),
            ("sqlite_wait_data_sync_ns", database_syncs[2]),
            ("sqlite_wait_log_write_count", redo_writes[0]),
            ("sqlite_wait_log_write_ns", redo_writes[2]),
            ("sqlite_wait_log_sync_count", redo_syncs[0]),
            ("sqlite_wait_log_sync_ns", redo_syncs[2]),
            ("sqlite_cache_miss_count", misses),
            ("sqlite_log_read_count", log_reads[0]),
            ("sqlite_log_read_bytes", log_reads[1]),
            ("sqlite_mapped_read_count", self.calls(Purpose::Database, |traffic| &traffic.mapped)[0]),
            ("sqlite_temporary_read_count", temporary_reads[0]),
            ("sqlite_temporary_read_bytes", temporary_reads[1]),
            ("sqlite_temporary_write_count", temporary_writes[0]),
            ("sqlite_temporary_write_bytes", temporary_writes[1]),
        ];
        values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// One session's shard.
#[derive(Clone, Debug)]
pub(crate) struct SessionShard {
    tally: Arc<Tally>,
    index: usize,
}

impl SessionShard {
    pub(crate) fn of(tally: &Arc<Tally>) -> SessionShard {
        SessionShard { tally: Arc::clone(tally), index: tally.next.fetch_add(1, Ordering::Relaxed) % SHARDS }
    }

    pub(crate) fn shard(&self) -> &Shard {
        &self.tally.shards[self.index]
    }
}
