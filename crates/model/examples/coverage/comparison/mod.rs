//! Verdicts of comparisons: how often they are wrong, and how often a difference, or equality, is found.

mod degrees;
mod experiment;
mod families;
mod needed_pairs;
mod overall;
mod verdicts;
mod zeros;

use std::ops::RangeInclusive;

pub(crate) use degrees::best_of_several_degrees;
pub(crate) use families::several_tests;
pub(crate) use needed_pairs::{after_a_pilot, with_the_truth};
pub(crate) use overall::mean_of_all_tests;
pub(crate) use verdicts::{of_pairs, of_single_runs, without_pairs};
pub(crate) use zeros::rates_of_zero;

use crate::{Tables, share};

/// Limits for the share of comparisons with a wrong verdict: 5 %, and two standard errors of so many comparisons.
const WRONG: RangeInclusive<f64> = 0.0..=0.06;

/// A line with the share of `runs` that have a wrong verdict, and one with that of those that found what is true, where
/// `found` has limits for it.
fn lines(tables: &mut Tables, what: &str, counts: [usize; 2], runs: usize, found: Option<RangeInclusive<f64>>) {
    tables.line(&format!("{what}: wrong"), share(counts[0], runs), Some(WRONG), "");
    if let Some(limits) = found {
        tables.line(&format!("{what}: found"), share(counts[1], runs), Some(limits), "");
    }
}
