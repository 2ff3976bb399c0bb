//! Scans of a loaded table: a step is one query over all of its rows, whose answer is compared with what was loaded.

use engine::{Canceller, Result, Session, Statement};
use measure::{Broken, Done, Work};
use record::{Bytes, ScanKind};

use super::check_query::CheckQuery;
use super::figures::Figures;
use super::table::LoadTable;
use crate::test_context::{TestContext, broken};

/// The columns that the report groups by: category and state of the merchant.
const GROUPS: [&str; 2] = ["mcc", "merchant_state"];

/// The columns that `kind` groups by.
fn groups(kind: ScanKind) -> &'static [&'static str] {
    match kind {
        ScanKind::Sum => &[],
        ScanKind::Report => &GROUPS,
    }
}

impl LoadTable {
    /// Why `kind` cannot scan it, as a clause; none if it can.
    pub fn unfit_for(&self, kind: ScanKind) -> Option<String> {
        let has = |group: &str| self.columns().iter().any(|column| column.name == group);
        let missing = groups(kind).iter().find(|group| !has(group))?;
        Some(format!("the table has no column {missing} to group rows by"))
    }
}

/// A session that scans a table repeatedly.
pub struct ScanJob {
    session: Box<dyn Session>,
    statement: Statement,
    check_query: CheckQuery,
    kind: ScanKind,
    /// Rows of the table.
    rows: u64,
    table_bytes: Bytes,
    /// Whether the first query is measured, without a warm-up.
    is_cold: bool,
    /// Whether the window has started.
    released: bool,
}

/// The parameters of a scan.
#[derive(Clone, Copy)]
pub struct Scanning<'a> {
    /// The table.
    pub table: &'a LoadTable,
    /// The kind of scan.
    pub kind: ScanKind,
    /// Threads inside the statement, at least 1.
    pub threads: u32,
    /// Figures of what was loaded.
    pub expected: &'a Figures,
    /// Size of the table; 0 if unknown.
    pub table_bytes: Bytes,
    /// Whether the first query of the session is measured.
    pub is_cold: bool,
}

impl ScanJob {
    /// A session on `context` for the scan `scanning`.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn new(context: &TestContext<'_>, scanning: &Scanning<'_>) -> Result<ScanJob> {
        let Scanning { table, kind, expected, .. } = scanning;
        let dialect = context.engine.dialect();
        let mut session = context.node.connect()?;
        (dialect.threads)(scanning.threads).iter().try_for_each(|statement| session.batch(statement))?;
        let check_query = CheckQuery::new(dialect, table, groups(*kind), expected);
        let statement = session.prepare(check_query.sql())?;
        Ok(ScanJob {
            session,
            statement,
            check_query,
            kind: *kind,
            rows: expected.rows,
            table_bytes: scanning.table_bytes,
            is_cold: scanning.is_cold,
            released: false,
        })
    }

    /// Publishes what the session did in the counters of its node; the number of transactions that this costs.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn publish_counters(&mut self) -> Result<u64> {
        self.session.publish_counters()
    }

    /// Cancels a statement of this job from another thread.
    pub fn canceller(&self) -> Option<Box<dyn Canceller>> {
        self.session.canceller()
    }

    /// The process of this job's session, where it has a process of its own on this host.
    pub fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }

    /// Runs the query, and compares its answer with what was loaded. The comparison is part of the step, and negligible
    /// beside the query.
    fn query(&mut self) -> Result<Option<Broken>> {
        let rows = self.session.query(self.statement, &[])?;
        let checked = self.check_query.checks(&rows)?;
        let wrong = checked.iter().find(|check| check.found.as_ref() != Some(&check.expected));
        Ok(wrong.map(|check| Broken {
            message: format!(
                "{}: the table has {}, and {} was loaded",
                check.what,
                check.found.as_deref().unwrap_or("nothing"),
                check.expected
            ),
        }))
    }
}

impl Work for ScanJob {
    fn step(&mut self, _number: u64) -> std::result::Result<Done, Broken> {
        if self.is_cold && !self.released {
            return Ok(Done::over());
        }
        match self.query() {
            Ok(Some(wrong)) => Err(wrong),
            Ok(None) => {
                let operations = match self.kind {
                    ScanKind::Sum => self.rows,
                    ScanKind::Report => 1,
                };
                let bytes = self.table_bytes.0;
                Ok(Done { operations, rows: self.rows, transactions: 1, bytes, ..Done::default() })
            }
            // A failed scan ends the run, because it has no figure, whatever the next one would return.
            Err(error) => Err(broken(&error)),
        }
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        self.released = true;
        Ok(())
    }
}
