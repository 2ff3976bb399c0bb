//! Figures over all rows of a table as a query, for the whole table or for groups of it, and their comparison with the
//! expected figures.

use engine::{ColumnType, Dialect, Error, IsoDate, Kind, Result, Session, Value};
use record::LoadCheck;

use super::figures::{Figure, Figures};
use super::table::LoadTable;
use crate::data::decimal;

/// Relative error of a sum, if the engine stores decimals as doubles.
const SUM_ERROR: f64 = 1e-9;

/// One query over all rows of a table.
#[derive(Clone, Debug)]
pub(super) struct CheckQuery {
    sql: String,
    groups: usize,
    figures: Vec<CheckedFigure>,
}

/// One figure of the query.
#[derive(Clone, Debug)]
struct CheckedFigure {
    what: String,
    /// Empty if unknown.
    expected: String,
    fold: Fold,
}

/// How the figure of the table follows from those of its groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fold {
    Sum,
    Least,
    Most,
}

impl CheckQuery {
    /// Queries the number of rows of `table`, the sum of each decimal column, and the first and the last day of each
    /// date column, for each group of the columns `by`, in order; `expected` has the right values.
    pub(super) fn new(dialect: &Dialect, table: &LoadTable, by: &[&str], expected: &Figures) -> CheckQuery {
        let mut list: Vec<String> = by.iter().map(|column| (dialect.quoted)(column)).collect();
        let groups = list.join(", ");
        let mut figures = Vec::new();
        let mut add = |what: String, sql: String, fold, expected| {
            list.push(sql);
            figures.push(CheckedFigure { what, expected, fold });
        };
        add("rows".to_owned(), "count(*)".to_owned(), Fold::Sum, expected.rows.to_string());
        // Queried in any case, so that the query does not depend on what is known.
        let none = Figures::none(table.columns()).columns.unwrap_or_default();
        for (place, column) in table.columns().iter().enumerate() {
            let name = &column.name;
            let quoted = (dialect.quoted)(name);
            let known = expected.columns.as_ref().map(|figures| figures[place]);
            match (none[place], column.kind) {
                (Figure::Sum { .. }, ColumnType::Decimal { scale, .. }) => {
                    let sum = match known {
                        // The sum of no rows is null.
                        Some(Figure::Sum { unscaled }) if expected.rows > 0 => decimal(unscaled, scale.into()),
                        _ => String::new(),
                    };
                    add(format!("sum of {name}"), format!("sum({quoted})"), Fold::Sum, sum);
                }
                (Figure::Days { .. }, _) => {
                    let range = match known {
                        Some(Figure::Days { range }) => range,
                        _ => None,
                    };
                    let day = |day: Option<i32>| day.and_then(IsoDate::of).map_or(String::new(), |day| day.to_string());
                    let (first, last) = (day(range.map(|range| range.0)), day(range.map(|range| range.1)));
                    add(format!("first {name}"), format!("min({quoted})"), Fold::Least, first);
                    add(format!("last {name}"), format!("max({quoted})"), Fold::Most, last);
                }
                _ => {}
            }
        }
        let grouped = if by.is_empty() { String::new() } else { format!(" group by {groups} order by {groups}") };
        let sql = format!("select {} from {}{grouped}", list.join(", "), (dialect.quoted)(table.name()));
        CheckQuery { sql, groups: by.len(), figures }
    }

