//! Whether two values are the same one, across the types of engines.

use engine::Value;

/// Relative error that a double may have where the engine has no exact decimal.
const DECIMAL_AS_DOUBLE: f64 = 1e-9;

/// Whether an engine that should return `expected` may return `found`. Doubles are equal to the last bit. An exact
/// decimal may come as an integer or, in an engine that has none, as a double near it; text that is expected may be a
/// decimal written in its shortest form.
pub(crate) fn same(expected: &Value<'_>, found: &Value<'_>) -> bool {
    match (expected, found) {
        (Value::Null, Value::Null) => true,
        (Value::Int(expected), Value::Int(found)) => expected == found,
        (Value::Int(expected), Value::Decimal(found)) => *found == expected.to_string(),
        (Value::Float(expected), Value::Float(found)) => expected.to_bits() == found.to_bits(),
        (Value::Decimal(expected) | Value::Text(expected), Value::Decimal(found)) => expected == found,
        (Value::Decimal(expected), Value::Int(found)) => *expected == found.to_string(),
        (Value::Decimal(expected), Value::Float(found)) => expected
            .parse::<f64>()
            .is_ok_and(|expected| (expected - found).abs() <= DECIMAL_AS_DOUBLE * expected.abs().max(1.0)),
        (Value::Text(expected), Value::Text(found)) => expected == found,
        _ => false,
    }
}

/// What is wrong with `found`, if anything is, as a clause. Rows may come in any order.
pub(crate) fn first_difference(
    mut expected: Vec<Vec<Value<'static>>>,
    mut found: Vec<Vec<Value<'static>>>,
) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!("returned {} rows where {} are right", found.len(), expected.len()));
    }
    expected.sort_by_cached_key(|row| key(row));
    found.sort_by_cached_key(|row| key(row));
    expected.iter().zip(&found).find_map(|(expected, found)| {
        let same = expected.len() == found.len() && expected.iter().zip(found).all(|(one, other)| same(one, other));
        (!same).then(|| format!("returned ({}) where ({}) is right", words(found), words(expected)))
    })
}

/// Orders rows by what has the same form on every engine.
fn key(row: &[Value<'_>]) -> Vec<(i64, String)> {
    let part = |value: &Value<'_>| match value {
        Value::Int(number) => Some((*number, String::new())),
        Value::Text(text) => Some((0, text.clone().into_owned())),
        _ => None,
    };
    row.iter().filter_map(part).collect()
}

fn words(row: &[Value<'_>]) -> String {
    let word = |value: &Value<'_>| match value {
        Value::Null => "null".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Decimal(text) => text.clone().into_owned(),
        Value::Text(text) => format!("'{text}'"),
    };
    row.iter().map(word).collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Value<'_> {
        Value::Decimal(text.into())
    }

    #[test]
    fn values_are_the_same_across_the_types_of_engines_and_not_otherwise() {
        let equal = [
            (Value::Int(5), Value::Int(5)),
            (Value::Int(5), decimal("5")),
            (decimal("12.5"), decimal("12.5")),
            (decimal("12"), Value::Int(12)),
            (decimal("1000000.25"), Value::Float(1_000_000.250_000_1)),
            (Value::Text("12.5".into()), decimal("12.5")),
            (Value::Float(0.1), Value::Float(0.1)),
        ];
        assert!(equal.iter().all(|(expected, found)| same(expected, found)));
        let different = [
            (Value::Int(5), Value::Int(6)),
            (Value::Int(5), Value::Null),
            (Value::Int(5), Value::Text("5".into())),
            (decimal("12.5"), decimal("12.6")),
            (decimal("1000000.25"), Value::Float(1_000_000.26)),
            (Value::Float(0.1), Value::Float(0.1 + f64::EPSILON)),
            (Value::Float(5.0), Value::Int(5)),
            (Value::Text("a".into()), Value::Text("b".into())),
        ];
        assert!(different.iter().all(|(expected, found)| !same(expected, found)));
    }

    #[test]
    fn rows_may_come_in_any_order_but_must_be_the_right_ones() {
        let row = |id: i64, text: &'static str| vec![Value::Int(id), Value::Text(text.into())];
        let expected = vec![row(1, "a"), row(2, "b")];
        assert_eq!(first_difference(expected.clone(), vec![row(2, "b"), row(1, "a")]), None);
        let words = first_difference(expected.clone(), vec![row(2, "b"), row(1, "c")]);
        assert_eq!(words.as_deref(), Some("returned (1, 'c') where (1, 'a') is right"));
        let words = first_difference(expected.clone(), vec![row(1, "a")]);
        assert_eq!(words.as_deref(), Some("returned 1 rows where 2 are right"));
        let short = first_difference(expected, vec![vec![Value::Int(1)], row(2, "b")]);
        assert!(short.is_some());
    }
}
