//! The settings of a temporary cluster.

use server::{Line, Setting, Sizing, setting};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn shared_buffers_bytes(size: &Sizing) -> u64 {
    size.buffer_bytes().max(MIB)
}

/// Workers for a sweep of #T to twice the processors.
fn workers_max(size: &Sizing) -> u64 {
    (2 * size.machine.processors).clamp(2, 512)
}

fn wal_bytes_max(size: &Sizing) -> u64 {
    // In whole gigabytes, so that two servers side by side are set alike.
    (size.machine.free_bytes / 8 / size.nodes / GIB * GIB).clamp(GIB, 16 * GIB)
}

/// One per replica, and one for each copy that is being made.
fn senders_max(size: &Sizing) -> u64 {
    2 * (size.nodes - 1)
}

/// First major versions that know these settings; every version knows the others.
const SINCE: &[(&str, u32)] = &[("track_wal_io_timing", 14), ("io_method", 18), ("io_workers", 18)];

const SETTINGS: &[Setting] = &[
    // Who may come in, and where
    setting("listen_addresses", |_| String::new(), "only the socket, in a directory that nobody else may enter"),
    setting("port", |_| "5432".to_owned(), "part of the socket's name and nothing else"),
    setting("unix_socket_permissions", |_| "0700".to_owned(), "the directory is private, and so is the socket"),
    setting(
        "max_connections",
        |size| size.connections_max().to_string(),
        "the jobs of the plan, and ten for counters, set-up and a look from outside",
    ),
    setting("cluster_name", |_| "dbdyno".to_owned(), "seen in the list of processes"),
    // Memory
    setting(
        "shared_buffers",
        |size| memory(shared_buffers_bytes(size)),
        "what the plan counts on, else a quarter of the memory, as the manual advises",
    ),
    setting("huge_pages", |_| "try".to_owned(), "used where the host has a pool of them; the default"),
    setting(
        "effective_cache_size",
        |size| memory((size.machine.memory_bytes / 4 * 3).max(shared_buffers_bytes(size))),
        "three quarters of the memory: buffers and page cache together",
    ),
    setting(
        "work_mem",
        |size| memory((size.machine.memory_bytes / 8 / size.connections_max()).clamp(4 * MIB, 64 * MIB)),
        "sorts and hashes in memory, yet all sessions together stay below half of it",
    ),
    setting(
        "maintenance_work_mem",
        |size| memory((size.machine.memory_bytes / 16).clamp(64 * MIB, 2 * GIB)),
        "index builds in few passes",
    ),
    setting(
        "dynamic_shared_memory_type",
        |size| if size.machine.shared_memory_bytes < GIB { "sysv" } else { "posix" }.to_owned(),
        "parallel queries exchange rows there; /dev/shm of a container is often 64 MB",
    ),
    // Durability: as a production server has it
    setting("fsync", |_| "on".to_owned(), "a commit that was acknowledged survives a crash of the operating system"),
    setting("synchronous_commit", |_| "on".to_owned(), "a commit waits for its log on stable storage"),
    setting("full_page_writes", |_| "on".to_owned(), "a page that was torn by a crash can be repaired"),
    setting("wal_level", |_| "replica".to_owned(), "the default: a bulk load writes its log as it would in production"),
    setting(
        "max_wal_senders",
        |size| senders_max(size).to_string(),
        "two per replica, one of them while it is copied; none lets wal_level=minimal be asked for",
    ),
    setting("archive_mode", |_| "off".to_owned(), "nobody restores this cluster"),
    // Log and checkpoints: none by time or size within a run; dbdyno asks for one between runs
    setting("checkpoint_timeout", |_| "30min".to_owned(), "longer than a run"),
    setting("checkpoint_completion_target", |_| "0.9".to_owned(), "a checkpoint that does come is spread out"),
    setting(
        "max_wal_size",
        |size| memory(wal_bytes_max(size)),
        "an eighth of the free space within 1 to 16 GB: no checkpoint by size within most runs",
    ),
    setting(
        "min_wal_size",
        |size| memory(wal_bytes_max(size) / 4),
        "log files are used again: making new ones costs writes that are not of the test",
    ),
    setting(
        "wal_buffers",
        |size| memory((shared_buffers_bytes(size) / 32).clamp(MIB, 64 * MIB)),
        "room for many writers between two flushes of the log",
    ),
    setting("wal_compression", |_| "off".to_owned(), "the default: bytes of log compare between versions and hosts"),
    setting("log_checkpoints", |_| "on".to_owned(), "evidence, where a checkpoint did fall into a run"),
    // Parallelism: #T is asked for by the session, this is only the room for it
    setting(
        "max_worker_processes",
        |size| (workers_max(size) + 8).to_string(),
        "room for the workers and what else runs in the background",
    ),
    setting("max_parallel_workers", |size| workers_max(size).to_string(), "#T up to twice the processors"),
    setting(
        "max_parallel_workers_per_gather",
        |_| "0".to_owned(),
        "a statement runs on one processor unless its session asks for #T",
    ),
    setting(
        "max_parallel_maintenance_workers",
        |size| size.machine.processors.min(8).to_string(),
        "set-up builds its indexes fast; a test of #T says its own",
    ),
    // Planner and storage
    setting(
        "random_page_cost",
        |_| "1.1".to_owned(),
        "solid-state storage: random reads cost little more than sequential ones",
    ),
    setting(
        "effective_io_concurrency",
        |_| "200".to_owned(),
        "solid-state storage: prefetch keeps many reads in flight",
    ),
    setting("io_method", |_| "worker".to_owned(), "the default"),
    setting(
        "io_workers",
        |size| (size.machine.processors / 4).clamp(3, 32).to_string(),
        "the default, and more on a large host",
    ),
    setting(
        "jit",
        |_| "off".to_owned(),
        "compiling takes longer than most statements here, and depends on an optional package",
    ),
    setting("autovacuum", |_| "on".to_owned(), "as in production: updates leave dead rows"),
    // Evidence
    setting("track_io_timing", |_| "on".to_owned(), "read and write times of the counters"),
    setting("track_wal_io_timing", |_| "on".to_owned(), "times of log writes and flushes"),
    setting("logging_collector", |_| "off".to_owned(), "the log is a file that dbdyno gave as standard error"),
    setting("log_destination", |_| "stderr".to_owned(), "the log is a file that dbdyno gave as standard error"),
    setting("log_line_prefix", |_| "%m [%p] ".to_owned(), "dbdyno reads the reason of a failed start from it"),
    // The same words and times everywhere
    setting("lc_messages", |_| "C".to_owned(), "dbdyno reads messages"),
    setting("lc_monetary", |_| "C".to_owned(), "the same on every host"),
    setting("lc_numeric", |_| "C".to_owned(), "the same on every host"),
    setting("lc_time", |_| "C".to_owned(), "the same on every host"),
    setting("timezone", |_| "UTC".to_owned(), "the same on every host"),
    setting("log_timezone", |_| "UTC".to_owned(), "the same on every host"),
];

