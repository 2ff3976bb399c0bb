//! The form of fio: every key that fio 3.33 prints for a job that reads and writes at random and syncs, with its type.

use dbdyno_report::{FioJson, fio_json};
use record::Record;
use serde_json::Value;

use crate::storage_sample;

/// Type and path of each key; `*` means every element of an array. Lines that start with `plus` are about `json+`.
const KEYS: &str = include_str!("fio_keys.txt");

fn parsed(record: &Record, form: FioJson) -> Value {
    serde_json::from_str(&fio_json(record, form)).unwrap()
}

/// The values at `path` below `value`: one for each element of arrays on the path.
fn at<'a>(value: &'a Value, path: &str) -> Vec<&'a Value> {
    path.split('/').skip(1).fold(vec![value], |found, key| {
        let step = |value: &'a Value| match key {
            "*" => value.as_array().unwrap().iter().collect::<Vec<_>>(),
            key => value.get(key).into_iter().collect(),
        };
        found.into_iter().flat_map(step).collect()
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::String(_) => "text",
        Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
        Value::Number(_) => "fraction",
        Value::Bool(_) | Value::Null => "neither",
    }
}

/// A record of the database run alone, reported as one job.
fn grouped() -> Record {
    let mut record = storage_sample::io();
    record.runs.retain(|run| run.number == 2);
    let storage = record.runs[0].storage.as_deref_mut().unwrap();
    storage.streams.retain(|stream| stream.job == "data");
    storage.streams.iter_mut().for_each(|stream| stream.clone = None);
    record
}

#[test]
fn every_key_of_fio_is_there_with_its_type() {
    for (form, plus) in [(FioJson::Plain, false), (FioJson::Plus, true)] {
        let value = parsed(&grouped(), form);
        for line in KEYS.lines() {
            let (line, only_plus) = line.strip_prefix("plus ").map_or((line, false), |line| (line, true));
            let (wanted, path) = line.split_once(' ').unwrap();
            let found = at(&value, path);
            if only_plus && !plus {
                assert!(found.is_empty(), "{path} belongs to json+");
                continue;
            }
            assert!(!found.is_empty(), "{path} is missing");
            assert!(found.iter().all(|value| kind(value) == wanted), "{path} is no {wanted}: {found:?}");
        }
    }
}

#[test]
fn the_figures_are_those_of_the_streams() {
    let value = parsed(&storage_sample::io(), FioJson::Plain);
    let job = &value["jobs"][0];
    assert_eq!((&job["jobname"], &job["error"]), (&"nvme".into(), &0.into()));
    let read = &job["read"];
    assert_eq!(read["total_ios"], 2_500_000);
    assert_eq!(read["io_bytes"], 10_240_000_000u64);
    assert_eq!(read["bw_bytes"], 1_024_000_000u64);
    assert_eq!(read["bw"], 1_000_000, "KiB per second");
    assert_eq!(read["iops"], 250_000.0);
    assert_eq!(read["runtime"], 10_000, "milliseconds");
    assert_eq!(read["clat_ns"]["N"], 2_500_001);
    let record = storage_sample::io();
    let stream = &record.runs[0].storage.as_ref().unwrap().streams[0];
    let percentile = |key: &str| read["clat_ns"]["percentile"][key].as_f64().unwrap();
    assert!((percentile("50.000000") / stream.service.p50_ns.0 as f64 - 1.0).abs() < 0.001);
    assert!((percentile("99.900000") / stream.service.p999_ns.unwrap().0 as f64 - 1.0).abs() < 0.001);
    assert_eq!(read["lat_ns"]["max"], stream.service.max_ns.0);
    assert_eq!(
        (&read["bw_min"], &read["iops_mean"], &read["iops_samples"]),
        (&1_000_000.into(), &250_000.0.into(), &10.into())
    );
    assert_eq!(read["bw_agg"], 100.0);
    // 250 000 I/Os per second of 2.5 µs on 16 threads.
    assert!((job["usr_cpu"].as_f64().unwrap() - 62.5 / 16.0).abs() < 0.01);
    assert_eq!(job["iodepth_level"]["16"], 100.0);
    let shares = ["latency_ns", "latency_us", "latency_ms"].map(|key| job[key].as_object().unwrap().values());
    let sum: f64 = shares.into_iter().flatten().filter_map(Value::as_f64).sum();
    assert!((sum - 100.0).abs() < 1e-6, "{sum}");
    assert_eq!(value["disk_util"][0]["name"], "dm-0");
    assert_eq!(value["timestamp"], 1_769_861_070);
    assert_eq!(value["time"], "Sat Jan 31 12:04:30 2026");
}

