//! The settings of a throwaway cluster: explicit, sized to the host, each with its reason, which is also written
//! into the configuration file.

use engine::server::Machine;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// What the values follow from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizing {
    pub(super) machine: Machine,
    /// Major version of the server.
    pub(super) major: u32,
    /// Size of the buffer cache that the plan counts on.
    pub(super) cache_bytes: Option<u64>,
    /// Sessions open at the same time, at most.
    pub(super) sessions_max: u64,
    /// Servers that share the host: the primary and its replicas.
    pub(super) nodes: u64,
}

impl Sizing {
    fn shared_buffers_bytes(&self) -> u64 {
        self.cache_bytes.unwrap_or(self.machine.memory_bytes / 4 / self.nodes).max(MIB)
    }

    fn connections_max(&self) -> u64 {
        self.sessions_max + 10
    }

    /// Workers for a sweep of #T to twice the processors.
    fn workers_max(&self) -> u64 {
        (2 * self.machine.processors).clamp(2, 512)
    }

    fn wal_bytes_max(&self) -> u64 {
        // In whole gigabytes, so that two servers side by side are set alike.
        (self.machine.free_bytes / 8 / self.nodes / GIB * GIB).clamp(GIB, 16 * GIB)
    }

    /// One per replica, and one for each copy that is being made.
    fn senders_max(&self) -> u64 {
        2 * (self.nodes - 1)
    }
}

/// One setting, and why it has this value.
struct Setting {
    name: &'static str,
    /// First major version that knows it.
    since: u32,
    value: fn(&Sizing) -> String,
    why: &'static str,
}

/// A setting that every version knows.
const fn always(name: &'static str, value: fn(&Sizing) -> String, why: &'static str) -> Setting {
    Setting { name, since: 0, value, why }
}