    /// The query.
    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    /// Compares `rows`, the answer, with the expected figures; unknown figures are left out.
    pub(super) fn checks(&self, rows: &[Vec<Value<'_>>]) -> Result<Vec<LoadCheck>> {
        let width = self.groups + self.figures.len();
        if rows.iter().any(|row| row.len() != width) || (self.groups == 0 && rows.len() != 1) {
            return Err(Error::new(Kind::Statement, format!("{} returned no figures", self.sql)));
        }
        let known = self.figures.iter().zip(self.groups..).filter(|(figures, _)| !figures.expected.is_empty());
        Ok(known.map(|(figures, place)| figures.check(rows.iter().map(|row| &row[place]))).collect())
    }
}

/// Queries the figures of `table` in one query, and compares them with those `expected`.
///
/// # Errors
/// Errors of the engine.
pub fn compare(
    dialect: &Dialect,
    session: &mut dyn Session,
    table: &LoadTable,
    expected: &Figures,
) -> Result<Vec<LoadCheck>> {
    let check = CheckQuery::new(dialect, table, &[], expected);
    let query = session.prepare(check.sql())?;
    check.checks(&session.query(query, &[])?)
}

impl CheckedFigure {
    fn check<'a>(&self, found: impl Iterator<Item = &'a Value<'a>>) -> LoadCheck {
        let mut found = found.peekable();
        let found = match (found.peek(), self.fold) {
            // Without groups there are no rows.
            (None, Fold::Sum) => "0".to_owned(),
            (None, _) => "null".to_owned(),
            (Some(_), Fold::Sum) => self.as_expected(Total::of(found)),
            (Some(_), Fold::Least) => found.map(text).min().unwrap_or_default(),
            (Some(_), Fold::Most) => found.map(text).max().unwrap_or_default(),
        };
        LoadCheck { what: self.what.clone(), expected: self.expected.clone(), found: Some(found) }
    }

    /// `total` as text; a double within the error of sums of doubles counts as the expected sum.
    fn as_expected(&self, total: Total) -> String {
        match (total, self.expected.parse::<f64>()) {
            (Total::Near(value), Ok(sum)) if (sum - value).abs() <= SUM_ERROR * sum.abs().max(1.0) => {
                self.expected.clone()
            }
            (Total::Near(value), _) => value.to_string(),
            (Total::Exact { unscaled, scale }, _) => decimal(unscaled, scale.into()),
            (Total::None(text), _) => text,
        }
    }
}

/// The sum over the groups.
#[derive(Clone, Debug, PartialEq)]
enum Total {
    /// Of integers and exact decimals.
    Exact { unscaled: i128, scale: u8 },
    /// Of doubles.
    Near(f64),
    /// One of the values is not a number.
    None(String),
}

impl Total {
    fn of<'a>(values: impl Iterator<Item = &'a Value<'a>>) -> Total {
        values.fold(Total::Exact { unscaled: 0, scale: 0 }, |sum, value| match (sum, Total::one(value)) {
            (Total::None(text), _) | (_, Total::None(text)) => Total::None(text),
            (Total::Exact { unscaled, scale }, Total::Exact { unscaled: more, scale: other }) => {
                let most = scale.max(other);
                let raised =
                    |number: i128, scale: u8| number.saturating_mul(10_i128.saturating_pow((most - scale).into()));
                let unscaled = raised(unscaled, scale).saturating_add(raised(more, other));
                Total::Exact { unscaled, scale: most }
            }
            (sum, more) => Total::Near(sum.near() + more.near()),
        })
    }

    fn one(value: &Value<'_>) -> Total {
        match value {
            Value::Int(number) => Total::Exact { unscaled: (*number).into(), scale: 0 },
            Value::Float(number) => Total::Near(*number),
            Value::Decimal(written) | Value::Text(written) => {
                exact(written).unwrap_or_else(|| Total::None(written.to_string()))
            }
            Value::Null => Total::None(text(value)),
        }
    }

    fn near(&self) -> f64 {
        match self {
            Total::Exact { unscaled, scale } => *unscaled as f64 / 10_f64.powi((*scale).into()),
            Total::Near(value) => *value,
            Total::None(_) => f64::NAN,
        }
    }
}

/// Parses `written`, digits with or without a decimal point; none if it is something else.
fn exact(written: &str) -> Option<Total> {
    let (whole, part) = written.split_once('.').unwrap_or((written, ""));
    let unscaled = format!("{whole}{part}").parse().ok()?;
    Some(Total::Exact { unscaled, scale: u8::try_from(part.len()).ok()? })
}

