//! What the server is and how it is set.
//!
//! What this user may not ask is left out. Parameters that say where files lie or who may log in are not asked for.

use engine::{Kind, Result, Value};
use record::{Bytes, EngineInventory, Location, Setting};

use crate::session::OracleSession;

/// Parameters that figures depend on most: they are always shown.
const IMPORTANT: [&str; 22] = [
    "commit_logging",
    "commit_wait",
    "cpu_count",
    "cursor_sharing",
    "db_block_checking",
    "db_block_checksum",
    "db_block_size",
    "db_cache_size",
    "db_file_multiblock_read_count",
    "db_writer_processes",
    "disk_asynch_io",
    "filesystemio_options",
    "log_buffer",
    "memory_target",
    "optimizer_index_cost_adj",
    "parallel_degree_policy",
    "parallel_max_servers",
    "pga_aggregate_target",
    "plsql_code_type",
    "plsql_optimize_level",
    "processes",
    "sga_target",
];

/// What is in the names of those that are not shown.
const NOT_SHOWN: [&str; 10] =
    ["dest", "dir", "file_name", "files", "listener", "location", "passw", "spfile", "wallet", "domain"];

/// Parameters: name and value.
pub(crate) fn parameter_question() -> String {
    let shown: String = NOT_SHOWN.iter().map(|part| format!(" and name not like '%{part}%'")).collect();
    format!(
        "select name, value from v$parameter where value is not null and (isdefault = 'FALSE' or name in ('{}')){shown} \
         order by name",
        IMPORTANT.join("', '")
    )
}

/// Other questions whose answers are names and values, each with what its names begin with.
pub(crate) const QUESTIONS: [(&str, &str); 6] = [
    ("sga", "select name, bytes from v$sgainfo"),
    (
        "license",
        "select 'sessions_highwater', sessions_highwater from v$license \
         union all select 'cpu_count_current', cpu_count_current from v$license \
         union all select 'cpu_core_count_current', cpu_core_count_current from v$license \
         union all select 'cpu_socket_count_current', cpu_socket_count_current from v$license",
    ),
    (
        "instance",
        "select 'edition', edition from v$instance union all select 'parallel', parallel from v$instance \
         union all select 'archiver', archiver from v$instance \
         union all select 'number', to_char(instance_number) from v$instance",
    ),
    (
        "database",
        "select 'log_mode', log_mode from v$database union all select 'force_logging', force_logging from v$database \
         union all select 'flashback_on', flashback_on from v$database \
         union all select 'protection_mode', protection_mode from v$database \
         union all select 'character_set', value from v$nls_parameters where parameter = 'NLS_CHARACTERSET'",
    ),
    ("version", "select 'banner_' || rownum, banner from v$version"),
    (
        "calibrate_io",
        "select 'max_iops', to_char(max_iops) from dba_rsrc_io_calibrate \
         union all select 'max_mbps', to_char(max_mbps) from dba_rsrc_io_calibrate \
         union all select 'max_pmbps', to_char(max_pmbps) from dba_rsrc_io_calibrate \
         union all select 'latency_ms', to_char(latency) from dba_rsrc_io_calibrate \
         union all select 'physical_disks', to_char(num_physical_disks) from dba_rsrc_io_calibrate \
         union all select 'end_time', to_char(end_time, 'YYYY-MM-DD HH24:MI:SS') from dba_rsrc_io_calibrate",
    ),
];

/// The server's own calibration of its storage, which takes about ten minutes and needs `SYSDBA` and asynchronous I/O:
/// random reads of a block and sequential reads of a megabyte, through the server's own code.
pub(crate) fn calibration(disks: u32) -> String {
    format!(
        "declare\n  iops pls_integer;\n  rate pls_integer;\n  latency pls_integer;\nbegin\n  \
         dbms_resource_manager.calibrate_io(num_physical_disks => {disks}, max_latency => 20, max_iops => iops, \
         max_mbps => rate, actual_latency => latency);\nend;"
    )
}

/// Where the session that asks reached the server, and whether others could read along.
pub(crate) struct Seen {
    pub(crate) location: Location,
    pub(crate) encrypted: bool,
}

