//! The records of a directory.

use std::fs;
use std::path::Path;

use dbdyno_store::{Error, list, write};
use record::{Status, Timestamp};
use tempfile::tempdir;

use crate::sample;

#[test]
fn the_newest_record_is_first_and_a_broken_one_last() {
    let directory = tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    for (name, begun_at) in [("dbdyno-a.json", "2026-01-31T12:00:00.000Z"), ("mine.json", "2026-02-01T12:00:00.000Z")] {
        let mut record = sample::full();
        record.begun_at = Timestamp(begun_at.to_owned());
        write(&place(name), &record).unwrap();
    }
    fs::write(place("dbdyno-broken.json"), "{\"schema_version\": 2,").unwrap();
    fs::write(place("new.json"), "{\"schema_version\": 3}").unwrap();
    // Of another name, and once a record: it is told, not passed over.
    let text = fs::read(place("mine.json")).unwrap();
    fs::write(place("short.json"), &text[..text.len() / 2]).unwrap();
    // Not ours: other tools' files, notes, and half a record that is being written.
    fs::write(place("package.json"), "{\"name\": \"x\"}").unwrap();
    fs::write(place("half.json"), "{\"name\": ").unwrap();
    fs::write(place("notes.txt"), "{\"schema_version\": 1}").unwrap();
    fs::write(place(".dbdyno-a.json.7.partial"), "{").unwrap();
    fs::create_dir(place("folder.json")).unwrap();
    // As large as a record may be: nobody reads it to its end, or the test would take minutes.
    fs::File::create(place("huge.json")).unwrap().set_len(dbdyno_store::RECORD_BYTES_MAX).unwrap();

    let entries = list(directory.path()).unwrap();
    let names: Vec<_> = entries.iter().map(|entry| entry.path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["mine.json", "dbdyno-a.json", "dbdyno-broken.json", "new.json", "short.json"]);
    assert!(matches!(entries[2].content, Err(Error::Truncated { .. })));
    assert!(matches!(entries[3].content, Err(Error::Newer { found: 3, .. })));
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
        lines[3],
        "D/new.json  broken: record D/new.json has schema version 3, this dbdyno reads up to version 2"
    );
}

#[test]
fn a_directory_that_is_not_there_is_an_error() {
    let error = list(Path::new("/no/such/directory")).unwrap_err();
    assert_eq!(error.to_string(), "directory /no/such/directory cannot be listed: no such file or directory");
}
