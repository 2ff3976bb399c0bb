//! What it means to a piece that the engine refused it, and which of its rows it refuses.

use engine::{Error, Kind, Session};
use flat::{FieldKind, FieldValue, Layout, Parsed, date_text};
use record::FailureKind;

use super::rejects::Rejected;
use super::rows::PieceRows;
use super::table::LoadTable;

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

/// The rows of `parsed` that the engine refuses one by one, ascending, and what it says of each; not many more than
/// `most` of them. Nothing of what is tried stays.
pub(super) fn refused_rows(
    session: &mut dyn Session,
    table: &LoadTable,
    parsed: &Parsed,
    most: u64,
) -> Result<Vec<(usize, Error)>, Refusal> {
    let mut found = Vec::new();
    let mut ranges = vec![(0, parsed.rows())];
    while let Some((begin, end)) = ranges.pop() {
        if found.len() as u64 > most {
            break;
        }
        // Of the whole it is known that it is refused.
        let is_whole = (begin, end) == (0, parsed.rows()) && end > 1;
        let error = if is_whole { None } else { tried(session, table, parsed, (begin, end))? };
        match error {
            Some(error) if end - begin == 1 => found.push((begin, error)),
            None if !is_whole => {}
            _ => {
                let middle = begin + (end - begin) / 2;
                ranges.extend([(middle, end), (begin, middle)]);
            }
        }
    }
    Ok(found)
}

/// What the engine says against a range of rows.
fn tried(
    session: &mut dyn Session,
    table: &LoadTable,
    parsed: &Parsed,
    range: (usize, usize),
) -> Result<Option<Error>, Refusal> {
    if range.0 == range.1 {
        return Ok(None);
    }
    session.begin()?;
    let appended = session.append(table.name(), &mut PieceRows::new(table.columns(), parsed, range, &[]));
    session.rollback().map_err(Refusal::Gone)?;
    match appended.map_err(Refusal::from) {
        Ok(_) => Ok(None),
        Err(Refusal::Data(error)) => Ok(Some(error)),
        Err(refusal) => Err(refusal),
    }
}

/// Row `row` of a piece whose first line is `first_line`, as a line that was not loaded: its values, written anew.
pub(super) fn rejected_row(layout: &Layout, parsed: &Parsed, first_line: u64, row: usize, error: &Error) -> Rejected {
    let mut line = first_line + u64::from(layout.header && first_line == 1) + row as u64;
    // Rows and rejects are the lines of the piece.
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
    fn a_row_is_found_again_among_the_lines_of_its_piece() {
        let layout = Layout::from_toml(
            "name = \"two\"\n[[fields]]\nname = \"id\"\nkind = \"int\"\n[[fields]]\nname = \"day\"\nkind = \"date\"\n",
        )
        .unwrap();
        let bytes = b"1|2026-01-01\nbad\n2|2026-01-02\nworse\nbad again\n3|2026-01-03\n".to_vec();
        let mut parsed = Parsed::default();
        parsed.parse(&layout, Lines { bytes, first_line: 11, cut: false });
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
