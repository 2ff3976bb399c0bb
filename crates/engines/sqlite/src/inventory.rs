//! Version and settings, as reported by the library.

use engine::Engine;
use record::{Bytes, EngineInventory, Location, Setting};
use rusqlite::{Connection, Result};

use crate::SQLITE;
use crate::setting::Settings;

pub(crate) fn read(connection: &Connection, settings: &Settings) -> Result<EngineInventory> {
    let page_bytes: i64 = pragma(connection, "page_size")?.parse().unwrap_or(0);
    let journal_mode = pragma(connection, "journal_mode")?;
    let synchronous = match pragma(connection, "synchronous")?.as_str() {
        "0" => "off",
        "1" => "normal",
        "2" => "full",
        "3" => "extra",
        _ => "unknown",
    };
    let (durable, durability) = durability(&journal_mode, synchronous);
    let setting = |name: &str, value: String, default: &str| {
        let default = Some(default.to_owned()).filter(|default| !default.is_empty());
        Setting { name: name.to_owned(), value, default }
    };
    let settings_shown = vec![
        setting("page_size", page_bytes.to_string(), "4096"),
        setting("journal_mode", journal_mode, "delete"),
        setting("synchronous", synchronous.to_owned(), "full"),
        setting("cache_size", format!("{} bytes per session", settings.cache_bytes), "2048000 bytes per session"),
        setting("mmap_size", pragma(connection, "mmap_size")?, "0"),
        setting("busy_timeout", format!("{} ms", settings.busy_timeout.as_millis()), "0 ms"),
        setting("wal_autocheckpoint", pragma(connection, "wal_autocheckpoint")?, "1000"),
        setting("temp_store", settings.temp_store.to_owned(), "default"),
        setting("direct", if settings.direct { "on" } else { "off" }.to_owned(), "on"),
        setting("encoding", pragma(connection, "encoding")?, "UTF-8"),
        setting("compile_options", compile_options(connection)?.join(" "), ""),
    ];
    Ok(EngineInventory {
        name: SQLITE.name().to_owned(),
        title: SQLITE.title().to_owned(),
        version: rusqlite::version().to_owned(),
        location: Location::InProcess,
        nodes: 1,
        encryption: None,
        temporary: true,
        direct_reads: None,
        sessions_share_file_lock: true,
        block_bytes: u64::try_from(page_bytes).ok().map(Bytes),
        cache_bytes: Some(Bytes(settings.cache_bytes)),
        durable: Some(durable),
        durability: format!("journal_mode={}, synchronous={synchronous}: {durability}", settings_shown[1].value),
        durability_shown: None,
        settings: settings_shown,
    })
}

/// Whether a commit survives a loss of power, according to the documentation of the two settings.
fn durability(journal_mode: &str, synchronous: &str) -> (bool, &'static str) {
    match (journal_mode, synchronous) {
        (_, "off") => (false, "nothing is forced to stable storage; a loss of power can take commits and the database"),
        ("wal", "normal") => (
            false,
            "the log is forced at checkpoints; a loss of power takes the last commits, the database stays whole",
        ),
        (_, "normal") => (false, "a loss of power at the wrong moment can take the last commits and the database"),
        ("delete", "full") => {
            (false, "files are forced but not the removal of the journal; a loss of power can undo the last commit")
        }
        _ => (true, "every commit is forced to stable storage before it is acknowledged"),
    }
}

fn pragma(connection: &Connection, name: &str) -> Result<String> {
    let value: rusqlite::types::Value = connection.pragma_query_value(None, name, |row| row.get(0))?;
    Ok(match value {
        rusqlite::types::Value::Integer(number) => number.to_string(),
        rusqlite::types::Value::Text(text) => text,
        other => format!("{other:?}"),
    })
}

fn compile_options(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare("pragma compile_options")?;
    statement.query_map([], |row| row.get(0))?.collect()
}
