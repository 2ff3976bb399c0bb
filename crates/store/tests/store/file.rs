//! Writing and reading one record.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;

use dbdyno_store::{Error, Writer, read, read_in_detail, read_with, read_without_series};
use proptest::prelude::*;
use record::{Bytes, Line, Nanos, Pace, PlannedRun, Record, Run, Status};
use tempfile::tempdir;

use crate::sample;

/// The error of reading a file with this content.
fn refusal(content: &[u8]) -> Error {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    fs::write(&path, content).unwrap();
    read(&path).unwrap_err()
}

/// The message without the directory, which varies.
fn message(error: &Error) -> String {
    let text = error.to_string();
    let path = text.split_whitespace().find(|word| word.starts_with('/')).unwrap().trim_end_matches(':').to_owned();
    text.replace(&path, path.rsplit('/').next().unwrap())
}

/// The lines of `record`.
pub fn lines(record: &Record) -> String {
    String::from_utf8(dbdyno_store::fuzz::encode(record).unwrap()).unwrap()
}

#[test]
fn written_records_are_read() {
    let directory = tempdir().unwrap();
    for (record, name) in [(sample::sparse(), "sparse.jsonl"), (sample::full(), "full.jsonl")] {
        let path = directory.path().join(name);
        Writer::create(&path, &record).unwrap();
        assert_eq!(read(&path).unwrap(), record);
        assert_eq!(fs::read_to_string(&path).unwrap(), lines(&record));
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "nothing lies beside them");
    assert_eq!(lines(&sample::sparse()).lines().count(), 1);
    let tags = ["head", "data_set", "run", "run", "run", "run", "end"].map(|tag| format!("{{\"{tag}\":{{"));
    let full = lines(&sample::full());
    assert!(full.lines().count() == tags.len() && full.lines().zip(tags).all(|(line, tag)| line.starts_with(&tag)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_numbers_and_words_are_read_back(
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
        // By the text, without files: syncing 64 files would only test the device.
        let directory = tempdir().unwrap();
        let path = directory.path().join("r.jsonl");
        fs::write(&path, lines(&record)).unwrap();
        prop_assert_eq!(read(&path).unwrap(), record);
    }

    #[test]
    fn a_damaged_file_is_read_or_an_error_and_never_a_panic(at in 0usize..20_000, letter in any::<u8>()) {
        let mut scratched = lines(&sample::full()).into_bytes();
        let at = at % scratched.len();
        scratched[at] = letter;
        let directory = tempdir().unwrap();
        let path = directory.path().join("r.jsonl");
        fs::write(&path, scratched).unwrap();
        for result in [read(&path), read_without_series(&path, &|_| {})] {
            if let Err(error) = result {
                prop_assert!(error.to_string().contains("r.jsonl"));
            }
        }
    }
}

/// Number of runs whose lines exceed one batch.
const RUNS: u32 = 2_000;

/// A record that several workers read.
fn long() -> Record {
    let mut record = sample::full();
    let runs = record.runs.clone();
    record.runs = (1..=RUNS).map(|number| Run { number, ..runs[number as usize % runs.len()].clone() }).collect();
    record
}

#[test]
fn a_long_record_is_read_by_several_workers_and_is_the_same() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    fs::write(&path, lines(&long())).unwrap();
    assert!(fs::metadata(&path).unwrap().len() > 5 << 20);
    assert_eq!(read(&path).unwrap(), long());
    let bare = read_without_series(&path, &|run| run.findings.clear()).unwrap();
    let mut expected = long();
    for run in &mut expected.runs {
        (run.seconds, run.slices, run.findings) = (Vec::new(), None, Vec::new());
    }
    assert_eq!(bare, expected);
    let thinned = read_with(&path, &|run| run.seconds.clear()).unwrap();
    assert!(thinned.runs.iter().all(|run| run.seconds.is_empty() && !run.readings.is_empty()));
    let wanted = BTreeSet::from([1, 3, RUNS - 1, RUNS, RUNS + 1]);
    let detailed = read_in_detail(&path, &|run| run.findings.clear(), &|_| wanted.clone()).unwrap();
    let whole = long().runs.into_iter().filter(|run| wanted.contains(&run.number));
    for run in whole {
        let at = run.number as usize - 1;
        expected.runs[at] = run;
    }
    assert_eq!(detailed, expected);
    assert_eq!(thinned.runs.iter().map(|run| run.number).collect::<Vec<_>>(), (1..=RUNS).collect::<Vec<_>>());
}

#[test]
fn a_record_is_read_in_whatever_way_its_keys_are_written() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let text = lines(&sample::full())
        .replace("{\"run\":", " { \"r\\u0075n\": ")
        .replace("\"seconds\":", "\"s\\u0065conds\" : ");
    assert!(text.contains("r\\u0075n") && text.contains("s\\u0065conds"));
    fs::write(&path, text).unwrap();
    assert_eq!(read(&path).unwrap(), sample::full());
    let bare = read_without_series(&path, &|_| {}).unwrap();
    assert!(bare.runs.len() == 4 && bare.runs.iter().all(|run| run.seconds.is_empty() && run.slices.is_none()));
}

