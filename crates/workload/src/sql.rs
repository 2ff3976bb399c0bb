//! The text of statements: its source, and the translation of named binds to placeholders of an engine.

use engine::{Dialect, Engine, Placeholder};

/// Placeholder of the number of the job, from 0, in names of objects of one job.
pub(crate) const JOB: &str = "{job}";

/// Statement `name` of test `code`: that of the engine, or `portable`.
pub(crate) fn text<'a>(engine: &dyn Engine, code: &str, name: &str, portable: Option<&'a str>) -> Option<&'a str> {
    let is_it = |file: &&engine::StatementFile| {
        file.name.split_once('.').is_some_and(|(of, statement)| of == code && statement == name)
    };
    engine.about().statement_files.iter().find(is_it).map(|file| file.sql).or(portable)
}

/// `text` for job `job`.
pub(crate) fn of_job(text: &str, job: u32) -> String {
    text.replace(JOB, &job.to_string())
}

/// A statement for an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// With placeholders.
    pub sql: String,
    /// The name of each placeholder, in order.
    pub names: Vec<String>,
}

/// Replaces `:name` in `sql` by placeholders.
pub(crate) fn bound(sql: &str, dialect: &Dialect) -> Bound {
    let mut result = Bound { sql: String::with_capacity(sql.len()), names: Vec::new() };
    for token in Tokens(sql) {
        match token {
            Token::Text(text) => result.sql.push_str(text),
            Token::Name(name) => {
                let known = result.names.iter().position(|known| known == name);
                // A placeholder without a number takes the next value, even for a repeated name.
                let position = known.filter(|_| dialect.placeholder != Placeholder::Question);
                let position = position.unwrap_or_else(|| {
                    result.names.push(name.to_owned());
                    result.names.len() - 1
                });
                result.sql.push_str(&dialect.placeholder.at(position + 1));
            }
        }
    }
    result
}

/// The names of binds in `sql`, in order of appearance.
pub(crate) fn bind_names(sql: &str) -> Vec<String> {
    let name = |token| match token {
        Token::Name(name) => Some(name.to_owned()),
        Token::Text(_) => None,
    };
    Tokens(sql).filter_map(name).collect()
}

#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    /// Unchanged text, including quoted text, comments and casts (`::`).
    Text(&'a str),
    /// The name after a colon.
    Name(&'a str),
}

struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if self.0.is_empty() {
            return None;
        }
        if let Some(length) = name_length(self.0) {
            let (name, rest) = self.0[1..].split_at(length);
            self.0 = rest;
            return Some(Token::Name(name));
        }
        let mut length = 0;
        while length < self.0.len() && (length == 0 || name_length(&self.0[length..]).is_none()) {
            length += opaque_length(&self.0[length..]);
        }
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(Token::Text(text))
    }
}

/// The length of the name, if `text` begins with a bind.
fn name_length(text: &str) -> Option<usize> {
    let name = text.strip_prefix(':')?;
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        .then(|| name.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(name.len()))
}

/// The length of the token at the start of `text` in which a colon has no meaning; otherwise one character.
fn opaque_length(text: &str) -> usize {
    let until = |start: &str, end: &str| {
        text.strip_prefix(start).map(|rest| rest.find(end).map_or(text.len(), |at| start.len() + at + end.len()))
    };
    let cast = text.starts_with("::").then_some(2);
    let quoted = until("'", "'").or_else(|| until("\"", "\""));
    let comment = until("--", "\n").or_else(|| until("/*", "*/"));
    let one = text.chars().next().map_or(1, char::len_utf8);
    quoted.or(comment).or(cast).unwrap_or(one)
}

#[cfg(test)]
mod tests {
    use engine::Engine;
    use proptest::prelude::*;

    use super::*;

    fn dialect(placeholder: Placeholder) -> Dialect {
        Dialect { placeholder, ..*engine::null::NULL.dialect() }
    }

    fn bound_as(placeholder: Placeholder, sql: &str) -> (String, Vec<String>) {
        let bound = bound(sql, &dialect(placeholder));
        (bound.sql, bound.names)
    }

    #[test]
    fn a_bind_that_is_used_twice_is_one_value_where_placeholders_have_numbers() {
        let sql = "select a from t where b = :x and c between :low and :x";
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let dollar = "select a from t where b = $1 and c between $2 and $1".to_owned();
        assert_eq!(bound_as(Placeholder::Dollar, sql), (dollar, names(&["x", "low"])));
        let question = "select a from t where b = ? and c between ? and ?".to_owned();
        assert_eq!(bound_as(Placeholder::Question, sql), (question, names(&["x", "low", "x"])));
    }

    #[test]
    fn quotes_comments_and_casts_hold_no_binds() {
        let sql = "-- at 12:noon\nselect ':a', \":b\", c::int, 'it''s :d' /* :e */ from t where f = :g_1::int -- :h";
        let (text, names) = bound_as(Placeholder::QuestionNumber, sql);
        assert_eq!(names, ["g_1"]);
        assert_eq!(text, sql.replace(":g_1", "?1"));
        assert_eq!(bind_names("select ':unended"), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn other_text_is_unchanged(text in "\\PC*") {
            let tokens: String = Tokens(&text).map(|token| match token {
                Token::Text(text) => text.to_owned(),
                Token::Name(name) => format!(":{name}"),
            }).collect();
            prop_assert_eq!(tokens, text);
        }
    }
}
