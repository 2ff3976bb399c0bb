//! Limits of tests in cases with a known limit, and `dbdyno run --prove`, which restricts the limiting resource.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::aborted::signal;
use crate::bench::{Bench, Finished, finished, runs};
use crate::local_server::servers;

/// A user test: all sessions update one row.
const ONE_ROW: &str = r#"
code = "T901"
layer = "database"
unit = "transaction"
operations = 1
summary = "all jobs update one row"
answers = "what a lock costs that everybody wants"
not = "anything else"
cost = "one row is changed over and over"
limits = "none"
sweep = "jobs"
tables = ["small"]
transaction = true

[[statement]]
name = "update"
sql = "update small set touched = touched + 1 where id = :id"
bind = { id = { constant = 1 } }
expect = { changed = 1 }
"#;

fn processors() -> usize {
    std::thread::available_parallelism().unwrap().get()
}

/// The paragraph of the sheet about the limit of `test`, as one line.
fn limit_of(output: &Finished, test: &str) -> String {
    let section = output.out.lines().skip_while(|line| !line.starts_with("Limits and ceilings ")).skip(1);
    let section = section.take_while(|line| !line.is_empty());
    let of_test = section.skip_while(|line| !line.starts_with(test));
    let mut words: Vec<&str> = Vec::new();
    for (index, line) in of_test.enumerate() {
        if index > 0 && !line.starts_with(' ') {
            break;
        }
        assert!(line.chars().count() <= 80, "{line}");
        words.extend(line.split_whitespace());
    }
    assert!(!words.is_empty(), "nothing is output of {test}:\n{}", output.out);
    words.join(" ")
}

/// Whether other programs used the processors meanwhile: then nothing is proved about them, and that is said.
fn is_disturbed(output: &Finished) -> bool {
    output.err.contains("cannot be reduced: other programs used the CPU")
}

/// Control groups created by process `pid`.
fn groups_of(pid: u32) -> Vec<PathBuf> {
    let trees = ["cpu", "cpu,cpuacct", "blkio", "."].map(|tree| Path::new("/sys/fs/cgroup").join(tree));
    let mut found = Vec::new();
    for tree in trees {
        let entries = fs::read_dir(tree).into_iter().flatten().flatten().map(|entry| entry.path());
        let prefix = format!("dbdyno-{pid}-");
        found.extend(
            entries.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))),
        );
    }
    found
}

/// The shares of the resource in the perturbed runs of `test`.
fn shares(record: &Value, test: &str, resource: &str) -> Vec<f64> {
    let variations = runs(record, test).into_iter().map(|run| &run["variation"]);
    let perturbed = variations.filter(|variation| variation["kind"] == "perturbed");
    perturbed
        .map(|variation| {
            assert_eq!(variation["resource"], resource);
            variation["share"].as_f64().unwrap()
        })
        .collect()
}

#[test]
fn work_on_every_processor_is_limited_by_them_and_that_is_proved() {
    let bench = Bench::new().alone();
    let jobs = processors().to_string();
    let arguments = ["run", "--target", "local:postgres", "--preset", "smoke", "--seconds", "2", "--tests", "T132"];
    let child = bench.start(&[&arguments[..], &["--jobs", &jobs, "--prove", "--record", "r.json"]].concat());
    let pid = child.id();
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    let limit = limit_of(&output, "T132");
    assert!(limit.starts_with(&format!("T132 J{jobs} ")) && limit.contains("CPU, "), "{limit}");
    let record = bench.record("r.json");
    let shares = shares(&record, "T132", "processors");
    if shares.len() == 6 {
        for pair in shares.chunks(2) {
            assert!(pair[0] == 1.0 && pair[1] < 1.0, "a control stands before each run with less: {shares:?}");
        }
        let (_, effect) = limit.split_once("(elasticity ").expect(&limit);
        let (elasticity, interval) = effect.split_once(')').unwrap().0.split_once(", ").unwrap();
        let (low, high) = interval.split_once(" to ").unwrap();
        let number = |text: &str| text.parse::<f64>().unwrap();
        assert!(number(low) <= number(elasticity) && number(elasticity) <= number(high), "{limit}");
        // The limit and the proof agree.
        let is_proved = limit.starts_with(&format!("T132 J{jobs} CPU, "));
        assert_eq!(is_proved, limit.contains(" used (measured); limited by CPU: with "), "{limit}");
    } else {
        let is_said = output.err.contains("not proved: ") || is_disturbed(&output);
        assert!(output.err.contains("T132 ") && is_said, "{}", output.err);
    }
    let again = limit_of(&bench.succeed(&["report", "r.json"]), "T132");
    assert_eq!(again, limit, "the record alone says the same");
    assert_eq!(groups_of(pid), Vec::<PathBuf>::new());
    assert!(servers(&bench).is_empty());
    let plan = record["plan"]["runs"].as_array().unwrap();
    assert_eq!(record["runs"].as_array().unwrap().len(), plan.len());
}