fn text(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Decimal(text) | Value::Text(text) => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use engine::Engine;
    use engine::null::Null;
    use flat::Layout;
    use proptest::prelude::*;
    use record::LoadModel;

    use super::super::table::tests::caps;
    use super::*;

    fn check_query(by: &[&str], cents: i128, days: (i32, i32)) -> CheckQuery {
        let table = LoadTable::new("cards", &Layout::cards(), LoadModel::default(), &[], &caps(true)).expect("a table");
        let mut expected = Figures::none(table.columns());
        expected.rows = 3;
        for figure in expected.columns.iter_mut().flatten() {
            match figure {
                Figure::Sum { unscaled } => *unscaled = cents,
                Figure::Days { range } => *range = Some(days),
                Figure::None => {}
            }
        }
        CheckQuery::new(Null.dialect(), &table, by, &expected)
    }

    fn found(expected: &str, fold: Fold, values: &[Value<'_>]) -> String {
        let figures = CheckedFigure { what: "it".to_owned(), expected: expected.to_owned(), fold };
        figures.check(values.iter()).found.expect("a figure")
    }

    #[test]
    fn groups_are_combined() {
        let figures = check_query(&["mcc", "merchant_state"], 1_875, (0, 2));
        assert!(figures.sql().contains("group by") && figures.sql().ends_with("merchant_state"), "{}", figures.sql());
        let row = |count: i64, sum: &'static str, first: &'static str, last: &'static str| {
            let text = |text: &'static str| Value::Text(text.into());
            vec![Value::Int(5411), text("OH"), Value::Int(count), Value::Decimal(sum.into()), text(first), text(last)]
        };
        let rows = [row(1, "12.5", "1970-01-02", "1970-01-02"), row(2, "6.25", "1970-01-01", "1970-01-03")];
        let checks = figures.checks(&rows).expect("an answer");
        assert_eq!(checks.len(), 4);
        assert!(checks.iter().all(|check| check.found.as_ref() == Some(&check.expected)), "{checks:?}");
        let lost = figures.checks(&rows[..1]).expect("an answer");
        assert!(lost.iter().filter(|check| check.found.as_ref() != Some(&check.expected)).count() == 4, "{lost:?}");
        assert!(figures.checks(&[rows[0][1..].to_vec()]).is_err(), "a column too few");
        assert_eq!(figures.checks(&[]).expect("no group")[0].found.as_deref(), Some("0"));
        assert!(check_query(&[], 1, (0, 0)).checks(&[]).is_err(), "without groups there is one row");
    }

    #[test]
    fn a_sum_of_doubles_has_a_tolerance() {
        let sum = |expected: &str, values: &[f64]| {
            found(expected, Fold::Sum, &values.iter().map(|value| Value::Float(*value)).collect::<Vec<Value<'_>>>())
        };
        assert_eq!(sum("1234567.89", &[1_234_567.890_000_001]), "1234567.89");
        assert_eq!(sum("1234567.89", &[1_234_567.0, 0.890_000_001]), "1234567.89");
        assert_eq!(sum("1234567.89", &[1_234_567.90]), "1234567.9");
    }

    #[test]
    fn what_is_not_a_number_is_reported_unchanged() {
        assert_eq!(found("7", Fold::Sum, &[Value::Int(3), Value::Null]), "null");
        assert_eq!(found("7", Fold::Sum, &[Value::Text("seven".into()), Value::Int(3)]), "seven");
        assert_eq!(found("2025-01-01", Fold::Least, &[]), "null");
    }

    proptest! {
        #[test]
        fn the_sum_of_groups_is_exact(cents in prop::collection::vec(any::<i64>(), 0..20)) {
            let values: Vec<Value<'_>> =
                cents.iter().map(|cents| Value::Decimal(decimal((*cents).into(), 2).into())).collect();
            let sum = decimal(cents.iter().map(|cents| i128::from(*cents)).sum(), 2);
            prop_assert_eq!(found(&sum, Fold::Sum, &values), sum);
        }
    }
}
