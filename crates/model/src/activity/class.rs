//! Classifies the waits that engines time, and tells waits of sessions from background waits, by the words of their
//! names.

use record::WaitClass;

/// A wait that an engine times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimedWait {
    /// The class.
    pub(super) class: WaitClass,
    /// Whether background processes or all threads together wait, so that it is not part of database time.
    pub(super) is_background: bool,
    /// Whether it is an instrument of an engine that times every lock and file of all threads; samples of sessions are
    /// more specific.
    pub(super) is_instrument: bool,
    /// Whether waits are counted in whole units that are longer than most waits, so that the sum is too low.
    pub(super) is_coarse: bool,
}

/// Classifies the wait `event`, whose words are separated by underscores. `is_counted`: the engine counts these waits;
/// `is_embedded`: the engine has no processes of its own. None for a time without a count, and for a wait for work.
pub(super) fn timed_wait(event: &str, is_counted: bool, is_embedded: bool) -> Option<TimedWait> {
    if let Some(class) = instrument(event) {
        return class.map(|class| TimedWait { class, is_background: true, is_instrument: true, is_coarse: false });
    }
    let words: Vec<&str> = event.split('_').collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    let (is_log, is_data) = (has(&["log", "wal", "redo"]), has(&["data"]));
    let (writes, syncs) = (has(&["write"]), has(&["sync", "fsync", "flush"]));
    // In a server, background writers wait most for data writes. An engine that times only sessions does not count
    // them.
    let by_others = has(&["background"]) || is_data && (writes || syncs) && is_counted && !is_embedded;
    let class = match () {
        () if by_others => WaitClass::SystemIo,
        () if has(&["space", "switch", "free", "complete"]) => WaitClass::Other,
        () if is_log && (writes || syncs) => WaitClass::Commit,
        () if has(&["read", "extend"]) || writes || syncs => WaitClass::UserIo,
        () if has(&["lock"]) => WaitClass::Application,
        () if has(&["busy", "contention", "latch", "mutex"]) => WaitClass::Concurrency,
        () if has(&["flow", "replica", "cluster"]) => WaitClass::Cluster,
        () if has(&["net", "network", "client", "socket"]) => WaitClass::Network,
        () if is_counted => WaitClass::Other,
        () => return None,
    };
    Some(TimedWait { class, is_background: by_others, is_instrument: false, is_coarse: false })
}

/// The class of `event` if it is an instrument, which covers all threads, background threads included, and nests. Inner
/// None for one in which threads work or wait for work.
fn instrument(event: &str) -> Option<Option<WaitClass>> {
    let begins = |beginning: &str| event.starts_with(beginning);
    let is_log = event.contains("binlog") || event.contains("BIN_LOG") || event.contains("log_file");
    match () {
        () if begins("idle") || begins("stage_") || begins("synch_cond") || begins("io_table") => Some(None),
        () if begins("io_socket") => Some(Some(WaitClass::Network)),
        () if begins("io_file") && is_log => Some(Some(WaitClass::Commit)),
        () if begins("io_") => Some(Some(WaitClass::UserIo)),
        () if begins("lock_") => Some(Some(WaitClass::Application)),
        () if begins("synch_") => Some(Some(WaitClass::Concurrency)),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_classified_as_foreground_or_background() {
        let of_server = |event, counted| timed_wait(event, counted, false).map(|it| (it.class, it.is_background));
        for (event, class) in [
            ("wal_sync", WaitClass::Commit),
            ("wal_write", WaitClass::Commit),
            ("log_sync", WaitClass::Commit),
            ("data_read", WaitClass::UserIo),
            ("data_file_read", WaitClass::UserIo),
            ("extend", WaitClass::UserIo),
            ("single_block_read", WaitClass::UserIo),
            ("direct_write", WaitClass::UserIo),
            ("row_lock_wait", WaitClass::Application),
            ("row_lock", WaitClass::Application),
            ("index_contention", WaitClass::Concurrency),
            ("buffer_busy", WaitClass::Concurrency),
            ("log_buffer_space", WaitClass::Other),
            ("log_switch_checkpoint", WaitClass::Other),
            ("write_complete", WaitClass::Other),
            ("anything", WaitClass::Other),
        ] {
            assert_eq!(of_server(event, true), Some((class, false)), "{event}");
        }
        for event in ["data_write", "data_sync", "data_file_write", "background_log_write"] {
            assert_eq!(of_server(event, true), Some((WaitClass::SystemIo, true)), "{event}");
        }
        assert_eq!(of_server("data_write", false), Some((WaitClass::UserIo, false)), "waits of sessions");
        assert_eq!(of_server("flow_control_paused", false), Some((WaitClass::Cluster, false)));
        assert_eq!(of_server("anything", false), None);
    }

    #[test]
    fn an_embedded_engine_has_no_background_writers() {
        let found = |event| timed_wait(event, true, true).map(|it| (it.class, it.is_background));
        assert_eq!(found("data_write"), Some((WaitClass::UserIo, false)));
        assert_eq!(found("log_sync"), Some((WaitClass::Commit, false)));
        assert_eq!(found("lock"), Some((WaitClass::Application, false)));
    }

    #[test]
    fn instruments_are_of_all_threads() {
        let found = |event| timed_wait(event, true, false).map(|it| (it.class, it.is_background, it.is_instrument));
        assert_eq!(found("io_file_sql_binlog"), Some((WaitClass::Commit, true, true)));
        assert_eq!(found("synch_mutex_x"), Some((WaitClass::Concurrency, true, true)));
        assert_eq!(found("lock_metadata_sql_mdl"), Some((WaitClass::Application, true, true)));
        assert_eq!((found("synch_cond_timer"), found("idle"), found("io_table_sql_handler")), (None, None, None));
    }
}
