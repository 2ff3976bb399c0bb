//! Intended start times of the steps of a job, and the end of its loop.

use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{Nanos, Pace};

use crate::clock;

/// Maximum length of a sleep between two checks of signals.
pub(crate) const SLEEP_MAX: Nanos = Nanos(100_000_000);

/// When the loop of one job ends: whatever comes first. At least one step is done unless a signal is set before it.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'a> {
    /// No step is scheduled at or after this moment; steps scheduled before it are done.
    pub deadline: Nanos,
    /// Late steps are started until this moment; the rest is counted as unfinished. Not before `deadline`.
    pub drained: Nanos,
    /// Maximum number of steps.
    pub steps: u64,
    /// Set by the user or by another job that cannot continue: no further step is started.
    pub signals: [&'a AtomicBool; 2],
}

impl Stop<'_> {
    /// Whether a signal is set.
    #[inline]
    pub fn signalled(&self) -> bool {
        self.signals.iter().any(|signal| signal.load(Ordering::Relaxed))
    }
}

/// One step about to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepStart {
    /// Number of the step in its job, from 0.
    pub number: u64,
    /// Intended start: response time counts from here.
    pub due: Nanos,
    /// Actual start: service time counts from here.
    pub begun: Nanos,
    /// Whether the job had nothing else to do when the step was due: what it began late is then the lag of its wake-up.
    pub was_idle: bool,
}

/// Schedules the steps of one job. Late steps are never skipped: they follow each other, each with its intended start.
#[derive(Debug)]
pub struct Pacer {
    schedule: Schedule,
    number: u64,
    /// Intended start of the next step; in a closed loop, the end of the last one.
    due: Nanos,
    /// End of the last step.
    ended: Nanos,
    /// Start of the window, and the bursts.
    burst: Option<(Nanos, Burst)>,
    /// Steps that are done all or none.
    pass: u64,
}

/// Bursts of work: steps only start in the first part of each cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// From the start of one burst to that of the next.
    pub cycle: Nanos,
    /// Length of each burst, at least 1 ns.
    pub length: Nanos,
}

/// When the next operation of a queue may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Now; the intended start was then.
    Now(Nanos),
    /// At that moment.
    At(Nanos),
    /// No further step.
    Never,
}

#[derive(Debug)]
enum Schedule {
    Unthrottled,
    Rate { start: Nanos, phase_ns: f64, interval_ns: f64 },
    Poisson { interval_ns_mean: f64, random: Box<Xoshiro256PlusPlus> },
    ThinkTime { think: Nanos },
}

impl Pacer {
    /// The pacer of job `job` of `jobs`, all of them started at `start`. Each job gets the same share of a rate; at a
    /// constant rate they alternate, in a Poisson process each draws from its own random stream, that of `seed`.
    pub fn new(pace: Pace, job: u32, jobs: u32, start: Nanos, seed: u64) -> Pacer {
        let jobs = f64::from(jobs.max(1));
        let interval = |steps_per_second: f64| 1e9 * jobs / steps_per_second;
        let mut due = start;
        let schedule = match pace {
            Pace::Unthrottled => Schedule::Unthrottled,
            Pace::Rate { steps_per_second } => {
                let interval_ns = interval(steps_per_second);
                let phase_ns = interval_ns * f64::from(job) / jobs;
                due = start + Nanos(phase_ns as u64);
                Schedule::Rate { start, phase_ns, interval_ns }
            }
            Pace::Poisson { steps_per_second } => {
                let mut random = Box::new(Xoshiro256PlusPlus::seed_from_u64(seed));
                let interval_ns_mean = interval(steps_per_second);
                due = start + exponential(&mut random, interval_ns_mean);
                Schedule::Poisson { interval_ns_mean, random }
            }
            Pace::ThinkTime { think_ns } => Schedule::ThinkTime { think: think_ns },
        };
        Pacer { schedule, number: 0, due, ended: start, burst: None, pass: 1 }
    }

    /// The same in bursts, the first of which starts at `start`. A rate is then that within a burst.
    pub fn in_bursts(self, start: Nanos, burst: Option<Burst>) -> Pacer {
        Pacer { burst: burst.map(|burst| (start, burst)), ..self }
    }

    /// The same in passes of so many steps, at least 1: a closed loop does not end within one, unless a signal is set.
    pub fn in_passes(self, pass: u64) -> Pacer {
        Pacer { pass: pass.max(1), ..self }
    }

    /// Whether a pass was begun and not ended.
    #[inline]
    fn is_within_pass(&self) -> bool {
        !self.number.is_multiple_of(self.pass) && !self.is_open()
    }

