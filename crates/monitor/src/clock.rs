//! The clock of a monitor: one that goes on while the machine sleeps, tied to the calendar.

use std::time::{SystemTime, UNIX_EPOCH};

use model::promise::UnixMillis;
use rustix::time::{ClockId, clock_gettime};

/// The calendar is set anew where it differs by more, milliseconds.
const STEP_MS: i64 = 1_000;

/// Nanoseconds since the machine was started, time asleep included: a machine that slept is late like one that was
/// stopped.
pub(crate) fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The calendar.
fn calendar() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// What moment of the calendar a time of [`now_ns`] is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calendar {
    /// The calendar less the time since the start of the machine.
    offset_ms: i64,
}

impl Calendar {
    /// As it is now.
    pub(crate) fn new() -> Calendar {
        Calendar { offset_ms: calendar().0 - (now_ns() / 1_000_000) as i64 }
    }

    /// The moment of `time_ns`.
    pub(crate) fn at(&self, time_ns: u64) -> UnixMillis {
        UnixMillis(self.offset_ms + (time_ns / 1_000_000) as i64)
    }

    /// Follows a step of the calendar; returns by how many milliseconds it was set, if it was.
    pub(crate) fn follow(&mut self) -> Option<i64> {
        let step_ms = Calendar::new().offset_ms - self.offset_ms;
        if step_ms.abs() <= STEP_MS {
            return None;
        }
        self.offset_ms += step_ms;
        Some(step_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_the_calendar_is_followed_once() {
        let mut calendar = Calendar { offset_ms: Calendar::new().offset_ms - 3_600_000 };
        let step = calendar.follow().expect("an hour");
        assert!((step - 3_600_000).abs() < 100, "{step}");
        assert_eq!(calendar.follow(), None);
        assert!((calendar.at(now_ns()).0 - super::calendar().0).abs() < 100);
    }
}
