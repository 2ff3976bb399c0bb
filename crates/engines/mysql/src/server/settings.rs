//! The settings of temporary servers.

use server::{ConfigLine, Setting, Sizing, setting};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn buffer_pool_bytes(size: &Sizing) -> u64 {
    // The server's minimum is 5 MiB.
    size.buffer_bytes().max(8 * MIB)
}

/// MySQL's buffer pool is a multiple of the chunk size, of at most a thousand chunks.
fn buffer_pool_chunk_bytes(size: &Sizing) -> u64 {
    (buffer_pool_bytes(size) / 512).next_power_of_two().max(MIB)
}

/// Pages that are kept free, and that a pool of a server in production has thousands of times: the default of 1,024 and more is an
/// eighth of a pool of 128 MB, and all of one of 16 MB.
fn lru_scan_depth(size: &Sizing) -> u64 {
    const PAGE_BYTES: u64 = 16 << 10;
    (buffer_pool_bytes(size) / PAGE_BYTES / 64).clamp(100, 1024)
}

/// Size of the log. It is written as a whole before the first start: a small pool, which can hold few changes, gets no large one.
pub(super) fn log_bytes(size: &Sizing) -> u64 {
    (size.machine.free_bytes / 8 / size.nodes).min(8 * buffer_pool_bytes(size)).clamp(256 * MIB, 4 * GIB)
}

/// Size of the write-set cache (gcache) for incremental state transfer; overflow goes to additional files.
pub(super) fn replication_cache_bytes(size: &Sizing) -> u64 {
    (size.machine.free_bytes / 64 / size.nodes).clamp(16 * MIB, 128 * MIB)
}

/// Settings of both products.
const OF_BOTH: &[Setting] = &[
    // Connections
    setting("skip_networking", |_| "on".to_owned(), "Unix socket only, in a private directory"),
    setting(
        "max_connections",
        |size| size.connections_max().to_string(),
        "one per job of the plan, plus ten for counters, set-up, cancellation and inspection",
    ),
    setting("skip_name_resolve", |_| "on".to_owned(), "no network connections"),
    setting("back_log", |_| "512".to_owned(), "all jobs connect at the same time"),
    setting("local_infile", |_| "on".to_owned(), "the bulk path"),
    // Memory
    setting(
        "innodb_buffer_pool_size",
        |size| buffer_pool_bytes(size).to_string(),
        "as assumed by the plan, else a quarter of the memory: the page cache is bypassed, but the host is shared",
    ),
    setting("innodb_lru_scan_depth", |size| lru_scan_depth(size).to_string(), "a small pool keeps few pages free"),
    setting("innodb_buffer_pool_dump_at_shutdown", |_| "off".to_owned(), "every start has an empty cache"),
    setting("innodb_buffer_pool_load_at_startup", |_| "off".to_owned(), "every start has an empty cache"),
    setting("innodb_log_buffer_size", |_| (64 * MIB).to_string(), "buffers many writers between two log flushes"),
    setting("innodb_sort_buffer_size", |_| (32 * MIB).to_string(), "index builds in few passes"),
    setting("tmp_table_size", |_| (64 * MIB).to_string(), "temporary tables of a statement in memory"),
    setting("max_heap_table_size", |_| (64 * MIB).to_string(), "limits tmp_table_size as well"),
    setting("thread_stack", |_| (1 << 20).to_string(), "recursive procedures"),
    setting("table_open_cache", |size| (size.sessions_max * 8 + 400).to_string(), "tables of every job stay open"),
    // Durability: as in production
    setting("innodb_flush_log_at_trx_commit", |_| "1".to_owned(), "a commit waits until its log is on stable storage"),
    setting("innodb_doublewrite", |_| "on".to_owned(), "protects against torn pages"),
    setting("innodb_flush_method", |_| "O_DIRECT".to_owned(), "the default: bypasses the page cache"),
    setting("skip_log_bin", |_| "on".to_owned(), "this server is not replicated"),
    setting("default_storage_engine", |_| "InnoDB".to_owned(), "the default"),
    // Log and flushing: no checkpoint by size within most runs; dbdyno flushes pages between runs
    setting("innodb_io_capacity", |_| "2000".to_owned(), "solid-state storage: pages flushed per second"),
    setting("innodb_io_capacity_max", |_| "10000".to_owned(), "solid-state storage: limit when the log is full"),
    setting("innodb_flush_neighbors", |_| "0".to_owned(), "solid-state storage: adjacent pages are not cheaper"),
    setting("innodb_read_io_threads", |size| threads(size).to_string(), "the default, more on a large host"),
    setting("innodb_write_io_threads", |size| threads(size).to_string(), "the default, more on a large host"),
    // Statistics: taken after a load only, so that no execution plan changes during a run
    setting("innodb_stats_persistent", |_| "on".to_owned(), "the default"),
    setting("innodb_stats_auto_recalc", |_| "off".to_owned(), "taken after each load; no plan changes during a run"),
    // Locale and time zone
    setting("character_set_server", |_| "utf8mb4".to_owned(), "the same on every host"),
    setting("default_time_zone", |_| "+00:00".to_owned(), "the same on every host"),
    setting("lc_messages", |_| "en_US".to_owned(), "dbdyno parses messages"),
];

