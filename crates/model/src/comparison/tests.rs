//! Comparisons from systems to verdicts.

mod choice;
mod comparability;
mod drift;
mod family;
mod overall;
mod zero;

use record::{Bytes, Check, Dop, Layer, Pace, Preset, Rate, Sweep, Timestamp, Unit, Verdict};

use super::*;
use crate::decision::ComparisonVerdict;
use crate::simulation::Simulation;
use crate::system::{
    Columns, Condition, ControlDrift, ControlProbe, Durability, Fact, FactGroup, FactValue, MeasuredRate, Origin,
    Paired, SystemPoint, SystemTest,
};

fn point(jobs: u32, rates: &[f64]) -> SystemPoint {
    let rates = rates.iter().zip(1..).map(|(rate, repeat)| MeasuredRate { repeat, per_second: Rate(*rate) });
    let degree = Degree { dop: Dop::jobs(jobs), in_flight: None };
    SystemPoint { degree, rates: rates.collect(), ..SystemPoint::default() }
}

fn test(code: &str, points: Vec<SystemPoint>) -> SystemTest {
    SystemTest {
        is_probe: record::RunKind::of_code(code).is_probe(),
        code: code.to_owned(),
        title: "a test".to_owned(),
        layer: Some(Layer::Server),
        unit: Unit::Row,
        sweep: Sweep::Jobs,
        pace: Pace::Unthrottled,
        data_bytes: Some(Bytes::GIB),
        changes: Some(true),
        parameters: Default::default(),
        conditions: Default::default(),
        points,
        verdict: None,
        warnings: Vec::new(),
        note: None,
    }
}

fn system(name: &str, paired_with: Option<&str>, tests: Vec<SystemTest>) -> System {
    System {
        name: name.to_owned(),
        title: String::new(),
        origin: Origin::Measured {
            started_at: Timestamp::default(),
            version: "1".to_owned(),
            preset: Preset::Standard,
            paired: paired_with.map(|with| Paired {
                with: with.to_owned(),
                plan_hash: None,
                loads_beside: Vec::new(),
                control_probe: None,
            }),
        },
        facts: Vec::new(),
        durability: Some(Durability { durable: Some(true), words: "every commit waits".to_owned(), shown: None }),
        tests,
        limits: Vec::new(),
        remarks: Vec::new(),
        price: None,
        claims: Vec::new(),
        tables: Vec::new(),
    }
}

/// Two sides of a pair with these tests.
fn pair(base: Vec<SystemTest>, other: Vec<SystemTest>) -> [System; 2] {
    [system("a", Some("b"), base), system("b", Some("a"), other)]
}

fn compared(systems: &[System]) -> Comparison {
    compare(systems, CompareOptions::default())
}

/// How the second system stands in the first test.
fn compared_test(comparison: &Comparison) -> &ComparedTest {
    comparison.tests[0].compared_tests[1].as_ref().unwrap()
}

fn shift(comparison: &Comparison) -> Shift {
    compared_test(comparison).headline.as_ref().unwrap().shift
}

/// The reasons why the first test cannot be compared.
fn reasons(systems: &[System]) -> Vec<Reason> {
    match &compared_test(&compared(systems)).outcome {
        ComparisonOutcome::Incomparable { reasons } => reasons.clone(),
        other => panic!("{other:?}"),
    }
}

const TEN: [f64; 10] = [1000.0, 1010.0, 990.0, 1005.0, 995.0, 1002.0, 998.0, 1007.0, 993.0, 1001.0];

#[test]
fn page_cache_and_device_reads_are_incomparable_and_warnings_are_kept() {
    let mut cached = test("T626", vec![point(1, &[400_000.0])]);
    let mut flash = test("T626", vec![point(1, &[300_000.0])]);
    cached.conditions.push(Condition::Reads { from_device: false });
    flash.conditions.push(Condition::Reads { from_device: true });
    let warning = crate::fixture::finding(Check::PageCache, Verdict::Warn);
    cached.warnings = vec![warning.clone()];
    let systems = [system("flash", None, vec![flash.clone()]), system("vm", None, vec![cached.clone()])];
    let compared_test = compared(&systems).tests[0].compared_tests[1].clone().unwrap();
    let ComparisonOutcome::Incomparable { reasons } = &compared_test.outcome else { panic!("{compared_test:?}") };
    assert_eq!(reasons, &[Reason::Condition([true, false].map(|from_device| Condition::Reads { from_device }))]);
    cached.conditions.clear();
    let systems = [system("flash", None, vec![flash]), system("vm", None, vec![cached])];
    let compared_test = compared(&systems).tests[0].compared_tests[1].clone().unwrap();
    assert_eq!(compared_test.warning, Some(ComparisonWarning::Runs(vec![("vm".to_owned(), vec![warning])])));
}

