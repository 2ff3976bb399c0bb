//! Figures over all rows of a table: counted from the rows that were loaded, and asked of the engine afterwards.

use engine::{Column, ColumnType, Dialect, Error, IsoDate, Kind, Result, Session, Value};
use flat::{FieldValue, Parsed};
use record::LoadCheck;

/// Share by which sums of doubles may differ, where the engine keeps decimals so.
const SUM_ERROR: f64 = 1e-9;

/// How many rows, the sum of each column of decimals, and the first and the last day of each column of dates. What lines
/// that were sent as they are hold is not known; they are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Rows.
    pub rows: u64,
    columns: Option<Vec<Figure>>,
}

/// The figure of one column, in the order of the columns; columns of other kinds have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    None,
    Sum { unscaled: i128 },
    Days { range: Option<(i32, i32)> },
}

impl Figures {
    /// Those of no row at all.
    pub(super) fn none(columns: &[Column]) -> Figures {
        let figure = |column: &Column| match column.kind {
            ColumnType::Decimal { .. } => Figure::Sum { unscaled: 0 },
            ColumnType::Date => Figure::Days { range: None },
            _ => Figure::None,
        };
        Figures { rows: 0, columns: Some(columns.iter().map(figure).collect()) }
    }

    /// Those of `rows` lines that nobody looked into.
    pub(super) fn unseen(rows: u64) -> Figures {
        Figures { rows, columns: None }
    }

    /// Those of the rows of `parsed`, but for those in `left_out`, which ascends.
    pub(super) fn of(columns: &[Column], parsed: &Parsed, left_out: &[usize]) -> Figures {
        let mut figures = Figures::none(columns);
        figures.rows = (parsed.rows() - left_out.len()) as u64;
        for (place, figure) in figures.columns.iter_mut().flatten().enumerate() {
            if *figure == Figure::None {
                continue;
            }
            let mut skip = left_out.iter().peekable();
            for row in 0..parsed.rows() {
                if skip.next_if_eq(&&row).is_none() {
                    figure.add(&parsed.field(row, place));
                }
            }
        }
        figures
    }

    /// Adds those of other rows.
    pub fn add(&mut self, other: &Figures) {
        self.rows += other.rows;
        let (Some(mine), Some(theirs)) = (&mut self.columns, &other.columns) else {
            self.columns = None;
            return;
        };
        for (mine, theirs) in mine.iter_mut().zip(theirs) {
            mine.merge(*theirs);
        }
    }

    /// Whether every figure is known, and not only how many rows there are.
    pub fn is_complete(&self) -> bool {
        self.columns.is_some()
    }

    /// As text, for the table of what is done: a word for each column.
    pub(super) fn written(&self) -> String {
        let word = |figure: &Figure| match figure {
            Figure::None => "-".to_owned(),
            Figure::Sum { unscaled } => unscaled.to_string(),
            Figure::Days { range: None } => "none".to_owned(),
            Figure::Days { range: Some((first, last)) } => format!("{first}..{last}"),
        };
        match &self.columns {
            Some(columns) => columns.iter().map(word).collect::<Vec<String>>().join(" "),
            None => "unseen".to_owned(),
        }
    }

    /// From such a text; none where it is none of these columns.
    pub(super) fn read(columns: &[Column], rows: u64, text: &str) -> Option<Figures> {
        if text == "unseen" {
            return Some(Figures::unseen(rows));
        }
        let words: Vec<&str> = text.split(' ').collect();
        let none = Figures::none(columns);
        let figure = |(figure, word): (&Figure, &&str)| {
            Some(match figure {
                Figure::None => Figure::None,
                Figure::Sum { .. } => Figure::Sum { unscaled: word.parse().ok()? },
                Figure::Days { .. } if *word == "none" => Figure::Days { range: None },
                Figure::Days { .. } => {
                    let (first, last) = word.split_once("..")?;
                    Figure::Days { range: Some((first.parse().ok()?, last.parse().ok()?)) }
                }
            })
        };
        let known = none.columns.as_ref()?;
        (known.len() == words.len()).then_some(())?;
        Some(Figures { rows, columns: Some(known.iter().zip(&words).map(figure).collect::<Option<Vec<Figure>>>()?) })
    }
}

impl Figure {
    fn add(&mut self, value: &FieldValue<'_>) {
        match (self, value) {
            (Figure::Sum { unscaled }, FieldValue::Decimal { unscaled: one, .. }) => *unscaled += i128::from(*one),
            (Figure::Days { range }, FieldValue::Date(day)) => *range = Some(widened(*range, (*day, *day))),
            _ => {}
        }
    }

    fn merge(&mut self, other: Figure) {
        match (self, other) {
            (Figure::Sum { unscaled }, Figure::Sum { unscaled: more }) => *unscaled += more,
            (Figure::Days { range }, Figure::Days { range: Some(more) }) => *range = Some(widened(*range, more)),
            _ => {}
        }
    }
}

fn widened(range: Option<(i32, i32)>, (first, last): (i32, i32)) -> (i32, i32) {
    range.map_or((first, last), |(least, most)| (least.min(first), most.max(last)))
}

