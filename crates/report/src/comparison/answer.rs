//! The answer of a comparison: which system is faster, how far that can be believed, and what decides the rest.

use std::collections::BTreeSet;

use model::{ComparedTest, ComparisonOutcome, ComparisonVerdict, Evidence};
use record::Ratio;

use super::words::{self, decide, has_warning, is_estimate, is_unpaired, letter, more_pairs};
use super::{ComparisonView, shift};
use crate::document::{Block, Note, Text, Tone};
use crate::figure::percent;
use crate::words::{capital, few, plural};

/// Absent without a test in common.
pub(super) fn answer(view: &ComparisonView<'_>) -> Option<Block> {
    let titles: Vec<String> = (1..view.systems.len()).filter_map(|index| title(view, index)).collect();
    let tone = if view.compared_tests().all(|(_, _, compared)| is_sure(compared)) { Tone::Good } else { Tone::Warning };
    let sentences = measured(view).into_iter().chain(undecided(view));
    let sentences = sentences.map(|sentence| Text::from(format!("{}.", capital(&sentence)))).collect();
    let title = titles.join(". ");
    (!title.is_empty()).then(|| Block::Answer(Note { tone, title: format!("{title}."), sentences }))
}

/// Whether `compared` has a verdict that nothing speaks against.
fn is_sure(compared: &ComparedTest) -> bool {
    let verdict = compared.outcome.verdict();
    verdict.is_some_and(|verdict| verdict != ComparisonVerdict::Inconclusive)
        && !is_unpaired(compared)
        && !has_warning(compared)
}

/// The tests of the system at `index` by verdict: `B against A: faster in 2 of 3 tests, not decided in 1`.
fn title(view: &ComparisonView<'_>, index: usize) -> Option<String> {
    let of_system = view.compared_tests().filter(|(_, system, _)| *system == index);
    let compared: Vec<&ComparedTest> = of_system.map(|(_, _, compared)| compared).collect();
    let judged = |verdict: ComparisonVerdict| {
        compared.iter().filter(|one| one.outcome.verdict() == Some(verdict) && !is_estimate(one)).count()
    };
    let is_incomparable = |one: &ComparedTest| matches!(one.outcome, ComparisonOutcome::Incomparable { .. });
    let clauses = [
        ("faster".to_owned(), judged(ComparisonVerdict::Faster)),
        ("slower".to_owned(), judged(ComparisonVerdict::Slower)),
        (
            format!("equivalent within {}", percent(Ratio(view.comparison.margin))),
            judged(ComparisonVerdict::Equivalent),
        ),
        ("not decided".to_owned(), judged(ComparisonVerdict::Inconclusive)),
        (estimated(&compared), compared.iter().filter(|one| is_estimate(one)).count()),
        (
            "published, without a verdict,".to_owned(),
            compared.iter().filter(|one| one.outcome == ComparisonOutcome::Unjudged).count(),
        ),
        ("not comparable".to_owned(), compared.iter().filter(|one| is_incomparable(one)).count()),
    ];
    let all = plural(compared.len() as u64, "test");
    let clauses = clauses.into_iter().filter(|(_, count)| *count > 0).enumerate();
    let clauses: Vec<String> = clauses
        .map(|(place, (clause, count))| match place {
            0 => format!("{clause} in {count} of {all}"),
            _ => format!("{clause} in {count}"),
        })
        .collect();
    (!clauses.is_empty()).then(|| format!("{} against A: {}", letter(index), clauses.join(", ")))
}

/// How far apart single runs are.
fn estimated(compared: &[&ComparedTest]) -> String {
    let estimates = compared.iter().filter(|one| is_estimate(one));
    let ratios = estimates.filter_map(|one| shift(one)).map(|shift| shift.ratio);
    let (low, high) = ratios.fold((f64::INFINITY, 0.0_f64), |(low, high), ratio| (low.min(ratio), high.max(ratio)));
    match low < high {
        true => format!("without a verdict ({} to {} by single runs)", words::change(low), words::change(high)),
        false => format!("without a verdict ({} by single runs)", words::change(high)),
    }
}

/// How the systems were measured.
fn measured(view: &ComparisonView<'_>) -> Vec<String> {
    let shifts = view.compared_tests().filter_map(|(_, _, compared)| shift(compared));
    let kinds: BTreeSet<String> = shifts.filter_map(|shift| basis(shift.evidence)).collect();
    let of_pair = |index: usize| words::loss(view, index).into_iter().chain(words::steadiness(view, index));
    let pairing = (1..view.systems.len()).flat_map(of_pair);
    kinds.into_iter().chain(pairing).collect()
}

/// How two systems were measured, and what gives more certainty; nothing of published figures.
fn basis(evidence: Evidence) -> Option<String> {
    let text = match evidence {
        Evidence::Paired { pairs } => {
            return Some(format!("measured alternately, in {}", plural(pairs as u64, "pair")));
        }
        Evidence::Unpaired { .. } => {
            "unpaired: the machine may have changed between the two; dbdyno pair measures both alternately"
        }
        Evidence::Single => {
            "single runs, an estimate: how well they repeat is not known; dbdyno pair, or --repeats 6, gives a verdict"
        }
        Evidence::Published => return None,
    };
    Some(text.to_owned())
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
    let most = most.filter(|_| all_known).map(|text| format!("; {text}")).unwrap_or_default();
    (!named.is_empty())
        .then(|| format!("not decided ({}): whether the rates differ by more than {margin}{most}", few(&named)))
}