#[test]
fn control_drift_and_different_plans_are_warnings() {
    let sides = |after: f64, hash: &str| {
        let slower: Vec<f64> = TEN.iter().map(|rate| rate * 0.8).collect();
        let mut systems = pair(vec![test("T611", vec![point(1, &TEN)])], vec![test("T611", vec![point(1, &slower)])]);
        for (system, plan) in systems.iter_mut().zip(["sha256:1", hash]) {
            let Origin::Measured { paired: Some(paired), .. } = &mut system.origin else { panic!("a side of a pair") };
            let (probe, before) = ("C11".to_owned(), Some(Rate(1e9)));
            paired.control_probe =
                Some(ControlProbe { probe, unit: Unit::Operation, before, after: Some(Rate(after)) });
            paired.plan_hash = Some(plan.to_owned());
        }
        let comparison = compared(&systems);
        let compared_test = compared_test(&comparison).clone();
        (compared_test.outcome.word(), compared_test.warning)
    };
    assert_eq!(sides(1.01e9, "sha256:1"), ("SLOWER", None));
    let (word, warning) = sides(0.8e9, "sha256:1");
    let change = 0.8e9 / 1e9 - 1.0;
    let drift = ComparisonWarning::Drift(ControlDrift::AboveLimit { probe: "C11".to_owned(), change });
    assert_eq!((word, warning), ("SLOWER", Some(drift)));
    let (_, warning) = sides(1e9, "sha256:2");
    assert_eq!(warning, Some(ComparisonWarning::Plans(["sha256:1", "sha256:2"].map(|hash| Some(hash.to_owned())))));
}

fn times(factor: f64) -> Vec<f64> {
    TEN.iter().zip(0..).map(|(rate, at)| rate * factor * (1.0 + f64::from(at % 3 - 1) * 0.001)).collect()
}

#[test]
fn ten_pairs_by_hand() {
    let comparison =
        compared(&pair(vec![test("T611", vec![point(2, &TEN)])], vec![test("T611", vec![point(2, &times(0.8))])]));
    let shift = shift(&comparison);
    assert_eq!(shift.evidence, Evidence::Paired { pairs: 10 });
    assert!((shift.ratio - 0.8).abs() < 0.001 && (shift.gain() + 0.2).abs() < 0.001, "{shift:?}");
    assert_eq!((shift.p_value, shift.superiority), (Some(0.001953125), Some(0.0)));
    assert!(shift.evidence.is_strong() && shift.evidence.word() == "measured");
    let ComparisonOutcome::Judged { verdict, more_pairs, .. } = compared_test(&comparison).outcome else { panic!() };
    assert_eq!((verdict, more_pairs), (ComparisonVerdict::Slower, None));
    let mean = comparison.means[1].unwrap();
    assert_eq!((comparison.means[0], mean.tests, mean.pairs), (None, 1, 10));
    assert_eq!((mean.ratio, mean.interval), (shift.ratio, shift.interval), "the mean of one test");
}

#[test]
fn unpaired_repeats_are_compared_and_marked() {
    let tests = |rates: &[f64]| vec![test("T611", vec![point(2, rates)])];
    let comparison = compared(&[system("a", None, tests(&TEN)), system("b", Some("a"), tests(&times(1.1)))]);
    let shift = shift(&comparison);
    assert_eq!(shift.evidence, Evidence::Unpaired { base: 10, other: 10 }, "one side alone is no pair");
    assert_eq!(shift.superiority, Some(1.0));
    assert_eq!(compared_test(&comparison).outcome.word(), "FASTER");
    let slower = compared(&[system("a", None, tests(&TEN)), system("b", None, tests(&times(0.9)))]);
    let found = "slower".parse::<Gate>().unwrap().violations(&slower);
    assert!(
        matches!(
            &found[..],
            [Violation { found: ViolationFound::Slower { evidence: Evidence::Unpaired { .. }, .. }, .. }]
        ),
        "{found:?}"
    );
    let few = compared(&[system("a", None, tests(&TEN[..3])), system("b", None, tests(&times(1.1)[..3]))]);
    assert_eq!(compared_test(&few).outcome.word(), "INCONCLUSIVE");
    assert_eq!(self::shift(&few).interval, None);
}