/// `postgresql.conf` of a server of version `major` whose socket lies in `socket_directory`, with the lines `own` that
/// belong to this server, and what the target asks for at its end.
pub(super) fn configuration(
    major: u32,
    sizing: &Sizing,
    socket_directory: &str,
    own: &[Line],
    asked: &[(String, String)],
) -> String {
    let line = |name: &str, value: &str, why: &str| format!("{name} = {}  # {why}\n", quoted(value));
    let is_known = |setting: &&Setting| !SINCE.iter().any(|(name, since)| *name == setting.name && major < *since);
    let socket = line("unix_socket_directories", socket_directory, "where dbdyno looks for it");
    let settings = server::configuration(sizing, SETTINGS.iter().filter(is_known), own, asked, line);
    format!("# written by dbdyno at every start\n{socket}{settings}")
}

/// A size as the server reads it.
fn memory(bytes: u64) -> String {
    format!("{}kB", bytes / KIB)
}

/// A value between quotation marks, as `guc-file.l` reads it: doubled quotes and backslash escapes.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use engine::Machine;

    use super::*;

    const SMALL: Machine =
        Machine { memory_bytes: 512 * MIB, processors: 1, free_bytes: 2 * GIB, shared_memory_bytes: 64 * MIB };
    const LARGE: Machine =
        Machine { memory_bytes: 4096 * GIB, processors: 512, free_bytes: 1 << 50, shared_memory_bytes: 2048 * GIB };

    fn sizing(machine: Machine) -> Sizing {
        Sizing { machine, cache_bytes: None, sessions_max: 8, nodes: 1 }
    }

    fn value(text: &str, name: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(&format!("{name} = "))).collect();
        assert!(lines.len() <= 1, "{name} stands there {} times", lines.len());
        let quoted = lines.first()?.split_once(" = ")?.1.rsplit_once("  # ")?.0;
        Some(quoted.trim_matches('\'').to_owned())
    }

    #[test]
    fn settings_follow_the_machine_and_the_plan() {
        let small = configuration(15, &sizing(SMALL), "/s", &[], &[]);
        assert_eq!(value(&small, "shared_buffers").as_deref(), Some("131072kB"));
        assert_eq!(value(&small, "max_connections").as_deref(), Some("18"));
        assert_eq!(value(&small, "max_parallel_workers").as_deref(), Some("2"));
        assert_eq!(value(&small, "max_wal_size").as_deref(), Some("1048576kB"));
        assert_eq!(value(&small, "dynamic_shared_memory_type").as_deref(), Some("sysv"));
        let planned = Sizing { cache_bytes: Some(256 * MIB), sessions_max: 1000, ..sizing(LARGE) };
        let planned = configuration(15, &planned, "/s", &[], &[]);
        assert_eq!(value(&planned, "shared_buffers").as_deref(), Some("262144kB"));
        assert_eq!(value(&planned, "max_connections").as_deref(), Some("1010"));
        assert_eq!(value(&planned, "dynamic_shared_memory_type").as_deref(), Some("posix"));
    }

    #[test]
    fn replicas_share_the_host_and_what_is_one_server_s_own_stands_once() {
        let alone = configuration(15, &sizing(LARGE), "/s", &[], &[]);
        let three = Sizing { nodes: 3, ..sizing(LARGE) };
        let own = [Line { name: "synchronous_commit", value: "remote_apply".to_owned(), why: "asked for" }];
        let three = configuration(15, &three, "/s", &own, &[]);
        let kib = |text: &str| value(text, "shared_buffers").unwrap().trim_end_matches("kB").parse::<u64>().unwrap();
        assert_eq!(kib(&alone) / 3, kib(&three));
        assert_eq!(
            (value(&alone, "max_wal_senders"), value(&three, "max_wal_senders")),
            (Some("0".into()), Some("4".into()))
        );
        assert_eq!(value(&three, "synchronous_commit").as_deref(), Some("remote_apply"));
    }

    #[test]
    fn a_version_gets_only_what_it_knows() {
        for (major, name, known) in [
            (13, "track_wal_io_timing", false),
            (14, "track_wal_io_timing", true),
            (17, "io_workers", false),
            (18, "io_workers", true),
        ] {
            let text = configuration(major, &sizing(LARGE), "/s", &[], &[]);
            assert_eq!(value(&text, name).is_some(), known, "{name} on {major}");
        }
    }

    #[test]
    fn the_target_has_the_last_word_and_cannot_leave_its_line() {
        let asked = [("fsync", "off"), ("search_path", r"a'; port = 1 # \")];
        let asked = asked.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let text = configuration(15, &sizing(SMALL), "/it's", &[], &asked);
        assert_eq!(value(&text, "fsync").as_deref(), Some("off"));
        assert!(text.contains(r"search_path = 'a''; port = 1 # \\'  # asked"), "{text}");
        assert!(text.contains("unix_socket_directories = '/it''s'  #"));
    }

    #[test]
    fn names_are_unique_and_reasons_fit_a_comment() {
        for (index, setting) in SETTINGS.iter().enumerate() {
            assert!(!SETTINGS[..index].iter().any(|other| other.name == setting.name), "{} twice", setting.name);
            assert!(!setting.why.is_empty() && !setting.why.contains('\n'));
        }
        assert!(SINCE.iter().all(|(name, _)| SETTINGS.iter().any(|setting| setting.name == *name)));
    }
}
