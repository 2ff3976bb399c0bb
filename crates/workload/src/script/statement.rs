//! Statements of scripts: their parts, and what they do to transactions.

use super::names::{Meaning, Names};
use super::split::Piece;
use super::token::name_length;
use super::variables::Variables;

/// First words of statements that change nothing by themselves.
const READING: [&str; 15] = [
    "SELECT", "VALUES", "TABLE", "SHOW", "EXPLAIN", "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SET",
    "RESET", "FETCH", "DECLARE",
];

/// A statement, compiled once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SqlStatement {
    pub parts: Vec<Part>,
    /// Whether a variable stands in quotes, so that only text with its value in place has the meaning that it has in pgbench.
    pub is_text: bool,
    /// Its first word, in capital letters.
    pub verb: String,
    pub answer: Answer,
    pub control: Control,
    /// Whether engines count its commits otherwise than by one.
    pub commits_itself: bool,
}

/// A part of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    Variable { slot: usize, name: String },
}

/// What becomes of the rows of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Answer {
    /// They are read and dropped.
    #[default]
    Dropped,
    /// `\gset`: the one row becomes variables, whose names begin with this.
    Row(String),
    /// `\aset`: the last row does, if there is one.
    LastRow(String),
}

/// What a statement does to the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// Nothing: outside of one it is a transaction by itself.
    None,
    /// Starts one; `is_plain` if it says nothing more about it.
    Begin { is_plain: bool },
    /// Commits it.
    Commit { is_plain: bool },
    /// Rolls it back.
    Rollback { is_plain: bool },
}

impl SqlStatement {
    /// Of `pieces`, with the variables among `names`.
    pub(crate) fn new(pieces: &[Piece], names: &mut Names) -> SqlStatement {
        let mut builder = Builder { parts: Vec::new(), is_text: false };
        for piece in pieces {
            match piece {
                Piece::Code(text) => builder.add(text, false, names),
                Piece::Quoted(text) => builder.add(text, true, names),
                Piece::Comment(text) => builder.push(text),
            }
        }
        let words = words(pieces);
        let first = words.first().map_or("", String::as_str);
        let verb = first.trim_start_matches('(').to_owned();
        let commits_itself = matches!(verb.as_str(), "CALL" | "DO" | "VACUUM" | "EXECUTE");
        SqlStatement {
            parts: builder.parts,
            is_text: builder.is_text,
            verb,
            answer: Answer::Dropped,
            control: control(&words),
            commits_itself,
        }
    }

    /// Its text as it stands in the script, but for constants.
    pub(crate) fn text(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Variable { name, .. } => format!(":{name}"),
        };
        self.parts.iter().map(part).collect()
    }

    /// Adds its text with the values of variables to `sql`; a variable without a value stays as it is in the script.
    pub(crate) fn write(&self, variables: &Variables, sql: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => sql.push_str(text),
                Part::Variable { slot, name } => {
                    if !variables.write(*slot, sql) {
                        sql.push(':');
                        sql.push_str(name);
                    }
                }
            }
        }
    }

    /// Whether it changes the database, by its first word.
    pub(crate) fn writes(&self) -> bool {
        !READING.contains(&self.verb.as_str())
    }

    /// Whether it has variables.
    pub(crate) fn has_variables(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Variable { .. }))
    }
}

struct Builder {
    parts: Vec<Part>,
    is_text: bool,
}