    /// When the next operation of a queue may start. In a closed loop that is at once: the slot is free.
    #[inline]
    pub(crate) fn due(&self, now: Nanos, stop: &Stop<'_>) -> Due {
        let first = self.number == 0;
        let due = match self.schedule {
            Schedule::Unthrottled => self.beyond_pause(now),
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

    /// The scheduled operation has started; returns its number.
    #[inline]
    pub(crate) fn taken(&mut self, now: Nanos) -> u64 {
        let number = self.number;
        self.number += 1;
        if !matches!(self.schedule, Schedule::Unthrottled) {
            self.ended(now);
        }
        number
    }

    /// An operation of a queue has ended: think time starts.
    #[inline]
    pub(crate) fn ended_in_queue(&mut self, ended: Nanos) {
        if let Schedule::ThinkTime { think } = self.schedule {
            self.due = ended + think;
        }
    }

    /// `moment`, or the start of the next burst if it is between two.
    #[inline]
    fn beyond_pause(&self, moment: Nanos) -> Nanos {
        let Some((start, burst)) = self.burst else { return moment };
        let (cycle, at) = (burst.cycle.0.max(1), (moment - start).0);
        if at % cycle < burst.length.0 { moment } else { start + Nanos((at / cycle + 1) * cycle) }
    }

    /// The time `due` of a schedule without pauses, with the pauses between bursts added.
    #[inline]
    fn stretched(&self, due: Nanos) -> Nanos {
        let Some((start, burst)) = self.burst else { return due };
        let (length, at) = (burst.length.0.max(1), (due - start).0);
        start + Nanos((at / length).saturating_mul(burst.cycle.0) + at % length)
    }

    /// Waits for the intended start of the next step and returns its turn; none at the end of the loop.
    #[inline]
    pub fn next(&mut self, stop: &Stop<'_>) -> Option<StepStart> {
        let first = self.number == 0;
        // A closed loop does one step however short the window is; an open one only steps scheduled within it.
        let over = self.due >= stop.deadline && (!first || self.is_open()) && !self.is_within_pass();
        if over || self.number >= stop.steps || stop.signalled() {
            return None;
        }
        let due = self.due;
        let (begun, was_idle) = match self.schedule {
            // A step starts at the end of the last one: one clock reading per step.
            Schedule::Unthrottled => (due, false),
            _ => (wait(due, stop)?, self.ended <= due),
        };
        if begun >= stop.drained && !first && !self.is_within_pass() {
            return None;
        }
        let turn = StepStart { number: self.number, due, begun, was_idle };
        self.number += 1;
        Some(turn)
    }

    /// The last step ended at `ended`.
    #[inline]
    pub fn ended(&mut self, ended: Nanos) {
        self.ended = ended;
        match &mut self.schedule {
            Schedule::Unthrottled => self.due = ended,
            // Computed from the number, so that no rounding error accumulates.
            Schedule::Rate { start, phase_ns, interval_ns } => {
                self.due = *start + Nanos((*phase_ns + *interval_ns * self.number as f64) as u64);
            }
            Schedule::Poisson { interval_ns_mean, random } => {
                self.due = self.due + exponential(random, *interval_ns_mean)
            }
            Schedule::ThinkTime { think } => self.due = ended + *think,
        }
    }

    /// Number of steps that were started.
    pub(crate) fn started(&self) -> u64 {
        self.number
    }

    /// Whether intended starts do not depend on the end of steps (an open loop).
    pub fn is_open(&self) -> bool {
        matches!(self.schedule, Schedule::Rate { .. } | Schedule::Poisson { .. })
    }

    /// After an open loop: the intended starts before `deadline` of steps that were not started.
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

/// Sleeps until `due`; returns the actual start, or none if a signal came first.
fn wait(due: Nanos, stop: &Stop<'_>) -> Option<Nanos> {
    loop {
        let now = clock::now();
        if now >= due {
            return Some(now);
        }
        if stop.signalled() {
            return None;
        }
        clock::sleep_until(due.min(now + SLEEP_MAX));
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
    use super::*;
    use crate::{Purpose, RunSeed};

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn stop_at(deadline: Nanos, drained: Nanos) -> Stop<'static> {
        Stop { deadline, drained, steps: u64::MAX, signals: [&NEVER, &NEVER] }
    }

    #[test]
    fn jobs_alternate_at_a_constant_rate() {
        let rate = Pace::Rate { steps_per_second: 1_000.0 };
        let start = Nanos(5_000);
        let dues: Vec<u64> = (0..2).map(|job| Pacer::new(rate, job, 2, start, 1).due.0).collect();
        assert_eq!(dues, [5_000, 1_005_000]);
        let mut pacer = Pacer::new(rate, 1, 2, start, 1);
        pacer.number = 3;
        pacer.ended(Nanos(999_999_999_999));
        assert_eq!(pacer.due, Nanos(5_000 + 1_000_000 + 3 * 2_000_000));
    }

    #[test]
    fn a_job_is_idle_at_a_step_that_is_due_after_the_end_of_the_one_before() {
        let start = clock::now() - Nanos(100_000_000);
        let stop = stop_at(start + Nanos::SECOND, start + Nanos::SECOND);
        let mut pacer = Pacer::new(Pace::Rate { steps_per_second: 1_000.0 }, 0, 1, start, 1);
        let mut idle = |ended: u64| {
            let turn = pacer.next(&stop).expect("a step");
            pacer.ended(start + Nanos(ended));
            turn.was_idle
        };
        assert!(idle(900_000), "the first one");
        assert!(idle(2_100_000), "due at 1 ms, after the end at 0.9 ms");
        assert!(
            !idle(2_900_000),
            "due at 2 ms, before the end at 2.1 ms: it waits for the session and not for the clock"
        );
        assert!(idle(3_000_000));
        let mut closed = Pacer::new(Pace::Unthrottled, 0, 1, start, 1);
        assert!(!closed.next(&stop).expect("a step").was_idle, "it is never late");
    }

    #[test]
    fn a_late_step_keeps_its_intended_start_and_is_not_skipped() {
        let now = clock::now();
        let start = now - Nanos(100_000_000);
        let mut pacer = Pacer::new(Pace::Rate { steps_per_second: 1_000.0 }, 0, 1, start, 1);
        let stop = stop_at(now, now + Nanos::SECOND);
        let mut dues = Vec::new();
        while let Some(turn) = pacer.next(&stop) {
            assert!(turn.begun >= turn.due);
            dues.push((turn.due - start).0);
            pacer.ended(turn.begun);
        }
        let expected: Vec<u64> = (0..100).map(|number| number * 1_000_000).collect();
        assert_eq!(dues, expected);
    }

    #[test]
    fn steps_not_started_are_known_after_the_loop() {
        let now = clock::now();
        let start = now - Nanos::SECOND;
        let mut pacer = Pacer::new(Pace::Rate { steps_per_second: 10.0 }, 0, 1, start, 1);
        let stop = stop_at(now, now - Nanos(1));
        assert!(pacer.next(&stop).is_some(), "the first step is done, late as it is");
        pacer.ended(now);
        assert_eq!(pacer.next(&stop), None);
        assert_eq!(pacer.unfinished(now).count(), 9);
    }

    #[test]
    fn a_closed_loop_ends_between_two_passes_and_an_open_one_with_the_window() {
        let now = clock::now();
        let stop = stop_at(now, now);
        let steps = |pace: Pace, pass: u64, stop: &Stop<'_>| {
            let mut pacer = Pacer::new(pace, 0, 1, now - Nanos(1), 1).in_passes(pass);
            std::iter::from_fn(|| {
                let turn = pacer.next(stop)?;
                pacer.ended(now);
                Some(turn)
            })
            .count()
        };
        assert_eq!([1, 2, 22].map(|pass| steps(Pace::Unthrottled, pass, &stop)), [1, 2, 22]);
        let think = Pace::ThinkTime { think_ns: Nanos(1) };
        assert_eq!(steps(think, 3, &stop), 3);
        assert_eq!(steps(Pace::Rate { steps_per_second: 1.0 }, 22, &stop), 1);
        assert_eq!(steps(Pace::Unthrottled, 22, &Stop { steps: 5, ..stop }), 5, "no more than were asked for");
        let raised = AtomicBool::new(true);
        assert_eq!(steps(Pace::Unthrottled, 22, &Stop { signals: [&raised, &NEVER], ..stop }), 0);
    }

    #[test]
    fn an_open_loop_has_no_step_after_the_window() {
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
        let seed = |job: u32| RunSeed { plan: 7, run: 1 }.stream(Purpose::Arrivals, job);
        assert_ne!(Pacer::new(pace, 0, 2, Nanos(0), seed(0)).due, Pacer::new(pace, 1, 2, Nanos(0), seed(1)).due);
        assert_eq!(Pacer::new(pace, 1, 2, Nanos(0), seed(1)).due, Pacer::new(pace, 1, 2, Nanos(0), seed(1)).due);
    }
}
