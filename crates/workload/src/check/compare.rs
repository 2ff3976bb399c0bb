//! Comparison of values across the types of engines.

use engine::Value;

/// Relative error of a double, if the engine has no exact decimal.
const DECIMAL_AS_DOUBLE: f64 = 1e-9;

/// Whether `found` is a valid form of `expected`. Doubles are equal to the last bit. An exact decimal may be returned
/// as an integer or, by an engine without decimals, as a double near it; an expected text may be a decimal in its
/// shortest form.
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

/// The first difference of `found`, as a clause. Rows may be in any order.
pub(crate) fn first_difference(
    mut expected: Vec<Vec<Value<'static>>>,
    mut found: Vec<Vec<Value<'static>>>,
) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!("returned {} rows, expected {}", found.len(), expected.len()));
    }
    expected.sort_by_cached_key(|row| key(row));
    found.sort_by_cached_key(|row| key(row));
    expected.iter().zip(&found).find_map(|(expected, found)| {
        let same = expected.len() == found.len() && expected.iter().zip(found).all(|(one, other)| same(one, other));
        (!same).then(|| format!("returned ({}), expected ({})", words(found), words(expected)))
    })
}

/// The sort key of a row: values with the same form on every engine.
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
        assert_eq!(words.as_deref(), Some("returned (1, 'c'), expected (1, 'a')"));
        let words = first_difference(expected.clone(), vec![row(1, "a")]);
        assert_eq!(words.as_deref(), Some("returned 1 rows, expected 2"));
        let short = first_difference(expected, vec![vec![Value::Int(1)], row(2, "b")]);
        assert!(short.is_some());
    }
}
