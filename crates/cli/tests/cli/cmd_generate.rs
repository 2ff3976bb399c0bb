//! `dbdyno generate`: files of card transactions.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::bench::{Bench, finished};

/// The value of `name` in the output.
fn value_of<'a>(text: &'a str, name: &str) -> &'a str {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(name));
    line.unwrap_or_else(|| panic!("no {name} in\n{text}"))[name.len()..].trim()
}

/// The bytes of `files`, decompressed by another program.
fn unpacked(bench: &Bench, program: &str, files: &[&str]) -> Vec<u8> {
    let output = Command::new(program).arg("-dc").args(files).current_dir(bench.path()).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn equal_files_hold_the_rows_and_a_checksum_tells_them() {
    let bench = Bench::new();
    let one = bench.succeed(&["generate", "cards", "--rows", "10k", "-o", "one"]);
    let text = fs::read_to_string(bench.path().join("one/cards-0001.tbl")).unwrap();
    assert_eq!(text.lines().count(), 10_000);
    assert!(text.lines().all(|line| line.split('|').count() == 10 && line.ends_with('|')));
    assert_eq!((value_of(&one.out, "rows"), value_of(&one.out, "files")), ("10000", "one/cards-0001.tbl"));
    assert!(value_of(&one.out, "lines").starts_with(&format!("{} bytes", text.len())), "{}", one.out);
    let three = bench.succeed(&["generate", "cards", "--rows", "10k", "--files", "3", "--threads", "3", "-o", "three"]);
    let parts =
        (1..=3).map(|number| fs::read_to_string(bench.path().join(format!("three/cards-000{number}.tbl"))).unwrap());
    let parts: Vec<String> = parts.collect();
    let rows: Vec<usize> = parts.iter().map(|part| part.lines().count()).collect();
    assert_eq!(rows, [3_333, 3_333, 3_334]);
    assert!(parts.concat() == text);
    assert_eq!(value_of(&three.out, "checksum"), value_of(&one.out, "checksum"));
    assert_eq!(value_of(&three.out, "files"), "3: three/cards-0001.tbl to three/cards-0003.tbl");
    let other = bench.succeed(&["generate", "cards", "--rows", "10k", "--seed", "43", "-o", "other"]);
    assert_ne!(value_of(&other.out, "checksum"), value_of(&one.out, "checksum"));
}

#[test]
fn other_programs_read_what_is_compressed() {
    let bench = Bench::new();
    bench.succeed(&["generate", "cards", "--rows", "50k", "-o", "plain.tbl"]);
    let plain = fs::read(bench.path().join("plain.tbl")).unwrap();
    for (compress, program, ending) in [("gzip:3", "gzip", "gz"), ("zstd", "zstd", "zst"), ("lz4", "lz4", "lz4")] {
        let output = bench.succeed(&[
            "generate",
            "cards",
            "--rows",
            "50k",
            "--files",
            "2",
            "--compress",
            compress,
            "-o",
            ending,
        ]);
        let names = [format!("{ending}/cards-0001.tbl.{ending}"), format!("{ending}/cards-0002.tbl.{ending}")];
        let whole: Vec<u8> = names.iter().flat_map(|name| unpacked(&bench, program, &[name])).collect();
        assert!(whole == plain, "{compress}");
        let sizes: u64 = names.iter().map(|name| bench.path().join(name).metadata().unwrap().len()).sum();
        let ratio: f64 = value_of(&output.out, "ratio").parse().unwrap();
        assert!((ratio - plain.len() as f64 / sizes as f64).abs() < 0.01, "{}", output.out);
        assert!(ratio > 1.3, "{compress}: {ratio}");
    }
}

#[test]
fn the_name_of_a_file_says_what_is_in_it() {
    let bench = Bench::new();
    bench.succeed(&["generate", "cards", "--rows", "1000", "-q", "-o", "a.csv.gz"]);
    let text = String::from_utf8(unpacked(&bench, "gzip", &["a.csv.gz"])).unwrap();
    assert!(text.starts_with("card_no,card_type,mcc,"), "{}", &text[..50]);
    assert_eq!(text.lines().count(), 1_001);
    bench.succeed(&["generate", "cards", "--rows", "1000", "-q", "--compress", "zstd", "-o", "a.parquet"]);
    let bytes = fs::read(bench.path().join("a.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    assert_eq!(bench.files(), ["a.csv.gz", "a.parquet"].map(PathBuf::from));
}

#[test]
fn rows_go_to_the_standard_output_and_words_to_the_other_stream() {
    let bench = Bench::new();
    bench.succeed(&["generate", "cards", "--rows", "2000", "-o", "a.tbl"]);
    let output = bench.succeed(&["generate", "cards", "--rows", "2000", "-o", "-"]);
    assert!(output.out == fs::read_to_string(bench.path().join("a.tbl")).unwrap());
    assert_eq!(value_of(&output.err, "rows"), "2000");
    let output = bench.succeed(&["generate", "cards", "--rows", "20", "--quiet", "-o", "-"]);
    assert_eq!((output.out.lines().count(), output.err.as_str()), (20, ""));
}

#[test]
fn a_reader_that_goes_away_is_an_error_that_says_so() {
    let bench = Bench::new();
    let mut child = bench.start(&["generate", "cards", "--size", "1GB", "-o", "-"]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut words = String::new();
    child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{words}");
    assert!(words.contains("standard output cannot be written: Broken pipe"), "{words}");
}

#[test]
fn what_is_there_stays_unless_it_may_go() {
    let bench = Bench::new();
    fs::write(bench.path().join("cards-0002.tbl"), "mine").unwrap();
    let refused = bench.run(&["generate", "cards", "--rows", "100", "--files", "2"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("file ./cards-0002.tbl exists\nhint: use --force"), "{}", refused.err);
    assert_eq!(bench.files().len(), 1);
    bench.succeed(&["generate", "cards", "--rows", "100", "--files", "2", "--force"]);
    assert_eq!(fs::read_to_string(bench.path().join("cards-0002.tbl")).unwrap().lines().count(), 50);
    assert_eq!(bench.files().len(), 2);
}

#[test]
fn what_is_neither_a_file_nor_a_pipe_is_not_overwritten() {
    let bench = Bench::new();
    let socket = bench.path().join("socket.tbl");
    let _open = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let output = bench.run(&["generate", "cards", "--rows", "10", "--force", "-o", "socket.tbl"]);
    assert_eq!(output.code, 2, "{}", output.err);
    assert!(output.err.contains("socket.tbl is not a regular file and is not overwritten\nhint: "), "{}", output.err);
    assert!(!socket.metadata().unwrap().is_file());
}

#[test]
fn by_any_name_the_standard_output_has_lines_only() {
    let bench = Bench::new();
    let plain = bench.succeed(&["generate", "cards", "--rows", "20", "-o", "-"]);
    let named = bench.succeed(&["generate", "cards", "--rows", "20", "-o", "/dev/stdout"]);
    assert_eq!((named.out.lines().count(), &named.out), (20, &plain.out));
    assert!(named.err.contains("checksum"), "{}", named.err);
}

#[test]
fn a_dry_run_tells_sizes_and_writes_nothing() {
    let bench = Bench::new();
    let output = bench.succeed(&[
        "generate",
        "cards",
        "--size",
        "3TB",
        "--files",
        "64",
        "--compress",
        "gzip",
        "--dry-run",
        "-o",
        "flat",
    ]);
    assert!(
        value_of(&output.out, "files").starts_with("64: flat/cards-0001.tbl.gz to flat/cards-0064.tbl.gz"),
        "{}",
        output.out
    );
    assert!(
        value_of(&output.out, "lines").starts_with("about 3000000.0 MB")
            || value_of(&output.out, "lines").starts_with("about 2999999."),
        "{}",
        output.out
    );
    assert!(value_of(&output.out, "written").contains("(gzip:6)"), "{}", output.out);
    assert!(bench.files().is_empty());
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_made() {
    let bench = Bench::new();
    for (arguments, words) in [
        (&["--rows", "0"][..], "rows 0 is less than 1\nhint: use 1 to "),
        (&["--rows", "many"], "rows many is not a whole number"),
        (&["--rows", "1.2345k"], "rows 1.2345k is not a whole number"),
        (&["--size", "-5GB"], "size -5GB is not a size in whole bytes\nhint: use 1B to 1000PB, such as 500MB"),
        (&["--files", "0"], "files 0 is less than 1"),
        (&["--files", "10000"], "files 10000 is more than 9999\nhint: use 1 to 9999"),
        (&["--rows", "3", "--files", "4"], "files 4 is more than 3 rows\nhint: "),
        (&["--threads", "0"], "threads 0 is less than 1"),
        (&["--compress", "bzip2"], "compression bzip2 is not known\nhint: use gzip, zstd, lz4 or plain"),
        (&["--compress", "gzip:11"], "level 11 of gzip is not valid\nhint: use 1 to 9"),
        (&["--files", "2", "-o", "a.tbl"], "2 files cannot be written to a.tbl, which is one file\nhint: "),
        (&["--files", "2", "-o", "-"], "2 files cannot be written to -, which is one file\nhint: "),
        (&["--format", "csv", "-o", "a.parquet"], "--format csv contradicts the name a.parquet\nhint: "),
        (&["-o", "a.tbl.bz2"], "a.tbl.bz2 has no known ending and is not a directory\nhint: "),
        (&["--compress", "lz4", "-o", "a.tbl.gz"], "--compress lz4 contradicts the name a.tbl.gz\nhint: "),
        (&["--compress", "plain", "-o", "a.parquet"], "Parquet is always written with compression\nhint: "),
    ] {
        let output = bench.run(&[&["generate", "cards"], arguments].concat());
        assert_eq!((output.code, output.err.contains(words)), (2, true), "{arguments:?}: {}", output.err);
        assert!(bench.files().is_empty(), "{arguments:?}");
    }
}

#[test]
fn files_that_do_not_fit_are_not_started() {
    let bench = Bench::new();
    let output = bench.run(&["generate", "cards", "--size", "9000TB", "-o", "flat"]);
    assert_eq!(output.code, 1, "{}", output.err);
    assert!(output.err.contains("MB in flat, which has ") && output.err.contains("hint: free space"), "{}", output.err);
    assert!(bench.files().is_empty());
}

#[test]
fn a_device_that_is_full_is_named() {
    let bench = Bench::new();
    let output = bench.run(&["generate", "cards", "--rows", "100k", "-o", "/dev/full"]);
    assert_eq!(output.code, 1, "{}", output.err);
    assert!(
        output.err.contains("/dev/full cannot be written: No space left on device")
            && output.err.contains("hint: free space"),
        "{}",
        output.err
    );
    bench.succeed(&["generate", "cards", "--rows", "100k", "-o", "/dev/null"]);
}

fn wait_for_part(directory: &Path) {
    let start = Instant::now();
    let is_part = |path: PathBuf| path.extension().is_some_and(|ending| ending == "part");
    while !directory.read_dir().is_ok_and(|entries| entries.flatten().any(|entry| is_part(entry.path()))) {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing is written after 30 s");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn ctrl_c_removes_incomplete_files() {
    let bench = Bench::on_disk();
    // Slow enough that the signal comes in the middle.
    let arguments =
        ["generate", "cards", "--size", "2GB", "--files", "2", "--compress", "zstd:19", "--quiet", "-o", "flat"];
    let child = bench.start(&arguments);
    wait_for_part(&bench.path().join("flat"));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{}", output.err);
    assert!(output.err.contains("interrupted: no file was finished"), "{}", output.err);
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn a_disk_that_fills_up_is_named_and_keeps_no_incomplete_file() {
    // A file system of 48 MiB, if the tests may mount one.
    let bench = Bench::new();
    let small = bench.path().join("small");
    fs::create_dir(&small).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=48m", "tmpfs"]).arg(&small).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        // Only root can mount; as root this test must not be skipped.
        assert!(!rustix::process::getuid().is_root(), "a small file system could not be mounted");
        return;
    }
    // Slow enough that another file takes the space in the middle.
    let child =
        bench.start(&["generate", "cards", "--size", "100MB", "--compress", "zstd:19", "--quiet", "-o", "small"]);
    wait_for_part(&small);
    let filled = fs::write(small.join("theirs"), vec![1; 48 << 20]);
    let output = finished(child.wait_with_output().unwrap());
    let left: Vec<_> = small.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let unmounted = Command::new("umount").arg(&small).status();
    assert!(filled.is_err(), "48 MiB were free");
    assert_eq!(
        (output.code, output.err.contains("cards-0001.tbl.zst cannot be written: No space left")),
        (1, true),
        "{}",
        output.err
    );
    assert!(output.err.contains("hint: free space"), "{}", output.err);
    assert_eq!(left, ["theirs"]);
    assert!(unmounted.is_ok());
}
