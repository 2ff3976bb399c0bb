//! The table of a monitor: small, its own, in the schema of dbdyno. Its rows are updated in place: the column that
//! changes is in no index.

use engine::{Column, ColumnType, Engine, Error, Kind, Result, RowSink, RowSource, Session, Table, Value};

/// Rows; a scan reads all of them.
pub(crate) const ROWS: i64 = 1_000;
/// Its name.
const NAME: &str = "monitor";
/// Makes a row about as long as one of the benchmark's small table.
const FILLER: &str = "a row of the monitor, which is read, updated and scanned, and never more than a thousand of it";

/// The description of the table.
pub(crate) fn table() -> Table {
    let text = ColumnType::Text { size: 100 };
    Table {
        name: NAME.to_owned(),
        columns: vec![
            Column::new("id", ColumnType::Int),
            Column::new("value", ColumnType::Int),
            Column::new("filler", text),
        ],
        key: vec!["id".to_owned()],
        indexes: Vec::new(),
        compressed: false,
        partitions: None,
        is_updated: true,
    }
}

/// Makes the table unless it is there with all of its rows.
///
/// # Errors
/// Errors of the engine.
pub(crate) fn make(engine: &dyn Engine, session: &mut dyn Session) -> Result<()> {
    let dialect = engine.dialect();
    if count(engine, session)? == Some(ROWS) {
        return Ok(());
    }
    let table = table();
    run(session, &(dialect.drop)(NAME))?;
    run(session, &(dialect.create)(&table))?;
    // Where an engine keeps room for new versions of a row in its page, this table has more of it.
    if let Some(room) = statement_file(engine, "M100.room") {
        session.batch(room)?;
    }
    session.bulk(NAME, &mut Rows { next: 1, columns: table.columns.clone() })?;
    run(session, &(dialect.finish)(&table))
}

/// Removes it.
///
/// # Errors
/// Errors of the engine.
pub(crate) fn remove(engine: &dyn Engine, session: &mut dyn Session) -> Result<()> {
    run(session, &(engine.dialect().drop)(NAME))
}

/// The engine's own statements called `name`.
pub(crate) fn statement_file(engine: &dyn Engine, name: &str) -> Option<&'static str> {
    engine.about().statement_files.iter().find(|file| file.name == name).map(|file| file.sql)
}

fn run(session: &mut dyn Session, statements: &[String]) -> Result<()> {
    statements.iter().try_for_each(|statement| session.batch(statement))
}

/// The rows that are there; none without such a table.
///
/// # Errors
/// Errors of the engine.
pub(crate) fn count(engine: &dyn Engine, session: &mut dyn Session) -> Result<Option<i64>> {
    let quoted = engine.dialect().quoted;
    let columns = format!("select count({}), count({}) from {}", quoted("value"), quoted("filler"), quoted(NAME));
    let rows = session.prepare(&columns).and_then(|statement| session.query(statement, &[]));
    match rows {
        Ok(rows) => Ok(match rows.first().and_then(|row| row.first()) {
            Some(Value::Int(count)) => Some(*count),
            _ => None,
        }),
        Err(Error { kind: Kind::Statement, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

struct Rows {
    next: i64,
    columns: Vec<Column>,
}

impl RowSource for Rows {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        let id = self.next;
        if id > ROWS {
            return false;
        }
        self.next += 1;
        sink.int(id);
        sink.int(0);
        sink.text(FILLER);
        true
    }
}
