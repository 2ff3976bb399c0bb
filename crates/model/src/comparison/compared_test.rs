//! Compares two systems test by test and point by point.

use std::collections::{BTreeMap, HashMap};

use record::Finding;

use super::advice::advise;
use super::difference::{differences, reasons};
use super::headline::{Choice, best, headline, headline_of_pair};
use super::overall::geometric_mean;
use super::shift::{are_paired, pairing, shifted};
use super::verdict::{ComparisonWarning, Family, Reason, holm, judge};
use super::{
    CompareOptions, ComparedPoint, ComparedTest, Comparison, ComparisonOutcome, PointFigures, Shift, TestComparison,
    TestSide, Unshared,
};
use crate::degree::Degree;
use crate::system::{Paired, System, SystemPoint, SystemTest};

pub(super) fn compare(systems: &[System], options: CompareOptions) -> Comparison {
    let of_code: Vec<HashMap<&str, &SystemTest>> = systems
        .iter()
        .map(|system| system.tests.iter().rev().map(|test| (test.code.as_str(), test)).collect())
        .collect();
    let mut tests: Vec<TestComparison> = Vec::new();
    let mut unshared: Vec<Unshared> = Vec::new();
    for code in codes(systems) {
        let found: Vec<Option<&SystemTest>> = of_code.iter().map(|tests| tests.get(code).copied()).collect();
        let having: Vec<usize> = (0..systems.len()).filter(|at| found[*at].is_some()).collect();
        let Some(first) = having.first().and_then(|at| found[*at]) else { continue };
        if having[0] == 0 && having.len() > 1 {
            tests.push(test(systems, &found, first, options));
        } else {
            unshared.push(Unshared { code: first.code.clone(), title: first.title.clone(), systems: having });
        }
    }
    decide(&mut tests, options.margin);
    let remarks = systems
        .iter()
        .flat_map(|system| system.remarks.iter().map(move |remark| (system.name.clone(), remark.clone())));
    Comparison {
        systems: systems.iter().map(|system| system.name.clone()).collect(),
        margin: options.margin,
        differences: differences(systems),
        unshared,
        means: (0..systems.len()).map(|other| geometric_mean(&tests, other)).collect(),
        remarks: remarks.collect(),
        tests,
    }
}

/// The codes of all tests, each once, those of the base first.
fn codes(systems: &[System]) -> Vec<&str> {
    let mut codes: Vec<&str> = Vec::new();
    for test in systems.iter().flat_map(|system| &system.tests) {
        if !codes.contains(&test.code.as_str()) {
            codes.push(&test.code);
        }
    }
    codes
}

fn test(
    systems: &[System],
    found: &[Option<&SystemTest>],
    base: &SystemTest,
    options: CompareOptions,
) -> TestComparison {
    let compared_test = |at: usize| {
        let other = found[at].filter(|_| at > 0)?;
        Some(compared_test([&systems[0], &systems[at]], [base, other], options))
    };
    TestComparison {
        code: base.code.clone(),
        title: base.title.clone(),
        is_probe: base.is_probe,
        layer: base.layer,
        unit: base.unit,
        sides: found.iter().map(|test| test.map(side)).collect(),
        compared_tests: (0..systems.len()).map(compared_test).collect(),
    }
}

fn side(test: &SystemTest) -> TestSide {
    let is_single = |degree: &Degree| degree.parallelism() == 1 && degree.in_flight.is_none_or(|count| count == 1);
    let single = test.points.iter().filter(|point| is_single(&point.degree));
    TestSide {
        speed: single.into_iter().find_map(figures),
        best: best(test).and_then(figures),
        invalid: test.points.iter().flat_map(|point| &point.invalid).cloned().collect(),
    }
}

fn figures(point: &SystemPoint) -> Option<PointFigures> {
    Some(PointFigures {
        degree: point.degree,
        rate: point.median()?,
        repeats: point.rates.len(),
        service: point.columns.service,
        service_mean_ns: point.columns.service_mean_ns,
    })
}

