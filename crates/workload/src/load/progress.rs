//! The progress of a load, as a table in the same database: a row is committed together with each batch, so that an
//! aborted load is resumed without duplicate or missing rows.
//!
//! Rows of batch 0 describe the source, so that only the same source is resumed.

use std::collections::BTreeSet;

use engine::{Column, ColumnType, Error, Kind, Result, Session, Statement, Table, Value};

use super::figures::Figures;
use super::table::LoadTable;
use crate::test_context::{TestContext, exists};

const NAME: &str = "dbdyno_load_progress";
const COLUMNS: &str = "table_name, source_file, batch, rows_loaded, rows_rejected, note";
/// The longest note; of a longer one the end is kept.
const NOTE_LETTERS_MAX: u32 = 1_000;

/// What earlier invocations loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumePoint {
    batches: BTreeSet<(u32, u64)>,
    /// Figures of the rows of these batches.
    pub figures: Figures,
    /// Rejected lines of these batches.
    pub rejected: u64,
}

impl ResumePoint {
    /// Nothing.
    pub(super) fn none(columns: &[Column]) -> ResumePoint {
        ResumePoint { batches: BTreeSet::new(), figures: Figures::none(columns), rejected: 0 }
    }

    /// Whether `batch` of `file` is loaded.
    pub(super) fn contains(&self, file: u32, batch: u64) -> bool {
        self.batches.contains(&(file, batch))
    }
}

fn table() -> Table {
    let column = |name: &str, kind| Column::new(name, kind);
    let text = |name: &str, size| column(name, ColumnType::Text { size });
    let int = |name: &str| column(name, ColumnType::Int);
    Table {
        name: NAME.to_owned(),
        columns: vec![
            text("table_name", 48),
            int("source_file"),
            int("batch"),
            int("rows_loaded"),
            int("rows_rejected"),
            text("note", NOTE_LETTERS_MAX),
        ],
        key: Vec::new(),
        indexes: Vec::new(),
        compressed: false,
        partitions: None,
        is_updated: false,
    }
}

/// Recreates the table of `table`, empty, and writes the description `described` of its source.
///
/// # Errors
/// Errors of the engine.
pub fn begin(context: &TestContext<'_>, table: &LoadTable, described: &[String]) -> Result<ResumePoint> {
    let mut session = context.node.connect()?;
    let session = session.as_mut();
    let dialect = context.engine.dialect();
    open(context, session)?;
    // The progress rows are removed first, then the table, so that no crash leaves rows without a table.
    remove_rows(context, session, table.name())?;
    let drop = (dialect.drop)(table.name());
    drop.iter().chain(&table.create(dialect)).try_for_each(|statement| session.batch(statement))?;
    let writer = ProgressWriter::prepare(context, session)?;
    session.begin()?;
    for (index, note) in (0..).zip(described) {
        writer.write(session, table.name(), (index, 0), (0, 0), &shortened(note))?;
    }
    session.commit()?;
    Ok(ResumePoint::none(table.columns()))
}

/// The progress of the aborted load into `table`.
///
/// # Errors
/// `Usage` if there is none, or if its source was another one; errors of the engine.
pub fn resume(context: &TestContext<'_>, table: &LoadTable, described: &[String]) -> Result<ResumePoint> {
    let mut session = context.node.connect()?;
    let session = session.as_mut();
    let name = table.name();
    let lines = if exists(session, NAME)? { lines(context, session, name)? } else { Vec::new() };
    if lines.is_empty() || !exists(session, &(context.engine.dialect().quoted)(name))? {
        let error = Error::new(Kind::Usage, format!("no load of table {name} was started here"));
        return Err(error.hint("omit --resume, or give the target, --dir, --table and --models of that load"));
    }
    let mut notes: Vec<(i64, &str)> =
        lines.iter().filter(|line| line.batch == 0).map(|line| (line.file, line.note.as_str())).collect();
    notes.sort_unstable();
    for index in 0..notes.len().max(described.len()) {
        let then = notes.get(index).map_or("nothing", |(_, note)| note);
        let now = described.get(index).map_or("nothing".to_owned(), |note| shortened(note));
        if then != now {
            let message = format!("the load of table {name} was started with {then}, and now it is {now}");
            return Err(Error::new(Kind::Usage, message).hint("give the same source, or omit --resume"));
        }
    }
    let mut before = ResumePoint::none(table.columns());
    for line in lines.iter().filter(|line| line.batch > 0) {
        let figures = Figures::read(table.columns(), line.loaded as u64, &line.note).ok_or_else(|| {
            let message = format!("table {NAME} has an invalid note: {}", line.note.escape_debug());
            Error::new(Kind::Statement, message).hint("omit --resume")
        })?;
        before.figures.add(&figures);
        before.rejected += line.rejected as u64;
        before.batches.insert((line.file as u32, line.batch as u64));
    }
    Ok(before)
}

