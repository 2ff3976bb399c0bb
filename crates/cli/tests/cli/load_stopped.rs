//! `dbdyno load` that is stopped and resumed: too many rejected lines, kill -9, Ctrl-C, a full disk.

use std::fs;
use std::io::Write;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::aborted::signal;
use crate::bench::{Bench, finished};
use crate::cmd_load::{count, found, is_right, lines, malformed, only_run, piped, start_piped, sum};
use crate::local_server::servers;

#[test]
fn too_many_rejected_lines_stop_a_load_that_can_be_resumed() {
    let bench = Bench::new();
    let (file, _) = malformed();
    fs::write(bench.path().join("bad.tbl"), file).unwrap();
    let load = |record: &str, more: &[&str]| {
        let arguments = ["load", "bad.tbl", "--jobs", "1", "--batch", "4KiB", "--record", record];
        bench.run(&[&arguments[..], more].concat())
    };
    let output = load("a.json", &["--max-errors", "2"]);
    assert_eq!(output.code, 1, "{}\n{}", output.out, output.err);
    for words in ["3 lines were rejected", "--max-errors 2", "bad.tbl:101: 5 fields instead of 9", "--resume"] {
        assert!(output.err.contains(words), "no {words:?} in {}", output.err);
    }
    assert_eq!(rejected(&bench, "a.rejects"), [3, 3], "that of the batch that was not loaded, too");
    let record = bench.record("a.json");
    let broken = only_run(&record, "L100");
    assert_eq!((record["status"].as_str(), broken["outcome"]["status"].as_str()), (Some("failed"), Some("failed")));
    assert!(count(broken, "rows") > 100, "what was loaded before is reported");
    assert_eq!(found(broken, "rows"), count(broken, "rows").to_string(), "and nothing else is in the table");
    let output = load("b.json", &["--max-errors", "5", "--resume", "--rejects", "a.rejects"]);
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    assert_eq!(rejected(&bench, "a.rejects"), [5, 5], "none twice");
    let record = bench.record("b.json");
    let run = only_run(&record, "L100");
    is_right(run, &output);
    assert_eq!(count(run, "resumed_rows"), count(broken, "rows"));
    assert_eq!((count(run, "resumed_rows") + count(run, "rows"), found(run, "rows")), (400, "400"));
    assert_eq!(found(run, "sum of purchase_amt"), sum(1..401));
    bench.succeed(&["clean", "--yes"]);
}

/// Lines of the reject file, and of the file of reasons.
fn rejected(bench: &Bench, name: &str) -> [usize; 2] {
    [name.to_owned(), format!("{name}.log")].map(|name| {
        let bytes = fs::read(bench.path().join(name)).unwrap();
        bytes.iter().filter(|byte| **byte == b'\n').count()
    })
}

/// A server that outlives its loads: that of another load, which waits for its pipe.
pub struct Elsewhere {
    pub bench: Bench,
    pub holder: Child,
}

impl Elsewhere {
    pub fn start() -> Elsewhere {
        let bench = Bench::new();
        let holder = start_piped(&bench, &["--target", "local:postgres", "--jobs", "1", "--record", "held.json"]);
        wait_until("a server", || bench.path().join("held.json").exists());
        Elsewhere { bench, holder }
    }

    pub fn target(&self) -> String {
        let socket = self.bench.path().join("dbdyno-data/data/postgres/socket");
        format!("postgres://dbdyno@/template1?host={}", socket.display())
    }

    pub fn stop(self) {
        signal(self.holder.id(), "INT");
        assert_eq!(finished(self.holder.wait_with_output().unwrap()).code, 130);
        assert!(servers(&self.bench).is_empty());
    }
}

fn wait_until(what: &str, is_there: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_there() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {what} after 60 s");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn wait_for_rejects(bench: &Bench, name: &str, least: usize) {
    let path = bench.path().join(name);
    wait_until(&format!("{least} lines of {name}"), || {
        fs::read_to_string(&path).unwrap_or_default().lines().count() >= least
    });
}

/// Two thousand lines, with a malformed one before each hundred: with batches of 8 KiB the first batches have one each,
/// and the third of these is recorded when two batches are committed.
fn with_marks() -> Vec<u8> {
    let hundred = |hundred: u64| [b"no line\n", &lines(1 + hundred * 100..101 + hundred * 100)[..]].concat();
    (0..20).flat_map(hundred).collect()
}

/// Options of a load of [`with_marks`], and further ones.
fn marked<'a>(target: &'a str, batch: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let options = ["--target", target, "--jobs", "1", "--max-errors", "20", "--batch", batch];
    options.iter().chain(more).copied().collect()
}

