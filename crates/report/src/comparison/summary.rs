//! The summary of a comparison: which system is faster, by how much, whether that can be believed, and what differs.

use std::collections::{BTreeMap, BTreeSet};

use model::{ComparisonOutcome, Evidence, MAIN_TESTS, TestComparison};

use super::sentence::{evidence_text, reason_text};
use super::words::{self, change, ends, letter, mean, tally, verdict};
use super::{ComparisonView, shift};
use crate::figure::number;
use crate::layout::{Align, Head, Table, clean, cut, labelled};
use crate::style::Ink;
use crate::words::{plural, unit_per_second};

/// Column of the texts.
const INDENT: usize = 12;

/// Tests, and differences, that are named.
const NAMED_MAX: usize = 3;

/// Sentences under labels; empty without a test in common.
pub(super) fn facts(view: &ComparisonView<'_>) -> Vec<(&'static str, Vec<String>)> {
    let mut facts = vec![
        ("ranking", ranking(view)),
        ("results", results(view)),
        ("validity", validity(view)),
        ("differences", differences(view)),
    ];
    facts.retain(|(_, sentences)| !sentences.is_empty());
    facts
}

/// The same as lines for the terminal.
pub(super) fn lines(view: &ComparisonView<'_>, width: usize) -> Vec<String> {
    labelled(facts(view), INDENT, width)
}

/// Each system against the base.
fn ranking(view: &ComparisonView<'_>) -> Vec<String> {
    let of = |index: usize| {
        let tally = tally(&view.comparison.tests, index);
        let mean = view.comparison.means.get(index)?.as_ref().filter(|found| found.tests > 1).map(mean);
        let text: Vec<String> = [Some(tally).filter(|tally| !tally.is_empty()), mean].into_iter().flatten().collect();
        Some(format!("{} against A: {}", letter(index), text.join("; ")))
    };
    (1..view.systems.len()).filter_map(of).collect()
}

/// The rates of the main tests, and their change.
fn results(view: &ComparisonView<'_>) -> Vec<String> {
    let place =
        |test: &TestComparison| MAIN_TESTS.iter().position(|main| *main == test.code).unwrap_or(MAIN_TESTS.len());
    let has_ratio = |test: &TestComparison| test.compared_tests.iter().flatten().any(|one| shift(one).is_some());
    // Those with a ratio first, the most telling of them before the others.
    let mut tests: Vec<&TestComparison> = view.comparison.tests.iter().collect();
    tests.sort_by_key(|test| (!has_ratio(test), place(test)));
    tests.into_iter().take(NAMED_MAX).map(|test| result(view, test)).collect()
}

fn result(view: &ComparisonView<'_>, test: &TestComparison) -> String {
    let title = clean(&test.title);
    let short = title.split(',').next().unwrap_or_default();
    let side = |index: usize| {
        let side = test.sides.get(index)?.as_ref()?;
        let rate = side.best.as_ref().map_or_else(|| "invalid".to_owned(), |best| number(best.rate.0));
        let compared = test.compared_tests.get(index).and_then(Option::as_ref);
        let found = compared.and_then(shift).map(|shift| {
            let interval = shift.interval.map(|interval| format!(" ({})", ends(interval))).unwrap_or_default();
            format!(" {}{interval}", change(shift.ratio))
        });
        let word = compared.map(|compared| format!(" {}", verdict(compared))).unwrap_or_default();
        Some(format!("{} {rate}{}{word}", letter(index), found.unwrap_or_default()))
    };
    let sides: Vec<String> = (0..view.systems.len()).filter_map(side).collect();
    format!("{} {short}, {}: {}", clean(&test.code), unit_per_second(test.unit), sides.join("; "))
}