const LOG_SIZE: &str = "an eighth of the free space, eight times the buffer pool, within 256 MB to 4 GB: no checkpoint by size within most runs";

/// Settings of MariaDB alone.
pub(super) const OF_MARIADB: &[Setting] = &[
    setting("performance_schema", |_| "off".to_owned(), "the default: it adds overhead to every statement"),
    setting("innodb_monitor_enable", |_| "trx_%".to_owned(), "InnoDB's own counts of transactions"),
    setting("query_cache_type", |_| "0".to_owned(), "the default: results come from tables"),
    setting("innodb_log_file_size", |size| log_bytes(size).to_string(), LOG_SIZE),
];

/// Settings of MySQL alone.
pub(super) const OF_MYSQL: &[Setting] = &[
    setting("mysqlx", |_| "off".to_owned(), "no second protocol with another socket"),
    setting("auto_generate_certs", |_| "off".to_owned(), "no network connections"),
    setting("secure_file_priv", |_| "NULL".to_owned(), "no server-side file access"),
    setting("event_scheduler", |_| "off".to_owned(), "no background jobs"),
    setting(
        "innodb_monitor_enable",
        |_| "trx_%;log_lsn_current".to_owned(),
        "InnoDB's own counts of transactions, and the position in its log",
    ),
    setting("performance_schema", |_| "on".to_owned(), "the default in production, and the source of times"),
    setting(
        "innodb_buffer_pool_chunk_size",
        |size| buffer_pool_chunk_bytes(size).to_string(),
        "the pool is a multiple of it: exactly the requested size",
    ),
    setting("innodb_redo_log_capacity", |size| log_bytes(size).to_string(), LOG_SIZE),
];

/// Threads for reading and for writing.
fn threads(size: &Sizing) -> u64 {
    (size.machine.processors / 4).clamp(4, 32)
}

/// The lines of an option file, see [`super::spec::ServerSpec::configuration`].
pub(super) fn configuration(
    of_product: &[Setting],
    sizing: &Sizing,
    socket: &str,
    own: &[ConfigLine],
    requested: &[(String, String)],
) -> String {
    let line = |name: &str, value: &str, why: &str| format!("# {why}\n{name} = {}\n", quoted(value));
    let socket = line("socket", socket, "where dbdyno connects");
    let settings = server::configuration(sizing, OF_BOTH.iter().chain(of_product), own, requested, line);
    format!("{socket}{settings}")
}

