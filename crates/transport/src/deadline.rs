//! Until when something is waited for.

use std::io;
use std::time::{Duration, Instant};

/// Until when answers are waited for at most. All waits share it: a timeout of each of them would begin anew with every byte, so that
/// a peer that sends some now and then would never be given up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// There is none: a statement may take hours.
    pub const NONE: Deadline = Deadline(None);

    /// After `timeout`; none without it.
    pub fn after(timeout: Option<Duration>) -> Deadline {
        // One beyond the end of the clock is none.
        Deadline(timeout.and_then(|timeout| Instant::now().checked_add(timeout)))
    }

    /// The time that is left; absent where there is no deadline.
    ///
    /// # Errors
    /// `TimedOut` if it has passed.
    #[inline]
    pub fn left(self) -> io::Result<Option<Duration>> {
        match self.0.map(|moment| moment.saturating_duration_since(Instant::now())) {
            Some(Duration::ZERO) => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_is_left_becomes_less_and_ends() {
        assert_eq!(Deadline::NONE.left().unwrap(), None);
        assert_eq!(Deadline::after(None).left().unwrap(), None);
        assert_eq!(Deadline::after(Some(Duration::MAX)).left().unwrap(), None);
        let hour = Duration::from_secs(3600);
        let deadline = Deadline::after(Some(hour));
        assert!(deadline.left().unwrap().is_some_and(|left| left <= hour));
        assert_eq!(Deadline::after(Some(Duration::ZERO)).left().unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
