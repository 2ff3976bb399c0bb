//! Reclaiming the space of dead row versions between runs.

use engine::{Result, Session, Value};

/// Tables of the schema of dbdyno that have dead row versions.
const TABLES: &str = "select relname::text from pg_stat_user_tables where schemaname = 'dbdyno' and n_dead_tup > 0";

/// Vacuums every table of the schema of dbdyno with dead row versions: without it, tables that are updated grow from run to
/// run until an autovacuum falls into the window of one, and later runs measure larger tables. Of a table that others
/// keep an old snapshot of, less is reclaimed. Returns whether there was one.
pub(super) fn vacuum(session: &mut dyn Session) -> Result<bool> {
    let statement = session.prepare(TABLES)?;
    let tables = session.query(statement, &[])?;
    for row in &tables {
        if let [Value::Text(table)] = row.as_slice() {
            session.batch(&format!("vacuum dbdyno.\"{}\"", table.replace('"', "\"\"")))?;
        }
    }
    Ok(!tables.is_empty())
}
