//! The settings of temporary servers.

use server::{Line, Setting, Sizing, setting};

use super::blueprint::Blueprint;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn buffer_pool_bytes(size: &Sizing) -> u64 {
    // The server takes no less than 5 MiB.
    size.buffer_bytes().max(8 * MIB)
}

/// The pool of MySQL is a whole number of such, and should be no more than a thousand.
fn buffer_pool_chunk_bytes(size: &Sizing) -> u64 {
    (buffer_pool_bytes(size) / 512).next_power_of_two().max(MIB)
}

fn log_bytes(size: &Sizing) -> u64 {
    (size.machine.free_bytes / 8 / size.nodes).clamp(256 * MIB, 4 * GIB)
}

/// What a node keeps of the changes for one that was away for a moment; more goes into files of its own.
pub(super) fn replication_cache_bytes(size: &Sizing) -> u64 {
    (size.machine.free_bytes / 64 / size.nodes).clamp(16 * MIB, 128 * MIB)
}

/// Settings of both products.
const OF_BOTH: &[Setting] = &[
    // Who may come in
    setting("skip_networking", |_| "on".to_owned(), "only the socket, in a directory that nobody else may enter"),
    setting(
        "max_connections",
        |size| size.connections_max().to_string(),
        "the jobs of the plan, and ten for counters, set-up, cancelling and a look from outside",
    ),
    setting("skip_name_resolve", |_| "on".to_owned(), "nobody comes over a network"),
    setting("back_log", |_| "512".to_owned(), "all jobs connect at the same time"),
    setting("local_infile", |_| "on".to_owned(), "the bulk path"),
    // Memory
    setting(
        "innodb_buffer_pool_size",
        |size| buffer_pool_bytes(size).to_string(),
        "what the plan counts on, else a quarter of the memory: the page cache is passed by, but the host is shared",
    ),
    setting("innodb_buffer_pool_dump_at_shutdown", |_| "off".to_owned(), "every start begins with an empty cache"),
    setting("innodb_buffer_pool_load_at_startup", |_| "off".to_owned(), "every start begins with an empty cache"),
    setting(
        "innodb_log_buffer_size",
        |_| (64 * MIB).to_string(),
        "room for many writers between two flushes of the log",
    ),
    setting("innodb_sort_buffer_size", |_| (32 * MIB).to_string(), "index builds in few passes"),
    setting("tmp_table_size", |_| (64 * MIB).to_string(), "groups and numbers of a statement in memory"),
    setting("max_heap_table_size", |_| (64 * MIB).to_string(), "limits tmp_table_size as well"),
    setting("thread_stack", |_| (1 << 20).to_string(), "procedures that call themselves"),
    setting("table_open_cache", |size| (size.sessions_max * 8 + 400).to_string(), "tables of every job stay open"),
    // Durability: as a production server has it
    setting("innodb_flush_log_at_trx_commit", |_| "1".to_owned(), "a commit waits for its log on stable storage"),
    setting("innodb_doublewrite", |_| "on".to_owned(), "a page that was torn by a crash can be repaired"),
    setting("innodb_flush_method", |_| "O_DIRECT".to_owned(), "the default: past the page cache"),
    setting("skip_log_bin", |_| "on".to_owned(), "nobody replicates this server"),
    setting("default_storage_engine", |_| "InnoDB".to_owned(), "the default"),
    // Log and writing: nothing by size within most runs; dbdyno has pages written between runs
    setting("innodb_io_capacity", |_| "2000".to_owned(), "solid-state storage: pages written in a second"),
    setting("innodb_io_capacity_max", |_| "10000".to_owned(), "solid-state storage: and when the log is full"),
    setting("innodb_flush_neighbors", |_| "0".to_owned(), "solid-state storage: neighbours are not cheaper"),
    setting("innodb_read_io_threads", |size| threads(size).to_string(), "the default, and more on a large host"),
    setting("innodb_write_io_threads", |size| threads(size).to_string(), "the default, and more on a large host"),
    // Statistics: taken after a load and then left, so that no plan changes in mid-run
    setting("innodb_stats_persistent", |_| "on".to_owned(), "the default"),
    setting("innodb_stats_auto_recalc", |_| "off".to_owned(), "taken after each load; no plan changes in mid-run"),
    // The same words and times everywhere
    setting("character_set_server", |_| "utf8mb4".to_owned(), "the same on every host"),
    setting("default_time_zone", |_| "+00:00".to_owned(), "the same on every host"),
    setting("lc_messages", |_| "en_US".to_owned(), "dbdyno reads messages"),
];

const LOG_SIZE: &str = "an eighth of the free space within 256 MB to 4 GB: no checkpoint by size within most runs";

/// Settings of MariaDB alone.
pub(super) const OF_MARIADB: &[Setting] = &[
    setting("performance_schema", |_| "off".to_owned(), "the default: it costs time in every statement"),
    setting("innodb_monitor_enable", |_| "trx_%".to_owned(), "InnoDB's own counts of transactions"),
    setting("query_cache_type", |_| "0".to_owned(), "the default: answers come from tables"),
    setting("innodb_log_file_size", |size| log_bytes(size).to_string(), LOG_SIZE),
];

