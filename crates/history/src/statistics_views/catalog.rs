//! The views, and what their rows add up to.

use std::collections::BTreeMap;

use crate::cumulative::Count::{Level, Rising, RisingInRow};
use crate::cumulative::{Rates, Row, View};

/// Name of the dump of the server itself, which is no view.
pub(super) const SERVER: &str = "server";

/// How a dump of a view is recognized.
#[derive(Debug)]
pub(super) struct Dumped {
    pub(super) view: View,
    /// Columns that no other view has together.
    pub(super) told_by: &'static [&'static str],
    /// Columns that name a row.
    pub(super) key: &'static [&'static str],
}

/// All views; the first whose columns a header has is that of the dump.
pub(super) static VIEWS: [Dumped; 8] = [
    Dumped {
        view: View {
            name: "pg_stat_database",
            columns: &[
                ("xact_commit", Rising),
                ("xact_rollback", Rising),
                ("blks_read", Rising),
                ("blks_hit", Rising),
                ("blk_read_time", Rising),
                ("active_time", Rising),
                ("numbackends", Level),
            ],
            rates: database,
        },
        told_by: &["xact_commit", "blks_read"],
        key: &["datid", "datname"],
    },
    Dumped {
        view: View {
            name: "pg_stat_io",
            columns: &[
                ("reads", Rising),
                ("read_bytes", Rising),
                ("writes", Rising),
                ("write_bytes", Rising),
                ("fsyncs", Rising),
                ("op_bytes", Level),
            ],
            rates: io,
        },
        told_by: &["backend_type", "object", "context", "reads"],
        key: &["backend_type", "object", "context"],
    },
    Dumped {
        view: View {
            name: "pg_stat_wal",
            columns: &[("wal_bytes", Rising), ("wal_write", Rising), ("wal_sync", Rising)],
            rates: wal,
        },
        told_by: &["wal_records", "wal_bytes"],
        key: &[],
    },
    Dumped {
        view: View { name: "pg_stat_checkpointer", columns: &[("buffers_written", Rising)], rates: checkpointer },
        told_by: &["buffers_written", "num_timed"],
        key: &[],
    },
    Dumped {
        view: View {
            name: "pg_stat_bgwriter",
            columns: &[("buffers_checkpoint", Rising), ("buffers_clean", Rising), ("buffers_backend", Rising)],
            rates: background_writer,
        },
        told_by: &["buffers_clean", "buffers_alloc"],
        key: &[],
    },
    Dumped {
        view: View { name: "pg_stat_statements", columns: &[("calls", RisingInRow)], rates: statements },
        told_by: &["queryid", "calls"],
        key: &["userid", "dbid", "queryid", "toplevel"],
    },
    Dumped {
        view: View { name: "pg_stat_statements_info", columns: &[("dealloc", Rising)], rates: deallocated },
        told_by: &["dealloc", "stats_reset"],
        key: &[],
    },
    Dumped {
        view: View { name: SERVER, columns: &[("wal_position_bytes", Rising), ("block_size", Level)], rates: server },
        told_by: &["server_version", "wal_position_bytes"],
        key: &[],
    },
];

/// The sum of a column over `rows`, if any has it.
fn sum<'a, 'r: 'a>(rows: impl IntoIterator<Item = &'a Row<'r>>, column: usize) -> Option<f64> {
    rows.into_iter().filter_map(|row| row.values.get(column).copied().flatten()).reduce(|sum, value| sum + value)
}

/// Those of `rates` that are there.
fn present<const COUNT: usize>(rates: [(&'static str, Option<f64>); COUNT]) -> Rates {
    rates.into_iter().filter_map(|(name, rate)| Some((name, rate?))).collect()
}

fn database(rows: &[Row<'_>]) -> Rates {
    let timed = sum(rows, 4).filter(|time| *time > 0.0);
    present([
        ("commits", sum(rows, 0)),
        ("rollbacks", sum(rows, 1)),
        ("blocks_read", sum(rows, 2)),
        ("blocks_hit", sum(rows, 3)),
        // Thousandths of milliseconds of a second.
        ("block_read_seconds", timed.map(|time| time / 1e6)),
        ("active_sessions", sum(rows, 5).map(|time| time / 1e6)),
        ("sessions", sum(rows, 6)),
    ])
}

/// Whether a row of `pg_stat_io` is of the log.
fn is_of_log(row: &&Row<'_>) -> bool {
    row.key.split('\u{1f}').nth(1) == Some("wal")
}

/// Whether a row of `pg_stat_io` is of requests for blocks in order.
fn is_bulk(row: &&Row<'_>) -> bool {
    row.key.split('\u{1f}').nth(2).is_some_and(|context| context.starts_with("bulk") || context == "vacuum")
}

fn io(rows: &[Row<'_>]) -> Rates {
    let data = || rows.iter().filter(|row| !is_of_log(row));
    let log = || rows.iter().filter(is_of_log);
    let times = |row: &Row<'_>, count: usize| Some(row.values[count]? * row.values[5]?);
    let bytes = |column: usize, count: usize| {
        sum(data(), column).or_else(|| data().filter_map(|row| times(row, count)).reduce(|sum, bytes| sum + bytes))
    };
    let has_bytes = sum(rows, 1).is_some();
    let mut rates = present([
        ("io_reads", sum(data(), 0)),
        ("io_bulk_reads", sum(data().filter(is_bulk), 0)),
        ("io_read_bytes", bytes(1, 0)),
        ("io_writes", sum(data(), 2)),
        ("io_bulk_writes", sum(data().filter(is_bulk), 2)),
        ("io_write_bytes", bytes(3, 2)),
    ]);
    if has_bytes {
        rates.extend(present([
            ("log_writes", sum(log(), 2)),
            ("log_write_bytes", sum(log(), 3)),
            ("log_syncs", sum(log(), 4)),
        ]));
    }
    rates
}

fn wal(rows: &[Row<'_>]) -> Rates {
    present([("log_bytes", sum(rows, 0)), ("wal_writes", sum(rows, 1)), ("wal_syncs", sum(rows, 2))])
}

fn checkpointer(rows: &[Row<'_>]) -> Rates {
    present([("blocks_of_checkpoints", sum(rows, 0))])
}

fn background_writer(rows: &[Row<'_>]) -> Rates {
    // Since 17 the blocks of checkpoints and of sessions are counted elsewhere.
    present([
        ("blocks_of_old_checkpoints", sum(rows, 0)),
        ("blocks_of_writer", sum(rows, 1)),
        ("blocks_of_sessions", sum(rows, 2)),
    ])
}

fn statements(rows: &[Row<'_>]) -> Rates {
    // A statement within a function is part of the one that called it.
    let is_inner = |row: &&Row<'_>| matches!(row.key.rsplit('\u{1f}').next(), Some("f" | "false"));
    BTreeMap::from([("statements", sum(rows.iter().filter(|row| !is_inner(row)), 0).unwrap_or(0.0))])
}

fn deallocated(rows: &[Row<'_>]) -> Rates {
    present([("deallocated", sum(rows, 0))])
}

fn server(rows: &[Row<'_>]) -> Rates {
    present([("wal_position_bytes", sum(rows, 0)), ("block_size", sum(rows, 1))])
}
