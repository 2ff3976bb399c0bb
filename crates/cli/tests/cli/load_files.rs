//! What files of others have beside their rows: headers, quotes, byte order marks, other encodings, tails of gzip files.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Finished};
use crate::cmd_load::{count, found, loaded, only_run, piped};

/// A layout of a number and a text.
fn layout(bench: &Bench, options: &str) {
    let text = format!(
        "name = \"t\"\n{options}\n[[fields]]\nname = \"price\"\nkind = \"decimal\"\nprecision = 9\nscale = 2\n\
         [[fields]]\nname = \"firm\"\nkind = \"text\"\nsize = 99\n"
    );
    fs::write(bench.path().join("t.toml"), text).unwrap();
}

fn write(bench: &Bench, name: &str, bytes: &[u8]) {
    fs::write(bench.path().join(name), bytes).unwrap();
}

/// A load of `file`, which is refused with `code`; returns its errors on one line.
fn refused(bench: &Bench, file: &str, code: i32, more: &[&str]) -> String {
    for name in ["x.json", "x.rejects", "x.rejects.log"] {
        drop(fs::remove_file(bench.path().join(name)));
    }
    let arguments = ["load", file, "--layout", "t.toml", "--jobs", "1", "--no-html", "--record", "x.json"];
    let output = bench.run(&[&arguments[..], more].concat());
    assert_eq!(output.code, code, "{}\n{}", output.out, output.err);
    words(&output)
}

/// Errors without the ends of lines.
fn words(output: &Finished) -> String {
    output.err.split_whitespace().collect::<Vec<&str>>().join(" ")
}

