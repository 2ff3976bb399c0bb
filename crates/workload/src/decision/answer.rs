//! Answers that are known, for the parameters of validation.

use engine::Value;
use tpchgen::q_and_a::answers_sf1;

use crate::test::QUERIES;

/// Answers at other scales than 1: of each query the number of rows, and the first of them.
const OTHERS: [(u32, &str); 2] = [(1, include_str!("answers/0.01.txt")), (10, include_str!("answers/0.1.txt"))];

/// How far a number may be from the one that is expected, as a share of that: what sums of doubles differ by.
const DEVIATION: f64 = 1e-12;

/// How far a ratio may be from the published one (clause 2.1.3.5): it was computed from numbers that were rounded before.
const DEVIATION_OF_RATIO: f64 = 0.01;

/// The answers at one scale.
pub(crate) struct KnownAnswers {
    queries: Vec<KnownAnswer>,
}

/// The answer of a query.
struct KnownAnswer {
    /// Number of its rows.
    rows: usize,
    /// All of them, or the first ones.
    first: Vec<Vec<&'static str>>,
    /// Whether the key in their first column lacks its last two digits.
    is_key_cut: bool,
    /// How far its numbers may be from those that are expected.
    deviation: f64,
}

impl KnownAnswers {
    /// Those at a scale of `scale_percent` hundredths, if they are known: at scale 1 those that are published, at others those that
    /// several engines agree about.
    pub(crate) fn at(scale_percent: u32) -> Option<KnownAnswers> {
        let queries = match OTHERS.iter().find(|(scale, _)| *scale == scale_percent) {
            Some((_, text)) => of_text(text),
            None if scale_percent == 100 => (1..=QUERIES as i32).filter_map(published).collect(),
            None => return None,
        };
        Some(KnownAnswers { queries })
    }

