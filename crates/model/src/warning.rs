//! The warnings of a record: what its verdicts rest on, collected once for all views.

mod merged;

use std::collections::BTreeMap;

use record::{Finding, Outcome, Record, Run, Verdict, WarningSubject};

use crate::sheet::sheet;
use crate::verdict::is_answer;

pub use merged::{MergedWarning, merged_warnings};

/// What speaks against runs or tests of a record: all findings of one check with the same verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning<'a> {
    /// How serious it is: never [`Verdict::Pass`].
    pub verdict: Verdict,
    /// What it is about.
    pub subject: WarningSubject,
    /// Where it was found, in the order of the runs; not empty.
    pub instances: Vec<Instance<'a>>,
}

/// A place of a warning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance<'a> {
    /// The run; for [`WarningSubject::Gain`] the best one of the test, for [`WarningSubject::Drift`] that which represents the
    /// repeats.
    pub run: &'a Run,
    /// What was found; absent unless it is a check.
    pub finding: Option<&'a Finding>,
}

impl Warning<'_> {
    /// The number of its runs.
    pub fn run_count(&self) -> usize {
        self.instances.chunk_by(|one, next| one.run.number == next.run.number).count()
    }

    /// The codes of its tests, each once.
    pub fn tests(&self) -> Vec<&str> {
        let mut tests: Vec<&str> = Vec::new();
        for instance in &self.instances {
            if !tests.contains(&instance.run.test.as_str()) {
                tests.push(&instance.run.test);
            }
        }
        tests
    }
}

/// The warnings of `record`, by severity, then in the order in which they first occurred: aborts, findings that are no pass
/// and no answer ([`is_answer`]), gains beyond the workers, repeats that drift, runs in another state than the others.
pub fn warnings(record: &Record) -> Vec<Warning<'_>> {
    let mut warnings: Vec<Warning<'_>> = Vec::new();
    let mut places: BTreeMap<(Verdict, WarningSubject), usize> = BTreeMap::new();
    let mut add = |verdict: Verdict, subject: WarningSubject, instance| {
        let place = *places.entry((verdict, subject)).or_insert(warnings.len());
        match warnings.get_mut(place) {
            Some(warning) => warning.instances.push(instance),
            None => warnings.push(Warning { verdict, subject, instances: vec![instance] }),
        }
    };
    for run in &record.runs {
        if run.outcome != Outcome::Done {
            add(Verdict::Fail, WarningSubject::Abort, Instance { run, finding: None });
        }
        let against = run.findings.iter().filter(|one| one.verdict != Verdict::Pass && !is_answer(run, one));
        for finding in against {
            add(finding.verdict, WarningSubject::Check(finding.check()), Instance { run, finding: Some(finding) });
        }
    }
    let of_number = |number: u32| record.runs.iter().find(|run| run.number == number);
    for line in &sheet(record).lines {
        let best = line.best.as_ref().filter(|_| line.gains_beyond_its_workers()).map(|best| best.run);
        let gain = best.into_iter().map(|run| (WarningSubject::Gain, run));
        let drifts = line.drifts.iter().map(|drift| (WarningSubject::Drift, drift.run));
        let states = line.differing_states.iter().map(|differing| (WarningSubject::State, differing.run));
        for (subject, number) in gain.chain(drifts).chain(states) {
            of_number(number).into_iter().for_each(|run| add(Verdict::Warn, subject, Instance { run, finding: None }));
        }
    }
    warnings.sort_by_key(|warning| std::cmp::Reverse(warning.verdict));
    warnings
}

/// The most serious of `warnings` of a check, of several equally serious ones that with most findings in runs that were
/// carried out; none where nothing is a warning or worse.
pub fn most_serious<'w, 'a>(warnings: &'w [Warning<'a>]) -> Option<&'w Warning<'a>> {
    let done = |warning: &Warning<'_>| warning.instances.iter().filter(|one| one.run.outcome == Outcome::Done).count();
    let of_check = |warning: &&&Warning<'_>| matches!(warning.subject, WarningSubject::Check(_)) && done(warning) > 0;
    let serious = warnings.iter().collect::<Vec<_>>();
    let serious = serious.iter().filter(|warning| warning.verdict >= Verdict::Warn).filter(of_check);
    // Of equal ones the first.
    serious.rev().max_by_key(|warning| (warning.verdict, done(warning))).copied()
}

#[cfg(test)]
mod tests {
    use record::{Check, Dop, RunCounts};

    use super::*;
    use crate::fixture::{found, paced, record, run};
    use crate::verdict::run_counts;

    #[test]
    fn a_gain_beyond_the_workers_is_a_warning_of_the_test_and_of_the_record_and_of_no_run() {
        let with_rate = |number: u32, jobs: u32, operations: u64| {
            let mut run = Run { number, dop: Dop::jobs(jobs), ..run("T611", jobs) };
            run.totals.operations = operations;
            run
        };
        let record = record(vec![with_rate(1, 1, 1_000), with_rate(2, 2, 9_000)]);
        assert_eq!(sheet(&record).lines[0].verdict, Verdict::Warn);
        assert_eq!(run_counts(&record), RunCounts { runs: 2, passed: 2, ..RunCounts::default() });
        let found = warnings(&record);
        assert_eq!((found.len(), found[0].subject, found[0].tests()), (1, WarningSubject::Gain, vec!["T611"]));
        assert_eq!(found[0].instances[0].run.number, 2);
    }

    #[test]
    fn warnings_of_one_check_are_one_by_severity_without_expected_answers() {
        let runs = vec![
            found(1, &[(Check::Steal, Verdict::Unknown), (Check::Swapping, Verdict::Warn)]),
            paced(found(2, &[(Check::Backlog, Verdict::Fail)])),
            found(3, &[(Check::Swapping, Verdict::Warn), (Check::Swapping, Verdict::Warn)]),
            Run { outcome: Outcome::Failed { message: "gone".to_owned() }, ..found(4, &[]) },
        ];
        let measured = record(runs);
        let told_of = warnings(&measured);
        let told: Vec<_> = told_of.iter().map(|one| (one.verdict, one.subject, one.run_count())).collect();
        assert_eq!(
            told,
            [
                (Verdict::Fail, WarningSubject::Abort, 1),
                (Verdict::Warn, WarningSubject::Check(Check::Swapping), 2),
                (Verdict::Unknown, WarningSubject::Check(Check::Steal), 1)
            ]
        );
        assert_eq!(run_counts(&measured), RunCounts { runs: 4, passed: 0, unchecked: 0, with_warnings: 2, invalid: 2 });
    }
}
