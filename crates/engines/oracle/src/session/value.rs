//! Conversion of values to and from those of the driver.

use std::borrow::Cow;

use engine::{Error, Kind, Result, Value};
use oracledb::{OracleNumber, OracleTimestamp, Row, ToDbValue};

use crate::failure;

/// Represents the empty text, which this server takes for null.
pub(super) const EMPTY_TEXT: &str = "\0";

/// A bind value of the driver.
pub(super) enum Bind<'a> {
    Null(Option<String>),
    Int(i64),
    Float(f64),
    Number(OracleNumber),
    Text(&'a str),
}

impl<'a> Bind<'a> {
    /// Converts `value`.
    pub(super) fn of(value: &'a Value<'_>) -> Result<Bind<'a>> {
        Ok(match value {
            Value::Null => Bind::Null(None),
            Value::Int(number) => Bind::Int(*number),
            Value::Float(number) => Bind::Float(*number),
            Value::Decimal(text) => Bind::Number(
                text.parse().map_err(|_| Error::new(Kind::Statement, format!("{text} is not a decimal number")))?,
            ),
            Value::Text(text) => Bind::Text(if text.is_empty() { EMPTY_TEXT } else { text }),
        })
    }

    pub(super) fn as_value(&self) -> &dyn ToDbValue {
        match self {
            Bind::Null(none) => none,
            Bind::Int(number) => number,
            Bind::Float(number) => number,
            Bind::Number(number) => number,
            Bind::Text(text) => text,
        }
    }
}

/// An owned field in an array that is filled.
#[derive(Debug)]
pub(super) enum Cell {
    Int(i64),
    Float(f64),
    Number(OracleNumber),
    Date(OracleTimestamp),
    Text(String),
}

impl Cell {
    pub(super) fn as_value(&self) -> &dyn ToDbValue {
        match self {
            Cell::Int(number) => number,
            Cell::Float(number) => number,
            Cell::Number(number) => number,
            Cell::Date(day) => day,
            Cell::Text(text) => text,
        }
    }
}

/// The fields of a row.
///
/// A NUMBER of a column with a scale is a decimal; any other, also of a computed expression, is an integer where it is
/// one of 64 bits.
pub(super) fn fields(row: &Row) -> Result<Vec<Value<'static>>> {
    let field = |(index, column): (usize, &oracledb::Metadata)| {
        let kind = column.db_type();
        let value = if *kind == *oracledb::DB_TYPE_NUMBER || *kind == *oracledb::DB_TYPE_BINARY_INTEGER {
            row.get::<Option<String>>(index).map(|text| text.map(|text| number(text, column.scale() > 0)))
        } else if *kind == *oracledb::DB_TYPE_BINARY_DOUBLE {
            row.get::<Option<f64>>(index).map(|number| number.map(Value::Float))
        } else if *kind == *oracledb::DB_TYPE_DATE {
            row.get::<Option<OracleTimestamp>>(index).map(|moment| moment.map(date))
        } else {
            row.get::<Option<String>>(index).map(|text| text.map(text_of))
        };
        value.map(|value| value.unwrap_or(Value::Null)).map_err(|error| failure::of_statement(&error))
    };
    row.columns().iter().enumerate().map(field).collect()
}

fn number(text: String, is_decimal: bool) -> Value<'static> {
    match text.parse() {
        Ok(number) if !is_decimal => Value::Int(number),
        _ => Value::Decimal(Cow::Owned(text)),
    }
}

/// A date, with the time of day where it has one.
fn date(moment: OracleTimestamp) -> Value<'static> {
    let (day, time) = (
        format!("{:04}-{:02}-{:02}", moment.year(), moment.month(), moment.day()),
        [moment.hour(), moment.minute(), moment.second()],
    );
    Value::Text(Cow::Owned(match time {
        [0, 0, 0] => day,
        [hour, minute, second] => format!("{day} {hour:02}:{minute:02}:{second:02}"),
    }))
}

fn text_of(text: String) -> Value<'static> {
    Value::Text(if text == EMPTY_TEXT { Cow::Borrowed("") } else { Cow::Owned(text) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_without_digits_behind_the_point_is_an_integer_where_the_column_allows() {
        assert_eq!(number("6".to_owned(), false), Value::Int(6));
        assert_eq!(number("100".to_owned(), true), Value::Decimal("100".into()));
        assert_eq!(number("-12.5".to_owned(), false), Value::Decimal("-12.5".into()));
        let large = "92233720368547758070";
        assert_eq!(number(large.to_owned(), false), Value::Decimal(large.into()));
    }

    #[test]
    fn a_date_has_a_time_of_day_only_where_it_is_not_midnight() {
        assert_eq!(date(OracleTimestamp::new_date(987, 2, 1)), Value::Text("0987-02-01".into()));
        let evening = OracleTimestamp::new_timestamp(2010, 2, 28, 20, 5, 0, 0);
        assert_eq!(date(evening), Value::Text("2010-02-28 20:05:00".into()));
    }

    #[test]
    fn an_empty_text_survives_a_server_that_takes_it_for_null() {
        let empty = Value::Text("".into());
        let Bind::Text(sent) = Bind::of(&empty).unwrap() else { panic!("no text") };
        assert!(!sent.is_empty());
        assert_eq!(text_of(sent.to_owned()), Value::Text("".into()));
        assert!(Bind::of(&Value::Decimal("12,5".into())).is_err());
    }

    proptest! {
        #[test]
        fn a_decimal_goes_through_the_drivers_number_unchanged(unscaled: i64, scale in 0usize..18) {
            let digits = format!("{:0>1$}", unscaled.unsigned_abs(), scale + 1);
            let (whole, fraction) = digits.split_at(digits.len() - scale);
            let text = format!("{whole}.{fraction}");
            let text = text.trim_end_matches('0').trim_end_matches('.');
            let text = if unscaled < 0 { format!("-{text}") } else { text.to_owned() };
            let number: OracleNumber = text.parse().unwrap();
            prop_assert_eq!(number.to_string(), text);
        }
    }
}
