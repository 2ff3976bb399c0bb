//! Several tests in one comparison.

use dbdyno_model::ComparisonVerdict::{Equivalent, Faster, Slower};

use super::experiment::{MARGIN, paired, paired_tests, verdicts};
use super::lines;
use crate::Tables;
use crate::simulation::Simulation;

/// Comparisons of several tests, of 20 pairs each: those with at least one wrong verdict, and how many of the tests have
/// the true one.
pub(super) fn several_tests(tables: &mut Tables) {
    tables.begin("several tests of 20 pairs with a deviation of 2 %: comparisons with a wrong verdict");
    let mut simulation = Simulation::new(34);
    let limit = 1.0 + MARGIN;
    for tests in [4, 12] {
        let cases = [
            ("within the margin by nothing", vec![limit; tests], false, None),
            ("beyond the margin by nothing", vec![limit; tests], true, None),
            ("half of them 10 % slower, others within", half(tests, 0.9, limit), false, None),
            ("half of them equal, others beyond", half(tests, 1.0, limit), true, None),
            ("5 % faster", vec![1.05; tests], true, Some(0.9..=1.0)),
            ("equal", vec![1.0; tests], false, Some(0.85..=1.0)),
        ];
        for (what, ratios, is_beyond, found) in cases {
            let runs = 4_000 / tests;
            let (mut wrong, mut right) = (0, 0);
            for _ in 0..runs {
                let comparison = paired(paired_tests(&mut simulation, 20, &ratios, 0.02));
                let is_wrong = verdicts(&comparison).zip(&ratios).any(|(verdict, ratio)| match ratio {
                    ratio if *ratio < 0.95 => matches!(verdict, Equivalent | Faster),
                    ratio if *ratio == 1.0 => matches!(verdict, Slower | Faster),
                    _ if is_beyond => matches!(verdict, Equivalent | Slower),
                    _ => matches!(verdict, Slower | Faster),
                });
                wrong += usize::from(is_wrong);
                let truth = if is_beyond { Faster } else { Equivalent };
                right += verdicts(&comparison).filter(|verdict| *verdict == truth).count();
            }
            lines(tables, &format!("{tests} tests, {what}"), [wrong, right / tests], runs, found);
        }
    }
}

/// The first half of so many tests, and the second.
fn half(tests: usize, first: f64, second: f64) -> Vec<f64> {
    (0..tests).map(|at| if at < tests / 2 { first } else { second }).collect()
}