#[test]
fn garbage_in_the_middle_is_reported_with_its_line() {
    let text = lines(&long());
    let place = text.lines().position(|line| line.starts_with("{\"run\":{\"number\":577,")).unwrap() + 1;
    let error_of = |from: &str, to: &str| message(&refusal(text.replacen(from, to, 1).as_bytes()));
    let error = error_of("\"number\":577", "\"number\":-577");
    assert!(error.starts_with("record r.jsonl is damaged: invalid value: integer `-577`"), "{error}");
    assert!(error.contains(&format!(" at line {place}, column ")), "{error}");
    let error = error_of("{\"run\":{\"number\":577,", "what?{\"run\":{\"number\":577,");
    assert_eq!(error, format!("record r.jsonl is damaged: expected value at line {place}, column 1"));
    let error = error_of("{\"run\":{\"number\":577,", "{\"ran\":{\"number\":577,");
    assert!(error.starts_with("record r.jsonl is damaged: unknown variant `ran`"), "{error}");
    let error = error_of("\n{\"run\":{\"number\":577,", "\n\n{\"run\":{\"number\":577,");
    assert_eq!(error, format!("record r.jsonl is damaged: EOF while parsing a value at line {place}, column 0"));
    // Of two faults the first is reported, whichever worker found it.
    let both = text.replace("\"number\":1999,", "\"number\":-1,").replacen("\"number\":577", "\"number\":-577", 1);
    assert!(message(&refusal(both.as_bytes())).contains("`-577`"));
    let head = text.lines().next().unwrap();
    let error = message(&refusal(format!("{text}{head}\n").as_bytes()));
    let last = text.lines().count() + 1;
    assert_eq!(error, format!("record r.jsonl is damaged: a head that is not the first line at line {last}, column 1"));
}

#[test]
fn a_number_that_is_not_finite_is_not_written_and_earlier_lines_stay() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let mut writer = Writer::create(&path, &sample::sparse()).unwrap();
    let mut run = sample::full().runs.remove(1);
    run.pace = record::Pace::Rate { steps_per_second: f64::NAN };
    let error = writer.append(&Line::Run(&run)).unwrap_err();
    assert!(matches!(error, Error::Content { .. }), "{error}");
    assert_eq!(read(&path).unwrap(), sample::sparse());
    let other = directory.path().join("other.jsonl");
    let mut record = sample::full();
    record.instrument.loop_step_ns = f64::NAN;
    assert!(matches!(Writer::create(&other, &record).unwrap_err(), Error::Content { .. }));
    assert!(!other.exists(), "a failed start does not block the next attempt");
}

#[test]
fn a_newer_record_is_refused_before_its_fields_are_parsed() {
    let error = refusal(
        b"{\"head\":{\"format\":\"dbdyno record\",\"schema_version\":7,\"what\":[\"nobody\",\"knows\"]}}\n{\"x\":1}\n",
    );
    assert_eq!(message(&error), "record r.jsonl has schema version 7, this dbdyno reads up to version 1");
    assert_eq!(error.hint().unwrap(), "upgrade dbdyno to the version that wrote it or later");
}

