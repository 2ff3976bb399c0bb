//! Samples what the sessions of the engine do during a run.
//!
//! A sample is taken through a session of the sampler on each node. The interval to the next one is uniform between a
//! half and one and a half of the period: equal intervals could be in phase with periodic steps and always see the same
//! part of them. The transactions that samples cost the engine are counted as bookkeeping and published before the last
//! reading, so that commits are counted exactly. If a sample fails, sampling ends and the run goes on without it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use engine::{ActiveSession, Session};
use measure::{Purpose, clock};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{Activity, Nanos, Run, SampledWait, WaitClass};

use crate::Event;
use crate::bench::Bench;
use crate::companion::{Companion, Course};
use crate::pacing::run_seed;
use crate::sampler::SampledNode;

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

/// Samples the sessions of the nodes of one run.
pub(crate) struct SessionSampler<'a> {
    /// One per node; a lost node has none.
    sessions_by_node: Mutex<Vec<NodeSession<'a>>>,
    period: Nanos,
    seed: u64,
    course: Course,
    samples: Mutex<Samples>,
}

/// The session that samples a node.
struct NodeSession<'a> {
    node: &'a SampledNode<'a>,
    session: Box<dyn Session>,
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
    /// For `run` on the nodes of `bench` at `node_indexes`, at moments of its own; none if sampling is off, or the engine does not
    /// support it. A failure is reported and does not end the run.
    pub(crate) fn of_run(bench: &'a Bench<'_>, run: &Run, node_indexes: &[usize]) -> Option<SessionSampler<'a>> {
        let nodes = node_indexes.iter().map(|node_index| &bench.sources.nodes[*node_index]);
        let seed = run_seed(bench.plan.seed, run).stream(Purpose::Samples, 0);
        let session_sampler = bench.samples_sessions.then(|| SessionSampler::new(nodes, bench.plan.window_ns, seed))?;
        session_sampler.unwrap_or_else(|error| {
            bench.listener.on_event(&Event::Note(&format!("sessions are not sampled: {error}")));
            None
        })
    }

    /// For a run on `nodes` with a window of `window`. None if an engine does not tell what its sessions do.
    fn new(
        nodes: impl Iterator<Item = &'a SampledNode<'a>>,
        window: Nanos,
        seed: u64,
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
        Ok((!sessions_by_node.is_empty()).then(|| SessionSampler {
            sessions_by_node: Mutex::new(sessions_by_node),
            period,
            seed,
            course: Course::default(),
            samples: Mutex::default(),
        }))
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
}

impl Companion for SessionSampler<'_> {
    fn course(&self) -> &Course {
        &self.course
    }

    /// Samples from the start of the window to its end.
    fn watch(&self) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        // A uniform offset in the first period, so that no part of it is preferred.
        let mut pause = jittered(self.period, 0.0, &mut random);
        self.course.wait_for_begin();
        loop {
            let sample = || (clock::now(), self.sample(), clock::now());
            let Some(((start, Some(sessions), end), _)) = self.course.call_at(clock::now() + pause, sample) else {
                return;
            };
            self.samples.lock().unwrap_or_else(PoisonError::into_inner).add(start, end, sessions);
            pause = jittered(interval(self.period, end.since(start)), 0.5, &mut random);
        }
    }

    fn publish(&self) {
        for node_session in self.sessions_by_node.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            node_session.node.publish(node_session.session.as_mut());
        }
    }

    fn add_to(self: Box<Self>, run: &mut Run) {
        let samples = self.samples.into_inner().unwrap_or_else(PoisonError::into_inner);
        run.activity = Some(samples.into_activity(self.period));
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
