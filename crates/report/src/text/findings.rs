//! What is in doubt, in words: what the self-checks of the runs say when they do not pass, runs that broke off, and
//! tests that were skipped.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use model::Line;
use record::{Check, Dop, Finding, Location, Outcome, Placement, Record, Run, Skipped, Verdict};

use crate::figure::three_digits;
use crate::finding::finding_text;
use crate::layout::{clean, cut, paragraph};
use crate::plan::degrees;
use crate::style::{Ink, Style};
use crate::words::{CODE_MAX, list, mark, short_code};

/// Column of the texts.
const INDENT: usize = 12;

/// Column of the reasons why tests were skipped.
const SKIPPED_INDENT: usize = 7;

/// More tests than these are not named: the reader would not read them.
const TESTS_NAMED_MAX: usize = 12;

/// Doubts that are told; the gravest stand first.
const DOUBTS_MAX: usize = 100;

/// A doubt that several runs share.
struct Doubt<'a> {
    verdict: Verdict,
    /// Absent where the run broke off.
    check: Option<Check>,
    detail: Cow<'a, str>,
    /// The tests that it is about, with the degrees at which it was found; the first is the one `detail` is of.
    tests: Vec<(&'a str, Vec<Dop>)>,
    /// Whether the other tests say it with other figures.
    others_differ: bool,
}

/// The findings that are not a pass, the gravest first. What several runs say in the same words is said once; where
/// the runs of one test differ only in their figures, the last one speaks.
pub(super) fn findings(record: &Record, style: Style, width: usize) -> Vec<String> {
    let mut doubts = by_words(record);
    merge_within_tests(&mut doubts);
    merge_across_tests(&mut doubts);
    doubts.sort_by_key(|doubt| std::cmp::Reverse(doubt.verdict));
    let mut lines = Vec::new();
    let runs = runs_by_test(record);
    for doubt in doubts.iter().take(DOUBTS_MAX) {
        let mut tests = doubt.tests.iter().map(|(test, _)| cut(&clean(test), CODE_MAX));
        let first = tests.next().unwrap_or_default();
        let (code, of) = short_code(&first);
        let (label, rest) = match (doubt.tests.len(), doubt.others_differ) {
            (0 | 1, _) => (code, of),
            (count, _) if count > TESTS_NAMED_MAX => (format!("{count} tests"), String::new()),
            (count, true) => (format!("{count} tests"), format!(" ({first}; in like manner {})", list(tests))),
            (count, false) => (format!("{count} tests"), format!(" ({})", list([first].into_iter().chain(tests)))),
        };
        let label = format!("  {:<5}{label}", mark(doubt.verdict));
        let broken = if doubt.check.is_none() { "broke off: " } else { "" };
        let text = format!("{}{broken}{}{rest}", place(&runs, doubt), doubt.detail);
        let indent = INDENT.max(label.chars().count() + 1);
        let ink = match doubt.verdict {
            Verdict::Fail => Some(Ink::Invalid),
            Verdict::Warn => Some(Ink::Warning),
            Verdict::Unknown | Verdict::Pass => None,
        };
        lines.extend(paragraph(&label, indent, &text, width).iter().enumerate().map(|(index, line)| match ink {
            Some(ink) if index == 0 => style.paint(line, ink),
            _ => line.clone(),
        }));
    }
    let more = doubts.len().saturating_sub(DOUBTS_MAX);
    lines.extend((more > 0).then(|| format!("  and {more} more: the record has them")));
    lines.extend(leaps(record, style, width));
    lines
}

/// How many runs each test has.
fn runs_by_test(record: &Record) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    record.runs.iter().for_each(|run| *counts.entry(run.test.as_str()).or_default() += 1);
    counts
}

/// What else can make a single job slow, where no other process is at the other end that could lie elsewhere.
const ALONE: &str = "the single job was slowed down by something else; repeat";

