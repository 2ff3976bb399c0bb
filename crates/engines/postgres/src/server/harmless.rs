//! Settings of a temporary server that a record may bring with it.

/// Sizes, counts and switches. A setting that names a file, a library, a command or an address is none of them.
pub(crate) const HARMLESS: &[&str] = &[
    "autovacuum",
    "bgwriter_delay",
    "bgwriter_lru_maxpages",
    "bgwriter_lru_multiplier",
    "checkpoint_completion_target",
    "checkpoint_timeout",
    "commit_delay",
    "commit_siblings",
    "data_checksums",
    "effective_cache_size",
    "effective_io_concurrency",
    "fsync",
    "full_page_writes",
    "hash_mem_multiplier",
    "huge_pages",
    "io_combine_limit",
    "io_max_concurrency",
    "io_method",
    "io_workers",
    "jit",
    "maintenance_io_concurrency",
    "maintenance_work_mem",
    "max_connections",
    "max_parallel_maintenance_workers",
    "max_parallel_workers",
    "max_parallel_workers_per_gather",
    "max_wal_size",
    "max_worker_processes",
    "min_wal_size",
    "random_page_cost",
    "replicas",
    "seq_page_cost",
    "shared_buffers",
    "synchronous",
    "synchronous_commit",
    "track_io_timing",
    "version",
    "wal_buffers",
    "wal_compression",
    "wal_level",
    "wal_sync_method",
    "wal_writer_delay",
    "work_mem",
];

#[cfg(test)]
mod tests {
    use engine::Target;

    use super::super::parameter::Parameters;
    use super::HARMLESS;

    #[test]
    fn each_is_a_parameter_and_none_names_what_a_server_runs_or_reads() {
        for name in HARMLESS {
            let values = ["on", "2", "local"];
            let taken = values.iter().any(|value| {
                let target: Target = format!("local:postgres?replicas=2&{name}={value}").parse().expect("a target");
                Parameters::of(&target).is_ok()
            });
            assert!(taken, "{name}");
            let words = ["command", "library", "libraries", "directory", "file", "path", "address", "user", "host"];
            assert!(!words.iter().any(|word| name.contains(word)), "{name}");
        }
    }
}
