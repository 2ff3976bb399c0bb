//! The settings of a temporary cluster.

use server::{ConfigLine, Setting, Sizing, setting};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn shared_buffers_bytes(size: &Sizing) -> u64 {
    size.buffer_bytes().max(MIB)
}

/// Workers for a sweep of #T up to twice the number of CPUs.
fn workers_max(size: &Sizing) -> u64 {
    (2 * size.machine.processors).clamp(2, 512)
}

fn wal_bytes_max(size: &Sizing) -> u64 {
    // In whole gigabytes, so that two servers on one host get the same value.
    (size.machine.free_bytes / 8 / size.nodes / GIB * GIB).clamp(GIB, 16 * GIB)
}

/// One per replica, and one for each base backup in progress.
fn senders_max(size: &Sizing) -> u64 {
    2 * (size.nodes - 1)
}

/// First major versions with these settings; all versions have the others.
const SINCE: &[(&str, u32)] = &[("track_wal_io_timing", 14), ("io_method", 18), ("io_workers", 18)];

const SETTINGS: &[Setting] = &[
    // Connections
    setting("listen_addresses", |_| String::new(), "Unix socket only, in a private directory"),
    setting("port", |_| "5432".to_owned(), "only part of the socket name"),
    setting("unix_socket_permissions", |_| "0700".to_owned(), "the directory is private, and so is the socket"),
    setting(
        "max_connections",
        |size| size.connections_max().to_string(),
        "one per job of the plan, plus ten for counters, set-up and inspection",
    ),
    setting("cluster_name", |_| "dbdyno".to_owned(), "shown in the process list"),
    // Memory
    setting(
        "shared_buffers",
        |size| memory(shared_buffers_bytes(size)),
        "as assumed by the plan, else a quarter of the memory, as the manual advises",
    ),
    setting("huge_pages", |_| "try".to_owned(), "the default: used if the host has a pool of them"),
    setting(
        "effective_cache_size",
        |size| memory((size.machine.memory_bytes / 4 * 3).max(shared_buffers_bytes(size))),
        "three quarters of the memory: buffers and page cache together",
    ),
    setting(
        "work_mem",
        |size| memory((size.machine.memory_bytes / 8 / size.connections_max()).clamp(4 * MIB, 64 * MIB)),
        "sorts and hashes in memory, while all sessions together use less than half of it",
    ),
    setting(
        "maintenance_work_mem",
        |size| memory((size.machine.memory_bytes / 16).clamp(64 * MIB, 2 * GIB)),
        "index builds in few passes",
    ),
    setting(
        "dynamic_shared_memory_type",
        |size| if size.machine.shared_memory_bytes < GIB { "sysv" } else { "posix" }.to_owned(),
        "for parallel queries; /dev/shm of a container is often 64 MB",
    ),
    // Durability: as in production
    setting("fsync", |_| "on".to_owned(), "an acknowledged commit survives a crash of the operating system"),
    setting("synchronous_commit", |_| "on".to_owned(), "a commit waits until its WAL is on stable storage"),
    setting("full_page_writes", |_| "on".to_owned(), "protects against torn pages"),
    setting("wal_level", |_| "replica".to_owned(), "the default: a bulk load writes WAL as in production"),
    setting(
        "max_wal_senders",
        |size| senders_max(size).to_string(),
        "two per replica, one of them for its base backup; 0 allows wal_level=minimal",
    ),
    setting("archive_mode", |_| "off".to_owned(), "this cluster is never restored"),
    // WAL and checkpoints: none by time or size within a run; dbdyno requests one between runs
    setting("checkpoint_timeout", |_| "30min".to_owned(), "longer than a run"),
    setting("checkpoint_completion_target", |_| "0.9".to_owned(), "checkpoints are spread out"),
    setting(
        "max_wal_size",
        |size| memory(wal_bytes_max(size)),
        "an eighth of the free space within 1 to 16 GB: no checkpoint by size within most runs",
    ),
    setting(
        "min_wal_size",
        |size| memory(wal_bytes_max(size) / 4),
        "WAL segments are recycled: creating new ones costs writes that do not belong to the test",
    ),
    setting(
        "wal_buffers",
        |size| memory((shared_buffers_bytes(size) / 32).clamp(MIB, 64 * MIB)),
        "buffers many writers between two WAL flushes",
    ),
    setting(
        "wal_compression",
        |_| "off".to_owned(),
        "the default: WAL bytes are comparable between versions and hosts",
    ),
    setting("log_checkpoints", |_| "on".to_owned(), "evidence of a checkpoint within a run"),
    // Parallelism: sessions set #T; these are the limits
    setting(
        "max_worker_processes",
        |size| (workers_max(size) + 8).to_string(),
        "parallel workers and background workers",
    ),
    setting("max_parallel_workers", |size| workers_max(size).to_string(), "#T up to twice the number of CPUs"),
    setting(
        "max_parallel_workers_per_gather",
        |_| "0".to_owned(),
        "a statement uses one CPU unless its session sets #T",
    ),
    setting(
        "max_parallel_maintenance_workers",
        |size| size.machine.processors.min(8).to_string(),
        "fast index builds during set-up; a test of #T sets its own value",
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
    setting(
        "synchronize_seqscans",
        |_| "off".to_owned(),
        "each scan reads the table itself: sessions that share a pass would be faster than the device",
    ),
    setting("io_method", |_| "worker".to_owned(), "the default"),
    setting(
        "io_workers",
        |size| (size.machine.processors / 4).clamp(3, 32).to_string(),
        "the default, more on a large host",
    ),
    setting(
        "jit",
        |_| "off".to_owned(),
        "compilation takes longer than most statements here, and needs an optional package",
    ),
    setting("autovacuum", |_| "on".to_owned(), "as in production: updates leave dead tuples"),
    // Evidence
    setting("track_io_timing", |_| "on".to_owned(), "read and write times of the counters"),
    setting("track_wal_io_timing", |_| "on".to_owned(), "times of WAL writes and flushes"),
    setting("logging_collector", |_| "off".to_owned(), "dbdyno redirects standard error to the log file"),
    setting("log_destination", |_| "stderr".to_owned(), "dbdyno redirects standard error to the log file"),
    setting("log_line_prefix", |_| "%m [%p] ".to_owned(), "dbdyno parses the reason of a failed start from the log"),
    // Locale and time zone
    setting("lc_messages", |_| "C".to_owned(), "dbdyno parses messages"),
    setting("lc_monetary", |_| "C".to_owned(), "the same on every host"),
    setting("lc_numeric", |_| "C".to_owned(), "the same on every host"),
    setting("lc_time", |_| "C".to_owned(), "the same on every host"),
    setting("timezone", |_| "UTC".to_owned(), "the same on every host"),
    setting("log_timezone", |_| "UTC".to_owned(), "the same on every host"),
];

/// `postgresql.conf` of a server of version `major` whose socket is in `socket_directory`, with this server's `own`
/// lines, and the settings `requested` by the target at the end.
pub(super) fn configuration(
    major: u32,
    sizing: &Sizing,
    socket_directory: &str,
    own: &[ConfigLine],
    requested: &[(String, String)],
) -> String {
    let line = |name: &str, value: &str, why: &str| format!("{name} = {}  # {why}\n", quoted(value));
    let is_known = |setting: &&Setting| !SINCE.iter().any(|(name, since)| *name == setting.name && major < *since);
    let socket = line("unix_socket_directories", socket_directory, "where dbdyno connects");
    let settings = server::configuration(sizing, SETTINGS.iter().filter(is_known), own, requested, line);
    format!("# written by dbdyno at every start\n{socket}{settings}")
}

/// A size in the server's notation.
fn memory(bytes: u64) -> String {
    format!("{}kB", bytes / KIB)
}

/// A quoted value, as `guc-file.l` reads it: doubled quotes and backslash escapes.
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
        assert!(lines.len() <= 1, "{name} occurs {} times", lines.len());
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
    fn replicas_share_the_host_and_own_settings_occur_once() {
        let alone = configuration(15, &sizing(LARGE), "/s", &[], &[]);
        let three = Sizing { nodes: 3, ..sizing(LARGE) };
        let own = [ConfigLine { name: "synchronous_commit", value: "remote_apply".to_owned(), why: "asked for" }];
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
    fn a_version_gets_only_settings_that_it_supports() {
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
    fn the_target_overrides_settings_and_cannot_inject_lines() {
        let requested = [("fsync", "off"), ("search_path", r"a'; port = 1 # \")];
        let requested = requested.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let text = configuration(15, &sizing(SMALL), "/it's", &[], &requested);
        assert_eq!(value(&text, "fsync").as_deref(), Some("off"));
        assert!(text.contains(r"search_path = 'a''; port = 1 # \\'  # requested"), "{text}");
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