#[test]
fn one_document_is_refused_with_a_reason() {
    let export = serde_json::to_string_pretty(&sample::full()).unwrap();
    let old = export.replacen("\"schema_version\": 1", "\"schema_version\": 2", 1);
    for (text, version) in [(&export, 1), (&old, 2), (&serde_json::to_string(&sample::full()).unwrap(), 1)] {
        let error = refusal(text.as_bytes());
        let expected = format!(
            "file r.jsonl is one JSON document of schema version {version}: an exported record, or one of an older format; records are JSON Lines"
        );
        assert_eq!(message(&error), expected);
        assert!(error.hint().unwrap().contains("--format json"));
    }
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let error_of = |content: &str| message(&refusal(content.as_bytes()));
    let foreign = "file r.jsonl is not a record of dbdyno: its first line is not the head of one";
    for text in
        ["Benchware 8.0", "{\n \"a\": 1,\n}", "{\"name\": \"npm\"}", "[1]", "{\"head \": 1}", "{}", "{\"run\":{}}\n"]
    {
        assert_eq!(error_of(text), foreign, "{text}");
    }
    assert_eq!(message(&refusal(b"\xff\xfe")), foreign);
    assert_eq!(message(&refusal("[".repeat(100_000).as_bytes())), foreign);
    let head = |members: &str| error_of(&format!("{{\"head\":{{{members}}}}}\n"));
    assert_eq!(head(""), "file r.jsonl is not a record of dbdyno: its format is not \"dbdyno record\"");
    let format = "\"format\":\"dbdyno record\"";
    assert_eq!(head(format), "file r.jsonl is not a record of dbdyno: it has no schema_version");
    assert_eq!(
        head(&format!("{format},\"schema_version\":0")),
        "file r.jsonl is not a record of dbdyno: its schema_version is 0"
    );
    let error = head(&format!("{format},\"schema_version\":\"1\""));
    assert!(
        error.starts_with("record r.jsonl is damaged: invalid type: string \"1\", expected u64 at line 1, "),
        "{error}"
    );
    for text in ["", "{", "{\"he", "{\"head\"", "{\"head\":{\"format\":\"dbdyno record\",\"schema_version\":1"] {
        assert_eq!(error_of(text), "record r.jsonl is truncated: it ends in its first line", "{text}");
    }
}

#[test]
fn a_damaged_record_names_the_field_and_the_line() {
    let whole = lines(&sample::full());
    let error = refusal(whole.replacen("\"status\":\"interrupted\"", "\"status\":\"exploded\"", 1).as_bytes());
    let line = whole.lines().position(|line| line.contains("\"status\":\"interrupted\"")).unwrap() + 1;
    assert!(message(&error).starts_with("record r.jsonl is damaged: unknown variant `exploded`"), "{error}");
    assert!(message(&error).contains(&format!(" at line {line}, ")), "{error}");
    let error = refusal(whole.replacen("\"started_at\"", "\"began_at\"", 1).as_bytes());
    assert!(message(&error).starts_with("record r.jsonl is damaged: unknown field `began_at`"), "{error}");
}

/// The part of `record` in the first `bytes` bytes of its lines.
fn truncated(record: &Record, bytes: usize) -> Record {
    let whole: Vec<String> = lines(record)[..bytes].split_inclusive('\n').map(str::to_owned).collect();
    let whole: Vec<&String> = whole.iter().filter(|line| line.ends_with('\n')).collect();
    let has = |tag: &str| whole.iter().filter(|line| line.starts_with(&format!("{{\"{tag}\":"))).count();
    let mut truncated = record.clone();
    truncated.data_sets.truncate(has("data_set"));
    truncated.runs.truncate(has("run"));
    if has("end") == 0 {
        (truncated.status, truncated.reason, truncated.ended_at, truncated.host.at_end) =
            (Status::Running, None, None, None);
    }
    truncated
}

#[test]
fn a_record_truncated_anywhere_after_its_head_is_read_and_resumed() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let record = sample::full();
    let text = lines(&record);
    let head = text.find('\n').unwrap() + 1;
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    // Some offsets in all lines, those around line ends, and all in the last line.
    let cuts: BTreeSet<usize> = (head..last)
        .step_by(379)
        .chain(ends.iter().flat_map(|end| [*end, end + 1, end + 2]))
        .chain(last..=text.len())
        .filter(|cut| (head..=text.len()).contains(cut))
        .collect();
    assert!(cuts.len() > 100);
    for cut in cuts {
        fs::write(&path, &text[..cut]).unwrap();
        let expected = truncated(&record, cut);
        assert_eq!(read(&path).unwrap(), expected, "cut at {cut}");
        let (mut writer, resumed) = Writer::resume(&path).unwrap();
        assert_eq!(resumed, expected, "cut at {cut}");
        assert_eq!(fs::metadata(&path).unwrap().len(), cut as u64, "nothing is written until something is appended");
        let run = Run { number: 77, ..record.runs[0].clone() };
        writer.append(&Line::Run(&run)).unwrap();
        let whole = text[..cut].rfind('\n').unwrap() + 1;
        assert!(
            fs::read_to_string(&path).unwrap().starts_with(&format!("{}{{\"run\":{{\"number\":77,", &text[..whole]))
        );
        let mut longer = expected;
        longer.runs.push(run);
        assert_eq!(read(&path).unwrap(), longer, "cut at {cut}");
    }
    for cut in [0, 1, 5, 100, head - 1] {
        assert!(matches!(refusal(&text.as_bytes()[..cut]), Error::Truncated { .. }), "cut at {cut}");
    }
}

