//! What an engine can do, as data: asked while planning, so that "not supported" is never an error.

/// Abilities of one node, as its version answers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Has a procedural language that runs in the server.
    pub procedures: bool,
    /// Has an exact decimal type with arithmetic.
    pub decimal: bool,
    /// Compresses tables.
    pub table_compression: bool,
    /// Keeps a table in parts, by range of a date and by hash below it.
    pub partitions: bool,
    /// Takes lines of a flat file as they are ([`crate::Session::append_lines`]).
    pub lines: bool,
    /// Runs one query with several threads or processes.
    pub parallel_query: bool,
    /// Builds one index with several threads or processes.
    pub parallel_index: bool,
    /// Lets several sessions write at the same time.
    pub concurrent_writers: bool,
    /// Counts a transaction that only read as a commit.
    pub counts_read_commits: bool,
    /// Gives true answers. Only the null engine does not.
    pub answers: bool,
}

impl Caps {
    /// The abilities that a test file may ask for, by the names it uses, with whether it is there.
    pub fn named(&self) -> [(&'static str, bool); 6] {
        [
            ("procedures", self.procedures),
            ("decimal", self.decimal),
            ("table_compression", self.table_compression),
            ("parallel_query", self.parallel_query),
            ("parallel_index", self.parallel_index),
            ("concurrent_writers", self.concurrent_writers),
        ]
    }
}
