//! When the steps of a job are due.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{Nanos, Pace};

use crate::{Stop, clock};

/// A sleep is deaf to signals for so long at most.
pub(crate) const DEAF: Nanos = Nanos(100_000_000);

/// 2^64 divided by the golden ratio: multiples of it are spread evenly.
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// One step about to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Number of the step in its job, from 0.
    pub number: u64,
    /// When it should begin: response time counts from here.
    pub due: Nanos,
    /// When it does begin: service time counts from here.
    pub begun: Nanos,
}

/// Gives the turns of one job. Late steps are never skipped: they come one after the other, each with the due time
/// that it always had.
#[derive(Debug)]
pub struct Pacer {
    schedule: Schedule,
    number: u64,
    /// When the next step is due; in a closed loop, when the last one ended.
    due: Nanos,
    /// When the jobs were released, and when in each cycle steps may begin.
    burst: Option<(Nanos, Burst)>,
}

/// Work in bursts: at the beginning of each cycle for a while, then none until the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// From the beginning of one burst to that of the next.
    pub cycle: Nanos,
    /// How long each lasts, at least 1 ns.
    pub length: Nanos,
}

/// When the next operation of a queue may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// It was due then, which has come.
    Now(Nanos),
    /// It will be due then.
    At(Nanos),
    /// No step is due any more.
    Never,
}

#[derive(Debug)]
enum Schedule {
    AsFastAsPossible,
    Rate { begun: Nanos, phase_ns: f64, interval_ns: f64 },
    Poisson { interval_ns_mean: f64, random: Box<Xoshiro256PlusPlus> },
    ThinkTime { think: Nanos },
}

impl Pacer {
    /// The pacer of job `job` of `jobs`, all of them released at `begun`. Each job gets the same share of a rate; at
    /// a fixed rate they take turns, in a Poisson process each draws from a stream of its own.
    pub fn new(pace: Pace, job: u32, jobs: u32, begun: Nanos, seed: u64) -> Pacer {
        let jobs = f64::from(jobs.max(1));
        let interval = |steps_per_second: f64| 1e9 * jobs / steps_per_second;
        let mut due = begun;
        let schedule = match pace {
            Pace::AsFastAsPossible => Schedule::AsFastAsPossible,
            Pace::Rate { steps_per_second } => {
                let interval_ns = interval(steps_per_second);
                let phase_ns = interval_ns * f64::from(job) / jobs;
                due = begun + Nanos(phase_ns as u64);
                Schedule::Rate { begun, phase_ns, interval_ns }
            }
            Pace::Poisson { steps_per_second } => {
                // The seed is spread over the whole state (SplitMix64), so neighbouring seeds are unrelated streams.
                let stream = seed.wrapping_add(u64::from(job).wrapping_mul(GOLDEN_RATIO));
                let mut random = Box::new(Xoshiro256PlusPlus::seed_from_u64(stream));
                let interval_ns_mean = interval(steps_per_second);
                due = begun + exponential(&mut random, interval_ns_mean);
                Schedule::Poisson { interval_ns_mean, random }
            }
            Pace::ThinkTime { think_ns } => Schedule::ThinkTime { think: think_ns },
        };
        Pacer { schedule, number: 0, due, burst: None }
    }

    /// The same in bursts, the first of which begins at `begun`. A rate is then that within a burst.
    pub fn in_bursts(self, begun: Nanos, burst: Option<Burst>) -> Pacer {
        Pacer { burst: burst.map(|burst| (begun, burst)), ..self }
    }

    /// When the next operation of a queue may begin. In a closed loop that is at once: the slot is free.
    #[inline]
    pub(crate) fn due(&self, now: Nanos, stop: &Stop<'_>) -> Due {
        let first = self.number == 0;
        let due = match self.schedule {
            Schedule::AsFastAsPossible => self.beyond_pause(now),
            Schedule::ThinkTime { .. } => self.beyond_pause(self.due.max(if first { now } else { Nanos(0) })),
            Schedule::Rate { .. } | Schedule::Poisson { .. } => self.stretched(self.due),
        };
        let over = due >= stop.deadline && (!first || self.is_open());
        let late = now >= stop.drained && !first;
        match () {
            () if over || late || self.number >= stop.steps || stop.signalled() => Due::Never,
            () if due <= now => Due::Now(due),
            () => Due::At(due),
        }
    }

