//! The state of the database: tables, buffer pool, log, old versions of rows.
//!
//! Sources: MariaDB "InnoDB Status Variables", MySQL "Server Status Variables", and the tables of InnoDB in the information
//! schema of both. Whether the log was written before is seen in its files: a server reserves them, and the file system
//! keeps what was never written apart.

use std::fs::File;
use std::path::{Path, PathBuf};

use engine::{Result, Session};
use record::{Bytes, DatabaseState};

use crate::flavour::Flavour;
use crate::query::{if_permitted, rows};

/// Status variables of either product.
const STATUS: &str = "show global status where variable_name in ('Innodb_buffer_pool_bytes_data', \
     'Innodb_buffer_pool_bytes_dirty', 'Innodb_lsn_current', 'Innodb_checkpoint_age', 'Innodb_history_list_length', \
     'Innodb_redo_log_current_lsn', 'Innodb_redo_log_checkpoint_lsn')";

/// The history list length of MySQL, which is no status variable there.
const HISTORY: &str =
    "select cast(count as char) from information_schema.innodb_metrics where name = 'trx_rseg_history_len'";

/// The statements that read the state of one server.
pub(crate) struct StateQuery {
    tables: Option<String>,
    history: Option<String>,
    /// Where the log is, if that is on this host.
    data_directory: Option<PathBuf>,
}

impl StateQuery {
    /// For a server of `flavour`, whose files are in `data_directory` if they are on this host.
    pub(crate) fn of(flavour: Flavour, session: &mut dyn Session, data_directory: Option<&Path>) -> Result<StateQuery> {
        let table = match flavour {
            Flavour::MariaDb => "innodb_sys_tablespaces",
            Flavour::MySql => "innodb_tablespaces",
        };
        let tables = format!(
            "select cast(coalesce(sum(file_size), 0) as char) from information_schema.{table} where name like 'dbdyno/%'"
        );
        let history = match flavour {
            Flavour::MariaDb => None,
            Flavour::MySql => if_permitted(session, HISTORY.to_owned())?,
        };
        let data_directory = data_directory.map(Path::to_owned);
        Ok(StateQuery { tables: if_permitted(session, tables)?, history, data_directory })
    }

    /// Reads it.
    pub(crate) fn read(&self, session: &mut dyn Session) -> Result<DatabaseState> {
        let status = rows(session, STATUS)?;
        let of_name = |name: &str| {
            let row = status.iter().find(|row| row.first().is_some_and(|found| found == name))?;
            row.get(1)?.parse::<u64>().ok()
        };
        let bytes = |name: &str| of_name(name).map(Bytes);
        let position = bytes("Innodb_lsn_current").or(bytes("Innodb_redo_log_current_lsn"));
        let checkpoint = of_name("Innodb_redo_log_checkpoint_lsn");
        let since = position.zip(checkpoint).map(|(position, checkpoint)| Bytes(position.0.saturating_sub(checkpoint)));
        let mut number = |sql: &Option<String>| -> Result<Option<u64>> {
            let Some(sql) = sql else { return Ok(None) };
            Ok(rows(session, sql)?.first().and_then(|row| row.first()?.parse().ok()))
        };
        Ok(DatabaseState {
            table_bytes: number(&self.tables)?.map(Bytes),
            cached_bytes: bytes("Innodb_buffer_pool_bytes_data"),
            dirty_bytes: bytes("Innodb_buffer_pool_bytes_dirty"),
            log_position_bytes: position,
            log_since_checkpoint_bytes: bytes("Innodb_checkpoint_age").or(since),
            is_log_written_before: self.is_log_written(),
            dead_row_count: of_name("Innodb_history_list_length").or(number(&self.history)?),
            ..DatabaseState::default()
        })
    }

    /// Whether the files of the log have no part that was never written; None where they cannot be read.
    fn is_log_written(&self) -> Option<bool> {
        let is_written = |path: &PathBuf| server::is_written(&File::open(path).ok()?).ok();
        let files = log_files(self.data_directory.as_deref()?);
        files.iter().map(is_written).reduce(|all, one| Some(all? && one?)).flatten()
    }
}

/// The files of the log in `data_directory`: those of MariaDB and of MySQL up to 8.0.29 are there, later ones in a folder.
pub(crate) fn log_files(data_directory: &Path) -> Vec<PathBuf> {
    let is_log = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        name.starts_with("ib_logfile") || name.starts_with("#ib_redo")
    };
    let folders = [data_directory.to_owned(), data_directory.join("#innodb_redo")];
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_log).collect()
}
