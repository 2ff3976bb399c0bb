//! File streams in text and page.

use dbdyno_report::{SheetOptions, Style, run_line, sheet};
use proptest::prelude::*;
use record::{
    Bytes, ComparedFile, Dop, FileStreams, Latency, Nanos, Ratio, Record, RunKind, StreamBackend, StreamDirection,
    Verdict,
};

use crate::drawn::{html, text};
use crate::finding_sample::worded;
use crate::sample;

fn streams(form: &str, backend: StreamBackend, direction: StreamDirection) -> FileStreams {
    let requests = Latency { count: 128, p50_ns: Nanos(4_000_000), max_ns: Nanos(9_000_000), ..Latency::default() };
    let file =
        |stream| ComparedFile { stream, size_bytes: Bytes(64 << 20), written_crc32c: 7, read_crc32c: 7, equal: true };
    let is_read = direction == StreamDirection::Read;
    FileStreams {
        form: form.to_owned(),
        means: format!("what {form} is"),
        backend,
        direction,
        request_bytes: Bytes::MIB,
        file_bytes: Bytes(64 << 20),
        requests_per_commit: 64,
        whole_files: 2,
        page_cached: is_read.then_some(Ratio(0.25)),
        same_device: (backend != StreamBackend::Engine).then_some(true),
        openings: Latency { count: 2, ..Latency::default() },
        commits: Latency { count: 2, p50_ns: Nanos(50_000_000), max_ns: Nanos(60_000_000), ..Latency::default() },
        requests,
        wrong_requests: 0,
        counted_bytes: None,
        compared: if is_read { vec![file(1), file(2)] } else { Vec::new() },
    }
}

/// Two streams on the file system and in the engine, written and read; the engine at half the rate.
fn both() -> Record {
    let mut record = sample::record();
    let plain = record.runs.iter().find(|run| run.service.count > 0 && run.readings.len() > 1).expect("a run").clone();
    let (files, engine) = (StreamBackend::FileSystemDirect, StreamBackend::Engine);
    let stream_runs = [
        ("file-system", files, StreamDirection::Write, 256),
        ("file-system", files, StreamDirection::Read, 256),
        ("large-object", engine, StreamDirection::Write, 128),
        ("large-object", engine, StreamDirection::Read, 128),
    ];
    let run = |(stream_run, number): ((&str, StreamBackend, StreamDirection, u64), u32)| {
        let (form, backend, direction, requests) = stream_run;
        let mut run = plain.clone();
        (run.number, run.test, run.dop) = (number, format!("S100@{form}-{}", direction.word()), Dop::jobs(2));
        run.totals.operations = requests;
        run.totals.bytes = Some(Bytes(requests << 20));
        run.findings.clear();
        run.kind = RunKind::Streams { form: form.to_owned(), direction };
        run.streams = Some(Box::new(streams(form, backend, direction)));
        run
    };
    let kind = RunKind::Streams { form: "large-object".to_owned(), direction: StreamDirection::Write };
    for run in &mut record.plan.runs {
        (run.test, run.kind) = ("S100@large-object-write".to_owned(), kind.clone());
    }
    record.runs = stream_runs.into_iter().zip(1..).map(run).collect();
    record
}

/// With a note on published measurements.
fn published_text(record: &Record, published: Option<&str>, width: usize) -> String {
    let options = SheetOptions { path: "r.json", published, ..SheetOptions::default() };
    sheet(record, &options).text(Style::default(), width)
}

#[test]
fn rates_stand_beside_those_of_the_file_system_with_what_they_cost() {
    let record = both();
    let shown = published_text(&record, Some("as in a publication: 16 streams"), 100);
    for words in [
        "its own file of 64 MiB and processes it once in requests of 1 MiB",
        "a whole file is one transaction",
        "large-object: what large-object is",
        "are on the device of the engine's data",
        "268 MB in 4 files, all identical",
        "as in a publication: 16 streams",
        "Rates",
        "Resource cost per MB",
        "50.0 ms",
    ] {
        assert!(shown.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "no {words:?} in\n{shown}");
    }
    let (_, rates) = shown.split_once("Rates").expect("rates");
    let line = rates.lines().find(|line| line.contains("large-object") && line.contains("write")).expect("a line");
    assert!(line.contains(" 50 "), "half of the rate of files: {line}");
    assert_eq!(text(&record, "r.json", Style::default(), 100), text(&record, "r.json", Style::default(), 100));
    assert!(!shown.contains("--resume"), "{shown}");
    let page = html(&record, &Default::default());
    assert!(page.contains("Throughput of files") && page.contains("streams-table"));
    assert!(
        page.contains("dbdyno streams --target") && page.contains("--form file-system,large-object --request 1048576")
    );
    assert!(!page.contains("--commit-every") && !page.contains("dbdyno run --target"), "the command that repeats it");
    let mut endless = record;
    endless.plan.window_ns = record::Plan::OPEN_WINDOW_NS;
    let page = html(&endless, &Default::default());
    assert!(page.contains("until completion") && !page.contains("168 h"), "no time ended the runs");
}

