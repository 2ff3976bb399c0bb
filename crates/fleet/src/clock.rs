//! The clock of an agent against that of the coordinator, by exchanges of four timestamps.
//!
//! Both clocks are monotonic and unrelated. The coordinator asks at t1, the agent receives at t2 and answers at t3, the
//! coordinator has the answer at t4. With the delays d and e of the two ways, the estimate ((t2 - t1) + (t3 - t4)) / 2
//! is off by (d - e) / 2: at most half of the round trip d + e, whatever the two ways share of it. The exchange with the
//! least round trip therefore has the least bound.

use record::{Nanos, SignedNanos};

/// Exchanges before and after each run.
pub const EXCHANGES: usize = 32;

/// The largest rate by which a kernel slews its clock: 500 nanoseconds per millisecond.
const DRIFT_MAX_PPM: u64 = 500;

/// Four timestamps: the first and the last by the clock of the coordinator, the others by that of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The coordinator asks.
    pub asked: Nanos,
    /// The agent has received it.
    pub received: Nanos,
    /// The agent answers.
    pub answered: Nanos,
    /// The coordinator has the answer.
    pub returned: Nanos,
}

/// What is known of a clock at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    /// The moment, by the clock of the coordinator.
    pub at: Nanos,
    /// Clock of the agent less clock of the coordinator.
    pub offset: SignedNanos,
    /// Bound of the error: half of the round trip.
    pub error: Nanos,
}

/// What is known of a clock from one moment to another: it drifts evenly in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockLine {
    /// Before a run.
    pub before: ClockOffset,
    /// After it; absent until then.
    pub after: Option<ClockOffset>,
}

impl Exchange {
    /// The time on the way, there and back; None for timestamps that no exchange has.
    pub fn round_trip(&self) -> Option<Nanos> {
        let whole = self.returned.0.checked_sub(self.asked.0)?;
        let held = self.answered.0.checked_sub(self.received.0)?;
        // A faster clock may have seen the answer held for longer than all took here.
        let more = drift(held);
        if held > whole.saturating_add(more) { None } else { Some(Nanos(whole.saturating_sub(held))) }
    }

    fn offset(&self) -> Option<ClockOffset> {
        let round_trip = self.round_trip()?;
        let there = i128::from(self.received.0) - i128::from(self.asked.0);
        let back = i128::from(self.answered.0) - i128::from(self.returned.0);
        Some(ClockOffset {
            at: Nanos(self.asked.0 + (self.returned.0 - self.asked.0) / 2),
            offset: SignedNanos(i64::try_from((there + back).div_euclid(2)).ok()?),
            error: Nanos(round_trip.0.div_ceil(2)),
        })
    }
}

/// The clock of an agent by the exchange with the least round trip; None without one that is possible.
pub fn offset(exchanges: &[Exchange]) -> Option<ClockOffset> {
    exchanges.iter().filter_map(Exchange::offset).min_by_key(|offset| offset.error)
}

impl ClockOffset {
    /// The moment `at` of the coordinator by the clock of the agent.
    pub fn to_agent(&self, at: Nanos) -> Nanos {
        Nanos(at.0.saturating_add_signed(self.offset.0))
    }

    /// The time from `agreed`, a moment of the coordinator, to `at`, a moment of the agent.
    pub fn since(&self, agreed: Nanos, at: Nanos) -> SignedNanos {
        let span = i128::from(at.0) - i128::from(self.offset.0) - i128::from(agreed.0);
        SignedNanos(i64::try_from(span).unwrap_or(if span < 0 { i64::MIN } else { i64::MAX }))
    }
}

