//! Figures over all rows of a table: counted from the loaded rows, and queried from the engine afterwards.

use engine::{Column, ColumnType};
use flat::{FieldValue, Parsed};

/// The number of rows, the sum of each decimal column, and the first and the last day of each date column. The figures
/// of unparsed lines are unknown, except their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Rows.
    pub rows: u64,
    pub(super) columns: Option<Vec<Figure>>,
}

/// The figure of one column, in column order; other columns have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    None,
    Sum { unscaled: i128 },
    Days { range: Option<(i32, i32)> },
}

impl Figures {
    /// The figures of no rows.
    pub(super) fn none(columns: &[Column]) -> Figures {
        let figure = |column: &Column| match column.kind {
            ColumnType::Decimal { .. } => Figure::Sum { unscaled: 0 },
            ColumnType::Date => Figure::Days { range: None },
            _ => Figure::None,
        };
        Figures { rows: 0, columns: Some(columns.iter().map(figure).collect()) }
    }

    /// The figures of `rows` unparsed lines.
    pub(super) fn unread(rows: u64) -> Figures {
        Figures { rows, columns: None }
    }

    /// The figures of the rows of `parsed`, except those in `left_out`, which is ascending.
    pub(super) fn of(columns: &[Column], parsed: &Parsed, left_out: &[usize]) -> Figures {
        let mut figures = Figures::none(columns);
        figures.rows = (parsed.rows() - left_out.len()) as u64;
        for (index, figure) in figures.columns.iter_mut().flatten().enumerate() {
            if *figure == Figure::None {
                continue;
            }
            let mut skip = left_out.iter().peekable();
            for row in 0..parsed.rows() {
                if skip.next_if_eq(&&row).is_none() {
                    figure.add(&parsed.field(row, index));
                }
            }
        }
        figures
    }

    /// Adds the figures of other rows.
    pub fn add(&mut self, other: &Figures) {
        self.rows += other.rows;
        let (Some(own), Some(others)) = (&mut self.columns, &other.columns) else {
            self.columns = None;
            return;
        };
        for (own, others) in own.iter_mut().zip(others) {
            own.merge(*others);
        }
    }

    /// Whether all figures are known, not only the number of rows.
    pub fn is_complete(&self) -> bool {
        self.columns.is_some()
    }

    /// As text, for the progress table: a word for each column.
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

    /// Parses such a text; none if it does not match the columns.
    pub(super) fn read(columns: &[Column], rows: u64, text: &str) -> Option<Figures> {
        if text == "unseen" {
            return Some(Figures::unread(rows));
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn columns() -> Vec<Column> {
        let column = |name: &str, kind| Column::new(name, kind);
        vec![
            column("card_no", ColumnType::Int),
            column("amount", ColumnType::Decimal { precision: 10, scale: 2 }),
            column("day", ColumnType::Date),
        ]
    }

    #[test]
    fn unparsed_lines_are_only_counted() {
        let mut figures = Figures::none(&columns());
        figures.rows = 3;
        figures.add(&Figures::unread(4));
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
