//! Sides that were measured at several degrees of parallelism, of which the best ones are compared.

use dbdyno_model::ComparisonVerdict::{self, Equivalent, Faster, Slower};

use super::experiment::{MARGIN, paired, rates, test, unpaired, verdicts};
use super::lines;
use crate::Tables;
use crate::simulation::Simulation;

/// The rates of so many degrees that are all equally good.
fn alike(simulation: &mut Simulation, degrees: usize, repeats: usize, ratio: f64, deviation: f64) -> Vec<Vec<f64>> {
    (0..degrees).map(|_| rates(simulation, repeats, ratio, deviation)).collect()
}

/// Degrees that are equally good, so that the best one is so by chance; then a sweep where one is clearly the best.
pub(super) fn best_of_several_degrees(tables: &mut Tables) {
    tables.begin("best of several degrees that are equally good, 6 repeats with a deviation of 5 %");
    let mut simulation = Simulation::new(35);
    let low = 1.0 / (1.0 + MARGIN);
    let is_beyond = |verdict: ComparisonVerdict| matches!(verdict, Faster | Slower);
    let runs = 1_000;
    for (base, other) in [(8, 1), (1, 8), (16, 1), (8, 8), (4, 2)] {
        for (what, ratio) in [("equal", 1.0), ("within by nothing", low)] {
            let wrong = (0..runs).filter(|_| {
                let sides = [(base, 1.0), (other, ratio)]
                    .map(|(degrees, ratio)| vec![test("T", &alike(&mut simulation, degrees, 6, ratio, 0.05))]);
                verdicts(&unpaired(sides)).any(is_beyond)
            });
            lines(tables, &format!("{base} and {other} degrees, {what}"), [wrong.count(), 0], runs, None);
        }
    }
    let wrong = (0..runs).filter(|_| {
        let sides = [(8, 1.0), (1, low)]
            .map(|(degrees, ratio)| vec![test("T", &alike(&mut simulation, degrees, 20, ratio, 0.01))]);
        verdicts(&unpaired(sides)).any(|verdict| verdict == Equivalent)
    });
    lines(tables, "8 and 1 degrees, 1 %, beyond by nothing", [wrong.count(), 0], runs, None);
    let wrong = (0..runs).filter(|_| {
        let sides = [(0.01, 1.0), (0.05, 1.0 + MARGIN)]
            .map(|(deviation, ratio)| vec![test("T", &alike(&mut simulation, 8, 10, ratio, deviation))]);
        verdicts(&paired(sides)).any(is_beyond)
    });
    lines(tables, "pairs at 8 degrees, 1 % and 5 %, within", [wrong.count(), 0], runs, None);
    let found = (0..runs).filter(|_| {
        let sides = [1.0, 0.8].map(|ratio| {
            let gains = [1.0, 1.9, 3.1].map(|gain| rates(&mut simulation, 6, ratio * gain, 0.05));
            vec![test("T", &gains)]
        });
        verdicts(&unpaired(sides)).any(|verdict| verdict == Slower)
    });
    lines(tables, "a sweep with one best, 20 % slower", [0, found.count()], runs, Some(0.95..=1.0));
}
