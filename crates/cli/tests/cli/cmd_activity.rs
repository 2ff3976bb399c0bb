//! `dbdyno report --activity`, and the session samples of a record.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::{Bench, finished, growth, runs};

/// Sessions in a class, over all samples.
fn sessions_in(run: &Value, class: &str) -> u64 {
    let waits = run["activity"]["waits"].as_array().unwrap();
    waits.iter().filter(|wait| wait["class"] == class).map(|wait| wait["session_count"].as_u64().unwrap()).sum()
}

#[test]
fn twenty_three_are_twenty_three_while_sessions_are_sampled() {
    // Autovacuum commits its own transactions in the same database.
    for target in ["local:postgres?autovacuum=off", "local:mariadb"] {
        let bench = Bench::new();
        // Two jobs with think time, so that there is time for samples.
        let arguments = ["run", "--target", target, "--preset", "smoke", "--jobs", "2", "--steps", "23"];
        let pauses = ["--seconds", "60", "--think-time", "40ms", "--tests", "T716,T611", "--record", "r.json"];
        bench.succeed(&[&arguments[..], &pauses].concat());
        let record = bench.record("r.json");
        for test in ["T716", "T611"] {
            let run = runs(&record, test)[0];
            assert_eq!(run["totals"]["transactions"], 2 * 23, "{target} {test}");
            let engine = growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap();
            assert_eq!(engine, 2 * 23, "{target} {test}: what the engine counted, less what dbdyno did to read it");
            let samples = run["activity"]["sample_count"].as_u64().unwrap();
            assert!(samples > 0, "{target} {test}: no samples");
        }
    }
}

/// All jobs update the same row.
const ONE_ROW: &str = r#"
code = "T902"
layer = "database"
unit = "transaction"
operations = 1
summary = "one row for all jobs"
answers = "a test"
not = "anything"
cost = "a second"
limits = "none"
sweep = "jobs"
tables = ["large"]
transaction = true

[[statement]]
name = "update"
sql = "update large set touched = touched + 1 where id = :id"
bind = { id = { uniform = [1, 1] } }
expect = { changed = 1 }
"#;

#[test]
fn sessions_waiting_for_a_row_lock_are_sampled() {
    for (target, event) in [("local:postgres", "Lock:"), ("local:mariadb", "row lock")] {
        let bench = Bench::on_disk();
        std::fs::write(bench.path().join("one.toml"), ONE_ROW).unwrap();
        let arguments = ["run", "--target", target, "--preset", "smoke", "--jobs", "8", "--seconds", "3"];
        bench.succeed(&[&arguments[..], &["--tests", "./one.toml", "--record", "r.json"]].concat());
        let record = bench.record("r.json");
        let run = runs(&record, "T902")[0];
        // One of eight has the row; some of the others may wait for a processor on a busy machine.
        let samples = run["activity"]["sample_count"].as_u64().unwrap();
        assert!(samples > 0 && 2 * sessions_in(run, "application") > samples, "{target}: {}", run["activity"]);
        let shown = bench.succeed(&["report", "r.json", "--activity", "T902"]).out;
        for part in [
            "Sampled active sessions",
            "Load profile",
            "Top timed events",
            event,
            "Wait classes",
            "I/O by kind",
            "Histogram",
        ] {
            assert!(shown.contains(part), "{target}: no {part}\n{shown}");
        }
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{target}\n{shown}");
        let number = run["number"].to_string();
        assert_eq!(bench.succeed(&["report", "r.json", "--activity", &number]).out, shown, "{target}");
    }
}

#[test]
fn sessions_are_not_sampled_without_engine_or_on_request() {
    let bench = Bench::new();
    let run = |more: &[&str]| {
        let arguments = ["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611", "--record", "r.json"];
        bench.succeed(&[&arguments[..], more].concat());
        let record = bench.record("r.json");
        std::fs::remove_file(bench.path().join("r.json")).unwrap();
        runs(&record, "T611")[0]["activity"].is_object()
    };
    assert!(run(&["--target", "local:postgres"]));
    assert!(!run(&["--target", "local:postgres", "--no-activity"]));
    assert!(!run(&["--target", "sqlite"]), "an engine in this process has no list of sessions");
}

#[test]
fn calls_of_an_embedded_engine_are_sampled() {
    let bench = Bench::on_disk();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T716", "--record", "r.json"]);
    let shown = bench.succeed(&["report", "r.json", "--activity"]).out;
    for part in ["timed by dbdyno", "log sync", "CPU or not instrumented", "has no list of its sessions"] {
        assert!(shown.contains(part), "no {part}\n{shown}");
    }
}

