//! The handling of errors of a batch, and the search for the rows that the engine refuses.

use std::ops::Range;

use engine::{Error, Kind};
use flat::{FieldKind, FieldValue, Layout, Parsed, date_text};
use record::FailureKind;

use super::reject_files::Rejected;

/// The class of an error.
pub(super) enum Refusal {
    /// A conflict with other sessions: the batch is retried.
    Retry(FailureKind, Error),
    /// An error of these rows.
    Data(Error),
    /// The load cannot continue: no space, no server.
    Fatal(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        match error.kind {
            Kind::Step(FailureKind::Constraint | FailureKind::Other) | Kind::Statement => Refusal::Data(error),
            Kind::Step(kind) => Refusal::Retry(kind, error),
            _ => Refusal::Fatal(error),
        }
    }
}

/// The rows that the engine refuses one by one, ascending, with its errors; stops soon after `limit` of them. `tried`
/// returns the error about a range.
pub(super) fn refused_rows(
    rows: usize,
    limit: u64,
    mut tried: impl FnMut(Range<usize>) -> Result<Option<Error>, Refusal>,
) -> Result<Vec<(usize, Error)>, Refusal> {
    let mut found = Vec::new();
    let mut ranges: Vec<Range<usize>> = std::iter::once(0..rows).collect();
    while let Some(range) = ranges.pop() {
        if found.len() as u64 > limit {
            break;
        }
        // The whole range is known to be refused.
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

/// Row `row` of a batch, as a rejected line: its values, formatted again.
pub(super) fn rejected_row(layout: &Layout, parsed: &Parsed, row: usize, error: &Error) -> Rejected {
    let mut text = Vec::new();
    for (place, field) in layout.fields.iter().enumerate() {
        if place > 0 {
            text.push(layout.separator);
        }
        layout.write_field(&written(field.kind, &parsed.field(row, place)), &mut text);
    }
    text.extend(layout.ends_with_separator.then_some(layout.separator));
    Rejected { line: parsed.line(row), reason: format!("refused by the engine: {}", error.message), text }
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
    fn an_error_is_retried_bisected_or_fatal() {
        let refusal = |kind| Refusal::from(Error::new(kind, "no"));
        assert!(matches!(refusal(Kind::Step(FailureKind::Deadlock)), Refusal::Retry(FailureKind::Deadlock, _)));
        assert!(matches!(refusal(Kind::Step(FailureKind::Other)), Refusal::Data(_)));
        assert!(matches!(refusal(Kind::Space), Refusal::Fatal(_)));
        assert!(matches!(refusal(Kind::Lost), Refusal::Fatal(_)));
    }

    #[test]
    fn refused_rows_are_found_by_halves() {
        let refusing = |bad: &'static [usize], calls: &mut u32, limit| {
            refused_rows(1_000, limit, |range| {
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
        let fatal = refused_rows(2, 9, |_| Err(Refusal::Fatal(Error::new(Kind::Lost, "gone"))));
        assert!(matches!(fatal, Err(Refusal::Fatal(_))));
    }

    #[test]
    fn the_line_of_a_row_is_found() {
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
            let rejected = rejected_row(&layout, &parsed, row, &error);
            (rejected.line, String::from_utf8(rejected.text).unwrap())
        };
        assert_eq!(line(0), (11, "1|2026-01-01".to_owned()));
        assert_eq!(line(1), (13, "2|2026-01-02".to_owned()));
        assert_eq!(line(2), (16, "3|2026-01-03".to_owned()));
    }

    #[test]
    fn a_refused_row_is_quoted_where_it_has_to_be() {
        let layout = Layout::from_toml(
            "name = \"two\"\nquote = \"\\\"\"\nheader = true\n[[fields]]\nname = \"id\"\nkind = \"int\"\n\
             [[fields]]\nname = \"note\"\nkind = \"text\"\nsize = 9\n",
        )
        .unwrap();
        let bytes = b"id|note\n1|\"a\nb\"\n2|\"c|\"\"\"\n3|\"d\"\n".to_vec();
        let mut parsed = Parsed::default();
        parsed.parse(&layout, Lines { bytes, first_line: 1, cut: false }, u64::MAX);
        let error = Error::new(Kind::Step(FailureKind::Other), "no");
        let rejected = [0, 1, 2].map(|row| rejected_row(&layout, &parsed, row, &error));
        let texts: Vec<(u64, &[u8])> = rejected.iter().map(|one| (one.line, one.text.as_slice())).collect();
        assert_eq!(texts, [(2, &b"1|\"a\nb\""[..]), (4, b"2|\"c|\"\"\""), (5, b"3|d")]);
    }
}