/// Reads it.
pub(crate) fn read(session: &mut OracleSession, seen: &Seen) -> Result<EngineInventory> {
    let mut settings = pairs(session, &parameter_question(), "")?;
    for (prefix, question) in QUESTIONS {
        settings.extend(pairs(session, question, prefix)?);
    }
    settings.sort_by(|one, other| one.name.cmp(&other.name));
    settings.dedup_by(|one, other| one.name == other.name);
    let value = |name: &str| settings.iter().find(|setting| setting.name == name).map(|setting| setting.value.as_str());
    let bytes = |name: &str| value(name).and_then(|text| text.parse().ok()).map(Bytes);
    let (durable, durability) = durability(&value);
    Ok(EngineInventory {
        name: crate::DESCRIPTION.name.to_owned(),
        title: crate::DESCRIPTION.title.to_owned(),
        version: session.version()?.1,
        location: seen.location,
        nodes: 1,
        encryption: seen.encrypted.then(|| "TLS".to_owned()),
        temporary: false,
        direct_reads: None,
        sessions_share_file_lock: false,
        block_bytes: bytes("db_block_size"),
        cache_bytes: bytes("sga.buffer_cache_size"),
        durable,
        durability,
        durability_shown: None,
        settings,
    })
}

/// The answer to a question as settings; none where this user may not ask it.
fn pairs(session: &mut OracleSession, question: &str, prefix: &str) -> Result<Vec<Setting>> {
    let rows = match session.ask(question) {
        Ok(rows) => rows,
        // Not granted, or not there in this version.
        Err(error) if matches!(error.kind, Kind::Access | Kind::Statement) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    Ok(rows.iter().filter_map(|row| setting(row, prefix)).collect())
}

/// Names of the server have words in them, with blanks.
fn setting(row: &[Value<'static>], prefix: &str) -> Option<Setting> {
    let [Value::Text(name), value] = row else { return None };
    let value = match value {
        Value::Text(text) | Value::Decimal(text) => text.clone().into_owned(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Null => return None,
    };
    let name = name.trim().to_lowercase().replace(' ', "_");
    let name = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
    Some(Setting { name, value, default: None })
}

/// Whether an acknowledged commit survives a crash of the operating system: it does, unless sessions are told not to
/// wait for the log. (`commit_wait` is empty where nobody said anything.)
fn durability<'a>(value: &impl Fn(&str) -> Option<&'a str>) -> (Option<bool>, String) {
    // The block size is always there where parameters may be read.
    if value("db_block_size").is_none() {
        return (None, "unknown: this user may not read v$parameter".to_owned());
    }
    let words: Vec<String> = ["commit_wait", "commit_logging", "database.log_mode", "database.protection_mode"]
        .iter()
        .map(|name| format!("{} {}", name.trim_start_matches("database."), value(name).unwrap_or("not set")))
        .collect();
    let waits = !value("commit_wait").is_some_and(|wait| wait.eq_ignore_ascii_case("nowait"));
    (Some(waits), words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_lasts_unless_nobody_waits_for_it() {
        let with = |wait: &'static str| {
            durability(&move |name: &str| match name {
                "db_block_size" => Some("8192"),
                "commit_wait" => Some(wait).filter(|wait| !wait.is_empty()),
                _ => None,
            })
        };
        assert_eq!(with("").0, Some(true));
        assert_eq!(with("FORCE_WAIT").0, Some(true));
        assert_eq!(with("NOWAIT").0, Some(false));
        assert!(with("NOWAIT").1.contains("commit_wait NOWAIT"));
        assert_eq!(durability(&|_| None).0, None);
    }

    #[test]
    fn a_setting_has_a_name_without_blanks_and_what_is_null_is_not_set() {
        let row = [Value::Text("Buffer Cache Size".into()), Value::Int(1 << 30)];
        let setting = setting(&row, "sga").unwrap();
        assert_eq!((setting.name.as_str(), setting.value.as_str()), ("sga.buffer_cache_size", "1073741824"));
        assert!(super::setting(&[Value::Text("a".into()), Value::Null], "").is_none());
    }
}
