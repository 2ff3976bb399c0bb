//! Capabilities of an engine, as data: they are evaluated while planning, so that "not supported" is never an error.

/// Capabilities of one node; they depend on its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Has a procedural language that runs in the server.
    pub procedures: bool,
    /// Has an exact decimal type with arithmetic.
    pub decimal: bool,
    /// Compresses tables.
    pub table_compression: bool,
    /// Supports tables partitioned by range of a date and subpartitioned by hash.
    pub partitions: bool,
    /// Loads lines of a flat file unchanged ([`crate::Session::append_lines`]).
    pub lines: bool,
    /// Its sessions tell the names of the columns of an answer ([`crate::Session::column_names`]).
    pub column_names: bool,
    /// Reads and changes fields of JSON documents in its statements.
    pub json: bool,
    /// Keeps texts of a MiB in a column.
    pub large_values: bool,
    /// Ends a query after so many rows by `limit N`.
    pub limit_clause: bool,
    /// Runs one query with several threads or processes.
    pub parallel_query: bool,
    /// Builds one index with several threads or processes.
    pub parallel_index: bool,
    /// Supports concurrent writing sessions.
    pub concurrent_writers: bool,
    /// Counts a transaction that only read as a commit.
    pub counts_read_commits: bool,
    /// Counts a transaction that a procedure makes as one commit.
    pub counts_procedure_commits: bool,
    /// Returns correct results. Only the null engine does not.
    pub answers: bool,
}

impl Caps {
    /// The capabilities that a test file may require, by the names used there.
    pub fn named(&self) -> [(&'static str, bool); 9] {
        [
            ("procedures", self.procedures),
            ("decimal", self.decimal),
            ("table_compression", self.table_compression),
            ("json", self.json),
            ("large_values", self.large_values),
            ("limit_clause", self.limit_clause),
            ("parallel_query", self.parallel_query),
            ("parallel_index", self.parallel_index),
            ("concurrent_writers", self.concurrent_writers),
        ]
    }
}