#[test]
fn both_sides_of_a_pair_are_sampled_or_neither() {
    let bench = Bench::new();
    for (more, expected) in [(&[][..], true), (&["--no-activity"][..], false)] {
        let arguments = ["pair", "--a", "local:postgres", "--b", "local:postgres", "--preset", "smoke", "--pairs", "1"];
        let tests = ["--tests", "T616", "--jobs", "1", "--record", "p.json"];
        bench.succeed(&[&arguments[..], &tests, more].concat());
        for side in ["p-a.json", "p-b.json"] {
            let record = bench.record(side);
            assert_eq!(runs(&record, "T616")[0]["activity"].is_object(), expected, "{side} {more:?}");
            std::fs::remove_file(bench.path().join(side)).unwrap();
        }
    }
}

#[test]
fn missing_activity_is_refused_with_a_hint() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611,C11", "--record", "r.json"]);
    let refused = |words: &[&str]| {
        let output = bench.run(&[&["report", "r.json"], words].concat());
        assert_eq!(output.code, 2, "{words:?}: {}", output.err);
        output.err
    };
    assert!(refused(&["--activity", "99"]).contains("there is no run 99 in this record of 2 runs"));
    assert!(refused(&["--activity", "C11"]).contains("no run of C11 uses an engine"));
    assert!(refused(&["--activity", "T999"]).contains("there is no run of test T999"));
    assert!(refused(&["--activity", "--format", "json"]).contains("--format text or csv"));
    let table = bench.succeed(&["report", "r.json", "--activity", "--format", "csv"]).out;
    assert!(table.starts_with("record,run,test,") && table.contains(",load_profile,Commits,total,"), "{table}");
    let of_system = bench.run(&["report", "hp-dl980", "--activity"]);
    assert_eq!(of_system.code, 2, "{}", of_system.err);
}

/// The directory of the socket of the server below `directory`.
fn socket_directory(directory: &Path) -> Option<PathBuf> {
    std::fs::read_dir(directory).ok()?.flatten().find_map(|entry| match entry.path() {
        path if path.is_dir() => socket_directory(&path),
        path => {
            let name = path.file_name()?.to_string_lossy();
            let is_socket = name.starts_with(".s.PGSQL.") && !name.ends_with(".lock");
            is_socket.then(|| path.parent().map(Path::to_owned))?
        }
    })
}

#[test]
fn a_lost_sampling_session_does_not_end_the_run() {
    let bench = Bench::new();
    let arguments = ["run", "--target", "local:postgres?autovacuum=off", "--preset", "smoke", "--jobs", "1"];
    let child = bench.start(&[&arguments[..], &["--tests", "T616", "--seconds", "4", "--record", "r.json"]].concat());
    // The session whose last statement is the sampling query, once that of the job has been at work for longer than its warm-up:
    // the query is prepared before.
    let end = "select pg_terminate_backend(pid) from pg_stat_activity \
               where query like '%wait_event_type%' and pid <> pg_backend_pid() and exists \
               (select from pg_stat_activity where query like '%where id =%' and query not like '%wait_event_type%' \
                and backend_start < now() - interval '1 second')";
    let start = Instant::now();
    let ended = loop {
        assert!(start.elapsed() < Duration::from_secs(60), "no sample within a minute");
        let asked = socket_directory(bench.path()).and_then(|socket| {
            let arguments = ["-U", "dbdyno", "-d", "postgres", "-At", "-c", end, "-h"];
            Command::new("psql").args(arguments).arg(socket).output().ok()
        });
        if asked.is_some_and(|output| output.stdout.starts_with(b"t")) {
            break start.elapsed();
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 0, "after {ended:?}: {}\n{}", output.out, output.err);
    let record = bench.record("r.json");
    let run = runs(&record, "T616")[0];
    assert_eq!(run["outcome"]["status"], "done");
    // Earlier samples are kept; there would have been 40.
    let samples = run["activity"]["sample_count"].as_u64();
    assert!(samples.is_none_or(|samples| samples < 30), "{samples:?}");
    let engine = growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap();
    let ours = run["totals"]["transactions"].as_u64().unwrap();
    // The session that terminated it committed as well.
    assert!(engine.abs_diff(ours) < 200, "{engine} and {ours}");
}
