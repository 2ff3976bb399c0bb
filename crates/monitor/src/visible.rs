//! What the node that takes writes has committed, and since when: how far the others are behind, by one clock.
//!
//! The sum of the values in the table of the monitor grows by one with each commit of it. A replica that shows a smaller sum
//! than the first node showed at a moment has been behind since that moment at least.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Sums that are kept: at the longest distance of bursts more than a week.
const KEPT_MAX: usize = 4096;

/// Sums that the node that takes writes has shown, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Visible(Mutex<VecDeque<(i64, Instant)>>);

impl Visible {
    /// The first node shows `sum` at `at`.
    pub(crate) fn note(&self, sum: i64, at: Instant) {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match sums.back() {
            // Nothing was committed since.
            Some((last, _)) if *last == sum => return,
            // The table was made anew.
            Some((last, _)) if *last > sum => sums.clear(),
            _ => {}
        }
        if sums.len() == KEPT_MAX {
            sums.pop_front();
        }
        sums.push_back((sum, at));
    }

    /// How far a node is behind that shows `sum` at `now`: since when what it lacks is there; nothing where it lacks nothing.
    pub(crate) fn lag(&self, sum: i64, now: Instant) -> Duration {
        let sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first_missing = sums.iter().find(|(shown, _)| *shown > sum);
        first_missing.map_or(Duration::ZERO, |(_, at)| now.saturating_duration_since(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_behind_since_the_first_sum_that_it_lacks() {
        let (visible, start) = (Visible::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(visible.lag(0, at(9)), Duration::ZERO, "nothing is known");
        for (sum, seconds) in [(10, 0), (11, 30), (11, 60), (12, 90)] {
            visible.note(sum, at(seconds));
        }
        let lag = |sum, seconds| visible.lag(sum, at(seconds)).as_secs();
        assert_eq!([lag(12, 100), lag(11, 100), lag(10, 100), lag(3, 100)], [0, 10, 70, 100]);
        visible.note(2, at(120));
        assert_eq!([lag(2, 130), lag(1, 130)], [0, 10], "the table was made anew");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let (visible, start) = (Visible::default(), Instant::now());
        (0..2 * KEPT_MAX as i64).for_each(|sum| visible.note(sum, start));
        assert_eq!(visible.0.lock().unwrap().len(), KEPT_MAX);
    }
}