#[test]
fn a_record_cut_anywhere_in_its_last_run_has_lost_that_run_alone() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let mut record = truncated(&sample::full(), lines(&sample::full()).find('\n').unwrap() + 1);
    let planned = PlannedRun { number: 1, ..record.plan.runs[0].clone() };
    let run = Run::new(&planned, Pace::Unthrottled, record.started_at.clone());
    record.runs = (1..=2).map(|number| Run { number, ..run.clone() }).collect();
    let text = lines(&record);
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    assert!(text.len() - last > 500);
    for cut in last..text.len() {
        fs::write(&path, &text[..cut]).unwrap();
        assert_eq!(read(&path).unwrap().runs, record.runs[..1], "cut at {cut}");
    }
    fs::write(&path, &text).unwrap();
    assert_eq!(read(&path).unwrap(), record);
}

#[test]
fn blocks_lost_in_a_power_failure_are_ignored() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let text = lines(&sample::full());
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    for (from, to) in [(last, text.len()), (last + 10, text.len()), (last, last + 10), (last + 5, text.len() - 3)] {
        let mut torn = text.clone().into_bytes();
        torn[from..to].fill(0);
        fs::write(&path, &torn).unwrap();
        assert_eq!(read(&path).unwrap(), truncated(&sample::full(), last), "zeros from {from} to {to}");
        let (mut writer, record) = Writer::resume(&path).unwrap();
        writer.append_end(&Record { status: Status::Failed, ..record }).unwrap();
        assert_eq!(read(&path).unwrap().status, Status::Failed);
    }
    // In the middle of a record they are an error.
    let mut damaged = text.into_bytes();
    damaged[last - 20..last - 10].fill(0);
    assert!(matches!(refusal(&damaged), Error::Damaged { .. }));
}

#[test]
fn a_record_is_appended_line_by_line() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let mut record = sample::full();
    Writer::create(&path, &record).unwrap();
    let (mut writer, read_back) = Writer::resume(&path).unwrap();
    assert_eq!(read_back, record);
    let mut expect = |line: Line<&Run>, record: &Record| {
        writer.append(&line).unwrap();
        assert_eq!(&read(&path).unwrap(), record, "{line:?}");
    };
    // Run 2 failed: it is repeated as the last one.
    record.runs.remove(1);
    (record.status, record.reason, record.ended_at, record.host.at_end) = (Status::Running, None, None, None);
    expect(Line::Resumed { repeated: vec![2] }, &record);
    record.plan.runs.retain(|planned| planned.number != 4);
    expect(Line::Unplanned { numbers: vec![4, 23] }, &record);
    let planned = record::PlannedRun { number: 5, ..record.plan.runs[0].clone() };
    record.plan.runs.push(planned.clone());
    expect(Line::Planned(planned), &record);
    record.data_sets[0].reused = true;
    expect(Line::DataSet(record.data_sets[0].clone()), &record);
    let set = record::DataSet { table: "dbdyno_large".to_owned(), ..record.data_sets[0].clone() };
    record.data_sets.push(set.clone());
    expect(Line::DataSet(set), &record);
    let repeated = Run { number: 2, ..record.runs[0].clone() };
    record.runs.push(repeated.clone());
    expect(Line::Run(&repeated), &record);
    record.runs[0].findings.pop();
    let changed = record.runs[0].clone();
    expect(Line::Run(&changed), &record);
    let unproved = |reason: &str| record::Unproved {
        test: "T311".to_owned(),
        dop: record::Dop::jobs(1),
        reason: record::UnprovedReason::Refused { reason: reason.to_owned() },
    };
    for reasons in [&["a", "b"][..], &["c"]] {
        record.unproved = reasons.iter().map(|reason| unproved(reason)).collect();
        expect(Line::Unproved(record.unproved.clone()), &record);
    }
    (record.status, record.host.at_end) = (Status::Finished, sample::full().host.at_end);
    writer.append_end(&record).unwrap();
    assert_eq!(read(&path).unwrap(), record);
    // A complete rewrite has the same content in fewer lines.
    fs::write(&path, lines(&record)).unwrap();
    assert_eq!(read(&path).unwrap(), record);
}

