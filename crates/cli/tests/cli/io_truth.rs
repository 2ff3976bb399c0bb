//! Runs that do not measure the device are invalid.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::{Bench, Finished, finished};
use crate::cmd_io::streams;

const SIZE: u64 = 32 << 20;

/// The verdict of `check` on the first run.
fn verdict<'a>(record: &'a Value, check: &str) -> &'a str {
    let findings = record["runs"][0]["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["evidence"].get(check).is_some());
    found.map_or("none", |finding| finding["verdict"].as_str().unwrap())
}

/// Reads the file `name` at random, which is invalid by the checks `checks`.
fn is_invalid(bench: &Bench, path: &Path, more: &[&str], checks: &[&str]) -> Finished {
    let shown = path.display().to_string();
    let job = ["io", "--rw", "randread", "--depth", "4", "--seconds", "0.5", "--warm-up", "0.1"];
    let output = bench.run(&[&job[..], &["--device", &shown, "--record", "r.json"], more].concat());
    assert_eq!(output.code, 1, "{}\n{}", output.out, output.err);
    assert!(output.err.contains("no valid measurement"), "{}", output.err);
    assert!(output.out.contains("invalid"), "{}", output.out);
    let record = bench.record("r.json");
    for check in checks {
        assert_eq!(verdict(&record, check), "fail", "{check}: {}", output.out);
    }
    // An invalid run has its figures in the record and none in the table.
    let operations = streams(&record, 1)[0]["operations"].as_u64().unwrap();
    assert!(operations > 0);
    let row = output.out.lines().find(|line| line.contains("randread") && line.contains("invalid"));
    assert!(row.is_some_and(|row| !row.contains("MiB/s")), "{row:?}");
    assert!(path.exists(), "a foreign file stays");
    output
}

/// A file of random bytes.
fn written(path: &Path) {
    let mut random = File::open("/dev/urandom").unwrap().take(SIZE);
    let mut file = File::create(path).unwrap();
    std::io::copy(&mut random, &mut file).unwrap();
    file.flush().unwrap();
    file.sync_all().unwrap();
}

#[test]
fn a_sparse_file() {
    let bench = Bench::on_disk();
    let path = bench.path().join("sparse");
    File::create(&path).unwrap().set_len(SIZE).unwrap();
    let output = is_invalid(&bench, &path, &[], &["unwritten", "device_io"]);
    assert!(output.out.contains("holes"), "{}", output.out);
}

#[test]
fn a_file_whose_space_was_reserved_and_never_written() {
    let bench = Bench::on_disk();
    let path = bench.path().join("reserved");
    let file = OpenOptions::new().write(true).create_new(true).open(&path).unwrap();
    rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, SIZE).unwrap();
    let output = is_invalid(&bench, &path, &[], &["unwritten", "device_io"]);
    assert!(output.out.contains("never written"), "{}", output.out);
}

#[test]
fn a_file_in_the_page_cache() {
    let bench = Bench::on_disk();
    let path = bench.path().join("cached");
    written(&path);
    std::io::copy(&mut File::open(&path).unwrap(), &mut std::io::sink()).unwrap();
    is_invalid(&bench, &path, &["--buffered"], &["page_cache", "device_io"]);
}

#[test]
fn a_file_in_memory() {
    let bench = Bench::on_disk();
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = memory.path().join("memory");
    written(&path);
    let output = is_invalid(&bench, &path, &["--buffered"], &["device_io"]);
    assert!(output.out.contains("tmpfs"), "{}", output.out);
}

/// A loop device on the file at `path`, detached when it is dropped; none where the host has none.
struct Looped(String);

impl Looped {
    fn on(path: &Path, more: &[&str]) -> Option<Looped> {
        let output = std::process::Command::new("losetup").args(["-f", "--show"]).args(more).arg(path).output().ok()?;
        output.status.success().then(|| Looped(String::from_utf8_lossy(&output.stdout).trim().to_owned()))
    }
}

impl Drop for Looped {
    fn drop(&mut self) {
        let _ = std::process::Command::new("losetup").args(["-d", &self.0]).output();
    }
}

#[test]
fn a_loop_device_is_its_file_through_the_page_cache() {
    let bench = Bench::on_disk();
    let path = bench.path().join("image");
    written(&path);
    let Some(device) = Looped::on(&path, &[]) else { return };
    std::io::copy(&mut File::open(&path).unwrap(), &mut std::io::sink()).unwrap();
    let output = is_invalid(&bench, Path::new(&device.0), &[], &["page_cache", "device_io"]);
    let one_line = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let says = format!("reads and writes the file {}", path.canonicalize().unwrap().display());
    assert!(one_line.contains(&says) && one_line.contains("through the page cache"), "{}", output.out);
    let devices = bench.record("r.json")["host"]["devices"].as_array().unwrap().len();
    assert!(devices > 1, "the device of the file is below it");
}

#[test]
fn a_loop_device_on_a_file_in_memory_is_memory() {
    let bench = Bench::on_disk();
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = memory.path().join("image");
    written(&path);
    let Some(device) = Looped::on(&path, &[]) else { return };
    let output = is_invalid(&bench, Path::new(&device.0), &[], &["device_io"]);
    let one_line = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(one_line.contains("keeps its blocks there"), "{}", output.out);
}

