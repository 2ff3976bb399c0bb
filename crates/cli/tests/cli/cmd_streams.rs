//! `dbdyno streams`: files in every form of every engine, byte by byte, and on the file system.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::aborted::signal;
use crate::bench::{Bench, finished, growth, runs};

/// The forms of each engine that has any.
const ENGINES: [(&str, &[&str]); 3] =
    [("sqlite", &["blob"]), ("local:postgres", &["large-object", "bytea"]), ("local:mariadb", &["longblob"])];

/// Measures; returns the record and the output.
fn measured(bench: &Bench, arguments: &[&str]) -> (Value, String) {
    let output = bench.succeed(&[&["streams", "--record", "r.json"], arguments].concat());
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished", "{}", output.err);
    for run in record["runs"].as_array().unwrap() {
        assert_eq!(run["outcome"]["status"], "done", "{run}");
        let answers = &run["findings"][0];
        assert!(answers["verdict"] == "pass" && !answers["evidence"]["answers"].is_null(), "{answers}");
    }
    assert_eq!(bench.files().len(), 1, "a record and nothing else: {:?}", bench.files());
    // Independent of line breaks.
    (record, output.out.split_whitespace().collect::<Vec<&str>>().join(" "))
}

/// The run of `form` and `way` with this number of streams.
fn run<'a>(record: &'a Value, form: &str, way: &str, streams: u64) -> &'a Value {
    let of_code = runs(record, &format!("S100@{form}-{way}"));
    of_code.into_iter().find(|run| run["dop"]["jobs"] == streams).unwrap_or_else(|| panic!("{form} {way} {streams}"))
}

/// Commits that the engine counted for the steps of a run alone.
fn commits(run: &Value) -> u64 {
    growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap_or(0)
}

#[test]
fn what_is_read_is_what_was_written_in_every_form() {
    for (target, forms) in ENGINES {
        let bench = Bench::on_disk();
        let sizes = ["--file", "2MiB", "--request", "256KiB", "--streams", "1,3", "--preset", "smoke"];
        let (record, out) = measured(&bench, &[&["--target", target], &sizes[..]].concat());
        for form in forms.iter().chain(&["file-system"]) {
            for streams in [1, 3] {
                // One session writes at a time in SQLite.
                let writes = streams == 1 || *form != "blob";
                for way in if writes { &["write", "read"][..] } else { &["read"] } {
                    let run = run(&record, form, way, streams);
                    assert_eq!(run["totals"]["operations"], streams * 8, "{target} {form} {way}");
                    assert_eq!(run["totals"]["bytes"], streams * (2 << 20));
                    assert_eq!(run["totals"]["transactions"], streams);
                    let kinds = &run["streams"];
                    assert_eq!(kinds["requests"]["count"], streams * 8);
                    assert_eq!(
                        (&kinds["openings"]["count"], &kinds["commits"]["count"]),
                        (&streams.into(), &streams.into())
                    );
                    assert_eq!(kinds["wrong_requests"], 0);
                }
                let compared = run(&record, form, "read", streams)["streams"]["compared"].as_array().unwrap().clone();
                assert_eq!(compared.len() as u64, streams, "{target} {form}");
                for file in &compared {
                    assert_eq!((&file["equal"], &file["size_bytes"]), (&true.into(), &(2 << 20).into()));
                    assert_eq!(file["written_crc32c"], file["read_crc32c"]);
                }
                let checksums: std::collections::BTreeSet<u64> =
                    compared.iter().map(|file| file["read_crc32c"].as_u64().unwrap()).collect();
                assert_eq!(checksums.len(), compared.len(), "every file is another one");
                if writes && *form != "file-system" {
                    let write = run(&record, form, "write", streams);
                    assert_eq!(write["streams"]["counted_bytes"], streams * (2 << 20), "{target} {form}");
                    assert_eq!(commits(write), streams, "{target} {form}");
                }
            }
        }
        let skipped = record["plan"]["skipped"].as_array().unwrap();
        assert_eq!(skipped.len(), usize::from(target == "sqlite"), "{skipped:?}");
        for words in
            ["File streams", "Rates", "Resource cost per MB", "a whole file is one transaction", "16 concurrent"]
        {
            assert!(out.contains(words), "no {words:?} in {out}");
        }
        let again = bench.succeed(&["report", "r.json"]);
        assert!(again.out.contains("Rates"), "{}", again.out);
        bench.succeed(&["report", "r.json", "--html", "r.html"]);
        let page = std::fs::read_to_string(bench.path().join("r.html")).unwrap();
        assert!(page.contains("File streams") && page.contains("Throughput of files"));
        let resumed = bench.run(&["run", "--resume", "r.json"]);
        assert!(resumed.code == 2 && resumed.err.contains("it is a record of dbdyno streams"), "{}", resumed.err);
    }
}

#[test]
fn a_commit_follows_every_so_many_requests() {
    for (target, forms) in ENGINES {
        let bench = Bench::new();
        let form = forms[0];
        let sizes =
            ["--file", "1MiB", "--request", "64KiB", "--streams", "1", "--commit-every", "5", "--preset", "smoke"];
        let (record, out) = measured(&bench, &[&["--target", target, "--form", form], &sizes[..]].concat());
        assert!(runs(&record, "S100@file-system-write").is_empty(), "it was not asked for");
        for way in ["write", "read"] {
            let run = run(&record, form, way, 1);
            // 16 requests: three times five, and one.
            assert_eq!(run["totals"]["transactions"], 4, "{target} {way}");
            assert_eq!(run["totals"]["steps"], 16 + 2 * 4);
        }
        assert_eq!(commits(run(&record, form, "write", 1)), 4, "{target}");
        assert!(out.contains("a commit follows every 5 requests"), "{out}");
    }
}

