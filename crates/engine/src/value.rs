//! Bound and returned values.

use std::borrow::Cow;

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
