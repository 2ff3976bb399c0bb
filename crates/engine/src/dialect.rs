//! How an engine says what tests need said. A statement that differs beyond this is a file in the engine's `sql/`.

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

/// How a table is laid out so that each row that is touched lies in a block of its own.
#[derive(Clone, Copy, Debug)]
pub struct Sparse {
    /// Rows that fill a block: of so many that follow each other only the first is touched, the others fill its block.
    pub rows_per_block: u32,
    /// Bytes of text in a row, all of its columns of text together.
    pub row_bytes: u32,
    /// Whether the table needs a primary key for its rows to lie in the order in which they were loaded.
    pub is_keyed: bool,
    /// Creates an empty table of such rows, in place of [`Dialect::create`].
    pub create: fn(&Table) -> Vec<String>,
}

/// The words of one engine. Functions return statements for [`crate::Session::batch`], in order.
#[derive(Clone, Copy)]
pub struct Dialect {
    /// How binds are named.
    pub placeholder: Placeholder,
    /// A name as it stands in a statement, whatever word it is.
    pub quoted: fn(&str) -> String,
    /// Creates an empty table, ready for the bulk path (whatever is faster afterwards is left to `finish`).
    pub create: fn(&Table) -> Vec<String>,
    /// After a load: key, indexes, statistics, and what else makes a fresh table behave like a settled one.
    pub finish: fn(&Table) -> Vec<String>,
    /// Removes a table if it exists.
    pub drop: fn(&str) -> Vec<String>,
    /// Empties a table.
    pub truncate: fn(&str) -> Vec<String>,
    /// Makes this session use exactly so many threads (#T, at least 1) inside one statement, if it can.
    pub threads: fn(u32) -> Vec<String>,
    /// Makes this session read single blocks in the order of the index, without prefetch by sorted pages.
    pub single_block_reads: &'static [&'static str],
    /// What a table takes: a query with one row of two numbers, the bytes of the table with its parts and of texts that
    /// lie elsewhere, and the bytes of its indexes; null where the engine does not tell one of them. It may read the whole
    /// table. Right only after `finish`. A server that refuses it, to a role that may not look or because it lacks a word
    /// of it, tells neither. None where the engine never does.
    pub table_bytes: fn(&str) -> Option<String>,
    /// How rows are spread over blocks of this size, one touched row in each; a clause that says why not where the
    /// engine has no such blocks.
    pub sparse: fn(Bytes) -> Result<Sparse, &'static str>,
}