/// A quoted value of an option file: the backslash is an escape there.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use engine::Machine;

    use super::super::spec::ServerSpec;
    use super::*;
    use crate::flavour::Flavour;

    const SMALL: Machine =
        Machine { memory_bytes: 512 * MIB, processors: 1, free_bytes: 2 * GIB, shared_memory_bytes: 64 * MIB };
    const LARGE: Machine =
        Machine { memory_bytes: 4096 * GIB, processors: 512, free_bytes: 1 << 50, shared_memory_bytes: 2048 * GIB };

    fn sizing(machine: Machine) -> Sizing {
        Sizing { machine, cache_bytes: None, sessions_max: 8, nodes: 1 }
    }

    /// The option file of a server of MariaDB.
    fn configured(sizing: &Sizing, socket: &str, own: &[ConfigLine], requested: &[(String, String)]) -> String {
        ServerSpec::of(Flavour::MariaDb).configuration(sizing, socket, own, requested)
    }

    fn value(text: &str, name: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(&format!("{name} = "))).collect();
        assert!(lines.len() <= 1, "{name} occurs {} times", lines.len());
        Some(lines.first()?.split_once(" = ")?.1.trim_matches('"').to_owned())
    }

    #[test]
    fn settings_follow_the_machine_and_the_plan() {
        let small = configured(&sizing(SMALL), "/s", &[], &[]);
        assert_eq!(value(&small, "innodb_buffer_pool_size").as_deref(), Some("134217728"));
        assert_eq!(value(&small, "max_connections").as_deref(), Some("18"));
        assert_eq!(value(&small, "innodb_log_file_size").as_deref(), Some("268435456"));
        let planned = Sizing { cache_bytes: Some(256 * MIB), sessions_max: 1000, ..sizing(LARGE) };
        let planned = configured(&planned, "/s", &[], &[]);
        assert_eq!(value(&planned, "innodb_buffer_pool_size").as_deref(), Some("268435456"));
        assert_eq!(value(&planned, "innodb_log_file_size"), Some((2 * GIB).to_string()), "eight times the pool");
        assert_eq!(value(&planned, "max_connections").as_deref(), Some("1010"));
        assert_eq!(value(&planned, "innodb_read_io_threads").as_deref(), Some("32"));
        let three = configured(&Sizing { nodes: 3, ..sizing(LARGE) }, "/s", &[], &[]);
        assert_eq!(value(&three, "innodb_buffer_pool_size"), Some((1024 * GIB / 3).to_string()), "they share the host");
    }

    #[test]
    fn a_buffer_pool_of_mysql_has_the_requested_size() {
        for (pool, chunk) in [(8 * MIB, MIB), (16 * MIB, MIB), (1000 * MIB, 2 * MIB), (1024 * GIB, 2 * GIB)] {
            let sizing = Sizing { cache_bytes: Some(pool), ..sizing(LARGE) };
            let text = ServerSpec::of(Flavour::MySql).configuration(&sizing, "/s", &[], &[]);
            assert_eq!(value(&text, "innodb_buffer_pool_chunk_size"), Some(chunk.to_string()), "{pool}");
            assert!(pool % chunk == 0 && pool / chunk <= 1000);
            assert!(text.contains("\n[mysqld]\n") && value(&text, "query_cache_type").is_none());
        }
    }

    #[test]
    fn the_target_overrides_settings_and_cannot_inject_lines() {
        let requested = [("innodb_flush_log_at_trx_commit", "2"), ("init_connect", "a\"; # \\ x")];
        let requested = requested.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let text = configured(&sizing(SMALL), "/it's", &[], &requested);
        assert_eq!(value(&text, "innodb_flush_log_at_trx_commit").as_deref(), Some("2"));
        assert!(text.contains("init_connect = \"a\\\"; # \\\\ x\"\n"), "{text}");
        assert!(text.contains("socket = \"/it's\"\n"));
    }

    #[test]
    fn the_target_overrides_lines_of_a_node() {
        let own = |name, value: &str| ConfigLine { name, value: value.to_owned(), why: "a test" };
        let own = [own("wsrep_on", "on"), own("binlog_format", "row")];
        let text = configured(&sizing(SMALL), "/s", &own, &[("binlog_format".to_owned(), "mixed".to_owned())]);
        assert_eq!(value(&text, "wsrep_on").as_deref(), Some("on"));
        assert_eq!(value(&text, "binlog_format").as_deref(), Some("mixed"));
    }

    #[test]
    fn names_are_unique_and_reasons_fit_a_comment() {
        for flavour in [Flavour::MariaDb, Flavour::MySql] {
            let settings: Vec<&Setting> = OF_BOTH.iter().chain(ServerSpec::of(flavour).settings).collect();
            for (index, setting) in settings.iter().enumerate() {
                assert!(!settings[..index].iter().any(|other| other.name == setting.name), "{} twice", setting.name);
                assert!(!setting.why.is_empty() && !setting.why.contains('\n'));
            }
        }
    }
}
