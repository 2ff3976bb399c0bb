//! Wake-ups of idle processors in the round trips to a server on this host.
//!
//! Client and server of a single session take turns: while one works the other one sleeps, and its processor idles until
//! a message wakes it up. Sessions that keep all processors busy do not pay that. What a wake-up adds is the difference
//! of two medians of the probe of local round trips, over the transport of the run: on idle processors, and by polling.

use record::{LocalTransport, Location, Nanos, Placement, Ratio, Record, RoundTripWaiting, Run, name};

use crate::delta::{delta, share};
use crate::rules::RULES;

/// What wake-ups add to round trips to the server of a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WakeUps {
    /// Processors that dbdyno may use.
    processors: u32,
    /// Median of a round trip between idle processors.
    idle: Nanos,
    /// Median of a round trip that wakes nothing up.
    busy: Nanos,
}

/// What wake-ups add to the steps of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WakeUp {
    /// What they add to a step: to each of its round trips the difference of the medians of the probe.
    pub added_ns: Nanos,
    /// The median service time of a step.
    pub step_ns: Nanos,
    /// The round trips of a step, by the probe that wakes nothing up: the least that is left of it.
    least_ns: Nanos,
}

impl WakeUp {
    /// What they add, as a share of the service time; at most 1.
    pub fn share(&self) -> Ratio {
        Ratio(share(self.added_ns.0 as f64, self.step_ns.0 as f64).unwrap_or(0.0).min(1.0))
    }

    /// How many times as fast the steps are without wake-ups; at least 1.
    pub fn factor(&self) -> f64 {
        self.factor_without(self.added_ns.0 as f64)
    }

    /// The same, at most: with what the probe does not see of wake-ups.
    pub(crate) fn factor_max(&self) -> f64 {
        self.factor_without(self.added_ns.0 as f64 * RULES.wake_up_excess)
    }

    fn factor_without(&self, added_ns: f64) -> f64 {
        let step_ns = self.step_ns.0 as f64;
        (step_ns / (step_ns - added_ns).max(self.least_ns.0 as f64).max(1.0)).max(1.0)
    }
}

impl WakeUps {
    /// None where the engine is not reached over a socket of this host, the probe was not made or has no cases of two
    /// processors, and where it found no difference.
    pub(crate) fn of(record: &Record) -> Option<WakeUps> {
        let found = record.local_round_trips.as_ref()?;
        let transport = match record.engine.as_ref()?.location {
            Location::UnixSocket => LocalTransport::UnixSocket,
            Location::LocalTcp => LocalTransport::Tcp,
            Location::InProcess | Location::Remote => return None,
        };
        // Client and server on one processor: it does not idle between the two.
        (record.plan.placement != Placement::Paired).then_some(())?;
        let median = |waiting| {
            let latency = &found.case(transport, waiting)?.latency;
            (latency.count > 0).then_some(latency.p50_ns)
        };
        let (idle, busy) = (median(RoundTripWaiting::Idle)?, median(RoundTripWaiting::Busy)?);
        (idle > busy).then_some(WakeUps { processors: found.processors, idle, busy })
    }

    /// Of the steps of `run`. None where it has at least as many sessions as there are processors, which are then busy,
    /// where its round trips were not counted, and where its steps are shorter than round trips between idle processors.
    pub(crate) fn of_run(&self, run: &Run) -> Option<WakeUp> {
        let sessions = run.dop.jobs.saturating_mul(run.dop.threads);
        let is_of_engine = run.storage.is_none() && !run.kind.is_probe() && run.agents.is_empty();
        (is_of_engine && sessions < self.processors).then_some(())?;
        let trips = share(delta(run, name::CLIENT_ROUND_TRIP_COUNT)? as f64, run.service.count as f64)?;
        let of_step = |of_trip: Nanos| Nanos((of_trip.0 as f64 * trips).round() as u64);
        let added_ns = of_step(Nanos(self.idle.0.saturating_sub(self.busy.0)));
        // Shorter steps woke nothing up: the kernel had placed client and server on one processor.
        let step_ns = run.service.p50_ns;
        let is_woken = step_ns.0 as f64 >= RULES.wake_up_step_min * of_step(self.idle).0 as f64;
        (added_ns.0 > 0 && is_woken).then_some(WakeUp { added_ns, step_ns, least_ns: of_step(self.busy) })
    }
}

#[cfg(test)]
mod tests {
    use record::{EngineInventory, Verdict};

    use super::*;
    use crate::attribution::{Limiter, attribute};
    use crate::fixture::{engine, faster, record, round_trips, server_run};
    use crate::sheet::{Line, sheet};

