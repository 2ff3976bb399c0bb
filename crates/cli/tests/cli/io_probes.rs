//! Storage probes in `dbdyno run`: I/O jobs on their own file, and their ceilings.

use crate::bench::{Bench, is_invalid, runs};

const SMOKE: [&str; 6] = ["run", "--preset", "smoke", "--record", "r.json", "--jobs"];

#[test]
fn each_is_a_run_of_the_generator_with_its_job_in_the_plan_and_leaves_nothing() {
    let bench = Bench::on_disk();
    let output = bench.succeed(&[&SMOKE[..], &["1,2", "--tests", "S11,S12,S21,S22,S23,S31"]].concat());
    let record = bench.record("r.json");
    let skipped = record["plan"]["skipped"].as_array().unwrap();
    for code in ["S11", "S12", "S21", "S22", "S23", "S31"] {
        if let Some(entry) = skipped.iter().find(|entry| entry["test"] == code) {
            say(&format!("{code} was not run here: {}", entry["reason"]));
            continue;
        }
        let jobs: Vec<u64> = runs(&record, code).iter().map(|run| run["dop"]["jobs"].as_u64().unwrap()).collect();
        assert_eq!(jobs, [1, 2], "{code}\n{}", output.out);
        for run in runs(&record, code) {
            assert_eq!(run["outcome"]["status"], "done", "{code} {}", run["outcome"]);
            let stream = &run["storage"]["streams"][0];
            assert_eq!(stream["operations"], run["totals"]["operations"], "{code}");
            assert_eq!((&stream["job"], &stream["direct"]), (&code.into(), &true.into()));
            assert_eq!(stream["depth"], run["parameters"]["depth"], "{code}");
            assert_eq!(stream["kind"] == "commit", code == "S31");
            let mode = run["storage"]["modes"][0].as_str().unwrap();
            assert_eq!(mode.starts_with("io_uring"), code != "S31", "{code} by {mode}");
            assert_eq!(run["storage"]["files"][0]["size_bytes"], 16 << 20);
            assert_eq!(run["storage"]["files"][0]["unwritten_bytes"], 0, "written before it is read");
        }
    }
    let planned = record["plan"]["runs"].as_array().unwrap().len();
    assert_eq!(record["plan"]["io"]["phases"].as_array().map_or(0, Vec::len), planned);
    assert_eq!(bench.files(), [std::path::PathBuf::from("r.json")], "only the record");
}

#[test]
fn a_test_of_storage_is_held_against_its_probe() {
    let bench = Bench::on_disk();
    let output = bench.succeed(&[&SMOKE[..], &["1", "--tests", "S31,T311"]].concat());
    let record = bench.record("r.json");
    let run = runs(&record, "T311")[0];
    assert_eq!(run["ceiling"]["probe"], "S31");
    if runs(&record, "S31").is_empty() {
        say("S31 was not run here");
        return;
    }
    if !is_invalid(run) && !is_invalid(runs(&record, "S31")[0]) {
        assert!(output.out.contains("ceiling S31 at 1 in flight: "), "{}", output.out);
    }
}

#[test]
fn commits_that_wait_for_nothing_have_no_ceiling() {
    let bench = Bench::on_disk();
    let target = ["--target", "sqlite?synchronous=off"];
    bench.succeed(&[&SMOKE[..], &["1", "--tests", "S31,T311"], &target[..]].concat());
    assert!(runs(&bench.record("r.json"), "T311")[0]["ceiling"].is_null());
}

#[test]
fn where_there_is_no_device_they_are_left_out_and_the_plan_says_why() {
    let memory = std::path::Path::new("/dev/shm");
    let Ok(directory) = tempfile::tempdir_in(memory) else {
        say(&format!("there is no {} here", memory.display()));
        return;
    };
    let bench = Bench::new();
    let place = directory.path().to_str().unwrap();
    let output = bench.succeed(&["run", "--dry-run", "--jobs", "1", "--tests", "S21,S31", "--dir", place]);
    assert!(output.out.contains("S21") && output.out.contains("there is no local device to"), "{}", output.out);
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
}

#[expect(clippy::print_stderr, reason = "a test that tests nothing has to say so")]
fn say(what: &str) {
    eprintln!("not tested: {what}");
}
