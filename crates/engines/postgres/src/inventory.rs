//! What the server is and how it is set.

use engine::{Result, Value};
use record::{Bytes, EngineInventory, Location, Setting};

use crate::session::PostgresSession;

/// Settings that figures depend on most: they are always shown.
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

/// Settings of our own session, where a throwaway server has its socket, and what may hold a password or another secret.
const NOT_SHOWN: &str = "name in ('application_name', 'client_encoding', 'search_path', 'unix_socket_directories') \
                         or name ~* '(password|passphrase|secret|token|conninfo|credential|_command$)' \
                         or category = 'Customized Options' and vartype = 'string'";

/// Where and how the session that asks reached the server.
pub(crate) struct Seen {
    pub(crate) location: Location,
    pub(crate) encryption: Option<String>,
    pub(crate) throwaway: bool,
    pub(crate) version: String,
}

/// Reads it.
pub(crate) fn read(session: &mut PostgresSession, seen: Seen) -> Result<EngineInventory> {
    let settings = settings(session)?;
    let value = |name: &str| settings.iter().find(|setting| setting.name == name).map(|setting| setting.value.as_str());
    let (durable, durability) = durability(&value);
    let sizes = session.ask(
        "select current_setting('block_size')::int8, \
         pg_catalog.pg_size_bytes(current_setting('shared_buffers'))::int8",
    )?;
    let size = |column: usize| match sizes.first().and_then(|row| row.get(column)) {
        Some(Value::Int(bytes)) => u64::try_from(*bytes).ok().map(Bytes),
        _ => None,
    };
    Ok(EngineInventory {
        name: "postgres".to_owned(),
        title: "PostgreSQL".to_owned(),
        version: seen.version,
        location: seen.location,
        nodes: 1,
        encryption: seen.encryption,
        throwaway: seen.throwaway,
        block_bytes: size(0),
        cache_bytes: size(1),
        durable,
        durability,
        settings,
    })
}

/// The settings that differ from the default and the important ones, by name.
fn settings(session: &mut PostgresSession) -> Result<Vec<Setting>> {
    let important: Vec<String> = IMPORTANT.iter().map(|name| format!("'{name}'")).collect();
    let rows = session.ask(&format!(
        "select name, current_setting(name), boot_val, unit from pg_catalog.pg_settings \
         where (name in ({}) or source not in ('default', 'override') and setting is distinct from boot_val) \
         and not ({NOT_SHOWN}) order by name collate \"C\"",
        important.join(", ")
    ))?;
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

/// Whether an acknowledged commit survives a crash of the operating system, and the settings that say so.
fn durability<'a>(value: &impl Fn(&str) -> Option<&'a str>) -> (Option<bool>, String) {
    let names = ["fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "wal_level"];
    let mut words: Vec<String> =
        names.iter().map(|name| format!("{name} {}", value(name).unwrap_or("unknown"))).collect();
    let off = |name: &str| value(name).map(|value| value == "off");
    let verdict = match (off("fsync"), off("synchronous_commit"), off("full_page_writes")) {
        (Some(fsync), Some(commit), Some(pages)) => {
            if fsync {
                words.push("nothing is forced to stable storage".to_owned());
            } else if commit {
                words.push("commits are acknowledged before they are forced to stable storage".to_owned());
            } else if pages {
                words.push("a page that was half written in a crash cannot be restored".to_owned());
            }
            Some(!fsync && !commit && !pages)
        }
        _ => None,
    };
    (verdict, words.join(", "))
}

/// A value in the base unit of its setting as the server itself would show it: 16384 of 8kB is 128MB.
fn readable(value: &str, unit: Option<&str>) -> String {
    const SIZES: [(&str, i64); 5] = [("TB", 1 << 40), ("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10), ("B", 1)];
    const TIMES: [(&str, i64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1)];
    let Some(unit) = unit else { return value.to_owned() };
    let name = unit.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let factor = unit[..unit.len() - name.len()].parse::<i64>().unwrap_or(1);
    // Zero and negative values have a meaning of their own and no unit.
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
    fn a_default_is_shown_as_the_server_shows_values() {
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
