//! Settings of a temporary server that a record may bring with it.

/// Sizes, counts and switches. A setting that names a file, a library, a command or an address is none of them.
pub(crate) const HARMLESS: &[&str] = &[
    "innodb_adaptive_hash_index",
    "innodb_buffer_pool_instances",
    "innodb_buffer_pool_size",
    "innodb_change_buffering",
    "innodb_doublewrite",
    "innodb_flush_log_at_timeout",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_flush_neighbors",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_buffer_size",
    "innodb_log_file_size",
    "innodb_lru_scan_depth",
    "innodb_page_cleaners",
    "innodb_page_size",
    "innodb_purge_threads",
    "innodb_read_io_threads",
    "innodb_redo_log_capacity",
    "innodb_use_native_aio",
    "innodb_write_io_threads",
    "max_connections",
    "nodes",
    "sync_binlog",
    "table_open_cache",
    "thread_cache_size",
];

#[cfg(test)]
mod tests {
    use engine::Target;

    use super::super::parameter::Parameters;
    use super::super::spec::ServerSpec;
    use super::HARMLESS;
    use crate::flavour::Flavour;

    #[test]
    fn each_is_a_parameter_and_none_names_what_a_server_runs_or_reads() {
        for name in HARMLESS {
            let target: Target = format!("local:mariadb?{name}=2").parse().expect("a target");
            assert!(Parameters::of(&target, ServerSpec::of(Flavour::MariaDb)).is_ok(), "{name}");
            let words = ["command", "library", "plugin", "dir", "path", "address", "user", "bin_", "provider", "init"];
            assert!(!words.iter().any(|word| name.contains(word)), "{name}");
        }
    }
}