/// Starts a load of [`with_marks`], stops it in the middle by the signal `name`, and resumes it.
pub fn stopped_and_resumed(target: &str, name: &str) {
    let bench = Bench::new();
    let file = with_marks();
    let mut child = start_piped(&bench, &marked(target, "8KiB", &["--record", "a.json"]));
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&file[..file.len() / 2]).unwrap();
    wait_for_rejects(&bench, "a.rejects.log", 3);
    signal(child.id(), name);
    child.wait().unwrap();
    drop(pipe);
    let gone_on = |batch: &str, record: &str| loop {
        let more = ["--resume", "--rejects", "a.rejects", "--record", record];
        let output = piped(&bench, &file, &marked(target, batch, &more));
        // The killed process may hold its schema for a moment longer.
        if !output.err.contains("in use by another") {
            return output;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let other = gone_on("4KiB", "x.json");
    assert!(other.code == 2 && other.err.contains("batches of 8192 bytes"), "{target} {}: {}", other.code, other.err);
    let output = gone_on("8KiB", "b.json");
    assert_eq!(output.code, 0, "{target}\n{}\n{}", output.out, output.err);
    let record = bench.record("b.json");
    let run = only_run(&record, "L100");
    is_right(run, &output);
    let (before, now) = (count(run, "resumed_rows"), count(run, "rows"));
    assert!(before >= 150 && now >= 900, "{target}: {before} and {now}");
    assert_eq!((before + now, found(run, "rows")), (2_000, "2000"), "{target}");
    assert_eq!(found(run, "sum of purchase_amt"), sum(1..2_001), "{target}");
    assert_eq!(rejected(&bench, "a.rejects"), [20, 20], "{target}: each once");
    assert!(servers(&bench).is_empty());
}

#[test]
fn a_killed_load_is_resumed_without_duplicate_rows() {
    stopped_and_resumed("sqlite", "KILL");
    let elsewhere = Elsewhere::start();
    stopped_and_resumed(&elsewhere.target(), "KILL");
    elsewhere.stop();
}

#[test]
fn an_aborted_load_is_resumed_in_the_same_server() {
    for target in ["local:postgres", "local:mariadb"] {
        stopped_and_resumed(target, "INT");
    }
}

#[test]
fn ctrl_c_ends_a_load_that_waits_for_its_pipe() {
    let bench = Bench::new();
    let mut child = start_piped(&bench, &["--jobs", "1", "--batch", "4KiB", "--max-errors", "9", "--record", "a.json"]);
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&[b"no line\n", &lines(1..300)[..]].concat()).unwrap();
    wait_for_rejects(&bench, "a.rejects.log", 1);
    signal(child.id(), "INT");
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{}\n{}", output.out, output.err);
    assert!(output.err.contains("--resume"), "{}", output.err);
    assert_eq!(bench.record("a.json")["status"], "interrupted");
    drop(pipe);
    bench.succeed(&["clean", "--yes"]);
}

#[test]
fn a_full_disk_stops_a_load_which_is_resumed_with_free_space() {
    // A small file system, if the tests may mount one.
    let bench = Bench::new();
    let small = bench.path().join("small");
    fs::create_dir(&small).unwrap();
    let mount = |options: &str| {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&small);
        command.output().is_ok_and(|output| output.status.success())
    };
    if !mount("size=2m") {
        // Only root can mount; as root this test must not be skipped.
        assert!(!rustix::process::getuid().is_root(), "a small file system could not be mounted");
        return;
    }
    fs::write(bench.path().join("cards.tbl"), lines(1..40_001)).unwrap();
    let refused = bench.run(&["load", "cards.tbl", "--jobs", "1", "--dir", "small", "--record", "a.json"]);
    // The size of a pipe is not known in advance.
    let load = ["--jobs", "1", "--dir", "small", "--batch", "64KiB"];
    let full = piped(&bench, &lines(1..40_001), &[&load[..], &["--record", "a.json"]].concat());
    let grown = mount("remount,size=64m");
    let resumed = piped(&bench, &lines(1..40_001), &[&load[..], &["--record", "b.json", "--resume"]].concat());
    bench.run(&["clean", "--yes", "--dir", "small"]);
    let unmounted = Command::new("umount").arg(&small).status();
    assert!(grown && unmounted.is_ok_and(|status| status.success()));
    assert_eq!(refused.code, 1, "{}\n{}", refused.out, refused.err);
    assert!(
        refused.err.contains("are required in") && refused.err.contains("hint: load fewer files"),
        "{}",
        refused.err
    );
    assert_eq!(full.code, 1, "{}\n{}", full.out, full.err);
    assert!(full.err.contains("full") && full.err.contains("hint: "), "{}", full.err);
    let record = bench.record("a.json");
    let broken = only_run(&record, "L100");
    assert!((1..40_000).contains(&count(broken, "rows")), "some of it is loaded");
    assert_eq!(found(broken, "rows"), count(broken, "rows").to_string(), "whole batches");
    assert_eq!(resumed.code, 0, "{}\n{}", resumed.out, resumed.err);
    let record = bench.record("b.json");
    let run = only_run(&record, "L100");
    is_right(run, &resumed);
    assert_eq!(count(run, "resumed_rows"), count(broken, "rows"));
    assert_eq!((found(run, "rows"), found(run, "sum of purchase_amt")), ("40000", &*sum(1..40_001)));
}
