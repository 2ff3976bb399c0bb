//! The registry of data sets: a table in the database that lists the complete tables, with fingerprints of their
//! content.

use engine::{Column, ColumnType, Result, Session, Table, Value};

use crate::test_context::{TestContext, exists};

const NAME: &str = "dbdyno_data_set";

fn table() -> Table {
    let text = |name: &str, size| Column::new(name, ColumnType::Text { size });
    Table {
        name: NAME.to_owned(),
        columns: vec![text("table_name", 48), text("fingerprint", 128)],
        key: Vec::new(),
        indexes: Vec::new(),
        compressed: false,
        partitions: None,
        is_updated: false,
    }
}

/// Creates the registry if it does not exist.
pub(crate) fn create(context: &TestContext<'_>, session: &mut dyn Session) -> Result<()> {
    if exists(session, NAME)? {
        return Ok(());
    }
    let statements = (context.engine.dialect().create)(&table());
    statements.iter().try_for_each(|statement| session.batch(statement))
}

/// Whether `table` was loaded completely with `fingerprint`.
pub(crate) fn is_complete(
    context: &TestContext<'_>,
    session: &mut dyn Session,
    table: &str,
    fingerprint: &str,
) -> Result<bool> {
    if !exists(session, NAME)? {
        return Ok(false);
    }
    let placeholder = context.engine.dialect().placeholder.at(1);
    let sql = format!("select fingerprint from {NAME} where table_name = {placeholder}");
    let select = session.prepare(&sql)?;
    let rows = session.query(select, &[Value::Text(table.into())])?;
    Ok(rows == [[Value::Text(fingerprint.into())]])
}

/// Removes the entry of `table`.
pub(crate) fn remove(context: &TestContext<'_>, session: &mut dyn Session, table: &str) -> Result<()> {
    let placeholder = context.engine.dialect().placeholder.at(1);
    let delete = session.prepare(&format!("delete from {NAME} where table_name = {placeholder}"))?;
    session.execute(delete, &[Value::Text(table.into())]).map(|_| ())
}

/// Adds an entry: `table` is complete.
pub(crate) fn mark_complete(
    context: &TestContext<'_>,
    session: &mut dyn Session,
    table: &str,
    fingerprint: &str,
) -> Result<()> {
    let placeholder = context.engine.dialect().placeholder;
    let values = format!("{}, {}", placeholder.at(1), placeholder.at(2));
    let insert = session.prepare(&format!("insert into {NAME} (table_name, fingerprint) values ({values})"))?;
    session.execute(insert, &[Value::Text(table.into()), Value::Text(fingerprint.into())]).map(|_| ())
}
