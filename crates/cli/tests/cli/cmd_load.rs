//! `dbdyno load`: exact rows and sums, exact rejects, and resumed loads.

use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Finished, finished, growth, runs};
use crate::load_stopped::Elsewhere;
use crate::local_server::servers;

const ENGINES: [&str; 3] = ["sqlite", "local:postgres", "local:mariadb"];

/// Loads; returns the record and the output.
pub fn loaded(bench: &Bench, record: &str, arguments: &[&str]) -> (Value, Finished) {
    let output = bench.succeed(&[&["load", "--record", record], arguments].concat());
    let record = bench.record(record);
    assert_eq!(record["status"], "finished", "{}", output.err);
    for run in record["runs"].as_array().unwrap() {
        is_right(run, &output);
    }
    (record, output)
}

/// Checks that the run is done and the table holds the loaded rows.
pub fn is_right(run: &Value, output: &Finished) {
    assert_eq!(run["outcome"]["status"], "done", "{run}");
    assert!(!run["findings"][0]["evidence"]["answers"].is_null(), "{}", run["findings"]);
    assert_eq!(run["findings"][0]["verdict"], "pass", "{}\n{}", run["findings"], output.err);
    for check in run["load"]["checked"].as_array().unwrap() {
        assert_eq!(check["expected"], check["found"], "{check}");
    }
    assert_eq!(run["totals"]["rows"], run["load"]["rows"]);
    assert_eq!(run["totals"]["bytes"].as_u64().unwrap_or(0), count(run, "flat_bytes"));
}

/// A figure over the whole table, returned by the engine.
pub fn found<'a>(run: &'a Value, what: &str) -> &'a str {
    let checks = run["load"]["checked"].as_array().unwrap();
    let check = checks.iter().find(|check| check["what"] == what).unwrap_or_else(|| panic!("no {what}: {checks:?}"));
    check["found"].as_str().unwrap()
}

pub fn count(run: &Value, name: &str) -> u64 {
    run["load"][name].as_u64().unwrap_or_else(|| panic!("no {name} in {}", run["load"]))
}

pub fn only_run<'a>(record: &'a Value, code: &str) -> &'a Value {
    let found = runs(record, code);
    assert_eq!(found.len(), 1, "{:?}", record["plan"]["runs"]);
    found[0]
}

/// A line of the layout of cards; a lost or duplicate line changes the sum of the amounts.
pub fn line(number: u64) -> String {
    let (cents, day) = (number % 100, 1 + number % 28);
    format!(
        "{}|VISA|5411|{number}.{cents:02}|2025-02-{day:02}|12345678|DAYTON|OH|45402|\n",
        4_000_000_000_000_000 + number
    )
}

pub fn lines(numbers: std::ops::Range<u64>) -> Vec<u8> {
    numbers.flat_map(|number| line(number).into_bytes()).collect()
}

