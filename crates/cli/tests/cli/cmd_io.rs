//! `dbdyno io`: rows, plans and formats of job files and options.

use std::path::PathBuf;

use serde_json::Value;

use crate::bench::Bench;

/// The streams of the run numbered `number`.
pub fn streams(record: &Value, number: u64) -> Vec<&Value> {
    let run = record["runs"].as_array().unwrap().iter().find(|run| run["number"] == number).unwrap();
    run["storage"]["streams"].as_array().unwrap().iter().collect()
}

fn published() -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fio/tests/corpus/published");
    ["nvme-rand-read", "nvme-rand-write", "nvme-seq-read", "nvme-seq-write"]
        .map(|name| folder.join(format!("{name}.fio")).display().to_string())
        .to_vec()
}

#[test]
fn the_published_jobs_give_their_rows() {
    let bench = Bench::on_disk();
    let files = published();
    let mut arguments = vec!["io"];
    arguments.extend(files.iter().map(String::as_str));
    arguments.extend(["--override", "runtime=1,ramp_time=0,filesize=64M", "--record", "r.json"]);
    let output = bench.succeed(&arguments);
    for word in ["randread", "randwrite", "4 KiB", "256 KiB", "io_uring"] {
        assert!(output.out.contains(word), "no {word:?} in\n{}", output.out);
    }
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished");
    let rows: Vec<_> = (1..=4)
        .map(|number| {
            let [stream] = streams(&record, number)[..] else { panic!("one row per job: group_reporting") };
            assert!(stream["operations"].as_u64().unwrap() > 0);
            assert_eq!((stream["failures"].as_u64(), stream["direct"].as_bool()), (Some(0), Some(true)));
            let number = |key: &str| stream[key].as_u64().unwrap();
            let kind = stream["kind"].as_str().unwrap().to_owned();
            (kind, stream["random"] == true, number("block_bytes_min"), number("clones"), number("depth"))
        })
        .collect();
    let row = |kind: &str, random, block, clones, depth| (kind.to_owned(), random, block, clones, depth);
    assert_eq!(
        rows,
        [
            row("read", true, 4_096, 16, 16),
            row("write", true, 4_096, 16, 16),
            row("read", false, 262_144, 10, 32),
            row("write", false, 262_144, 10, 32),
        ]
    );
    assert_eq!(bench.files(), [PathBuf::from("r.json")], "the files of the jobs are removed");
}

#[test]
fn a_dry_run_prints_the_plan_and_writes_nothing() {
    let bench = Bench::on_disk();
    let file = published().remove(1);
    let output = bench.succeed(&["io", &file, "--dry-run"]);
    for word in ["randwrite of 4 KiB", "numjobs 16", "iodepth 16", "10 GiB", "ioengine=libaio", ":9)"] {
        assert!(output.out.contains(word), "no {word:?} in\n{}", output.out);
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn the_same_job_from_a_file_and_from_options() {
    let bench = Bench::on_disk();
    let text = "[io]\nrw=randread\nbs=16k\niodepth=4\nnumjobs=2\nioengine=io_uring\ndirect=1\nsize=16m\n\
                runtime=300ms\ntime_based\nramp_time=50ms\ngroup_reporting\n";
    std::fs::write(bench.path().join("job.fio"), text).unwrap();
    bench.succeed(&["io", "job.fio", "--quiet", "--record", "file.json"]);
    let options = ["--rw", "randread", "--bs", "16k", "--depth", "4", "--jobs", "2", "--size", "16m"];
    let times = ["--seconds", "0.3", "--warm-up", "0.05", "--quiet", "--record", "options.json"];
    bench.succeed(&[&["io"], &options[..], &times[..]].concat());
    let [mut file, mut options] = ["file.json", "options.json"].map(|name| bench.record(name)["plan"]["io"].clone());
    for plan in [&mut file, &mut options] {
        let job = &mut plan["phases"][0]["jobs"][0];
        // File names differ.
        job["files"] = Value::Null;
        plan["lints"] = Value::Null;
    }
    assert_eq!(file["phases"], options["phases"]);
}

#[test]
fn a_profile_has_a_stream_for_each_kind_of_io() {
    let bench = Bench::on_disk();
    let limits = ["--override", "size=32m,runtime=1,ramp_time=0", "--quiet", "--record", "r.json"];
    let output = bench.run(&[&["io", "--profile", "postgresql"], &limits[..]].concat());
    assert!(output.code <= 1, "{}", output.err);
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished", "{}", output.err);
    let mut kinds: Vec<&str> = streams(&record, 1).iter().map(|stream| stream["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert!(kinds.contains(&"read") && kinds.contains(&"commit") && kinds.contains(&"write"), "{kinds:?}");
    assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
}

#[test]
fn written_content_is_verified() {
    let bench = Bench::on_disk();
    let job = ["--rw", "randwrite", "--bs", "8k", "--size", "16M", "--override", "time_based=0"];
    bench.succeed(&[&["io"], &job[..], &["--verify", "--quiet", "--record", "r.json"]].concat());
    let record = bench.record("r.json");
    let stream = streams(&record, 1)[0];
    assert_eq!((stream["operations"].as_u64(), stream["corrupt"].as_u64()), (Some(2_048), Some(0)));
    assert_eq!(stream["verified"], 4_096, "every unit of 4 KiB of the region");
}

#[test]
fn a_search_finds_a_rate_that_meets_a_service_level() {
    let bench = Bench::on_disk();
    let job = ["--rw", "randread", "--size", "32M", "--depth", "8", "--seconds", "0.1", "--warm-up", "0.05"];
    let output = bench.run(&[&["io"], &job[..], &["--until", "p50=20ms", "--record", "r.json"]].concat());
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished", "{}", output.err);
    let runs = record["runs"].as_array().unwrap();
    // A bracket of at most 64, and at most 66 around the limit.
    assert!((3..=131).contains(&runs.len()), "{}", runs.len());
    let last = runs.last().unwrap()["findings"].as_array().unwrap();
    let answers = last.iter().filter(|finding| finding["evidence"]["bound"]["search"]["level"] == "p50=20ms");
    assert_eq!(answers.count(), 1, "the record has the answer: {last:?}");
    let words = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("response time, ") && words.contains(" at a target rate"), "{}", output.out);
    assert_eq!(runs[0]["pace"], "unthrottled");
    assert!(runs[1..].iter().all(|run| run["storage"]["bound"] == "p50=20ms"), "{}", output.out);
    assert!(output.out.contains("p50=20ms"), "{}", output.out);
}
