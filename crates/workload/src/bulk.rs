//! Bulk load, which a test file cannot express: rows go into the engine without a statement.

use engine::{Error, Result, Session, Value};
use measure::{Broken, Done, Work};

use crate::check::first_difference;
use crate::data::{Block, DataColumn, DataTable, Generator, ROW_BYTES, Row, Sizes};
use crate::test::{OwnTable, Test};
use crate::test_context::{TestContext, broken, failed};

/// A step loads one block of rows, in one transaction, into a table of the job. The rows are generated before and
/// shared by all jobs.
pub(crate) struct BulkWork {
    pub(crate) session: Box<dyn Session>,
    code: String,
    table: String,
    block: Block,
    truncation: Option<Truncation>,
}

impl BulkWork {
    /// The rows of a step of `test`, if it is a bulk load.
    pub(crate) fn block(test: &Test, sizes: &Sizes) -> Option<Block> {
        let bulk = test.bulk.as_ref()?;
        let like = own_table(test, &bulk.table).and_then(|table| table.like).unwrap_or(DataTable::Small);
        let rows = u64::try_from(test.scope(sizes).amount(&bulk.rows)).unwrap_or(1);
        Some(Block::new(&Generator::new(like, sizes), rows))
    }

    pub(crate) fn new(
        test: &Test,
        job: u32,
        context: &TestContext<'_>,
        session: Box<dyn Session>,
        block: Block,
    ) -> Result<BulkWork> {
        let table = test.bulk.as_ref().and_then(|bulk| own_table(test, &bulk.table));
        let table = table.map(|own| own.table(job).name).unwrap_or_default();
        Ok(BulkWork { session, code: test.code.clone(), table, block, truncation: Truncation::new(test, job, context) })
    }

    fn try_step(&mut self) -> Result<Done> {
        let truncated = match &mut self.truncation {
            Some(truncation) => truncation.truncate_if_full(self.session.as_mut())?,
            None => 0,
        };
        self.block.rewind();
        let rows = self.session.bulk(&self.table, &mut self.block)?;
        if let Some(truncation) = &mut self.truncation {
            truncation.add(rows);
        }
        Ok(Done { operations: rows, rows, transactions: 1 + truncated, bytes: rows * ROW_BYTES.0, ..Done::default() })
    }

    /// Loads one block into the empty table, and reads every row of it back.
    pub(crate) fn check(&mut self) -> std::result::Result<(), Broken> {
        let wrong = self.try_check().map_err(|error: Error| broken(&error))?;
        wrong.map_or(Ok(()), |clause| {
            Err(Broken { message: format!("test {}: table {} {clause}", self.code, self.table) })
        })
    }

    fn try_check(&mut self) -> Result<Option<String>> {
        if let Some(truncation) = &mut self.truncation {
            truncation.truncate(self.session.as_mut())?;
        }
        self.try_step()?;
        let columns = DataColumn::ALL.map(DataColumn::name).join(", ");
        let read = self.session.prepare(&format!("select {columns} from {}", self.table))?;
        let found = self.session.query(read, &[])?;
        let fields = |row: &Row| DataColumn::ALL.iter().map(|column| row.field(*column)).collect::<Vec<Value<'_>>>();
        Ok(first_difference(self.block.rows().iter().map(fields).collect(), found))
    }
}

impl Work for BulkWork {
    fn step(&mut self, _number: u64) -> std::result::Result<Done, Broken> {
        match self.try_step() {
            Ok(done) => Ok(done),
            Err(error) => failed(self.session.as_mut(), &error, false),
        }
    }
}

fn own_table<'a>(test: &'a Test, name: &str) -> Option<&'a OwnTable> {
    test.table.iter().find(|table| table.name == name)
}

/// Truncates the table of a job before it fills the device, in a transaction of its own, which is part of the next step
/// and is counted.
pub(crate) struct Truncation {
    statements: Vec<String>,
    rows: u64,
    rows_of_last_step: u64,
    rows_max: u64,
}

impl Truncation {
    /// For `test`, if one of its tables has a limit.
    pub(crate) fn new(test: &Test, job: u32, context: &TestContext<'_>) -> Option<Truncation> {
        let own = test.table.iter().find(|table| table.rows_max.is_some())?;
        let rows_max = test.scope(context.sizes).amount(own.rows_max.as_ref()?);
        let statements = (context.engine.dialect().truncate)(&own.table(job).name);
        let rows_max = u64::try_from(rows_max).unwrap_or(0);
        Some(Truncation { statements, rows: 0, rows_of_last_step: 0, rows_max })
    }

    /// Truncates the table if a step like the last one would exceed the limit; returns the number of transactions.
    pub(crate) fn truncate_if_full(&mut self, session: &mut dyn Session) -> Result<u64> {
        match self.rows > 0 && self.rows + self.rows_of_last_step > self.rows_max {
            true => self.truncate(session).map(|()| 1),
            false => Ok(0),
        }
    }

    pub(crate) fn truncate(&mut self, session: &mut dyn Session) -> Result<()> {
        session.begin()?;
        let truncated = self.statements.iter().try_for_each(|statement| session.batch(statement));
        if let Err(error) = truncated.and_then(|()| session.commit()) {
            if error.failure().is_some() {
                session.rollback()?;
            }
            return Err(error);
        }
        self.rows = 0;
        Ok(())
    }

    pub(crate) fn add(&mut self, rows: u64) {
        self.rows += rows;
        self.rows_of_last_step = rows;
    }
}