#[test]
fn jobs_that_want_one_row_are_limited_by_its_lock_and_that_cannot_be_taken_away() {
    let bench = Bench::new().alone();
    fs::write(bench.path().join("row.toml"), ONE_ROW).unwrap();
    let arguments = ["run", "--target", "local:postgres", "--preset", "smoke", "--seconds", "9", "--tests", "row.toml"];
    let output = bench.succeed(&[&arguments[..], &["--jobs", "8", "--prove", "--record", "r.json"]].concat());
    let limit = limit_of(&output, "T901");
    assert!(limit.starts_with("T901 J8 row and table lock waits, "), "{limit}");
    assert!(!limit.contains("limited by"), "{limit}");
    assert!(output.err.contains("T901 J8: limit: row and table lock waits"), "{}", output.err);
    assert!(output.err.contains("cannot be reduced: a wait is not a resource that can be reduced"), "{}", output.err);
    assert_eq!(runs(&bench.record("r.json"), "T901").len(), 1);
}

/// A group of this test in which the device of `directory` is limited to so many writes a second; removed when dropped.
struct SlowDevice(PathBuf);

impl SlowDevice {
    fn of(directory: &Path, writes_per_second: u32) -> Result<SlowDevice, String> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let mount_point = |line: &str| line.split(' ').nth(4).map(PathBuf::from);
        let is_of = |line: &&str, kind: &str| line.split(" - ").nth(1).is_some_and(|after| after.starts_with(kind));
        let first = mounts.lines().find(|line| is_of(line, "cgroup ") && line.ends_with(",blkio"));
        let Some(tree) = first.and_then(mount_point) else {
            return Err("there are no control groups of version 1 for block devices".to_owned());
        };
        let found = Command::new("findmnt").args(["-nvo", "SOURCE", "-T"]).arg(directory).output();
        let source = String::from_utf8(found.map_err(|error| error.to_string())?.stdout).unwrap();
        let whole = Command::new("lsblk").args(["-ndo", "PKNAME", source.trim()]).output();
        let parent = String::from_utf8(whole.map_err(|error| error.to_string())?.stdout).unwrap();
        let name = match parent.trim() {
            "" => source.trim().trim_start_matches("/dev/").to_owned(),
            parent => parent.to_owned(),
        };
        let device = fs::read_to_string(format!("/sys/class/block/{name}/dev"));
        let device = device.map_err(|_| format!("{} is on no block device ({name})", directory.display()))?;
        let group = tree.join(format!("slow-device-of-test-{}", std::process::id()));
        fs::create_dir(&group).map_err(|error| format!("{}: {error}", group.display()))?;
        let slow = SlowDevice(group);
        let line = format!("{} {writes_per_second}", device.trim());
        fs::write(slow.0.join("blkio.throttle.write_iops_device"), line).map_err(|error| error.to_string())?;
        Ok(slow)
    }

    /// Runs the program inside.
    fn run(&self, bench: &Bench, arguments: &[&str]) -> Finished {
        let program = bench.command(arguments);
        let mut command = Command::new("sh");
        let script = "echo $$ > \"$0/cgroup.procs\" && exec \"$@\"";
        command.args(["-c", script]).arg(&self.0).arg(program.get_program()).args(program.get_args());
        command.current_dir(bench.path()).env("NO_COLOR", "1");
        finished(command.output().unwrap())
    }
}

impl Drop for SlowDevice {
    fn drop(&mut self) {
        // The kernel needs a moment after the end of the last process.
        let start = Instant::now();
        while self.0.exists() && fs::remove_dir(&self.0).is_err() && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// So slow that writes of other programs are negligible.
const WRITES_PER_SECOND: u32 = 240;

/// Commits on a slow device against the probe of commits. Foreign load may disturb one of the two, so that five
/// attempts are allowed.
#[test]
fn commits_on_a_slow_device_are_limited_by_it() {
    let bench = Bench::on_disk().alone();
    let slow = match SlowDevice::of(bench.path(), WRITES_PER_SECOND) {
        Ok(slow) => slow,
        Err(reason) => {
            // With permission to create groups, this must succeed.
            let has_files = Path::new("/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device").exists();
            assert!(!(has_files && is_root()), "{reason}");
            writeln!(std::io::stderr(), "not tried: {reason}").unwrap();
            return;
        }
    };
    // Only the session writes for the server.
    let target = "local:postgres?autovacuum=off&wal_writer_delay=10s&bgwriter_lru_maxpages=0";
    let mut found = Vec::new();
    for attempt in 1..=5 {
        let record = format!("r{attempt}.json");
        let arguments = ["run", "--target", target, "--preset", "smoke", "--seconds", "2", "--tests", "S31,T311"];
        let output = slow.run(&bench, &[&arguments[..], &["--jobs", "1", "--prove", "--record", &record]].concat());
        assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
        let limit = limit_of(&output, "T311");
        if limit.starts_with("T311 J1 log syncs, ") {
            let shares = shares(&bench.record(&record), "T311", "device_io");
            assert_eq!(shares, [1.0, 0.8].repeat(3), "{}", output.err);
            assert!(limit.contains("limited by log syncs: with 80 % of it, "), "{limit}");
            return;
        }
        found.push(limit);
    }
    panic!("{found:?}");
}

fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| status.contains("\nUid:\t0\t0\t"))
}

