//! The summary of a comparison: what was not comparable or is in doubt, what differs, and what limits the systems.

use std::collections::BTreeMap;

use model::{ComparisonOutcome, GeometricMean, MainLimit, System, TestComparison};

use super::ComparisonView;
use super::sentence::{reason_text, warning_text};
use super::words::{self, has_warning, letter, mean};
use crate::summary::{limit_text, remedy_text};
use crate::words::{few, plural};

/// Tests, and differences, that are named.
const NAMED_MAX: usize = 3;

/// Sentences under labels; empty without a test in common.
pub(super) fn facts(view: &ComparisonView<'_>) -> Vec<(&'static str, Vec<String>)> {
    filled([("validity", validity(view)), ("differences", differences(view)), ("all tests", means(view))])
}

/// What limits the systems, and what would help.
pub(super) fn limited(view: &ComparisonView<'_>) -> Vec<(&'static str, Vec<String>)> {
    filled([("limits", limits(view)), ("would help", remedies(view))])
}

fn filled<const N: usize>(facts: [(&'static str, Vec<String>); N]) -> Vec<(&'static str, Vec<String>)> {
    facts.into_iter().filter(|(_, sentences)| !sentences.is_empty()).collect()
}

/// Each system against the base in the mean of all tests.
fn means(view: &ComparisonView<'_>) -> Vec<String> {
    let of = |index: usize| {
        let mean = view.comparison.means.get(index)?.as_ref().filter(|found| found.tests > 1).map(overall)?;
        Some(format!("{} against A: {mean}", letter(index)))
    };
    (1..view.systems.len()).filter_map(of).collect()
}

/// The mean of all tests, and whether it shows a difference.
fn overall(found: &GeometricMean) -> String {
    let text = mean(found);
    match found.interval {
        Some(interval) if interval.low <= 1.0 && interval.high >= 1.0 => format!("no difference shown: {text}"),
        _ => text,
    }
}

/// What was invalid, not comparable or in doubt.
fn validity(view: &ComparisonView<'_>) -> Vec<String> {
    let invalid = (0..view.systems.len()).filter_map(|index| {
        let has_none = |test: &&TestComparison| {
            test.sides.get(index).and_then(Option::as_ref).is_some_and(|side| side.best.is_none())
        };
        let count = view.comparison.tests.iter().filter(has_none).count();
        (count > 0).then(|| format!("{} has no valid result of {}", letter(index), plural(count as u64, "test")))
    });
    invalid.chain(incomparable(view)).chain(warned(view)).collect()
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
