//! 23 I/Os are 23 in all counts, and percentiles equal those of the raw log.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::bench::{Bench, growth};
use crate::cmd_io::streams;

/// The lines of a log, without its header.
fn logged(bench: &Bench, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(bench.path().join(name)).unwrap();
    let mut lines = text.lines().map(str::to_owned);
    assert_eq!(lines.next().unwrap(), "run,job,kind,due_ns,start_ns,end_ns,offset_bytes,size_bytes,lane,failed");
    lines.collect()
}

/// The value of `column` in the one line of a table.
fn cell(table: &str, column: &str) -> String {
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
    row[head.iter().position(|name| *name == column).unwrap()].to_owned()
}

#[test]
fn twenty_three_are_twenty_three() {
    for (rw, side) in [("randread", "read"), ("randwrite", "write")] {
        let bench = Bench::on_disk();
        let job = ["io", "--rw", rw, "--bs", "8k", "--depth", "1", "--size", "16M", "--warm-up", "0"];
        let limits = ["--override", "number_ios=23", "--quiet", "--log", "l.csv", "--record", "r.json"];
        let output = bench.succeed(&[&job[..], &limits[..], &["--format", "fio-json"]].concat());
        let json: Value = serde_json::from_str(&output.out).unwrap();
        assert_eq!(json["jobs"][0][side]["total_ios"], 23);
        assert_eq!(json["jobs"][0][side]["io_bytes"], 23 * 8_192);
        assert_eq!(json["jobs"][0][side]["clat_ns"]["N"], 23);
        assert_eq!(logged(&bench, "l.csv").len(), 23);
        let record = bench.record("r.json");
        let [stream] = streams(&record, 1)[..] else { panic!("one stream") };
        assert_eq!((stream["operations"].as_u64(), stream["service"]["count"].as_u64()), (Some(23), Some(23)));
        // One at a time nothing is merged; others may work on the device, too.
        let run = &record["runs"][0];
        let count = growth(run, &format!("device_{side}_count"));
        assert!(count.is_none_or(|count| count >= 23), "{count:?}");
        assert_eq!(growth(run, &format!("client_{side}_bytes")), Some(23 * 8_192), "by the kernel's account of us");
        let output = bench.succeed(&["report", "r.json"]);
        assert!(output.out.contains(rw), "{}", output.out);
    }
}

/// fio 3.33 does as many on its null engine.
#[test]
fn without_io_amounts_end_a_job_as_with_it() {
    for (settings, operations) in [
        ("size=64k", 16),
        ("size=64k\nloops=3\nruntime=20", 48),
        ("size=64k\nio_size=32k\nruntime=20", 8),
        ("size=64k\nio_size=50%", 8),
        ("size=1m\nnumber_ios=10\nruntime=20", 10),
        ("size=64k\nnrfiles=4", 16),
        ("size=64k\nnumjobs=2", 32),
        ("size=64k\noffset=32k", 16),
    ] {
        let bench = Bench::on_disk();
        let text = format!("[a]\nioengine=null\nrw=read\ngroup_reporting\n{settings}\n");
        std::fs::write(bench.path().join("job.fio"), text).unwrap();
        let output = bench.run(&["io", "job.fio", "--quiet", "--record", "r.json", "--format", "fio-json"]);
        let json: Value = serde_json::from_str(&output.out).unwrap_or_else(|_| panic!("{settings}: {}", output.err));
        assert_eq!(json["jobs"][0]["read"]["total_ios"], operations, "{settings}");
    }
}

#[test]
fn the_table_for_programs_says_the_same() {
    let bench = Bench::on_disk();
    let job = ["io", "--rw", "randread", "--depth", "4", "--size", "16M", "--quiet", "--record", "r.json"];
    let output = bench.succeed(&[&job[..], &["--override", "number_ios=23", "--format", "csv"]].concat());
    assert_eq!(
        (cell(&output.out, "operations"), cell(&output.out, "bytes")),
        ("23".to_owned(), (23 * 8_192).to_string())
    );
    assert_eq!(output.out.lines().count(), 2);
}

