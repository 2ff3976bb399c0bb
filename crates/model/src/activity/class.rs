//! What the waits that engines time are: their class, and whose they are, by the words of their names.

use record::WaitClass;

/// What is known of a wait that an engine times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimedWait {
    /// Its class.
    pub(super) class: WaitClass,
    /// Whether the engine's own processes are who waits, or all threads together, so that it is no part of database time.
    pub(super) is_background: bool,
    /// Whether it is one of the instruments of an engine that times every lock and file of all its threads: what was
    /// sampled of sessions tells more of them.
    pub(super) is_instrument: bool,
    /// Whether of each wait only whole units are counted that are longer than most waits: the sum is too little.
    pub(super) is_coarse: bool,
}

/// What the wait `event` is, with underscores between its words; `is_counted` where the engine says how often it was, and
/// `is_embedded` where the engine has no processes of its own. None for what is no wait of anybody for one thing: a time
/// that nobody counts, a wait for work.
pub(super) fn timed_wait(event: &str, is_counted: bool, is_embedded: bool) -> Option<TimedWait> {
    if let Some(class) = instrument(event) {
        return class.map(|class| TimedWait { class, is_background: true, is_instrument: true, is_coarse: false });
    }
    let words: Vec<&str> = event.split('_').collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    let (is_log, is_data) = (has(&["log", "wal", "redo"]), has(&["data"]));
    let (writes, syncs) = (has(&["write"]), has(&["sync", "fsync", "flush"]));
    // Of several processes those that write data in the background wait most for it. Where only the waits of sessions
    // are timed, nobody counts how often.
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

/// Whether `event` is an instrument, and its class: all threads together, the engine's own included, one in another. No
/// class for one in which threads wait for work, or work.
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
    fn a_wait_has_its_class_and_its_owner() {
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
        assert_eq!(of_server("data_write", false), Some((WaitClass::UserIo, false)), "those of sessions");
        assert_eq!(of_server("flow_control_paused", false), Some((WaitClass::Cluster, false)));
        assert_eq!(of_server("anything", false), None);
    }

    #[test]
    fn an_embedded_engine_has_nobody_to_write_in_the_background() {
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
