//! One sampler stamps everything: raw cumulative readings at the edges of the window and, of the host, in between.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{Node, Processes, Session};
use measure::clock;
use record::{ForeignLoad, Nanos, Reading, name};

use crate::nodes::Nodes;
use crate::pacing::Capacities;
use crate::{Event, Listener};

/// Distance of the host readings between the edges.
const PERIOD: Duration = Duration::from_secs(1);
/// Distance of the first progress reports, so that a short run shows life.
const PROGRESS_PERIOD: Duration = Duration::from_millis(200);

/// Where counters come from.
pub(crate) struct Sources<'a> {
    /// The host's.
    pub host: Mutex<host::Counters>,
    /// The engine's, of each node through a session that no job uses; empty where no engine is open.
    pub nodes: Vec<Watched<'a>>,
    /// Whether the device that the host's counters are about is the one that the engine works on.
    pub device_is_engines: bool,
    /// The median of a commit as the probe of storage found it with one job, nanoseconds; 0 where it is not known.
    pub flush_probe_ns: AtomicU64,
    /// What plain runs of tests reached.
    pub capacities: Capacities,
}

impl Sources<'_> {
    /// How many nodes are lost.
    fn lost_count(&self) -> usize {
        self.nodes.first().map_or(0, |watched| watched.nodes.lost().count())
    }
}

/// A node as the sampler sees it.
pub(crate) struct Watched<'a> {
    nodes: &'a Nodes,
    place: usize,
    /// One that no job uses.
    session: Mutex<Box<dyn Session>>,
    /// Transactions that dbdyno itself has caused on it beside its jobs and that the engine counts.
    bookkeeping_commits: AtomicU64,
}

impl<'a> Watched<'a> {
    /// Watches the node at `place` through a session of its own.
    ///
    /// # Errors
    /// Where the node gives none.
    pub(crate) fn new(nodes: &'a Nodes, place: usize) -> engine::Result<Watched<'a>> {
        let session = Mutex::new(nodes.at(place).connect()?);
        Ok(Watched { nodes, place, session, bookkeeping_commits: AtomicU64::new(0) })
    }

    /// Brings the node into the same state as before every other run: it has what the `first` one has committed, and
    /// has done what it put off.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn settle(&self, first: &Watched<'_>) -> engine::Result<()> {
        let node = self.node();
        if self.place != first.place {
            node.catch_up(self.session().as_mut(), first.session().as_mut())?;
        }
        node.settle(self.session().as_mut())
    }

    /// The node itself.
    pub(crate) fn node(&self) -> &dyn Node {
        self.nodes.at(self.place)
    }

    /// Whether it is gone.
    pub(crate) fn is_lost(&self) -> bool {
        self.nodes.is_lost(self.place)
    }

    /// What the node is called in a sentence.
    pub(crate) fn called(&self) -> String {
        self.nodes.called(self.place)
    }

    /// Goes on with a new session, because the old one may be what was lost.
    ///
    /// # Errors
    /// Where the node gives none.
    pub(crate) fn reconnect(&self) -> engine::Result<()> {
        *self.session() = self.nodes.at(self.place).connect()?;
        Ok(())
    }

    /// `count` transactions were caused by dbdyno itself.
    pub(crate) fn book(&self, count: u64) {
        self.bookkeeping_commits.fetch_add(count, Ordering::Relaxed);
    }

    fn session(&self) -> MutexGuard<'_, Box<dyn Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> engine::Result<BTreeMap<String, u64>> {
        if self.is_lost() {
            return Err(engine::Error::new(engine::Kind::Lost, format!("{} is gone", self.called())));
        }
        let (mut values, own_commits) = self.node().counters(self.session().as_mut())?;
        // What this call commits is counted by the engine only at the next one.
        let so_far = self.bookkeeping_commits.fetch_add(own_commits, Ordering::Relaxed);
        values.insert(name::BOOKKEEPING_COMMIT_COUNT.to_owned(), so_far);
        Ok(values)
    }
}

/// Reads the sources for one run.
pub(crate) struct Sampler<'a> {
    sources: &'a Sources<'a>,
    /// The places of the nodes that the run uses.
    places: Vec<usize>,
    server_roots: Vec<u32>,
    /// How many nodes were lost before the run.
    lost_before: usize,
    /// Whether counters of the block device say anything about what is measured.
    with_device: bool,
    state: Mutex<State>,
    changed: Condvar,
}

/// What a sampler has read.
pub(crate) struct Read {
    /// Of host and engine.
    pub readings: Vec<Reading>,
    /// Of each node of the run, where it uses several.
    pub of_nodes: Vec<Vec<Reading>>,
    /// What other programs did meanwhile.
    pub foreign_load: Option<ForeignLoad>,
    /// Why the engine's counters are missing, if they are.
    pub failure: Option<engine::Error>,
}

