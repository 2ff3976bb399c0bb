//! Samples what the sessions of the engine do during a run.
//!
//! A sample is taken through a session of the sampler on each node. The interval to the next one is uniform between a
//! half and one and a half of the period: equal intervals could be in phase with periodic steps and always see the same
//! part of them. The transactions that samples cost the engine are counted as bookkeeping and published before the last
//! reading, so that commits are counted exactly. If a sample fails, sampling ends and the run goes on without it.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{ActiveSession, Session};
use measure::{Purpose, RunSeed, clock};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{Activity, Nanos, SampledWait, WaitClass};

use crate::Event;
use crate::bench::Bench;
use crate::sampler::{Phase, SampledNode};

/// Mean interval of the samples,
const PERIOD: Nanos = Nanos(100_000_000);
/// and in a long window.
const LONG_PERIOD: Nanos = Nanos(1_000_000_000);
/// Windows longer than this have the long period.
const LONG_WINDOW: Nanos = Nanos(600_000_000_000);
/// The interval is at least this many times the duration of a sample: samples take half a per cent of a processor at
/// most. (With ten samples of 1.1 ms a second a server that answered 67 k statements a second on one processor answered
/// 2.5 % fewer.)
const COST_MULTIPLE: u64 = 200;
/// How long a sample in progress may delay the last reading.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Samples the sessions of the nodes of one run.
pub(crate) struct SessionSampler<'a> {
    /// One per node; a lost node has none.
    sessions_by_node: Mutex<Vec<NodeSession<'a>>>,
    period: Nanos,
    seed: u64,
    state: Mutex<State>,
    changed: Condvar,
}

/// The session that samples a node.
struct NodeSession<'a> {
    node: &'a SampledNode<'a>,
    session: Box<dyn Session>,
}

#[derive(Default)]
struct State {
    phase: Phase,
    /// Whether a sample is in progress.
    is_sampling: bool,
    samples: Samples,
}

/// The samples so far.
#[derive(Default)]
struct Samples {
    sample_count: u64,
    first: Nanos,
    last: Nanos,
    cost: Nanos,
    waits: BTreeMap<(WaitClass, String), u64>,
}

impl Samples {
    /// Adds a sample that was taken from `start` to `end`.
    fn add(&mut self, start: Nanos, end: Nanos, sessions: Vec<ActiveSession>) {
        if self.sample_count == 0 {
            self.first = start;
        }
        self.sample_count += 1;
        self.last = start;
        self.cost = self.cost + end.since(start);
        for session in sessions {
            *self.waits.entry((session.class, session.event)).or_default() += 1;
        }
    }

    fn into_activity(self, period: Nanos) -> Activity {
        // As many intervals as samples: between the first and the last there is one fewer.
        let observed = match self.sample_count {
            0 => Nanos(0),
            1 => period,
            samples => {
                let between = self.last.since(self.first).0;
                Nanos(between.saturating_add(between / (samples - 1)))
            }
        };
        let wait = |((class, event), session_count)| SampledWait { class, event, session_count };
        Activity {
            period_ns: period,
            sample_count: self.sample_count,
            observed_ns: observed,
            cost_ns: self.cost,
            waits: self.waits.into_iter().map(wait).collect(),
        }
    }
}

impl<'a> SessionSampler<'a> {
    /// For the nodes of `bench` at `node_indexes`; none if sampling is off, or the engine does not support it. A
    /// failure is reported and does not end the run.
    pub(crate) fn for_nodes(bench: &Bench<'a>, node_indexes: &[usize]) -> Option<SessionSampler<'a>> {
        let nodes = node_indexes.iter().map(|node_index| &bench.sources.nodes[*node_index]);
        let session_sampler = bench.samples_sessions.then(|| SessionSampler::new(nodes, bench.plan.window_ns))?;
        session_sampler.unwrap_or_else(|error| {
            bench.listener.on_event(&Event::Note(&format!("sessions are not sampled: {error}")));
            None
        })
    }

    /// For a run on `nodes` with a window of `window`. None if an engine does not tell what its sessions do.
    fn new(
        nodes: impl Iterator<Item = &'a SampledNode<'a>>,
        window: Nanos,
    ) -> engine::Result<Option<SessionSampler<'a>>> {
        let mut sessions_by_node = Vec::new();
        for node in nodes {
            let mut session = node.node().connect()?;
            // The first sample is the most expensive; its cost is published before anything is counted.
            if node.node().active_sessions(session.as_mut())?.is_none() {
                return Ok(None);
            }
            session.publish_counters()?;
            sessions_by_node.push(NodeSession { node, session });
        }
        let period = if window > LONG_WINDOW { LONG_PERIOD } else { PERIOD };
        let (state, changed) = (Mutex::default(), Condvar::new());
        Ok((!sessions_by_node.is_empty()).then(|| SessionSampler {
            sessions_by_node: Mutex::new(sessions_by_node),
            period,
            seed: 0,
            state,
            changed,
        }))
    }

