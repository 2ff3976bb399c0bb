//! The commands of a script: SQL, ended by semicolons, and meta commands, one in a line, as pgbench's lexer tells them apart.

use super::error::{Mistake, ScriptError};

/// A command, as it stands in the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawCommand {
    /// The line of its first character, from 1.
    pub line: usize,
    pub body: RawBody,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RawBody {
    /// A statement, without its semicolon.
    Sql { pieces: Vec<Piece>, goes_on: bool },
    /// What follows the backslash, with its continuation lines.
    Meta(String),
}

/// A part of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Code(String),
    /// Text in quotes, with them.
    Quoted(String),
    /// A comment between `/*` and `*/`, which may be a hint for the engine.
    Comment(String),
}

/// The commands of `text`, which is called `origin` in errors.
pub(crate) fn split(text: &str, origin: &str) -> Result<Vec<RawCommand>, ScriptError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut splitter = Splitter { rest: text, line: 1, statement: Statement::default(), commands: Vec::new() };
    match splitter.split() {
        Ok(()) => Ok(splitter.commands),
        Err(mistake) => Err(mistake.at(origin, splitter.line)),
    }
}

struct Splitter<'a> {
    rest: &'a str,
    line: usize,
    statement: Statement,
    commands: Vec<RawCommand>,
}

/// The statement that is being read.
#[derive(Default)]
struct Statement {
    pieces: Vec<Piece>,
    line: Option<usize>,
    brackets: u32,
    body: Body,
}

