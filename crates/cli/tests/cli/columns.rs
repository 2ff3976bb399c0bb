//! No view is wider than `COLUMNS`, from 60 on.

use crate::bench::Bench;

/// The output of `arguments` with `COLUMNS` set to `columns`.
fn shown(bench: &Bench, columns: usize, arguments: &[&str]) -> String {
    let output = bench.command(arguments).env("COLUMNS", columns.to_string()).output().unwrap();
    let output = crate::bench::finished(output);
    assert_eq!(output.code, 0, "dbdyno {}\n{}\n{}", arguments.join(" "), output.out, output.err);
    output.out
}

/// Checks that the output of `arguments` is not wider than several widths, and uses the widest.
fn fits(bench: &Bench, arguments: &[&str]) {
    for columns in [60, 72, 100] {
        let shown = shown(bench, columns, arguments);
        for line in shown.lines() {
            let letters = line.chars().count();
            assert!(letters <= columns, "{} is {letters} wide at {columns}:\n{line}", arguments.join(" "));
        }
    }
}

#[test]
fn every_view_of_a_record_fits_the_columns_that_are_asked_for() {
    let bench = Bench::on_disk();
    let run = ["run", "--preset", "smoke", "--jobs", "1,2", "--seconds", "0.3", "--trace", "one", "-q"];
    let server = ["--target", "local:postgres", "--tests", "S21,T311,T616,T626", "--rate", "20%,50%"];
    bench.succeed(&[&run[..], &server, &["--record", "a.json"]].concat());
    bench.succeed(&[&run[..], &["--tests", "T311,T616", "--think", "0,1ms", "--record", "b.json"]].concat());
    fits(&bench, &["report", "a.json"]);
    fits(&bench, &["report", "b.json"]);
    fits(&bench, &["report", "b.json", "--activity"]);
    fits(&bench, &["report", "a.json", "--activity"]);
    fits(&bench, &["report", "a.json", "--layers"]);
    fits(&bench, &["report", "a.json", "--layers", "T311"]);
    fits(&bench, &["compare", "a.json", "b.json"]);
    fits(&bench, &["history", "a.json", "b.json", "--test", "T616"]);
    fits(&bench, &["list", "records"]);
    fits(&bench, &["run", "--preset", "smoke", "--rate", "50%", "--dry-run"]);
}

#[test]
fn every_view_of_storage_and_of_blocks_fits_the_columns_that_are_asked_for() {
    let bench = Bench::on_disk();
    let blocks =
        ["--scale", "1M", "--run-time", "1", "--cache", "1MiB,4MiB", "--update-pct", "20", "--record", "b.json"];
    bench.succeed(&[&["blocks", "--target", "sqlite", "-q"], &blocks[..]].concat());
    fits(&bench, &["report", "b.json"]);
    let io = ["--rw", "randrw", "--bs", "8k", "--depth", "2", "--size", "4M", "--seconds", "0.3", "--record", "i.json"];
    bench.succeed(&[&["io", "-q"], &io[..]].concat());
    fits(&bench, &["report", "i.json"]);
    fits(&bench, &["io", "--rw", "randread", "--bs", "8k", "--size", "4M", "--seconds", "1", "--dry-run"]);
}

#[test]
fn every_list_fits_the_columns_that_are_asked_for_and_is_a_line_each_where_none_are() {
    let bench = Bench::new();
    for what in ["tests", "engines", "references", "profiles", "keys"] {
        fits(&bench, &["list", what]);
    }
    fits(&bench, &["report", "hp-dl980"]);
    fits(&bench, &["model", "scale", "hp-dl980", "--test", "T611"]);
    fits(&bench, &["inventory"]);
    let keys = bench.succeed(&["list", "keys"]).out;
    assert!(keys.lines().any(|line| line.starts_with("rwmixread  ") && line.contains("has an effect")), "{keys}");
    assert!(keys.lines().all(|line| line.contains("  ")), "a line each: {keys}");
}
