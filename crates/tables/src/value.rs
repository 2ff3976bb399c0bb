//! One value of a figure.

use std::borrow::Cow;

use record::{Bytes, Latency, Nanos, Rate, Ratio};
use serde::Serialize;

/// The value of a column in one row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// A non-negative integer.
    Count(u64),
    /// Any number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// No source.
    Absent,
}

impl Value<'_> {
    /// The name of a variant as in a record.
    pub(crate) fn word(variant: impl Serialize) -> Value<'static> {
        match serde_json::to_value(variant) {
            Ok(serde_json::Value::String(word)) => word.into(),
            _ => Value::Absent,
        }
    }

    /// One of the times of `latency`; absent where nothing was recorded.
    pub(crate) fn time(latency: &Latency, time: Nanos) -> Value<'static> {
        (latency.count > 0).then_some(time).into()
    }

    /// As a number; none of text, flags and absent values.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Count(count) => Some(*count as f64),
            Value::Number(number) => Some(*number),
            Value::Text(_) | Value::Flag(_) | Value::Absent => None,
        }
    }

    /// With all its digits, for programs; empty where absent.
    pub fn exact(&self) -> Cow<'_, str> {
        match self {
            Value::Text(text) => Cow::Borrowed(text),
            Value::Count(count) => Cow::Owned(count.to_string()),
            Value::Number(number) => Cow::Owned(number.to_string()),
            Value::Flag(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
            Value::Absent => Cow::Borrowed(""),
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    /// Empty text is absent.
    fn from(text: &'a str) -> Value<'a> {
        if text.is_empty() { Value::Absent } else { Value::Text(Cow::Borrowed(text)) }
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Value<'a> {
        Value::from(text.as_str())
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        if text.is_empty() { Value::Absent } else { Value::Text(Cow::Owned(text)) }
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Value<'a> {
        value.map_or(Value::Absent, Into::into)
    }
}

macro_rules! value {
    ($($from:ty, $of:ident => $value:expr;)+) => {
        $(impl From<$from> for Value<'_> {
            fn from($of: $from) -> Self {
                $value
            }
        })+
    };
}

value! {
    u64, count => Value::Count(count);
    u32, count => Value::Count(count.into());
    usize, count => Value::Count(count as u64);
    f64, number => Value::Number(number);
    bool, flag => Value::Flag(flag);
    Nanos, time => Value::Count(time.0);
    Bytes, size => Value::Count(size.0);
    Rate, rate => Value::Number(rate.0);
    Ratio, ratio => Value::Number(ratio.0);
}

#[cfg(test)]
mod tests {
    use record::{Check, Side, Unit, Verdict};

    use super::*;

    #[test]
    fn words_are_those_of_the_record() {
        let words = [
            Value::word(Check::LittlesLaw),
            Value::word(Verdict::Warn),
            Value::word(Side::A),
            Value::word(Unit::Statement),
        ];
        assert_eq!(words, ["littles_law", "warn", "a", "statement"].map(Value::from));
        assert_eq!(Value::word(7), Value::Absent);
    }

    #[test]
    fn a_latency_without_values_has_no_times() {
        assert_eq!(Value::time(&Latency::default(), Nanos(7)), Value::Absent);
        assert_eq!(Value::time(&Latency { count: 1, ..Latency::default() }, Nanos(7)), Value::Count(7));
    }
}
