//! Intended starts: fixed before, at random distances around a period. Starts at equal distances would meet a
//! checkpoint or a job of cron every time, or never.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// How far a start may be from its place in an even schedule, as a share of the period.
const JITTER: f64 = 0.2;

/// Times the period that was asked for, at most.
const PERIOD_FACTOR_MAX: u64 = 16;

/// The intended starts, one after the other.
#[derive(Clone, Debug)]
pub struct Schedule {
    random: Xoshiro256PlusPlus,
    period_ns: u64,
    period_ns_max: u64,
    /// The place of the next start in an even schedule.
    place_ns: u64,
    due_ns: u64,
}

impl Schedule {
    /// The first start at `first_ns`, the others every `period_ns` or so.
    pub fn new(seed: u64, first_ns: u64, period_ns: u64) -> Schedule {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let period_ns_max = period_ns.saturating_mul(PERIOD_FACTOR_MAX);
        Schedule { random, period_ns, period_ns_max, place_ns: first_ns, due_ns: first_ns }
    }

    /// The next start.
    pub fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// The mean distance between two starts.
    pub fn period_ns(&self) -> u64 {
        self.period_ns
    }

    /// Goes on to the start after the next one.
    pub fn advance(&mut self) {
        self.place_ns += self.period_ns;
        let uniform = (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let shift = (2.0 * uniform - 1.0) * JITTER * self.period_ns as f64;
        self.due_ns = self.place_ns.saturating_add_signed(shift as i64);
    }

    /// Doubles the period, up to a limit; returns whether it did. The next start stays where it is.
    pub fn double(&mut self) -> bool {
        let doubled = (2 * self.period_ns).min(self.period_ns_max);
        let changes = doubled > self.period_ns;
        self.period_ns = doubled;
        changes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn starts(schedule: &mut Schedule, count: usize) -> Vec<u64> {
        let next = |_| {
            let due = schedule.due_ns();
            schedule.advance();
            due
        };
        (0..count).map(next).collect()
    }

    proptest! {
        #[test]
        fn starts_keep_to_their_places_and_never_drift(seed in any::<u64>(), period in 1_000u64..1_000_000_000_000) {
            let due = starts(&mut Schedule::new(seed, 5, period), 100);
            for (number, due) in (0..).zip(&due) {
                prop_assert!(due.abs_diff(5 + number * period) <= period / 5 + 1);
            }
            prop_assert!(due.windows(2).all(|pair| pair[1] > pair[0]));
            prop_assert_eq!(starts(&mut Schedule::new(seed, 5, period), 100), due);
        }
    }

    #[test]
    fn a_period_doubles_up_to_a_limit() {
        let mut schedule = Schedule::new(1, 0, 10);
        assert_eq!((0..6).filter(|_| schedule.double()).count(), 4);
        assert_eq!(schedule.period_ns(), 160);
    }

    #[test]
    fn the_distances_are_not_equal() {
        let due = starts(&mut Schedule::new(3, 0, 1_000_000), 1_000);
        let distances: Vec<u64> = due.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(distances.iter().any(|distance| *distance < 800_000));
        assert!(distances.iter().any(|distance| *distance > 1_200_000));
    }
}