#[test]
fn an_append_is_one_line_however_long_the_record_is() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let record = sample::full();
    let mut writer = Writer::create(&path, &sample::sparse()).unwrap();
    let run = |number| Run { number, ..record.runs[1].clone() };
    let mut before = fs::metadata(&path).unwrap().len();
    for number in 1000..1009 {
        writer.append(&Line::Run(&run(number))).unwrap();
        let after = fs::metadata(&path).unwrap().len();
        assert_eq!(after - before, lines(&record).lines().nth(3).unwrap().len() as u64 + 4);
        before = after;
    }
}

#[test]
fn only_one_process_appends_and_all_read() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let writer = Writer::create(&path, &sample::sparse()).unwrap();
    let error = Writer::resume(&path).unwrap_err();
    let holders = ["another process".to_owned(), format!("process {}", std::process::id())];
    let said = message(&error);
    assert!(holders.iter().any(|holder| said == format!("record r.jsonl is being written by {holder}")), "{said}");
    assert_eq!(error.hint().unwrap(), "wait until it ends, or start a new record");
    assert_eq!(read(&path).unwrap(), sample::sparse());
    drop(writer);
    let (_writer, _) = Writer::resume(&path).unwrap();
    assert!(matches!(Writer::resume(&path).unwrap_err(), Error::Locked { .. }));
}

#[test]
fn an_unwritable_path_is_reported_with_a_hint() {
    let directory = tempdir().unwrap();
    let record = sample::sparse();
    let refused = |path: &Path| Writer::create(path, &record).unwrap_err();
    let error = refused(&directory.path().join("no/such/r.jsonl"));
    assert_eq!(message(&error), "record r.jsonl cannot be written: no such file or directory");
    assert!(error.hint().unwrap().contains("--record"));
    let error = refused(directory.path());
    assert!(error.to_string().ends_with("it is a directory, not a file"), "{error}");
    let error = refused(Path::new("/dev/null"));
    assert!(error.to_string().ends_with("it is a device or pipe, not a file"), "{error}");
    let file = directory.path().join("r.jsonl");
    fs::write(&file, "precious").unwrap();
    let error = refused(&file.join("r.jsonl"));
    assert!(error.to_string().ends_with("a part of its path is not a directory"), "{error}");
    let error = refused(&file);
    assert_eq!(message(&error), "record r.jsonl cannot be written: it exists");
    assert!(error.hint().unwrap().contains("--resume"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn an_unreadable_file_is_reported_with_its_cause() {
    let directory = tempdir().unwrap();
    let error = read(&directory.path().join("r.jsonl")).unwrap_err();
    assert_eq!(message(&error), "record r.jsonl cannot be read: no such file or directory");
    assert!(read(directory.path()).unwrap_err().to_string().ends_with("it is a directory, not a file"));
    assert!(read(Path::new("/dev/zero")).unwrap_err().to_string().ends_with("it is a device or pipe, not a file"));
    let large = directory.path().join("large.jsonl");
    fs::File::create(&large).unwrap().set_len(dbdyno_store::RECORD_BYTES_MAX + 1).unwrap();
    assert!(matches!(read(&large).unwrap_err(), Error::TooLarge { .. }));
    // Zeros are refused without reading all of them.
    fs::File::create(&large).unwrap().set_len(dbdyno_store::RECORD_BYTES_MAX).unwrap();
    assert!(matches!(read(&large).unwrap_err(), Error::NotARecord { .. }));
}

#[test]
fn a_link_to_a_record_stays_a_link() {
    let directory = tempdir().unwrap();
    let (file, link) = (directory.path().join("r.jsonl"), directory.path().join("latest.jsonl"));
    Writer::create(&file, &sample::sparse()).unwrap();
    symlink(&file, &link).unwrap();
    let (mut writer, record) = Writer::resume(&link).unwrap();
    writer.append_end(&Record { status: Status::Finished, ..record }).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(read(&file).unwrap().status, Status::Finished);
}

#[test]
fn a_record_that_grows_while_it_is_read_is_read_up_to_there() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    fs::write(&path, lines(&long())).unwrap();
    let wanted = |record: &Record| {
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"run\":{\"number\":").unwrap();
        record.runs.iter().map(|run| run.number).filter(|number| *number > RUNS - 3).collect()
    };
    let detailed = read_in_detail(&path, &|_| {}, &wanted).unwrap();
    assert_eq!(detailed.runs[RUNS as usize - 3..], long().runs[RUNS as usize - 3..]);
}
