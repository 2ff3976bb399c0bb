//! Compares two systems test by test and point by point.

use std::collections::{BTreeMap, HashMap};

use record::{Finding, Nanos};

use super::difference::{differences, reasons};
use super::rank_sum::{rank_sum, shift_interval, shift_median};
use super::signed_rank::{signed_rank, walsh_interval, walsh_median};
use super::verdict::{ComparisonWarning, Evidence, holm, judge};
use super::{
    CompareOptions, ComparedPoint, ComparedTest, Comparison, ComparisonOutcome, GeometricMean, PointFigures, Shift,
    TestComparison, TestSide, Unshared,
};
use crate::degree::Degree;
use crate::rules::RULES;
use crate::statistics::{Interval, mean, student_quantile, variance};
use crate::system::{Origin, Paired, System, SystemPoint, SystemTest};

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
            tests.push(test(systems, &found, first, options.margin));
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

fn test(systems: &[System], found: &[Option<&SystemTest>], base: &SystemTest, margin: f64) -> TestComparison {
    let compared_test = |at: usize| {
        let other = found[at].filter(|_| at > 0)?;
        Some(compared_test([&systems[0], &systems[at]], [base, other], margin))
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
        service_p99_ns: point.columns.service_p99_ns,
        service_mean_ns: point.columns.service_mean_ns,
    })
}

/// The median rate, as a number.
fn rate(point: &SystemPoint) -> Option<f64> {
    point.median().map(|rate| rate.0)
}

/// The logarithms of the rates, by repeat.
fn logs(point: &SystemPoint) -> BTreeMap<u32, f64> {
    let positive = point.rates.iter().filter(|rate| rate.per_second.0 > 0.0 && rate.per_second.0.is_finite());
    positive.map(|rate| (rate.repeat, rate.per_second.0.ln())).collect()
}

/// The point with the highest median rate; of equal ones that with the least parallelism, which comes first.
fn best(test: &SystemTest) -> Option<&SystemPoint> {
    let rated = test.points.iter().filter_map(|point| Some((rate(point)?, point)));
    rated.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, point)| point)
}

fn compared_test(systems: [&System; 2], tests: [&SystemTest; 2], margin: f64) -> ComparedTest {
    let shared: Vec<(&SystemPoint, &SystemPoint)> = tests[0]
        .points
        .iter()
        .filter_map(|one| Some((one, tests[1].points.iter().find(|other| other.degree == one.degree)?)))
        .collect();
    let reasons = reasons(systems, tests);
    let outcome =
        if reasons.is_empty() { ComparisonOutcome::Unjudged } else { ComparisonOutcome::Incomparable { reasons } };
    let of_pair = pairing(systems).and_then(warning);
    let warning = of_pair.or_else(|| warnings(systems, tests));
    let of_pair = if are_paired(systems) { headline_of_pair(&shared) } else { None };
    let headline =
        of_pair.or_else(|| headline(tests, &shared, margin)).and_then(|(one, other)| points(systems, one, other));
    let points = shared.iter().filter_map(|(one, other)| points(systems, one, other)).collect();
    ComparedTest { outcome, warning, headline, points }
}

/// The warnings of the runs of either side.
fn warnings(systems: [&System; 2], tests: [&SystemTest; 2]) -> Option<ComparisonWarning> {
    let of_side = |(system, test): (&System, &SystemTest)| {
        (!test.warnings.is_empty()).then(|| (system.name.clone(), test.warnings.clone()))
    };
    let sides: Vec<(String, Vec<Finding>)> = systems.into_iter().zip(tests).filter_map(of_side).collect();
    (!sides.is_empty()).then_some(ComparisonWarning::Runs(sides))
}

/// The points of the degree with the highest product of both rates, among those with paired repeats, which cancel
/// drift.
fn headline_of_pair<'a>(shared: &[(&'a SystemPoint, &'a SystemPoint)]) -> Option<(&'a SystemPoint, &'a SystemPoint)> {
    let has_pair = |one: &SystemPoint, other: &SystemPoint| {
        let others = logs(other);
        logs(one).keys().any(|repeat| others.contains_key(repeat))
    };
    let paired: Vec<_> = shared.iter().copied().filter(|(one, other)| has_pair(one, other)).collect();
    common(&paired).map(|(_, _, one, other)| (one, other))
}

