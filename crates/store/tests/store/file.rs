//! Writing and reading one record.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;

use dbdyno_store::{Error, read, read_in_detail, read_with, read_without_series, write};
use proptest::prelude::*;
use record::{Bytes, Nanos, Record, Run, SCHEMA_VERSION, Status};
use tempfile::tempdir;

use crate::sample;

/// What reading a file with this content says.
fn refusal(content: &[u8]) -> Error {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.json");
    fs::write(&path, content).unwrap();
    read(&path).unwrap_err()
}

/// The message with the directory, which differs each time, cut off.
fn message(error: &Error) -> String {
    let text = error.to_string();
    let path = text.split_whitespace().find(|word| word.starts_with('/')).unwrap().trim_end_matches(':').to_owned();
    text.replace(&path, path.rsplit('/').next().unwrap())
}

fn json(record: &Record) -> String {
    serde_json::to_string_pretty(record).unwrap()
}

#[test]
fn what_was_written_is_read() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.json");
    for record in [sample::sparse(), sample::full()] {
        write(&path, &record).unwrap();
        assert_eq!(read(&path).unwrap(), record);
    }
    let left: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["r.json"]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\n        \"steps\": [23, 24],\n"), "a series lies on one line\n{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_numbers_and_words_come_back_as_they_were(
        float in proptest::num::f64::POSITIVE | proptest::num::f64::NORMAL | proptest::num::f64::ZERO | proptest::num::f64::SUBNORMAL,
        count in 1..=u64::MAX,
        parameter in any::<i64>(),
        text in ".*",
        status in prop::sample::select(vec![Status::Running, Status::Finished, Status::Interrupted, Status::Failed]),
    ) {
        let mut record = sample::full();
        record.status = status;
        record.reason = Some(text.clone());
        record.instrument.loop_step_ns = float;
        record.host.cpu.clock_mhz = Some(float);
        record.host.memory.total_bytes = Bytes(count);
        let run = &mut record.runs[0];
        run.window_ns = Nanos(count);
        run.parameters.insert(text.clone(), parameter);
        run.readings[0].values.insert(text, count);
        // Through the text, as a file would carry it: forcing 64 files to the device would only test the device.
        let directory = tempdir().unwrap();
        let path = directory.path().join("r.json");
        fs::write(&path, json(&record)).unwrap();
        prop_assert_eq!(read(&path).unwrap(), record);
    }

    #[test]
    fn a_file_that_was_cut_or_scratched_is_an_error_and_never_a_crash(at in 0usize..20_000, letter in any::<u8>()) {
        let whole = json(&sample::full()).into_bytes();
        let at = at % whole.len();
        let cut = refusal(&whole[..at]);
        prop_assert!(matches!(cut, Error::Truncated { .. }), "{}", cut);
        let mut scratched = whole;
        scratched[at] = letter;
        let directory = tempdir().unwrap();
        let path = directory.path().join("r.json");
        fs::write(&path, scratched).unwrap();
        if let Err(error) = read(&path) {
            prop_assert!(error.to_string().contains("r.json"));
        }
    }
}

/// A record that is long enough to be read run by run.
fn long() -> Record {
    let mut record = sample::full();
    let runs = record.runs.clone();
    record.runs = (1..=600).map(|number| Run { number, ..runs[number as usize % runs.len()].clone() }).collect();
    record
}

#[test]
fn a_long_record_is_read_run_by_run_and_is_the_same() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.json");
    write(&path, &long()).unwrap();
    assert!(fs::metadata(&path).unwrap().len() > 2 << 20);
    assert_eq!(read(&path).unwrap(), long());
    let bare = read_without_series(&path, &|run| run.findings.clear()).unwrap();
    let mut expected = long();
    for run in &mut expected.runs {
        (run.seconds, run.slices, run.findings) = (Vec::new(), None, Vec::new());
    }
    assert_eq!(bare, expected);
    let thinned = read_with(&path, &|run| run.seconds.clear()).unwrap();
    assert!(thinned.runs.iter().all(|run| run.seconds.is_empty() && !run.readings.is_empty()));
    let wanted = BTreeSet::from([1, 3, 599, 600, 700]);
    let detailed = read_in_detail(&path, &|run| run.findings.clear(), &|_| wanted.clone()).unwrap();
    let whole = long().runs.into_iter().filter(|run| wanted.contains(&run.number));
    for run in whole {
        let at = run.number as usize - 1;
        expected.runs[at] = run;
    }
    assert_eq!(detailed, expected);
    assert_eq!(thinned.runs.iter().map(|run| run.number).collect::<Vec<_>>(), (1..=600).collect::<Vec<_>>());
}

