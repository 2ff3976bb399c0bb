//! The views of storage runs.

use dbdyno_report::{ShortText, Style, io_csv, io_plan_text, results, run_line, short_text};
use record::{Finding, IoKind, IoPlan, IoStream, Pace, Record, Verdict};

use crate::drawn::text;
use crate::{sample, storage_sample};

const PLACE: &str = "dbdyno-20260131-120000-db1.jsonl";

fn plain(record: &Record, width: usize) -> String {
    text(record, PLACE, Style::default(), width)
}

#[test]
fn storage_at_80_columns() {
    insta::assert_snapshot!(plain(&storage_sample::io(), 80));
}

#[test]
fn a_plan_of_storage_in_words() {
    insta::assert_snapshot!(io_plan_text(&storage_sample::plan(), 80));
}

#[test]
fn the_highest_rate_that_keeps_a_service_level() {
    insta::assert_snapshot!(plain(&storage_sample::search(), 80));
}

#[test]
fn a_calibration_at_80_columns() {
    insta::assert_snapshot!(plain(&storage_sample::calibration(), 80));
}

#[test]
fn heads_of_streams_state_their_unit() {
    let head = io_csv(&Record { runs: Vec::new(), ..storage_sample::io() });
    insta::assert_snapshot!(head.trim().replace(',', "\n"));
}

#[test]
fn no_line_is_wider_than_the_page() {
    let records = [storage_sample::io(), storage_sample::search(), storage_sample::calibration()];
    for (width, record) in
        [80, 100, 120].into_iter().flat_map(|width| records.iter().map(move |record| (width, record)))
    {
        for line in plain(record, width).lines() {
            assert!(line.chars().count() <= width, "{} columns of {width}: {line}", line.chars().count());
        }
    }
}

#[test]
fn every_view_can_be_drawn_in_ascii() {
    let style = Style { colour: false, ascii: true };
    assert!(text(&storage_sample::io(), PLACE, style, 80).is_ascii());
    let bars = text(&storage_sample::calibration(), PLACE, style, 80);
    assert!(bars.is_ascii() && bars.contains("####"), "{bars}");
}

#[test]
fn an_invalid_run_has_no_figures_in_any_table() {
    let view = plain(&storage_sample::io(), 80);
    let lines: Vec<Vec<&str>> = view.lines().map(|line| line.split_whitespace().collect()).collect();
    let of_invalid: Vec<&Vec<&str>> = lines.iter().filter(|line| line.starts_with(&["4", "nvme"])).collect();
    assert_eq!(of_invalid, [&["4", "nvme", "randread", "4", "KiB", "16", "16", "invalid"]]);
    let table = io_csv(&storage_sample::io());
    let mut reader = ::csv::Reader::from_reader(table.as_bytes());
    let first = reader.headers().unwrap().iter().position(|name| name == "operations_per_second").unwrap();
    let rows: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 10, "a line for each stream");
    assert!(rows[9].iter().skip(first).all(str::is_empty) && rows[9].iter().any(|cell| cell == "fail"));
    assert_eq!(&rows[0][first], "250000");
}

#[test]
fn a_record_of_storage_alone_has_no_sheet() {
    for record in [storage_sample::io(), storage_sample::search(), storage_sample::calibration()] {
        assert_eq!(text(&record, PLACE, Style::default(), 80), plain(&record, 80));
    }
    let empty = Record { runs: Vec::new(), ..storage_sample::io() };
    assert!(text(&empty, PLACE, Style::default(), 80).contains("no run is finished"));
}

#[test]
fn the_sheet_of_a_platform_shows_its_storage_runs_too() {
    let sheet = text(&storage_sample::mixed_record(), PLACE, Style::default(), 80);
    let after = sheet.split_once("\nProcessors\n").unwrap().1;
    assert!(after.contains("I/O jobs") && after.contains(" 40  S21  randread  8 KiB"), "{after}");
    assert!(sheet.contains("T611") && after.contains("Storage: details"));
    assert!(!text(&sample::record(), PLACE, Style::default(), 80).contains("I/O jobs"));
}

/// A run of `streams`, with their I/O as its totals.
fn of(name: &str, streams: Vec<IoStream>) -> Record {
    storage_sample::record(vec![storage_sample::run(1, name, name, streams)], None)
}

