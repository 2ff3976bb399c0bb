//! Settings that weaken durability, and the engine's own check.

use engine::{Durability, OwnCheck, StartQueries, Value, Weakening};

/// A commit is in the log of another process's page cache at least: killed processes lose nothing.
const fn weakening(parameters: &'static [(&'static str, &'static str)]) -> Weakening {
    Weakening::of_commits(parameters, false)
}

pub(crate) static DURABILITY: Durability = Durability {
    parameters: &[],
    weakenings: &[weakening(&[("synchronous", "off")]), weakening(&[("synchronous", "normal")])],
    // A journal has the pages as they were, a log has them as they become.
    protections: &["journal_mode"],
    // The log begins again in its file.
    log_switch: Some("pragma wal_checkpoint(restart)"),
    checks: &[OwnCheck {
        prepare: None,
        // Of the whole file, whatever the table.
        statement: |_| "pragma integrity_check".to_owned(),
        is_fine: |row| matches!(row.first(), Some(Value::Text(answer)) if answer == "ok"),
    }],
    start: StartQueries::NONE,
    cluster: None,
};
