//! One sampler stamps everything: raw cumulative readings at the edges of the window and, of the host, in between.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{Node, Processes, Session};
use measure::clock;
use record::{Nanos, Reading, name};

use crate::{Event, Listener};

/// Distance of the host readings between the edges.
const PERIOD: Duration = Duration::from_secs(1);
/// Distance of the first progress reports, so that a short run shows life.
const PROGRESS_PERIOD: Duration = Duration::from_millis(200);

/// Where counters come from.
pub(crate) struct Sources<'a> {
    /// The host's.
    pub host: Mutex<host::Counters>,
    /// The engine's, through a session that no job uses; absent for probes.
    pub engine: Option<Mutex<Watched<'a>>>,
    /// Whether the device that the host's counters are about is the one that the engine works on.
    pub device_is_engines: bool,
    /// Transactions that dbdyno itself has caused beside its jobs and that the engine counts.
    pub bookkeeping_commits: AtomicU64,
    /// The median of a commit as the probe of storage found it with one job, nanoseconds; 0 where it is not known.
    pub flush_probe_ns: AtomicU64,
}

/// The engine as the sampler sees it.
pub(crate) struct Watched<'a> {
    /// The node whose counters are read.
    pub node: &'a dyn Node,
    /// A session that no job uses.
    pub session: Box<dyn Session>,
}

impl Watched<'_> {
    /// Brings the node into the same state as before every other run.
    pub(crate) fn settle(&mut self) -> engine::Result<()> {
        self.node.settle(self.session.as_mut())
    }
}

/// Reads the sources for one run.
pub(crate) struct Sampler<'a> {
    sources: &'a Sources<'a>,
    server_roots: Vec<u32>,
    /// Whether counters of the block device say anything about what is measured.
    with_device: bool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    readings: Vec<Reading>,
    phase: Phase,
    begun: Nanos,
    failure: Option<engine::Error>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Waiting,
    Sampling,
    Over,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(sources: &'a Sources<'a>, processes: Option<Processes>) -> Sampler<'a> {
        let with_device = processes.is_none() || sources.device_is_engines;
        let server_roots = match processes {
            Some(Processes::Local(roots)) => roots,
            _ => Vec::new(),
        };
        let (state, changed) = (Mutex::new(State::default()), Condvar::new());
        Sampler { sources, server_roots, with_device, state, changed }
    }

    /// The last thing before the jobs are released: the engine first, the host last, close to the window.
    pub(crate) fn begin(&self) {
        let engine = self.read_engine();
        let mut values = self.read_host();
        values.extend(engine);
        let mut state = self.lock();
        let at_ns = clock::now();
        state.begun = at_ns;
        state.readings.push(Reading { at_ns, values });
        state.phase = Phase::Sampling;
        self.changed.notify_all();
    }

    /// The first thing after the last job: the host first, then the engine. No reading of the sampler's own thread is
    /// later than this one: it is over for that thread before this reading begins.
    pub(crate) fn end(&self) {
        self.give_up();
        let mut values = self.read_host();
        let at_ns = clock::now();
        values.extend(self.read_engine());
        self.lock().readings.push(Reading { at_ns, values });
    }

    /// Ends the sampling: of a run that is over, or that never began.
    pub(crate) fn give_up(&self) {
        self.lock().phase = Phase::Over;
        self.changed.notify_all();
    }

    /// The sampler's own thread: a host reading each second, progress to the listener, until the run is over.
    pub(crate) fn watch(&self, listener: &dyn Listener, operations: &dyn Fn() -> u64) {
        let mut state = self.lock();
        while state.phase == Phase::Waiting {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let mut last = clock::now();
        loop {
            if state.phase == Phase::Over {
                return;
            }
            state = self.changed.wait_timeout(state, PROGRESS_PERIOD).unwrap_or_else(PoisonError::into_inner).0;
            if state.phase == Phase::Over {
                return;
            }
            let begun = state.begun;
            drop(state);
            let now = clock::now();
            listener.hear(&Event::Progress { elapsed: now - begun, operations: operations() });
            let reading = (now - last >= PERIOD.into()).then(|| {
                last = now;
                Reading { values: self.read_host(), at_ns: clock::now() }
            });
            state = self.lock();
            if state.phase == Phase::Sampling {
                state.readings.extend(reading);
            }
        }
    }

    /// The readings, their times counted from `origin`, and why the engine's counters are missing, if they are.
    pub(crate) fn into_readings(self, origin: Nanos) -> (Vec<Reading>, Option<engine::Error>) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let readings = state.readings.into_iter();
        (readings.map(|reading| Reading { at_ns: reading.at_ns - origin, ..reading }).collect(), state.failure)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_host(&self) -> BTreeMap<String, u64> {
        let mut host = self.sources.host.lock().unwrap_or_else(PoisonError::into_inner);
        let mut values = host.read(&self.server_roots);
        if !self.with_device {
            values.retain(|name, _| !name.starts_with("device_"));
        }
        values
    }

    fn read_engine(&self) -> BTreeMap<String, u64> {
        let Some(engine) = &self.sources.engine else { return BTreeMap::new() };
        let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
        let Watched { node, session } = &mut *engine;
        match node.counters(session.as_mut()) {
            Ok((mut values, own_commits)) => {
                // What this call commits is counted by the engine only at the next one.
                let so_far = self.sources.bookkeeping_commits.fetch_add(own_commits, Ordering::Relaxed);
                values.insert(name::BOOKKEEPING_COMMIT_COUNT.to_owned(), so_far);
                values
            }
            Err(error) => {
                self.lock().failure = Some(error);
                BTreeMap::new()
            }
        }
    }
}
