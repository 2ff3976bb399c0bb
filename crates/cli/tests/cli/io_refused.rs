//! Invalid I/O jobs: a clear error, the right exit code, nothing written.

use std::process::Command;

use crate::bench::{Bench, Finished};

/// Runs `arguments` in a directory with the job file `text`, expects `code` and all `words` in the error, and nothing
/// but the job file afterwards.
fn refused_file(text: &[u8], arguments: &[&str], code: i32, words: &[&str]) -> Finished {
    let bench = Bench::on_disk();
    std::fs::write(bench.path().join("job.fio"), text).unwrap();
    let output = bench.run(&[&["io"], arguments].concat());
    assert_eq!(output.code, code, "{arguments:?}\n{}\n{}", output.out, output.err);
    for word in words {
        assert!(output.err.contains(word), "no {word:?} in {:?}", output.err);
    }
    assert!(!output.err.contains("panicked"), "{}", output.err);
    assert_eq!(bench.files().len(), 1, "left: {:?}", bench.files());
    output
}

fn refused(arguments: &[&str], code: i32, words: &[&str]) {
    let output = refused_file(b"", arguments, code, words);
    assert!(output.err.contains("hint: "), "{}", output.err);
}

#[test]
fn invalid_job_files() {
    refused_file(b"hello world\n", &["job.fio"], 2, &["job.fio:1", "hello world"]);
    refused_file(b"\x7fELF\x02\x01\x01\0\0\0", &["job.fio"], 2, &["job.fio:1"]);
    refused_file(b"", &["job.fio"], 2, &["job.fio"]);
    refused_file(b"[global]\nrw=read\n", &["job.fio"], 2, &["has no job"]);
    refused_file(b"", &["none.fio"], 2, &["none.fio", "cannot be read"]);
    refused_file(b"", &["."], 2, &["cannot be read"]);
}

#[test]
fn an_unknown_key_is_reported_with_its_line() {
    let text = b"# a slip\n[job]\nrw=read\nsize=1M\niodeepth=3\n";
    refused_file(text, &["job.fio"], 2, &["job.fio:5", "\"iodeepth\" is not known", "did you mean iodepth?"]);
    refused_file(text, &["job.fio", "--dry-run"], 2, &["job.fio:5"]);
    refused(
        &["--rw", "read", "--size", "1M", "--override", "sze=3"],
        2,
        &["\"sze\" is not known", "did you mean size?"],
    );
}

#[test]
fn an_include_that_is_missing() {
    let text = b"[global]\ninclude none.inc\n[job]\nrw=read\nsize=1M\n";
    refused_file(text, &["job.fio"], 2, &["job.fio:2", "none.inc"]);
}

#[test]
fn invalid_sizes() {
    refused(&["--rw", "read", "--size", "0"], 2, &["size 0"]);
    refused(&["--rw", "read", "--size", "1M", "--bs", "0"], 2, &["0"]);
    refused(&["--rw", "read", "--size", "1M", "--depth", "0"], 2, &["0"]);
    refused(&["--rw", "read", "--size", "1M", "--jobs", "0"], 2, &["0"]);
    refused(&["--rw", "read", "--size", "4k", "--bs", "8k"], 2, &["8192", "4096"]);
    refused(&["--rw", "read", "--size", "many"], 2, &["many"]);
}

#[test]
fn invalid_times_and_rates() {
    refused(&["--rw", "read", "--size", "1M", "--seconds", "0"], 2, &["seconds 0 is less than 1ms"]);
    refused(&["--rw", "read", "--size", "1M", "--seconds", "-1"], 2, &["seconds -1"]);
    refused(&["--rw", "read", "--size", "1M", "--rate", "0"], 2, &["rate 0 is less than 0.000001"]);
    refused(&["--rw", "read", "--size", "1M", "--until", "p99"], 2, &["p99"]);
    refused(&["--rw", "read", "--size", "1M", "--until", "p99=fast"], 2, &["fast"]);
    refused(&["--profile", "db3"], 2, &["profile db3 is not known", "postgresql"]);
}

#[test]
fn unsupported_block_sizes() {
    refused(&["--rw", "randread", "--size", "1M", "--bs", "1000"], 2, &["block size 1000", "512"]);
    refused(&["--rw", "randread", "--size", "1M", "--override", "offset=100"], 2, &["offset 100"]);
}

#[test]
fn blocks_that_direct_io_refuses_have_key_and_line() {
    let text = b"[a]\nrw=write\nsize=1M\nbssplit=4k:30,16k:60\ndirect=1\n";
    let words = ["job.fio:4: bssplit=4k:30,16k:60: job a: block size 60", "a share follows a slash: 4k/30:16k/60"];
    refused_file(text, &["job.fio", "--dry-run"], 2, &words);
}

#[test]
fn a_share_needs_something_to_be_a_share_of() {
    let refused = |settings: &str, words: &[&str]| {
        let text = format!("[a]\nrw=write\n{settings}\n");
        refused_file(text.as_bytes(), &["job.fio", "--dry-run"], 2, words);
    };
    refused("size=100%", &["job.fio:3: size=100%: job a: size is a share of a device", "a.0.0 is a new file"]);
    refused("ioengine=null\nsize=100%", &["job.fio:4: size=100%: job a: size is a share"]);
    refused("size=1m\noffset=50%", &["job.fio:4: offset=50%: job a: offset is a share"]);
    refused("size=1m\noffset_increment=10%", &["job.fio:4: offset_increment=10%: job a: offset_increment is a share"]);
    refused("io_size=50%", &["job.fio:3: io_size=50%: job a: io_size is a share of size", "has no size"]);
    refused("filesize=50%", &["job.fio:3: filesize 50% is a share"]);
    refused("bs=4k", &["job a: file a.0.0 has no size"]);
}

