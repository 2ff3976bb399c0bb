//! Settings that weaken durability, and the engine's own checks.

use engine::{Durability, OwnCheck, Value, Weakening};

pub(crate) static DURABILITY: Durability = Durability {
    // Segments of the log are reused soon.
    parameters: &[("max_wal_size", "128MB"), ("min_wal_size", "32MB")],
    weakenings: &[
        // What was written is in the page cache, which outlives the processes.
        Weakening::of_commits(&[("fsync", "off")], false),
        // Commits wait in shared memory for the WAL writer, which ends with the server.
        Weakening::of_commits(&[("synchronous_commit", "off")], true),
        // The log has changes of pages, and not the pages that the first of them may find torn.
        Weakening::of_pages(&[("full_page_writes", "off")]),
    ],
    log_switch: Some("select pg_switch_wal()"),
    checks: &[
        // A page that does not have its checksum is an error where it is read. Counts of such pages say more, and too much: maps of
        // free space are not logged, and are built anew where they are torn.
        OwnCheck {
            prepare: None,
            statement: |table| format!("select count(*) from \"{table}\""),
            is_fine: |row| matches!(row.first(), Some(Value::Int(_))),
        },
        // What pg_amcheck asks: each row is a damage of the table.
        OwnCheck {
            prepare: AMCHECK,
            statement: |table| {
                format!("select blkno::bigint, msg::text from verify_heapam('\"{table}\"', check_toast => true)")
            },
            is_fine: |_| false,
        },
        // A damage of an index, or a row of the table that is not in it, is an error.
        OwnCheck {
            prepare: AMCHECK,
            statement: |table| {
                format!(
                    "select count(bt_index_check(indexrelid::regclass, true)::text) from pg_index \
                     where indrelid = '\"{table}\"'::regclass"
                )
            },
            is_fine: |_| true,
        },
    ],
};

/// It belongs to the parts that are installed apart on some systems.
const AMCHECK: Option<&str> = Some("create extension if not exists amcheck");
