//! SQL dialect of an engine, as far as tests depend on it. A statement that differs beyond this is a file in the
//! engine's `sql/`.

use record::Bytes;

use crate::Table;

/// How a statement names its binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// `$1`, `$2`, ...
    Dollar,
    /// `?1`, `?2`, ...
    QuestionNumber,
    /// `?`, in order of appearance.
    Question,
    /// `:1`, `:2`, ...
    Colon,
}

impl Placeholder {
    /// The placeholder of the bind at `position`, counted from 1.
    pub fn at(self, position: usize) -> String {
        match self {
            Placeholder::Dollar => format!("${position}"),
            Placeholder::QuestionNumber => format!("?{position}"),
            Placeholder::Question => "?".to_owned(),
            Placeholder::Colon => format!(":{position}"),
        }
    }
}

/// Layout of a table in which each accessed row is stored in a block of its own.
#[derive(Clone, Copy, Debug)]
pub struct Sparse {
    /// Rows per block: only the first of so many consecutive rows is accessed, the others fill its block.
    pub rows_per_block: u32,
    /// Bytes of text in a row, summed over its text columns.
    pub row_bytes: u32,
    /// Whether the table needs a primary key for its rows to be stored in load order.
    pub is_keyed: bool,
    /// Creates an empty table of such rows, in place of [`Dialect::create`].
    pub create: fn(&Table) -> Vec<String>,
}

/// The dialect of one engine. Functions return statements for [`crate::Session::batch`], in order.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// How binds are named.
    pub placeholder: Placeholder,
    /// A quoted identifier.
    pub quoted: fn(&str) -> String,
    /// Creates an empty table for bulk loading (what is faster after the load is left to `finish`).
    pub create: fn(&Table) -> Vec<String>,
    /// After a load: key, indexes, statistics, and whatever else brings a new table into a steady state.
    pub finish: fn(&Table) -> Vec<String>,
    /// Removes a table if it exists.
    pub drop: fn(&str) -> Vec<String>,
    /// Empties a table.
    pub truncate: fn(&str) -> Vec<String>,
    /// Sets the number of threads (#T, at least 1) that a statement of this session uses, if the engine supports it.
    pub threads: fn(u32) -> Vec<String>,
    /// Makes this session read single blocks in index order, without prefetch of sorted pages.
    pub single_block_reads: &'static [&'static str],
    /// The statement that begins a transaction which writes after it has read, where a plain one would fail then.
    pub begin_writing: Option<&'static str>,
    /// Size of a table: a query that returns one row with two numbers, the bytes of the table (with its partitions and
    /// out-of-line text) and the bytes of its indexes; null where the engine does not report one of them. It may scan
    /// the whole table. Correct only after `finish`. If the server rejects the query, for lack of privilege or because
    /// it does not support it, both sizes are unknown. `None` if the engine reports no sizes.
    pub table_bytes: fn(&str) -> Option<String>,
    /// Layout with one accessed row per block of this size; if the engine has no such blocks, a clause with the reason.
    pub sparse: fn(Bytes) -> Result<Sparse, &'static str>,
}
