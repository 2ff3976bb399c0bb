//! Settings that weaken durability, and the engine's own check.

use engine::{ClusterDurability, Durability, OwnCheck, StartQueries, Value, Weakening};

/// Of MariaDB, whose log has a fixed size.
pub(crate) static OF_MARIADB: Durability =
    of(&[("innodb_log_file_size", "48M"), EAGER], &[WRITTEN_LATE, FLUSHED_LATE, SINGLE_WRITE], Some(&GALERA));

/// Of MySQL. Single writes of its pages are no control: it extends files by writes that it syncs, so that most of its faults come there
/// and tear no page.
pub(crate) static OF_MYSQL: Durability =
    of(&[("innodb_redo_log_capacity", "48M"), EAGER], &[WRITTEN_LATE, FLUSHED_LATE], None);

/// All nodes take writes; none is promoted.
static GALERA: ClusterDurability = ClusterDurability {
    is_asked: |target| target.parameter("nodes").is_some_and(|count| count != "1"),
    parameters: &[("wsrep_provider_options", "gcache.size=16M")],
    failover: None,
};

/// Pages are written soon after they were changed, so that faults find some.
const EAGER: (&str, &str) = ("innodb_max_dirty_pages_pct", "0");

const fn of(
    parameters: &'static [(&'static str, &'static str)],
    weakenings: &'static [Weakening],
    cluster: Option<&'static ClusterDurability>,
) -> Durability {
    // The log of InnoDB is one ring.
    Durability {
        parameters,
        weakenings,
        protections: PROTECTIONS,
        log_switch: None,
        checks: CHECKS,
        start: START,
        cluster,
    }
}

/// When it was started is not told, but for how long it has been up.
const START: StartQueries = StartQueries { uptime: Some("show global status like 'Uptime'"), ..StartQueries::NONE };

const PROTECTIONS: &[&str] = &["innodb_doublewrite", "innodb_checksum_algorithm"];

/// Commits wait in the log buffer, and are written and synced once a second.
const WRITTEN_LATE: Weakening = Weakening::of_commits(&[("innodb_flush_log_at_trx_commit", "0")], true);

/// They are written, which outlives the processes, and synced once a second.
const FLUSHED_LATE: Weakening = Weakening::of_commits(&[("innodb_flush_log_at_trx_commit", "2")], false);

/// Pages are written once, in their place.
const SINGLE_WRITE: Weakening = Weakening::of_pages(&[("innodb_doublewrite", "OFF")]);

const CHECKS: &[OwnCheck] = &[OwnCheck {
    prepare: None,
    statement: |table| format!("check table `{table}` extended"),
    // Table, operation, kind of message, message.
    is_fine: |row| match (row.get(2), row.get(3)) {
        (Some(Value::Text(kind)), Some(Value::Text(message))) => {
            kind != "error" && (kind != "status" || message == "OK")
        }
        _ => false,
    },
}];