#[test]
fn jobs_at_once_are_named_as_their_sum() {
    let stream = |job: &str, kind| storage_sample::stream(job, kind, 1_000, 4_096, 1, 16);
    let record = of("a, b", vec![stream("a", IoKind::Read), stream("b", IoKind::Write)]);
    let [sentence] = &results(&record)[..] else { panic!("one result") };
    assert!(sentence.starts_with("a and b together: ") && sentence.contains("ran at the same time"), "{sentence}");
    let one = of("a", vec![stream("a", IoKind::Read)]);
    assert!(results(&one)[0].starts_with("a (randread, 4 KiB): "), "{:?}", results(&one));
    let jobs = ["a", "b", "c", "d", "e"];
    let many = of("a, b", jobs.map(|job| stream(job, IoKind::Read)).into());
    assert!(results(&many)[0].starts_with("a, b, c and 2 more together: "), "{:?}", results(&many));
}

#[test]
fn a_line_of_several_jobs_has_their_names() {
    let short = |jobs: &[&str]| {
        let name = IoStream::name_of(jobs.iter().copied());
        let record = of("group", vec![storage_sample::stream(&name, IoKind::Read, 5_100, 4_096, 2, 1)]);
        let shown = ShortText { path: "r.jsonl", page: None, only_sheet: true, beside: None };
        short_text(&record, &shown, Style::default(), 80)
    };
    assert!(short(&["cold", "hot", "cold"]).contains("\ncold, hot "), "{}", short(&["cold", "hot"]));
    assert!(short(&["cold", "hot", "warm"]).contains("\ncold and 2 more "), "{}", short(&["cold", "hot", "warm"]));
}

#[test]
fn a_write_and_its_sync_stand_side_by_side() {
    let stream = |kind, rate| storage_sample::stream("a", kind, rate, 4_096, 1, 1);
    let record = of("a", vec![stream(IoKind::Write, 8_000), stream(IoKind::Sync, 4_000)]);
    let [sentence] = &results(&record)[..] else { panic!("one result") };
    assert!(sentence.contains("write p50 ") && sentence.contains("sync p50 "), "{sentence}");
    assert!(sentence.contains("--commit"), "{sentence}");
    assert!(run_line(&record.runs[0]).contains(" sync "), "{}", run_line(&record.runs[0]));
}

#[test]
fn jobs_with_a_pace_have_response_times_by_name() {
    let mut paced = storage_sample::stream("a", IoKind::Read, 1_000, 4_096, 1, 16);
    paced.pace = Pace::ThinkTime { think_ns: record::Nanos(1_000) };
    let record = of("a", vec![paced]);
    assert!(results(&record)[0].contains("response time p"), "{:?}", results(&record));
    let shown = ShortText { path: "r.jsonl", page: None, only_sheet: true, beside: None };
    let short = short_text(&record, &shown, Style::default(), 80);
    assert!(short.contains("service") && short.contains("response"), "{short}");
}

#[test]
fn a_search_says_where_its_answer_is_open() {
    let search = |rates: &[u32], begin: &str| {
        let mut record = storage_sample::search();
        record.runs.retain(|run| rates.contains(&run.number));
        let view = plain(&record, 80);
        let part = view.lines().skip_while(|line| !line.starts_with("Highest rate")).nth(1).unwrap_or_default().trim();
        assert!(part.starts_with(begin), "{part}");
    };
    search(&[1, 3, 6, 4], "4.000 k I/Os per second meet p99=1ms, 6.700 k miss it, near ");
    search(&[1, 3], "at least 4.000 k I/Os per second meet p99=1ms, and no higher rate was");
    search(&[6, 4], "even 6.700 k I/Os per second miss p99=1ms; ");
}

#[test]
fn a_rate_that_once_kept_and_once_did_not_does_not_keep() {
    let mut record = storage_sample::search();
    let mut again = record.runs[6].clone();
    again.number = 8;
    again.findings.iter_mut().for_each(|finding: &mut Finding| finding.verdict = Verdict::Warn);
    record.runs.push(again);
    let view = plain(&record, 80);
    assert!(view.contains("4.000 k I/Os per second meet p99=1ms, 5.600 k miss it"), "{view}");
}

#[test]
fn an_empty_plan_has_a_view() {
    let view = io_plan_text(&IoPlan::default(), 80);
    assert!(view.contains("writes      nothing"), "{view}");
}
