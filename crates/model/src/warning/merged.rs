//! Warnings that a reader takes for one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use record::{Dop, Verdict, WarningSubject};

use super::{Instance, Warning};

/// Warnings of one kind about more tests than these are merged.
const TESTS_APART_MAX: usize = 2;

/// Warnings of one or more runs, of which one is told.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedWarning<'a, Detail> {
    /// How serious it is.
    pub verdict: Verdict,
    /// What it is about.
    pub subject: WarningSubject,
    /// What is told of it.
    pub detail: Detail,
    /// The tests of the warning with the degrees of parallelism; `detail` is of the first.
    pub tests: Vec<(&'a str, Vec<Dop>)>,
    /// Whether the other tests have other figures.
    pub others_differ: bool,
}

/// `warnings`, merged, by severity: those with an equal `detail` are one; of those of one test that differ only in their
/// figures the last one is told, and of those of one check about more than two tests the first. Aborts with
/// different details are each told.
pub fn merged_warnings<'a, Detail: Clone + Ord>(
    warnings: impl IntoIterator<Item = Warning<'a>>,
    detail: impl Fn(WarningSubject, &Instance<'a>) -> Detail,
) -> Vec<MergedWarning<'a, Detail>> {
    let mut merged = by_detail(warnings, detail);
    merge_within_tests(&mut merged);
    merge_across_tests(&mut merged);
    merged.sort_by_key(|warning| std::cmp::Reverse(warning.verdict));
    merged
}

/// One for each detail.
fn by_detail<'a, Detail: Clone + Ord>(
    warnings: impl IntoIterator<Item = Warning<'a>>,
    detail: impl Fn(WarningSubject, &Instance<'a>) -> Detail,
) -> Vec<MergedWarning<'a, Detail>> {
    let mut merged = Vec::new();
    let mut known = BTreeMap::new();
    for found in warnings {
        let (verdict, subject) = (found.verdict, found.subject);
        for instance in found.instances {
            let detail = detail(subject, &instance);
            let tests = vec![(instance.run.test.as_str(), vec![instance.run.dop])];
            let key = (verdict, subject, detail.clone());
            let warning = MergedWarning { verdict, subject, detail, tests, others_differ: false };
            add_to(&mut merged, &mut known, key, warning, |_, _| {});
        }
    }
    merged
}

/// What a warning is of, with its verdict; absent for an abort: of these each text is told.
fn check_of<Detail>(warning: &MergedWarning<'_, Detail>) -> Option<(Verdict, WarningSubject)> {
    (warning.subject != WarningSubject::Abort).then_some((warning.verdict, warning.subject))
}

/// Adds the tests of `warning` to the one with the same key, to which `unite` is applied, or the warning itself where
/// there is none yet.
fn add_to<'a, Key: Ord, Detail>(
    warnings: &mut Vec<MergedWarning<'a, Detail>>,
    known: &mut BTreeMap<Key, usize>,
    key: Key,
    warning: MergedWarning<'a, Detail>,
    unite: impl Fn(&mut MergedWarning<'a, Detail>, &MergedWarning<'a, Detail>),
) {
    match known.entry(key) {
        Entry::Occupied(index) => {
            let same = &mut warnings[*index.get()];
            unite(same, &warning);
            for (test, dops) in warning.tests {
                add(&mut same.tests, test, &dops);
            }
        }
        Entry::Vacant(index) => {
            index.insert(warnings.len());
            warnings.push(warning);
        }
    }
}

/// Merges warnings of one test that differ only in their figures.
fn merge_within_tests<Detail: Clone>(warnings: &mut Vec<MergedWarning<'_, Detail>>) {
    let (mut merged, mut known) = (Vec::new(), BTreeMap::new());
    for warning in warnings.drain(..) {
        match (check_of(&warning), warning.tests.as_slice()) {
            (Some(kind), [(test, _)]) => {
                let key = (kind, *test);
                add_to(&mut merged, &mut known, key, warning, |other, warning| {
                    other.detail.clone_from(&warning.detail)
                });
            }
            _ => merged.push(warning),
        }
    }
    *warnings = merged;
}

/// Merges warnings of one check and verdict about more than [`TESTS_APART_MAX`] tests: the first one is shown.
fn merge_across_tests<Detail>(warnings: &mut Vec<MergedWarning<'_, Detail>>) {
    let mut kinds: BTreeMap<(Verdict, WarningSubject), usize> = BTreeMap::new();
    for kind in warnings.iter().filter_map(check_of) {
        *kinds.entry(kind).or_default() += 1;
    }
    let (mut merged, mut known) = (Vec::new(), BTreeMap::new());
    for warning in warnings.drain(..) {
        let kind = check_of(&warning);
        match kind.filter(|kind| kinds.get(kind).is_some_and(|count| *count > TESTS_APART_MAX)) {
            Some(kind) => add_to(&mut merged, &mut known, kind, warning, |other, _| other.others_differ = true),
            None => merged.push(warning),
        }
    }
    *warnings = merged;
}

fn add<'a>(tests: &mut Vec<(&'a str, Vec<Dop>)>, test: &'a str, dops: &[Dop]) {
    match tests.iter_mut().find(|(known, _)| *known == test) {
        Some((_, known)) => known.extend_from_slice(dops),
        None => tests.push((test, dops.to_vec())),
    }
}

#[cfg(test)]
mod tests {
    use record::Check;

    use super::*;

    type Told<'a> = MergedWarning<'a, &'a str>;

    fn warning<'a>(test: &'a str, jobs: u32, detail: &'a str) -> Told<'a> {
        let tests = vec![(test, vec![Dop::jobs(jobs)])];
        Told {
            verdict: Verdict::Warn,
            subject: WarningSubject::Check(Check::Steal),
            detail,
            tests,
            others_differ: false,
        }
    }

    fn tests<'a>(warning: &Told<'a>) -> Vec<&'a str> {
        warning.tests.iter().map(|(test, _)| *test).collect()
    }

    #[test]
    fn figures_of_one_test_are_shown_once() {
        let mut warnings =
            vec![warning("T131", 1, "took 1 %"), warning("T131", 2, "took 2 %"), warning("T141", 1, "took 3 %")];
        merge_within_tests(&mut warnings);
        assert_eq!(warnings.len(), 2);
        assert_eq!((warnings[0].detail, warnings[0].tests[0].1.len()), ("took 2 %", 2));
    }

    #[test]
    fn a_warning_of_many_tests_is_shown_once() {
        let apart = || vec![warning("T131", 1, "took 1 %"), warning("T141", 1, "took 2 %")];
        let mut few = apart();
        merge_across_tests(&mut few);
        assert_eq!(few.len(), 2);
        let mut many = apart();
        many.push(warning("T611", 1, "took 3 %"));
        many.push(Told { subject: WarningSubject::Check(Check::Swapping), ..warning("T611", 1, "swapped") });
        merge_across_tests(&mut many);
        assert_eq!(many.len(), 2);
        assert_eq!(
            (tests(&many[0]), many[0].detail, many[0].others_differ),
            (vec!["T131", "T141", "T611"], "took 1 %", true)
        );
        assert_eq!(tests(&many[1]), ["T611"]);
    }

    #[test]
    fn aborted_runs_are_each_shown() {
        let aborted = |test| Told { verdict: Verdict::Fail, subject: WarningSubject::Abort, ..warning(test, 1, test) };
        let mut warnings = vec![aborted("T1"), aborted("T2"), aborted("T3"), aborted("T4")];
        merge_within_tests(&mut warnings);
        merge_across_tests(&mut warnings);
        assert_eq!(warnings.len(), 4);
    }
}