    /// The first difference of `found`, the answer of query `query`, from 1, as a clause.
    pub(crate) fn first_difference(&self, query: usize, found: &[Vec<Value<'static>>]) -> Option<String> {
        let known = self.queries.get(query - 1)?;
        if found.len() != known.rows {
            return Some(format!("returned {} rows, expected {}", found.len(), known.rows));
        }
        let mut is_taken = vec![false; found.len()];
        // Rows that are equal by what they are ordered by may be in any order: the place is only where to look first.
        for (place, expected) in known.first.iter().enumerate() {
            let is_it = |row: &usize| !is_taken[*row] && known.is_row(expected, &found[*row]);
            let row = Some(place).filter(is_it).or_else(|| (0..found.len()).find(is_it));
            match row {
                Some(row) => is_taken[row] = true,
                None => return Some(difference(expected, &found[place])),
            }
        }
        None
    }
}

fn difference(expected: &[&str], found: &[Value<'_>]) -> String {
    let found: Vec<String> = found.iter().map(Value::to_string).collect();
    format!("returned no row ({}), but ({})", expected.join(", "), found.join(", "))
}

/// Fields of a line, without what fills the columns.
fn fields(line: &'static str) -> Vec<&'static str> {
    line.split('|').map(str::trim).collect()
}

/// The published answer of query `query` at scale 1: headings, then rows.
fn published(query: i32) -> Option<KnownAnswer> {
    let text = answers_sf1::answer(query)?;
    let first: Vec<Vec<&str>> = text.lines().filter(|line| !line.trim().is_empty()).skip(1).map(fields).collect();
    // In what the crate has of query 11 the column of keys is four letters wide, and the keys have six.
    // Query 17 is a seventh of a sum.
    let deviation = if query == 17 { DEVIATION_OF_RATIO } else { DEVIATION };
    Some(KnownAnswer { rows: first.len(), first, is_key_cut: query == 11, deviation })
}

/// Those of a file: for each query a line with the number of rows, then those that are known.
fn of_text(text: &'static str) -> Vec<KnownAnswer> {
    let mut queries: Vec<KnownAnswer> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match (line.split_once(": "), queries.last_mut()) {
            (Some((name, rows)), _) if name.starts_with('q') && !line.contains('|') => {
                queries.push(KnownAnswer {
                    rows: rows.parse().unwrap_or(0),
                    first: Vec::new(),
                    is_key_cut: false,
                    deviation: DEVIATION,
                });
            }
            (_, Some(query)) => query.first.push(fields(line)),
            (_, None) => {}
        }
    }
    queries
}

impl KnownAnswer {
    /// Whether the row `found` is the one that is expected.
    fn is_row(&self, expected: &[&str], found: &[Value<'_>]) -> bool {
        let is_same = |(column, (expected, found)): (usize, (&&str, &Value<'_>))| match found {
            Value::Int(key) if self.is_key_cut && column == 0 => {
                is_same_value(expected, &Value::Int(key / 100), self.deviation)
            }
            found => is_same_value(expected, found, self.deviation),
        };
        expected.len() == found.len() && expected.iter().zip(found).enumerate().all(is_same)
    }
}

/// Whether `found` is `expected`, which is a text, or a number that was rounded to its last digit.
fn is_same_value(expected: &str, found: &Value<'_>, deviation: f64) -> bool {
    let number = match found {
        Value::Int(value) => return is_number(expected, *value as f64, deviation),
        Value::Float(value) => *value,
        Value::Decimal(text) => match text.parse() {
            Ok(value) => value,
            Err(_) => return false,
        },
        Value::Text(text) => return text.trim() == expected,
        Value::Null => return expected == "null",
    };
    is_number(expected, number, deviation)
}

fn is_number(expected: &str, found: f64, deviation: f64) -> bool {
    let Ok(number) = expected.parse::<f64>() else { return false };
    let digits = expected.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    // A half of the last digit, which may be rounded either way; an integer is exact.
    let rounding = if digits == 0 { 0.0 } else { 0.500_001 * 10f64.powi(-(digits as i32)) };
    (number - found).abs() <= rounding + deviation * number.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[&'static str]) -> Vec<Value<'static>> {
        values.iter().map(|text| Value::Text((*text).into())).collect()
    }

    #[test]
    fn answers_are_known_at_the_scales_of_presets() {
        for scale_percent in [1, 10, 100] {
            let known = KnownAnswers::at(scale_percent).expect("known");
            assert_eq!(known.queries.len(), QUERIES, "{scale_percent}");
            for (query, of) in known.queries.iter().zip(1..) {
                assert!(query.rows > 0 && !query.first.is_empty() && query.first.len() <= query.rows, "query {of}");
                let columns = query.first[0].len();
                assert!(query.first.iter().all(|row| row.len() == columns), "query {of} at {scale_percent}");
            }
            // Its groups are the same at each scale: clause 2.4.1.
            assert_eq!(known.queries[0].rows, 4);
        }
        assert!(KnownAnswers::at(2).is_none());
    }

    #[test]
    fn numbers_are_the_same_to_the_last_digit_that_is_published() {
        for (expected, found) in [
            ("25.52", Value::Float(25.522_005)),
            ("25.52", Value::Decimal("25.5150".into())),
            ("37734107.00", Value::Int(37_734_107)),
            ("4", Value::Decimal("4".into())),
            ("1994-01-01", Value::Text("1994-01-01".into())),
            ("BRAZIL", Value::Text("BRAZIL  ".into())),
            ("13", Value::Text("13".into())),
            ("null", Value::Null),
        ] {
            assert!(is_same_value(expected, &found, DEVIATION), "{expected} {found:?}");
        }
        for (expected, found) in [
            ("25.52", Value::Float(25.526)),
            ("25.52", Value::Null),
            ("4", Value::Int(5)),
            ("null", Value::Int(0)),
            ("4", Value::Float(4.1)),
            ("BRAZIL", Value::Text("CHINA".into())),
            ("BRAZIL", Value::Int(4)),
            ("55909065222.83", Value::Decimal("55909065222.94".into())),
        ] {
            assert!(!is_same_value(expected, &found, DEVIATION), "{expected} {found:?}");
        }
    }

    #[test]
    fn the_keys_of_query_11_are_compared_without_their_last_digits() {
        let known = published(11).expect("an answer");
        let row = |key| [Value::Int(key), Value::Decimal("17538456.86".into())];
        assert!(known.is_row(&known.first[0], &row(129_760)) && !known.is_row(&known.first[0], &row(129_860)));
        assert_eq!(known.rows, 1_048);
    }

    #[test]
    fn a_row_that_is_missing_doubled_or_other_is_a_difference() {
        let first = vec![vec!["a", "1.00"], vec!["b", "2.00"]];
        let known =
            KnownAnswers { queries: vec![KnownAnswer { rows: 3, first, is_key_cut: false, deviation: DEVIATION }] };
        let answer = |rows: &[[&'static str; 2]]| rows.iter().map(|values| row(values)).collect::<Vec<_>>();
        let difference = |rows: &[[&'static str; 2]]| known.first_difference(1, &answer(rows));
        assert_eq!(difference(&[["b", "2.00"], ["a", "1.00"], ["c", "3"]]), None, "in any order");
        assert_eq!(difference(&[["a", "1.00"]]).as_deref(), Some("returned 1 rows, expected 3"));
        let words = difference(&[["a", "1.00"], ["a", "1.00"], ["c", "3"]]);
        assert_eq!(words.as_deref(), Some("returned no row (b, 2.00), but (a, 1.00)"));
        assert!(difference(&[["a", "1.01"], ["b", "2.00"], ["c", "3"]]).is_some());
    }
}