/// Removes `table` and its progress rows.
///
/// # Errors
/// Errors of the engine.
pub fn remove(context: &TestContext<'_>, table: &LoadTable) -> Result<()> {
    let mut session = context.node.connect()?;
    remove_rows(context, session.as_mut(), table.name())?;
    (context.engine.dialect().drop)(table.name()).iter().try_for_each(|statement| session.batch(statement))
}

fn open(context: &TestContext<'_>, session: &mut dyn Session) -> Result<()> {
    if exists(session, NAME)? {
        return Ok(());
    }
    (context.engine.dialect().create)(&table()).iter().try_for_each(|statement| session.batch(statement))
}

fn remove_rows(context: &TestContext<'_>, session: &mut dyn Session, name: &str) -> Result<()> {
    let placeholder = context.engine.dialect().placeholder.at(1);
    let delete = session.prepare(&format!("delete from {NAME} where table_name = {placeholder}"))?;
    session.execute(delete, &[Value::Text(name.into())]).map(|_| ())
}

/// Writes progress rows, in the open transaction.
#[derive(Clone, Copy)]
pub(super) struct ProgressWriter {
    insert: Statement,
    touch: Statement,
}

impl ProgressWriter {
    pub(super) fn prepare(context: &TestContext<'_>, session: &mut dyn Session) -> Result<ProgressWriter> {
        let placeholder = context.engine.dialect().placeholder;
        let values: Vec<String> = (1..=6).map(|position| placeholder.at(position)).collect();
        let sql = format!("insert into {NAME} ({COLUMNS}) values ({})", values.join(", "));
        let touch = format!(
            "update {NAME} set note = note where table_name = {} and source_file = 0 and batch = 0",
            placeholder.at(1)
        );
        Ok(ProgressWriter { insert: session.prepare(&sql)?, touch: session.prepare(&touch)? })
    }

    /// Writes without a change, so that the commit has to wait for the log.
    pub(super) fn touch(self, session: &mut dyn Session, table: &str) -> Result<()> {
        session.execute(self.touch, &[Value::Text(table.into())]).map(|_| ())
    }

    /// Records that batch `batch` of `file` is loaded, with its loaded and rejected rows.
    pub(super) fn write(
        self,
        session: &mut dyn Session,
        table: &str,
        (file, batch): (u32, u64),
        (loaded, rejected): (u64, u64),
        note: &str,
    ) -> Result<()> {
        let int = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let binds = [
            Value::Text(table.into()),
            int(u64::from(file)),
            int(batch),
            int(loaded),
            int(rejected),
            Value::Text(note.into()),
        ];
        session.execute(self.insert, &binds).map(|_| ())
    }
}

struct ProgressRow {
    file: i64,
    batch: i64,
    loaded: i64,
    rejected: i64,
    note: String,
}

fn lines(context: &TestContext<'_>, session: &mut dyn Session, name: &str) -> Result<Vec<ProgressRow>> {
    let placeholder = context.engine.dialect().placeholder.at(1);
    let select = session.prepare(&format!("select {COLUMNS} from {NAME} where table_name = {placeholder}"))?;
    let rows = session.query(select, &[Value::Text(name.into())])?;
    let line = |row: Vec<Value<'static>>| {
        let fields: [Value<'static>; 6] = row.try_into().ok()?;
        let [_, file, batch, loaded, rejected, Value::Text(note)] = fields else { return None };
        let [file, batch, loaded, rejected] = [int(&file)?, int(&batch)?, int(&loaded)?, int(&rejected)?];
        Some(ProgressRow { file, batch, loaded, rejected, note: note.into_owned() })
    };
    let found: Option<Vec<ProgressRow>> = rows.into_iter().map(line).collect();
    found.ok_or_else(|| Error::new(Kind::Statement, format!("table {NAME} has an invalid row")))
}

/// A non-negative number; some engines return all numbers as decimals.
fn int(value: &Value<'_>) -> Option<i64> {
    let number = match value {
        Value::Int(number) => *number,
        Value::Decimal(text) => text.parse().ok()?,
        _ => return None,
    };
    (number >= 0).then_some(number)
}

/// In ASCII, which every database stores unchanged.
fn shortened(note: &str) -> String {
    let ascii: String = note
        .chars()
        .map(|letter| if letter.is_ascii() { letter.to_string() } else { letter.escape_unicode().to_string() })
        .collect();
    ascii[ascii.len().saturating_sub(NOTE_LETTERS_MAX as usize)..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_ascii_and_keeps_its_end() {
        assert_eq!(shortened("M\u{fc}nchen, 5 bytes"), "M\\u{fc}nchen, 5 bytes");
        let long = format!("{}end", "/folder".repeat(300));
        assert!(shortened(&long).len() == 1_000 && shortened(&long).ends_with("/folderend"));
    }

    #[test]
    fn a_count_is_read_from_any_numeric_type() {
        assert_eq!(int(&Value::Int(7)), Some(7));
        assert_eq!(int(&Value::Decimal("7".into())), Some(7));
        for wrong in [Value::Int(-1), Value::Decimal("7.5".into()), Value::Null, Value::Text("7".into())] {
            assert_eq!(int(&wrong), None);
        }
    }
}
