//! Version and settings of the server.

use engine::{Result, Value};

use crate::capability::Capabilities;
use record::{Bytes, EngineInventory, Location, Setting};

use crate::session::PostgresSession;

/// Settings with the largest influence on figures: they are always shown.
const IMPORTANT: [&str; 19] = [
    "shared_buffers",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_sync_method",
    "wal_level",
    "max_wal_size",
    "checkpoint_timeout",
    "effective_io_concurrency",
    "io_method",
    "jit",
    "huge_pages",
    "data_checksums",
    "autovacuum",
    "track_io_timing",
    "max_connections",
    "max_worker_processes",
    "work_mem",
    "maintenance_work_mem",
];

/// Settings of dbdyno's own session, the socket directory of a temporary server, and settings that may contain a
/// secret.
const HIDDEN: &str = "name in ('application_name', 'client_encoding', 'DateStyle', 'search_path', \
                         'unix_socket_directories') \
                         or name ~* '(password|passphrase|secret|token|conninfo|credential|_command$)' \
                         or category = 'Customized Options' and vartype = 'string'";

/// Connection of the session that reads the inventory.
pub(crate) struct ConnectionInfo {
    pub(crate) location: Location,
    pub(crate) encryption: Option<String>,
    pub(crate) temporary: bool,
    pub(crate) version: String,
    /// Number of nodes that dbdyno started.
    pub(crate) nodes: u32,
    /// Whether there is no lock against another measurement in the same database.
    pub(crate) unlocked: bool,
}

/// Reads the inventory.
pub(crate) fn read(
    session: &mut PostgresSession,
    capabilities: &Capabilities,
    connection: ConnectionInfo,
) -> Result<EngineInventory> {
    let identity = &capabilities.identity;
    let mut settings = settings(session)?;
    let value = |name: &str| settings.iter().find(|setting| setting.name == name).map(|setting| setting.value.as_str());
    let (mut durable, mut durability) = durability(&value);
    if !identity.flavour.has_postgres_storage() {
        durable = None;
        durability = format!("{} has its own log storage; its settings are: {durability}", identity.flavour.title());
    }
    if let Some(replicas) = replicas(session)? {
        durability.push_str(", ");
        durability.push_str(&replicas);
    }
    let block_bytes = size(session, "select current_setting('block_size')::int8")?;
    let buffers = "select pg_catalog.pg_size_bytes(current_setting('shared_buffers'))::int8";
    let cache_bytes = size(session, buffers)?;
    // A list of what bypasses the page cache, since version 16.
    let direct_reads =
        Some(value("debug_io_direct").is_some_and(|list| list.split(',').any(|one| one.trim() == "data")));
    settings.extend(missing(capabilities, connection.unlocked));
    Ok(EngineInventory {
        name: "postgres".to_owned(),
        title: identity.flavour.title().to_owned(),
        version: match &identity.version {
            Some(own) => format!("{own} (PostgreSQL {})", connection.version),
            None => connection.version,
        },
        location: connection.location,
        nodes: connection.nodes,
        encryption: connection.encryption,
        temporary: connection.temporary,
        direct_reads,
        sessions_share_file_lock: false,
        block_bytes,
        cache_bytes,
        durable,
        durability,
        durability_shown: None,
        settings,
    })
}

/// A size in bytes, if the server supports the query.
fn size(session: &mut PostgresSession, sql: &str) -> Result<Option<Bytes>> {
    Ok(match session.query_if_supported(sql)?.as_deref().map(|rows| rows.concat()).as_deref() {
        Some([Value::Int(bytes)]) => u64::try_from(*bytes).ok().map(Bytes),
        _ => None,
    })
}

/// Description of the replicas and what a commit waits for; `None` without replicas.
fn replicas(session: &mut PostgresSession) -> Result<Option<String>> {
    let rows = session.query_if_supported(
        "select count(*), count(*) filter (where sync_state in ('sync', 'quorum')), \
         current_setting('synchronous_commit'), current_setting('synchronous_standby_names') \
         from pg_catalog.pg_stat_replication where application_name <> 'pg_basebackup'",
    )?;
    Ok(match rows.as_deref().map(|rows| rows.concat()).as_deref() {
        Some([Value::Int(all), Value::Int(synchronous), Value::Text(commit), Value::Text(names)]) if *all > 0 => {
            Some(copies(*all, *synchronous, commit, names))
        }
        _ => None,
    })
}

/// Description: a commit waits for `synchronous` of `all` replicas, with these two settings.
fn copies(all: i64, synchronous: i64, commit: &str, names: &str) -> String {
    // `ANY 1 (a, b)` waits for one of those that it names.
    let quorum = names
        .trim()
        .to_ascii_uppercase()
        .strip_prefix("ANY")
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    let synchronous = quorum.unwrap_or(synchronous).min(all);
    let replicas = |count: i64| if count == 1 { "1 replica".to_owned() } else { format!("{count} replicas") };
    let stage = match commit {
        "remote_apply" => "to have applied them",
        "remote_write" => "to have written them to the operating system",
        "off" | "local" => return format!("{} that no commit waits for", replicas(all)),
        _ => "to have them on stable storage",
    };
    match synchronous {
        0 => format!("{} that no commit waits for", replicas(all)),
        count => format!("commits wait for {} {stage}", replicas(count)),
    }
}

/// Missing settings and the missing lock, as settings.
fn missing(capabilities: &Capabilities, unlocked: bool) -> impl Iterator<Item = Setting> {
    let absent = |name: &str, what: &str| Setting { name: name.to_owned(), value: what.to_owned(), default: None };
    let settings =
        capabilities.unknown_settings.iter().map(move |name| absent(name, "unknown to this server, not set"));
    let lock = unlocked.then(|| absent("dbdyno.lock", "none: nothing prevents two measurements in one database"));
    settings.collect::<Vec<Setting>>().into_iter().chain(lock)
}