#[test]
fn what_the_time_cut_off_and_what_lies_elsewhere_is_said() {
    let mut record = both();
    for run in &mut record.runs {
        if let Some(streams) = &mut run.streams {
            (streams.whole_files, streams.requests_per_commit) = (1, 16);
            streams.same_device = streams.same_device.map(|_| false);
        }
    }
    let shown = text(&record, "r.json", Style::default(), 100);
    for words in ["ended by time: 1 of 2 files", "a commit follows every 16 requests", "on another device"] {
        assert!(shown.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "no {words:?} in\n{shown}");
    }
    let line = shown.lines().find(|line| line.contains("large-object") && line.contains("write")).expect("a line");
    assert!(!line.contains(" 50 "), "there is nothing to be held against: {line}");
}

#[test]
fn the_line_of_a_run_and_the_table_tell_the_same_requests() {
    let record = both();
    // Its steps, openings and commits among them, took others.
    assert_ne!(record.runs[0].service.p50_ns, Nanos(4_000_000));
    let line = run_line(&record.runs[0]);
    assert!(line.contains("p50 4.00 ms p99       -"), "{line}");
    assert!(text(&record, "r.json", Style::default(), 100).contains(" 4.00 ms "));
}

#[test]
fn files_that_differ_are_not_said_to_be_the_same() {
    let mut record = both();
    let streams = record.runs[3].streams.as_mut().expect("a run of streams");
    (streams.compared[0].equal, streams.compared[0].size_bytes) = (false, Bytes(u64::MAX));
    let shown = text(&record, "r.json", Style::default(), 100);
    assert!(shown.contains("1 of them DIFFERENT") && !shown.contains("all identical"), "{shown}");
}

#[test]
fn no_line_is_longer_than_the_page() {
    for width in [60, 80, 120] {
        let shown = published_text(&both(), Some("as in a publication"), width);
        for line in shown.lines() {
            assert!(line.chars().count() <= width, "{} at {width}: {line}", line.chars().count());
        }
    }
}

#[test]
fn a_doubt_names_the_whole_test_and_a_form_drives_no_terminal() {
    let mut record = both();
    let run = &mut record.runs[2];
    let test = run.test.clone();
    run.streams.as_mut().expect("a run of streams").form = "\u{1b}[31mred".to_owned();
    run.findings = vec![worded(Verdict::Warn, "this is odd")];
    for width in [60, 100] {
        let shown = text(&record, "r.json", Style::default(), width);
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.replace(';', "").contains(&format!("warning {test} at 2 jobs this is odd")), "{shown}");
        assert!(!shown.contains('\u{1b}') && shown.contains("[31mred"), "{shown:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_was_counted_no_view_panics(
        bytes in any::<u64>(),
        request in any::<u64>(),
        file in any::<u64>(),
        per_commit in any::<u64>(),
        whole in any::<u32>(),
        window in any::<u64>(),
    ) {
        let mut record = both();
        for run in &mut record.runs {
            (run.totals.bytes, run.window_ns) = (Some(Bytes(bytes)), Nanos(window));
            if let Some(streams) = &mut run.streams {
                (streams.request_bytes, streams.file_bytes) = (Bytes(request), Bytes(file));
                (streams.requests_per_commit, streams.whole_files) = (per_commit, whole);
            }
        }
        prop_assert!(text(&record, "r.json", Style::default(), 80).contains("File streams"));
        prop_assert!(html(&record, &Default::default()).contains("File streams"));
    }
}
