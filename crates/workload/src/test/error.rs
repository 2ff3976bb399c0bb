//! Errors of test files.

use std::fmt;

/// An invalid test file: the file, the line, what is wrong, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TestError {
    /// The file, as named by the caller.
    pub origin: String,
    /// The line, from 1, if known.
    pub line: Option<usize>,
    /// What is wrong: thing, value, limit.
    pub message: String,
}

impl fmt::Display for TestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "test file {} line {line}: {}", self.origin, self.message),
            None => write!(formatter, "test file {}: {}", self.origin, self.message),
        }
    }
}

impl TestError {
    /// An error of the TOML parser.
    pub(crate) fn from_toml(error: &toml::de::Error, text: &str, origin: &str) -> TestError {
        let line = error.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        TestError { origin: origin.to_owned(), line, message: error.message().trim_end().replace('\n', ", ") }
    }

    /// A broken rule.
    pub(crate) fn broken_rule(rule: &BrokenRule, text: &str, origin: &str) -> TestError {
        TestError { origin: origin.to_owned(), line: rule.line(text), message: rule.message.clone() }
    }
}

/// A broken rule in a file with known keys.
#[derive(Debug)]
pub(crate) struct BrokenRule {
    /// The value or the key that is wrong.
    word: String,
    /// The name of the table or statement that contains it.
    within: Option<String>,
    /// What is wrong: thing, value, limit.
    message: String,
}

impl BrokenRule {
    pub(crate) fn new(word: impl Into<String>, message: impl Into<String>) -> BrokenRule {
        BrokenRule { word: word.into(), within: None, message: message.into() }
    }

    /// The same, in the section `name`.
    pub(crate) fn within(self, name: &str) -> BrokenRule {
        BrokenRule { within: Some(name.to_owned()), ..self }
    }

    /// Its line, estimated without parsing: in the section, if there is one, the line with the word in quotes,
    /// otherwise starting with it, otherwise containing it.
    fn line(&self, text: &str) -> Option<usize> {
        let lines: Vec<&str> = text.lines().collect();
        let quoted = |word: &str| [format!("\"{word}\""), format!("'{word}'")];
        let names = |line: &str, name: &str| {
            line.trim_start().starts_with("name") && quoted(name).iter().any(|quoted| line.contains(quoted.as_str()))
        };
        let start =
            self.within.as_deref().and_then(|name| lines.iter().position(|line| names(line, name))).unwrap_or(0);
        let next = lines.iter().skip(start + 1).position(|line| line.starts_with("[["));
        let end = next.filter(|_| self.within.is_some()).map_or(lines.len(), |length| start + 1 + length);
        let section = lines.get(start..end)?;
        let in_quotes = |line: &&str| quoted(&self.word).iter().any(|quoted| line.contains(quoted.as_str()));
        let first = |line: &&str| {
            let rest = line.trim_start().strip_prefix(self.word.as_str());
            rest.is_some_and(|rest| rest.trim_start().starts_with(['=', '.']) || rest.is_empty())
        };
        let found = section.iter().position(in_quotes).or_else(|| section.iter().position(first));
        let found = found.or_else(|| section.iter().position(|line| line.contains(self.word.as_str())));
        found.or_else(|| self.within.is_some().then_some(0)).map(|index| start + index + 1)
    }
}