#[test]
fn ctrl_c_gives_back_what_was_taken_away() {
    let bench = Bench::new().alone();
    let jobs = processors().to_string();
    let arguments = ["run", "--target", "local:postgres", "--preset", "smoke", "--seconds", "1", "--tests", "T132"];
    let mut child = bench.start(&[&arguments[..], &["--jobs", &jobs, "--prove", "--record", "r.json"]].concat());
    let pid = child.id();
    let start = Instant::now();
    // The restricted run is the third: by then there is a group, or there will be none.
    let is_last =
        || bench.path().join("r.json").exists() && bench.record("r.json")["runs"].as_array().unwrap().len() >= 2;
    while groups_of(pid).is_empty() && !is_last() && start.elapsed() < Duration::from_secs(60) {
        if child.try_wait().unwrap().is_some() {
            let output = finished(child.wait_with_output().unwrap());
            assert!(is_disturbed(&output), "{}\n{}", output.out, output.err);
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(pid, "INT");
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{}\n{}", output.out, output.err);
    assert_eq!(groups_of(pid), Vec::<PathBuf>::new());
    assert!(servers(&bench).is_empty());
    // The proof is still pending.
    let resumed = bench.succeed(&["run", "--resume", "r.json", "--prove"]);
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished");
    let proved = shares(&record, "T132", "processors").iter().any(|share| *share < 1.0);
    assert!(proved || resumed.err.contains("not proved: "), "{}", resumed.err);
}

#[test]
fn without_a_group_the_missing_permission_is_reported_or_one_processor_fewer_is_used() {
    if !is_root() {
        return;
    }
    let bench = Bench::new().alone();
    // Other users cannot read the build directory.
    let program = bench.path().join("program");
    fs::copy(env!("CARGO_BIN_EXE_dbdyno"), &program).unwrap();
    let owned = Command::new("chown").args(["-R", "nobody"]).arg(bench.path()).status().unwrap();
    assert!(owned.success());
    let jobs = processors().to_string();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(&program);
    command.args(["run", "--preset", "smoke", "--seconds", "2", "--tests", "T131", "--jobs", &jobs, "--prove"]);
    command.args(["--record", "r.json"]).current_dir(bench.path()).env("NO_COLOR", "1").env("HOME", bench.path());
    let output = finished(command.output().unwrap());
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    let shares = shares(&bench.record("r.json"), "T131", "processors");
    match processors() {
        1 => assert!(output.err.contains("there is only one processor"), "{}", output.err),
        _ if is_disturbed(&output) => assert!(shares.is_empty(), "{shares:?}"),
        all => assert_eq!(shares, [1.0, (all - 1) as f64 / all as f64].repeat(3), "{}", output.err),
    }
}

#[test]
fn the_rate_that_was_asked_for_is_a_limit_too() {
    let bench = Bench::new().alone();
    let arguments = ["run", "--preset", "smoke", "--seconds", "2", "--tests", "T611", "--jobs", "2", "--rate", "200"];
    let output = bench.succeed(&[&arguments[..], &["--prove", "--record", "r.json"]].concat());
    let limit = limit_of(&output, "T611");
    assert!(limit.starts_with("T611 J2 the target rate "), "{limit}");
    let record = bench.record("r.json");
    assert_eq!(shares(&record, "T611", "arrival_rate"), [1.0, 0.8].repeat(3));
    let rates: Vec<f64> =
        runs(&record, "T611").iter().map(|run| run["pace"]["poisson"]["steps_per_second"].as_f64().unwrap()).collect();
    assert_eq!(rates, [200.0, 200.0, 160.0, 200.0, 160.0, 200.0, 160.0]);
    assert!(limit.contains("limited by the target rate: with 80 % of it, "), "{limit}");
    let planned = bench.succeed(&["run", "--tests", "T611", "--jobs", "2", "--prove", "--dry-run"]);
    assert!(planned.out.ends_with("with 100 % and with 80 % of its limiting resource\n"), "{}", planned.out);
    let refused = bench.run(&["run", "--tests", "T611", "--until", "p99=5ms", "--prove"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
}