#[test]
fn a_single_run_has_a_ratio_and_no_verdict() {
    let mut tests = [vec![test("T611", vec![point(2, &[1000.0])])], vec![test("T611", vec![point(2, &[500.0])])]];
    for tests in &mut tests {
        tests[0].points[0].within_run = Some(record::Ratio(0.01));
    }
    let [base, other] = tests;
    let comparison = compared(&[system("a", None, base), system("b", None, other)]);
    let shift = shift(&comparison);
    let interval = shift.interval.unwrap();
    assert!(
        (shift.ratio - 0.5).abs() < 1e-12 && (interval.high / 0.5).ln() > 0.0141 && (interval.high / 0.5).ln() < 0.0142
    );
    let ComparisonOutcome::Judged { verdict, reason, .. } = &compared_test(&comparison).outcome else { panic!() };
    assert_eq!(*verdict, ComparisonVerdict::Inconclusive);
    assert_eq!((reason.evidence, reason.basis), (Evidence::Single, VerdictBasis::NoInterval { needed: None }));
    assert_eq!((reason.evidence.word(), Evidence::Published.word()), ("estimate", "published"));
}

#[test]
fn published_figures_have_a_ratio_and_no_verdict() {
    let mut published = system("old", None, vec![test("T611", vec![point(2, &[800.0])])]);
    published.origin = Origin::Published { year: 2012, source: "a report".to_owned() };
    published.tests[0].points[0].columns = Columns { service_mean_ns: Some(Nanos(200)), ..Columns::default() };
    let mut measured = system("new", None, vec![test("T611", vec![point(2, &TEN)])]);
    measured.tests[0].points[0].columns = Columns { service_mean_ns: Some(Nanos(100)), ..Columns::default() };
    let comparison = compared(&[published, measured]);
    let headline = compared_test(&comparison).headline.as_ref().unwrap();
    assert_eq!((headline.shift.evidence, headline.shift.interval), (Evidence::Published, None));
    assert_eq!((headline.service_mean_ratio(), headline.service_ratio(&crate::QUANTILES[2])), (Some(0.5), None));
    assert_eq!(
        (&compared_test(&comparison).outcome, compared_test(&comparison).outcome.verdict()),
        (&ComparisonOutcome::Unjudged, None)
    );
}

#[test]
fn commits_of_different_durability_are_ranked_where_that_is_asked_for_with_a_warning() {
    let lossy = Durability { durable: Some(false), words: "no commit waits".to_owned(), shown: None };
    let slow = system("safe", None, vec![test("T311", vec![point(2, &TEN)])]);
    let fast = System { name: "fast".to_owned(), durability: Some(lossy), ..slow.clone() };
    let systems = [slow, fast];
    assert!(matches!(reasons(&systems)[..], [Reason::Durability(_)]));
    let options = CompareOptions { ranks_any_durability: true, ..CompareOptions::default() };
    let comparison = compare(&systems, options);
    let compared = compared_test(&comparison);
    assert!(compared.outcome.verdict().is_some(), "{:?}", compared.outcome);
    assert!(matches!(compared.warning, Some(ComparisonWarning::Durability(_))), "{:?}", compared.warning);
}

#[test]
fn the_headline_has_the_highest_product_of_rates() {
    let sweep = |rates: [f64; 3]| vec![test("T611", (0..3).map(|at| point(1 << at, &[rates[at]; 6])).collect())];
    let degrees = |base: [f64; 3], other: [f64; 3]| {
        let comparison = compared(&pair(sweep(base), sweep(other)));
        let headline = compared_test(&comparison).headline.clone().unwrap();
        assert_eq!(compared_test(&comparison).points.len(), 3);
        (headline.base.degree.dop.jobs, headline.other.degree.dop.jobs, headline.shift.evidence)
    };
    let paired = Evidence::Paired { pairs: 6 };
    assert_eq!(degrees([100.0, 200.0, 201.0], [90.0, 181.0, 175.0]), (2, 2, paired), "201 is 200 within the margin");
    // 200 times 180 is less than 150 times 300.
    assert_eq!(degrees([100.0, 200.0, 150.0], [90.0, 180.0, 300.0]), (4, 4, paired), "a pair stays one");
}

#[test]
fn the_headline_depends_on_the_margin() {
    let sweep = |rates: [f64; 2]| vec![test("T611", (0..2).map(|at| point(1 << at, &[rates[at]; 6])).collect())];
    let systems = [system("a", None, sweep([100.0, 108.0])), system("b", None, sweep([100.0, 91.0]))];
    let degrees = |margin: f64| {
        let comparison = compare(&systems, CompareOptions { margin, ..CompareOptions::default() });
        let headline = compared_test(&comparison).headline.clone().unwrap();
        (headline.base.degree.dop.jobs, headline.other.degree.dop.jobs)
    };
    assert_eq!((degrees(0.02), degrees(0.1)), ((2, 1), (1, 1)));
}