    /// The same for the run of `seed`, at moments of its own.
    pub(crate) fn of_run(self, seed: RunSeed) -> SessionSampler<'a> {
        SessionSampler { seed: seed.stream(Purpose::Samples, 0), ..self }
    }

    /// The sampler thread: samples from the start of the window to its end.
    pub(crate) fn watch(&self) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        // A uniform offset in the first period, so that no part of it is preferred.
        let mut pause = jittered(self.period, 0.0, &mut random);
        let mut state = self.lock();
        while state.phase == Phase::Waiting {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        loop {
            let next = clock::now() + pause;
            while state.phase == Phase::Sampling && clock::now() < next {
                let left = next.since(clock::now());
                state = self.changed.wait_timeout(state, left.into()).unwrap_or_else(PoisonError::into_inner).0;
            }
            if state.phase == Phase::Over {
                return;
            }
            state.is_sampling = true;
            drop(state);
            let start = clock::now();
            let sessions = self.sample();
            let end = clock::now();
            state = self.lock();
            state.is_sampling = false;
            match sessions {
                Some(sessions) => state.samples.add(start, end, sessions),
                None => state.phase = Phase::Over,
            }
            self.changed.notify_all();
            pause = jittered(interval(self.period, end.since(start)), 0.5, &mut random);
        }
    }

    /// The active sessions of all nodes; none if no node answers any more.
    fn sample(&self) -> Option<Vec<ActiveSession>> {
        let mut sessions_by_node = self.sessions_by_node.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sessions = Vec::new();
        sessions_by_node.retain_mut(|node_session| {
            // A lost node would not answer for a long time.
            if node_session.node.is_lost() {
                return false;
            }
            let found = node_session.node.node().active_sessions(node_session.session.as_mut());
            let Ok(Some(sample)) = found else { return false };
            node_session.node.add_own_commits(sample.own_commits);
            sessions.extend(sample.sessions);
            true
        });
        (!sessions_by_node.is_empty()).then_some(sessions)
    }

    /// The jobs are about to be released.
    pub(crate) fn begin(&self) {
        self.lock().phase = Phase::Sampling;
        self.changed.notify_all();
    }

    /// The jobs have ended, and the last reading follows: no sample is taken any more, and the cost of the samples is
    /// published.
    pub(crate) fn end(&self) {
        self.stop();
        let state = self.lock();
        let waited = self.changed.wait_timeout_while(state, TIMEOUT, |state| state.is_sampling);
        if waited.unwrap_or_else(PoisonError::into_inner).0.is_sampling {
            return;
        }
        for node_session in self.sessions_by_node.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            // A lost node has published its counters when it ended.
            if !node_session.node.is_lost()
                && let Ok(own) = node_session.session.publish_counters()
            {
                node_session.node.add_own_commits(own);
            }
        }
    }

    /// Ends the sampling, also of a run that never started.
    pub(crate) fn stop(&self) {
        self.lock().phase = Phase::Over;
        self.changed.notify_all();
    }

    /// The result of the samples.
    pub(crate) fn into_activity(self) -> Activity {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.samples.into_activity(self.period)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The interval after a sample that took `cost`.
fn interval(period: Nanos, cost: Nanos) -> Nanos {
    period.max(Nanos(cost.0.saturating_mul(COST_MULTIPLE)))
}

/// A uniform random span from `least` of `mean` to as much above it.
fn jittered(mean: Nanos, least: f64, random: &mut Xoshiro256PlusPlus) -> Nanos {
    // 53 bits, as many as a double holds.
    let share = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let (most, mean) = (if least > 0.0 { 2.0 - least } else { 1.0 }, mean.0 as f64);
    Nanos((mean * (least + (most - least) * share)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(class: WaitClass, event: &str) -> ActiveSession {
        ActiveSession { class, event: event.to_owned() }
    }

    #[test]
    fn samples_are_summed_by_class_and_event() {
        let mut samples = Samples::default();
        let (lock, cpu) = (session(WaitClass::Application, "row lock"), session(WaitClass::Cpu, ""));
        samples.add(Nanos(1_000), Nanos(1_010), vec![lock.clone(), cpu.clone(), lock.clone()]);
        samples.add(Nanos(1_100), Nanos(1_110), Vec::new());
        samples.add(Nanos(1_220), Nanos(1_240), vec![cpu]);
        let activity = samples.into_activity(Nanos(100));
        assert_eq!((activity.sample_count, activity.cost_ns), (3, Nanos(40)));
        assert_eq!(activity.observed_ns, Nanos(330), "two intervals of 110 and one more");
        let waits: Vec<_> = activity.waits.iter().map(|wait| (wait.class, &*wait.event, wait.session_count)).collect();
        assert_eq!(waits, [(WaitClass::Cpu, "", 2), (WaitClass::Application, "row lock", 2)]);
    }

    #[test]
    fn nothing_is_observed_without_a_sample() {
        let activity = Samples::default().into_activity(PERIOD);
        assert_eq!((activity.sample_count, activity.observed_ns, activity.period_ns), (0, Nanos(0), PERIOD));
        let mut once = Samples::default();
        once.add(Nanos(7), Nanos(8), Vec::new());
        assert_eq!(once.into_activity(PERIOD).observed_ns, PERIOD);
    }

    #[test]
    fn an_expensive_sample_is_followed_by_a_long_interval() {
        assert_eq!(interval(Nanos(1_000), Nanos(5)), Nanos(1_000));
        assert_eq!(interval(Nanos(1_000), Nanos(30)), Nanos(6_000));
        assert_eq!(interval(Nanos(100), Nanos(u64::MAX)), Nanos(u64::MAX));
    }

    #[test]
    fn intervals_are_random_around_the_period() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let spans: Vec<u64> = (0..10_000).map(|_| jittered(Nanos(1_000), 0.5, &mut random).0).collect();
        assert!(spans.iter().all(|span| (500..=1_500).contains(span)));
        let mean = spans.iter().sum::<u64>() / spans.len() as u64;
        assert!((990..=1_010).contains(&mean), "{mean}");
        let first: Vec<u64> = (0..10_000).map(|_| jittered(Nanos(1_000), 0.0, &mut random).0).collect();
        assert!(first.iter().all(|span| *span <= 1_000) && first.iter().any(|span| *span < 100));
    }
}