impl ClockLine {
    /// What is known of the clock `at` a moment of the coordinator. Between the two offsets the error is at most the
    /// larger one of theirs; outside it grows as fast as clocks can drift. Of a clock that has jumped in between, the jump
    /// belongs to the error.
    pub fn at(&self, at: Nanos) -> ClockOffset {
        let Some(after) = self.after.filter(|after| after.at > self.before.at) else { return drifted(self.before, at) };
        if at <= self.before.at {
            return drifted(self.before, at);
        }
        if at >= after.at {
            return drifted(after, at);
        }
        let apart = Nanos(self.before.offset.0.abs_diff(after.offset.0));
        // One that was stopped in between, with its machine, does not drift: when that was is not known.
        if apart > self.before.error + after.error + Nanos(drift(after.at.0 - self.before.at.0)) {
            let known = drifted(self.before, at);
            return ClockOffset { error: known.error + apart, ..known };
        }
        let (elapsed, whole) = (i128::from(at.0 - self.before.at.0), i128::from(after.at.0 - self.before.at.0));
        let (from, to) = (i128::from(self.before.offset.0), i128::from(after.offset.0));
        let offset = from + ((to - from) * elapsed).div_euclid(whole);
        let offset = SignedNanos(i64::try_from(offset).unwrap_or(self.before.offset.0));
        ClockOffset { at, offset, error: self.before.error.max(after.error) }
    }
}

/// How far clocks may drift apart in this time, nanoseconds.
fn drift(elapsed_ns: u64) -> u64 {
    let apart = u128::from(elapsed_ns) * u128::from(DRIFT_MAX_PPM) / 1_000_000;
    u64::try_from(apart).unwrap_or(u64::MAX)
}

