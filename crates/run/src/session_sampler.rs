//! Looks at what the sessions of the engine are doing while a run goes on.
//!
//! A look is taken through a session of the session_sampler's own on each node. Its distance to the next one is drawn from a half
//! to one and a half of the period: looks at equal distances would keep step with steps at equal distances and see always
//! the same part of them. What a look costs the engine in transactions is booked, and published before the last reading,
//! so that commits are counted exactly. A session_sampler that cannot look ends; the run goes on without.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{ActiveSession, Session};
use measure::clock;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{Activity, Nanos, SampledWait, WaitClass};

use crate::Event;
use crate::bench::Bench;
use crate::sampler::Watched;

/// Mean distance of two looks,
const PERIOD: Nanos = Nanos(100_000_000);
/// and in a long window.
const LONG_PERIOD: Nanos = Nanos(1_000_000_000);
/// A window is long from here on.
const LONG_WINDOW: Nanos = Nanos(600_000_000_000);
/// So many times as long as a look is the way to the next one, at least: the looks take half a per cent of a processor at
/// most. (With ten looks of 1.1 ms a second a server that answered 67 k statements a second on one processor answered 2.5 %
/// fewer.)
const REST: u64 = 200;
/// How long a look that is under way may keep the last reading waiting.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Looks at the sessions of the nodes of one run.
pub(crate) struct SessionSampler<'a> {
    /// One per node; a node that is gone has none.
    posts: Mutex<Vec<Post<'a>>>,
    period: Nanos,
    seed: u64,
    state: Mutex<State>,
    changed: Condvar,
}

/// A session that looks at its node.
struct Post<'a> {
    watched: &'a Watched<'a>,
    session: Box<dyn Session>,
}

#[derive(Default)]
struct State {
    phase: Phase,
    /// Whether a look is under way.
    is_looking: bool,
    seen: Seen,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Waiting,
    Looking,
    Over,
}

/// What was seen so far.
#[derive(Default)]
struct Seen {
    sample_count: u64,
    first: Nanos,
    last: Nanos,
    cost: Nanos,
    waits: BTreeMap<(WaitClass, String), u64>,
}

impl Seen {
    /// Adds a look that was taken from `begun` to `ended`.
    fn add(&mut self, begun: Nanos, ended: Nanos, sessions: Vec<ActiveSession>) {
        if self.sample_count == 0 {
            self.first = begun;
        }
        self.sample_count += 1;
        self.last = begun;
        self.cost = self.cost + ended.since(begun);
        for session in sessions {
            *self.waits.entry((session.class, session.event)).or_default() += 1;
        }
    }

    fn into_activity(self, period: Nanos) -> Activity {
        // As many distances as looks: from the first to the last there is one less.
        let watched = match self.sample_count {
            0 => Nanos(0),
            1 => period,
            looks => {
                let between = self.last.since(self.first).0;
                Nanos(between.saturating_add(between / (looks - 1)))
            }
        };
        let wait = |((class, event), session_count)| SampledWait { class, event, session_count };
        Activity {
            period_ns: period,
            sample_count: self.sample_count,
            watched_ns: watched,
            cost_ns: self.cost,
            waits: self.waits.into_iter().map(wait).collect(),
        }
    }
}

impl<'a> SessionSampler<'a> {
    /// Over the nodes of `bench` at `places`; none where nobody is to look, or nothing is told. It is no reason not to
    /// measure.
    pub(crate) fn over(bench: &Bench<'a>, places: &[usize]) -> Option<SessionSampler<'a>> {
        let nodes = places.iter().map(|place| &bench.sources.nodes[*place]);
        let session_sampler = bench.looks.then(|| SessionSampler::new(nodes, bench.plan.window_ns, bench.plan.seed))?;
        session_sampler.unwrap_or_else(|error| {
            bench.listener.on_event(&Event::Note(&format!("nobody looks at the sessions of the engine: {error}")));
            None
        })
    }

    /// For a run on `nodes` whose window is to last for `window`. None where an engine does not tell what its sessions do.
    ///
    /// # Errors
    /// Where a node gives no session, or does not answer.
    fn new(
        nodes: impl Iterator<Item = &'a Watched<'a>>,
        window: Nanos,
        seed: u64,
    ) -> engine::Result<Option<SessionSampler<'a>>> {
        let mut posts = Vec::new();
        for watched in nodes {
            let mut session = watched.node().connect()?;
            // The first look is the dearest, and what it costs is published before anything is counted.
            if watched.node().active_sessions(session.as_mut())?.is_none() {
                return Ok(None);
            }
            session.publish_counters()?;
            posts.push(Post { watched, session });
        }
        let period = if window > LONG_WINDOW { LONG_PERIOD } else { PERIOD };
        let (state, changed) = (Mutex::default(), Condvar::new());
        Ok((!posts.is_empty()).then(|| SessionSampler { posts: Mutex::new(posts), period, seed, state, changed }))
    }

