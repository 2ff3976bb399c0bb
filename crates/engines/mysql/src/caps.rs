//! Capabilities of a server, from its variables.

use engine::{Caps, Result, Value};

use crate::connect::Server;
use crate::flavour::Flavour;
use crate::session::MysqlSession;

/// The capabilities of the server with its current settings.
pub(crate) fn caps(session: &mut MysqlSession, server: &Server) -> Result<Caps> {
    let separate_files = is_on(session, "innodb_file_per_table")?;
    let read_only = match (server.flavour, server.release >= (10, 6)) {
        (Flavour::MariaDb, true) => is_on(session, "innodb_read_only_compressed")?,
        _ => false,
    };
    // Pages above 16 KiB cannot be compressed.
    let small_pages = variable(session, "innodb_page_size")?.and_then(|size| size.parse::<u32>().ok());
    Ok(Caps {
        procedures: true,
        decimal: true,
        table_compression: separate_files && !read_only && small_pages.is_some_and(|bytes| bytes <= 16 << 10),
        partitions: partitions(session, server.flavour)?,
        lines: true,
        parallel_query: false,
        parallel_index: false,
        column_names: true,
        limit_clause: true,
        json: true,
        large_values: true,
        concurrent_writers: true,
        counts_read_commits: true,
        counts_procedure_commits: false,
        answers: true,
    })
}

/// MariaDB may be built or started without partitions; InnoDB of MySQL always has them.
fn partitions(session: &mut MysqlSession, flavour: Flavour) -> Result<bool> {
    let sql = "select count(*) from information_schema.plugins \
                    where plugin_name = 'partition' and plugin_status = 'ACTIVE'";
    Ok(flavour == Flavour::MySql || session.query_sql(sql)? == [[Value::Int(1)]])
}

/// Whether a switch of the server is on; some have numeric values.
pub(crate) fn is_on(session: &mut MysqlSession, name: &str) -> Result<bool> {
    Ok(matches!(variable(session, name)?.as_deref(), Some("1" | "ON")))
}

/// The value of a variable of the server, as text.
pub(crate) fn variable(session: &mut MysqlSession, name: &str) -> Result<Option<String>> {
    let rows = session.query_sql(&format!("select cast(@@global.{name} as char)"))?;
    Ok(match rows.first().map(Vec::as_slice) {
        Some([Value::Text(text)]) => Some(text.clone().into_owned()),
        _ => None,
    })
}
