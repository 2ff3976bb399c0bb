//! The records of a directory.

use std::fs;
use std::path::Path;

use dbdyno_store::{Error, Writer, list};
use record::{Status, Timestamp};
use tempfile::tempdir;

use crate::sample;

#[test]
fn the_newest_record_is_first_and_damaged_ones_last() {
    let directory = tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    for (name, started_at) in
        [("dbdyno-a.jsonl", "2026-01-31T12:00:00.000Z"), ("mine.json", "2026-02-01T12:00:00.000Z")]
    {
        let mut record = sample::full();
        record.started_at = Timestamp(started_at.to_owned());
        Writer::create(&place(name), &record).unwrap();
    }
    let text = fs::read_to_string(place("mine.json")).unwrap();
    fs::write(place("dbdyno-broken.jsonl"), "{").unwrap();
    fs::write(place("new.jsonl"), text.replacen("\"schema_version\":1", "\"schema_version\":2", 1)).unwrap();
    // Another name, but once a record: it is listed.
    fs::write(place("short.jsonl"), &text[..text.find('\n').unwrap()]).unwrap();
    // An incomplete last run is no error.
    let end = text.rfind("{\"run\"").unwrap() + 100;
    fs::write(place("torn.jsonl"), text[..end].replacen("2026-02-01", "2026-01-01", 1)).unwrap();
    // An older version, which wrote documents.
    fs::write(place("dbdyno-old.json"), "{\"schema_version\": 2,").unwrap();
    // Files of other programs, notes, and an export are not records.
    fs::write(place("package.json"), "{\"name\": \"x\"}").unwrap();
    fs::write(place("half.json"), "{\"name\": ").unwrap();
    fs::write(place("nothing.jsonl"), "").unwrap();
    fs::write(place("notes.txt"), &text).unwrap();
    fs::write(place("export.json"), serde_json::to_string_pretty(&sample::full()).unwrap()).unwrap();
    fs::create_dir(place("folder.json")).unwrap();
    // The maximum size: it must not be read completely.
    fs::File::create(place("huge.json")).unwrap().set_len(dbdyno_store::RECORD_BYTES_MAX).unwrap();

    let entries = list(directory.path()).unwrap();
    let names: Vec<_> = entries.iter().map(|entry| entry.path.file_name().unwrap().to_str().unwrap()).collect();
    let broken = ["dbdyno-broken.jsonl", "dbdyno-old.json", "new.jsonl", "short.jsonl"];
    assert_eq!(names, [&["mine.json", "dbdyno-a.jsonl", "torn.jsonl"][..], &broken].concat());
    assert!(matches!(entries[3].content, Err(Error::Truncated { .. })));
    assert!(matches!(entries[4].content, Err(Error::Document { version: 2, .. })));
    assert!(matches!(entries[5].content, Err(Error::Newer { found: 2, .. })));
    assert!(matches!(entries[6].content, Err(Error::Truncated { .. })));
    let torn = entries[2].content.as_ref().unwrap();
    assert_eq!((torn.status, torn.runs, torn.runs_planned), (Status::Running, 3, 4));
    let summary = entries[0].content.as_ref().unwrap();
    assert_eq!(summary.status, Status::Interrupted);
    assert_eq!(summary.engine.as_deref(), Some("Example SQL 9.1"));
    assert_eq!(summary.tests, ["T311"]);
    assert_eq!((summary.runs, summary.runs_planned), (4, 4));
    let lines: Vec<String> =
        entries.iter().map(|entry| entry.to_string().replace(&directory.path().display().to_string(), "D")).collect();
    assert_eq!(
        lines[0],
        "D/mine.json  2026-02-01T12:00:00.000Z  interrupted  4/4 runs  Example SQL 9.1  dbdyno 0.1.0  T311"
    );
    assert_eq!(
        lines[5],
        "D/new.jsonl  broken: record D/new.jsonl has schema version 2, this dbdyno reads up to version 1"
    );
}

#[test]
fn a_directory_that_is_not_there_is_an_error() {
    let error = list(Path::new("/no/such/directory")).unwrap_err();
    assert_eq!(error.to_string(), "directory /no/such/directory cannot be listed: no such file or directory");
}
