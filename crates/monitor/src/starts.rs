//! What is done at each intended start, decided from the time alone: begun, missed because an earlier one still waits
//! for the database, or late because this process was.
//!
//! Two starts are never in flight at once. A start that finds an earlier one in flight is bad at that moment, not when
//! the answer comes: a database that hangs is seen while it hangs. Where the thread that decides woke up late itself,
//! it knows nothing of the database, and says so; the time for which it was late also excuses a start that was in
//! flight meanwhile.

use model::promise::PROMISE_RULES;

use crate::schedule::Schedule;

/// While a start is in flight, the thread that decides looks at its clock this often: a stall is seen where it may
/// explain an answer.
const LOOK_NS: u64 = 20_000_000;
/// The same while none is: also how fast an interruption by the user is seen.
const IDLE_LOOK_NS: u64 = 100_000_000;
/// A thread that wakes up later than this was held up.
const LATE_NS_MAX: u64 = 100_000_000;

/// How much is tried at a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Every operation.
    Full,
    /// One statement, after several timeouts: a database in trouble is not loaded further.
    OneStatement,
}

/// A start that is begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// When it was intended.
    pub due_ns: u64,
    /// How much of it is tried.
    pub effort: Effort,
}

/// What becomes of an intended start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It begins now.
    Begin(Start),
    /// An earlier one is in flight: it is bad.
    Missed {
        /// When it was intended.
        due_ns: u64,
    },
    /// This process was late: nothing is known.
    Late {
        /// When it was intended.
        due_ns: u64,
    },
}

/// The state of the starts of one target.
#[derive(Debug)]
pub struct Starts {
    schedule: Schedule,
    in_flight: Option<Start>,
    /// Whether this process was held up since the start in flight began.
    is_excused: bool,
    timeouts_in_a_row: u32,
    late_ns_max: u64,
}

impl Starts {
    /// Of `schedule`.
    pub fn new(schedule: Schedule) -> Starts {
        let late_ns_max = (schedule.period_ns() / 4).min(LATE_NS_MAX);
        Starts { schedule, in_flight: None, is_excused: false, timeouts_in_a_row: 0, late_ns_max }
    }

    /// The schedule.
    pub fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    /// The mean distance between two starts.
    pub fn period_ns(&self) -> u64 {
        self.schedule.period_ns()
    }

    /// When to look at the clock next, at the latest.
    pub fn look_at_ns(&self, now_ns: u64) -> u64 {
        let look_ns = if self.in_flight.is_some() { LOOK_NS } else { IDLE_LOOK_NS };
        self.schedule.due_ns().min(now_ns + look_ns)
    }

    /// Notices whether this process was held up: the thread wanted to look at its clock at `expected_ns` at the latest.
    /// Comes before [`Starts::answered`], whose answer it may excuse.
    pub fn look(&mut self, expected_ns: u64, now_ns: u64) {
        self.is_excused |= now_ns.saturating_sub(expected_ns) > self.late_ns_max;
    }

    /// What becomes of the starts that were intended until `now_ns`.
    pub fn due(&mut self, now_ns: u64) -> Vec<Decision> {
        let mut decisions = Vec::new();
        while self.schedule.due_ns() <= now_ns {
            let due_ns = self.schedule.due_ns();
            self.schedule.advance();
            decisions.push(self.decide(due_ns, now_ns));
        }
        decisions
    }

    fn decide(&mut self, due_ns: u64, now_ns: u64) -> Decision {
        if now_ns - due_ns > self.late_ns_max {
            return Decision::Late { due_ns };
        }
        if self.in_flight.is_some() {
            return Decision::Missed { due_ns };
        }
        let is_in_trouble = self.timeouts_in_a_row >= PROMISE_RULES.back_off_timeouts;
        let effort = if is_in_trouble { Effort::OneStatement } else { Effort::Full };
        let start = Start { due_ns, effort };
        self.in_flight = Some(start);
        self.is_excused = false;
        Decision::Begin(start)
    }

