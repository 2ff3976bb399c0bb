//! Counts of events over sliding windows.

use std::collections::VecDeque;

use super::event::{Standing, UnixMillis};

/// How many events were what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Good ones.
    pub good: u64,
    /// Bad ones.
    pub bad: u64,
    /// Those of which nothing is known of the database.
    pub unknown: u64,
}

impl Counts {
    /// Good and bad ones: those that count.
    pub fn valid(self) -> u64 {
        self.good + self.bad
    }

    /// Share of bad events among those that count; 0 without any.
    pub fn bad_share(self) -> f64 {
        if self.valid() == 0 { 0.0 } else { self.bad as f64 / self.valid() as f64 }
    }

    /// Counts one more event.
    pub fn count(&mut self, standing: Standing) {
        match standing {
            Standing::Good => self.good += 1,
            Standing::Bad => self.bad += 1,
            Standing::Unknown => self.unknown += 1,
        }
    }

    /// Adds those of `other`.
    pub fn add(&mut self, other: Counts) {
        self.good += other.good;
        self.bad += other.bad;
        self.unknown += other.unknown;
    }

    /// Those of a sum without those of a part of it.
    fn less(self, part: Counts) -> Counts {
        Counts { good: self.good - part.good, bad: self.bad - part.bad, unknown: self.unknown - part.unknown }
    }
}

/// Counts by slots of equal length, the last ones of them.
#[derive(Clone, Debug)]
pub struct Tally {
    slot_ms: i64,
    kept: i64,
    /// Number of each slot, ascending, with the counts of all slots until its end; slots without events are left out.
    slots: VecDeque<(i64, Counts)>,
    /// The counts of the slots that are no longer kept.
    dropped: Counts,
}

impl Tally {
    /// Slots of `slot_ms`, of which those of the last `kept_ms` are kept.
    pub fn new(slot_ms: i64, kept_ms: i64) -> Tally {
        Tally { slot_ms, kept: kept_ms / slot_ms, slots: VecDeque::new(), dropped: Counts::default() }
    }

    /// Adds `counts` at `at`. A moment before others, after a step of the clock, finds its slot.
    pub fn add(&mut self, at: UnixMillis, counts: Counts) {
        let slot = at.0.div_euclid(self.slot_ms);
        let index = self.slots.partition_point(|(known, _)| *known < slot);
        if self.slots.get(index).is_none_or(|(known, _)| *known != slot) {
            let before = self.until(slot);
            self.slots.insert(index, (slot, before));
        }
        self.slots.range_mut(index..).for_each(|(_, sum)| sum.add(counts));
        let last = self.slots.back().map_or(slot, |(last, _)| *last);
        while let Some((first, sum)) = self.slots.front().copied()
            && first <= last - self.kept
        {
            self.dropped = sum;
            self.slots.pop_front();
        }
    }

    /// The counts of the `window_ms` that end at `now`, in whole slots: that of `now` is the last one.
    pub fn over(&self, now: UnixMillis, window_ms: i64) -> Counts {
        let last = now.0.div_euclid(self.slot_ms);
        self.until(last).less(self.until(last - window_ms / self.slot_ms))
    }

    /// The counts of all slots until the end of `slot`.
    fn until(&self, slot: i64) -> Counts {
        let index = self.slots.partition_point(|(known, _)| *known <= slot);
        index.checked_sub(1).and_then(|index| self.slots.get(index)).map_or(self.dropped, |(_, sum)| *sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Counts = Counts { good: 1, bad: 0, unknown: 0 };

    #[test]
    fn a_window_has_whole_slots_and_nothing_of_the_future() {
        let mut tally = Tally::new(60_000, 600_000);
        (0..10).for_each(|minute| tally.add(UnixMillis(minute * 60_000 + 500), GOOD));
        assert_eq!(tally.over(UnixMillis(9 * 60_000), 300_000).good, 5);
        assert_eq!(tally.over(UnixMillis(4 * 60_000), 300_000).good, 5, "what comes later is left out");
        assert_eq!(tally.over(UnixMillis(20 * 60_000), 300_000), Counts::default());
    }

    #[test]
    fn old_slots_are_dropped_and_a_clock_that_was_set_back_is_counted() {
        let mut tally = Tally::new(1_000, 5_000);
        (0..100).for_each(|second| tally.add(UnixMillis(second * 1_000), GOOD));
        assert_eq!((tally.slots.len(), tally.over(UnixMillis(99_000), 5_000).good), (5, 5));
        tally.add(UnixMillis(97_500), Counts { bad: 1, ..Counts::default() });
        assert_eq!(tally.over(UnixMillis(99_000), 5_000), Counts { good: 5, bad: 1, unknown: 0 });
    }
}