#[derive(Default)]
struct State {
    readings: Vec<Reading>,
    /// Those of each node, where the run uses several.
    of_nodes: Vec<Vec<Reading>>,
    phase: Phase,
    begun: Nanos,
    /// All processes as they were at the beginning, and what others have done until the end.
    processes: Option<host::Processes>,
    foreign_load: Option<ForeignLoad>,
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
    /// For a run on the nodes at `places`, or, without `processes`, one that no engine takes part in.
    pub(crate) fn new(sources: &'a Sources<'a>, places: Vec<usize>, processes: Option<Processes>) -> Sampler<'a> {
        let with_device = processes.is_none() || sources.device_is_engines;
        let server_roots = match processes {
            Some(Processes::Local(roots)) => roots,
            _ => Vec::new(),
        };
        let several = if places.len() > 1 { places.len() } else { 0 };
        let state = State { of_nodes: vec![Vec::new(); several], ..State::default() };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Sampler { sources, places, server_roots, lost_before: sources.lost_count(), with_device, state, changed }
    }

    /// The last thing before the jobs are released: the processes and the engine first, the host last, close to the
    /// window.
    pub(crate) fn begin(&self) {
        let processes = host::Processes::look();
        let engine = self.read_engine();
        let mut values = self.read_host();
        values.extend(engine);
        let mut state = self.lock();
        let at_ns = clock::now();
        state.begun = at_ns;
        state.processes = Some(processes);
        state.readings.push(Reading { at_ns, values });
        state.phase = Phase::Sampling;
        self.changed.notify_all();
    }

    /// The first thing after the last job: the host first, then the engine. No reading of the sampler's own thread is
    /// later than this one: it is over for that thread before this reading begins.
    pub(crate) fn end(&self) {
        self.end_after(|| ());
    }

    /// The same, with something to be done between the two: the host is read before it and the engine after it.
    pub(crate) fn end_after(&self, done: impl FnOnce()) {
        self.give_up();
        let mut values = self.read_host();
        let at_ns = clock::now();
        let processes = host::Processes::look();
        let before = self.lock().processes.take();
        let foreign_load = before.map(|before| processes.foreign_load_since(&before, &self.server_roots));
        self.lock().foreign_load = foreign_load;
        if self.sources.lost_count() > self.lost_before {
            // The time of a server that has ended is in no sum any more.
            values.remove(name::SERVER_CPU_NS);
        }
        done();
        values.extend(self.read_engine());
        self.lock().readings.push(Reading { at_ns, values });
    }

    /// Ends the sampling: of a run that is over, or that never began.
    pub(crate) fn give_up(&self) {
        self.lock().phase = Phase::Over;
        self.changed.notify_all();
    }

    /// The sampler's own thread: each second a host reading and a `look` at what else is of interest, progress to the
    /// listener, until the run is over.
    pub(crate) fn watch(&self, listener: &dyn Listener, operations: &dyn Fn() -> u64, look: &dyn Fn()) {
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
            listener.on_event(&Event::Progress { elapsed: now - begun, operations: operations() });
            let reading = (now - last >= PERIOD.into()).then(|| {
                last = now;
                look();
                Reading { values: self.read_host(), at_ns: clock::now() }
            });
            state = self.lock();
            if state.phase == Phase::Sampling {
                state.readings.extend(reading);
            }
        }
    }

    /// What was read, its times counted from `origin`.
    pub(crate) fn into_read(self, origin: Nanos) -> Read {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let counted = |readings: Vec<Reading>| {
            readings.into_iter().map(|reading| Reading { at_ns: reading.at_ns - origin, ..reading }).collect()
        };
        Read {
            readings: counted(state.readings),
            of_nodes: state.of_nodes.into_iter().map(counted).collect(),
            foreign_load: state.foreign_load,
            failure: state.failure,
        }
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

    /// The counters of the engine: the sum over the nodes of the run, and nothing where one of them does not answer,
    /// because a sum without it would go back.
    fn read_engine(&self) -> BTreeMap<String, u64> {
        let mut sum = BTreeMap::new();
        let mut complete = true;
        for (index, place) in self.places.iter().enumerate() {
            let result = self.sources.nodes[*place].read();
            let mut state = self.lock();
            match result {
                Ok(values) => {
                    values.iter().for_each(|(name, value)| *sum.entry(name.clone()).or_insert(0) += value);
                    if let Some(readings) = state.of_nodes.get_mut(index) {
                        readings.push(Reading { at_ns: clock::now(), values });
                    }
                }
                Err(error) => {
                    state.failure = Some(error);
                    complete = false;
                }
            }
        }
        if complete { sum } else { BTreeMap::new() }
    }
}