#[test]
fn a_script_that_tests_for_fio_finds_it_and_the_options_of_each_job() {
    let value = parsed(&storage_sample::io(), FioJson::Plain);
    assert!(value["fio version"].as_str().unwrap().starts_with("fio-3."));
    let jobs = value["jobs"].as_array().unwrap();
    let options = |index: usize, key: &str| jobs[index]["job options"][key].as_str().unwrap_or_default().to_owned();
    let first = ["rw", "bs", "iodepth", "numjobs", "direct", "ioengine", "filesize", "runtime", "ramp_time"];
    let values = first.map(|key| options(0, key));
    assert_eq!(values, ["randread", "4k", "16", "16", "1", "io_uring", "10g", "30", "5"]);
    // Two clones that are reported apart, a log, a device, a run that is invalid.
    let names: Vec<&str> = jobs.iter().map(|job| job["jobname"].as_str().unwrap()).collect();
    assert_eq!(names, ["nvme", "data", "data", "redo", "trim", "nvme"]);
    assert_eq!(
        (options(1, "rw"), options(1, "rwmixread"), options(1, "rate_iops")),
        ("randrw".into(), "70".into(), "1500".into())
    );
    assert_eq!(
        (options(3, "rw"), options(3, "fdatasync"), options(3, "ioengine")),
        ("write".into(), "1".into(), "psync".into())
    );
    assert_eq!((options(1, "bssplit"), options(1, "bsrange")), ("8k/90:32k/10".into(), ",4k-128k".into()));
    assert_eq!(options(4, "size"), "25%");
    assert!(jobs.iter().flat_map(|job| job["job options"].as_object().unwrap().values()).all(Value::is_string));
    assert_eq!(value["global options"]["direct"], "1");
    assert_eq!(value["global options"].get("rw"), None, "jobs differ in it");
}

#[test]
fn a_commit_stands_with_the_writes_and_a_sync_apart() {
    let value = parsed(&storage_sample::io(), FioJson::Plain);
    let (data, redo) = (&value["jobs"][1], &value["jobs"][3]);
    assert_eq!((&redo["write"]["total_ios"], &redo["write"]["dbdyno"]["commit"]), (&80_000.into(), &true.into()));
    assert_eq!(redo["sync"]["lat_ns"]["N"], 0);
    assert_eq!((&data["sync"]["total_ios"], &data["write"]["dbdyno"]["commit"]), (&140.into(), &false.into()));
    assert_eq!((&data["write"]["short_ios"], &data["write"]["dbdyno"]["failures"]), (&1.into(), &3.into()));
    let shares: f64 = [1, 2].map(|clone| value["jobs"][clone]["read"]["bw_agg"].as_f64().unwrap()).iter().sum();
    assert!((shares - 100.0).abs() < 1e-9, "two clones of one group");
    assert!(data["read"]["dbdyno"]["response_ns"]["mean"].as_f64() > data["read"]["clat_ns"]["mean"].as_f64());
}

#[test]
fn an_invalid_run_has_no_figures_and_an_error() {
    let value = parsed(&storage_sample::io(), FioJson::Plus);
    let invalid = value["jobs"].as_array().unwrap().last().unwrap();
    assert_ne!(invalid["error"], 0);
    assert_eq!(
        (&invalid["read"]["iops"], &invalid["read"]["total_ios"], &invalid["read"]["bw"]),
        (&0.0.into(), &0.into(), &0.into())
    );
    assert_eq!(invalid["read"]["clat_ns"].get("percentile"), None);
    assert_eq!(invalid["dbdyno"]["verdict"], "fail");
    assert!(invalid["dbdyno"]["findings"][0]["detail"].as_str().unwrap().contains("tmpfs"));
}

#[test]
fn bins_hold_every_value() {
    let value = parsed(&storage_sample::io(), FioJson::Plus);
    let read = &value["jobs"][0]["read"]["clat_ns"];
    let bins = read["bins"].as_object().unwrap();
    let sum: u64 = bins.values().filter_map(Value::as_u64).sum();
    assert_eq!(read["N"], sum);
    assert!(bins.keys().all(|key| key.parse::<u64>().is_ok()));
}

#[test]
fn a_record_without_plan_without_device_and_without_histograms_is_written_too() {
    let mut record = storage_sample::io();
    record.plan.io = None;
    record.host.devices.clear();
    for stream in record.runs.iter_mut().flat_map(|run| &mut run.storage.as_deref_mut().unwrap().streams) {
        stream.service.histogram.clear();
    }
    let value = parsed(&record, FioJson::Plain);
    assert_eq!(value["disk_util"], Value::Array(Vec::new()));
    assert_eq!(value["jobs"][0]["job options"]["rw"], "randread");
    assert_eq!(value["jobs"][1]["job options"]["rw"], "randrw");
    let percentiles = value["jobs"][0]["read"]["clat_ns"]["percentile"].as_object().unwrap();
    let known: Vec<&str> = percentiles.keys().map(String::as_str).collect();
    assert_eq!(known, ["50.000000", "90.000000", "99.000000", "99.900000"], "those that are stored");
    record.runs.clear();
    assert_eq!(parsed(&record, FioJson::Plain)["jobs"], Value::Array(Vec::new()));
}
