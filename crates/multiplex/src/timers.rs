//! Which timers of the kernel wake the thread for its sleeping jobs.

use std::collections::BTreeSet;

use record::Nanos;

/// Jobs that sleep, by when they wake.
pub(crate) type Sleepers = BTreeSet<(Nanos, u32)>;

/// So many of the next moments have a timer. With one, the kernel has none left when it expires until it is set again, and
/// programs the hardware's twice for each moment; where it knows the next one it does so once, as for threads that sleep. A
/// virtual machine is left each time.
pub(crate) const TIMERS: usize = 2;

/// When each of them expires, if it is set.
#[derive(Default)]
pub(crate) struct Timers([Option<Nanos>; TIMERS]);

/// A timer that is to be set.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub timer: usize,
    pub moment: Nanos,
    /// Whether it is set to a later moment.
    pub is_set: bool,
}

impl Timers {
    /// The timers to set so that the next of `sleepers` have one.
    pub(crate) fn set_for(&mut self, sleepers: &Sleepers) -> [Option<Setting>; TIMERS] {
        let mut next = sleepers.iter();
        std::array::from_fn(|_| next.next().and_then(|(moment, _)| self.set(*moment)))
    }

    /// The timer to set for `moment`; none where it has one, or all are set to earlier moments.
    fn set(&mut self, moment: Nanos) -> Option<Setting> {
        if self.0.contains(&Some(moment)) {
            return None;
        }
        let timer = match self.0.iter().position(Option::is_none) {
            Some(free) => free,
            None => (0..TIMERS).max_by_key(|timer| self.0[*timer]).filter(|latest| self.0[*latest] > Some(moment))?,
        };
        let is_set = self.0[timer].replace(moment).is_some();
        Some(Setting { timer, moment, is_set })
    }

    /// `timer` is no longer set.
    pub(crate) fn expired(&mut self, timer: usize) {
        self.0[timer] = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_moments_have_a_timer() {
        let mut timers = Timers::default();
        let set = |timer, moment, is_set| Some(Setting { timer, moment: Nanos(moment), is_set });
        assert_eq!(timers.set(Nanos(20)), set(0, 20, false));
        assert_eq!(timers.set(Nanos(20)), None);
        assert_eq!(timers.set(Nanos(30)), set(1, 30, false));
        assert_eq!(timers.set(Nanos(40)), None);
        assert_eq!(timers.set(Nanos(10)), set(1, 10, true));
        timers.expired(1);
        let sleepers = Sleepers::from([(Nanos(20), 0), (Nanos(30), 1), (Nanos(40), 2)]);
        assert_eq!(timers.set_for(&sleepers), [None, set(1, 30, false)]);
    }
}