const SETTINGS: &[Setting] = &[
    // Who may come in, and where
    always("listen_addresses", |_| String::new(), "only the socket, in a directory that nobody else may enter"),
    always("port", |_| "5432".to_owned(), "part of the socket's name and nothing else"),
    always("unix_socket_permissions", |_| "0700".to_owned(), "the directory is private, and so is the socket"),
    always(
        "max_connections",
        |size| size.connections_max().to_string(),
        "the jobs of the plan, and ten for counters, set-up and a look from outside",
    ),
    always("cluster_name", |_| "dbdyno".to_owned(), "seen in the list of processes"),
    // Memory
    always(
        "shared_buffers",
        |size| memory(size.shared_buffers_bytes()),
        "what the plan counts on, else a quarter of the memory, as the manual advises",
    ),
    always("huge_pages", |_| "try".to_owned(), "used where the host has a pool of them; the default"),
    always(
        "effective_cache_size",
        |size| memory((size.machine.memory_bytes / 4 * 3).max(size.shared_buffers_bytes())),
        "three quarters of the memory: buffers and page cache together",
    ),
    always(
        "work_mem",
        |size| memory((size.machine.memory_bytes / 8 / size.connections_max()).clamp(4 * MIB, 64 * MIB)),
        "sorts and hashes in memory, yet all sessions together stay below half of it",
    ),
    always(
        "maintenance_work_mem",
        |size| memory((size.machine.memory_bytes / 16).clamp(64 * MIB, 2 * GIB)),
        "index builds in few passes",
    ),
    always(
        "dynamic_shared_memory_type",
        |size| if size.machine.shared_memory_bytes < GIB { "sysv" } else { "posix" }.to_owned(),
        "parallel queries exchange rows there; /dev/shm of a container is often 64 MB",
    ),
    // Durability: as a production server has it
    always("fsync", |_| "on".to_owned(), "a commit that was acknowledged survives a crash of the operating system"),
    always("synchronous_commit", |_| "on".to_owned(), "a commit waits for its log on stable storage"),
    always("full_page_writes", |_| "on".to_owned(), "a page that was torn by a crash can be repaired"),
    always("wal_level", |_| "replica".to_owned(), "the default: a bulk load writes its log as it would in production"),
    always(
        "max_wal_senders",
        |size| size.senders_max().to_string(),
        "two per replica, one of them while it is copied; none lets wal_level=minimal be asked for",
    ),
    always("archive_mode", |_| "off".to_owned(), "nobody restores this cluster"),
    // Log and checkpoints: none by time or size within a run; dbdyno asks for one between runs
    always("checkpoint_timeout", |_| "30min".to_owned(), "longer than a run"),
    always("checkpoint_completion_target", |_| "0.9".to_owned(), "a checkpoint that does come is spread out"),
    always(
        "max_wal_size",
        |size| memory(size.wal_bytes_max()),
        "an eighth of the free space within 1 to 16 GB: no checkpoint by size within most runs",
    ),
    always(
        "min_wal_size",
        |size| memory(size.wal_bytes_max() / 4),
        "log files are used again: making new ones costs writes that are not of the test",
    ),
    always(
        "wal_buffers",
        |size| memory((size.shared_buffers_bytes() / 32).clamp(MIB, 64 * MIB)),
        "room for many writers between two flushes of the log",
    ),
    always("wal_compression", |_| "off".to_owned(), "the default: bytes of log compare between versions and hosts"),
    always("log_checkpoints", |_| "on".to_owned(), "evidence, where a checkpoint did fall into a run"),
    // Parallelism: #T is asked for by the session, this is only the room for it
    always(
        "max_worker_processes",
        |size| (size.workers_max() + 8).to_string(),
        "room for the workers and what else runs in the background",
    ),
    always("max_parallel_workers", |size| size.workers_max().to_string(), "#T up to twice the processors"),
    always(
        "max_parallel_workers_per_gather",
        |_| "0".to_owned(),
        "a statement runs on one processor unless its session asks for #T",
    ),
    always(
        "max_parallel_maintenance_workers",
        |size| size.machine.processors.min(8).to_string(),
        "set-up builds its indexes fast; a test of #T says its own",
    ),
    // Planner and storage
    always(
        "random_page_cost",
        |_| "1.1".to_owned(),
        "solid-state storage: random reads cost little more than sequential ones",
    ),
    always(
        "effective_io_concurrency",
        |_| "200".to_owned(),
        "solid-state storage: prefetch keeps many reads in flight",
    ),
    Setting { name: "io_method", since: 18, value: |_| "worker".to_owned(), why: "the default" },
    Setting {
        name: "io_workers",
        since: 18,
        value: |size| (size.machine.processors / 4).clamp(3, 32).to_string(),
        why: "the default, and more on a large host",
    },
    always(
        "jit",
        |_| "off".to_owned(),
        "compiling takes longer than most statements here, and depends on an optional package",
    ),
    always("autovacuum", |_| "on".to_owned(), "as in production: updates leave dead rows"),
    // Evidence
    always("track_io_timing", |_| "on".to_owned(), "read and write times of the counters"),
    Setting {
        name: "track_wal_io_timing",
        since: 14,
        value: |_| "on".to_owned(),
        why: "times of log writes and flushes",
    },
    always("logging_collector", |_| "off".to_owned(), "the log is a file that dbdyno gave as standard error"),
    always("log_destination", |_| "stderr".to_owned(), "the log is a file that dbdyno gave as standard error"),
    always("log_line_prefix", |_| "%m [%p] ".to_owned(), "dbdyno reads the reason of a failed start from it"),
    // The same words and times everywhere
    always("lc_messages", |_| "C".to_owned(), "dbdyno reads messages"),
    always("lc_monetary", |_| "C".to_owned(), "the same on every host"),
    always("lc_numeric", |_| "C".to_owned(), "the same on every host"),
    always("lc_time", |_| "C".to_owned(), "the same on every host"),
    always("timezone", |_| "UTC".to_owned(), "the same on every host"),
    always("log_timezone", |_| "UTC".to_owned(), "the same on every host"),
];

/// A setting that follows from what the server is to the others, and why it has this value.
pub(super) type Particular = (&'static str, String, &'static str);