    /// A single job whose steps take 50 µs and are one round trip, and one that does `gain` times as much with `jobs`; the
    /// probe found 40 µs on idle processors and 4 µs by polling.
    fn gained(jobs: u32, gain: u64) -> Record {
        let mut found = record(vec![server_run(1, 50_000), faster(server_run(jobs, 50_000), gain)]);
        found.local_round_trips = Some(round_trips(2, 40_000, 4_000));
        found
    }

    fn line(record: &Record) -> Line {
        sheet(record).lines.swap_remove(0)
    }

    #[test]
    fn a_gain_that_wake_ups_explain_is_no_warning() {
        // The single job without wake-ups: 14 of 50 µs.
        let explained = line(&gained(2, 4));
        let wake_up = explained.wake_up.unwrap();
        assert_eq!((wake_up.added_ns, wake_up.step_ns, wake_up.share()), (Nanos(36_000), Nanos(50_000), Ratio(0.72)));
        assert!((wake_up.factor() - 50.0 / 14.0).abs() < 1e-9);
        assert_eq!(explained.scalability, Some(8.0));
        assert!(explained.gain_is_of_wake_ups() && !explained.gains_beyond_its_workers());
        assert_eq!(explained.verdict, Verdict::Pass);
        assert_eq!(crate::warnings(&gained(2, 4)), []);
    }

    #[test]
    fn a_gain_that_wake_ups_do_not_explain_stays_a_warning() {
        // Forty times are at least 4 times a single job without wake-ups, and two jobs give 2.5 at most.
        let found = line(&gained(2, 20));
        assert!(!found.gain_is_of_wake_ups() && found.gains_beyond_its_workers());
        assert_eq!(found.verdict, Verdict::Warn);
        // Without the probe nothing explains the smaller one.
        let old = line(&Record { local_round_trips: None, ..gained(2, 4) });
        assert!(old.wake_up.is_none() && old.gains_beyond_its_workers());
    }

    #[test]
    fn a_gain_within_the_workers_needs_no_explanation() {
        let found = line(&gained(2, 1));
        assert!(found.wake_up.is_some() && !found.gain_is_of_wake_ups() && !found.gains_beyond_its_workers());
    }

    #[test]
    fn wake_ups_are_of_a_server_on_this_host_and_of_fewer_sessions_than_processors() {
        let of = |record: &Record, index: usize| WakeUps::of(record)?.of_run(&record.runs[index]);
        let known = gained(2, 4);
        assert!(of(&known, 0).is_some());
        assert_eq!(of(&known, 1), None, "two sessions on two processors");
        let at = |location| Record { engine: Some(EngineInventory { location, ..engine() }), ..gained(2, 4) };
        assert_eq!(of(&at(Location::LocalTcp), 0).unwrap().added_ns, Nanos(45_000), "that of TCP");
        assert_eq!([Location::Remote, Location::InProcess].map(|location| of(&at(location), 0)), [None; 2]);
        let mut paired = gained(2, 4);
        paired.plan.placement = Placement::Paired;
        assert_eq!(of(&paired, 0), None, "on one processor");
        let mut one = gained(2, 4);
        one.local_round_trips = Some(round_trips(1, 40_000, 4_000));
        assert_eq!(of(&one, 0), None);
        let mut uncounted = gained(2, 4);
        uncounted.runs[0].readings.clear();
        assert_eq!(of(&uncounted, 0), None);
    }

    #[test]
    fn wake_ups_longer_than_the_step_leave_the_round_trip() {
        let mut found = gained(2, 4);
        found.local_round_trips = Some(round_trips(2, 60_000, 4_000));
        let wake_up = line(&found).wake_up.unwrap();
        assert_eq!((wake_up.share(), wake_up.factor()), (Ratio(1.0), 12.5));
    }

    #[test]
    fn a_step_far_shorter_than_a_round_trip_between_idle_processors_woke_nothing_up() {
        let mut found = gained(2, 4);
        found.local_round_trips = Some(round_trips(2, 90_000, 4_000));
        assert_eq!(line(&found).wake_up, None);
        assert!(line(&found).gains_beyond_its_workers());
    }

    #[test]
    fn wake_ups_that_are_most_of_a_step_limit_it() {
        let known = gained(2, 4);
        let found = attribute(&known, &known.runs[0]).unwrap();
        assert!(matches!(found.limiter, Limiter::WakeUps(wake_up) if wake_up.added_ns == Nanos(36_000)), "{found:?}");
        let mut slow = gained(2, 4);
        slow.runs[0] = Run { number: 1, ..server_run(1, 500_000) };
        let found = attribute(&slow, &slow.runs[0]);
        assert!(!found.is_some_and(|found| matches!(found.limiter, Limiter::WakeUps(_))), "36 of 500 µs");
    }
}