/// The sum of the amounts of such lines, as returned by engines.
pub fn sum(numbers: impl Iterator<Item = u64>) -> String {
    let cents: u64 = numbers.map(|number| number * 100 + number % 100).sum();
    let text = format!("{}.{:02}", cents / 100, cents % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Lines with five malformed ones, and their numbers.
pub fn malformed() -> (Vec<u8>, [(u64, &'static str); 5]) {
    let mut file = lines(1..101);
    file.extend_from_slice(b"4000000000000000|VISA|5411|1.00|2025-02-01|\n");
    file.extend(lines(101..201));
    file.extend_from_slice(b"4000000000000000|VISA|5411|1.00|2025-02-29|12345678|DAYTON|OH|45402|\n");
    file.extend_from_slice(b"4000000000000000|VI\xffA|5411|1.00|2025-02-01|12345678|DAYTON|OH|45402|\n");
    file.extend(lines(201..301));
    file.extend_from_slice(b"4000000000000000|VISA|54110|1.00|2025-02-01|12345678|DAYTON|OH|45402|\n");
    file.extend_from_slice(b"4000000000000000|VISA|5411|123456789.00|2025-02-01|12345678|DAYTON|OH|45402|\n");
    file.extend(lines(301..401));
    let bad = [
        (101, "5 fields instead of 9"),
        (202, "field 5 purchase_dt: \"2025-02-29\" is not a date"),
        (203, "field 2 card_type"),
        (304, "field 3 mcc: \"54110\""),
        (305, "field 4 purchase_amt: \"123456789.00\""),
    ];
    (file, bad)
}

/// Starts a load of its standard input.
pub fn start_piped(bench: &Bench, arguments: &[&str]) -> Child {
    bench.command(&[&["load", "-"], arguments].concat()).stdin(Stdio::piped()).spawn().unwrap()
}

/// A load of `bytes` from a pipe.
pub fn piped(bench: &Bench, bytes: &[u8], arguments: &[&str]) -> Finished {
    let mut child = start_piped(bench, arguments);
    let mut pipe = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A refused load does not read the pipe.
        scope.spawn(move || drop(pipe.write_all(bytes)));
        finished(child.wait_with_output().unwrap())
    })
}

#[test]
fn generated_rows_are_loaded_once_at_every_degree() {
    for target in ENGINES {
        let bench = Bench::new();
        let jobs: &[&str] = if target == "sqlite" { &["1"] } else { &["1", "2"] };
        let (record, output) =
            loaded(&bench, "r.json", &["--target", target, "--rows", "5000", "--jobs", &jobs.join(",")]);
        let found_runs = runs(&record, "L100");
        assert_eq!(found_runs.len(), jobs.len(), "{target}");
        for run in &found_runs {
            assert_eq!((count(run, "rows"), found(run, "rows")), (5_000, "5000"), "{target}");
            assert_eq!(found(run, "sum of purchase_amt"), found(found_runs[0], "sum of purchase_amt"), "{target}");
            assert!(found(run, "first purchase_dt") < found(run, "last purchase_dt"), "{target}");
            let batches = count(run, "batches");
            assert!(batches > 1, "{target}: in several batches");
            let commits = growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap_or(0);
            assert_eq!((run["commits_expected"].as_u64().unwrap(), commits), (batches, batches), "{target}");
            let stages: Vec<&str> =
                run["load"]["stages"].as_array().unwrap().iter().map(|stage| stage["kind"].as_str().unwrap()).collect();
            let own = if target == "sqlite" { vec!["insert"] } else { vec!["convert", "send"] };
            assert_eq!(stages, [vec!["generate", "parse"], own, vec!["commit"]].concat(), "{target}");
            for stage in run["load"]["stages"].as_array().unwrap() {
                assert_eq!(stage["bytes"], run["load"]["flat_bytes"], "{target}: {stage}");
                assert!(stage["busy_ns"].as_u64() <= run["window_ns"].as_u64().map(|window| window * 2), "{stage}");
            }
            assert!(count(run, "first_query_ns") > 0 && run["load"]["index_build_ns"].is_null());
        }
        assert!(output.out.contains("L100"), "{}", output.out);
        assert_eq!(bench.files().len(), 1, "a record and nothing else: {:?}", bench.files());
        assert!(servers(&bench).is_empty());
    }
}

#[test]
fn exactly_the_malformed_lines_are_rejected() {
    for (target, form) in
        [("sqlite", "typed"), ("local:postgres", "typed"), ("local:postgres", "as-is"), ("local:mariadb", "as-is")]
    {
        let bench = Bench::new();
        let (file, bad) = malformed();
        fs::write(bench.path().join("bad.tbl"), file).unwrap();
        let (record, _) = loaded(
            &bench,
            "r.json",
            &["bad.tbl", "--target", target, "--form", form, "--max-errors", "5", "--jobs", "1", "--batch", "4KiB"],
        );
        let code = if form == "typed" { "L100" } else { "L100,as-is" };
        let run = only_run(&record, code);
        assert_eq!((count(run, "rows"), count(run, "rejected_rows")), (400, 5), "{target} {form}");
        assert_eq!(found(run, "rows"), "400");
        assert_eq!(count(run, "retried_batches") > 0, form == "as-is", "{target} {form}");
        let deferred_batches = if target == "local:postgres" { count(run, "batches") } else { 0 };
        assert_eq!(count(run, "deferred_batches"), deferred_batches, "{target} {form}");
        if form == "typed" {
            assert_eq!(found(run, "sum of purchase_amt"), sum(1..401), "{target}");
        }
        let reasons = fs::read_to_string(bench.path().join("r.rejects.log")).unwrap();
        assert_eq!(reasons.lines().count(), 5, "{reasons}");
        for ((number, reason), line) in bad.iter().zip(reasons.lines()) {
            assert!(line.starts_with(&format!("bad.tbl:{number}: {reason}")), "{target} {form}: {line}");
        }
        let rejected = fs::read(bench.path().join("r.rejects")).unwrap();
        let rejected: Vec<&[u8]> = rejected.split(|byte| *byte == b'\n').collect();
        assert_eq!(rejected.len(), 6, "five lines, each ended");
        assert!(rejected[2].starts_with(b"4000000000000000|VI\xffA|"), "as it was");
    }
}

#[test]
fn compression_is_detected_by_the_first_bytes() {
    let bench = Bench::new();
    fs::write(bench.path().join("one.tbl"), lines(1..1_001)).unwrap();
    fs::write(bench.path().join("two.tbl"), lines(1_001..2_001)).unwrap();
    let zipped = Command::new("gzip").args(["-k", "two.tbl"]).current_dir(bench.path()).status().unwrap();
    assert!(zipped.success());
    let (record, _) = loaded(&bench, "r.json", &["one.tbl", "two.tbl.gz", "--target", "local:postgres", "--jobs", "2"]);
    let run = only_run(&record, "L100");
    assert_eq!(run["load"]["source"], "one.tbl, two.tbl.gz");
    assert_eq!(run["load"]["compression"], "gzip");
    assert_eq!((found(run, "rows"), found(run, "sum of purchase_amt")), ("2000", &*sum(1..2_001)));
    let stages = run["load"]["stages"].as_array().unwrap();
    assert!(stages.iter().any(|stage| stage["kind"] == "decompress" && stage["bytes"].as_u64() < Some(100_000)));
    let sizes = ["one.tbl", "two.tbl.gz"].map(|name| fs::metadata(bench.path().join(name)).unwrap().len());
    assert_eq!(count(run, "input_bytes"), sizes[0] + sizes[1], "as they lie there");
    let zipped = fs::read(bench.path().join("two.tbl.gz")).unwrap();
    let output = piped(&bench, &zipped, &["--record", "p.json", "--jobs", "1"]);
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    let record = bench.record("p.json");
    let run = only_run(&record, "L100");
    is_right(run, &output);
    assert_eq!((run["load"]["source"].as_str(), found(run, "rows")), (Some("pipe"), "1000"));
    let cut = piped(&bench, &zipped[..zipped.len() - 9], &["--record", "c.json", "--jobs", "1"]);
    assert_eq!(cut.code, 1, "{}\n{}", cut.out, cut.err);
    assert!(cut.err.contains("gzip data are truncated"), "{}", cut.err);
}

#[test]
fn empty_files_and_lines_without_line_feed_are_loaded() {
    let bench = Bench::new();
    let first = String::from_utf8(lines(1..2)).unwrap();
    for (text, rows) in [
        (String::new(), 0),
        (first.trim_end().to_owned(), 1),
        (first.replace('\n', "\r\n") + &first, 2),
        (format!("{first}{}\n{first}", "x".repeat(1_500_000)), 2),
    ] {
        fs::write(bench.path().join("one.tbl"), &text).unwrap();
        let options = ["one.tbl", "--target", "local:postgres", "--form", "both", "--jobs", "1", "--max-errors", "1"];
        let (record, _) = loaded(&bench, "r.json", &options);
        for code in ["L100", "L100,as-is"] {
            let run = only_run(&record, code);
            assert_eq!((count(run, "rows"), found(run, "rows")), (rows, &*rows.to_string()), "{code}");
            assert_eq!(count(run, "rejected_rows"), u64::from(text.len() > 1_000_000), "{code}");
        }
        for name in ["r.json", "r.rejects", "r.rejects.log"] {
            drop(fs::remove_file(bench.path().join(name)));
        }
    }
}

#[test]
fn a_foreign_server_keeps_only_what_was_requested() {
    let elsewhere = Elsewhere::start();
    let bench = Bench::new();
    let target = elsewhere.target();
    let load = ["--target", &target, "--rows", "500", "--jobs", "1"];
    loaded(&bench, "a.json", &load);
    // A kept load can be resumed, even if it is complete.
    let resume = |record: &str| bench.run(&[&["load", "--resume", "--record", record][..], &load[..]].concat());
    let nothing = resume("b.json");
    assert!(nothing.code == 2 && nothing.err.contains("no load of table cards was started here"), "{}", nothing.err);
    loaded(&bench, "c.json", &[&load[..], &["--keep"]].concat());
    let output = resume("d.json");
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    let record = bench.record("d.json");
    let run = only_run(&record, "L100");
    assert_eq!((count(run, "rows"), count(run, "resumed_rows"), found(run, "rows")), (0, 500, "500"));
    // A kept partitioned table is removed with all partitions.
    loaded(&bench, "e.json", &[&load[..], &["--models", "partitioned", "--keep"]].concat());
    loaded(&bench, "f.json", &load);
    assert_eq!(resume("g.json").code, 2);
    assert!(
        bench.files().iter().all(|path| path.extension().is_some_and(|ending| ending == "json")),
        "{:?}",
        bench.files()
    );
    elsewhere.stop();
}

#[test]
fn lines_sent_as_they_are_give_the_same_table_in_every_model() {
    // Each partition is a file that is synced: few such tables.
    for (target, models, expected) in [
        (
            "local:postgres",
            "plain,partitioned,compressed",
            vec!["L100", "L100,as-is", "L100@partitioned", "L100@partitioned,as-is"],
        ),
        (
            "local:mariadb",
            "plain,partitioned+compressed",
            vec!["L100", "L100,as-is", "L100@partitioned+compressed", "L100@partitioned+compressed,as-is"],
        ),
    ] {
        let bench = Bench::new();
        let (record, output) = loaded(
            &bench,
            "r.json",
            &["--target", target, "--rows", "3000", "--jobs", "2", "--models", models, "--form", "both"],
        );
        let found_runs = record["runs"].as_array().unwrap();
        for run in found_runs {
            // The content of unparsed lines is known from the typed run.
            assert_eq!(found(run, "sum of purchase_amt"), found(&found_runs[0], "sum of purchase_amt"), "{target}");
            assert_eq!(count(run, "retried_batches"), 0);
            assert!(count(run, "table_bytes") > 0, "{target}");
        }
        let codes: Vec<&str> = found_runs.iter().map(|run| run["test"].as_str().unwrap()).collect();
        assert_eq!(codes, expected);
        let again = bench.succeed(&["report", "r.json"]).out;
        assert!(again.contains("Bulk load") && !again.contains("L10…"), "{again}");
        assert!(
            output.out.contains("compressed, as-is") || output.out.contains("partitioned, as-is"),
            "{}",
            output.out
        );
        assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
    }
}

#[test]
fn an_engine_without_models_skips_them_and_says_why() {
    let bench = Bench::new();
    let (record, _) =
        loaded(&bench, "r.json", &["--rows", "500", "--models", "all", "--form", "both", "--jobs", "1,2"]);
    assert_eq!(record["runs"].as_array().unwrap().len(), 1);
    let reasons: Vec<&str> =
        record["plan"]["skipped"].as_array().unwrap().iter().map(|skip| skip["reason"].as_str().unwrap()).collect();
    for words in ["no table compression", "has no partitioned tables", "cannot load unparsed lines", "one writer"] {
        assert!(reasons.iter().any(|reason| reason.contains(words)), "no {words:?} in {reasons:?}");
    }
    let resumed = bench.run(&["run", "--resume", "r.json"]);
    assert!(resumed.code == 2 && resumed.err.contains("it is a record of dbdyno load"), "{}", resumed.err);
    let dry = bench.succeed(&["load", "--rows", "500", "--dry-run"]);
    assert!(dry.out.contains("generated, seed 42") && dry.out.contains("L100 into a plain table cards"), "{}", dry.out);
    assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
}

#[test]
fn names_may_be_keywords_of_the_engine() {
    let layout = "name = \"select\"\nseparator = \",\"\n\
                  [[fields]]\nname = \"from\"\nkind = \"int\"\n\
                  [[fields]]\nname = \"order\"\nkind = \"decimal\"\nprecision = 9\nscale = 2\n\
                  [[fields]]\nname = \"group\"\nkind = \"date\"\n";
    for target in ENGINES {
        let bench = Bench::new();
        fs::write(bench.path().join("words.toml"), layout).unwrap();
        fs::write(bench.path().join("words.csv"), "1,1.50,2025-01-31\n2,2.25,2025-02-01\n").unwrap();
        let load = ["words.csv", "--layout", "words.toml", "--target", target, "--jobs", "1", "--indexes", "after"];
        let (record, _) = loaded(&bench, "r.json", &[&load[..], &["--keep"]].concat());
        assert_eq!(found(only_run(&record, "L100"), "sum of order"), "3.75", "{target}");
        let (record, _) = loaded(&bench, "s.json", &[&load[..], &["--resume"]].concat());
        assert_eq!(found(only_run(&record, "L100"), "last group"), "2025-02-01", "{target}");
        bench.succeed(&["clean", "--yes"]);
    }
}

#[test]
fn invalid_loads_are_refused() {
    let bench = Bench::new();
    let refused = |arguments: &[&str], code: i32, words: &[&str]| {
        let output = bench.run(&[&["load", "--record", "r.json"], arguments].concat());
        assert_eq!(output.code, code, "{arguments:?}\n{}\n{}", output.out, output.err);
        for word in words.iter().chain(&["hint: "]) {
            assert!(output.err.contains(word), "no {word:?} in {:?}", output.err);
        }
        // Errors after opening the engine come after the start of the record.
        drop(fs::remove_file(bench.path().join("r.json")));
    };
    refused(&["nowhere.tbl"], 2, &["nowhere.tbl cannot be read"]);
    refused(&["."], 2, &["it is not a file"]);
    refused(&["--rows", "0"], 2, &["rows 0 is less than 1"]);
    refused(&["--size", "much"], 2, &["size much is not a size in whole bytes"]);
    refused(&["--batch", "1B"], 2, &["batch 1B is less than 1KiB"]);
    refused(&["--jobs", "0"], 2, &["jobs 0 is not a degree of parallelism"]);
    refused(&["--jobs", "2", "--rows", "10"], 2, &["nothing to load", "one writer at a time"]);
    refused(&["--models", "row"], 2, &["model \"row\" is not known"]);
    refused(&["--models", "partitioned"], 2, &["nothing to load", "has no partitioned tables"]);
    refused(&["--table", "Cards"], 2, &["table \"Cards\" is not a name of lower-case letters"]);
    refused(&["--layout", "none.toml"], 2, &["layout none.toml cannot be read"]);
    refused(&["--layout", "cards-csv"], 2, &["generated rows have layout cards"]);
    refused(&["--first-month", "2025-13"], 2, &["first-month 2025-13 is not a month"]);
    refused(&["--max-errors", "many"], 2, &["max-errors many is not a whole number"]);
    refused(&["--resume", "--rows", "10", "--jobs", "1"], 2, &["no load of table cards was started here"]);
    fs::write(bench.path().join("one.tbl"), lines(1..2)).unwrap();
    refused(&["one.tbl", "-"], 2, &["cannot be loaded together"]);
    refused(&["one.tbl", "--rejects", "none/of/it"], 1, &["rejected lines cannot be written to none/of/it"]);
    fs::write(bench.path().join("bad.toml"), "name = \"x\"\nfields = []\n").unwrap();
    refused(&["one.tbl", "--layout", "bad.toml"], 2, &["bad.toml: layout: 0 fields"]);
    refused(&["--layout", "/dev/zero"], 2, &["layout /dev/zero has more than 1048576 bytes"]);
    refused(&["one.tbl", "--rejects", "r.json"], 2, &["cannot be written to r.json: it is the record"]);
    refused(&["one.tbl", "--resume", "--rejects", "one.tbl"], 2, &["written to one.tbl: it is a loaded file"]);
    assert_eq!(fs::read(bench.path().join("one.tbl")).unwrap(), lines(1..2));
    refused(&["one.tbl", "--rejects", "./r.json"], 2, &["cannot be written to ./r.json: it is the record"]);
    for name in ["r.rejects", "r.rejects.log"] {
        fs::write(bench.path().join(name), "").unwrap();
        refused(&["one.tbl"], 2, &[&format!("reject file {name} exists")]);
        fs::remove_file(bench.path().join(name)).unwrap();
    }
    let several = bench.run(&["load", "-", "--form", "both", "--target", "local:postgres", "--record", "p.json"]);
    assert!(several.code == 2 && several.err.contains("a pipe can be read once"), "{}", several.err);
    let left: Vec<_> = bench.files().into_iter().filter(|path| path.is_dir()).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!bench.path().join("dbdyno-data").exists());
}