    /// The session_sampler's own thread: looks from the beginning of the window to its end.
    pub(crate) fn watch(&self) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        // Anywhere in the first period, so that no part of it is preferred.
        let mut pause = drawn(self.period, 0.0, &mut random);
        let mut state = self.lock();
        while state.phase == Phase::Waiting {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        loop {
            let due = clock::now() + pause;
            while state.phase == Phase::Looking && clock::now() < due {
                let left = due.since(clock::now());
                state = self.changed.wait_timeout(state, left.into()).unwrap_or_else(PoisonError::into_inner).0;
            }
            if state.phase == Phase::Over {
                return;
            }
            state.is_looking = true;
            drop(state);
            let begun = clock::now();
            let sessions = self.look();
            let ended = clock::now();
            state = self.lock();
            state.is_looking = false;
            match sessions {
                Some(sessions) => state.seen.add(begun, ended, sessions),
                None => state.phase = Phase::Over,
            }
            self.changed.notify_all();
            pause = drawn(distance(self.period, ended.since(begun)), 0.5, &mut random);
        }
    }

    /// The sessions of all nodes; none where no node is left that answers.
    fn look(&self) -> Option<Vec<ActiveSession>> {
        let mut posts = self.posts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sessions = Vec::new();
        posts.retain_mut(|post| {
            // A node that is gone would not answer for a long time.
            if post.watched.is_lost() {
                return false;
            }
            let found = post.watched.node().active_sessions(post.session.as_mut());
            let Ok(Some(look)) = found else { return false };
            post.watched.book(look.own_commits);
            sessions.extend(look.sessions);
            true
        });
        (!posts.is_empty()).then_some(sessions)
    }

    /// The jobs are about to be released.
    pub(crate) fn begin(&self) {
        self.lock().phase = Phase::Looking;
        self.changed.notify_all();
    }

    /// The jobs have ended, and the last reading is to come: no look is taken any more, and what they cost is published.
    pub(crate) fn end(&self) {
        self.give_up();
        let state = self.lock();
        let waited = self.changed.wait_timeout_while(state, TIMEOUT, |state| state.is_looking);
        if waited.unwrap_or_else(PoisonError::into_inner).0.is_looking {
            return;
        }
        for post in self.posts.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            // One that is lost by now has published what it did when it ended.
            if !post.watched.is_lost()
                && let Ok(own) = post.session.publish_counters()
            {
                post.watched.book(own);
            }
        }
    }

    /// Ends the looking: of a run that is over, or that never began.
    pub(crate) fn give_up(&self) {
        self.lock().phase = Phase::Over;
        self.changed.notify_all();
    }

    /// What was seen.
    pub(crate) fn into_activity(self) -> Activity {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.seen.into_activity(self.period)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// From one look, which took `cost`, to the next.
fn distance(period: Nanos, cost: Nanos) -> Nanos {
    period.max(Nanos(cost.0.saturating_mul(REST)))
}

/// A span from `least` of `mean` to as much above it, each as likely.
fn drawn(mean: Nanos, least: f64, random: &mut Xoshiro256PlusPlus) -> Nanos {
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
    fn looks_are_summed_by_class_and_event() {
        let mut seen = Seen::default();
        let (lock, cpu) = (session(WaitClass::Application, "row lock"), session(WaitClass::Cpu, ""));
        seen.add(Nanos(1_000), Nanos(1_010), vec![lock.clone(), cpu.clone(), lock.clone()]);
        seen.add(Nanos(1_100), Nanos(1_110), Vec::new());
        seen.add(Nanos(1_220), Nanos(1_240), vec![cpu]);
        let activity = seen.into_activity(Nanos(100));
        assert_eq!((activity.sample_count, activity.cost_ns), (3, Nanos(40)));
        assert_eq!(activity.watched_ns, Nanos(330), "two distances of 110 and one more");
        let waits: Vec<_> = activity.waits.iter().map(|wait| (wait.class, &*wait.event, wait.session_count)).collect();
        assert_eq!(waits, [(WaitClass::Cpu, "", 2), (WaitClass::Application, "row lock", 2)]);
    }

    #[test]
    fn nothing_is_watched_without_a_look() {
        let activity = Seen::default().into_activity(PERIOD);
        assert_eq!((activity.sample_count, activity.watched_ns, activity.period_ns), (0, Nanos(0), PERIOD));
        let mut once = Seen::default();
        once.add(Nanos(7), Nanos(8), Vec::new());
        assert_eq!(once.into_activity(PERIOD).watched_ns, PERIOD);
    }

    #[test]
    fn a_dear_look_is_followed_by_a_long_rest() {
        assert_eq!(distance(Nanos(1_000), Nanos(5)), Nanos(1_000));
        assert_eq!(distance(Nanos(1_000), Nanos(30)), Nanos(6_000));
        assert_eq!(distance(Nanos(100), Nanos(u64::MAX)), Nanos(u64::MAX));
    }

    #[test]
    fn distances_are_drawn_around_the_period() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let spans: Vec<u64> = (0..10_000).map(|_| drawn(Nanos(1_000), 0.5, &mut random).0).collect();
        assert!(spans.iter().all(|span| (500..=1_500).contains(span)));
        let mean = spans.iter().sum::<u64>() / spans.len() as u64;
        assert!((990..=1_010).contains(&mean), "{mean}");
        let first: Vec<u64> = (0..10_000).map(|_| drawn(Nanos(1_000), 0.0, &mut random).0).collect();
        assert!(first.iter().all(|span| *span <= 1_000) && first.iter().any(|span| *span < 100));
    }
}
