//! Several tests in one comparison, and how many pairs decide them.

use super::*;

/// Sides of `count` tests whose pairs all change by `changes`.
fn pairs_of(count: usize, changes: &[f64]) -> [System; 2] {
    let tests = |changes: &[f64]| -> Vec<SystemTest> {
        let rates: Vec<f64> = changes.iter().map(|change| 1000.0 * (1.0 + change)).collect();
        (0..count).map(|at| test(&format!("T{at}"), vec![point(1, &rates)])).collect()
    };
    pair(tests(&vec![0.0; changes.len()]), tests(changes))
}

fn found(systems: &[System]) -> (ComparisonVerdict, Option<f64>, Option<u64>, VerdictBasis) {
    match compared_test(&compared(systems)).outcome {
        ComparisonOutcome::Judged { verdict, p_adjusted, more_pairs, reason } => {
            (verdict, p_adjusted, more_pairs, reason.basis)
        }
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn p_values_are_adjusted_for_multiple_tests() {
    let six = [0.3, 0.301, 0.302, 0.303, 0.304, 0.305];
    let of = |count: usize| found(&pairs_of(count, &six));
    assert!(matches!(of(1), (ComparisonVerdict::Faster, Some(0.03125), None, VerdictBasis::Beyond(_))));
    let (verdict, p_adjusted, more_pairs, basis) = of(3);
    assert_eq!((verdict, p_adjusted, more_pairs), (ComparisonVerdict::Inconclusive, Some(0.09375), Some(1)));
    assert!(matches!(basis, VerdictBasis::NotSignificant { alone: ComparisonVerdict::Faster, tests: 3, .. }));
}

/// Ten pairs that are all faster, two of them by less than the margin.
const TEN_FASTER: [f64; 10] = [0.05, 0.051, 0.052, 0.053, 0.054, 0.055, 0.056, 0.057, 0.008, 0.01];

#[test]
fn that_a_difference_is_larger_than_the_margin_is_shown_of_many_tests_too() {
    // W = 1 + 2 about the margin: 5 of 1024, twice, 0.0098. No difference has one sign: 2 of 1024.
    let (verdict, p_adjusted, ..) = found(&pairs_of(1, &TEN_FASTER));
    assert_eq!((verdict, p_adjusted), (ComparisonVerdict::Faster, Some(10.0 / 1024.0)));
    let (verdict, p_adjusted, _, basis) = found(&pairs_of(12, &TEN_FASTER));
    assert_eq!((verdict, p_adjusted), (ComparisonVerdict::Inconclusive, Some(120.0 / 1024.0)));
    assert!(
        matches!(basis, VerdictBasis::NotSignificant { alone: ComparisonVerdict::Faster, interval, tests: 12, .. }
            if interval.low > 1.02),
        "{basis:?}"
    );
}

#[test]
fn that_systems_are_equal_is_shown_of_many_tests_too() {
    // The limits of the margin are 2 % away: W = 1 of the upper one, 2 of 128.
    let seven = [0.001, -0.001, 0.002, -0.002, 0.003, -0.003, 0.0205];
    let (verdict, p_adjusted, ..) = found(&pairs_of(1, &seven));
    assert_eq!((verdict, p_adjusted), (ComparisonVerdict::Equivalent, Some(2.0 / 128.0)));
    let (verdict, _, _, basis) = found(&pairs_of(4, &seven));
    assert_eq!(verdict, ComparisonVerdict::Inconclusive);
    assert!(matches!(basis, VerdictBasis::NotSignificant { alone: ComparisonVerdict::Equivalent, .. }), "{basis:?}");
}

#[test]
fn the_pairs_that_decide_are_those_to_the_margin() {
    // 3 % faster, with a deviation of 3 %: about 80 pairs, and more as ten leave both open.
    let noise = [1.4, -1.4, 1.0, -1.0, 0.7, -0.7, 0.5, -0.5, 1.1, -1.1].map(|noise: f64| 1.03 * (0.03 * noise).exp());
    let changes = noise.map(|ratio| ratio - 1.0);
    let more = |count: usize| found(&pairs_of(count, &changes)).2.unwrap();
    assert!((150..300).contains(&more(1)), "{}", more(1));
    assert!(more(12) > more(1), "{}", more(12));
}

#[test]
fn tests_that_are_harder_are_still_open() {
    let close = [0.03, 0.0, 0.04, 0.01, 0.05, -0.01, 0.025, 0.035, 0.02, 0.015];
    let far = [0.1, 0.0, 0.15, 0.05, 0.2, -0.1, 0.12, 0.09, 0.02, 0.07];
    let rates = |changes: &[f64]| changes.iter().map(|change| 1000.0 * (1.0 + change)).collect::<Vec<f64>>();
    let tests = |sides: [&[f64]; 2]| {
        sides.iter().zip(["T1", "T2"]).map(|(side, code)| test(code, vec![point(1, &rates(side))])).collect::<Vec<_>>()
    };
    let none = [0.0; 10];
    let more = |systems: [System; 2]| {
        let comparison = compared(&systems);
        let of = |test: &TestComparison| match test.compared_tests[1].as_ref().unwrap().outcome {
            ComparisonOutcome::Judged { more_pairs, .. } => more_pairs.unwrap(),
            ref other => panic!("{other:?}"),
        };
        comparison.tests.iter().map(of).collect::<Vec<u64>>()
    };
    let both = more(pair(tests([&none, &none]), tests([&far, &close])));
    let alone = more(pairs_of(1, &far));
    assert!(both[0] > alone[0] && both[0] < both[1], "{both:?} {alone:?}");
}