/// The points of the degree with the highest product of both rates, with their rates.
fn common<'a>(shared: &[(&'a SystemPoint, &'a SystemPoint)]) -> Option<(f64, f64, &'a SystemPoint, &'a SystemPoint)> {
    let rated = shared.iter().filter_map(|(one, other)| Some((rate(one)?, rate(other)?, *one, *other)));
    rated.reduce(|best, next| if next.0 * next.1 > best.0 * best.1 { next } else { best })
}

/// The two points that the verdict is about for unpaired systems, see [`ComparedTest::headline`].
///
/// The common degree is that with the highest product of both rates: taking the best degree of the base would favour
/// the base where several degrees are equally good.
fn headline<'a>(
    tests: [&'a SystemTest; 2],
    shared: &[(&'a SystemPoint, &'a SystemPoint)],
    margin: f64,
) -> Option<(&'a SystemPoint, &'a SystemPoint)> {
    let (one, other) = (best(tests[0])?, best(tests[1])?);
    let near = |at: f64, best: &SystemPoint| rate(best).is_some_and(|best| at * (1.0 + margin) >= best);
    match common(shared).filter(|common| near(common.0, one) && near(common.1, other)) {
        Some((_, _, one, other)) => Some((one, other)),
        None => Some((one, other)),
    }
}

fn points(systems: [&System; 2], base: &SystemPoint, other: &SystemPoint) -> Option<ComparedPoint> {
    let figures = (figures(base)?, figures(other)?);
    let ratio = |base: Option<Nanos>, other: Option<Nanos>| {
        let base = base.filter(|base| base.0 > 0)?;
        Some(other?.0 as f64 / base.0 as f64)
    };
    Some(ComparedPoint {
        base: figures.0,
        other: figures.1,
        shift: shift(systems, base, other)?,
        service_p99_ratio: ratio(figures.0.service_p99_ns, figures.1.service_p99_ns),
        service_mean_ratio: ratio(figures.0.service_mean_ns, figures.1.service_mean_ns),
    })
}

fn shift(systems: [&System; 2], base: &SystemPoint, other: &SystemPoint) -> Option<Shift> {
    let (base_logs, other_logs) = (logs(base), logs(other));
    let is_published = |system: &System| matches!(system.origin, Origin::Published { .. });
    // Repeats at different degrees of parallelism have the same number but were not adjacent.
    if are_paired(systems) && base.degree == other.degree {
        let pairs: Vec<f64> =
            base_logs.iter().filter_map(|(repeat, one)| Some(other_logs.get(repeat)? - one)).collect();
        if !pairs.is_empty() {
            return paired(&pairs);
        }
    }
    let (base_logs, other_logs): (Vec<f64>, Vec<f64>) =
        (base_logs.into_values().collect(), other_logs.into_values().collect());
    let middle = (rate(other)? / rate(base)?).ln();
    let plain = |evidence, interval| Shift {
        ratio: middle.exp(),
        evidence,
        interval,
        equivalence: None,
        p_value: None,
        superiority: None,
        deviation: None,
    };
    if systems.into_iter().any(is_published) {
        return Some(plain(Evidence::Published, None));
    }
    if base_logs.len() < 2 || other_logs.len() < 2 {
        return Some(plain(Evidence::Single, within_runs(middle, base, other)));
    }
    let test = rank_sum(&base_logs, &other_logs)?;
    Some(Shift {
        ratio: shift_median(&base_logs, &other_logs)?.exp(),
        evidence: Evidence::Unpaired { base: base_logs.len(), other: other_logs.len() },
        interval: shift_interval(&base_logs, &other_logs, 1.0 - RULES.significance).map(exponential),
        equivalence: shift_interval(&base_logs, &other_logs, 1.0 - 2.0 * RULES.equivalence_significance)
            .map(exponential),
        p_value: Some(test.p_value),
        superiority: Some(test.superiority),
        deviation: Some((variance(&base_logs) + variance(&other_logs)).sqrt()),
    })
}

/// Whether the two are the sides of one pair.
fn are_paired(systems: [&System; 2]) -> bool {
    pairing(systems).is_some()
}

