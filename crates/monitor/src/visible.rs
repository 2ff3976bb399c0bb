//! What the node that takes writes has committed, and since when: how far the others are behind, by one clock.
//!
//! The sum of the values in the table of the monitor grows by one with each commit of it. A replica that shows a smaller sum
//! than the first node showed at a moment has been behind since that moment at least. That it lacks nothing is known only as
//! long as a node that takes writes shows what it has committed.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Sums that are kept: at the longest distance of bursts more than a week.
const KEPT_MAX: usize = 4096;

/// Sums that the node that takes writes has shown.
#[derive(Debug)]
pub(crate) struct Visible(Mutex<Shown>);

#[derive(Debug)]
struct Shown {
    /// The latest last.
    sums: VecDeque<(i64, Instant)>,
    /// Why no more of them are shown; absent while they are.
    missing: Option<&'static str>,
}

impl Visible {
    /// Nothing was shown, because of `missing`.
    pub(crate) fn new(missing: &'static str) -> Visible {
        Visible(Mutex::new(Shown { sums: VecDeque::new(), missing: Some(missing) }))
    }

    /// Nothing more is shown, because of `missing`.
    pub(crate) fn lose(&self, missing: &'static str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).missing = Some(missing);
    }

    /// The first node shows `sum` at `at`.
    pub(crate) fn note(&self, sum: i64, at: Instant) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.missing = None;
        let sums = &mut shown.sums;
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
    ///
    /// # Errors
    /// Why that is not known.
    pub(crate) fn lag(&self, sum: i64, now: Instant) -> Result<Duration, &'static str> {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (shown.sums.iter().find(|(shown, _)| *shown > sum), shown.missing) {
            (Some((_, at)), _) => Ok(now.saturating_duration_since(*at)),
            (None, None) => Ok(Duration::ZERO),
            (None, Some(missing)) => Err(missing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_behind_since_the_first_sum_that_it_lacks() {
        let (visible, start) = (Visible::new("not yet"), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(visible.lag(0, at(9)), Err("not yet"));
        for (sum, seconds) in [(10, 0), (11, 30), (11, 60), (12, 90)] {
            visible.note(sum, at(seconds));
        }
        let lag = |sum, seconds| visible.lag(sum, at(seconds)).unwrap().as_secs();
        assert_eq!([lag(12, 100), lag(11, 100), lag(10, 100), lag(3, 100)], [0, 10, 70, 100]);
        visible.note(2, at(120));
        assert_eq!([lag(2, 130), lag(1, 130)], [0, 10], "the table was made anew");
        visible.lose("it is gone");
        assert_eq!(visible.lag(2, at(140)), Err("it is gone"), "others may have been committed since");
        assert_eq!(lag(1, 140), 20, "what it lacks it lacks still");
        visible.note(2, at(150));
        assert_eq!(lag(2, 160), 0);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let (visible, start) = (Visible::new("not yet"), Instant::now());
        (0..2 * KEPT_MAX as i64).for_each(|sum| visible.note(sum, start));
        assert_eq!(visible.0.lock().unwrap().sums.len(), KEPT_MAX);
    }
}
