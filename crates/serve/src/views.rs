//! What pages look like is decided elsewhere: the server is handed functions that make them.

use std::sync::Arc;

use model::archive::ArchiveFilter;
use model::history::HistoryQuery;
use record::Record;

use crate::route::PlanQuery;
use crate::snapshot::{Item, Snapshot};

/// A page, or why there is none.
pub type Rendered = Result<String, Problem>;

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Who has to act.
    pub kind: ProblemKind,
    /// Thing, value, limit, and a hint in a line of its own.
    pub message: String,
}

/// Who has to act where there is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// There is no such thing any more.
    Gone,
    /// The reader: what was asked for is not possible, as to compare what cannot be compared.
    Refused,
    /// The environment.
    Failed,
    /// Something else goes on that must end first.
    Busy,
}

impl Problem {
    /// What was asked for is not possible.
    pub fn refused(message: impl Into<String>) -> Problem {
        Problem { kind: ProblemKind::Refused, message: message.into() }
    }
}

/// How a page is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// From this server.
    Served,
    /// As a file.
    File,
}

/// Where a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// At the root.
    Root,
    /// In a folder of the root.
    Below,
}

/// A page of the list.
pub struct ListPage<'a> {
    /// How it is read.
    pub medium: Medium,
    /// All that is known.
    pub snapshot: &'a Snapshot,
    /// What is looked for.
    pub filter: &'a ArchiveFilter,
    /// The entries of this page.
    pub items: &'a [Arc<Item>],
    /// How many are found.
    pub found: usize,
    /// This page and the last one, from 1.
    pub pages: (usize, usize),
    /// So many entries of all, from the newest, lead to their comparison with the record before.
    pub compared_max: usize,
}

/// A page of a history.
pub struct HistoryPage<'a> {
    /// The test, the jobs and the figure.
    pub query: &'a HistoryQuery,
    /// The hosts that a reader may choose, of a server.
    pub hosts: &'a [&'a str],
    /// The host whose records are shown; empty for those of all.
    pub host: &'a str,
    /// How it is read.
    pub medium: Medium,
}

/// A record that is being written.
pub struct LiveItem {
    /// The record so far.
    pub item: Arc<Item>,
    /// The same, thinned.
    pub record: Record,
    /// Whole seconds since its file changed.
    pub quiet_seconds: u64,
}

/// What makes the pages. Each is called on a thread that may wait.
pub trait Views: Send + Sync + 'static {
    /// The list.
    fn list(&self, page: &ListPage<'_>) -> String;

    /// All entries as JSON.
    fn list_json(&self, snapshot: &Snapshot) -> String;

    /// The page of a record or a published system.
    ///
    /// # Errors
    /// Where the record cannot be read any more.
    fn record(&self, item: &Item, medium: Medium) -> Rendered;

    /// A record as one JSON document.
    ///
    /// # Errors
    /// Where it cannot be read any more, and for a published system, which is no record.
    fn record_json(&self, item: &Item) -> Rendered;

    /// A comparison, the base first, as a page at the root of a server or as a file below it.
    ///
    /// # Errors
    /// Where they have no test in common, and where a record cannot be read any more.
    fn compare(&self, items: &[Arc<Item>], medium: Medium) -> Rendered;

    /// The history of a test over `records`, the oldest first; a server lets its reader choose one of `hosts`.
    ///
    /// # Errors
    /// Where none of them has it.
    fn history(&self, page: &HistoryPage<'_>, records: &mut dyn Iterator<Item = Record>) -> Rendered;

    /// Systems side by side.
    ///
    /// # Errors
    /// Where a record or its prices cannot be read.
    fn side(&self, items: &[Arc<Item>], tests: &[String]) -> Rendered;

    /// The form by which a run is planned, with its plan where one `may_be_made` now.
    ///
    /// # Errors
    /// For targets, tests and jobs that there are not.
    fn plan(&self, query: &PlanQuery, may_be_made: bool) -> Rendered;

    /// The month `month` of `target` in the history of a monitor that is called `history`.
    ///
    /// # Errors
    /// Where there is no such history, target or month.
    fn month(&self, history: &str, target: &str, month: &str) -> Rendered;

    /// What goes on, of records and in production: the page, and its content alone.
    fn live(&self, items: &[LiveItem]) -> [String; 2];

    /// The note on an entry.
    fn note(&self, item: &Item, snapshot: &Snapshot, can_be_changed: bool) -> String;

    /// A page that says why there is no other one.
    fn problem(&self, message: &str, medium: Medium, depth: Depth) -> String;

    /// The name of the file of the history of `test`.
    fn history_file(&self, test: &str) -> String;
}