    /// The operation that was due has begun; gives its number.
    #[inline]
    pub(crate) fn taken(&mut self, now: Nanos) -> u64 {
        let number = self.number;
        self.number += 1;
        if !matches!(self.schedule, Schedule::AsFastAsPossible) {
            self.ended(now);
        }
        number
    }

    /// An operation of a queue has ended: think time begins again.
    #[inline]
    pub(crate) fn ended_in_queue(&mut self, ended: Nanos) {
        if let Schedule::ThinkTime { think } = self.schedule {
            self.due = ended + think;
        }
    }

    /// `moment`, or the beginning of the next burst where it lies between two.
    #[inline]
    fn beyond_pause(&self, moment: Nanos) -> Nanos {
        let Some((begun, burst)) = self.burst else { return moment };
        let (cycle, at) = (burst.cycle.0.max(1), (moment - begun).0);
        if at % cycle < burst.length.0 { moment } else { begun + Nanos((at / cycle + 1) * cycle) }
    }

    /// A due time of a schedule without pauses, with the pauses before it.
    #[inline]
    fn stretched(&self, due: Nanos) -> Nanos {
        let Some((begun, burst)) = self.burst else { return due };
        let (length, at) = (burst.length.0.max(1), (due - begun).0);
        begun + Nanos((at / length).saturating_mul(burst.cycle.0) + at % length)
    }

    /// Waits until the next step is due and gives its turn; none when the loop is to end.
    #[inline]
    pub fn next(&mut self, stop: &Stop<'_>) -> Option<Turn> {
        let first = self.number == 0;
        // A closed loop does one step however short the window is; an open one has no step that is not due in it.
        let over = self.due >= stop.deadline && (!first || self.is_open());
        if over || self.number >= stop.steps || stop.signalled() {
            return None;
        }
        let due = self.due;
        let begun = match self.schedule {
            // The last step's end is this step's beginning: one reading of the clock per step.
            Schedule::AsFastAsPossible => due,
            _ => wait(due, stop)?,
        };
        if begun >= stop.drained && !first {
            return None;
        }
        let turn = Turn { number: self.number, due, begun };
        self.number += 1;
        Some(turn)
    }

    /// The step that was given last ended at `ended`.
    #[inline]
    pub fn ended(&mut self, ended: Nanos) {
        match &mut self.schedule {
            Schedule::AsFastAsPossible => self.due = ended,
            // From the number, not by adding up: no error accumulates over hours.
            Schedule::Rate { begun, phase_ns, interval_ns } => {
                self.due = *begun + Nanos((*phase_ns + *interval_ns * self.number as f64) as u64);
            }
            Schedule::Poisson { interval_ns_mean, random } => {
                self.due = self.due + exponential(random, *interval_ns_mean)
            }
            Schedule::ThinkTime { think } => self.due = ended + *think,
        }
    }

    /// Whether due times do not depend on when steps end (an open loop).
    pub fn is_open(&self) -> bool {
        matches!(self.schedule, Schedule::Rate { .. } | Schedule::Poisson { .. })
    }

    /// After the loop: the due times before `deadline` that were never begun, in an open loop.
    pub fn unfinished(mut self, deadline: Nanos) -> impl Iterator<Item = Nanos> {
        let open = self.is_open();
        std::iter::from_fn(move || {
            let due = self.stretched(self.due);
            if !open || due >= deadline {
                return None;
            }
            self.number += 1;
            self.ended(self.due);
            Some(due)
        })
    }
}

/// Sleeps until `due` if it lies ahead; returns when the step really begins, or nothing where a signal came first.
fn wait(due: Nanos, stop: &Stop<'_>) -> Option<Nanos> {
    loop {
        let now = clock::now();
        if now >= due {
            return Some(now);
        }
        if stop.signalled() {
            return None;
        }
        clock::sleep_until(due.min(now + DEAF));
    }
}