/// Tests whose gain is more than jobs can explain.
fn leaps(record: &Record, style: Style, width: usize) -> Vec<String> {
    let kernel = record.plan.placement == Placement::Kernel;
    let has_server = record.engine.as_ref().is_some_and(|engine| engine.location != Location::InProcess);
    let where_from = |line: &Line, storage: bool| match kernel {
        _ if storage => "something held the device, or the thread that waited for it, up while there was one",
        _ if !has_server || line.is_probe => ALONE,
        true => "the kernel may have put client and server on different processors, see --placement paired",
        false => "the single one waited for something that is not work",
    };
    let of_storage = |code: &str| record.runs.iter().any(|run| run.test == code && run.storage.is_some());
    let mut lines = Vec::new();
    for line in model::sheet(record).lines.iter().filter(|line| line.gains_beyond_its_workers()) {
        let (Some(best), Some(gain)) = (&line.best, line.scalability) else { continue };
        let (code, of) = short_code(&clean(&line.test));
        let label = format!("  {:<5}{code}", mark(Verdict::Warn));
        let at = degrees(&[best.dop]);
        let where_from = where_from(line, of_storage(&line.test));
        let text = format!("{at} did {} times the rate of one: {where_from}{of}", three_digits(gain));
        let paragraph = paragraph(&label, INDENT.max(label.chars().count() + 1), &text, width);
        lines.extend(paragraph.iter().map(|line| style.paint(line, Ink::Warning)));
    }
    lines
}

/// Tests that were asked for and not run.
pub(super) fn skipped(record: &Record, width: usize) -> Vec<String> {
    let skipped = record.plan.skipped.iter();
    // Codes of loads tell the model too: those that are too long for a column of their own are not cut.
    let said = |skipped: &Skipped| match clean(&skipped.test) {
        test if test.chars().count() < SKIPPED_INDENT - 2 => {
            paragraph(&format!("  {test}"), SKIPPED_INDENT, &skipped.reason, width)
        }
        test => paragraph("", 2, &format!("{test}: {}", skipped.reason), width),
    };
    skipped.flat_map(said).collect()
}

/// At which degrees, where it is not all of the test.
fn place(runs: &BTreeMap<&str, usize>, doubt: &Doubt<'_>) -> String {
    match doubt.tests.as_slice() {
        [(test, dops)] if runs.get(test).is_some_and(|count| *count > dops.len()) => format!("at {}: ", degrees(dops)),
        _ => String::new(),
    }
}

/// One doubt for each wording.
fn by_words(record: &Record) -> Vec<Doubt<'_>> {
    let mut doubts = Vec::new();
    let mut known = BTreeMap::new();
    for run in &record.runs {
        for (verdict, check, detail) in said(run) {
            let tests = vec![(run.test.as_str(), vec![run.dop])];
            let key = (verdict, check, detail.clone());
            let doubt = Doubt { verdict, check, detail, tests, others_differ: false };
            add_to(&mut doubts, &mut known, key, doubt, |_, _| {});
        }
    }
    doubts
}

/// Adds the tests of `doubt` to the one with the same key, to which `unite` is then applied too, or the doubt itself
/// where there is none yet.
fn add_to<'a, Key: Ord>(
    doubts: &mut Vec<Doubt<'a>>,
    known: &mut BTreeMap<Key, usize>,
    key: Key,
    doubt: Doubt<'a>,
    unite: impl Fn(&mut Doubt<'a>, &Doubt<'a>),
) {
    match known.entry(key) {
        Entry::Occupied(place) => {
            let same = &mut doubts[*place.get()];
            unite(same, &doubt);
            for (test, dops) in doubt.tests {
                add(&mut same.tests, test, &dops);
            }
        }
        Entry::Vacant(place) => {
            place.insert(doubts.len());
            doubts.push(doubt);
        }
    }
}

/// What a run says that is not a pass.
fn said(run: &Run) -> impl Iterator<Item = (Verdict, Option<Check>, Cow<'_, str>)> {
    let broken = match &run.outcome {
        Outcome::Done => None,
        Outcome::Failed { message } => Some((Verdict::Fail, None, Cow::from(message))),
    };
    let is_doubt = move |finding: &&Finding| finding.verdict != Verdict::Pass && !model::is_answer(run, finding);
    let doubtful = run.findings.iter().filter(is_doubt);
    let of_check = |finding: &Finding| (finding.verdict, Some(finding.check()), Cow::from(finding_text(finding)));
    broken.into_iter().chain(doubtful.map(of_check))
}

