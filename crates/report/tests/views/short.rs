//! A record on one screen.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use dbdyno_report::{Beside, SheetOptions, ShortText, Style, sheet, short_text};
use model::System;
use record::{Outcome, Record, Verdict};

use crate::{finding_sample, sample};

const SHOWN: ShortText<'_> = ShortText { path: "r.jsonl", page: Some("r.html"), only_sheet: false, beside: None };

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
    let mut record = sample::record();
    // Each row with a warning has a line for it.
    record.runs.iter_mut().for_each(|run| run.findings.clear());
    let text = short_text(&record, &SHOWN, Style::default(), 80);
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

fn of_repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The first screen of the stored record that the documents show.
fn of_sample() -> String {
    let record = store::read(&of_repository("docs/src/samples/quick.jsonl")).unwrap();
    short_text(&record, &SHOWN, Style::default(), 80)
}

#[test]
fn the_first_screen_of_a_stored_record() {
    insta::assert_snapshot!(of_sample());
}

#[test]
fn each_workload_says_how_much_faster_it_is_than_beside_it() {
    let [base, other] = ["pair-a", "pair-b"]
        .map(|name| store::read(&of_repository(&format!("docs/src/samples/{name}.jsonl"))).unwrap());
    let named = |record: &Record| System { name: "old".to_owned(), ..model::system(record) };
    let beside = Beside::of(&other, named(&base));
    assert!(beside.is_comparable());
    let words = |shown: &ShortText<'_>| {
        short_text(&other, shown, Style::default(), 80).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = words(&ShortText { beside: Some(&beside), ..SHOWN });
    // The changes of the two sides, as a comparison has them, and their verdicts.
    assert_eq!(text.matches(" against old (").count(), 3, "{text}");
    assert!(text.contains(" %): SLOWER"), "{text}");
    assert!(!words(&SHOWN).contains("beside"));
    let options = SheetOptions { path: "r.jsonl", beside: Some(&beside), ..SheetOptions::default() };
    let sheet = sheet(&other, &options);
    for view in [sheet.text(Style::default(), 80), sheet.html(), sheet.markdown()] {
        assert!(view.contains("against old"), "{view}");
    }
}

#[test]
fn the_excerpts_of_the_documents_are_those_of_the_stored_record() {
    let text = of_sample();
    let lines: HashSet<&str> = text.lines().collect();
    for document in ["README.md", "docs/src/tutorial.md", "docs/src/reading/sheet.md"] {
        let words = fs::read_to_string(of_repository(document)).unwrap();
        let blocks = words.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
        let of_screen = blocks.filter(|block| {
            // A comparison begins with a box as well.
            (block.starts_with('┌') && !block.contains(" against A")) || block.contains("Workloads ──")
        });
        let shown: Vec<&str> = of_screen.flat_map(str::lines).filter(|line| *line != "...").collect();
        assert!(shown.len() > 10, "{document} has no excerpt");
        for line in shown {
            assert!(lines.contains(line), "{document}: {line:?} is not in\n{text}");
        }
    }
}