    /// The start in flight has ended, in a timeout or not. Returns whether this process was held up meanwhile, so that
    /// a slow answer says nothing of the database.
    pub fn answered(&mut self, has_timed_out: bool) -> bool {
        self.in_flight = None;
        if !has_timed_out {
            self.timeouts_in_a_row = 0;
        } else if !self.is_excused {
            self.timeouts_in_a_row += 1;
        }
        self.is_excused
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const PERIOD: u64 = 30 * SECOND;

    fn starts() -> Starts {
        Starts::new(Schedule::new(7, PERIOD, PERIOD))
    }

    /// Looks in time until `until_ns`.
    fn go_on(starts: &mut Starts, now_ns: &mut u64, until_ns: u64) -> Vec<Decision> {
        let mut decisions = Vec::new();
        while *now_ns < until_ns {
            let expected = starts.look_at_ns(*now_ns);
            *now_ns = expected;
            starts.look(expected, *now_ns);
            decisions.extend(starts.due(*now_ns));
        }
        decisions
    }

    #[test]
    fn a_start_that_hangs_makes_every_later_one_bad_at_its_moment() {
        let (mut starts, mut now) = (starts(), 0);
        let decisions = go_on(&mut starts, &mut now, 10 * PERIOD + PERIOD / 2);
        assert_eq!(decisions.len(), 10);
        assert!(matches!(decisions[0], Decision::Begin(Start { effort: Effort::Full, .. })));
        assert!(decisions[1..].iter().all(|decision| matches!(decision, Decision::Missed { .. })));
        assert!(!starts.answered(true), "nothing excuses it");
        assert!(matches!(go_on(&mut starts, &mut now, 11 * PERIOD + PERIOD / 2)[..], [Decision::Begin(_)]));
    }

    #[test]
    fn a_process_that_was_stopped_knows_nothing_of_its_starts() {
        let (mut starts, mut now) = (starts(), 0);
        assert_eq!(go_on(&mut starts, &mut now, PERIOD + PERIOD / 2).len(), 1);
        // In flight when it is stopped for five periods.
        let expected = starts.look_at_ns(now);
        now = 6 * PERIOD + PERIOD / 2;
        starts.look(expected, now);
        let decisions = starts.due(now);
        assert_eq!(decisions.len(), 5);
        assert!(decisions.iter().all(|decision| matches!(decision, Decision::Late { .. })), "{decisions:?}");
        assert!(starts.answered(true), "its timeout is excused");
        assert!(matches!(go_on(&mut starts, &mut now, 7 * PERIOD + PERIOD / 2)[..], [Decision::Begin(_)]));
        assert!(!starts.answered(false), "the next one is not");
    }

    #[test]
    fn after_three_timeouts_one_statement_is_tried_until_it_is_answered() {
        let (mut starts, mut now) = (starts(), 0);
        let mut efforts = Vec::new();
        for (number, has_timed_out) in (1..).zip([true, true, true, true, false, false]) {
            for decision in go_on(&mut starts, &mut now, number * PERIOD + PERIOD / 2) {
                let Decision::Begin(start) = decision else { panic!("{decision:?}") };
                efforts.push(start.effort == Effort::Full);
                starts.answered(has_timed_out);
            }
        }
        assert_eq!(efforts, [true, true, true, false, false, true]);
    }

    proptest! {
        /// Whatever the threads do, each intended start has exactly one end, and no two are in flight.
        #[test]
        fn every_intended_start_is_decided_once(
            delays in prop::collection::vec((0u64..3 * PERIOD, any::<bool>()), 1..60)
        ) {
            let (mut starts, mut now, mut due, mut in_flight) = (starts(), 0, Vec::new(), 0);
            for (delay, answers) in delays {
                let expected = starts.look_at_ns(now);
                now = expected + delay;
                starts.look(expected, now);
                for decision in starts.due(now) {
                    let due_ns = match decision {
                        Decision::Missed { due_ns } | Decision::Late { due_ns } => due_ns,
                        Decision::Begin(start) => start.due_ns,
                    };
                    in_flight += u32::from(matches!(decision, Decision::Begin(_)));
                    prop_assert!(in_flight <= 1 && due_ns <= now);
                    due.push(due_ns);
                }
                if answers && in_flight == 1 {
                    starts.answered(false);
                    in_flight = 0;
                }
            }
            let mut schedule = Schedule::new(7, PERIOD, PERIOD);
            for due_ns in due {
                prop_assert_eq!(due_ns, schedule.due_ns());
                schedule.advance();
            }
            prop_assert!(schedule.due_ns() > now);
        }
    }
}
