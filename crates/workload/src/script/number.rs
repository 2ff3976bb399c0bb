//! Values of expressions: pgbench's types and the conversions between them.

use std::fmt;

/// A value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
}

/// Why an expression has no value, as a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault(pub String);

impl Fault {
    #[cold]
    pub(crate) fn new(message: impl Into<String>) -> Fault {
        Fault(message.into())
    }
}

impl Number {
    /// As an integer; a double is rounded to the nearest one, halves to even.
    pub(crate) fn to_int(self) -> Result<i64, Fault> {
        match self {
            Number::Int(value) => Ok(value),
            Number::Double(value) => {
                let rounded = value.round_ties_even();
                // Both ends are exact doubles; the upper one is one too many.
                match rounded >= -(2f64.powi(63)) && rounded < 2f64.powi(63) {
                    true => Ok(rounded as i64),
                    false => Err(Fault::new(format!("double {value} does not fit an integer of 64 bits"))),
                }
            }
            other => Err(Fault::new(format!("{} is no integer", other.kind()))),
        }
    }

    /// As a double.
    pub(crate) fn to_double(self) -> Result<f64, Fault> {
        match self {
            Number::Int(value) => Ok(value as f64),
            Number::Double(value) => Ok(value),
            other => Err(Fault::new(format!("{} is no double", other.kind()))),
        }
    }

    /// As a boolean, which no number is.
    pub(crate) fn to_bool(self) -> Result<bool, Fault> {
        match self {
            Number::Bool(value) => Ok(value),
            other => Err(Fault::new(format!("{} is no boolean", other.kind()))),
        }
    }

    /// Whether a condition with this value holds: null does not, numbers do unless they are 0.
    pub(crate) fn is_true(self) -> bool {
        match self {
            Number::Null => false,
            Number::Bool(value) => value,
            Number::Int(value) => value != 0,
            Number::Double(value) => value != 0.0,
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Number::Null => "null",
            Number::Bool(_) => "a boolean",
            Number::Int(_) => "an integer",
            Number::Double(_) => "a double",
        }
    }

    /// The value of a variable whose text is `text`, where an expression uses it; `None` if it is none. A beginning of
    /// `true`, `yes`, `false` or `no` is a boolean, too.
    pub(crate) fn of_text(text: &str) -> Option<Number> {
        let begins = |word: &str| word.get(..text.len()).is_some_and(|head| head.eq_ignore_ascii_case(text));
        let is = |word: &str| word.eq_ignore_ascii_case(text);
        if text.is_empty() {
            return None;
        }
        if is("null") {
            return Some(Number::Null);
        }
        if begins("true") || begins("yes") || is("on") {
            return Some(Number::Bool(true));
        }
        if begins("false") || begins("no") || is("off") || is("of") {
            return Some(Number::Bool(false));
        }
        let trimmed = text.trim_ascii();
        let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
        match !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true => trimmed.parse().ok().map(Number::Int),
            false => trimmed.parse().ok().filter(|value: &f64| value.is_finite()).map(Number::Double),
        }
    }
}

/// As pgbench writes the value into a statement.
impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Null => formatter.write_str("NULL"),
            Number::Bool(value) => write!(formatter, "{value}"),
            Number::Int(value) => write!(formatter, "{value}"),
            Number::Double(value) => write_double(*value, formatter),
        }
    }
}

/// Significant digits of a double in text: `DBL_DIG` of C.
const DIGITS: i32 = 15;

/// As `%.15g` of C, but for what is no number, which is spelled as in SQL.
fn write_double(value: f64, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    if value.is_nan() {
        return formatter.write_str("NaN");
    }
    if value.is_infinite() {
        return formatter.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" });
    }
    let scientific = format!("{value:.*e}", DIGITS as usize - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..DIGITS).contains(&exponent) {
        return formatter.write_str(&trimmed(&format!("{value:.*}", (DIGITS - 1 - exponent) as usize)));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(formatter, "{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_double_is_written_as_in_c() {
        for (value, text) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (0.1, "0.1"),
            (1e15, "1e+15"),
            (123_456_789_012_345.0, "123456789012345"),
            (1e-5, "1e-05"),
            (0.000_123, "0.000123"),
            (std::f64::consts::PI, "3.14159265358979"),
            (-2.5e300, "-2.5e+300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(Number::Double(value).to_string(), text);
        }
    }

    #[test]
    fn a_double_is_rounded_to_an_integer_and_refused_beyond_64_bits() {
        let int = |value: f64| Number::Double(value).to_int();
        assert_eq!([int(2.5), int(3.5), int(-0.4)], [Ok(2), Ok(4), Ok(0)]);
        assert_eq!(int(-(2f64.powi(63))), Ok(i64::MIN));
        for beyond in [2f64.powi(63), -1e19, f64::NAN, f64::INFINITY] {
            assert!(int(beyond).is_err(), "{beyond}");
        }
    }

    #[test]
    fn booleans_are_no_numbers_and_numbers_no_booleans() {
        assert!(Number::Bool(true).to_int().is_err() && Number::Bool(true).to_double().is_err());
        assert!(Number::Int(1).to_bool().is_err() && Number::Null.to_bool().is_err());
        assert_eq!([Number::Int(1), Number::Int(0), Number::Null].map(Number::is_true), [true, false, false]);
        assert_eq!([Number::Double(0.1), Number::Double(0.0)].map(Number::is_true), [true, false]);
    }

    #[test]
    fn text_of_a_variable_is_a_value_where_it_can_be_one() {
        for (text, value) in [
            ("100", Some(Number::Int(100))),
            (" -7", Some(Number::Int(-7))),
            ("1e3", Some(Number::Double(1000.0))),
            (".5", Some(Number::Double(0.5))),
            ("Null", Some(Number::Null)),
            ("tr", Some(Number::Bool(true))),
            ("ON", Some(Number::Bool(true))),
            ("n", Some(Number::Bool(false))),
            ("of", Some(Number::Bool(false))),
            ("99999999999999999999", None),
            ("accounts", None),
            ("infinity", None),
            ("", None),
        ] {
            assert_eq!(Number::of_text(text), value, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_of_a_variable_panics(text in "\\PC{0,8}") {
            let _ = Number::of_text(&text);
        }

        #[test]
        fn a_written_double_is_read_as_nearly_the_same(value in any::<f64>().prop_filter("finite", |value| value.is_finite())) {
            let text = Number::Double(value).to_string();
            let read: f64 = text.parse().expect("a double");
            prop_assert!((read - value).abs() <= value.abs() * 1e-14, "{} {}", text, value);
        }
    }
}