/// `postgresql.conf` of a cluster whose socket lies in `socket_directory`, with what is particular to it and what the
/// target asks for at its end.
pub(super) fn configuration(
    sizing: &Sizing,
    socket_directory: &str,
    particular: &[Particular],
    asked: &[(String, String)],
) -> String {
    let mut text = String::from("# written by dbdyno at every start\n");
    let mut line = |name: &str, value: &str, why: &str| {
        text.push_str(&format!("{name} = {}  # {why}\n", quoted(value)));
    };
    line("unix_socket_directories", socket_directory, "where dbdyno looks for it");
    for setting in SETTINGS.iter().filter(|setting| setting.since <= sizing.major) {
        let is_particular = particular.iter().any(|(name, _, _)| *name == setting.name);
        if !is_particular && !asked.iter().any(|(name, _)| name == setting.name) {
            line(setting.name, &(setting.value)(sizing), setting.why);
        }
    }
    for (name, value, why) in particular {
        line(name, value, why);
    }
    for (name, value) in asked {
        line(name, value, "asked for by the target");
    }
    text
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
    use super::*;

    const SMALL: Machine =
        Machine { memory_bytes: 512 * MIB, processors: 1, free_bytes: 2 * GIB, shared_memory_bytes: 64 * MIB };
    const LARGE: Machine =
        Machine { memory_bytes: 4096 * GIB, processors: 512, free_bytes: 1 << 50, shared_memory_bytes: 2048 * GIB };

    fn sizing(machine: Machine, major: u32) -> Sizing {
        Sizing { machine, major, cache_bytes: None, sessions_max: 8, nodes: 1 }
    }

    fn value(text: &str, name: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(&format!("{name} = "))).collect();
        assert!(lines.len() <= 1, "{name} stands there {} times", lines.len());
        let quoted = lines.first()?.split_once(" = ")?.1.rsplit_once("  # ")?.0;
        Some(quoted.trim_matches('\'').to_owned())
    }

    #[test]
    fn settings_follow_the_machine_and_the_plan() {
        let small = configuration(&sizing(SMALL, 15), "/s", &[], &[]);
        assert_eq!(value(&small, "shared_buffers").as_deref(), Some("131072kB"));
        assert_eq!(value(&small, "max_connections").as_deref(), Some("18"));
        assert_eq!(value(&small, "max_parallel_workers").as_deref(), Some("2"));
        assert_eq!(value(&small, "max_wal_size").as_deref(), Some("1048576kB"));
        assert_eq!(value(&small, "dynamic_shared_memory_type").as_deref(), Some("sysv"));
        let planned = Sizing { cache_bytes: Some(256 * MIB), sessions_max: 1000, ..sizing(LARGE, 15) };
        let planned = configuration(&planned, "/s", &[], &[]);
        assert_eq!(value(&planned, "shared_buffers").as_deref(), Some("262144kB"));
        assert_eq!(value(&planned, "max_connections").as_deref(), Some("1010"));
        assert_eq!(value(&planned, "dynamic_shared_memory_type").as_deref(), Some("posix"));
    }

    #[test]
    fn replicas_share_the_host_and_what_is_particular_stands_once() {
        let alone = configuration(&sizing(LARGE, 15), "/s", &[], &[]);
        let three = Sizing { nodes: 3, ..sizing(LARGE, 15) };
        let particular = [("synchronous_commit", "remote_apply".to_owned(), "asked for")];
        let three = configuration(&three, "/s", &particular, &[]);
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
            let text = configuration(&sizing(LARGE, major), "/s", &[], &[]);
            assert_eq!(value(&text, name).is_some(), known, "{name} on {major}");
        }
    }

    #[test]
    fn the_target_has_the_last_word_and_cannot_leave_its_line() {
        let asked = [("fsync", "off"), ("search_path", r"a'; port = 1 # \")];
        let asked = asked.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let text = configuration(&sizing(SMALL, 15), "/it's", &[], &asked);
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
    }
}
