//! The values of the variables of a job.

use std::fmt::{Arguments, Write};

use engine::Value;

use super::names::{CLIENT_ID, Names};
use super::number::{Fault, Number};

/// Letters that a text has room for from the beginning.
const TEXT_ROOM: usize = 64;

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// It was not set yet.
    Unset,
    /// Set by an expression, or an answer.
    Number(Number),
    /// From a definition or an answer.
    Text(String),
}

/// The variables of a job, by their places.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variables {
    contents: Vec<Content>,
    names: Vec<String>,
}

impl Variables {
    /// Those of `names` for job `job`, before its first transaction.
    pub(crate) fn new(names: &Names, job: u32) -> Variables {
        let initial = |(slot, name): (usize, &String)| match names.initial(slot) {
            Some(text) => Content::Text(text.to_owned()),
            None if name == CLIENT_ID => Content::Number(Number::Int(job.into())),
            None => Content::Unset,
        };
        let contents = names.slots().iter().enumerate().map(initial).collect();
        Variables { contents, names: names.slots().to_vec() }
    }

    /// Sets all of them to the values that they have in `other`, which has the same ones.
    pub(crate) fn set_as_in(&mut self, other: &Variables) {
        self.contents.clone_from(&other.contents);
    }

    /// The value of the variable at `slot`, for an expression.
    #[inline]
    pub(crate) fn number(&self, slot: usize) -> Result<Number, Fault> {
        match &self.contents[slot] {
            Content::Number(number) => Ok(*number),
            Content::Text(text) => Number::of_text(text).ok_or_else(|| {
                Fault::new(format!("variable {} is `{text}`, which is no value of an expression", self.names[slot]))
            }),
            Content::Unset => Err(self.unset(slot)),
        }
    }

    #[cold]
    fn unset(&self, slot: usize) -> Fault {
        Fault::new(format!("variable {} was not set before", self.names[slot]))
    }

    #[inline]
    pub(crate) fn set(&mut self, slot: usize, number: Number) {
        self.contents[slot] = Content::Number(number);
    }

    /// Sets the variable at `slot` to a text.
    pub(crate) fn set_text(&mut self, slot: usize, text: Arguments<'_>) {
        let content = &mut self.contents[slot];
        if !matches!(content, Content::Text(_)) {
            *content = Content::Text(String::with_capacity(TEXT_ROOM));
        }
        if let Content::Text(content) = content {
            content.clear();
            // Writing into a string does not fail.
            let _ = content.write_fmt(text);
        }
    }

    /// Sets the variable at `slot` to a value of an answer.
    pub(crate) fn set_answer(&mut self, slot: usize, value: Value<'static>) {
        self.contents[slot] = match value {
            Value::Null => Content::Number(Number::Null),
            Value::Int(value) => Content::Number(Number::Int(value)),
            Value::Float(value) => Content::Number(Number::Double(value)),
            // A decimal keeps all of its digits.
            Value::Decimal(text) | Value::Text(text) => Content::Text(text.into_owned()),
        };
    }

    /// Binds the variable at `slot` to a placeholder.
    #[inline]
    pub(crate) fn bind(&self, slot: usize, value: &mut Value<'static>) -> Result<(), Fault> {
        *value = match &self.contents[slot] {
            Content::Number(Number::Null) => Value::Null,
            Content::Number(Number::Bool(is_true)) => Value::Int(i64::from(*is_true)),
            Content::Number(Number::Int(number)) => Value::Int(*number),
            Content::Number(Number::Double(number)) => Value::Float(*number),
            Content::Text(text) => match Number::of_text(text) {
                // `007` is no number where it is text.
                Some(Number::Int(number)) if number.to_string() == *text => Value::Int(number),
                Some(Number::Double(_)) if is_decimal(text) => Value::Decimal(text.clone().into()),
                _ => Value::Text(text.clone().into()),
            },
            Content::Unset => return Err(self.unset(slot)),
        };
        Ok(())
    }

    /// Writes the variable at `slot` into a statement; `false` if it has no value.
    pub(crate) fn write(&self, slot: usize, sql: &mut String) -> bool {
        match &self.contents[slot] {
            // Writing into a string does not fail.
            Content::Number(number) => write!(sql, "{number}").is_ok(),
            Content::Text(text) => {
                sql.push_str(text);
                true
            }
            Content::Unset => false,
        }
    }
}

/// Whether `text` is a decimal as engines take it: no exponent, no sign but a minus.
fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn variables() -> Variables {
        let mut names = Names::new(BTreeMap::from([("a".to_owned(), "7".to_owned())]));
        for name in ["a", "b", "client_id"] {
            names.assign(name);
            names.slot(name);
        }
        Variables::new(&names, 3)
    }

    #[test]
    fn a_variable_has_its_definition_until_it_is_set() {
        let mut variables = variables();
        assert_eq!(variables.number(0), Ok(Number::Int(7)));
        assert!(variables.number(1).unwrap_err().0.contains("variable b was not set"));
        assert_eq!(variables.number(2), Ok(Number::Int(3)));
        variables.set(0, Number::Double(0.5));
        assert_eq!(variables.number(0), Ok(Number::Double(0.5)));
        let mut sql = String::new();
        assert!(variables.write(0, &mut sql) && !variables.write(1, &mut sql));
        assert_eq!(sql, "0.5");
    }

    #[test]
    fn values_of_answers_are_bound_with_the_type_that_they_have() {
        let mut variables = variables();
        let text = |text: &str| Value::Text(text.to_owned().into());
        let decimal = |text: &str| Value::Decimal(text.to_owned().into());
        for (answer, bound) in [
            (Value::Int(5), Value::Int(5)),
            (Value::Null, Value::Null),
            (Value::Float(0.5), Value::Float(0.5)),
            (decimal("-12.50"), decimal("-12.50")),
            (decimal("12"), Value::Int(12)),
            (text("12"), Value::Int(12)),
            (text("007"), text("007")),
            (text("1e3"), text("1e3")),
            (text("true"), text("true")),
            (text("abc"), text("abc")),
        ] {
            variables.set_answer(1, answer);
            let mut value = Value::Null;
            variables.bind(1, &mut value).unwrap();
            assert_eq!(value, bound);
        }
    }
}