/// `known` at another moment.
fn drifted(known: ClockOffset, at: Nanos) -> ClockOffset {
    let error = known.error + Nanos(drift(at.0.abs_diff(known.at.0)));
    ClockOffset { at, error, ..known }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A clock that differs from ours by `offset` at our zero and runs `drift_ppm` faster.
    #[derive(Clone, Copy)]
    struct Clock {
        offset: i64,
        drift_ppm: i64,
    }

    impl Clock {
        fn read(self, at: u64) -> Nanos {
            Nanos(at.checked_add_signed(self.offset_at(at)).unwrap())
        }

        fn offset_at(self, at: u64) -> i64 {
            self.offset + (i128::from(at) * i128::from(self.drift_ppm) / 1_000_000) as i64
        }

        /// An exchange from `asked`, with these delays there, at the agent, and back.
        fn exchange(self, asked: u64, [there, held, back]: [u64; 3]) -> Exchange {
            let returned = asked + there + held + back;
            Exchange {
                asked: Nanos(asked),
                received: self.read(asked + there),
                answered: self.read(asked + there + held),
                returned: Nanos(returned),
            }
        }
    }

    fn delays() -> impl Strategy<Value = Vec<[u64; 3]>> {
        // One way may be much slower than the other.
        let one = (0u64..300_000_000, 0u64..2_000_000, 0u64..300_000, 0u32..20);
        let one = one.prop_map(|(there, held, back, less)| [there >> less, held, back >> (less / 2)]);
        prop::collection::vec(one, 1..=EXCHANGES)
    }

    fn exchanges(clock: Clock, mut at: u64, delays: &[[u64; 3]]) -> Vec<Exchange> {
        let one = |delay: &[u64; 3]| {
            let exchange = clock.exchange(at, *delay);
            at = exchange.returned.0 + 1_000;
            exchange
        };
        delays.iter().map(one).collect()
    }

    proptest! {
        #[test]
        fn the_true_offset_lies_within_half_of_the_least_round_trip(
            offset_ns in -90_000_000_000_000i64..90_000_000_000_000,
            delays in delays(),
        ) {
            let clock = Clock { offset: offset_ns, drift_ppm: 0 };
            let found = offset(&exchanges(clock, 100_000_000_000_000, &delays)).unwrap();
            let least = delays.iter().map(|[there, _, back]| there + back).min().unwrap();
            prop_assert_eq!(found.error, Nanos(least.div_ceil(2)));
            prop_assert!(found.offset.0.abs_diff(offset_ns) <= found.error.0, "{:?}", found);
        }

        #[test]
        fn an_even_drift_between_two_offsets_is_followed(
            drift_ppm in -500i64..=500,
            run_ns in 1u64..3_600_000_000_000,
            (before, after) in (delays(), delays()),
            place in 0u64..=1_000,
        ) {
            let clock = Clock { offset: 77_000_000_000, drift_ppm };
            let first = exchanges(clock, 200_000_000_000, &before);
            let ended = first.last().unwrap().returned.0 + run_ns;
            let second = exchanges(clock, ended, &after);
            let line = ClockLine { before: offset(&first).unwrap(), after: offset(&second) };
            let (from, to) = (line.before.at.0, line.after.unwrap().at.0);
            let at = from + (to - from) / 1_000 * place;
            let found = line.at(Nanos(at));
            // Within an exchange, of less than a second, the clock drifts too.
            let slack = 2 + 1_000_000_000 * drift_ppm.unsigned_abs() / 1_000_000;
            let off = found.offset.0.abs_diff(clock.offset_at(at));
            prop_assert!(off <= found.error.0 + slack, "{} ns off, {:?}", off, found);
            // The agreed start of the coordinator is the same moment for both.
            let start = found.to_agent(Nanos(at));
            prop_assert_eq!(found.since(Nanos(at), start), SignedNanos(0));
            prop_assert!(start.0.abs_diff(clock.read(at).0) <= found.error.0 + slack);
        }

        #[test]
        fn without_a_second_offset_the_error_grows_with_the_drift(
            drift_ppm in -500i64..=500,
            later_ns in 0u64..600_000_000_000,
            delays in delays(),
        ) {
            let clock = Clock { offset: -5, drift_ppm };
            let first = exchanges(clock, 200_000_000_000, &delays);
            let line = ClockLine { before: offset(&first).unwrap(), after: None };
            let at = line.before.at.0 + later_ns;
            let found = line.at(Nanos(at));
            let slack = 2 + 1_000_000_000 * drift_ppm.unsigned_abs() / 1_000_000;
            prop_assert!(found.offset.0.abs_diff(clock.offset_at(at)) <= found.error.0 + slack);
            prop_assert!(found.error <= line.before.error + Nanos(later_ns / 2_000 + 1));
        }

        #[test]
        fn no_timestamps_panic(stamps in prop::array::uniform4(any::<u64>()), at in any::<u64>()) {
            let [asked, received, answered, returned] = stamps.map(Nanos);
            let exchange = Exchange { asked, received, answered, returned };
            if let Some(before) = offset(&[exchange]) {
                let line = ClockLine { before, after: Some(ClockOffset { at: Nanos(at), ..before }) };
                let found = line.at(Nanos(at / 2));
                found.since(Nanos(at), found.to_agent(Nanos(at)));
            }
        }
    }

    #[test]
    fn a_clock_that_jumps_between_two_offsets_is_not_taken_for_one_that_drifts() {
        let before = ClockOffset { at: Nanos(10_000_000_000), offset: SignedNanos(0), error: Nanos(100_000) };
        let after = ClockOffset { at: Nanos(70_000_000_000), offset: SignedNanos(-5_000_000_000), ..before };
        let found = ClockLine { before, after: Some(after) }.at(Nanos(12_000_000_000));
        assert_eq!((found.offset, found.error), (SignedNanos(0), Nanos(5_001_100_000)));
        // 500 nanoseconds in a millisecond is what a clock may drift.
        let drifted = ClockOffset { offset: SignedNanos(-30_000_000), ..after };
        let found = ClockLine { before, after: Some(drifted) }.at(Nanos(40_000_000_000));
        assert_eq!((found.offset, found.error), (SignedNanos(-15_000_000), before.error));
    }

    #[test]
    fn impossible_exchanges_count_for_nothing() {
        let clock = Clock { offset: 1_000, drift_ppm: 0 };
        let good = clock.exchange(500, [40, 5, 60]);
        let backwards = Exchange { returned: Nanos(499), ..good };
        let longer_held = Exchange { answered: good.answered + Nanos(101), ..good };
        assert_eq!((offset(&[]), offset(&[backwards, longer_held])), (None, None));
        let found = offset(&[backwards, good, longer_held]).unwrap();
        assert_eq!(found, ClockOffset { at: Nanos(552), offset: SignedNanos(990), error: Nanos(50) });
    }
}
