//! Runs in which a system did nothing.

use dbdyno_model::ComparisonVerdict::{Equivalent, Faster, Slower};

use super::experiment::{paired, pairs, rates, test, unpaired, verdicts};
use super::lines;
use crate::Tables;
use crate::simulation::Simulation;

/// Equal systems of which one, or both, did nothing in some runs.
pub(super) fn rates_of_zero(tables: &mut Tables) {
    tables.begin("rates of zero: 10 pairs with a deviation of 1 %, or 10 and 10 repeats");
    let mut simulation = Simulation::new(36);
    let runs = 2_000;
    for lost in [3, 8] {
        let (mut wrong, mut found) = ([0, 0], [0, 0]);
        for _ in 0..runs {
            let in_pairs = pairs(&mut simulation, 10, 1.0, 0.01);
            let apart = [1.0, 1.0].map(|ratio| rates(&mut simulation, 10, ratio, 0.01));
            for (at, mut sides) in [in_pairs, apart].into_iter().enumerate() {
                sides[1][..lost].fill(0.0);
                let sides = sides.map(|rates| vec![test("T", &[rates])]);
                let comparison = if at == 0 { paired(sides) } else { unpaired(sides) };
                wrong[at] += usize::from(verdicts(&comparison).any(|verdict| matches!(verdict, Equivalent | Faster)));
                found[at] += usize::from(verdicts(&comparison).any(|verdict| verdict == Slower));
            }
        }
        let limits = (lost > 5).then_some(0.95..=1.0);
        lines(tables, &format!("pairs, the other did nothing in {lost}"), [wrong[0], found[0]], runs, limits.clone());
        lines(tables, &format!("repeats, the other did nothing in {lost}"), [wrong[1], found[1]], runs, limits);
    }
    let wrong = (0..runs).filter(|_| {
        let mut sides = pairs(&mut simulation, 20, 1.0, 0.01);
        for rate in sides.iter_mut().flatten() {
            if simulation.uniform() < 0.1 {
                *rate = 0.0;
            }
        }
        let comparison = paired(sides.map(|rates| vec![test("T", &[rates])]));
        verdicts(&comparison).any(|verdict| matches!(verdict, Faster | Slower))
    });
    lines(tables, "20 pairs, both did nothing in 1 of 10", [wrong.count(), 0], runs, None);
}