#[test]
fn a_file_that_was_written_is_measured() {
    let bench = Bench::on_disk();
    let path = bench.path().join("written");
    written(&path);
    let job = ["io", "--rw", "randread", "--depth", "4", "--seconds", "0.5", "--warm-up", "0.1"];
    bench.succeed(&[&job[..], &["--device", "written", "--record", "r.json"]].concat());
    let record = bench.record("r.json");
    let file = &record["runs"][0]["storage"]["files"][0];
    assert!(file["found"] == true && file["path"].as_str().unwrap().ends_with("/written"), "{file}");
    assert_eq!((verdict(&record, "unwritten"), verdict(&record, "device_io")), ("pass", "pass"));
    assert_eq!(bench.files(), [PathBuf::from("r.json"), PathBuf::from("written")]);
}

/// The first block of the file at `path`, once it is there whole.
fn first_block(path: &Path) -> Vec<u8> {
    let read = || {
        let mut block = vec![0; LOST_BYTES];
        File::open(path).ok()?.read_exact(&mut block).ok()?;
        // The space of a file is reserved before its blocks are written.
        block.chunks(4096).all(|unit| unit.iter().any(|byte| *byte != 0)).then_some(block)
    };
    waited_for(read)
}

fn waited_for<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "it does not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

const LOST_BYTES: usize = 64 << 10;

#[test]
fn a_section_whose_write_was_lost_before_the_next_section_reads() {
    let bench = Bench::on_disk();
    let sections = "[global]\nfilename=f\nioengine=psync\ndirect=1\nbs=64k\nsize=64k\nverify=md5\n\
        [write]\nstartdelay=2\nrw=write\ndo_verify=0\n[read]\nstonewall\nstartdelay=2\nrw=read\ndo_verify=1\n";
    std::fs::write(bench.path().join("job.fio"), sections).unwrap();
    let child = bench
        .command(&["io", "job.fio", "--details", "--record", "r.json"])
        .stdout(std::process::Stdio::piped())
        .spawn();
    let path = bench.path().join("dbdyno-data/data/io/f");
    // The warm-up, which is empty, writes the block once.
    first_block(&path);
    std::thread::sleep(Duration::from_millis(700));
    let before = first_block(&path);
    waited_for(|| (first_block(&path) != before).then_some(()));
    // The section has written; what was there before comes back.
    let mut file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all(&before).unwrap();
    file.sync_all().unwrap();
    let output = finished(child.unwrap().wait_with_output().unwrap());
    assert_eq!(output.code, 1, "{}", output.out);
    let one_line = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(one_line.contains("16 of 16 blocks stale"), "{}", output.out);
    let record = bench.record("r.json");
    let counts = |number: u64| {
        let stream = streams(&record, number)[0];
        ["verified", "corrupt", "stale", "unverified"].map(|count| stream[count].as_u64().unwrap())
    };
    assert_eq!((counts(1), counts(2)), ([0; 4], [0, 0, 16, 0]));
}

/// Bytes that the process read from the device.
fn bytes_read(process: u32) -> u64 {
    let counters = std::fs::read_to_string(format!("/proc/{process}/io")).expect("the process runs");
    let line = counters.lines().find_map(|line| line.strip_prefix("read_bytes: "));
    line.expect("a line of reads").parse().expect("a number")
}

#[test]
fn a_freeze_of_two_seconds_shows_in_response_and_not_in_service() {
    let bench = Bench::on_disk();
    let job =
        ["io", "--rw", "randread", "--bs", "4k", "--depth", "8", "--size", "16M", "--seconds", "6", "--warm-up", "0.2"];
    let pace = ["--rate", "500", "--arrival", "fixed", "--quiet", "--log", "l.csv", "--record", "r.json"];
    let child = bench.start(&[&job[..], &pace[..]].concat());
    let signal = |name: &str| {
        let status = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
        assert!(status.success());
    };
    // Reads at the target rate for longer than the warm-up are in the window of six seconds. Faster reads are pages of
    // the program.
    let half_a_second = Duration::from_millis(500);
    let start = Instant::now();
    let mut steady = 0;
    let mut before = bytes_read(child.id());
    while steady < 2 {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is read");
        std::thread::sleep(half_a_second);
        let now = bytes_read(child.id());
        steady = if (200..300).contains(&((now - before) / 4096)) { steady + 1 } else { 0 };
        before = now;
    }
    signal("-STOP");
    std::thread::sleep(Duration::from_secs(2));
    signal("-CONT");
    let output = finished(child.wait_with_output().unwrap());
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished", "{}", output.err);
    let stream = streams(&record, 1)[0];
    assert_eq!((stream["operations"].as_u64(), stream["unfinished"].as_u64()), (Some(3_000), Some(0)));
    let p99 = |latency: &str| stream[latency]["p99_ns"].as_u64().unwrap();
    // A third of the I/Os was scheduled during the freeze, the slowest hundredth at its start.
    assert!(p99("response") > 1_500_000_000, "{}", p99("response"));
    assert!(p99("service") < 500_000_000, "{}", p99("service"));
    let stall = record["runs"][0]["storage"]["scheduling_delay_ns_max"].as_u64().unwrap();
    assert!(stall > 1_500_000_000, "{stall}");
    assert!(["warn", "fail"].contains(&verdict(&record, "stall")), "{}", output.out);
}