#[test]
fn commits_and_syncs_are_as_many_as_were_asked_for() {
    let bench = Bench::on_disk();
    let job = ["io", "--rw", "write", "--depth", "1", "--size", "1M", "--warm-up", "0", "--quiet"];
    bench.succeed(&[&job[..], &["--commit", "--override", "number_ios=23", "--record", "commit.json"]].concat());
    let record = bench.record("commit.json");
    let [stream] = streams(&record, 1)[..] else { panic!("a commit is one operation with one latency") };
    assert_eq!((stream["kind"].as_str(), stream["operations"].as_u64()), (Some("commit"), Some(23)));
    let fsync = ["--fsync", "5", "--override", "number_ios=23", "--log", "l.csv", "--record", "sync.json"];
    bench.succeed(&[&job[..], &fsync[..]].concat());
    let record = bench.record("sync.json");
    let counts: Vec<_> =
        streams(&record, 1).iter().map(|stream| (stream["kind"].clone(), stream["operations"].clone())).collect();
    assert_eq!(counts, [(Value::from("write"), Value::from(23)), (Value::from("sync"), Value::from(4))]);
    assert_eq!(logged(&bench, "l.csv").len(), 27);
}

/// Runs the script that shares nothing with dbdyno.
fn recomputed(bench: &Bench, log: &str, record: &str) -> (i32, String) {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../benches/percentiles.py");
    let output = Command::new("python3").arg(script).args([log, record]).current_dir(bench.path()).output();
    let output = output.expect("python3 is installed: see test.sh");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap(), text)
}

#[test]
fn percentiles_of_the_log_are_those_of_the_record() {
    let bench = Bench::on_disk();
    let jobs = "[global]\nioengine=io_uring\ndirect=1\nsize=32m\nruntime=1\ntime_based\nramp_time=100ms\n\
                [data]\nrw=randrw\nrwmixread=70\nbssplit=8k/90:32k/10\niodepth=8\nnumjobs=2\ngroup_reporting\n\
                [log]\nrw=write\nbs=4k\niodepth=1\nfdatasync=4\nrate_iops=200\nrate_process=poisson\n\
                [scan]\nstonewall\nrw=read\nbs=128k\niodepth=2\nioengine=psync\n";
    std::fs::write(bench.path().join("jobs.fio"), jobs).unwrap();
    bench.run(&["io", "jobs.fio", "--quiet", "--log", "l.csv", "--record", "r.json"]);
    assert_eq!(bench.record("r.json")["status"], "finished");
    let (code, output) = recomputed(&bench, "l.csv", "r.json");
    assert_eq!(code, 0, "{output}");
    assert!(output.contains("run 1:") && output.contains("run 2:") && output.contains("all within"), "{output}");
    // The script finds a log that is not that of the record.
    let text = std::fs::read_to_string(bench.path().join("l.csv")).unwrap();
    let (kept, _) = text.trim_end().rsplit_once('\n').unwrap();
    std::fs::write(bench.path().join("short.csv"), kept).unwrap();
    let (code, output) = recomputed(&bench, "short.csv", "r.json");
    assert_eq!(code, 1, "{output}");
    assert!(output.contains("in the record"), "{output}");
    let (code, output) = recomputed(&bench, "r.json", "r.json");
    assert_eq!(code, 2, "{output}");
}

#[test]
fn a_log_that_is_there_is_not_overwritten() {
    let bench = Bench::on_disk();
    std::fs::write(bench.path().join("l.csv"), "precious").unwrap();
    let output = bench.run(&["io", "--rw", "randread", "--size", "1M", "--log", "l.csv", "--record", "r.json"]);
    assert_ne!(output.code, 0);
    assert!(output.err.contains("l.csv") && output.err.contains("hint: "), "{}", output.err);
    assert_eq!(std::fs::read_to_string(bench.path().join("l.csv")).unwrap(), "precious");
    assert_eq!(bench.files(), [PathBuf::from("l.csv")]);
}
