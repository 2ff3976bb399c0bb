//! Every line is a row or a reject.

use proptest::prelude::*;

use super::*;
use crate::date::date_text;
use crate::layout::{Field, Header};

fn lines(bytes: impl Into<Vec<u8>>) -> Lines {
    Lines { bytes: bytes.into(), first_line: 1, cut: false }
}

/// One field of each kind.
fn layout(ends_with_separator: bool) -> Layout {
    let field = |name: &str, kind| Field { name: name.to_owned(), kind };
    Layout {
        name: "mine".to_owned(),
        separator: b'|',
        ends_with_separator,
        header: Header::Absent,
        quote: Quote::Refused,
        fields: vec![
            field("id", FieldKind::Int { digits_max: 5 }),
            field("price", FieldKind::Decimal { precision: 7, scale: 2 }),
            field("day", FieldKind::Date),
            field("label", FieldKind::Text { size: 6 }),
        ],
    }
}

fn parse(layout: &Layout, bytes: impl Into<Vec<u8>>) -> Parsed {
    let mut parsed = Parsed::default();
    parsed.parse(layout, lines(bytes), u64::MAX);
    parsed
}

/// The reasons of the rejects, with their lines.
fn rejects(parsed: &Parsed) -> Vec<(u64, String)> {
    parsed.rejects().iter().map(|reject| (reject.line, reject.reason.to_string())).collect()
}

#[test]
fn a_row_has_the_values_of_its_fields() {
    for (ends_with_separator, text) in [(true, "12|3.45|2010-12-31|schön|\n"), (false, "12|3.45|2010-12-31|schön\n")]
    {
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let parsed = parse(&layout(ends_with_separator), text);
            assert_eq!((parsed.rows(), parsed.rejects().len()), (1, 0));
            assert_eq!(parsed.field(0, 0), FieldValue::Int(12));
            assert_eq!(parsed.field(0, 1), FieldValue::Decimal { unscaled: 345, scale: 2 });
            assert_eq!(parsed.field(0, 2), FieldValue::Date(14_974));
            assert_eq!(parsed.field(0, 3), FieldValue::Text("schön"));
            assert_eq!(parsed.sums(), Sums { rows: 1, columns: vec![12, 345, 14_974, 5] });
        }
    }
}

#[test]
fn every_reject_has_a_reason_and_other_rows_are_kept() {
    let cases: &[(&[u8], &str)] = &[
        (b"1|1.00|2010-01-01|a", "no separator at the end of the line"),
        (b"1|1.00|2010-01-01|", "3 fields instead of 4"),
        (b"1|1.00|2010-01-01|a|b|", "5 fields instead of 4"),
        (b"1|1.00|2010-01-01|a|b", "5 fields instead of 4"),
        (b"1|1.00\r2|2.00", "3 fields instead of 4; the line has 1 carriage return before its end"),
        (b"", "1 field instead of 4"),
        (b"|", "1 field instead of 4"),
        (b"1x|1.00|2010-01-01|a|", "field 1 id: \"1x\" is not a whole number"),
        (b"|1.00|2010-01-01|a|", "field 1 id: the field is empty; nulls are not supported"),
        (b"1||2010-01-01|a|", "field 2 price: the field is empty; nulls are not supported"),
        (b"1|1.00||a|", "field 3 day: the field is empty; nulls are not supported"),
        (b"-|1.00|2010-01-01|a|", "field 1 id: \"-\" is not a whole number"),
        (b"123456|1.00|2010-01-01|a|", "field 1 id: \"123456\" has more than 5 digits"),
        (b"1|1.005|2010-01-01|a|", "field 2 price: \"1.005\" has more than 2 decimals"),
        (b"1|123456.00|2010-01-01|a|", "field 2 price: \"123456.00\" has more than 5 digits before the point"),
        (b"1|1,00|2010-01-01|a|", "field 2 price: \"1,00\" is not a decimal number"),
        (b"1|1.00|2010-13-01|a|", "field 3 day: \"2010-13-01\" is not a date"),
        (b"1|1.00|2011-02-29|a|", "field 3 day: \"2011-02-29\" is not a date"),
        (b"1|1.00|2010-01-01|seven77|", "field 4 label: \"seven77\" has more than 6 characters"),
        ("1|1.00|2010-01-01|süßüßüß|".as_bytes(), "field 4 label: \"süßüßüß\" has more than 6 characters"),
        (b"1|1.00|2010-01-01|a\xFFb|", "field 4 label: \"a\u{FFFD}b\" is not UTF-8"),
        (b"1|1.00|2010-01-01|a\0b|", "field 4 label: \"a\\0b\" contains a zero byte"),
        (b"1|1.00|2010-01-01|a|\r", ""),
    ];
    for (bad, reason) in cases {
        let mut text = b"7|7.00|2010-01-01|good|\n".to_vec();
        text.extend(*bad);
        text.extend(b"\n8|8.00|2010-01-02|good|\n");
        let parsed = parse(&layout(true), text);
        let shown = String::from_utf8_lossy(bad);
        if reason.is_empty() {
            assert_eq!((parsed.rows(), parsed.rejects().len()), (3, 0), "{shown}");
            continue;
        }
        assert_eq!(rejects(&parsed), [(2, (*reason).to_owned())], "{shown}");
        assert_eq!(parsed.rejects()[0].text, *bad, "{shown}");
        let ids: Vec<FieldValue<'_>> = (0..parsed.rows()).map(|row| parsed.field(row, 0)).collect();
        assert_eq!(ids, [FieldValue::Int(7), FieldValue::Int(8)], "{shown}");
        assert_eq!(parsed.sums().columns, [15, 1_500, 14_610 + 14_611, 8], "{shown}");
    }
}

