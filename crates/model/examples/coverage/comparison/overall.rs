//! The mean of the ratios of all tests.

use dbdyno_model::{Comparison, GeometricMean};

use super::experiment::{paired, paired_tests, rates, test, unpaired};
use crate::simulation::Simulation;
use crate::{COVERS, Tables, share};

fn mean(comparison: &Comparison) -> Option<GeometricMean> {
    comparison.means[1]
}

/// Tests of which each has another ratio.
const RATIOS: [f64; 8] = [0.8, 0.95, 1.0, 1.02, 1.05, 1.1, 1.3, 1.6];

/// Coverage of the true mean by pairs, and whether single runs have an interval.
pub(super) fn mean_of_all_tests(tables: &mut Tables) {
    tables.begin("geometric mean of all tests: coverage of the true mean");
    let mut simulation = Simulation::new(37);
    for (tests, pairs) in [(2, 10), (8, 10), (8, 20)] {
        let ratios = &RATIOS[..tests];
        let truth = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / tests as f64).exp();
        let runs = 1_000;
        let (mut given, mut held) = (0, 0);
        for _ in 0..runs {
            let comparison = paired(paired_tests(&mut simulation, pairs, ratios, 0.03));
            if let Some(interval) = mean(&comparison).and_then(|mean| mean.interval) {
                given += 1;
                held += usize::from(interval.contains(truth));
            }
        }
        tables.line(&format!("{tests} tests of {pairs} pairs"), share(held, given), Some(COVERS), "");
    }
    let runs = 200;
    for repeats in [1, 10] {
        // A machine that was 4 % slower when the other was measured.
        let given = (0..runs).filter(|_| {
            let sides = [1.0, 0.96].map(|machine| {
                let test = |at: usize| test(&format!("T{at}"), &[rates(&mut simulation, repeats, machine, 0.005)]);
                (0..8).map(test).collect()
            });
            mean(&unpaired(sides)).is_some_and(|mean| mean.interval.is_some())
        });
        let what = format!("8 tests of {repeats} without pairs: intervals");
        tables.line(&what, share(given.count(), runs), Some(0.0..=0.0), "");
    }
}
