//! The mean over tests.

use super::*;

/// Sides with a test for each of `tests`, which has the ratio of each pair.
fn sides(tests: &[(&str, Vec<f64>)], with: bool) -> [System; 2] {
    let of = |ratios: &dyn Fn(&[f64]) -> Vec<f64>| -> Vec<SystemTest> {
        tests.iter().map(|(code, pairs)| test(code, vec![point(1, &ratios(pairs))])).collect()
    };
    let (base, other) =
        (of(&|pairs| vec![1000.0; pairs.len()]), of(&|pairs| pairs.iter().map(|ratio| 1000.0 * ratio).collect()));
    match with {
        true => pair(base, other),
        false => [system("a", None, base), system("b", None, other)],
    }
}

fn mean(systems: &[System]) -> GeometricMean {
    compared(systems).means[1].unwrap()
}

#[test]
fn the_mean_over_tests_by_hand() {
    let of = |ratios: [f64; 5]| {
        let codes = ["C11", "T611", "T616", "T716", "T621"];
        let tests: Vec<_> = codes.into_iter().zip(ratios).map(|(code, ratio)| (code, vec![ratio])).collect();
        mean(&sides(&tests, false))
    };
    let found = of([7.0, 0.5, 1.0, 1.0, 2.0]);
    assert!((found.ratio - 1.0).abs() < 1e-12 && found.tests == 4, "without the probe {found:?}");
}

#[test]
fn single_runs_and_repeats_without_pairs_have_a_mean_and_no_interval() {
    // As where a machine was slower as a whole: all tests alike, and none of them compared with itself.
    for runs in [1, 10] {
        let tests: Vec<_> = ["T611", "T616", "T716", "T621"].map(|code| (code, vec![0.96; runs])).to_vec();
        let found = mean(&sides(&tests, false));
        assert!((found.ratio - 0.96).abs() < 1e-9, "{found:?}");
        assert_eq!((found.interval, found.tests, found.pairs), (None, 4, 0));
    }
}

#[test]
fn the_interval_is_of_the_means_of_pairs() {
    // Two tests that differ by a factor of four and vary oppositely: the mean of each pair is 1.1 times a little.
    let little = [1.001, 1.002, 1.003, 1.004, 1.005, 1.006];
    let first = little.map(|ratio| 2.2 * ratio * ratio).to_vec();
    let second = little.map(|_| 0.55).to_vec();
    let found = mean(&sides(&[("T611", first.clone()), ("T616", second.clone())], true));
    let interval = found.interval.unwrap();
    assert!((interval.low - 1.1 * 1.001).abs() < 1e-9 && (interval.high - 1.1 * 1.006).abs() < 1e-9, "{found:?}");
    assert!((found.ratio - 1.1 * 1.0035).abs() < 1e-5 && found.ratio == interval.estimate, "{found:?}");
    assert_eq!((found.tests, found.pairs), (2, 6));
    // A pair that a test does not have does not count, and five give no interval.
    let fewer = mean(&sides(&[("T611", first), ("T616", second[..5].to_vec())], true));
    assert_eq!((fewer.interval, fewer.pairs), (None, 5));
}