#[test]
fn an_int_of_64_bits_is_a_row_and_one_beyond_is_named() {
    let id = Field { name: "id".to_owned(), kind: FieldKind::Int { digits_max: 19 } };
    let layout = Layout { fields: vec![id], ..layout(false) };
    let parsed = parse(&layout, "9110818468285196899\n-9223372036854775808\n9223372036854775807\n");
    let values: Vec<FieldValue<'_>> = (0..parsed.rows()).map(|row| parsed.field(row, 0)).collect();
    assert_eq!(values, [9_110_818_468_285_196_899, i64::MIN, i64::MAX].map(FieldValue::Int));
    let beyond =
        "does not fit an int of 64 bits, -9223372036854775808 to 9223372036854775807; kind text holds any digits";
    let reason = format!("field 1 id: \"9223372036854775808\" {beyond}");
    assert_eq!(rejects(&parse(&layout, "9223372036854775808\n")), [(1, reason)]);
}

/// [`layout`] with quotes.
fn quoted(ends_with_separator: bool) -> Layout {
    Layout { quote: Quote::Read(b'"'), ..layout(ends_with_separator) }
}

#[test]
fn a_field_that_begins_with_a_quote_is_not_loaded_unasked() {
    let hint = r#"begins with a quote; quote = "\"" in the layout reads quoted fields, quote = "none" loads quotes as content"#;
    for (line, field, text) in [
        ("1|1.00|2010-01-01|\"a\"", "4 label", r#""\"a\"""#),
        ("1|1.00|2010-01-01|\"", "4 label", r#""\"""#),
        ("\"1\"|1.00|2010-01-01|a", "1 id", r#""\"1\"""#),
        ("1|1.00|\"2010-01-01\"|a", "3 day", r#""\"2010-01-01\"""#),
        ("1|1.00|2010-01-01|\"a|b\"", "4 label", r#""\"a""#),
    ] {
        let parsed = parse(&layout(false), format!("{line}\n"));
        assert_eq!(rejects(&parsed), [(1, format!("field {field}: {text} {hint}"))]);
    }
    let within = "1|1.00|2010-01-01|5\" a\"\n";
    assert_eq!(parse(&layout(false), within).field(0, 3), FieldValue::Text("5\" a\""), "a quote within is content");
    let content = Layout { quote: Quote::Content, ..layout(false) };
    assert_eq!(parse(&content, "1|1.00|2010-01-01|\"a\"\n").field(0, 3), FieldValue::Text("\"a\""));
    let mut reused = Parsed::default();
    reused.parse(&content, lines("1|1.00|2010-01-01|\"a\"\n"), u64::MAX);
    reused.parse(&layout(false), lines("1|1.00|2010-01-01|\"a\"\n"), u64::MAX);
    assert_eq!(reused.rows(), 0, "the layout of the last block");
}

#[test]
fn quoted_fields_are_values() {
    for (ends_with_separator, end) in [(false, "\n"), (true, "|\n"), (false, "\r\n"), (true, "|\r\n")] {
        let text = format!(
            "\"12\"|\"3.45\"|\"2010-12-31\"|\"a|b\"{end}1|1.00|2010-01-01|\"a\n\u{f6}\"\"\"{end}2|2.00|2010-01-01|\"\"{end}3|3|2010-01-01|x\"{end}"
        );
        let parsed = parse(&quoted(ends_with_separator), text);
        assert_eq!(rejects(&parsed), []);
        let labels: Vec<FieldValue<'_>> = (0..parsed.rows()).map(|row| parsed.field(row, 3)).collect();
        assert_eq!(labels, ["a|b", "a\n\u{f6}\"", "", "x\""].map(FieldValue::Text));
        assert_eq!(parsed.field(0, 0), FieldValue::Int(12));
        assert_eq!(parsed.field(0, 1), FieldValue::Decimal { unscaled: 345, scale: 2 });
        assert_eq!([0, 1, 2, 3].map(|row| parsed.line(row)), [1, 2, 4, 5]);
        assert_eq!(parsed.sums().columns[3], 3 + 4 + 2);
    }
}

#[test]
fn rejects_among_quoted_rows_have_their_lines_and_texts() {
    let header = Layout { header: Header::Names, ..quoted(false) };
    let mut text = b"\"id\"|\"price\nx\"|day|label\n1|1|2010-01-01|\"a\nb\"\n2|2|2010-01-01|\"a\"b\n".to_vec();
    text.extend(b"3|3|2010-01-01|\"\xFF\n\"\n4|4|2010-01-01|\"seven\n7\"\n5|\"5\"\n6|6|2010-01-01|\"a\0\"\n\"\"|6|2010-01-01|a\n7|7|2010-01-01|c\n");
    let parsed = parse(&header, text);
    assert_eq!((parsed.rows(), parsed.line(0), parsed.line(1)), (2, 3, 13));
    let after = "is followed by more than a separator or the end of the line; a quote within is doubled";
    let reasons = [
        (5, format!("field 4 label: \"a\" {after}")),
        (6, "field 4 label: \"\u{FFFD}\\n\" is not UTF-8".to_owned()),
        (8, "field 4 label: \"seven\\n7\" has more than 6 characters".to_owned()),
        (10, "2 fields instead of 4".to_owned()),
        (11, "field 4 label: \"a\\0\" contains a zero byte".to_owned()),
        (12, "field 1 id: the field is empty; nulls are not supported".to_owned()),
    ];
    assert_eq!(rejects(&parsed), reasons);
    assert_eq!(parsed.rejects()[1].text, b"3|3|2010-01-01|\"\xFF\n\"");
    let open = parse(&quoted(false), "1|1|2010-01-01|\"a\n");
    assert_eq!(rejects(&open), [(1, "field 4 label: \"a\\n\" has a quote that is not closed".to_owned())]);
}

#[test]
fn line_numbers_continue_and_memory_is_reused_from_block_to_block() {
    let mut parsed = Parsed::default();
    let layout = layout(true);
    parsed.parse(&layout, Lines { bytes: b"x\n1|1|2010-01-01||\n".to_vec(), first_line: 100, cut: false }, u64::MAX);
    assert_eq!((parsed.rows(), parsed.rejects()[0].line), (1, 100));
    parsed.parse(
        &layout,
        Lines { bytes: b"1|1|2010-01-01||\n2|2|2010-01-01||\ny\n".to_vec(), first_line: 102, cut: false },
        u64::MAX,
    );
    assert_eq!((parsed.rows(), parsed.rejects()[0].line, parsed.rejects().len()), (2, 104, 1));
    assert_eq!(parsed.field(1, 0), FieldValue::Int(2));
    parsed.parse(&Layout::cards(), lines(""), u64::MAX);
    assert_eq!((parsed.rows(), parsed.sums().columns.len()), (0, 9));
}

#[test]
fn a_block_of_another_layout_is_aborted_early() {
    let good = "1|1|2010-01-01||\n".as_bytes();
    for bad in [&b"\n"[..], b"\xFF\n"] {
        let block = [good, &bad.repeat(50), good].concat();
        for (rejects_max, rejects, rows) in [(0, 1, 1), (2, 3, 1), (49, 50, 1), (50, 50, 2)] {
            let mut parsed = Parsed::default();
            parsed.parse(&layout(true), lines(block.clone()), rejects_max);
            assert_eq!((parsed.rejects().len(), parsed.rows()), (rejects, rows), "at most {rejects_max} of {bad:?}");
        }
    }
}

#[test]
fn a_header_is_only_at_the_start_of_a_file() {
    let layout = Layout { header: Header::Names, ..layout(true) };
    let bytes = b"id|price|day|label|\n1|1|2010-01-01||\n".to_vec();
    let parsed = parse(&layout, bytes.clone());
    assert_eq!((parsed.rows(), parsed.rejects().len()), (1, 0));
    let mut later = Parsed::default();
    later.parse(&layout, Lines { bytes, first_line: 50, cut: false }, u64::MAX);
    assert_eq!((later.rows(), later.rejects()[0].line), (1, 50));
    assert_eq!(parse(&layout, "id|price").rows(), 0);
}

#[test]
fn a_line_that_is_too_long_is_a_reject() {
    let layout = Layout {
        fields: vec![Field { name: "text".to_owned(), kind: FieldKind::Text { size: 1 << 20 } }],
        ..layout(false)
    };
    let fits = "x".repeat(LINE_BYTES_MAX);
    let parsed = parse(&layout, format!("{fits}\n{fits}x\nb\n"));
    assert_eq!(parsed.rows(), 2);
    assert_eq!(rejects(&parsed), [(2, format!("the line has more than {LINE_BYTES_MAX} bytes, and is truncated"))]);
}

#[test]
fn the_field_in_a_reason_is_shortened_and_the_line_is_complete() {
    let line = format!("{}|1|2010-01-01||", "9".repeat(1_000));
    let parsed = parse(&layout(true), format!("{line}\n"));
    assert!(parsed.rejects()[0].reason.to_string().len() < 150);
    assert_eq!(parsed.rejects()[0].text, line.into_bytes());
}

/// A row of [`layout`].
fn row() -> impl Strategy<Value = (i64, i64, i32, String)> {
    (-99_999..=99_999i64, -9_999_999..=9_999_999i64, -719_162..=2_932_896i32, "([^|\n\r\0\"][^|\n\r\0]{0,5})?")
}

fn printed(row: &(i64, i64, i32, String), ends_with_separator: bool) -> String {
    let (id, cents, day, label) = row;
    let sign = if *cents < 0 { "-" } else { "" };
    let end = if ends_with_separator { "|\n" } else { "\n" };
    format!("{id}|{sign}{}.{:02}|{}|{label}{end}", cents.abs() / 100, cents.abs() % 100, date_text(*day))
}

proptest! {
    #[test]
    fn rows_round_trip(rows in proptest::collection::vec(row(), 0..20), ends_with_separator: bool) {
        let text: String = rows.iter().map(|row| printed(row, ends_with_separator)).collect();
        let parsed = parse(&layout(ends_with_separator), text);
        prop_assert_eq!((parsed.rows(), parsed.rejects().len()), (rows.len(), 0));
        for (index, (id, cents, day, label)) in rows.iter().enumerate() {
            prop_assert_eq!(parsed.field(index, 0), FieldValue::Int(*id));
            prop_assert_eq!(parsed.field(index, 1), FieldValue::Decimal { unscaled: *cents, scale: 2 });
            prop_assert_eq!(parsed.field(index, 2), FieldValue::Date(*day));
            prop_assert_eq!(parsed.field(index, 3), FieldValue::Text(label));
        }
    }

    #[test]
    fn quoted_rows_round_trip(rows in proptest::collection::vec((0..99_999i64, "[a|\"\n\r\u{e4}]{0,6}"), 0..20), ends_with_separator: bool) {
        let layout = quoted(ends_with_separator);
        let mut text = Vec::new();
        for (id, label) in &rows {
            text.extend(format!("{id}|1|2010-01-01|").bytes());
            layout.write_field(label, &mut text);
            text.extend(if ends_with_separator { "|\n" } else { "\n" }.bytes());
        }
        let parsed = parse(&layout, text);
        prop_assert_eq!((parsed.rows(), parsed.rejects().len()), (rows.len(), 0));
        let mut line = 1;
        for (index, (id, label)) in rows.iter().enumerate() {
            prop_assert_eq!(parsed.field(index, 0), FieldValue::Int(*id));
            prop_assert_eq!(parsed.field(index, 3), FieldValue::Text(label));
            prop_assert_eq!(parsed.line(index), line);
            line += 1 + label.matches('\n').count() as u64;
        }
    }

    #[test]
    fn any_bytes_with_quotes_are_rows_and_rejects(
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"0123.-||||\n\n\r\"\"\"".to_vec())], 0..400),
        ends_with_separator: bool,
    ) {
        let layout = quoted(ends_with_separator);
        let parsed = parse(&layout, bytes.clone());
        let (mut count, mut start, mut ranges) = (0, 0, Vec::new());
        while start < bytes.len() {
            start = layout.quoting().unwrap().row(&bytes, start, &mut ranges) + 1;
            count += 1;
        }
        prop_assert_eq!(parsed.rows() + parsed.rejects().len(), count);
        prop_assert!(parsed.rejects().is_sorted_by_key(|reject| reject.line));
        let _ = parsed.sums();
    }

    #[test]
    fn lines_without_quotes_are_the_same_rows_with_and_without_quoting(
        bytes in proptest::collection::vec(prop::sample::select(b"0123456789-.|||||\n\n\ra\xC3\xB6\0".to_vec()), 0..400),
        ends_with_separator: bool,
    ) {
        let (plain, quoted) = (parse(&layout(ends_with_separator), bytes.clone()), parse(&quoted(ends_with_separator), bytes));
        prop_assert_eq!(plain.rejects(), quoted.rejects());
        prop_assert_eq!(plain.sums(), quoted.sums());
        for row in 0..plain.rows() {
            prop_assert_eq!(plain.line(row), quoted.line(row));
        }
    }

    #[test]
    fn any_bytes_are_rows_and_rejects(
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"0123456789-.||||\n\n\r".to_vec())], 0..400),
        ends_with_separator: bool,
    ) {
        let parsed = parse(&layout(ends_with_separator), bytes.clone());
        let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
        let count = ends + usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n"));
        prop_assert_eq!(parsed.rows() + parsed.rejects().len(), count);
        prop_assert!(parsed.rejects().is_sorted_by_key(|reject| reject.line));
        let _ = parsed.sums();
    }

    #[test]
    fn one_changed_byte_affects_one_row_only(
        rows in proptest::collection::vec(row(), 3..4),
        offset in 0..20usize,
        byte: u8,
    ) {
        prop_assume!(byte != b'\n');
        let mut text: Vec<Vec<u8>> = rows.iter().map(|row| printed(row, true).into_bytes()).collect();
        let offset = offset % (text[1].len() - 1);
        text[1][offset] = byte;
        let parsed = parse(&layout(true), text.concat());
        prop_assert_eq!(parsed.rows() + parsed.rejects().len(), 3);
        prop_assert!(parsed.rejects().iter().all(|reject| reject.line == 2));
        let whole = std::str::from_utf8(&text[1]).is_ok() && byte != 0;
        prop_assert!(whole || parsed.rejects().len() == 1);
    }
}
