//! For how long nothing was heard of agents. The time in which the coordinator itself did not look is not theirs: what they
//! said meanwhile waits in its queue, or they had nobody to talk to.

use record::Nanos;

/// A coordinator that did not look for longer than this has paused: it was stopped, or had something else to do.
const PAUSE_MIN: Nanos = Nanos(1_000_000_000);

/// When each agent was heard of last.
#[derive(Clone, Debug)]
pub(crate) struct Silence {
    heard: Vec<Nanos>,
    looked: Nanos,
}

impl Silence {
    /// Of `count` agents, all of which count as heard of `now`.
    pub(crate) fn new(count: usize, now: Nanos) -> Silence {
        Silence { heard: vec![now; count], looked: now }
    }

    /// The agent at `index` was heard of at this moment.
    pub(crate) fn hear(&mut self, index: usize, at: Nanos) {
        if let Some(heard) = self.heard.get_mut(index) {
            *heard = (*heard).max(at);
        }
    }

    /// All that has arrived until `now` was taken. Returns for how long the coordinator had paused before; nobody was
    /// silent meanwhile.
    pub(crate) fn look(&mut self, now: Nanos) -> Nanos {
        let since = now - self.looked;
        self.looked = now;
        let paused = since - PAUSE_MIN;
        for heard in &mut self.heard {
            *heard = (*heard + paused).min(now);
        }
        paused
    }

    /// For how long nothing was heard of the agent at `index`, when it was looked last.
    pub(crate) fn of(&self, index: usize) -> Nanos {
        self.heard.get(index).map_or(Nanos(0), |heard| self.looked - *heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn at(seconds: u64) -> Nanos {
        Nanos(seconds * SECOND)
    }

    #[test]
    fn who_says_nothing_is_silent_and_who_speaks_is_not() {
        let mut silence = Silence::new(2, at(100));
        for second in 101..=111 {
            silence.hear(1, at(second));
            assert_eq!(silence.look(at(second)), Nanos(0));
        }
        assert_eq!((silence.of(0), silence.of(1)), (at(11), Nanos(0)));
    }

    #[test]
    fn a_pause_of_the_coordinator_is_no_silence_of_others() {
        let mut silence = Silence::new(2, at(100));
        silence.look(at(101));
        // It is stopped for a minute; only one message has arrived since, long ago.
        silence.hear(1, at(102));
        assert_eq!(silence.look(at(161)), at(59));
        assert_eq!((silence.of(0), silence.of(1)), (at(2), at(0)));
        // One that is gone is found all the same.
        for second in 162..=170 {
            silence.look(at(second));
        }
        assert_eq!(silence.of(0), at(11));
    }

    #[test]
    fn a_clock_that_is_read_out_of_order_is_no_silence() {
        let mut silence = Silence::new(1, at(100));
        silence.hear(0, at(105));
        silence.look(at(101));
        assert_eq!((silence.of(0), silence.of(7)), (Nanos(0), Nanos(0)));
    }
}