#[test]
fn what_the_time_cuts_off_is_read_as_far_as_it_was_written() {
    for (target, forms) in &ENGINES[1..] {
        let bench = Bench::new();
        // More commits than fit into the time limit.
        let sizes = ["--file", "256MiB", "--request", "4KiB", "--commit-every", "1", "--seconds", "0.3"];
        let common = ["--target", target, "--form", forms[0], "--streams", "1", "--preset", "smoke"];
        let (record, out) = measured(&bench, &[&common[..], &sizes[..]].concat());
        let write = run(&record, forms[0], "write", 1);
        let written = write["totals"]["bytes"].as_u64().unwrap();
        assert!(written < 256 << 20, "{target} wrote it all in 0.3 s");
        assert_eq!(write["streams"]["whole_files"], 0);
        let compared = &run(&record, forms[0], "read", 1)["streams"]["compared"][0];
        assert_eq!(compared["equal"], true, "{target}");
        if written > 0 {
            assert_eq!(compared["size_bytes"], written, "{target}");
        }
        assert!(out.contains("ended by time: 1 of 1 file"), "{out}");
    }
}

#[test]
fn files_on_the_file_system_need_no_engine_that_keeps_files() {
    let bench = Bench::on_disk();
    let sizes = ["--file", "1MiB", "--request", "128KiB", "--streams", "2", "--buffered"];
    let (record, _) = measured(&bench, &[&["--form", "file-system"], &sizes[..]].concat());
    assert_eq!(record["runs"].as_array().unwrap().len(), 2);
    assert_eq!(run(&record, "file-system", "read", 2)["streams"]["backend"], "file_system_cached");
    std::fs::remove_file(bench.path().join("r.json")).unwrap();
    // The file system of the build directory supports direct I/O; that of the temporary directory may not.
    let direct = bench.run(&[
        "streams",
        "--form",
        "file-system",
        "--file",
        "1MiB",
        "--streams",
        "1",
        "--direct",
        "--record",
        "d.json",
    ]);
    match direct.code {
        0 => assert_eq!(bench.record("d.json")["runs"][0]["streams"]["backend"], "file_system_direct"),
        code => assert!(code == 1 && direct.err.contains("does not support direct I/O"), "{}", direct.err),
    }
}

#[test]
fn invalid_options_are_refused_before_anything_is_created() {
    for (arguments, words) in [
        (&["--form", "clob"][..], "clob is not a form of files in SQLite"),
        (&["--request", "1000"], "request 1kB is not a multiple of 4 KiB"),
        (&["--request", "0"], "request 0B is not a multiple"),
        (&["--request", "lots"], "request lots is not a size"),
        (&["--file", "1MiB", "--request", "3MiB"], "file 1MiB is not a multiple of the request"),
        (&["--file", ""], "file \"\" is not a size"),
        (&["--streams", "0"], "streams 0 is not a degree of parallelism"),
        (&["--streams", "5000"], "streams 5000 are more than 4096"),
        (&["--commit-every", "0"], "commit-every 0 is less than 1"),
        (&["--seconds", "-1"], "seconds -1 is not a length of time"),
    ] {
        let bench = Bench::new();
        let output = bench.run(&[&["streams"], arguments].concat());
        assert_eq!(output.code, 2, "{arguments:?}\n{}\n{}", output.out, output.err);
        assert!(output.err.contains(words) && output.err.contains("hint: "), "no {words:?} in {}", output.err);
        assert!(bench.files().is_empty(), "{arguments:?} left {:?}", bench.files());
    }
}

#[test]
fn files_that_have_no_room_are_refused_before_the_first_is_written() {
    let bench = Bench::new();
    let output =
        bench.run(&["streams", "--file", "16TiB", "--streams", "4096", "--form", "file-system", "--record", "r.json"]);
    assert_eq!(output.code, 1, "{}\n{}", output.out, output.err);
    assert!(
        output.err.contains(" MB are required in ")
            && output.err.contains(" for the files of all streams, and ")
            && output.err.contains("hint: "),
        "{}",
        output.err
    );
    assert_eq!(bench.files(), [std::path::PathBuf::from("r.json")]);
}

#[test]
fn the_reason_is_printed_where_nothing_is_left_to_measure() {
    let bench = Bench::new();
    let output = bench.run(&["streams", "--file", "2GiB", "--form", "blob", "--streams", "1", "--record", "r.json"]);
    assert_eq!(output.code, 2, "{}\n{}", output.out, output.err);
    assert!(output.err.contains("exceeds the 999998976 bytes of this form"), "{}", output.err);
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn ctrl_c_in_mid_file_leaves_nothing_but_the_record() {
    for (target, forms) in ENGINES {
        let bench = Bench::new();
        let sizes =
            ["--file", "512MiB", "--request", "4KiB", "--streams", "1", "--commit-every", "1", "--record", "r.json"];
        let mut child = bench.start(&[&["streams", "--target", target, "--form", forms[0]], &sizes[..]].concat());
        let start = Instant::now();
        while !bench.path().join("r.json").exists() && start.elapsed() < Duration::from_secs(60) {
            assert!(child.try_wait().unwrap().is_none(), "{target} ended by itself");
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(300));
        signal(child.id(), "INT");
        let output = finished(child.wait_with_output().unwrap());
        assert_eq!(output.code, 130, "{target}\n{}\n{}", output.out, output.err);
        assert_eq!(bench.record("r.json")["status"], "interrupted");
        assert_eq!(bench.files(), [std::path::PathBuf::from("r.json")], "{target}");
    }
}
