//! `dbdyno run --trace`: a traced repeat of a run, or the reason why there is none.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;

use serde_json::Value;

use crate::bench::{Bench, finished, growth, runs};

const INSERT: [&str; 9] = ["run", "--preset", "smoke", "--tests", "T311", "--jobs", "1", "--record", "r.json"];

/// An ordinary user without any capability.
const NOBODY: u32 = 65_534;

/// Whether the program may trace, in the initial pid namespace.
fn may_trace() -> bool {
    let is_initial = |(kind, number): (&str, u32)| {
        let namespace = std::fs::read_link(format!("/proc/self/ns/{kind}")).unwrap();
        namespace.as_os_str() == format!("{kind}:[{number}]").as_str()
    };
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let set = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap();
    let has_both = u64::from_str_radix(set.trim(), 16).unwrap() >> 38 & 0b11 == 0b11;
    has_both && [("pid", 4_026_531_836), ("user", 4_026_531_837)].into_iter().all(is_initial)
}

/// The plain run of a record of [`INSERT`], and the traced one, if any.
fn both(record: &Value) -> (&Value, Option<&Value>) {
    let runs = runs(record, "T311");
    let traced = |run: &&&Value| run["variation"]["kind"] == "traced";
    assert!(runs.len() <= 2 && !traced(&&runs[0]), "{runs:#?}");
    (runs[0], runs.iter().find(traced).copied())
}

fn count(run: &Value, point: &str, name: &str) -> Option<u64> {
    let latencies = run["trace"]["latencies"].as_array()?;
    let found = latencies.iter().find(|latency| latency["point"] == point && latency["name"] == name)?;
    found["latency"]["count"].as_u64()
}

/// Checks that a run, or its traced repeat, lists missing layers with reason and hint.
fn is_refused(plain: &Value, traced: Option<&Value>) {
    let run = traced.unwrap_or(plain);
    let missing = run["trace"]["missing"].as_array().unwrap();
    let points: Vec<&str> = missing.iter().map(|missing| missing["point"].as_str().unwrap()).collect();
    assert!(points.contains(&"system_call"), "{points:?}");
    let is_untraced = run["trace"]["tracer"] == "counters" || run["trace"]["tracer"] == "engine";
    assert_eq!(points.contains(&"device"), is_untraced, "{points:?}");
    assert!(missing.iter().all(|layer| layer["reason"] != "" && layer["hint"] != ""), "{missing:?}");
}

#[test]
fn a_traced_repeat_counts_the_syncs_that_the_engine_counts_and_the_plain_run_stays_untraced() {
    let bench = Bench::on_disk();
    let asked = ["--target", "local:postgres", "--trace", "one", "--seconds", "1"];
    let output = bench.succeed(&[&INSERT[..], &asked].concat());
    let record = bench.record("r.json");
    let (plain, traced) = both(&record);
    let Some(traced) = traced.filter(|_| may_trace()) else { return is_refused(plain, traced) };
    assert!(plain["trace"].is_null() && traced["trace"]["tracer"] == "bpf", "{}", traced["trace"]);
    assert!(output.err.contains("traced: OLTP"), "{}", output.err);
    let (counted, syncs) = (growth(traced, "redo_sync_count").unwrap(), count(traced, "system_call", "fdatasync"));
    let allowed = (counted / 20).max(3);
    assert!(syncs.is_some_and(|syncs| syncs.abs_diff(counted) <= allowed), "{syncs:?} traced, {counted} by the engine");
    let device = count(traced, "device", "WRITE");
    assert!(device.is_some_and(|writes| writes >= counted), "each sync writes: {device:?}, {counted}");
    // The kernel's counters are read shortly before and after.
    let (flushes, own) = (count(traced, "block", "FLUSH").unwrap_or(0), growth(traced, "device_flush_count"));
    let own = own.expect("a disk");
    assert!(
        flushes <= own && own - flushes <= own / 20 + 20,
        "{flushes} flushes traced, {own} by the kernel's counter"
    );
    assert_eq!(traced["trace"]["lost_count"], 0);
}

