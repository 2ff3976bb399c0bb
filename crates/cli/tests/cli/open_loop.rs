//! Response time counts from the intended start: a stalled server is visible.

use std::time::Duration;

use crate::bench::{Bench, runs};
use crate::local_server::wait_for_server;

/// All processes of the server below `postmaster`, itself included.
fn family(postmaster: u32) -> Vec<u32> {
    let output =
        std::process::Command::new("ps").args(["-o", "pid=", "--ppid", &postmaster.to_string()]).output().unwrap();
    let children = String::from_utf8(output.stdout).unwrap();
    children.split_whitespace().map(|pid| pid.parse().unwrap()).chain([postmaster]).collect()
}

fn signal_all(pids: &[u32], name: &str) {
    for pid in pids {
        let _ = std::process::Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status();
    }
}

#[test]
fn a_stall_of_two_seconds_is_in_the_response_time_and_not_in_the_service_time() {
    let bench = Bench::new();
    // 1000 per second are below half of the capacity, so that a backlog of 2 s is drained.
    let arguments = ["run", "--target", "local:postgres", "--preset", "smoke", "--jobs", "2", "--tests", "T611"];
    let more = ["--seconds", "10", "--warm-up", "0.2", "--rate", "1000", "--arrival", "fixed", "--record", "r.json"];
    let child = bench.start(&[&arguments[..], &more].concat());
    let postmaster = wait_for_server(&bench);
    // The window starts within the first seconds; the stall must be inside it.
    std::thread::sleep(Duration::from_secs(6));
    let pids = family(postmaster);
    signal_all(&pids, "STOP");
    std::thread::sleep(Duration::from_secs(2));
    signal_all(&pids, "CONT");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let record = bench.record("r.json");
    let run = runs(&record, "T611")[0];
    let seconds = |latency: &str, quantile: &str| run[latency][quantile].as_u64().unwrap() as f64 / 1e9;
    assert_eq!(run["totals"]["steps"], 10_000, "late steps are not skipped");
    assert_eq!(run["totals"]["unfinished"], 0);
    assert!((1.5..2.3).contains(&seconds("response", "p99_ns")), "response p99 {}", seconds("response", "p99_ns"));
    assert!(seconds("service", "p99_ns") < 0.1, "service p99 {}", seconds("service", "p99_ns"));
    assert!(seconds("service", "max_ns") > 1.5, "one step per job stood still: {}", seconds("service", "max_ns"));
}