#[test]
fn the_rate_of_a_point_is_that_of_a_run() {
    let systems =
        || pair(vec![test("T611", vec![point(1, &[100.0, 130.0])])], vec![test("T611", vec![point(1, &[90.0])])]);
    let comparison = compared(&systems());
    let best = comparison.tests[0].sides[0].as_ref().unwrap().best.unwrap();
    assert_eq!((best.rate, best.repeats), (Rate(100.0), 2), "the lower one of two in the middle");
    assert_eq!(SystemPoint::default().median(), None);
}

#[test]
fn a_gate_without_a_verdict_fails() {
    let mut systems = pair(vec![test("T611", vec![point(2, &TEN)])], vec![test("T611", vec![point(2, &TEN)])]);
    let found = |systems: &[System]| "slower>2%".parse::<Gate>().unwrap().violations(&compared(systems));
    assert!(found(&systems).is_empty());
    systems[1].tests[0].unit = Unit::Statement;
    let closed = found(&systems);
    assert_eq!((closed.len(), &closed[0].test, closed[0].rule.as_str()), (1, &None, "slower>2%"));
    assert_eq!(closed[0].found, ViolationFound::NoVerdict);
}

#[test]
fn speed_is_at_one_of_each() {
    let speed = |degree: Degree| {
        let mut systems = pair(vec![test("T611", vec![point(1, &TEN)])], vec![test("T611", vec![point(1, &TEN)])]);
        systems[0].tests[0].points[0].degree = degree;
        compared(&systems).tests[0].sides[0].as_ref().unwrap().speed.is_some()
    };
    assert!(speed(Degree::default()));
    assert!(!speed(Degree { dop: Dop { nodes: 2, ..Dop::jobs(1) }, in_flight: None }));
    let in_flight = |count: u32| speed(Degree { in_flight: Some(count), ..Degree::default() });
    assert_eq!((in_flight(1), in_flight(32)), (true, false));
}

#[test]
fn two_of_three_systems_are_compared_with_the_first() {
    let tests = |factor: f64| vec![test("T611", vec![point(1, &times(factor))])];
    let systems = [system("a", None, tests(1.0)), system("b", None, vec![]), system("c", None, tests(1.5))];
    let comparison = compared(&systems);
    let test = &comparison.tests[0];
    assert!(test.compared_tests[0].is_none() && test.compared_tests[1].is_none() && test.sides[1].is_none());
    assert_eq!(test.compared_tests[2].as_ref().unwrap().outcome.word(), "FASTER");
    assert_eq!(test.sides[2].as_ref().unwrap().best.unwrap().repeats, 10);
    assert!(comparison.means[1].is_none() && comparison.means[2].is_some());
    let violations = |gate: &str| gate.parse::<Gate>().unwrap().violations(&comparison);
    let missing = violations("T611:slower>2%");
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert_eq!((missing[0].system, missing[0].test.as_deref()), (Some(1), Some("T611")));
    assert_eq!(missing[0].found, ViolationFound::Lacking);
    assert!(violations("slower>2%").is_empty(), "only named tests are required");
    assert!(compared(&[]).tests.is_empty() && compared(&systems[..1]).tests.is_empty());
}

#[test]
fn a_gate_lists_its_violations() {
    let tests =
        |factor: f64| vec![test("T611", vec![point(1, &times(factor))]), test("T616", vec![point(1, &times(1.0))])];
    let comparison = compared(&pair(tests(1.0), tests(0.9)));
    let violations = |gate: &str| gate.parse::<Gate>().unwrap().violations(&comparison);
    let found = violations("slower>2%");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].test.as_deref(), found[0].system, found[0].rule.as_str()),
        (Some("T611"), Some(1), "slower>2%")
    );
    assert!(matches!(found[0].found, ViolationFound::Slower { ratio, .. } if (ratio - 0.9).abs() < 0.001), "{found:?}");
    assert!(violations("slower>2%,T611:slower>15%").is_empty());
    assert!(violations("inconclusive,incomparable").is_empty());
    let missing = violations("T999:slower>2%");
    assert_eq!((missing[0].test.as_deref(), missing[0].system), (Some("T999"), None));
    assert_eq!(missing[0].found, ViolationFound::NotShared);
}