impl Splitter<'_> {
    fn split(&mut self) -> Result<(), Mistake> {
        while let Some(first) = self.rest.chars().next() {
            self.token(first)?;
        }
        self.end_statement(false);
        Ok(())
    }

    /// Reads what begins with `first`.
    fn token(&mut self, first: char) -> Result<(), Mistake> {
        match first {
            '\'' | '"' => self.quoted(quote_length(self.rest, first, false), "quote")?,
            '$' => match dollar_length(self.rest) {
                Some(length) => self.quoted(length, "dollar quote")?,
                None => self.code(1),
            },
            '-' if self.rest.starts_with("--") => {
                let length = self.rest.find('\n').unwrap_or(self.rest.len());
                self.take(length);
            }
            '/' if self.rest.starts_with("/*") => {
                let length = comment_length(self.rest).ok_or_else(|| unended("comment"))?;
                let comment = self.take(length);
                self.statement.pieces.push(Piece::Comment(comment));
            }
            '\\' => self.backslash(),
            ';' if self.statement.brackets == 0 && !self.statement.body.is_open() => {
                self.take(1);
                self.end_statement(false);
            }
            '(' | ')' => {
                let brackets = &mut self.statement.brackets;
                *brackets = if first == '(' { *brackets + 1 } else { brackets.saturating_sub(1) };
                self.code(1);
            }
            first if first.is_alphabetic() || first == '_' || !first.is_ascii() => self.word()?,
            first => self.code(first.len_utf8()),
        }
        Ok(())
    }

    fn quoted(&mut self, length: Option<usize>, what: &str) -> Result<(), Mistake> {
        let length = length.ok_or_else(|| unended(what))?;
        self.statement.line.get_or_insert(self.line);
        let text = self.take(length);
        self.statement.pieces.push(Piece::Quoted(text));
        Ok(())
    }

    /// A word, and the text after it where the word says that backslashes escape in it.
    fn word(&mut self) -> Result<(), Mistake> {
        let is_of_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$') || !letter.is_ascii();
        let length = self.rest.find(|letter| !is_of_word(letter)).unwrap_or(self.rest.len());
        let word = &self.rest[..length];
        if self.statement.brackets == 0 {
            self.statement.body.read(word);
        }
        let escapes = word.eq_ignore_ascii_case("e");
        self.code(length);
        match escapes && self.rest.starts_with('\'') {
            true => self.quoted(quote_length(self.rest, '\'', true), "quote"),
            false => Ok(()),
        }
    }

    /// `\;` ends a statement without an end of the request, `\:` is a colon, and everything else a meta command.
    fn backslash(&mut self) {
        self.take(1);
        if self.rest.starts_with(';') {
            self.take(1);
            self.end_statement(true);
        } else if self.rest.starts_with(':') {
            self.code(1);
        } else {
            self.end_statement(false);
            self.meta();
        }
    }

    fn meta(&mut self) {
        let line = self.line;
        let mut text = String::new();
        loop {
            let length = self.rest.find('\n').unwrap_or(self.rest.len());
            let part = self.take(length);
            let part = part.strip_suffix('\r').unwrap_or(&part);
            self.take(usize::from(!self.rest.is_empty()));
            match part.strip_suffix('\\').filter(|_| !self.rest.is_empty()) {
                Some(part) => {
                    text.push_str(part);
                    text.push(' ');
                }
                None => {
                    text.push_str(part);
                    break;
                }
            }
        }
        self.commands.push(RawCommand { line, body: RawBody::Meta(text) });
    }

    /// Takes `length` bytes, and counts their lines.
    fn take(&mut self, length: usize) -> String {
        let (text, rest) = self.rest.split_at(length);
        self.line += text.matches('\n').count();
        self.rest = rest;
        text.to_owned()
    }

    fn code(&mut self, length: usize) {
        if !self.rest[..length].trim().is_empty() {
            self.statement.line.get_or_insert(self.line);
        }
        let text = self.take(length);
        match self.statement.pieces.last_mut() {
            Some(Piece::Code(code)) => code.push_str(&text),
            _ => self.statement.pieces.push(Piece::Code(text)),
        }
    }

    fn end_statement(&mut self, goes_on: bool) {
        let Statement { mut pieces, line, .. } = std::mem::take(&mut self.statement);
        let is_blank = |piece: &Piece| match piece {
            Piece::Code(code) => code.trim().is_empty(),
            Piece::Quoted(_) => false,
            Piece::Comment(_) => true,
        };
        if pieces.iter().all(is_blank) {
            return;
        }
        if let Some(Piece::Code(first)) = pieces.first_mut() {
            *first = first.trim_start().to_owned();
        }
        if let Some(Piece::Code(last)) = pieces.last_mut() {
            *last = last.trim_end().to_owned();
        }
        let line = line.unwrap_or(self.line);
        self.commands.push(RawCommand { line, body: RawBody::Sql { pieces, goes_on } });
    }
}

/// Whether a statement is a routine whose body is SQL: semicolons between its `BEGIN` and `END` do not end it.
#[derive(Default)]
struct Body {
    /// The first words, as far as they tell.
    words: Vec<String>,
    depth: u32,
}

impl Body {
    fn is_open(&self) -> bool {
        self.depth > 0
    }

