//! Settings that weaken durability, and the engine's own check.

use engine::{Durability, OwnCheck, Value, Weakening};

/// Of MariaDB, whose log has a fixed size.
pub(crate) static OF_MARIADB: Durability = of(&[("innodb_log_file_size", "48M")]);

/// Of MySQL.
pub(crate) static OF_MYSQL: Durability = of(&[("innodb_redo_log_capacity", "48M")]);

const fn of(parameters: &'static [(&'static str, &'static str)]) -> Durability {
    Durability { parameters, weakenings: WEAKENINGS, checks: CHECKS }
}

const WEAKENINGS: &[Weakening] = &[
    // Commits wait in the log buffer for up to a second.
    Weakening { parameters: &[("innodb_flush_log_at_trx_commit", "0")], loses_on_kill: true, loses_on_power_cut: true },
    // They are written, which outlives the processes, and synced once a second.
    Weakening {
        parameters: &[("innodb_flush_log_at_trx_commit", "2")],
        loses_on_kill: false,
        loses_on_power_cut: true,
    },
];

const CHECKS: &[OwnCheck] = &[OwnCheck {
    statement: |table| format!("check table `{table}` extended"),
    // Table, operation, kind of message, message.
    is_fine: |row| match (row.get(2), row.get(3)) {
        (Some(Value::Text(kind)), Some(Value::Text(message))) => {
            kind != "error" && (kind != "status" || message == "OK")
        }
        _ => false,
    },
}];
