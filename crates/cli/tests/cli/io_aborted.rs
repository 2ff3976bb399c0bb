//! Ctrl-C and kill: the record stays, everything else is removed, at once or at the next start.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use crate::bench::{Bench, finished};

fn signal(child: &Child, name: &str) {
    let status = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success(), "kill {name}");
}

/// The total size below `path`.
fn bytes_below(path: &Path) -> u64 {
    let Ok(entries) = path.read_dir() else { return path.metadata().map_or(0, |metadata| metadata.len()) };
    entries.flatten().map(|entry| bytes_below(&entry.path())).sum()
}

/// Waits until the measured directory has at least `bytes`.
fn wait_for_data(bench: &Bench, bytes: u64) {
    let start = Instant::now();
    while bytes_below(&bench.path().join("dbdyno-data")) < bytes {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing is laid out after 30 s");
        std::thread::sleep(Duration::from_millis(5));
    }
}

const LONG: [&str; 8] = ["io", "--rw", "randwrite", "--seconds", "600", "--quiet", "--record", "r.json"];

fn interrupted(bench: &Bench, child: Child) {
    signal(&child, "-INT");
    let start = Instant::now();
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{}\n{}", output.out, output.err);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(bench.files(), [PathBuf::from("r.json")], "nothing but the record");
    assert_eq!(bench.record("r.json")["status"], "interrupted");
}

#[test]
fn ctrl_c_while_it_measures() {
    let bench = Bench::on_disk();
    let child = bench.start(&[&LONG[..], &["--size", "16M"]].concat());
    wait_for_data(&bench, 16 << 20);
    std::thread::sleep(Duration::from_secs(2));
    interrupted(&bench, child);
}

#[test]
fn ctrl_c_while_it_writes_the_file() {
    let bench = Bench::on_disk();
    let child = bench.start(&[&LONG[..], &["--size", "1G"]].concat());
    // The space is allocated at once; writing it takes longer than the signal.
    wait_for_data(&bench, 1);
    interrupted(&bench, child);
}

#[test]
fn ctrl_c_at_a_rate_with_nothing_to_do() {
    let bench = Bench::on_disk();
    let child = bench.start(&[&LONG[..], &["--size", "16M", "--rate", "0.01"]].concat());
    wait_for_data(&bench, 16 << 20);
    std::thread::sleep(Duration::from_secs(1));
    interrupted(&bench, child);
}

#[test]
fn after_kill_9_the_next_start_removes_what_is_left() {
    let bench = Bench::on_disk();
    let mut child = bench.start(&[&LONG[..], &["--size", "16M"]].concat());
    wait_for_data(&bench, 16 << 20);
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "-KILL");
    child.wait().unwrap();
    assert!(bench.path().join("dbdyno-data").exists(), "it was left behind");
    let again = ["io", "--rw", "randread", "--size", "8M", "--seconds", "0.3", "--warm-up", "0.1"];
    bench.succeed(&[&again[..], &["--record", "again.json"]].concat());
    assert_eq!(bench.files(), [PathBuf::from("again.json"), PathBuf::from("r.json")]);
    assert_eq!(bench.record("r.json")["status"], "running", "what was killed has nothing to say");
}

#[test]
fn two_at_once_in_one_directory_is_refused() {
    let bench = Bench::on_disk();
    let child = bench.start(&[&LONG[..], &["--size", "16M"]].concat());
    wait_for_data(&bench, 16 << 20);
    let output = bench.run(&["io", "--rw", "randread", "--size", "1M", "--record", "second.json"]);
    assert_eq!(output.code, 1, "{}", output.err);
    assert!(output.err.contains("hint: "), "{}", output.err);
    assert!(!bench.path().join("second.json").exists());
    interrupted(&bench, child);
}