fn compared_test(systems: [&System; 2], tests: [&SystemTest; 2], options: CompareOptions) -> ComparedTest {
    let margin = options.margin;
    let shared: Vec<(&SystemPoint, &SystemPoint)> = tests[0]
        .points
        .iter()
        .filter_map(|one| Some((one, tests[1].points.iter().find(|other| other.degree == one.degree)?)))
        .collect();
    let mut reasons = reasons(systems, tests);
    let waived = if options.ranks_any_durability { waive_durability(&mut reasons) } else { None };
    let outcome =
        if reasons.is_empty() { ComparisonOutcome::Unjudged } else { ComparisonOutcome::Incomparable { reasons } };
    let of_pair = pairing(systems).and_then(warning);
    let warning = waived.or(of_pair).or_else(|| warnings(systems, tests));
    let of_pair = if are_paired(systems) { headline_of_pair(&shared) } else { None };
    let chosen = of_pair.or_else(|| headline(tests, &shared, margin));
    let mut compared_test =
        ComparedTest { outcome, warning, headline: None, points: Vec::new(), claim: None, pairs: BTreeMap::new() };
    if let Some(choice) = chosen
        && let Some(shifted) = shifted(systems, choice, margin)
    {
        compared_test.headline = compared_point(choice, shifted.shift);
        (compared_test.claim, compared_test.pairs) = (shifted.claim, shifted.pairs);
    }
    let of_degree = |(base, other): &(&SystemPoint, &SystemPoint)| {
        let choice = Choice { base, other, choices: [1, 1] };
        // What is chosen among one is that point.
        let is_headline = chosen.is_some_and(|chosen| chosen.is(choice));
        match &compared_test.headline {
            Some(headline) if is_headline => Some(headline.clone()),
            _ => compared_point(choice, shifted(systems, choice, margin)?.shift),
        }
    };
    compared_test.points = shared.iter().filter_map(of_degree).collect();
    compared_test
}

/// Takes a difference in durability out of `reasons`: a warning is left of it.
fn waive_durability(reasons: &mut Vec<Reason>) -> Option<ComparisonWarning> {
    let at = reasons.iter().position(|reason| matches!(reason, Reason::Durability(_)))?;
    let Reason::Durability(systems) = reasons.remove(at) else { return None };
    Some(ComparisonWarning::Durability(Box::new(systems)))
}

/// The warnings of the runs of either side.
fn warnings(systems: [&System; 2], tests: [&SystemTest; 2]) -> Option<ComparisonWarning> {
    let of_side = |(system, test): (&System, &SystemTest)| {
        (!test.warnings.is_empty()).then(|| (system.name.clone(), test.warnings.clone()))
    };
    let sides: Vec<(String, Vec<Finding>)> = systems.into_iter().zip(tests).filter_map(of_side).collect();
    (!sides.is_empty()).then_some(ComparisonWarning::Runs(sides))
}

fn compared_point(choice: Choice<'_>, shift: Shift) -> Option<ComparedPoint> {
    let (base, other) = (figures(choice.base)?, figures(choice.other)?);
    Some(ComparedPoint { base, other, shift })
}

/// A warning about all pairs of two sides: different workloads, or control drift.
fn warning([base, other]: [&Paired; 2]) -> Option<ComparisonWarning> {
    if base.plan_hash != other.plan_hash {
        return Some(ComparisonWarning::Plans([base.plan_hash.clone(), other.plan_hash.clone()]));
    }
    base.control_probe.as_ref().or(other.control_probe.as_ref())?.drift().map(ComparisonWarning::Drift)
}

/// Decides all comparable tests as one family: verdicts and, where a test has none, whether there is a difference.
fn decide(tests: &mut [TestComparison], margin: f64) {
    let mut compared_tests: Vec<&mut ComparedTest> = tests
        .iter_mut()
        .flat_map(|test| test.compared_tests.iter_mut().flatten())
        .filter(|compared_test| compared_test.outcome == ComparisonOutcome::Unjudged)
        .collect();
    let p_values = |test: &ComparedTest| Some([test.claim?.p_value, test.headline.as_ref()?.shift.p_value?]);
    let tested: Vec<[f64; 2]> = compared_tests.iter().filter_map(|test| p_values(test)).collect();
    let adjusted = |at: usize| holm(&tested.iter().map(|p_values| p_values[at]).collect::<Vec<f64>>());
    let mut adjusted = adjusted(0).into_iter().zip(adjusted(1));
    for compared_test in &mut compared_tests {
        let family = p_values(compared_test).and_then(|_| adjusted.next());
        let family = family.map(|(p_verdict, p_difference)| Family { p_verdict, p_difference, tests: tested.len() });
        if let Some(headline) = &compared_test.headline {
            compared_test.outcome = judge(&headline.shift, family, margin);
        }
    }
    advise(&mut compared_tests, tested.len(), margin);
}
