//! Version and settings of the server.

use engine::{Result, Value};
use record::{Bytes, EngineInventory, Location, Setting};

use crate::flavour::Flavour;
use crate::session::MysqlSession;

/// Settings with the largest influence on figures: they are always shown.
const IMPORTANT: [&str; 29] = [
    "binlog_format",
    "innodb_adaptive_hash_index",
    "innodb_buffer_pool_size",
    "innodb_change_buffering",
    "innodb_checksum_algorithm",
    "innodb_data_file_buffering",
    "innodb_doublewrite",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_buffer_size",
    "innodb_log_file_size",
    "innodb_lock_wait_timeout",
    "innodb_page_size",
    "innodb_read_io_threads",
    "innodb_redo_log_capacity",
    "innodb_use_native_aio",
    "innodb_write_io_threads",
    "log_bin",
    "max_connections",
    "performance_schema",
    "query_cache_type",
    "sync_binlog",
    "thread_handling",
    "transaction_isolation",
    "wsrep_slave_threads",
    "wsrep_sync_wait",
    "wsrep_trx_fragment_size",
];

/// Settings with paths, and those that may contain a secret.
const HIDDEN: &str = "^(socket|datadir|basedir|tmpdir|pid_file|log_error|ignore_db_dirs|hostname\
                         |wsrep_(cluster_address|cluster_name|node_address|provider|provider_options))$\
                         |_dir$|_file$|password|passphrase|secret|token|credential|private_key";

/// Connection of the session that reads the inventory.
pub(crate) struct ConnectionInfo {
    pub(crate) location: Location,
    pub(crate) encryption: Option<String>,
    pub(crate) temporary: bool,
    /// Number of nodes of its cluster, if any.
    pub(crate) cluster_nodes: Option<u32>,
}

/// Reads the inventory.
pub(crate) fn read(session: &mut MysqlSession, connection: ConnectionInfo) -> Result<EngineInventory> {
    let flavour = session.server().flavour;
    let settings = settings(session)?;
    let value = |name: &str| settings.iter().find(|setting| setting.name == name).map(|setting| setting.value.as_str());
    let (durable, mut durability) = durability(&value);
    if let Some(nodes) = connection.cluster_nodes {
        let size = format!("every commit certified by {nodes} nodes, and on each written as follows: ");
        durability.insert_str(0, &size);
    }
    let bytes = |name: &str| value(name).and_then(|text| text.parse().ok()).map(Bytes);
    Ok(EngineInventory {
        name: flavour.name().to_owned(),
        title: flavour.title().to_owned(),
        version: session.server().version.clone(),
        location: connection.location,
        nodes: connection.cluster_nodes.unwrap_or(1),
        encryption: connection.encryption,
        temporary: connection.temporary,
        direct_reads: direct_reads(&value),
        sessions_share_file_lock: false,
        block_bytes: bytes("innodb_page_size"),
        cache_bytes: bytes("innodb_buffer_pool_size"),
        durable,
        durability,
        durability_shown: None,
        settings,
    })
}

/// The non-default settings (in MySQL, which does not report defaults: the explicitly set ones) and the important ones,
/// by name. Settings that may contain a secret are not read.
fn settings(session: &mut MysqlSession) -> Result<Vec<Setting>> {
    let important: Vec<String> = IMPORTANT.iter().map(|name| format!("'{name}'")).collect();
    let important = important.join(", ");
    let sql = match session.server().flavour {
        Flavour::MariaDb => format!(
            "select lower(variable_name) as name, cast(global_value as char), cast(default_value as char) \
             from information_schema.system_variables where global_value is not null \
             and (lower(variable_name) in ({important}) or global_value_origin in ('CONFIG', 'SQL') \
             and not (global_value <=> default_value)) and not lower(variable_name) rlike '{HIDDEN}' order by name"
        ),
        Flavour::MySql => format!(
            "select lower(v.variable_name) as name, cast(v.variable_value as char), cast(null as char) \
             from performance_schema.global_variables v left join performance_schema.variables_info i \
             on i.variable_name = v.variable_name where (lower(v.variable_name) in ({important}) \
             or i.variable_source <> 'COMPILED') \
             and not lower(v.variable_name) rlike '{HIDDEN}' order by name"
        ),
    };
    let text = |value: &Value<'_>| match value {
        Value::Text(text) => Some(text.clone().into_owned()),
        _ => None,
    };
    let rows = session.query_sql(&sql)?;
    Ok(rows
        .iter()
        .filter_map(|row| match row.as_slice() {
            [name, value, default] => Some(Setting { name: text(name)?, value: text(value)?, default: text(default) }),
            _ => None,
        })
        .collect())
}

