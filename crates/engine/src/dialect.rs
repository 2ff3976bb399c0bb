//! How an engine says what tests need said. A statement that differs beyond this is a file in the engine's `sql/`.

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

/// The words of one engine. Functions return statements for [`crate::Session::batch`], in order.
#[derive(Clone, Copy)]
pub struct Dialect {
    /// How binds are named.
    pub placeholder: Placeholder,
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
}
