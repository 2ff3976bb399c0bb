//! Systems measured in a drifting environment.

use super::*;

/// Ten pairs in an environment that drifts by 6 % and wanders by 3 %, in randomized order within a pair; the other
/// system is `factor` times as fast.
fn drifting(simulation: &mut Simulation, factor: f64) -> [System; 2] {
    let wandering = simulation.noise(20, 0.9, 0.0, 0.03);
    let mut rates = [Vec::new(), Vec::new()];
    for pair in 0..10 {
        let first = usize::from(simulation.uniform() < 0.5);
        for (turn, side) in [(0, first), (1, 1 - first)] {
            let at = pair * 2 + turn;
            let drift = 0.06 * at as f64 / 19.0 + wandering[at] + 0.01 * simulation.normal();
            rates[side].push(1000.0 * drift.exp() * if side == 1 { factor } else { 1.0 });
        }
    }
    let [base, other] = rates.map(|rates| vec![test("T611", vec![point(4, &rates)])]);
    pair(base, other)
}

fn verdicts(seed: u64, factor: f64, wanted: impl Fn(ComparisonVerdict) -> bool) -> usize {
    let mut simulation = Simulation::new(seed);
    let verdict = |systems: [System; 2]| compared_test(&compared(&systems)).outcome.verdict().unwrap();
    (0..2_000).filter(|_| wanted(verdict(drifting(&mut simulation, factor)))).count()
}

#[test]
fn identical_systems_in_a_drifting_environment_seldom_differ() {
    use ComparisonVerdict::{Equivalent, Inconclusive};
    let wrong = verdicts(17, 1.0, |verdict| !matches!(verdict, Equivalent | Inconclusive));
    // 141 of 4000: 3.5 %.
    assert!(wrong <= 100, "{wrong} of 2000");
}

#[test]
fn a_fifth_less_is_slower() {
    let found = verdicts(18, 0.8, |verdict| verdict == ComparisonVerdict::Slower);
    assert!(found >= 1_980, "{found} of 2000");
}
