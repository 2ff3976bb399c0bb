//! A comparison as results of tests, for pipelines that read JUnit's XML.
//!
//! In the form common to `junitxml` reporters: a suite, a case for each test and system, a failure where the gate is
//! violated, skipped where nothing could be compared.

use maud::{Markup, PreEscaped, html};
use model::{ComparedTest, ComparisonOutcome, System, TestComparison, Violation};

use super::sentence::reasons_text;
use super::words::{change, ends, grounds, letter, letters, origin, verdict, violated};
use super::{ComparisonView, shift};
use crate::layout::clean;
use crate::verdict::key;

/// One case of the suite.
struct Case {
    name: String,
    class: String,
    /// Its output, whatever the outcome.
    output: String,
    outcome: Outcome,
}

enum Outcome {
    Passed,
    Failed(Vec<String>),
    Skipped(String),
}

/// The comparison as one suite of tests. Without a gate nothing fails: a slower test passes.
pub fn comparison_junit(view: &ComparisonView<'_>) -> String {
    let violations = view.violations();
    let mut cases: Vec<Case> = view
        .compared_tests()
        .map(|(test, index, compared_test)| {
            let of =
                |violation: &&Violation| violation.test.as_ref() == Some(&test.code) && violation.system == Some(index);
            Case {
                name: format!("{} {}, {} against A", test.code, test.title, letter(index)),
                class: class(view, index),
                output: output(view, test, index, compared_test),
                outcome: outcome(compared_test, violations.iter().filter(of)),
            }
        })
        .collect();
    cases.extend(view.comparison.unshared.iter().map(|test| {
        Case {
            name: format!("{} {}", test.code, test.title),
            class: "dbdyno".to_owned(),
            output: String::new(),
            outcome: match violations
                .iter()
                .filter(|violation| violation.test.as_ref() == Some(&test.code))
                .map(violated)
                .collect::<Vec<_>>()
            {
                found if found.is_empty() => Outcome::Skipped(format!("only on {}", letters(&test.systems))),
                found => Outcome::Failed(found),
            },
        }
    }));
    // Violations of tests that no system has, and of all tests together.
    let known = |violation: &&Violation| {
        violation.system.is_some()
            || view.comparison.unshared.iter().any(|test| Some(&test.code) == violation.test.as_ref())
    };
    cases.extend(violations.iter().filter(|violation| !known(violation)).map(|violation| Case {
        name: violation.test.clone().unwrap_or_else(|| "all tests".to_owned()),
        class: "dbdyno".to_owned(),
        output: String::new(),
        outcome: Outcome::Failed(vec![violated(violation)]),
    }));
    suite(view, &cases)
}

fn class(view: &ComparisonView<'_>, index: usize) -> String {
    let name = |index: usize| view.comparison.systems.get(index).map_or("", String::as_str);
    format!("{} against {}", name(index), name(0))
}

fn output(view: &ComparisonView<'_>, test: &TestComparison, index: usize, compared_test: &ComparedTest) -> String {
    let shift = shift(compared_test);
    let ratio = shift.map(|shift| {
        let interval = shift.interval.map(|interval| format!(", 95 % interval {}", ends(interval))).unwrap_or_default();
        format!(" {}{interval}", change(shift.ratio))
    });
    // In its own record, for each of the two.
    let own = [0, index].map(|index| {
        let verdict = view.test(index, &test.code).and_then(|test| test.verdict);
        verdict.map(|verdict| format!("; verdict of {} {}", letter(index), key(verdict)))
    });
    format!(
        "{}{}: {}{}",
        verdict(compared_test),
        ratio.unwrap_or_default(),
        grounds(view, test, index, compared_test).join("; "),
        own.into_iter().flatten().collect::<String>()
    )
}

fn outcome<'a>(compared_test: &ComparedTest, violations: impl Iterator<Item = &'a Violation>) -> Outcome {
    let found: Vec<String> = violations.map(violated).collect();
    match &compared_test.outcome {
        _ if !found.is_empty() => Outcome::Failed(found),
        ComparisonOutcome::Incomparable { reasons } => {
            Outcome::Skipped(format!("incomparable: {}", reasons_text(reasons)))
        }
        ComparisonOutcome::Unjudged => Outcome::Skipped("published figures have no verdict".to_owned()),
        ComparisonOutcome::Judged { .. } => Outcome::Passed,
    }
}

fn suite(view: &ComparisonView<'_>, cases: &[Case]) -> String {
    let failed = cases.iter().filter(|case| matches!(case.outcome, Outcome::Failed(_))).count();
    let skipped = cases.iter().filter(|case| matches!(case.outcome, Outcome::Skipped(_))).count();
    let about = |system: &System| xml(&format!("{}; {}", system.title, origin(system)));
    let markup = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        testsuites name="dbdyno compare" tests=(cases.len()) failures=(failed) errors="0" skipped=(skipped) {
            testsuite name="dbdyno compare" tests=(cases.len()) failures=(failed) errors="0" skipped=(skipped) {
                properties {
                    @for (index, system) in view.systems.iter().enumerate() {
                        property name=(letter(index)) value=(about(system)) {}
                    }
                    @if let Some(gate) = view.gate { property name="fail-if" value=(xml(&gate.to_string())) {} }
                }
                @for case in cases { (PreEscaped("\n")) (self::case(case)) }
            }
        }
        (PreEscaped("\n"))
    };
    markup.into_string()
}

fn case(case: &Case) -> Markup {
    html! {
        testcase name=(xml(&case.name)) classname=(xml(&case.class)) time="0" {
            @match &case.outcome {
                Outcome::Passed => {}
                Outcome::Failed(found) => failure type="gate" message=(xml(&found.join("; "))) {}
                Outcome::Skipped(why) => skipped message=(xml(why)) {}
            }
            @if !case.output.is_empty() { system-out { (xml(&case.output)) } }
        }
    }
}

/// `text` without characters that XML does not allow; it is escaped where it is written.
fn xml(text: &str) -> String {
    clean(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
