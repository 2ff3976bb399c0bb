//! A staircase around the answer of a search for a rate of I/O: a rate at which the level was kept is followed by the next
//! higher one, one at which it was not by the next lower one, so that the runs lie where they tell most (the up-and-down
//! method: Dixon and Mood, "A Method for Obtaining and Analyzing Sensitivity Data", Journal of the American Statistical
//! Association 43, 1948).

/// Runs of the staircase behind a search.
pub const STAIRCASE_RUNS: usize = 10;

/// A step of the staircase, as a part of the rate.
const STEP: f64 = 0.05;

/// The rate to measure next: `begin` at first, then by what the last run of the staircase said. One that said nothing is
/// made again.
pub fn next_step(begin: f64, last: Option<(f64, Option<bool>)>) -> f64 {
    match last {
        None => begin,
        Some((rate, Some(true))) => rate * (1.0 + STEP),
        Some((rate, Some(false))) => rate / (1.0 + STEP),
        Some((rate, None)) => rate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_staircase_goes_up_from_a_rate_that_was_kept_and_down_from_one_that_was_not() {
        assert_eq!(next_step(100.0, None), 100.0);
        assert_eq!(next_step(100.0, Some((100.0, Some(true)))), 105.0);
        assert!((next_step(100.0, Some((105.0, Some(false)))) - 100.0).abs() < 1e-9);
        assert_eq!(next_step(100.0, Some((105.0, None))), 105.0);
    }
}