#[test]
fn a_missing_device_is_not_found_however_it_is_named() {
    let refused = |settings: &str, words: &[&str]| {
        let text = format!("[a]\nrw=randwrite\nsize=1m\n{settings}\n");
        refused_file(text.as_bytes(), &["job.fio", "--dry-run"], 2, words);
    };
    let missing = "device /dev/nvme99n9 cannot be found: No such file";
    refused("filename=/dev/nvme99n9", &["job.fio:4: filename=/dev/nvme99n9: ", missing]);
    refused("filename=/dev/nvme99n9:/dev/nvme99n8", &["job.fio:4: filename=/dev/nvme99n9:/dev/nvme99n8: ", missing]);
    refused("bs=8k\nfilename=nvme99n9\ndirectory=/dev", &["job.fio:5: filename=nvme99n9: ", missing]);
    refused(
        "directory=/mnt/none-such",
        &["job.fio:4: directory=/mnt/none-such: directory /mnt/none-such cannot be found"],
    );
    refused("filename=/mnt/none-such/f", &["job.fio:4: filename=", "directory /mnt/none-such cannot be found"]);
}

#[test]
fn files_larger_than_free_space_are_refused_before_writing() {
    refused(&["--rw", "randread", "--size", "1P"], 1, &["bytes are required", "are available"]);
}

#[test]
fn invalid_directories() {
    refused(&["--rw", "randread", "--size", "1M", "--dir", "misspelt"], 2, &["misspelt is not a directory"]);
    refused(&["--rw", "randread", "--size", "1M", "--dir", "/proc"], 1, &["/proc"]);
}

#[test]
fn records_and_logs_that_cannot_be_written() {
    refused(&["--rw", "randread", "--size", "1M", "--record", "no/such/r.json"], 1, &["no/such"]);
    refused(&["--rw", "randread", "--size", "1M", "--log", "no/such/l.csv"], 1, &["no/such"]);
}

#[test]
fn foreign_files() {
    let bench = Bench::on_disk();
    let path = bench.path().join("precious");
    std::fs::write(&path, vec![7; 1 << 20]).unwrap();
    let shown = path.display().to_string();
    let record = ["--seconds", "0.2", "--record", "r.json"];
    let refused = |arguments: &[&str], words: &[&str]| {
        let output = bench.run(&[&["io"], arguments, &record].concat());
        assert_eq!(output.code, 2, "{arguments:?}\n{}\n{}", output.out, output.err);
        for word in words {
            assert!(output.err.contains(word), "no {word:?} in {:?}", output.err);
        }
        assert_eq!(std::fs::read(&path).unwrap(), vec![7; 1 << 20]);
        assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
    };
    let file = format!("filename={shown}");
    refused(&["--rw", "randread", "--override", &file], &["precious", "--device"]);
    refused(&["--rw", "randwrite", "--device", &shown], &["would destroy", "--destroy-data"]);
    refused(&["--rw", "randwrite", "--device", &shown, "--destroy-data", "/other"], &["/other is not a --device"]);
    refused(&["--rw", "randwrite", "--device", &shown, "--yes"], &["would destroy"]);
}

#[test]
fn invalid_devices() {
    refused(&["--rw", "randread", "--device", "/dev/no-such-device"], 2, &["/dev/no-such-device"]);
    refused(&["--rw", "randread", "--device", "/dev/null"], 2, &["/dev/null is neither a block device nor a file"]);
}

/// A loop device with a mounted file system, if the machine permits.
struct Mounted<'a> {
    bench: &'a Bench,
    device: String,
}

impl Mounted<'_> {
    fn make(bench: &Bench) -> Option<Mounted<'_>> {
        let run = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(bench.path()).output().ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        std::fs::create_dir(bench.path().join("mount")).unwrap();
        std::fs::File::create(bench.path().join("image")).unwrap().set_len(32 << 20).unwrap();
        run("mkfs.ext4", &["-q", "image"])?;
        let device = run("losetup", &["-f", "--show", "image"])?;
        let mounted = Mounted { bench, device };
        run("mount", &[&mounted.device, "mount"]).map(|_| mounted)
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.bench.path().join("mount")).output();
        let _ = Command::new("losetup").args(["-d", &self.device]).output();
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that tests nothing has to say so")]
fn a_device_in_use_is_not_written() {
    let bench = Bench::on_disk();
    let Some(mounted) = Mounted::make(&bench) else {
        eprintln!("not tested: a mounted device, which needs root, mkfs.ext4 and a loop device");
        return;
    };
    let before = std::fs::read(bench.path().join("image")).unwrap();
    let device = mounted.device.as_str();
    let write = ["io", "--rw", "randwrite", "--device", device, "--destroy-data", device, "--yes"];
    let output = bench.run(&[&write[..], &["--seconds", "0.2", "--record", "r.json"]].concat());
    assert_eq!(output.code, 1, "{}\n{}", output.out, output.err);
    assert!(output.err.contains("is in use: mounted at") && output.err.contains("hint: "), "{}", output.err);
    assert!(std::fs::read(bench.path().join("image")).unwrap() == before, "it was written to");
    assert!(!bench.path().join("r.json").exists() && !bench.path().join("dbdyno-data").exists());
}