/// The pairing of the two sides; None where they are not of one pair.
fn pairing([base, other]: [&System; 2]) -> Option<[&Paired; 2]> {
    let (one, another) = (base.paired()?, other.paired()?);
    (base.name != other.name && one.with == other.name && another.with == base.name).then_some([one, another])
}

/// A warning about all pairs of two sides: different workloads, or control drift.
fn warning([base, other]: [&Paired; 2]) -> Option<ComparisonWarning> {
    if base.plan_hash != other.plan_hash {
        return Some(ComparisonWarning::Plans([base.plan_hash.clone(), other.plan_hash.clone()]));
    }
    base.control_probe.as_ref().or(other.control_probe.as_ref())?.drift().map(ComparisonWarning::Drift)
}

fn paired(pairs: &[f64]) -> Option<Shift> {
    let wins: f64 = pairs.iter().map(|difference| 0.5 + 0.5 * sign(*difference)).sum();
    Some(Shift {
        ratio: walsh_median(pairs)?.exp(),
        evidence: Evidence::Paired { pairs: pairs.len() },
        interval: walsh_interval(pairs, 1.0 - RULES.significance).map(exponential),
        equivalence: walsh_interval(pairs, 1.0 - 2.0 * RULES.equivalence_significance).map(exponential),
        p_value: signed_rank(pairs).map(|test| test.p_value),
        superiority: Some(wins / pairs.len() as f64),
        deviation: (pairs.len() >= 2).then(|| variance(pairs).sqrt()),
    })
}

fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}

/// The interval of a ratio of two single runs from the noise within each: relative errors add in quadrature.
fn within_runs(middle: f64, base: &SystemPoint, other: &SystemPoint) -> Option<Interval> {
    let half = (base.within_run?.0.powi(2) + other.within_run?.0.powi(2)).sqrt();
    Some(exponential(Interval::around(middle, half)))
}

fn exponential(interval: Interval) -> Interval {
    Interval { estimate: interval.estimate.exp(), low: interval.low.exp(), high: interval.high.exp() }
}

/// Decides all comparable tests as one family.
fn decide(tests: &mut [TestComparison], margin: f64) {
    let mut compared_tests: Vec<&mut ComparedTest> = tests
        .iter_mut()
        .flat_map(|test| test.compared_tests.iter_mut().flatten())
        .filter(|compared_test| compared_test.outcome == ComparisonOutcome::Unjudged)
        .collect();
    let p_value =
        |compared_test: &ComparedTest| compared_test.headline.as_ref().and_then(|headline| headline.shift.p_value);
    let tested: Vec<f64> = compared_tests.iter().filter_map(|compared_test| p_value(compared_test)).collect();
    let mut adjusted = holm(&tested).into_iter();
    for compared_test in &mut compared_tests {
        let p_adjusted = p_value(compared_test).and_then(|_| adjusted.next());
        if let Some(headline) = &compared_test.headline {
            compared_test.outcome = judge(&headline.shift, p_adjusted, tested.len(), margin);
        }
    }
}

/// The mean of system `other` over `tests`.
fn geometric_mean(tests: &[TestComparison], other: usize) -> Option<GeometricMean> {
    let ratio = |test: &TestComparison| {
        let compared_test = test.compared_tests.get(other)?.as_ref()?;
        match compared_test.outcome {
            ComparisonOutcome::Incomparable { .. } => None,
            _ => compared_test.headline.as_ref().map(|headline| headline.shift.ratio.ln()),
        }
    };
    let of_engines: Vec<f64> = tests.iter().filter(|test| !test.is_probe).filter_map(ratio).collect();
    let logs = if of_engines.is_empty() { tests.iter().filter_map(ratio).collect() } else { of_engines };
    let middle = mean(&logs)?;
    let interval = (logs.len() >= RULES.mean_tests_min).then(|| {
        let student = student_quantile(1.0 - RULES.significance / 2.0, (logs.len() - 1) as f64);
        let half = student * (variance(&logs) / logs.len() as f64).sqrt();
        Interval { estimate: middle.exp(), low: (middle - half).exp(), high: (middle + half).exp() }
    });
    Some(GeometricMean { ratio: middle.exp(), interval, tests: logs.len() })
}
