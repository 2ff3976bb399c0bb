//! A record on one screen.

use dbdyno_report::{ShortText, Style, short_text};
use record::{Outcome, Record, Verdict};

use crate::{finding_sample, sample};

const SHOWN: ShortText<'_> = ShortText { path: "r.jsonl", page: Some("r.html"), only_sheet: false };

/// Tests that no preset knows, each without a result, and all findings for each run of the others.
fn crowded() -> Record {
    let mut record = sample::record();
    let findings = finding_sample::all().into_iter().filter(|finding| finding.verdict == Verdict::Warn);
    let findings: Vec<_> = findings.collect();
    for run in &mut record.runs {
        run.findings.clone_from(&findings);
    }
    let failed = record.runs[0].clone();
    for number in 1..=40 {
        let mut run = failed.clone();
        run.number = record.runs.len() as u32 + 1;
        run.test = format!("X{number}");
        run.outcome = Outcome::Failed { message: format!("the server closed session {number}") };
        record.runs.push(run);
    }
    record
}

#[test]
fn rows_and_warnings_are_left_out_until_it_fits() {
    let text = short_text(&crowded(), &SHOWN, Style::default(), 80);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() <= 60, "{} lines\n{text}", lines.len());
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    for part in ["\nWorkloads ", "\nOLTP select", " X1\n", "more tests (--details)", "\nrecord    r.jsonl\n"] {
        assert!(text.contains(part), "no {part:?}\n{text}");
    }
}

#[test]
fn all_is_shown_where_there_is_room() {
    let text = short_text(&sample::record(), &SHOWN, Style::default(), 80);
    assert!(text.lines().count() <= 60, "{text}");
    assert!(!text.contains("more tests (--details)"), "{text}");
}

#[test]
fn of_many_tests_that_quick_does_not_know_some_are_shown() {
    let mut record = sample::record();
    let run = record.runs.iter().find(|run| run.test == "T131").unwrap().clone();
    record.runs = (1..=30).map(|number| record::Run { number, test: format!("X{number}"), ..run.clone() }).collect();
    record.runs[29].outcome = Outcome::Failed { message: "the server closed the session".to_owned() };
    let text = short_text(&record, &SHOWN, Style::default(), 80);
    assert!(text.contains(" X30\n") && text.contains(" X18\n"), "{text}");
    assert!(text.contains("and 11 more tests (--details)"), "{text}");
}