#[test]
fn the_runs_of_a_long_record_are_read_in_whatever_way_their_key_is_written() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.json");
    let text = json(&long()).replacen("\n  \"runs\": [", "\n  \"r\\u0075ns\": [", 1);
    assert!(text.contains("r\\u0075ns"));
    fs::write(&path, text).unwrap();
    assert!(read(&path).unwrap() == long());
}

#[test]
fn what_is_wrong_with_a_long_record_is_told_as_of_a_short_one() {
    let text = json(&long());
    let line = |word: &str| text.lines().position(|line| line.contains(word)).unwrap() + 1;
    let damaged = text.replacen("\"number\": 577", "\"number\": -577", 1);
    let error = message(&refusal(damaged.as_bytes()));
    assert!(error.starts_with("record r.json is damaged: invalid value: integer `-577`"), "{error}");
    assert!(error.contains(&format!("at line {}, ", line("\"number\": 577"))), "{error}");
    assert!(matches!(refusal(&text.as_bytes()[..text.len() - 2]), Error::Truncated { .. }));
    assert!(matches!(refusal(&text.as_bytes()[..text.len() / 2]), Error::Truncated { .. }));
    let newer = text.replacen("\"schema_version\": 2", "\"schema_version\": 3", 1);
    assert!(matches!(refusal(newer.as_bytes()), Error::Newer { found: 3, .. }));
    let comma = text.replacen("\"number\": 577", "\"number\" 577", 1);
    assert!(matches!(refusal(comma.as_bytes()), Error::NotJson { .. }));
}

#[test]
fn a_record_of_version_1_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/store/record-v1.json");
    let record = read(&path).unwrap();
    assert_eq!((record.schema_version, record.plan.repeats, record.runs.len()), (SCHEMA_VERSION, 1, 2));
    assert!(record.plan.runs.iter().all(|run| run.repeat == 1) && record.plan.paired.is_none());
    let (probe, test) = (&record.runs[0], &record.runs[1]);
    let streams = &probe.storage.as_ref().unwrap().streams;
    assert_eq!(streams[0].seconds.iter().map(|second| second.operations).sum::<u64>(), streams[0].operations);
    assert_eq!((test.seconds.len(), test.seconds[1].failures), (2, 1));
    assert_eq!(test.seconds[1].steps, test.seconds[0].steps + 1);
    // What is read of an old version is written in the new one.
    let directory = tempdir().unwrap();
    let renewed = directory.path().join("r.json");
    write(&renewed, &record).unwrap();
    assert_eq!(read(&renewed).unwrap(), record);
}

#[test]
fn a_record_of_version_1_that_lacks_something_is_told() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/store/record-v1.json")).unwrap();
    let error = refusal(text.replacen("\"service_ns_sum\"", "\"service\"", 1).as_bytes());
    assert_eq!(
        message(&error),
        "record r.json of schema version 1 cannot be brought to version 2: a second has no service_ns_sum"
    );
}

#[test]
fn a_number_that_is_not_finite_is_not_written_and_the_old_record_stays() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.json");
    write(&path, &sample::sparse()).unwrap();
    let mut record = sample::full();
    record.instrument.loop_step_ns = f64::NAN;
    let error = write(&path, &record).unwrap_err();
    assert!(matches!(error, Error::Content { .. }), "{error}");
    assert_eq!(read(&path).unwrap(), sample::sparse());
}