/// Settings of MySQL alone.
pub(super) const OF_MYSQL: &[Setting] = &[
    setting("mysqlx", |_| "off".to_owned(), "no second protocol, with a socket of its own"),
    setting("auto_generate_certs", |_| "off".to_owned(), "nobody comes over a network"),
    setting("secure_file_priv", |_| "NULL".to_owned(), "no file of the server's is read or written"),
    setting("event_scheduler", |_| "off".to_owned(), "nothing runs by itself"),
    setting(
        "innodb_monitor_enable",
        |_| "trx_%;log_lsn_current".to_owned(),
        "InnoDB's own counts of transactions, and the position in its log",
    ),
    setting(
        "performance_schema",
        |_| "on".to_owned(),
        "the default: what its servers are run with, and times come from",
    ),
    setting(
        "innodb_buffer_pool_chunk_size",
        |size| buffer_pool_chunk_bytes(size).to_string(),
        "the pool is a whole number of these: as large as is said",
    ),
    setting("innodb_redo_log_capacity", |size| log_bytes(size).to_string(), LOG_SIZE),
];

/// Threads for reading and for writing.
fn threads(size: &Sizing) -> u64 {
    (size.machine.processors / 4).clamp(4, 32)
}

/// The option file of a server of `blueprint` whose socket is `socket`, with the lines `own` that belong to this node,
/// and what the target asks for at its end.
pub(super) fn configuration(
    blueprint: &Blueprint,
    sizing: &Sizing,
    socket: &str,
    own: &[Line],
    asked: &[(String, String)],
) -> String {
    let line = |name: &str, value: &str, why: &str| format!("# {why}\n{name} = {}\n", quoted(value));
    let socket = line("socket", socket, "where dbdyno looks for it");
    let settings = server::configuration(sizing, OF_BOTH.iter().chain(blueprint.settings), own, asked, line);
    format!("# written by dbdyno at every start\n[{}]\n{socket}{settings}", blueprint.server)
}

/// A value between quotation marks, as option files have it: the backslash is an escape there.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use engine::Machine;

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
    fn configured(sizing: &Sizing, socket: &str, own: &[Line], asked: &[(String, String)]) -> String {
        configuration(Blueprint::of(Flavour::MariaDb), sizing, socket, own, asked)
    }

    fn value(text: &str, name: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(&format!("{name} = "))).collect();
        assert!(lines.len() <= 1, "{name} stands there {} times", lines.len());
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
        assert_eq!(value(&planned, "max_connections").as_deref(), Some("1010"));
        assert_eq!(value(&planned, "innodb_read_io_threads").as_deref(), Some("32"));
        let three = configured(&Sizing { nodes: 3, ..sizing(LARGE) }, "/s", &[], &[]);
        assert_eq!(value(&three, "innodb_buffer_pool_size"), Some((1024 * GIB / 3).to_string()), "they share the host");
    }

    #[test]
    fn a_pool_of_mysql_is_as_large_as_is_said() {
        for (pool, chunk) in [(8 * MIB, MIB), (16 * MIB, MIB), (1000 * MIB, 2 * MIB), (1024 * GIB, 2 * GIB)] {
            let sizing = Sizing { cache_bytes: Some(pool), ..sizing(LARGE) };
            let text = configuration(Blueprint::of(Flavour::MySql), &sizing, "/s", &[], &[]);
            assert_eq!(value(&text, "innodb_buffer_pool_chunk_size"), Some(chunk.to_string()), "{pool}");
            assert!(pool % chunk == 0 && pool / chunk <= 1000);
            assert!(text.contains("\n[mysqld]\n") && value(&text, "query_cache_type").is_none());
        }
    }

    #[test]
    fn the_target_has_the_last_word_and_cannot_leave_its_line() {
        let asked = [("innodb_flush_log_at_trx_commit", "2"), ("init_connect", "a\"; # \\ x")];
        let asked = asked.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let text = configured(&sizing(SMALL), "/it's", &[], &asked);
        assert_eq!(value(&text, "innodb_flush_log_at_trx_commit").as_deref(), Some("2"));
        assert!(text.contains("init_connect = \"a\\\"; # \\\\ x\"\n"), "{text}");
        assert!(text.contains("socket = \"/it's\"\n"));
    }

    #[test]
    fn a_node_has_lines_of_its_own_unless_the_target_says_otherwise() {
        let own = |name, value: &str| Line { name, value: value.to_owned(), why: "a test" };
        let own = [own("wsrep_on", "on"), own("binlog_format", "row")];
        let text = configured(&sizing(SMALL), "/s", &own, &[("binlog_format".to_owned(), "mixed".to_owned())]);
        assert_eq!(value(&text, "wsrep_on").as_deref(), Some("on"));
        assert_eq!(value(&text, "binlog_format").as_deref(), Some("mixed"));
    }

    #[test]
    fn names_are_unique_and_reasons_fit_a_comment() {
        for flavour in [Flavour::MariaDb, Flavour::MySql] {
            let settings: Vec<&Setting> = OF_BOTH.iter().chain(Blueprint::of(flavour).settings).collect();
            for (index, setting) in settings.iter().enumerate() {
                assert!(!settings[..index].iter().any(|other| other.name == setting.name), "{} twice", setting.name);
                assert!(!setting.why.is_empty() && !setting.why.contains('\n'));
            }
        }
    }
}
