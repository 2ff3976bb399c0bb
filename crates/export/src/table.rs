//! Tables as both formats see them.

use std::borrow::Cow;

use record::Record;

use crate::error::Result;

/// What a column holds; any cell of it may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Words.
    Text,
    /// A whole number that is not negative.
    Count,
    /// Any number.
    Number,
    /// Yes or no.
    Truth,
}

/// Name and kind; the unit is in the name: nanoseconds, bytes, per second; ratios lie in [0, 1].
pub(crate) type Column = (&'static str, Kind);

/// One cell; of the kind of its column, or empty.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Text(Cow<'a, str>),
    Count(u64),
    Number(f64),
    Truth(bool),
    Empty,
}

/// Takes the rows of a table, one by one.
pub(crate) type Taker<'a> = &'a mut dyn FnMut(&[Value<'_>]) -> Result<()>;

/// One table about what `S` is.
pub(crate) struct Table<S: 'static = Record> {
    /// Its name, and that of its file.
    pub(crate) name: &'static str,
    /// Its columns.
    pub(crate) columns: fn() -> Vec<Column>,
    /// Hands each of its rows in an `S` to the taker.
    pub(crate) rows: fn(&S, Taker<'_>) -> Result<()>,
}

/// A file that rows are written into.
pub(crate) trait Sink {
    /// Appends a row, with a cell for each column.
    fn write(&mut self, row: &[Value<'_>]) -> Result<()>;

    /// Ends the file.
    fn finish(self: Box<Self>) -> Result<()>;
}

impl<'a> From<&'a str> for Value<'a> {
    /// A text without letters says nothing.
    fn from(text: &'a str) -> Value<'a> {
        if text.is_empty() { Value::Empty } else { Value::Text(Cow::Borrowed(text)) }
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Value<'a> {
        Value::from(text.as_str())
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(Cow::Owned(text))
    }
}

impl From<u64> for Value<'_> {
    fn from(count: u64) -> Self {
        Value::Count(count)
    }
}

impl From<u32> for Value<'_> {
    fn from(count: u32) -> Self {
        Value::Count(count.into())
    }
}

impl From<usize> for Value<'_> {
    fn from(count: usize) -> Self {
        Value::Count(count as u64)
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(truth: bool) -> Self {
        Value::Truth(truth)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Value<'a> {
        value.map_or(Value::Empty, Into::into)
    }
}
