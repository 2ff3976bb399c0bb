//! The quantities of a load profile of the rates of the views.

use record::load_profile::{DoubtKind, Elsewhere, LoadQuantity};

use crate::cumulative::RateSpan;
use crate::found::{Found, add};
use crate::part::{Amounts, put};

/// Bytes of a block where the dump does not tell.
const BLOCK_BYTES: f64 = 8192.0;

/// The amounts of an interval. `major` is the version of the server, if it is known.
pub(crate) fn amounts(span: &RateSpan, major: Option<u32>, doubts: &mut Vec<Found>) -> Amounts {
    use LoadQuantity::*;
    let rate = |name: &str| span.rates.get(name).copied();
    let sum = |one: Option<f64>, other: Option<f64>| Some(one? + other?);
    let block = rate("block_size").filter(|bytes| *bytes >= 1.0).unwrap_or(BLOCK_BYTES);
    let mut amounts = Amounts::new();
    put(&mut amounts, CommitsPerSecond, rate("commits"));
    put(&mut amounts, RollbacksPerSecond, rate("rollbacks"));
    put(&mut amounts, LogicalReadsPerSecond, sum(rate("blocks_hit"), rate("blocks_read")));
    put(&mut amounts, ActiveSessions, rate("active_sessions"));
    put(&mut amounts, Sessions, rate("sessions"));
    let read_seconds = rate("block_read_seconds").zip(rate("blocks_read").filter(|blocks| *blocks > 0.0));
    put(&mut amounts, RandomReadSeconds, read_seconds.map(|(seconds, blocks)| seconds / blocks));

    let log_bytes = rate("log_bytes").or(rate("wal_position_bytes"));
    let log_writes = rate("log_writes").or(rate("wal_writes"));
    put(&mut amounts, LogBytesPerSecond, log_bytes);
    put(&mut amounts, LogWritesPerSecond, log_writes);
    put(&mut amounts, LogSyncsPerSecond, rate("log_syncs").or(rate("wal_syncs")));

    let has_io = rate("io_reads").is_some();
    // In this version a request of several blocks counts as several.
    let counts_blocks = major == Some(17);
    if has_io {
        put(&mut amounts, PhysicalReadBytesPerSecond, rate("io_read_bytes"));
        let written = rate("io_write_bytes").zip(rate("log_write_bytes").or(log_bytes));
        put(&mut amounts, PhysicalWriteBytesPerSecond, written.map(|(data, log)| data + log));
        if !counts_blocks {
            put(&mut amounts, PhysicalReadsPerSecond, rate("io_reads"));
            put(&mut amounts, SequentialReadsPerSecond, rate("io_bulk_reads"));
            put(&mut amounts, PhysicalWritesPerSecond, sum(rate("io_writes"), log_writes));
        }
    } else {
        put(&mut amounts, PhysicalReadsPerSecond, rate("blocks_read"));
        put(&mut amounts, PhysicalReadBytesPerSecond, rate("blocks_read").map(|blocks| blocks * block));
        let checkpoints = rate("blocks_of_old_checkpoints").or(rate("blocks_of_checkpoints"));
        let written = sum(sum(checkpoints, rate("blocks_of_writer")), rate("blocks_of_sessions"));
        put(&mut amounts, PhysicalWritesPerSecond, sum(written, log_writes));
        put(&mut amounts, PhysicalWriteBytesPerSecond, sum(written.map(|blocks| blocks * block), log_bytes));
    }
    if amounts.contains_key(&PhysicalReadBytesPerSecond) {
        add(doubts, Found::warning(DoubtKind::PageCacheReads).at(span.started_at_ms));
    }

    // Without the count of what was dropped, the differences of the statements that are left may be a part of them.
    let deallocated = rate("deallocated").map(|rate| (rate * span.seconds).round() as u64);
    if let Some(count) = deallocated.filter(|count| *count > 0 && span.rates.contains_key("statements")) {
        add(doubts, Found::warning(DoubtKind::StatementsDeallocated { count }).at(span.started_at_ms));
    }
    put(&mut amounts, StatementsPerSecond, rate("statements"));
    amounts
}

/// Where to get a quantity that the dumps do not have.
pub(crate) fn elsewhere(quantity: LoadQuantity, major: Option<u32>) -> Elsewhere {
    use LoadQuantity::*;
    let view = |name: &str| Elsewhere::View { name: name.to_owned() };
    let since = |version: u32, name: &str| match major {
        Some(major) if major < version => Elsewhere::NewerVersion { version: version.to_string() },
        _ => view(name),
    };
    match quantity {
        PhysicalReadsPerSecond | PhysicalWritesPerSecond | SequentialReadsPerSecond if major == Some(17) => {
            Elsewhere::HostStatistics
        }
        CommitsPerSecond | RollbacksPerSecond | LogicalReadsPerSecond | Sessions => view("pg_stat_database"),
        PhysicalReadsPerSecond | PhysicalReadBytesPerSecond => since(16, "pg_stat_io"),
        PhysicalWritesPerSecond | PhysicalWriteBytesPerSecond if major.is_some_and(|major| major < 16) => {
            view("pg_stat_bgwriter")
        }
        PhysicalWritesPerSecond | PhysicalWriteBytesPerSecond | SequentialReadsPerSecond => since(16, "pg_stat_io"),
        LogBytesPerSecond | LogWritesPerSecond | LogSyncsPerSecond if major.is_none_or(|major| major < 18) => {
            since(14, "pg_stat_wal")
        }
        LogBytesPerSecond => view("pg_stat_wal"),
        LogWritesPerSecond | LogSyncsPerSecond => view("pg_stat_io"),
        StatementsPerSecond => view("pg_stat_statements"),
        ActiveSessions => since(14, "pg_stat_database"),
        RandomReadSeconds => Elsewhere::Setting { name: "track_io_timing".to_owned() },
        DatabaseProcessorSecondsPerSecond | HostBusyShare | HostFreeMemoryBytes => Elsewhere::HostStatistics,
        NetworkReceivedBytesPerSecond | NetworkSentBytesPerSecond => Elsewhere::HostStatistics,
        CommitSeconds => Elsewhere::Watching,
        SequentialWritesPerSecond => Elsewhere::Nowhere,
    }
}