/// How the systems were measured, and what was invalid.
fn validity(view: &ComparisonView<'_>) -> Vec<String> {
    let shifts = view.comparison.tests.iter().flat_map(|test| test.compared_tests.iter().flatten().filter_map(shift));
    let kinds: BTreeSet<&str> = shifts.map(|shift| basis(shift.evidence)).collect();
    let invalid = (0..view.systems.len()).filter_map(|index| {
        let has_none = |test: &&TestComparison| {
            test.sides.get(index).and_then(Option::as_ref).is_some_and(|side| side.best.is_none())
        };
        let count = view.comparison.tests.iter().filter(has_none).count();
        (count > 0).then(|| format!("{} has no valid result of {}", letter(index), plural(count as u64, "test")))
    });
    kinds.into_iter().map(str::to_owned).chain(invalid).chain(incomparable(view)).collect()
}

/// Why tests cannot be compared, the reason of most tests first.
fn incomparable(view: &ComparisonView<'_>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for compared in view.comparison.tests.iter().flat_map(|test| test.compared_tests.iter().flatten()) {
        if let ComparisonOutcome::Incomparable { reasons } = &compared.outcome {
            reasons.iter().for_each(|reason| *counts.entry(reason_text(reason)).or_default() += 1);
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let text = |(reason, count): (String, usize)| format!("{} not comparable: {reason}", plural(count as u64, "test"));
    counts.into_iter().take(NAMED_MAX).map(text).collect()
}

/// How two systems were measured, and what gives more certainty.
fn basis(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Paired { .. } => "measured alternately, in pairs",
        Evidence::Unpaired { .. } => {
            "unpaired: the machine may have changed between the two; dbdyno pair measures both alternately"
        }
        Evidence::Single => {
            "single runs: how well they repeat is not known, and there is no verdict; use dbdyno pair, or --repeats 6"
        }
        Evidence::Published => evidence_text(evidence),
    }
}

/// The first facts that differ.
fn differences(view: &ComparisonView<'_>) -> Vec<String> {
    let all = words::differences(view);
    let shown = all.iter().take(NAMED_MAX).map(|(difference, values)| {
        let sides = values.iter().enumerate().map(|(index, value)| format!("{} {value}", letter(index)));
        format!("{}: {}", clean(&difference.name), sides.collect::<Vec<_>>().join("; "))
    });
    let more = all.len().saturating_sub(NAMED_MAX);
    shown.chain((more > 0).then(|| format!("and {more} more (--details)"))).collect()
}

/// The place of the title among the columns.
const TITLE: usize = 1;

/// The columns of the short table: code, title, system, unit, both rates, change, interval, verdict.
const HEADS: [Head; 9] = [
    (&["test"], Align::Left),
    (&[""], Align::Left),
    (&[""], Align::Left),
    (&["unit"], Align::Left),
    (&["A"], Align::Right),
    (&["other"], Align::Right),
    (&["change"], Align::Right),
    (&["95 % interval"], Align::Left),
    (&["verdict"], Align::Left),
];

/// A line for each test and system, for `width` columns.
pub(super) fn table(view: &ComparisonView<'_>, width: usize) -> Table {
    let mut rows: Vec<(Vec<String>, Option<Ink>)> = Vec::new();
    for test in &view.comparison.tests {
        for index in 1..view.systems.len() {
            let Some(compared) = test.compared_tests.get(index).and_then(Option::as_ref) else { continue };
            let rate = |index: usize| {
                let best = test.sides.get(index).and_then(Option::as_ref).and_then(|side| side.best.as_ref());
                best.map_or_else(|| "invalid".to_owned(), |best| number(best.rate.0))
            };
            let found = shift(compared);
            let cells = vec![
                cut(&clean(&test.code), INDENT),
                clean(&test.title),
                letter(index),
                unit_per_second(test.unit).to_owned(),
                rate(0),
                rate(index),
                found.map_or_else(String::new, |shift| change(shift.ratio)),
                found.and_then(|shift| shift.interval).map_or_else(String::new, ends),
                compared.outcome.word().to_owned(),
            ];
            rows.push((cells, None));
        }
    }
    Table::fitted(&HEADS, rows, TITLE, width)
}
