//! The sentences of the self-checks.

use std::collections::BTreeSet;

use dbdyno_report::finding_text;
use record::{Check, Finding, Verdict};

use crate::finding_sample::{all, steal};

#[test]
fn every_sentence_is_as_it_was_reviewed() {
    let word = |verdict| match verdict {
        Verdict::Pass => "ok",
        Verdict::Unknown => "?",
        Verdict::Warn => "!",
        Verdict::Fail => "invalid",
    };
    let line =
        |finding: &Finding| format!("{:?} {}: {}", finding.check(), word(finding.verdict), finding_text(finding));
    insta::assert_snapshot!(all().iter().map(line).collect::<Vec<_>>().join("\n"));
}

#[test]
fn sentences_are_clauses_and_each_check_has_one() {
    let all = all();
    for text in all.iter().map(finding_text) {
        assert!(!text.is_empty() && !text.ends_with('.') && !text.contains("  "), "{text:?}");
    }
    let checks: BTreeSet<Check> = all.iter().map(Finding::check).collect();
    assert_eq!(checks.len(), Check::ALL.len(), "{checks:?}");
}

#[test]
fn parts_that_show_the_same_are_counted() {
    let many = Finding { others: 2, ..steal(Verdict::Warn, 12.0) };
    assert_eq!(finding_text(&many), "CPU steal 1.2 %; limit 0.5 % (and 2 more like it)");
    let of_host = Finding { agent: Some("h2".to_owned()), ..many };
    assert_eq!(finding_text(&of_host), "agent h2: CPU steal 1.2 %; limit 0.5 % (and 2 more like it)");
}