impl Builder {
    fn push(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    /// Adds `text` with its variables. Colons one after the other are no beginning of a variable, and a name that is none stays
    /// as it is; so it is in pgbench, in quotes too.
    fn add(&mut self, text: &str, is_quoted: bool, names: &mut Names) {
        let mut rest = text;
        while let Some(colon) = rest.find(':') {
            let (before, from_colon) = rest.split_at(colon);
            self.push(before);
            let name = &from_colon[1..][..name_length(&from_colon[1..])];
            let meaning = if name.is_empty() { None } else { names.meaning(name) };
            match meaning {
                Some(Meaning::Constant(value)) => self.push(&value),
                Some(Meaning::Slot(slot)) => {
                    self.parts.push(Part::Variable { slot, name: name.to_owned() });
                    self.is_text |= is_quoted;
                }
                None => {
                    let colons = from_colon.find(|letter| letter != ':').unwrap_or(from_colon.len());
                    self.push(&from_colon[..colons]);
                    // After several colons a name is no variable.
                    let skipped = if colons > 1 { name_length(&from_colon[colons..]) } else { name.len() };
                    self.push(&from_colon[colons..colons + skipped]);
                    rest = &from_colon[colons + skipped..];
                    continue;
                }
            }
            rest = &from_colon[1 + name.len()..];
        }
        self.push(rest);
    }
}

/// The first words of a statement, in capital letters, up to what is no word.
fn words(pieces: &[Piece]) -> Vec<String> {
    let code = pieces.iter().map(|piece| match piece {
        Piece::Code(code) => code.as_str(),
        Piece::Quoted(_) => "'",
        Piece::Comment(_) => " ",
    });
    let text: String = code.collect();
    text.split_ascii_whitespace().map(str::to_ascii_uppercase).take(5).collect()
}

fn control(words: &[String]) -> Control {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_plain = |rest: &[&str]| matches!(rest, [] | ["WORK" | "TRANSACTION"]);
    match words.as_slice() {
        ["BEGIN", rest @ ..] => Control::Begin { is_plain: is_plain(rest) },
        ["START", "TRANSACTION", rest @ ..] => Control::Begin { is_plain: rest.is_empty() },
        // These go on in a transaction, or are about another one.
        ["COMMIT" | "END" | "ROLLBACK" | "ABORT", .., "CHAIN"] if !words.contains(&"NO") => Control::None,
        ["COMMIT" | "ROLLBACK", "PREPARED", ..] => Control::None,
        ["ROLLBACK", "TO", ..] | ["ROLLBACK", "WORK" | "TRANSACTION", "TO", ..] => Control::None,
        ["COMMIT" | "END", rest @ ..] => Control::Commit { is_plain: is_plain(rest) },
        ["ROLLBACK" | "ABORT", rest @ ..] => Control::Rollback { is_plain: is_plain(rest) },
        ["PREPARE", "TRANSACTION", ..] => Control::Rollback { is_plain: false },
        _ => Control::None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::split::{RawBody, split};
    use super::*;

    fn names() -> Names {
        let mut names = Names::new(BTreeMap::from([("size".to_owned(), "100".to_owned())]));
        names.assign("x");
        names
    }

    fn statement(text: &str) -> SqlStatement {
        let commands = split(text, "a.sql").expect(text);
        match &commands[0].body {
            RawBody::Sql { pieces, .. } => SqlStatement::new(pieces, &mut names()),
            RawBody::Meta(_) => panic!("{text} is a meta command"),
        }
    }

    /// The text with variables in brackets, and whether only text will do.
    fn read(text: &str) -> (String, bool) {
        let found = statement(text);
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Variable { name, .. } => format!("[{name}]"),
        };
        (found.parts.iter().map(part).collect(), found.is_text)
    }

    #[test]
    fn variables_are_replaced_where_pgbench_replaces_them() {
        // What pgbench 15.18 makes of them in its simple mode.
        for (text, expected, is_text) in [
            ("select :x + :size", "select [x] + 100", false),
            ("select 1::x, :x::int", "select 1::x, [x]::int", false),
            ("select :::x", "select :::x", false),
            ("select ':x 12:30 ::x :xx :size'", "select '[x] 12:30 ::x :xx 100'", true),
            ("select $$ :x $$", "select $$ [x] $$", true),
            ("select a[1:n], b[:x:2]", "select a[1:n], b[[x]:2]", false),
            ("select :x /* :x */", "select [x] /* :x */", false),
            ("select :1, :", "select :1, :", false),
            ("select \":x\"", "select \"[x]\"", true),
        ] {
            assert_eq!(read(text), (expected.to_owned(), is_text), "{text}");
        }
        assert_eq!(statement("select :x + :size").text(), "select :x + 100");
    }

    #[test]
    fn what_begins_and_ends_transactions_is_known() {
        let plain = true;
        for (text, expected) in [
            ("BEGIN", Control::Begin { is_plain: plain }),
            ("begin transaction", Control::Begin { is_plain: plain }),
            ("start transaction", Control::Begin { is_plain: plain }),
            ("begin isolation level serializable", Control::Begin { is_plain: false }),
            ("start transaction read only", Control::Begin { is_plain: false }),
            ("/* x */ end", Control::Commit { is_plain: plain }),
            ("commit work", Control::Commit { is_plain: plain }),
            ("commit and no chain", Control::Commit { is_plain: false }),
            ("commit and chain", Control::None),
            ("commit prepared 'a'", Control::None),
            ("abort", Control::Rollback { is_plain: plain }),
            ("rollback to savepoint a", Control::None),
            ("rollback transaction", Control::Rollback { is_plain: plain }),
            ("select 1", Control::None),
            ("endless", Control::None),
        ] {
            assert_eq!(statement(text).control, expected, "{text}");
        }
        assert!(statement("call f()").commits_itself && !statement("select f()").commits_itself);
    }

    proptest! {
        #[test]
        fn other_text_is_unchanged(text in "[a-w:'$ ]{1,40}") {
            if let Ok(commands) = split(&text, "a.sql")
                && let [command] = commands.as_slice()
                && let RawBody::Sql { pieces, .. } = &command.body
            {
                let mut none = Names::new(BTreeMap::new());
                let found = SqlStatement::new(pieces, &mut none);
                prop_assert_eq!(found.text(), text.trim());
            }
        }
    }
}