/// A draw from the exponential distribution, by inversion.
fn exponential(random: &mut Xoshiro256PlusPlus, mean_ns: f64) -> Nanos {
    // 53 random bits in (0, 1]: the logarithm is finite.
    let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
    Nanos((-uniform.ln() * mean_ns) as u64)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn stop_at(deadline: Nanos, drained: Nanos) -> Stop<'static> {
        Stop { deadline, drained, steps: u64::MAX, signals: [&NEVER, &NEVER] }
    }

    #[test]
    fn jobs_take_turns_at_a_fixed_rate() {
        let rate = Pace::Rate { steps_per_second: 1_000.0 };
        let begun = Nanos(5_000);
        let dues: Vec<u64> = (0..2).map(|job| Pacer::new(rate, job, 2, begun, 1).due.0).collect();
        assert_eq!(dues, [5_000, 1_005_000]);
        let mut pacer = Pacer::new(rate, 1, 2, begun, 1);
        pacer.number = 3;
        pacer.ended(Nanos(999_999_999_999));
        assert_eq!(pacer.due, Nanos(5_000 + 1_000_000 + 3 * 2_000_000));
    }

    #[test]
    fn a_late_step_keeps_its_due_time_and_is_not_skipped() {
        let now = clock::now();
        let begun = now - Nanos(100_000_000);
        let mut pacer = Pacer::new(Pace::Rate { steps_per_second: 1_000.0 }, 0, 1, begun, 1);
        let stop = stop_at(now, now + Nanos::SECOND);
        let mut dues = Vec::new();
        while let Some(turn) = pacer.next(&stop) {
            assert!(turn.begun >= turn.due);
            dues.push((turn.due - begun).0);
            pacer.ended(turn.begun);
        }
        let expected: Vec<u64> = (0..100).map(|number| number * 1_000_000).collect();
        assert_eq!(dues, expected);
    }

    #[test]
    fn what_was_due_and_never_begun_is_known_after_the_loop() {
        let now = clock::now();
        let begun = now - Nanos::SECOND;
        let mut pacer = Pacer::new(Pace::Rate { steps_per_second: 10.0 }, 0, 1, begun, 1);
        let stop = stop_at(now, now - Nanos(1));
        assert!(pacer.next(&stop).is_some(), "the first step is done, late as it is");
        pacer.ended(now);
        assert_eq!(pacer.next(&stop), None);
        assert_eq!(pacer.unfinished(now).count(), 9);
    }

    #[test]
    fn an_open_loop_has_no_step_that_is_due_after_the_window() {
        let now = clock::now();
        let mut pacer = Pacer::new(Pace::Rate { steps_per_second: 1.0 }, 3, 8, now, 1);
        assert_eq!(pacer.next(&stop_at(now + Nanos::SECOND, now + Nanos::SECOND)), None);
    }

    #[test]
    fn a_signal_ends_a_long_sleep() {
        let up = AtomicBool::new(true);
        let now = clock::now();
        let far = now + Nanos(3_600_000_000_000);
        let stop = Stop { deadline: far + far, drained: far + far, steps: u64::MAX, signals: [&up, &NEVER] };
        assert_eq!(wait(far, &stop), None);
    }

    #[test]
    fn poisson_arrivals_have_the_rate_and_the_spread_that_were_asked_for() {
        let mut pacer = Pacer::new(Pace::Poisson { steps_per_second: 2_000.0 }, 0, 2, Nanos(0), 42);
        let mut gaps = Vec::new();
        for _ in 0..20_000 {
            let due = pacer.due;
            pacer.ended(Nanos(0));
            gaps.push((pacer.due - due).0 as f64);
        }
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
        assert!((mean / 1e6 - 1.0).abs() < 0.03, "one job of two, 1000 per second: {mean}");
        assert!((deviation / mean - 1.0).abs() < 0.05, "exponential: deviation equals mean: {deviation}");
    }

    #[test]
    fn jobs_draw_from_different_streams() {
        let pace = Pace::Poisson { steps_per_second: 1_000.0 };
        assert_ne!(Pacer::new(pace, 0, 2, Nanos(0), 7).due, Pacer::new(pace, 1, 2, Nanos(0), 7).due);
        assert_eq!(Pacer::new(pace, 1, 2, Nanos(0), 7).due, Pacer::new(pace, 1, 2, Nanos(0), 7).due);
    }
}
