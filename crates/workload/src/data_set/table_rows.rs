//! The rows of a table that is loaded once and reused.

use std::sync::atomic::{AtomicBool, AtomicU64};

use engine::{Kind, Result, RowSource, Session, Table, Value};
use record::Bytes;

use crate::check::first_difference;
use crate::data::{DataColumn, Generator, ROW_BYTES, STRIDE, Source};
use crate::test_context::TestContext;

/// Rows that are checked before a table is reused.
const SAMPLES: u64 = 16;

/// The most rows of a transaction.
const CHUNK_ROWS_MAX: u64 = 32 * STRIDE;

/// A table with all of its rows, which are the same for the same fingerprint.
pub(crate) trait TableRows: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The table, for a dialect.
    fn table(&self) -> Table;

    /// Number of its rows.
    fn rows(&self) -> u64;

    /// Bytes of its rows, by the widths of the columns.
    fn bytes(&self) -> Bytes;

    /// What determines its rows, as text.
    fn fingerprint(&self) -> String;

    /// Makes what its rows need, before the time of a load begins.
    fn prepare(&self) {}

    /// The number of chunks, each a transaction, in which `jobs` sessions load it.
    fn chunks(&self, jobs: u32) -> u64;

    /// The rows of chunk `index`, from 0, of `count`. Ends early when `stop` is set; adds its rows to `done`.
    fn chunk<'a>(&'a self, chunk: (u64, u64), stop: &'a AtomicBool, done: &'a AtomicU64) -> Box<dyn RowSource + 'a>;

    /// Whether the table in the database has all of them.
    ///
    /// # Errors
    /// Errors of the engine.
    fn is_intact(&self, context: &TestContext<'_>, session: &mut dyn Session) -> Result<bool>;
}

/// Whether the table `name` is there with `rows` rows.
///
/// # Errors
/// Errors of the engine.
pub(crate) fn has_rows(session: &mut dyn Session, name: &str, rows: u64) -> Result<bool> {
    let count = match session.prepare(&format!("select count(*) from {name}")) {
        Ok(count) => count,
        Err(error) if error.kind == Kind::Statement => return Ok(false),
        Err(error) => return Err(error),
    };
    let found = session.query(count, &[])?;
    Ok(first_difference(vec![vec![Value::Int(rows as i64)]], found).is_none())
}

impl TableRows for Generator {
    fn name(&self) -> &'static str {
        Generator::table(self).name()
    }

    fn table(&self) -> Table {
        Generator::table(self).table()
    }

    fn rows(&self) -> u64 {
        Generator::rows(self)
    }

    fn bytes(&self) -> Bytes {
        ROW_BYTES.times(Generator::rows(self))
    }

    fn fingerprint(&self) -> String {
        Generator::fingerprint(self)
    }

    fn chunks(&self, jobs: u32) -> u64 {
        let rows = Generator::rows(self);
        // Several chunks for each job, so that all end at about the same time.
        let chunk = (rows / (8 * u64::from(jobs))).next_multiple_of(STRIDE).clamp(STRIDE, CHUNK_ROWS_MAX);
        rows.div_ceil(chunk)
    }

    fn chunk<'a>(
        &'a self,
        (index, count): (u64, u64),
        stop: &'a AtomicBool,
        done: &'a AtomicU64,
    ) -> Box<dyn RowSource + 'a> {
        let rows = Generator::rows(self);
        let size = rows.div_ceil(count.max(1));
        let first = (index * size).min(rows);
        Box::new(Source::new(self, (1 + first, size.min(rows - first)), stop, done))
    }

    /// All rows are there, and a sample of them is right.
    fn is_intact(&self, context: &TestContext<'_>, session: &mut dyn Session) -> Result<bool> {
        let (name, columns) = (self.name(), DataColumn::ALL.map(DataColumn::name).join(", "));
        let rows = Generator::rows(self);
        if !has_rows(session, name, rows)? {
            return Ok(false);
        }
        let placeholder = context.engine.dialect().placeholder.at(1);
        let read = session.prepare(&format!("select {columns} from {name} where id = {placeholder}"))?;
        let last = SAMPLES - 1;
        for sample in 0..SAMPLES {
            let id = 1 + (rows - 1) / last * sample;
            let found = session.query(read, &[Value::Int(id as i64)])?;
            let row = self.row(id);
            // The number of updates is not checked.
            let untouched = |row: &Vec<Value<'static>>| {
                let fields = DataColumn::ALL.iter().zip(row).filter(|(column, _)| **column != DataColumn::Touched);
                fields.map(|(_, value)| value.clone()).collect::<Vec<Value<'static>>>()
            };
            let expected = DataColumn::ALL.iter().map(|column| row.field(*column)).collect();
            if first_difference(vec![untouched(&expected)], found.iter().map(untouched).collect()).is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
