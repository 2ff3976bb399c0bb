//! Settings that weaken durability, and the engine's own check.

use engine::{ClusterDurability, Durability, OwnCheck, Value, Weakening};

/// Of MariaDB, whose log has a fixed size.
pub(crate) static OF_MARIADB: Durability = of(&[("innodb_log_file_size", "48M"), EAGER], Some(&GALERA));

/// Of MySQL.
pub(crate) static OF_MYSQL: Durability = of(&[("innodb_redo_log_capacity", "48M"), EAGER], None);

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
    cluster: Option<&'static ClusterDurability>,
) -> Durability {
    // The log of InnoDB is one ring.
    Durability { parameters, weakenings: WEAKENINGS, log_switch: None, checks: CHECKS, cluster }
}

const WEAKENINGS: &[Weakening] = &[
    // Commits wait in the log buffer for up to a second.
    Weakening::of_commits(&[("innodb_flush_log_at_trx_commit", "0")], true),
    // They are written, which outlives the processes, and synced once a second.
    Weakening::of_commits(&[("innodb_flush_log_at_trx_commit", "2")], false),
    // Pages are written once, in their place.
    Weakening::of_pages(&[("innodb_doublewrite", "OFF")]),
];

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