fn note<'a>(run: &'a Value, kind: &str) -> &'a Value {
    let notes = run["load"]["notes"].as_array().unwrap();
    notes.iter().find(|note| note["kind"] == kind).unwrap_or_else(|| panic!("no {kind}: {notes:?}"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut child = Command::new("gzip").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    child.wait_with_output().unwrap().stdout
}

#[test]
fn a_header_that_is_not_that_of_the_layout_is_refused_before_anything_is_changed() {
    let bench = Bench::new();
    layout(&bench, "header = true");
    write(&bench, "row.tbl", b"1.00|one\n2.00|two\n");
    let error = refused(&bench, "row.tbl", 2, &[]);
    let expected = "row.tbl: line 1 does not have the names of layout t: missing: price, firm, unknown: \"1.00\", one; \
                    the line has \"1.00\", one; the layout has price, firm";
    assert!(error.contains(expected) && error.contains("--header ignore"), "{error}");
    assert!(!bench.path().join("x.json").exists(), "nothing was begun");
    write(&bench, "order.tbl", b"firm|price\nAnn|1.00\n");
    let packed = gzip(b"firm|price\nAnn|1.00\n");
    write(&bench, "order.tbl.gz", &packed);
    for file in ["order.tbl", "order.tbl.gz"] {
        let error = refused(&bench, file, 2, &[]);
        assert!(error.contains("in another order; the line has firm, price; the layout has price, firm"), "{error}");
    }
    for bytes in [&b"firm|price\nAnn|1.00\n"[..], &packed] {
        let output = piped(&bench, bytes, &["--layout", "t.toml", "--jobs", "1", "--no-html", "--record", "p.json"]);
        assert!(
            output.code == 2 && words(&output).contains("pipe: line 1 does not"),
            "{}: {}",
            output.code,
            output.err
        );
        drop(fs::remove_file(bench.path().join("p.json")));
    }
    let options = ["row.tbl", "--layout", "t.toml", "--header", "ignore", "--jobs", "1", "--details"];
    let (record, output) = loaded(&bench, "i.json", &options);
    let run = only_run(&record, "L100");
    assert_eq!((count(run, "rows"), found(run, "sum of price")), (1, "2"));
    assert_eq!(
        (note(run, "unread_header")["files"].as_u64(), &note(run, "unread_header")["first"]),
        (Some(1), &"row.tbl".into())
    );
    let text = output.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(text.contains("the first line of row.tbl was skipped unread"), "{}", output.out);
    layout(&bench, "");
    let error = refused(&bench, "row.tbl", 2, &["--header", "ignore"]);
    assert!(error.contains("layout t has none"), "{error}");
}

#[test]
fn quotes_are_refused_read_or_content() {
    let bench = Bench::new();
    layout(&bench, "separator = \",\"\nheader = true");
    write(&bench, "t.csv", b"price,firm\n1.50,\"Quoted, \"\"Co.\"\"\"\n\"2.25\",\"two\nlines\"\n3.00,5\" pipe\n");
    let error = refused(&bench, "t.csv", 1, &[]);
    let hint = r#"begins with a quote; quote = "\"" in the layout reads quoted fields, quote = "none" loads quotes as content"#;
    assert!(error.contains(r#"t.csv:2: field 2 firm: "\"Quoted" begins"#) && error.contains(hint), "{error}");
    layout(&bench, "separator = \",\"\nheader = true\nquote = \"\\\"\"");
    for target in ["sqlite", "local:postgres", "local:mariadb"] {
        let options = ["t.csv", "--layout", "t.toml", "--jobs", "1", "--target", target];
        let (record, _) = loaded(&bench, "r.json", &options);
        let run = only_run(&record, "L100");
        assert_eq!((count(run, "rows"), found(run, "sum of price")), (3, "6.75"), "{target}");
        fs::remove_file(bench.path().join("r.json")).unwrap();
    }
    let error = refused(&bench, "t.csv", 2, &["--target", "local:postgres", "--form", "as-is"]);
    assert!(error.contains("L100,as-is: quoted fields of layout t are read by dbdyno"), "{error}");
    write(&bench, "bad.csv", b"price,firm\n1.00,\"a\nb\"x\n2.00,\"c\n\"\nx,\"d\n\"\n");
    let (record, _) = loaded(&bench, "b.json", &["bad.csv", "--layout", "t.toml", "--jobs", "1", "--max-errors", "2"]);
    assert_eq!(count(only_run(&record, "L100"), "rows"), 1);
    let reasons = fs::read_to_string(bench.path().join("b.rejects.log")).unwrap();
    let starts: Vec<&str> = reasons.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(starts, ["bad.csv:2-3", "bad.csv:6-7"], "{reasons}");
    assert_eq!(fs::read(bench.path().join("b.rejects")).unwrap(), b"price,firm\n1.00,\"a\nb\"x\nx,\"d\n\"\n");
    write(&bench, "open.csv", b"price,firm\n1.00,a\n2.00,\"b\n3.00,c\n");
    let error = refused(&bench, "open.csv", 1, &["--max-errors", "9"]);
    assert!(error.contains("the quote that opens in line 3 is not closed by the end of the file"), "{error}");
}

#[test]
fn quotes_are_not_sent_unparsed_unasked() {
    let bench = Bench::new();
    layout(&bench, "separator = \",\"");
    write(&bench, "t.csv", b"1.00,a\n2.00,\"b\"\n3.00,5\" pipe\n");
    for target in ["local:postgres", "local:mariadb"] {
        let options = ["t.csv", "--layout", "t.toml", "--jobs", "1", "--form", "as-is", "--target", target];
        let (record, _) = loaded(&bench, "r.json", &[&options[..], &["--max-errors", "1"]].concat());
        let run = only_run(&record, "L100,as-is");
        assert_eq!(
            (count(run, "rows"), count(run, "rejected_rows"), count(run, "retried_batches")),
            (2, 1, 1),
            "{target}"
        );
        for name in ["r.json", "r.rejects", "r.rejects.log"] {
            fs::remove_file(bench.path().join(name)).unwrap();
        }
    }
}

#[test]
fn marks_encodings_and_ends_of_lines_are_named() {
    let bench = Bench::new();
    layout(&bench, "header = true");
    write(&bench, "t.tbl", b"\xEF\xBB\xBFprice|firm\r\n1.50|one\r\n2.25|two");
    write(&bench, "u.tbl.gz", &gzip(b"\xEF\xBB\xBFprice|firm\n4.00|one\n"));
    let options = ["t.tbl", "u.tbl.gz", "--layout", "t.toml", "--jobs", "1", "--details"];
    let (record, output) = loaded(&bench, "r.json", &options);
    let run = only_run(&record, "L100");
    assert_eq!((count(run, "rows"), found(run, "sum of price")), (3, "7.75"));
    assert_eq!(note(run, "byte_order_mark")["files"], 2);
    let text = output.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    let expected = "the byte order mark at the start of 2 files, the first of which is t.tbl was left out";
    assert!(text.contains(expected), "{}", output.out);
    layout(&bench, "");
    write(&bench, "cr.tbl", b"1.00|one\r2.00|two\r");
    let error = refused(&bench, "cr.tbl", 2, &[]);
    assert!(error.contains("cr.tbl: it has no line feed, but 2 carriage returns"), "{error}");
    let utf16: Vec<u8> = "\u{FEFF}1.00|one\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    write(&bench, "u16.tbl", &utf16);
    let error = refused(&bench, "u16.tbl", 2, &[]);
    assert!(error.contains("u16.tbl: it is UTF-16 (its first bytes are FF FE), not UTF-8"), "{error}");
}

#[test]
fn tails_of_gzip_files_are_treated_as_gzip_does() {
    let bench = Bench::new();
    layout(&bench, "");
    let members = [gzip(b"1.50|one\n"), gzip(b"2.25|two\n")].concat();
    write(&bench, "z.tbl.gz", &[&members[..], &[0; 512]].concat());
    let (record, _) = loaded(&bench, "r.json", &["z.tbl.gz", "--layout", "t.toml", "--jobs", "1"]);
    let run = only_run(&record, "L100");
    assert_eq!((count(run, "rows"), found(run, "sum of price")), (2, "3.75"));
    assert_eq!(note(run, "zero_padding")["bytes"], 512);
    write(&bench, "g.tbl.gz", &[&members[..], b"junk"].concat());
    let error = refused(&bench, "g.tbl.gz", 1, &[]);
    let expected =
        format!("4 bytes of garbage behind the last gzip member, from byte {} of the file on", members.len());
    assert!(error.contains(&expected) && !error.contains("truncated"), "{error}");
    write(&bench, "c.tbl.gz", &members[..members.len() - 9]);
    assert!(refused(&bench, "c.tbl.gz", 1, &[]).contains("gzip data are truncated"));
}

#[test]
fn integers_have_64_bits_in_every_engine() {
    for target in ["sqlite", "local:postgres", "local:mariadb"] {
        let bench = Bench::new();
        let text = "name = \"t\"\n[[fields]]\nname = \"id\"\nkind = \"int\"\n";
        fs::write(bench.path().join("t.toml"), text).unwrap();
        write(
            &bench,
            "t.tbl",
            b"9110818468285196899\n-9223372036854775808\n9223372036854775807\n9223372036854775808\n",
        );
        let options = ["t.tbl", "--layout", "t.toml", "--jobs", "1", "--max-errors", "1", "--target", target];
        let (record, _) = loaded(&bench, "r.json", &options);
        assert_eq!(count(only_run(&record, "L100"), "rows"), 3, "{target}");
        let reasons = fs::read_to_string(bench.path().join("r.rejects.log")).unwrap();
        assert!(
            reasons.contains("t.tbl:4: field 1 id: \"9223372036854775808\" does not fit an int of 64 bits"),
            "{reasons}"
        );
    }
}
