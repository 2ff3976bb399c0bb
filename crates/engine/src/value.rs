//! Bound and returned values.

use std::borrow::Cow;
use std::fmt;

/// A value bound to a statement or returned by one.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// The null value.
    Null,
    /// A 64-bit integer; also narrower integers of the engine.
    Int(i64),
    /// A double.
    Float(f64),
    /// An exact decimal in its shortest form, without exponent and trailing zeros: `-12.5`.
    Decimal(Cow<'a, str>),
    /// Text.
    Text(Cow<'a, str>),
}

impl Value<'_> {
    /// The same value, owning its text.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Int(value) => Value::Int(value),
            Value::Float(value) => Value::Float(value),
            Value::Decimal(value) => Value::Decimal(Cow::Owned(value.into_owned())),
            Value::Text(value) => Value::Text(Cow::Owned(value.into_owned())),
        }
    }
}

/// As a reader would write it; null as `null`.
impl fmt::Display for Value<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => to.write_str("null"),
            Value::Int(value) => value.fmt(to),
            Value::Float(value) => value.fmt(to),
            Value::Decimal(text) | Value::Text(text) => to.write_str(text),
        }
    }
}