    fn read(&mut self, word: &str) {
        let word = word.to_ascii_lowercase();
        if self.words.len() < 4 {
            self.words.push(word.clone());
        }
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let is_routine = matches!(
            words[..],
            ["create", "function" | "procedure", ..] | ["create", "or", "replace", "function" | "procedure", ..]
        );
        match word.as_str() {
            _ if !is_routine => {}
            "begin" => self.depth += 1,
            "case" if self.depth > 0 => self.depth += 1,
            "end" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// The length of the text in quotes `quote` at the start of `text`; doubled quotes are two such texts.
fn quote_length(text: &str, quote: char, escapes: bool) -> Option<usize> {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            return Some(at + 1);
        }
        if escapes && letter == '\\' {
            letters.next();
        }
    }
    None
}

/// The length of the text in dollar quotes at the start of `text`: `None` if none begins there, `Some(None)` if it has no end.
fn dollar_length(text: &str) -> Option<Option<usize>> {
    let tag = text[1..].find('$').map(|at| &text[..at + 2])?;
    let name = &tag[1..tag.len() - 1];
    if !(name.is_empty() || super::token::name_length(name) == name.len()) {
        return None;
    }
    Some(text[tag.len()..].find(tag).map(|at| tag.len() + at + tag.len()))
}

/// The length of the comment at the start of `text`; comments may contain comments.
fn comment_length(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    loop {
        let found = text[at..].find(['/', '*'])? + at;
        let (step, length) = match text.get(found..found + 2) {
            Some("/*") => (1, 2),
            Some("*/") => (-1, 2),
            _ => (0, 1),
        };
        depth += step;
        at = found + length;
        if depth == 0 && step < 0 {
            return Some(at);
        }
    }
}

fn unended(what: &str) -> Mistake {
    Mistake::new(format!("a {what} has no end"), format!("close the {what}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The commands of `text`: the line and the whole text of each, a meta command with its backslash.
    fn commands(text: &str) -> Vec<(usize, String)> {
        let one = |command: RawCommand| {
            let text = match command.body {
                RawBody::Meta(text) => format!("\\{text}"),
                RawBody::Sql { pieces, .. } => pieces
                    .into_iter()
                    .map(|(Piece::Code(text) | Piece::Quoted(text) | Piece::Comment(text))| text)
                    .collect(),
            };
            (command.line, text)
        };
        split(text, "a.sql").expect(text).into_iter().map(one).collect()
    }

    fn expect(text: &str, expected: &[(usize, &str)]) {
        let expected: Vec<(usize, String)> = expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect();
        assert_eq!(commands(text), expected, "{text}");
    }

    #[test]
    fn statements_end_with_a_semicolon_and_meta_commands_with_their_line() {
        expect(
            "-- first\n\\set a 1 + \\\n  2\r\n\nselect\n  1; select 2;\nselect 3\n",
            &[(2, "\\set a 1 +    2"), (5, "select\n  1"), (6, "select 2"), (7, "select 3")],
        );
        expect(
            "select 1 as x \\gset p_\nselect 2 \\; select 3;",
            &[(1, "select 1 as x"), (1, "\\gset p_"), (2, "select 2"), (2, "select 3")],
        );
        expect(";; ;-- nothing\n/* nothing */;", &[]);
        expect("  \\if true\n\\endif", &[(1, "\\if true"), (2, "\\endif")]);
    }

    #[test]
    fn quotes_comments_and_brackets_hold_semicolons() {
        for text in [
            "select ';', \"a;b\", 'it''s;'",
            "select $$a;'b$$, $tag$ $$ ; $tag$, $1",
            "select e'\\';'",
            "select /* ; /* ; */ \\set */ 1",
            "create rule r as on insert to t do (select 1; select 2)",
            "create or replace function f() returns int begin atomic select 1; select case when true then 2 end; end",
        ] {
            expect(&format!("{text}; select 2"), &[(1, text), (1, "select 2")]);
        }
        expect("select 1 -- ; it's\n + 2;", &[(1, "select 1 \n + 2")]);
        expect("begin; end;", &[(1, "begin"), (1, "end")]);
        expect("select a$b; select c$d", &[(1, "select a$b"), (1, "select c$d")]);
        expect("select 'a\\'; select 2", &[(1, "select 'a\\'"), (1, "select 2")]);
    }

    #[test]
    fn what_has_no_end_is_named_with_its_line() {
        for (text, what) in [
            ("\nselect 'a", "quote"),
            ("\nselect \"a", "quote"),
            ("\nselect $a$ $b$", "dollar"),
            ("\n/* /* */", "comment"),
        ] {
            let error = split(text, "a.sql").expect_err(text);
            assert_eq!(error.line, Some(2), "{text}");
            assert!(error.message.contains(what), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[\\PC\n\r]{0,200}") {
            let _ = split(&text, "a.sql");
        }

        #[test]
        fn no_text_of_the_language_panics(text in "[a-e '\"$/*\\\\;:()\n\r-]{0,80}") {
            let _ = split(&text, "a.sql");
        }
    }
}
