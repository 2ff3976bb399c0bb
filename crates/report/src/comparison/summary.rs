//! The summary of a comparison: which system is faster, by how much, whether that can be believed, and what differs.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    ComparedTest, ComparisonOutcome, ComparisonVerdict, Evidence, GeometricMean, MainLimit, System, TestComparison,
};
use record::Ratio;

use super::sentence::{evidence_text, reason_text, warning_text};
use super::words::{self, decide, has_warning, letter, mean, more_pairs, tally};
use super::{ComparisonView, shift};
use crate::figure::percent;
use crate::summary::{limit_text, remedy_text};
use crate::words::{few, plural};

/// Tests, and differences, that are named.
const NAMED_MAX: usize = 3;

/// Sentences under labels; empty without a test in common.
pub(super) fn facts(view: &ComparisonView<'_>) -> Vec<(&'static str, Vec<String>)> {
    let facts = [("ranking", ranking(view)), ("validity", validity(view)), ("differences", differences(view))];
    filled(facts)
}

/// What limits the systems, and what would help.
pub(super) fn limited(view: &ComparisonView<'_>) -> Vec<(&'static str, Vec<String>)> {
    filled([("limits", limits(view)), ("would help", remedies(view))])
}

fn filled<const N: usize>(facts: [(&'static str, Vec<String>); N]) -> Vec<(&'static str, Vec<String>)> {
    facts.into_iter().filter(|(_, sentences)| !sentences.is_empty()).collect()
}

/// Each system against the base: its tests by verdict, and the mean of all of them.
fn ranking(view: &ComparisonView<'_>) -> Vec<String> {
    let of = |index: usize| {
        let mean = view.comparison.means.get(index)?.as_ref().filter(|found| found.tests > 1).map(overall);
        let text: Vec<String> = [counted(view, index), mean].into_iter().flatten().collect();
        (!text.is_empty()).then(|| format!("{} against A: {}", letter(index), text.join("; ")))
    };
    (1..view.systems.len()).filter_map(of).collect()
}

/// The tests by verdict: `1 SLOWER, 2 INCONCLUSIVE of 3 tests`.
fn counted(view: &ComparisonView<'_>, index: usize) -> Option<String> {
    let tally = tally(&view.comparison.tests, index);
    let tests = view.comparison.tests.iter().filter(|test| test.compared_tests.get(index).is_some_and(Option::is_some));
    (!tally.is_empty()).then(|| format!("{tally} of {}", plural(tests.count() as u64, "test")))
}

/// The mean of all tests, and whether it shows a difference.
fn overall(found: &GeometricMean) -> String {
    let text = mean(found);
    match found.interval {
        Some(interval) if interval.low <= 1.0 && interval.high >= 1.0 => format!("no overall difference shown: {text}"),
        Some(_) => format!("overall {text}"),
        None => text,
    }
}

/// How the systems were measured, and what was invalid.
fn validity(view: &ComparisonView<'_>) -> Vec<String> {
    let shifts = view.comparison.tests.iter().flat_map(|test| test.compared_tests.iter().flatten().filter_map(shift));
    let kinds: BTreeSet<String> = shifts.map(|shift| basis(shift.evidence)).collect();
    let invalid = (0..view.systems.len()).filter_map(|index| {
        let has_none = |test: &&TestComparison| {
            test.sides.get(index).and_then(Option::as_ref).is_some_and(|side| side.best.is_none())
        };
        let count = view.comparison.tests.iter().filter(has_none).count();
        (count > 0).then(|| format!("{} has no valid result of {}", letter(index), plural(count as u64, "test")))
    });
    let pairing = (1..view.systems.len()).flat_map(|index| words::steadiness(view, index));
    let how = kinds.into_iter().chain(pairing);
    how.chain(invalid).chain(incomparable(view)).chain(undecided(view)).chain(warned(view)).collect()
}

/// What decides the inconclusive tests.
fn undecided(view: &ComparisonView<'_>) -> Option<String> {
    let open = view.compared_tests().filter(|(_, _, compared)| {
        shift(compared).is_some_and(|shift| shift.interval.is_some())
            && compared.outcome.verdict() == Some(ComparisonVerdict::Inconclusive)
    });
    let (named, compared): (Vec<String>, Vec<&ComparedTest>) =
        open.map(|(test, _, compared)| (test.code.clone(), compared)).unzip();
    let margin = percent(Ratio(view.comparison.margin));
    let all_known = compared.iter().all(|compared| more_pairs(compared).is_some());
    let most = compared.into_iter().max_by_key(|compared| more_pairs(compared)).and_then(decide);
    let most = most.filter(|_| all_known);
    let most = most.map(|text| format!("; {text}")).unwrap_or_default();
    (!named.is_empty()).then(|| {
        format!("INCONCLUSIVE ({}): not decided whether the rates differ by more than {margin}{most}", few(&named))
    })
}

/// Warnings about verdicts, each once.
fn warned(view: &ComparisonView<'_>) -> Vec<String> {
    let mut tests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (test, _, compared) in view.compared_tests().filter(|(_, _, compared)| has_warning(compared)) {
        if let Some(warning) = &compared.warning {
            tests.entry(warning_text(warning)).or_default().push(test.code.clone());
        }
    }
    let more = tests.len().saturating_sub(NAMED_MAX);
    let more = (more > 0).then(|| format!("and {} more (--details)", plural(more as u64, "warning")));
    let text = |(warning, tests): (String, Vec<String>)| format!("warning ({}): {warning}", few(&tests));
    tests.into_iter().take(NAMED_MAX).map(text).chain(more).collect()
}

/// The limits of the main results of each system that are compared.
fn limits(view: &ComparisonView<'_>) -> Vec<String> {
    of_each(view, |limit| Some(limit_text(limit)))
}

/// What would help each system.
fn remedies(view: &ComparisonView<'_>) -> Vec<String> {
    of_each(view, remedy_text)
}

fn of_each(view: &ComparisonView<'_>, text: impl Fn(&MainLimit) -> Option<String>) -> Vec<String> {
    let is_compared = |limit: &&MainLimit| view.comparison.tests.iter().any(|test| test.code == limit.test);
    let of = |(index, system): (usize, &System)| {
        let texts = system.limits.iter().filter(is_compared).filter_map(&text);
        texts.map(|text| format!("{}: {text}", letter(index))).collect::<Vec<String>>()
    };
    view.systems.iter().enumerate().flat_map(of).collect()
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
fn basis(evidence: Evidence) -> String {
    let text = match evidence {
        Evidence::Paired { pairs } => return format!("measured alternately, in {}", plural(pairs as u64, "pair")),
        Evidence::Unpaired { .. } => {
            "unpaired: the machine may have changed between the two; dbdyno pair measures both alternately"
        }
        Evidence::Single => {
            "single runs, an estimate: how well they repeat is not known, and there is no verdict; use dbdyno pair, or \
             --repeats 6"
        }
        Evidence::Published => evidence_text(evidence),
    };
    text.to_owned()
}

/// The first facts that differ.
fn differences(view: &ComparisonView<'_>) -> Vec<String> {
    let all = words::differences(view);
    let shown = all.iter().take(NAMED_MAX).map(|(difference, values)| {
        let sides = values.iter().enumerate().map(|(index, value)| format!("{} {value}", letter(index)));
        format!("{}: {}", difference.name, sides.collect::<Vec<_>>().join("; "))
    });
    let more = all.len().saturating_sub(NAMED_MAX);
    shown.chain((more > 0).then(|| format!("and {more} more (--details)"))).collect()
}
