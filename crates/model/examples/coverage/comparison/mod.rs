//! Verdicts of comparisons: how often they are wrong, and how often a difference, or equality, is found.

mod degrees;
mod experiment;
mod families;
mod needed_pairs;
mod overall;
mod verdicts;
mod zeros;

use std::ops::RangeInclusive;

use crate::{Tables, share};

/// Limits for the share of comparisons with a wrong verdict: 5 %, and two standard errors of 2,000
/// comparisons.
const WRONG: RangeInclusive<f64> = 0.0..=0.06;

/// All tables about comparisons.
pub(crate) fn tables() -> Tables {
    let mut tables = Tables::default();
    verdicts::of_pairs(&mut tables);
    verdicts::without_pairs(&mut tables);
    verdicts::of_single_runs(&mut tables);
    degrees::best_of_several_degrees(&mut tables);
    families::several_tests(&mut tables);
    zeros::rates_of_zero(&mut tables);
    overall::mean_of_all_tests(&mut tables);
    needed_pairs::with_the_truth(&mut tables);
    needed_pairs::after_a_pilot(&mut tables);
    tables
}

/// A line with the share of `runs` that have a wrong verdict, and one with that of those that found what is true, where
/// `found` has limits for it.
fn lines(tables: &mut Tables, what: &str, counts: [usize; 2], runs: usize, found: Option<RangeInclusive<f64>>) {
    tables.line(&format!("{what}: wrong"), share(counts[0], runs), Some(WRONG), "");
    if let Some(limits) = found {
        tables.line(&format!("{what}: found"), share(counts[1], runs), Some(limits), "");
    }
}