#[test]
fn an_embedded_engine_is_traced_too() {
    let bench = Bench::on_disk();
    bench.succeed(&[&INSERT[..], &["--trace", "one", "--steps", "23", "--seconds", "60"]].concat());
    let record = bench.record("r.json");
    let (plain, traced) = both(&record);
    let Some(traced) = traced.filter(|_| may_trace()) else { return is_refused(plain, traced) };
    assert_eq!(growth(traced, "commit_count"), Some(23));
    let syncs = ["fsync", "fdatasync"].iter().filter_map(|name| count(traced, "system_call", name)).sum::<u64>();
    assert_eq!(Some(syncs), growth(traced, "redo_sync_count").or(Some(23)), "{:#}", traced["trace"]);
}

#[test]
fn each_tracer_can_be_selected_and_is_shown() {
    let is_root = rustix::process::geteuid().is_root();
    let bench = Bench::on_disk();
    bench.succeed(&[&INSERT[..], &["--tracer", "tracefs", "--steps", "23", "--seconds", "60"]].concat());
    let record = bench.record("r.json");
    let (plain, traced) = both(&record);
    let Some(traced) = traced.filter(|_| may_trace() && is_root) else {
        return is_refused(plain, traced);
    };
    assert_eq!(traced["trace"]["tracer"], "tracefs");
    is_refused(plain, Some(traced));
    let device = count(traced, "device", "WRITE").unwrap_or(0);
    assert!(device >= 23, "each commit writes: {device}");
    let table = bench.succeed(&["report", "r.json", "--layers", "T311"]).out;
    let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("tracer tracefs: every event of the block layer"), "{table}");
    let csv = bench.succeed(&["report", "r.json", "--layers", "T311", "--format", "csv"]).out;
    assert!(csv.lines().skip(1).all(|line| line.contains(",tracefs,")), "{csv}");
    let bench = Bench::on_disk();
    let output = bench.succeed(&[&INSERT[..], &["--tracer", "counters"]].concat());
    let record = bench.record("r.json");
    let (plain, traced) = both(&record);
    assert!(traced.is_none() && plain["trace"]["tracer"] != "bpf", "{}", plain["trace"]);
    assert!(
        output.err.contains("tracing is not possible: only the kernel's counters were requested"),
        "{}",
        output.err
    );
}

#[test]
fn without_privileges_the_same_command_works_and_reports_missing_layers() {
    let bench = Bench::on_disk();
    let mut command = bench.command(&[&INSERT[..], &["--trace", "all"]].concat());
    if rustix::process::geteuid().is_root() {
        chown(bench.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY).env("HOME", bench.path());
    }
    let output = finished(command.output().unwrap());
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    let record = bench.record("r.json");
    let (plain, traced) = both(&record);
    assert!(traced.is_none(), "no unnecessary run");
    assert!(output.err.contains("tracing is not possible: it requires the capabilities CAP_BPF"), "{}", output.err);
    is_refused(plain, None);
    for layer in plain["trace"]["missing"].as_array().unwrap() {
        assert!(layer["reason"].as_str().unwrap().contains("CAP_BPF and CAP_PERFMON"), "{layer}");
        assert!(layer["hint"].as_str().unwrap().contains("setcap cap_bpf,cap_perfmon+ep"), "{layer}");
    }
}

#[test]
fn the_smoke_preset_does_not_trace_by_default() {
    let bench = Bench::on_disk();
    bench.succeed(&INSERT);
    let record = bench.record("r.json");
    let (plain, traced) = both(&record);
    assert!(traced.is_none() && plain["trace"].is_null(), "{}", plain["trace"]);
    let plan = |trace: &str| {
        let arguments = ["run", "--tests", "T311,T611", "--jobs", "1,2", "--trace", trace, "--dry-run"];
        bench.succeed(&arguments).out
    };
    assert!(!plan("none").contains("traced"));
    if may_trace() {
        let (one, all) = (plan("one"), plan("all"));
        assert!(one.contains("at 1, 2 jobs; traced at 1 job\n"), "{one}");
        assert!(all.contains("at 1, 2 jobs; traced at 1, 2 jobs\n"), "{all}");
        assert_eq!(all.matches("traced").count(), 1, "T611 only reads what lies in the cache: {all}");
    }
    let refused = bench.run(&["run", "--trace", "some"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("'some'"), "{}", refused.err);
}
