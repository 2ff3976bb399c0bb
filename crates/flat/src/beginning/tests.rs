//! Beginnings of files.

use super::*;

fn layout(options: &str) -> Layout {
    let fields =
        ["first_name", "last_name"].map(|name| format!("[[fields]]\nname = \"{name}\"\nkind = \"text\"\nsize = 9\n"));
    Layout::from_toml(&format!("name = \"b\"\n{options}\n{}", fields.concat())).unwrap()
}

fn refused(bytes: &[u8], options: &str) -> String {
    check(bytes, true, &layout(options)).unwrap_err().to_string()
}

fn is_accepted(bytes: &[u8], options: &str) -> bool {
    let checked = check(bytes, true, &layout(options));
    assert!(checked.is_ok(), "{checked:?}");
    checked.is_ok()
}

#[test]
fn other_encodings_are_named() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (mark, encoding) in [(&b"\xFF\xFE"[..], "UTF-16"), (b"\xFE\xFF", "UTF-16"), (b"\0\0\xFE\xFF", "UTF-32")] {
        let error = refused(&[mark, b"a"].concat(), "");
        assert!(error.starts_with(&format!("it is {encoding} (its first bytes are ")), "{error}");
    }
    let error = refused(&[b"\xFF\xFE", &utf16("a|b\r\n")[..]].concat(), "");
    assert!(
        error.contains("UTF-16 (its first bytes are FF FE), not UTF-8; hint: `iconv -f UTF-16 -t UTF-8`"),
        "{error}"
    );
    assert!(
        refused(&utf16("1|sch\u{f6}n\n2|x\n"), "").starts_with("it is UTF-16LE (12 of its first 24 bytes are zero")
    );
    let big: Vec<u8> = "1|x\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert!(refused(&big, "").starts_with("it is UTF-16BE"));
    // Single zero bytes are those of one line, which is rejected.
    assert!(is_accepted(b"a|b\0\nc|d\n", "") && is_accepted(b"\0\n", ""));
}

#[test]
fn carriage_returns_without_line_feeds_are_named() {
    let error = refused(b"1|one\r2|two\r", "");
    assert_eq!(error, "it has no line feed, but 2 carriage returns; hint: `tr '\\r' '\\n'` makes lines of it");
    assert!(refused(b"1|one\r2|two", "").contains("but 1 carriage return;"));
    assert!(is_accepted(b"1|one\r", ""), "the end of a line without its line feed");
    assert!(is_accepted(b"1|o\rne\n", "") && is_accepted(b"1|one\r\n2", ""));
    assert!(is_accepted(b"1|\"a\r\rb\"", "quote = \"\\\"\""), "within quotes they are content");
    assert!(refused(b"1|\"a\"\r2|\"b\"\r", "quote = \"\\\"\"").contains("2 carriage returns"));
    let long = check(b"1\r2\r3", false, &layout("")).unwrap_err().to_string();
    assert!(long.starts_with("it has no line feed in its first MiB, but 2 carriage returns"), "{long}");
}

#[test]
fn a_header_has_the_names_of_the_layout_in_their_order() {
    let names = "header = true";
    assert!(is_accepted(b"first_name|last_name\nSmith|Ann\n", names));
    assert!(is_accepted(b"FIRST_NAME| Last_Name \r\n", names), "neither case nor blanks matter");
    assert!(is_accepted(b"first_name|last_name", names), "a header and nothing else");
    assert!(is_accepted(b"", names) && is_accepted(b"x|y|z\n", ""));
    let with_end = "header = true\nends_with_separator = true";
    assert!(is_accepted(b"first_name|last_name|\n", with_end) && is_accepted(b"first_name|last_name\n", with_end));
    let of_lists = "; the layout has first_name, last_name; hint: ";
    for (line, difference) in [
        (&b"last_name|first_name\n"[..], "they are in another order; the line has last_name, first_name"),
        (b"1|one\n", "missing: first_name, last_name, unknown: 1, one; the line has 1, one"),
        (b"first_name\n", "missing: last_name; the line has first_name"),
        (b"first_name|last_name|age\n", "unknown: age; the line has first_name, last_name, age"),
        (b"first_name|First_Name\n", "missing: last_name, more than once: First_Name; the line"),
        (b"first_name|last_name|first_name\n", "more than once: first_name; the line"),
        (b"first_name|last_name|\n", "unknown: \"\"; the line"),
        (b"\nfirst_name|last_name\n", "missing: first_name, last_name, unknown: \"\"; the line has \"\""),
    ] {
        let error = refused(line, names);
        let begins = format!("line 1 does not have the names of layout b: {difference}");
        assert!(error.starts_with(&begins) && error.contains(of_lists), "{error}");
    }
    assert!(
        refused(b"1|one\n", names).ends_with("header = false in the layout; --header ignore skips the line unread")
    );
    assert!(refused(b"last_name|first_name\n", names).contains("hint: put the fields of the layout in the order"));
}

#[test]
fn names_may_be_quoted_where_quotes_are_read() {
    let quoted = b"\"first_name\"|\"last_name\"\r\n";
    assert!(is_accepted(quoted, "header = true\nquote = \"\\\"\""));
    let error = refused(quoted, "header = true");
    assert!(error.ends_with(r#"hint: quote = "\"" in the layout reads quoted names and fields"#), "{error}");
    let shown = refused(b"\"a\"\"b\n\x1B[1m\"|c\n", "header = true\nquote = \"\\\"\"");
    assert!(shown.contains(r#"the line has "a\"b\n\u{1b}[1m", c;"#), "{shown}");
}

#[test]
fn many_names_are_shortened() {
    let line = (0..1_000).map(|number| format!("column_{number}")).collect::<Vec<String>>().join("|");
    let error = refused(line.as_bytes(), "header = true");
    assert!(error.len() < 2_000 && error.contains("column_29, and 970 more"), "{error}");
}
