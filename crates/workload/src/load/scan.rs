//! Scans of a table that was loaded: a step is one query over all of its rows, whose answer is held against what was loaded.

use engine::{Canceller, Result, Session, Statement};
use measure::{Broken, Done, Work};
use record::{Bytes, ScanKind};

use super::figures::Figures;
use super::question::Question;
use super::table::LoadTable;
use crate::job::broken;
use crate::stage::Stage;

/// What the report groups by: the category of the merchant and its state.
const GROUPS: [&str; 2] = ["mcc", "merchant_state"];

/// The columns that `kind` groups by.
fn groups(kind: ScanKind) -> &'static [&'static str] {
    match kind {
        ScanKind::Sum => &[],
        ScanKind::Report => &GROUPS,
    }
}

impl LoadTable {
    /// Why it cannot be read as `kind` does, as a clause; none where it can.
    pub fn unfit_for(&self, kind: ScanKind) -> Option<String> {
        let has = |group: &str| self.columns().iter().any(|column| column.name == group);
        let missing = groups(kind).iter().find(|group| !has(group))?;
        Some(format!("the table has no column {missing} to group rows by"))
    }
}

/// One session that reads a table again and again.
pub struct ScanJob {
    session: Box<dyn Session>,
    statement: Statement,
    question: Question,
    kind: ScanKind,
    /// Rows of the table.
    rows: u64,
    table_bytes: Bytes,
    /// Whether the first query is the one that is measured: nothing is done to warm up.
    is_cold: bool,
    /// Whether the window has begun.
    released: bool,
}

/// How a table is read.
#[derive(Clone, Copy)]
pub struct Scanning<'a> {
    /// Which one.
    pub table: &'a LoadTable,
    /// What is asked.
    pub kind: ScanKind,
    /// Threads inside the statement, at least 1.
    pub threads: u32,
    /// Figures of what was loaded.
    pub expected: &'a Figures,
    /// Size of the table; 0 where it is not known.
    pub table_bytes: Bytes,
    /// Whether the first query of the session is the one that is measured.
    pub is_cold: bool,
}

impl ScanJob {
    /// A session on `stage` that reads as `scanning` says.
    ///
    /// # Errors
    /// What the engine says.
    pub fn new(stage: &Stage<'_>, scanning: &Scanning<'_>) -> Result<ScanJob> {
        let Scanning { table, kind, expected, .. } = scanning;
        let dialect = stage.engine.dialect();
        let mut session = stage.node.connect()?;
        (dialect.threads)(scanning.threads).iter().try_for_each(|statement| session.batch(statement))?;
        let question = Question::new(dialect, table, groups(*kind), expected);
        let statement = session.prepare(question.sql())?;
        Ok(ScanJob {
            session,
            statement,
            question,
            kind: *kind,
            rows: expected.rows,
            table_bytes: scanning.table_bytes,
            is_cold: scanning.is_cold,
            released: false,
        })
    }

    /// Makes what the session did visible in the counters of its node; how many transactions the engine counts for that.
    ///
    /// # Errors
    /// What the engine says.
    pub fn publish_counters(&mut self) -> Result<u64> {
        self.session.publish_counters()
    }

    /// Something that can break off a statement of this job from another thread.
    pub fn canceller(&self) -> Option<Box<dyn Canceller>> {
        self.session.canceller()
    }

    /// The process that serves this job's session, where it is one of its own on this host.
    pub fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }

    /// Asks, and holds the answer against what was loaded. It is part of the step, and next to nothing beside the query.
    fn ask(&mut self) -> Result<Option<Broken>> {
        let rows = self.session.query(self.statement, &[])?;
        let checked = self.question.checks(&rows)?;
        let wrong = checked.iter().find(|check| check.found.as_ref() != Some(&check.expected));
        Ok(wrong.map(|check| Broken {
            message: format!(
                "{}: the table gave {}, and {} was loaded",
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
        match self.ask() {
            Ok(Some(wrong)) => Err(wrong),
            Ok(None) => {
                let operations = match self.kind {
                    ScanKind::Sum => self.rows,
                    ScanKind::Report => 1,
                };
                let bytes = self.table_bytes.0;
                Ok(Done { operations, rows: self.rows, transactions: 1, bytes, ..Done::default() })
            }
            // A scan that is refused has no figure: that is the end of it, whatever the engine says of the next one.
            Err(error) => Err(broken(&error)),
        }
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        self.released = true;
        Ok(())
    }
}