/// Whether data files are opened with `O_DIRECT`.
fn direct_reads<'a>(value: &impl Fn(&str) -> Option<&'a str>) -> Option<bool> {
    let is_direct = |method: &str| method.to_ascii_uppercase().starts_with("O_DIRECT");
    // MariaDB has replaced the latter by the former in version 11, and shows both.
    let unbuffered = value("innodb_data_file_buffering").map(|buffering| !buffering.eq_ignore_ascii_case("on"));
    unbuffered.or_else(|| value("innodb_flush_method").map(is_direct))
}

/// Whether an acknowledged commit survives a crash of the operating system, and the settings that it depends on.
fn durability<'a>(value: &impl Fn(&str) -> Option<&'a str>) -> (Option<bool>, String) {
    let names =
        ["innodb_flush_log_at_trx_commit", "innodb_doublewrite", "innodb_flush_method", "log_bin", "sync_binlog"];
    let mut words: Vec<String> = names.iter().filter_map(|name| Some(format!("{name} {}", value(name)?))).collect();
    let is =
        |name: &str, wanted: &[&str]| value(name).map(|found| wanted.iter().any(|one| found.eq_ignore_ascii_case(one)));
    let flushed = is("innodb_flush_log_at_trx_commit", &["1", "3"]);
    let forced = is("innodb_flush_method", &["nosync"]).map(|never| !never);
    let torn = is("innodb_doublewrite", &["off", "0", "detect_only"]);
    let binlog = is("log_bin", &["off", "0"]).zip(is("sync_binlog", &["1"])).map(|(off, synced)| off || synced);
    let verdict = match (flushed, forced, torn, binlog) {
        (Some(flushed), Some(forced), Some(torn), Some(binlog)) => {
            if !forced {
                words.push("nothing is forced to stable storage".to_owned());
            } else if !flushed {
                words.push("commits are acknowledged before they are forced to stable storage".to_owned());
            } else if !binlog {
                words.push("a crash may undo commits that the binary log did not get to stable storage".to_owned());
            } else if torn {
                words.push("a page that was half written in a crash cannot be restored".to_owned());
            }
            Some(flushed && forced && binlog && !torn)
        }
        _ => None,
    };
    if words.is_empty() {
        words.push("unknown".to_owned());
    }
    (verdict, words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durability_follows_from_five_settings() {
        let with =
            |flush: &'static str, pages: &'static str, method: &'static str, log: &'static str, sync: &'static str| {
                durability(&move |name: &str| match name {
                    "innodb_flush_log_at_trx_commit" => Some(flush),
                    "innodb_doublewrite" => Some(pages),
                    "innodb_flush_method" => Some(method),
                    "log_bin" => Some(log),
                    _ => Some(sync),
                })
            };
        assert_eq!(with("1", "ON", "O_DIRECT", "OFF", "0").0, Some(true));
        assert_eq!(with("1", "ON", "fsync", "ON", "1").0, Some(true));
        assert_eq!(with("1", "ON", "fsync", "ON", "0").0, Some(false));
        assert_eq!(with("2", "ON", "O_DIRECT", "OFF", "0").0, Some(false));
        assert_eq!(with("1", "OFF", "O_DIRECT", "OFF", "0").0, Some(false));
        assert_eq!(with("1", "ON", "nosync", "OFF", "0").0, Some(false));
        assert!(with("0", "ON", "O_DIRECT", "OFF", "0").1.contains("before they are forced"));
        assert_eq!(durability(&|_| None), (None, "unknown".to_owned()));
    }
}