/// Unites doubts about one test that come from the same check with the same verdict and differ in their figures.
fn merge_within_tests(doubts: &mut Vec<Doubt<'_>>) {
    let (mut merged, mut known) = (Vec::new(), BTreeMap::new());
    for doubt in doubts.drain(..) {
        match (doubt.check, doubt.tests.as_slice()) {
            (Some(check), [(test, _)]) => {
                let key = (doubt.verdict, check, *test);
                add_to(&mut merged, &mut known, key, doubt, |other, doubt| other.detail.clone_from(&doubt.detail));
            }
            _ => merged.push(doubt),
        }
    }
    *doubts = merged;
}

/// Doubts of one kind about so many tests, each in its own figures, are said once.
const TESTS_APART_MAX: usize = 2;

/// Unites what one check says with one verdict of more than [`TESTS_APART_MAX`] tests: the first one speaks.
fn merge_across_tests(doubts: &mut Vec<Doubt<'_>>) {
    let mut kinds: BTreeMap<(Verdict, Check), usize> = BTreeMap::new();
    for kind in doubts.iter().filter_map(|doubt| Some((doubt.verdict, doubt.check?))) {
        *kinds.entry(kind).or_default() += 1;
    }
    let (mut merged, mut known) = (Vec::new(), BTreeMap::new());
    for doubt in doubts.drain(..) {
        let kind = doubt.check.map(|check| (doubt.verdict, check));
        match kind.filter(|kind| kinds.get(kind).is_some_and(|count| *count > TESTS_APART_MAX)) {
            Some(kind) => add_to(&mut merged, &mut known, kind, doubt, |other, _| other.others_differ = true),
            None => merged.push(doubt),
        }
    }
    *doubts = merged;
}

fn add<'a>(tests: &mut Vec<(&'a str, Vec<Dop>)>, test: &'a str, dops: &[Dop]) {
    match tests.iter_mut().find(|(known, _)| *known == test) {
        Some((_, known)) => known.extend_from_slice(dops),
        None => tests.push((test, dops.to_vec())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt<'a>(test: &'a str, jobs: u32, detail: &'a str) -> Doubt<'a> {
        let tests = vec![(test, vec![Dop::jobs(jobs)])];
        Doubt { verdict: Verdict::Warn, check: Some(Check::Steal), detail: detail.into(), tests, others_differ: false }
    }

    fn tests<'a>(doubt: &Doubt<'a>) -> Vec<&'a str> {
        doubt.tests.iter().map(|(test, _)| *test).collect()
    }

    #[test]
    fn figures_of_one_test_are_said_once() {
        let mut doubts = vec![doubt("T131", 1, "took 1 %"), doubt("T131", 2, "took 2 %"), doubt("T141", 1, "took 3 %")];
        merge_within_tests(&mut doubts);
        assert_eq!(doubts.len(), 2);
        assert_eq!((&*doubts[0].detail, doubts[0].tests[0].1.len()), ("took 2 %", 2));
    }

    #[test]
    fn what_many_tests_say_in_their_own_figures_is_said_once() {
        let apart = || vec![doubt("T131", 1, "took 1 %"), doubt("T141", 1, "took 2 %")];
        let mut few = apart();
        merge_across_tests(&mut few);
        assert_eq!(few.len(), 2);
        let mut many = apart();
        many.push(doubt("T611", 1, "took 3 %"));
        many.push(Doubt { check: Some(Check::Swapping), ..doubt("T611", 1, "swapped") });
        merge_across_tests(&mut many);
        assert_eq!(many.len(), 2);
        assert_eq!(
            (tests(&many[0]), &*many[0].detail, many[0].others_differ),
            (vec!["T131", "T141", "T611"], "took 1 %", true)
        );
        assert_eq!(tests(&many[1]), ["T611"]);
    }

    #[test]
    fn runs_that_aborted_are_each_told() {
        let broken = |test| Doubt { verdict: Verdict::Fail, check: None, ..doubt(test, 1, test) };
        let mut doubts = vec![broken("T1"), broken("T2"), broken("T3"), broken("T4")];
        merge_within_tests(&mut doubts);
        merge_across_tests(&mut doubts);
        assert_eq!(doubts.len(), 4);
    }
}