/// Asks the engine for the figures of `table` in one query, and holds them against those `expected`.
///
/// # Errors
/// What the engine says.
pub fn compare(
    dialect: &Dialect,
    session: &mut dyn Session,
    table: &super::LoadTable,
    expected: &Figures,
) -> Result<Vec<LoadCheck>> {
    let mut asked = vec![("rows".to_owned(), "count(*)".to_owned(), expected.rows.to_string())];
    // Asked for in any case, so that the query is the same whatever is known.
    let none = Figures::none(table.columns()).columns.unwrap_or_default();
    for (place, column) in table.columns().iter().enumerate() {
        let name = &column.name;
        let quoted = (dialect.quoted)(name);
        let known = expected.columns.as_ref().map(|figures| figures[place]);
        match (none[place], column.kind) {
            (Figure::Sum { .. }, ColumnType::Decimal { scale, .. }) => {
                let sum = match known {
                    // The sum of no rows is none.
                    Some(Figure::Sum { unscaled }) if expected.rows > 0 => decimal(unscaled, scale),
                    _ => String::new(),
                };
                asked.push((format!("sum of {name}"), format!("sum({quoted})"), sum));
            }
            (Figure::Days { .. }, _) => {
                let range = match known {
                    Some(Figure::Days { range }) => range,
                    _ => None,
                };
                let day = |day: Option<i32>| day.and_then(IsoDate::of).map_or(String::new(), |day| day.to_string());
                asked.push((format!("first {name}"), format!("min({quoted})"), day(range.map(|range| range.0))));
                asked.push((format!("last {name}"), format!("max({quoted})"), day(range.map(|range| range.1))));
            }
            _ => {}
        }
    }
    let list: Vec<&str> = asked.iter().map(|(_, sql, _)| sql.as_str()).collect();
    let query = session.prepare(&format!("select {} from {}", list.join(", "), (dialect.quoted)(table.name())))?;
    let mut rows = session.query(query, &[])?;
    let row = rows.pop().filter(|row| row.len() == asked.len());
    let row = row.ok_or_else(|| Error::new(Kind::Statement, format!("table {} gave no figures", table.name())))?;
    let seen = |(_, _, expected): &(String, String, String)| !expected.is_empty();
    let pairs = asked.into_iter().zip(row).filter(|(asked, _)| seen(asked));
    Ok(pairs.map(|((what, _, expected), found)| check(what, expected, &found)).collect())
}

fn check(what: String, expected: String, found: &Value<'_>) -> LoadCheck {
    let found = match found {
        Value::Null => "null".to_owned(),
        Value::Int(value) => value.to_string(),
        // A double that is as near as sums of doubles are, is the sum.
        Value::Float(value) => match expected.parse::<f64>() {
            Ok(sum) if (sum - value).abs() <= SUM_ERROR * sum.abs().max(1.0) => expected.clone(),
            _ => value.to_string(),
        },
        Value::Decimal(text) | Value::Text(text) => text.to_string(),
    };
    LoadCheck { what, expected, found: Some(found) }
}

/// A decimal in its shortest form, as engines give it.
fn decimal(unscaled: i128, scale: u8) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = usize::from(scale) + 1);
    let (whole, part) = digits.split_at(digits.len() - usize::from(scale));
    match part.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        part => format!("{sign}{whole}.{part}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn columns() -> Vec<Column> {
        let column = |name: &str, kind| Column { name: name.to_owned(), kind };
        vec![
            column("card_no", ColumnType::Int),
            column("amount", ColumnType::Decimal { precision: 10, scale: 2 }),
            column("day", ColumnType::Date),
        ]
    }

    #[test]
    fn decimals_are_as_short_as_engines_give_them() {
        for (unscaled, scale, text) in
            [(1_250, 2, "12.5"), (-1_200, 2, "-12"), (5, 2, "0.05"), (0, 2, "0"), (7, 0, "7"), (-5, 3, "-0.005")]
        {
            assert_eq!(decimal(unscaled, scale), text);
        }
    }

    #[test]
    fn a_sum_of_doubles_is_right_where_it_is_near_enough() {
        let found = |expected: &str, value| check("sum".to_owned(), expected.to_owned(), &Value::Float(value)).found;
        assert_eq!(found("1234567.89", 1_234_567.890_000_001), Some("1234567.89".to_owned()));
        assert_eq!(found("1234567.89", 1_234_567.90), Some("1234567.9".to_owned()));
    }

    #[test]
    fn what_nobody_looked_into_is_only_counted() {
        let mut figures = Figures::none(&columns());
        figures.rows = 3;
        figures.add(&Figures::unseen(4));
        assert_eq!((figures.rows, figures.is_complete()), (7, false));
        assert_eq!(Figures::read(&columns(), 7, &figures.written()), Some(figures));
    }

    proptest! {
        #[test]
        fn figures_read_as_they_were_written(sum: i64, range: Option<(i16, u8)>, rows: u32) {
            let range = range.map(|(first, more)| (i32::from(first), i32::from(first) + i32::from(more)));
            let figures = Figures {
                rows: u64::from(rows),
                columns: Some(vec![Figure::None, Figure::Sum { unscaled: i128::from(sum) }, Figure::Days { range }]),
            };
            prop_assert_eq!(Figures::read(&columns(), figures.rows, &figures.written()), Some(figures));
        }

        #[test]
        fn any_text_is_figures_or_none(text in ".{0,40}") {
            let _ = Figures::read(&columns(), 1, &text);
        }
    }
}
