//! What it means to a batch that the engine refused it, and which of its rows it refuses.

use std::ops::Range;

use engine::{Error, Kind};
use flat::{FieldKind, FieldValue, Layout, Parsed, date_text};
use record::FailureKind;

use super::rejects::Rejected;

/// What is to be done about an error.
pub(super) enum Refusal {
    /// The same again: others were in the way.
    Again(FailureKind, Error),
    /// Something in these rows.
    Data(Error),
    /// Nothing more can be loaded: no space, no server.
    Gone(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        match error.kind {
            Kind::Step(FailureKind::Constraint | FailureKind::Other) | Kind::Statement => Refusal::Data(error),
            Kind::Step(kind) => Refusal::Again(kind, error),
            _ => Refusal::Gone(error),
        }
    }
}

/// The rows out of `rows` that the engine refuses one by one, ascending, and what it says of each; not many more than
/// `most` of them. `tried` says what it has against a range.
pub(super) fn refused_rows(
    rows: usize,
    most: u64,
    mut tried: impl FnMut(Range<usize>) -> Result<Option<Error>, Refusal>,
) -> Result<Vec<(usize, Error)>, Refusal> {
    let mut found = Vec::new();
    let mut ranges: Vec<Range<usize>> = std::iter::once(0..rows).collect();
    while let Some(range) = ranges.pop() {
        if found.len() as u64 > most {
            break;
        }
        // Of the whole it is known that it is refused.
        let is_whole = range.len() == rows && rows > 1;
        let error = if is_whole || range.is_empty() { None } else { tried(range.clone())? };
        match error {
            Some(error) if range.len() == 1 => found.push((range.start, error)),
            None if !is_whole => {}
            _ => {
                let middle = range.start + range.len() / 2;
                ranges.extend([middle..range.end, range.start..middle]);
            }
        }
    }
    Ok(found)
}

/// Row `row` of a batch whose first line is `first_line`, as a line that was not loaded: its values, written anew.
pub(super) fn rejected_row(layout: &Layout, parsed: &Parsed, first_line: u64, row: usize, error: &Error) -> Rejected {
    let mut line = first_line + u64::from(layout.header && first_line == 1) + row as u64;
    // Rows and rejects are the lines of the batch.
    for reject in parsed.rejects() {
        line += u64::from(reject.line <= line);
    }
    let mut text = Vec::new();
    for (place, field) in layout.fields.iter().enumerate() {
        if place > 0 {
            text.push(layout.separator);
        }
        text.extend_from_slice(written(field.kind, &parsed.field(row, place)).as_bytes());
    }
    text.extend(layout.ends_with_separator.then_some(layout.separator));
    Rejected { line, reason: format!("refused by the engine: {}", error.message), text }
}

fn written(kind: FieldKind, value: &FieldValue<'_>) -> String {
    match (kind, value) {
        (_, FieldValue::Int(value)) => value.to_string(),
        (_, FieldValue::Decimal { unscaled, scale }) => {
            let unit = 10_u64.pow(u32::from(*scale));
            let (sign, size) = (if *unscaled < 0 { "-" } else { "" }, unscaled.unsigned_abs());
            match scale {
                0 => format!("{sign}{size}"),
                _ => format!("{sign}{}.{:0width$}", size / unit, size % unit, width = usize::from(*scale)),
            }
        }
        (_, FieldValue::Date(day)) => date_text(*day),
        (_, FieldValue::Text(text)) => (*text).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use flat::Lines;

    use super::*;

    #[test]
    fn an_error_says_whether_to_try_again_to_look_closer_or_to_stop() {
        let refusal = |kind| Refusal::from(Error::new(kind, "no"));
        assert!(matches!(refusal(Kind::Step(FailureKind::Deadlock)), Refusal::Again(FailureKind::Deadlock, _)));
        assert!(matches!(refusal(Kind::Step(FailureKind::Other)), Refusal::Data(_)));
        assert!(matches!(refusal(Kind::Space), Refusal::Gone(_)));
        assert!(matches!(refusal(Kind::Lost), Refusal::Gone(_)));
    }

    #[test]
    fn refused_rows_are_found_by_halves() {
        let refusing = |bad: &'static [usize], calls: &mut u32, most| {
            refused_rows(1_000, most, |range| {
                *calls += 1;
                Ok(bad.iter().any(|row| range.contains(row)).then(|| Error::new(Kind::Statement, "no")))
            })
        };
        let rows = |found: Result<Vec<(usize, Error)>, Refusal>| -> Vec<usize> {
            found.unwrap_or_default().into_iter().map(|(row, _)| row).collect()
        };
        let mut calls = 0;
        assert_eq!(rows(refusing(&[0, 7, 999], &mut calls, 9)), [0, 7, 999]);
        assert!(calls < 60, "{calls}");
        assert_eq!(rows(refusing(&[0, 7, 8, 999], &mut calls, 1)), [0, 7], "enough to stop");
        assert_eq!(rows(refusing(&[], &mut calls, 9)), [0; 0], "only all of them together");
        let gone = refused_rows(2, 9, |_| Err(Refusal::Gone(Error::new(Kind::Lost, "gone"))));
        assert!(matches!(gone, Err(Refusal::Gone(_))));
    }

    #[test]
    fn a_row_is_found_again_among_the_lines_of_its_batch() {
        let layout = Layout::from_toml(
            "name = \"two\"\n[[fields]]\nname = \"id\"\nkind = \"int\"\n[[fields]]\nname = \"day\"\nkind = \"date\"\n",
        )
        .unwrap();
        let bytes = b"1|2026-01-01\nbad\n2|2026-01-02\nworse\nbad again\n3|2026-01-03\n".to_vec();
        let mut parsed = Parsed::default();
        parsed.parse(&layout, Lines { bytes, first_line: 11, cut: false }, u64::MAX);
        assert_eq!((parsed.rows(), parsed.rejects().len()), (3, 3));
        let error = Error::new(Kind::Step(FailureKind::Other), "out of range");
        let line = |row| {
            let rejected = rejected_row(&layout, &parsed, 11, row, &error);
            (rejected.line, String::from_utf8(rejected.text).unwrap())
        };
        assert_eq!(line(0), (11, "1|2026-01-01".to_owned()));
        assert_eq!(line(1), (13, "2|2026-01-02".to_owned()));
        assert_eq!(line(2), (16, "3|2026-01-03".to_owned()));
    }
}
