//! Version and settings, as reported by the library.

use std::collections::BTreeMap;

use engine::{Engine, Error, Kind, Result, Value};
use record::{Bytes, EngineInventory, Location, Setting};

use crate::DUCKDB;
use crate::capi::{Connection, Library, Prepared};
use crate::connect;
use crate::setting::Settings;

/// Always shown, because figures depend on them.
const IMPORTANT: [&str; 6] =
    ["memory_limit", "threads", "checkpoint_threshold", "preserve_insertion_order", "force_compression", "fsync_mode"];

/// Paths, and the client name.
const HIDDEN: [&str; 5] = ["temp_directory", "home_directory", "secret_directory", "duckdb_api", "search_path"];

pub(crate) fn read(library: Library, connection: &Connection, settings: &Settings) -> Result<EngineInventory> {
    let values = values(connection)?;
    let defaults = self::values(&connect::default_connection(library)?)?;
    let block_bytes = number(connection, "select block_size from pragma_database_size() limit 1")?;
    // A version without this setting always syncs the log.
    let forced = values.get("fsync_mode").is_none_or(|mode| !mode.eq_ignore_ascii_case("none"));
    let durability = match forced {
        true => "every commit is forced to stable storage, in the log, before it is acknowledged",
        false => {
            "fsync_mode=NONE: nothing is forced to stable storage; a loss of power can take commits and the database"
        }
    };
    let mut shown: Vec<Setting> = values
        .iter()
        .filter(|(name, value)| {
            IMPORTANT.contains(&name.as_str())
                || (!HIDDEN.contains(&name.as_str()) && defaults.get(*name) != Some(*value))
        })
        .map(|(name, value)| setting(name, value, defaults.get(name)))
        .collect();
    shown.push(setting("platform", &text(connection, "select platform from pragma_platform()")?, None));
    shown.push(setting("source_id", &text(connection, "select source_id from pragma_version()")?, None));
    Ok(EngineInventory {
        name: DUCKDB.name().to_owned(),
        title: DUCKDB.title().to_owned(),
        version: library.version().to_owned(),
        location: Location::InProcess,
        nodes: 1,
        encryption: None,
        temporary: true,
        direct_reads: Some(false),
        sessions_share_file_lock: false,
        block_bytes: block_bytes.map(Bytes),
        cache_bytes: Some(Bytes(settings.memory_bytes)),
        durable: Some(forced),
        durability: durability.to_owned(),
        durability_shown: None,
        settings: shown,
    })
}

fn setting(name: &str, value: &str, default: Option<&String>) -> Setting {
    Setting { name: name.to_owned(), value: value.to_owned(), default: default.cloned() }
}

/// All settings, without aliases.
fn values(connection: &Connection) -> Result<BTreeMap<String, String>> {
    const ALIASES: [&str; 5] = ["max_memory", "worker_threads", "wal_autocheckpoint", "null_order", "schema"];
    let rows =
        Prepared::new(connection, "select name, coalesce(value, '') from duckdb_settings()")?.run(&[])?.rows()?;
    let pair = |row: Vec<Value<'static>>| match <[Value<'static>; 2]>::try_from(row) {
        Ok([Value::Text(name), Value::Text(value)]) if !ALIASES.contains(&&*name) => {
            Ok(Some((name.into_owned(), value.into_owned())))
        }
        Ok([Value::Text(_), Value::Text(_)]) => Ok(None),
        other => Err(Error::new(Kind::Statement, format!("duckdb_settings() gives {other:?}"))),
    };
    rows.into_iter().filter_map(|row| pair(row).transpose()).collect()
}

fn text(connection: &Connection, sql: &str) -> Result<String> {
    match Prepared::new(connection, sql)?.run(&[])?.rows()?.first().and_then(|row| row.first()) {
        Some(Value::Text(text)) => Ok(text.to_string()),
        other => Err(Error::new(Kind::Statement, format!("{sql} gives {other:?}"))),
    }
}

fn number(connection: &Connection, sql: &str) -> Result<Option<u64>> {
    match Prepared::new(connection, sql)?.run(&[])?.rows()?.first().and_then(|row| row.first()) {
        Some(Value::Int(number)) => Ok(u64::try_from(*number).ok().filter(|number| *number > 0)),
        _ => Ok(None),
    }
}