#[test]
fn a_newer_record_is_refused_before_its_fields_are_looked_at() {
    let error = refusal(br#"{"schema_version": 7, "what": ["nobody", "knows", "yet"]}"#);
    assert_eq!(message(&error), "record r.json has schema version 7, this dbdyno reads up to version 2");
    assert_eq!(error.hint().unwrap(), "upgrade dbdyno to the version that wrote it, or a later one");
    // The version may stand anywhere.
    assert!(matches!(refusal(br#"{"id": 1, "schema_version": 18446744073709551615}"#), Error::Newer { .. }));
}

#[test]
fn what_is_no_record_is_told_with_what_is_wrong_where() {
    let said = |content: &str| message(&refusal(content.as_bytes()));
    assert_eq!(said("Benchware 8.0"), "file r.json is not JSON: expected value at line 1, column 1");
    assert_eq!(said("{\n \"a\": 1,\n}"), "file r.json is not JSON: trailing comma at line 3, column 1");
    assert_eq!(said("{\"name\": \"npm\"}"), "file r.json is not a record of dbdyno: it has no schema_version");
    assert_eq!(said("{\"schema_version\": 0}"), "file r.json is not a record of dbdyno: its schema_version is 0");
    assert_eq!(
        said("{\"schema_version\": \"1\"}"),
        "file r.json is not a record of dbdyno: invalid type: string \"1\", expected u64 at line 1, column 22"
    );
    assert_eq!(said("[1]"), "file r.json is not a record of dbdyno: it is not an object");
    let truncated = "record r.json is truncated: it ends at line 1, column 0, in the middle of the JSON text";
    assert_eq!(said(""), truncated);
    assert_eq!(refusal(b"\xff\xfe").to_string().split("r.json").nth(1).unwrap().get(..12), Some(" is not JSON"));
    let deep = "[".repeat(100_000);
    assert!(matches!(refusal(deep.as_bytes()), Error::Truncated { .. }));
}

#[test]
fn a_damaged_record_names_the_field_and_the_line() {
    let whole = json(&sample::full());
    let error = refusal(whole.replacen("\"status\": \"interrupted\"", "\"status\": \"exploded\"", 1).as_bytes());
    let line = whole.lines().position(|line| line.contains("\"status\": \"interrupted\"")).unwrap() + 1;
    assert!(message(&error).starts_with("record r.json is damaged: unknown variant `exploded`"), "{error}");
    assert!(message(&error).contains(&format!(" at line {line}, ")), "{error}");
    let error = refusal(whole.replacen("\"begun_at\"", "\"began_at\"", 1).as_bytes());
    assert!(message(&error).starts_with("record r.json is damaged: unknown field `began_at`"), "{error}");
}

#[test]
fn a_place_that_cannot_hold_a_record_is_told_with_a_hint() {
    let directory = tempdir().unwrap();
    let record = sample::sparse();
    let error = write(&directory.path().join("no/such/r.json"), &record).unwrap_err();
    assert_eq!(message(&error), "record r.json cannot be written: no such file or directory");
    assert!(error.hint().unwrap().contains("--record"));
    let error = write(directory.path(), &record).unwrap_err();
    assert!(error.to_string().ends_with("it is a directory, not a file"), "{error}");
    let error = write(Path::new("/dev/null"), &record).unwrap_err();
    assert!(error.to_string().ends_with("it is a device or pipe, not a file"), "{error}");
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let error = write(&file.join("r.json"), &record).unwrap_err();
    assert!(error.to_string().ends_with("a part of its path is not a directory"), "{error}");
}

#[test]
fn what_cannot_be_read_is_told_with_its_cause() {
    let directory = tempdir().unwrap();
    let error = read(&directory.path().join("r.json")).unwrap_err();
    assert_eq!(message(&error), "record r.json cannot be read: no such file or directory");
    assert!(read(directory.path()).unwrap_err().to_string().ends_with("it is a directory, not a file"));
    assert!(read(Path::new("/dev/zero")).unwrap_err().to_string().ends_with("it is a device or pipe, not a file"));
    let large = directory.path().join("large.json");
    fs::File::create(&large).unwrap().set_len(dbdyno_store::RECORD_BYTES_MAX + 1).unwrap();
    assert!(matches!(read(&large).unwrap_err(), Error::TooLarge { .. }));
    // Zeros are no JSON: that is seen without all of them in memory.
    fs::File::create(&large).unwrap().set_len(dbdyno_store::RECORD_BYTES_MAX).unwrap();
    assert!(matches!(read(&large).unwrap_err(), Error::NotJson { line: 1, column: 1, .. }));
}

#[test]
fn a_link_to_a_record_stays_a_link() {
    let directory = tempdir().unwrap();
    let (file, link) = (directory.path().join("r.json"), directory.path().join("latest.json"));
    write(&file, &sample::sparse()).unwrap();
    symlink(&file, &link).unwrap();
    write(&link, &sample::full()).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(read(&file).unwrap(), sample::full());
}

#[test]
fn a_reader_who_opened_the_old_record_reads_the_old_one_to_its_end() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.json");
    write(&path, &sample::sparse()).unwrap();
    let mut opened = fs::File::open(&path).unwrap();
    write(&path, &sample::full()).unwrap();
    // Written in place, the open file would now hold the new record, or half of it.
    let mut seen = String::new();
    opened.read_to_string(&mut seen).unwrap();
    assert_eq!(serde_json::from_str::<Record>(&seen).unwrap(), sample::sparse());
    assert_eq!(read(&path).unwrap(), sample::full());
}