/// The non-default settings and the important ones, by name.
fn settings(session: &mut PostgresSession) -> Result<Vec<Setting>> {
    let important: Vec<String> = IMPORTANT.iter().map(|name| format!("'{name}'")).collect();
    let important = important.join(", ");
    let full = format!(
        "select name, current_setting(name), boot_val, unit from pg_catalog.pg_settings \
         where (name in ({important}) or source not in ('default', 'override') and setting is distinct from boot_val) \
         and not ({HIDDEN}) order by name collate \"C\""
    );
    // For a view with fewer columns, and a server without this collation.
    let reduced = format!(
        "select name::text, setting::text, null::text, null::text from pg_catalog.pg_settings \
         where name in ({important}) order by name"
    );
    let rows = match session.query_if_supported(&full)? {
        Some(rows) => rows,
        None => session.query_if_supported(&reduced)?.unwrap_or_default(),
    };
    let text = |value: &Value<'_>| match value {
        Value::Text(text) => Some(text.clone().into_owned()),
        _ => None,
    };
    Ok(rows
        .iter()
        .filter_map(|row| match row.as_slice() {
            [name, value, default, unit] => Some(Setting {
                name: text(name)?,
                value: text(value)?,
                default: text(default).map(|default| readable(&default, text(unit).as_deref())),
            }),
            _ => None,
        })
        .collect())
}

/// Whether an acknowledged commit survives a crash of the operating system, and the settings that it depends on.
fn durability<'a>(value: &impl Fn(&str) -> Option<&'a str>) -> (Option<bool>, String) {
    let names = ["fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "wal_level"];
    let mut statements: Vec<String> =
        names.iter().map(|name| format!("{name} {}", value(name).unwrap_or("unknown"))).collect();
    let off = |name: &str| value(name).map(|value| value == "off");
    let verdict = match (off("fsync"), off("synchronous_commit"), off("full_page_writes")) {
        (Some(fsync), Some(commit), Some(pages)) => {
            if fsync {
                statements.push("nothing is forced to stable storage".to_owned());
            } else if commit {
                statements.push("commits are acknowledged before they are forced to stable storage".to_owned());
            } else if pages {
                statements.push("a page that was half written in a crash cannot be restored".to_owned());
            }
            Some(!fsync && !commit && !pages)
        }
        _ => None,
    };
    (verdict, statements.join(", "))
}

/// A value in the base unit of its setting, formatted like `show`: 16384 of 8kB is 128MB.
fn readable(value: &str, unit: Option<&str>) -> String {
    const SIZES: [(&str, i64); 5] = [("TB", 1 << 40), ("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10), ("B", 1)];
    const TIMES: [(&str, i64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1)];
    let Some(unit) = unit else { return value.to_owned() };
    let name = unit.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let factor = unit[..unit.len() - name.len()].parse::<i64>().unwrap_or(1);
    // Zero and negative values have special meanings and no unit.
    let Some(number) = value.parse::<i64>().ok().filter(|number| *number > 0) else { return value.to_owned() };
    for units in [SIZES, TIMES] {
        let Some((_, base)) = units.iter().find(|(known, _)| *known == name) else { continue };
        let Some(total) = number.checked_mul(factor).and_then(|count| count.checked_mul(*base)) else { break };
        if let Some((name, size)) = units.iter().find(|(_, size)| total % size == 0) {
            return format!("{}{name}", total / size);
        }
    }
    format!("{value}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_are_described_with_what_a_commit_waits_for() {
        let all = "FIRST 2 (\"a\", \"b\")";
        assert_eq!(copies(2, 2, "on", all), "commits wait for 2 replicas to have them on stable storage");
        assert_eq!(copies(1, 1, "remote_apply", "*"), "commits wait for 1 replica to have applied them");
        assert!(copies(2, 2, "remote_write", all).ends_with("to have written them to the operating system"));
        assert_eq!(copies(3, 3, "on", "any 1 (a, b, c)"), "commits wait for 1 replica to have them on stable storage");
        for (synchronous, commit) in [(0, "on"), (2, "local"), (2, "off")] {
            assert_eq!(copies(2, synchronous, commit, ""), "2 replicas that no commit waits for", "{commit}");
        }
    }

    #[test]
    fn a_default_is_formatted_like_show() {
        for (value, unit, expected) in [
            ("16384", Some("8kB"), "128MB"),
            ("65536", Some("kB"), "64MB"),
            ("300", Some("s"), "5min"),
            ("1500", Some("ms"), "1500ms"),
            ("-1", Some("kB"), "-1"),
            ("0", Some("ms"), "0"),
            ("100", None, "100"),
            ("0.5", Some("ms"), "0.5"),
        ] {
            assert_eq!(readable(value, unit), expected, "{value} {unit:?}");
        }
    }

    #[test]
    fn durability_follows_from_three_settings() {
        let with = |fsync: &'static str, commit: &'static str, pages: &'static str| {
            durability(&move |name: &str| match name {
                "fsync" => Some(fsync),
                "synchronous_commit" => Some(commit),
                "full_page_writes" => Some(pages),
                "wal_sync_method" => Some("fdatasync"),
                _ => Some("replica"),
            })
        };
        assert_eq!(with("on", "on", "on").0, Some(true));
        assert_eq!(with("on", "local", "on").0, Some(true));
        assert_eq!(with("off", "on", "on").0, Some(false));
        assert_eq!(with("on", "off", "on").0, Some(false));
        assert_eq!(with("on", "on", "off").0, Some(false));
        assert!(with("on", "off", "on").1.contains("before they are forced"));
        assert_eq!(durability(&|_| None).0, None);
    }
}
