//! Settings that weaken durability, and the engine's own checks.

use engine::{ClusterDurability, Durability, Failover, OwnCheck, StartQueries, Value, Weakening};

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
    protections: &["data_checksums", "full_page_writes"],
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
    start: StartQueries {
        mark: Some("select (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint"),
        uptime: Some("select floor(extract(epoch from clock_timestamp() - pg_postmaster_start_time()))::bigint"),
        // For those who may read files of the server.
        host: Some("select pg_read_file('/proc/sys/kernel/random/boot_id', 0, 36)"),
    },
    cluster: Some(&CLUSTER),
};

static CLUSTER: ClusterDurability = ClusterDurability {
    is_asked: |target| target.parameter("replicas").is_some(),
    parameters: &[],
    failover: Some(Failover {
        // An asynchronous replica is behind by design: there is nothing to prove.
        parameters: &[("synchronous", "on")],
        weakenings: &[
            // Replicas are synchronous, and commits do not wait for them.
            Weakening::of_commits(&[("synchronous_commit", "local")], true),
            Weakening::of_commits(&[("synchronous", "off")], true),
        ],
        senders: "select pid::bigint from pg_catalog.pg_stat_replication",
        position: "select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_receive_lsn(), '0/0')::bigint",
        promote: "select pg_catalog.pg_promote(true, 60)",
    }),
};

/// It belongs to the parts that are installed apart on some systems.
const AMCHECK: Option<&str> = Some("create extension if not exists amcheck");
