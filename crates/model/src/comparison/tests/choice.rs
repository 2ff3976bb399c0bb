//! The best of several degrees of parallelism.

use super::*;

/// Six rates around `middle`, by up to 5 %, in another order for each degree.
fn noisy(middle: f64, turn: usize) -> Vec<f64> {
    let mut noise = [0.95, 0.97, 0.99, 1.01, 1.03, 1.05];
    noise.rotate_left(turn % 6);
    noise.map(|noise| middle * noise).to_vec()
}

fn choices(base: Vec<SystemPoint>, other: Vec<SystemPoint>) -> ([usize; 2], Option<Interval>) {
    let systems = [system("a", None, vec![test("T611", base)]), system("b", None, vec![test("T611", other)])];
    let found = shift(&compared(&systems));
    (found.choices, found.interval)
}

#[test]
fn degrees_that_the_runs_do_not_tell_apart_all_count() {
    let alike = |degrees: u32, best: f64| -> Vec<SystemPoint> {
        (0..degrees).map(|at| point(1 << at, &noisy(if at == 2 { best } else { 1000.0 }, at as usize))).collect()
    };
    let (count, of_eight) = choices(alike(8, 1040.0), vec![point(1, &noisy(1000.0, 1))]);
    assert_eq!(count, [8, 1]);
    let (count, of_one) = choices(vec![point(4, &noisy(1040.0, 2))], vec![point(1, &noisy(1000.0, 1))]);
    assert_eq!(count, [1, 1]);
    let (of_eight, of_one) = (of_eight.unwrap(), of_one.unwrap());
    assert!(of_eight.high > of_one.high && of_eight.low == of_one.low, "only what the base gained by the choice");
    // A degree that is clearly the best is no choice.
    let sweep =
        || [1.0, 1.9, 3.1].iter().zip(0..).map(|(gain, at)| point(1 << at, &noisy(1000.0 * gain, at))).collect();
    assert_eq!(choices(sweep(), sweep()).0, [1, 1]);
}

#[test]
fn the_best_of_eight_equal_degrees_is_not_faster_than_one() {
    let base: Vec<SystemPoint> =
        (0..8).map(|at| point(1 << at, &noisy(if at == 5 { 1037.0 } else { 1000.0 }, at))).collect();
    let of = |points: Vec<SystemPoint>| {
        let systems = [
            system("a", None, vec![test("T611", points)]),
            system("b", None, vec![test("T611", vec![point(1, &noisy(950.0, 1))])]),
        ];
        compared_test(&compared(&systems)).outcome.word()
    };
    assert_eq!((of(base.clone()), of(vec![base[5].clone()])), ("INCONCLUSIVE", "SLOWER"));
}

#[test]
fn pairs_at_several_degrees_count_them_too() {
    let alike = |middle: f64| -> Vec<SystemPoint> { (0..4).map(|at| point(1 << at, &noisy(middle, at))).collect() };
    let systems = pair(vec![test("T611", alike(1000.0))], vec![test("T611", alike(900.0))]);
    let comparison = compared(&systems);
    assert_eq!(shift(&comparison).choices, [4, 4]);
    let reason = match &compared_test(&comparison).outcome {
        ComparisonOutcome::Judged { reason, .. } => reason.basis,
        other => panic!("{other:?}"),
    };
    assert_eq!(reason, VerdictBasis::NoInterval { needed: Some(8) }, "2^-8 is at most 0.025 / 4");
    assert!(compared_test(&comparison).points.iter().all(|point| point.shift.interval.is_some()), "of each alone");
}
