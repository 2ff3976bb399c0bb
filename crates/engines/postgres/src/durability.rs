//! Settings that weaken durability, and the engine's own check.

use engine::{Durability, OwnCheck, Value, Weakening};

pub(crate) static DURABILITY: Durability = Durability {
    // Segments of the log are reused soon.
    parameters: &[("max_wal_size", "128MB"), ("min_wal_size", "32MB")],
    weakenings: &[
        // What was written is in the page cache, which outlives the processes.
        Weakening { parameters: &[("fsync", "off")], loses_on_kill: false, loses_on_power_cut: true },
        // Commits wait in shared memory for the WAL writer, which ends with the server.
        Weakening { parameters: &[("synchronous_commit", "off")], loses_on_kill: true, loses_on_power_cut: true },
    ],
    checks: &[OwnCheck {
        // Pages are checked as they are read: reading the table comes before.
        statement: |table| {
            format!(
                "select coalesce(sum(checksum_failures), 0)::bigint from pg_stat_database \
                 where (select count(*) from \"{table}\") >= 0"
            )
        },
        is_fine: |row| matches!(row.first(), Some(Value::Int(0))),
    }],
};
