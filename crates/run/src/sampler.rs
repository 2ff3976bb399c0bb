//! The sampler: raw cumulative readings with timestamps at the edges of the window and, of the host, in between.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{Node, Processes, Session};
use measure::clock;
use record::{DatabaseState, ForeignLoad, Nanos, ObservedRun, Reading, Run, SettlingStep, name};

use crate::caches::page_cached;
use crate::capacities::Capacities;
use crate::host_observer::{Observers, Observing};
use crate::nodes::Nodes;
use crate::{Event, Interrupt, Listener};

/// Interval of the host readings between the edges.
const PERIOD: Duration = Duration::from_secs(1);
/// Interval of the progress reports.
const PROGRESS_PERIOD: Duration = Duration::from_millis(200);

/// The sources of counters.
pub(crate) struct Sources<'a> {
    /// Those of the host.
    pub host: Mutex<host::Counters>,
    /// Those of the engine, of each node through a session that no job uses; empty if no engine is open.
    pub nodes: Vec<SampledNode<'a>>,
    /// The agents on the hosts of server and storage.
    pub observers: Observers<'a>,
    /// Whether the sampled device is that of the engine.
    pub device_is_engines: bool,
    /// Median latency of a commit of the storage probe with one job, nanoseconds; 0 where unknown.
    pub flush_probe_ns: AtomicU64,
    /// The capacities of tests.
    pub capacities: Capacities,
}

impl Sources<'_> {
    /// Number of lost nodes.
    fn lost_count(&self) -> usize {
        self.nodes.first().map_or(0, |watched| watched.nodes.lost().count())
    }
}

/// A node, with the session of the sampler.
pub(crate) struct SampledNode<'a> {
    nodes: &'a Nodes,
    node_index: usize,
    /// A session that no job uses.
    session: Mutex<Box<dyn Session>>,
    /// Transactions that the engine counts and that dbdyno caused outside of its jobs.
    bookkeeping_commits: AtomicU64,
    /// Round trips of the sessions of jobs; absent until one of them counts.
    round_trips: Mutex<Option<u64>>,
}

impl<'a> SampledNode<'a> {
    /// The node at `node_index`, with a session of its own.
    pub(crate) fn new(nodes: &'a Nodes, node_index: usize) -> engine::Result<SampledNode<'a>> {
        let session = Mutex::new(nodes.at(node_index).connect()?);
        Ok(SampledNode {
            nodes,
            node_index,
            session,
            bookkeeping_commits: AtomicU64::new(0),
            round_trips: Mutex::new(None),
        })
    }

    /// Brings the node into the same state as before every other run: it has what the `first` node has committed, and
    /// has completed deferred work, which is returned.
    pub(crate) fn settle(&self, first: &SampledNode<'_>) -> engine::Result<Vec<SettlingStep>> {
        let node = self.node();
        if self.node_index != first.node_index && !self.nodes.are_apart() {
            node.catch_up(self.session().as_mut(), first.session().as_mut())?;
        }
        node.settle(self.session().as_mut())
    }

    /// The node.
    pub(crate) fn node(&self) -> &dyn Node {
        self.nodes.at(self.node_index)
    }

    /// Whether the node is lost.
    pub(crate) fn is_lost(&self) -> bool {
        self.nodes.is_lost(self.node_index)
    }

    /// Label of the node.
    pub(crate) fn label(&self) -> String {
        self.nodes.label(self.node_index)
    }

    /// Opens a new session, because the old one may be lost.
    pub(crate) fn reconnect(&self) -> engine::Result<()> {
        *self.session() = self.nodes.at(self.node_index).connect()?;
        Ok(())
    }

    /// Adds `count` transactions that dbdyno itself caused.
    pub(crate) fn add_own_commits(&self, count: u64) {
        // What agents say may be any number.
        let add = |sum: u64| Some(sum.saturating_add(count));
        let _ = self.bookkeeping_commits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Publishes in the counters of the node what `session` did beside the jobs, which is bookkeeping. A lost node has published its
    /// counters when it ended.
    pub(crate) fn publish(&self, session: &mut dyn Session) {
        if !self.is_lost()
            && let Ok(own) = session.publish_counters()
        {
            self.add_own_commits(own);
        }
    }

    /// Adds round trips of a session of a job.
    pub(crate) fn add_round_trips(&self, count: u64) {
        let mut round_trips = self.round_trips.lock().unwrap_or_else(PoisonError::into_inner);
        *round_trips = Some(round_trips.unwrap_or(0).saturating_add(count));
    }

    fn session(&self) -> MutexGuard<'_, Box<dyn Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> engine::Result<BTreeMap<String, u64>> {
        if self.is_lost() {
            return Err(engine::Error::new(engine::Kind::Lost, format!("{} is lost", self.label())));
        }
        let (mut values, own_commits) = self.node().counters(self.session().as_mut())?;
        values.extend(self.own_counters());
        // The engine counts the commits of this call only in the next one.
        self.add_own_commits(own_commits);
        Ok(values)
    }

    /// The state of its database; None where it is lost.
    fn state(&self) -> Option<DatabaseState> {
        let answering = (!self.is_lost()).then(|| self.node())?;
        let state = answering.state(self.session().as_mut()).ok()?;
        let page_cached_bytes = answering.data_directory().and_then(page_cached);
        Some(DatabaseState { page_cached_bytes, ..state })
    }

    /// What the sessions of dbdyno did.
    fn own_counters(&self) -> impl Iterator<Item = (String, u64)> {
        let commits = self.bookkeeping_commits.load(Ordering::Relaxed);
        let round_trips = *self.round_trips.lock().unwrap_or_else(PoisonError::into_inner);
        let counters = [(name::BOOKKEEPING_COMMIT_COUNT, Some(commits)), (name::CLIENT_ROUND_TRIP_COUNT, round_trips)];
        counters.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?)))
    }
}

/// Reads the sources for one run.
pub(crate) struct Sampler<'a> {
    sources: &'a Sources<'a>,
    /// Indexes of the nodes of the run.
    node_indexes: Vec<usize>,
    server_roots: Vec<u32>,
    /// Whether the engine is asked for its counters.
    asks_engine: bool,
    /// Number of nodes that were lost before the run.
    lost_before: usize,
    /// Whether the block device counters apply to what is measured.
    with_device: bool,
    /// What the hosts of the server count.
    server_hosts: Vec<Observing<'a>>,
    /// What the hosts of storage count.
    storage_hosts: Vec<Observing<'a>>,
    state: Mutex<State>,
    changed: Condvar,
}

/// The readings of one run.
pub(crate) struct Read {
    /// Those of host and engine.
    pub readings: Vec<Reading>,
    /// Those of each node of the run, if it uses several.
    pub of_nodes: Vec<Vec<Reading>>,
    /// What other programs did during the window.
    pub foreign_load: Option<ForeignLoad>,
    /// What the hosts of the server counted, by their names.
    pub server_hosts: BTreeMap<String, ObservedRun>,
    /// What the hosts of storage counted, by their names.
    pub storage_hosts: BTreeMap<String, ObservedRun>,
    /// The database at the begin of the window and at its end.
    pub states: [Option<Box<DatabaseState>>; 2],
    /// Why the engine's counters are missing, if they are.
    pub failure: Option<engine::Error>,
}

impl Read {
    /// Adds the readings of this host and of others to `run`; returns why the engine's are missing, if they are.
    pub(crate) fn add_hosts_to(self, run: &mut Run) -> Option<engine::Error> {
        (run.readings, run.foreign_load) = (self.readings, self.foreign_load.map(Box::new));
        (run.server_hosts, run.storage_hosts) = (self.server_hosts, self.storage_hosts);
        [run.state_at_begin, run.state_at_end] = self.states;
        self.failure
    }
}

#[derive(Default)]
struct State {
    readings: Vec<Reading>,
    /// Those of each node, if the run uses several.
    of_nodes: Vec<Vec<Reading>>,
    phase: Phase,
    start: Nanos,
    /// All processes at the start, and what others did until the end.
    processes: Option<host::Processes>,
    foreign_load: Option<ForeignLoad>,
    failure: Option<engine::Error>,
    /// The database at the start and at the end.
    states: [Option<Box<DatabaseState>>; 2],
    /// The counters of the engine at the start, where they were read before.
    engine: Option<BTreeMap<String, u64>>,
}

/// The state of a sampling thread.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    #[default]
    Waiting,
    Sampling,
    Over,
}

impl<'a> Sampler<'a> {
    /// For a run on the nodes at `node_indexes`, or, without `processes`, one without an engine.
    pub(crate) fn new(sources: &'a Sources<'a>, node_indexes: Vec<usize>, processes: Option<Processes>) -> Sampler<'a> {
        let with_device = processes.is_none() || sources.device_is_engines;
        let server_roots = match processes {
            Some(Processes::Local(roots)) => roots,
            _ => Vec::new(),
        };
        let several = if node_indexes.len() > 1 { node_indexes.len() } else { 0 };
        let state = State { of_nodes: vec![Vec::new(); several], ..State::default() };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        let lost_before = sources.lost_count();
        let observer = |node_index: &usize| {
            let position = sources.nodes.get(*node_index)?.nodes.position(*node_index);
            sources.observers.servers.get(position).copied()
        };
        let server_hosts = node_indexes.iter().filter_map(observer).map(Observing::new).collect();
        let storage_hosts = sources.observers.storage.iter().map(|observer| Observing::new(*observer)).collect();
        let asks_engine = true;
        Sampler {
            sources,
            node_indexes,
            server_roots,
            asks_engine,
            lost_before,
            with_device,
            server_hosts,
            storage_hosts,
            state,
            changed,
        }
    }

    /// The same without the counters of the engine, which another process reads.
    pub(crate) fn without_engine(mut self) -> Sampler<'a> {
        self.asks_engine = false;
        self
    }

    /// The same with more processes that are measured.
    pub(crate) fn beside(mut self, processes: &[u32]) -> Sampler<'a> {
        self.server_roots.extend(processes);
        self
    }

    /// All jobs are warm and wait: the engine is read, however long that takes. Needed only where the time of the start
    /// is fixed. What the engine is asked is cancelled where `interrupt` is raised.
    pub(crate) fn prepare(&self, interrupt: &Interrupt) {
        let nodes = self.node_indexes.iter().map(|node_index| &self.sources.nodes[*node_index]);
        let cancellers = nodes.filter_map(|node| node.session().canceller()).collect();
        let engine = interrupt.during(cancellers, || self.read_engine_at_begin());
        self.lock().engine = Some(engine);
    }

    /// The engine at the begin of the window: its state first, so that the counters have what reading it takes.
    fn read_engine_at_begin(&self) -> BTreeMap<String, u64> {
        let state = self.database_state();
        self.lock().states[0] = state;
        self.read_engine()
    }

    /// The state of the database of the first node; None without one, and where another process asks it.
    fn database_state(&self) -> Option<Box<DatabaseState>> {
        let first = self.node_indexes.first().filter(|_| self.asks_engine)?;
        self.sources.nodes[*first].state().map(Box::new)
    }

    /// The last step before the jobs are released: processes and engine are read first, the host last, close to the
    /// window.
    pub(crate) fn begin(&self) {
        self.observe(Observing::scan);
        let processes = host::Processes::read();
        let prepared = self.lock().engine.take();
        let engine = prepared.unwrap_or_else(|| self.read_engine_at_begin());
        self.observe(Observing::read);
        let mut values = self.read_host();
        values.extend(engine);
        let mut state = self.lock();
        let at_ns = clock::now();
        state.start = at_ns;
        state.processes = Some(processes);
        state.readings.push(Reading { at_ns, values });
        state.phase = Phase::Sampling;
        self.changed.notify_all();
    }

    /// The first step after the last job: the host is read first, then the engine. The readings of the sampler thread
    /// stop before this one.
    pub(crate) fn end(&self) {
        self.end_after(|| ());
    }

    /// The same, with `done` called between the two: the host is read before it and the engine after it.
    pub(crate) fn end_after(&self, done: impl FnOnce()) {
        self.stop();
        let mut values = self.read_host();
        let at_ns = clock::now();
        self.observe(Observing::read);
        let processes = host::Processes::read();
        self.observe(Observing::load);
        let before = self.lock().processes.take();
        let foreign_load = before.map(|before| processes.foreign_load_since(&before, &self.server_roots));
        self.lock().foreign_load = foreign_load;
        if self.sources.lost_count() > self.lost_before {
            // The sums no longer include the time of a server that has ended.
            values.remove(name::SERVER_CPU_NS);
        }
        done();
        values.extend(self.read_engine());
        self.lock().readings.push(Reading { at_ns, values });
        let state = self.database_state();
        self.lock().states[1] = state;
    }

    /// Ends the sampling, also of a run that never started.
    pub(crate) fn stop(&self) {
        self.lock().phase = Phase::Over;
        self.changed.notify_all();
    }

    /// The sampler thread: once a second a host reading and a `check`, and progress reports to the listener, until the
    /// run is over.
    pub(crate) fn watch(&self, listener: &dyn Listener, operations: &dyn Fn() -> u64, check: &dyn Fn()) {
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
            let start = state.start;
            drop(state);
            let now = clock::now();
            listener.on_event(&Event::Progress { elapsed: now - start, operations: operations() });
            let reading = (now - last >= PERIOD.into()).then(|| {
                last = now;
                check();
                let reading = Reading { values: self.read_host(), at_ns: clock::now() };
                self.observe(Observing::read);
                reading
            });
            state = self.lock();
            if state.phase == Phase::Sampling {
                state.readings.extend(reading);
            }
        }
    }

    /// The readings, with times relative to `origin`.
    pub(crate) fn into_read(self, origin: Nanos) -> Read {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let counted = |readings: Vec<Reading>| {
            readings.into_iter().map(|reading| Reading { at_ns: reading.at_ns - origin, ..reading }).collect()
        };
        let named = |hosts: Vec<Observing<'a>>| hosts.into_iter().filter_map(|one| one.into_named(origin)).collect();
        Read {
            readings: counted(state.readings),
            of_nodes: state.of_nodes.into_iter().map(counted).collect(),
            foreign_load: state.foreign_load,
            server_hosts: named(self.server_hosts),
            storage_hosts: named(self.storage_hosts),
            states: state.states,
            failure: state.failure,
        }
    }

    /// Asks all other hosts at once: a window waits for the slowest one, not for one after the other.
    fn observe(&self, ask: impl Fn(&Observing<'a>) + Sync) {
        let hosts: Vec<&Observing<'a>> = self.server_hosts.iter().chain(&self.storage_hosts).collect();
        match hosts.as_slice() {
            [] => {}
            [one] => ask(one),
            all => std::thread::scope(|scope| {
                let ask = &ask;
                for host in all {
                    scope.spawn(move || ask(host));
                }
            }),
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

    /// The counters of the engine: the sum over the nodes of the run, and nothing if one of them does not answer,
    /// because a sum without it would decrease.
    fn read_engine(&self) -> BTreeMap<String, u64> {
        let mut sum = BTreeMap::new();
        let mut complete = true;
        for (index, node_index) in self.node_indexes.iter().enumerate() {
            let node = &self.sources.nodes[*node_index];
            let result = if self.asks_engine { node.read() } else { Ok(node.own_counters().collect()) };
            let mut state = self.lock();
            match result {
                Ok(values) => {
                    for (name, value) in &values {
                        let all = sum.entry(name.clone()).or_insert(0_u64);
                        // Among them is what agents say, which may be any number.
                        *all = all.saturating_add(*value);
                    }
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::nodes::scripted::{ScriptedNode, nodes};

    /// Far above what any of this takes.
    const DEADLINE: Duration = Duration::from_secs(60);

    /// Whether a statement has begun, and whether it was cancelled.
    #[derive(Default)]
    struct Statement {
        state: Mutex<(bool, bool)>,
        changed: Condvar,
    }

    impl Statement {
        fn change(&self, change: impl FnOnce(&mut (bool, bool))) {
            change(&mut self.state.lock().unwrap());
            self.changed.notify_all();
        }

        /// Waits until this is so; false where it never is.
        fn wait(&self, is_so: impl Fn(&(bool, bool)) -> bool) -> bool {
            let state = self.state.lock().unwrap();
            !self.changed.wait_timeout_while(state, DEADLINE, |state| !is_so(state)).unwrap().1.timed_out()
        }
    }

    #[test]
    fn what_agents_say_of_two_nodes_does_not_overflow() {
        let nodes = nodes(vec![ScriptedNode::new(), ScriptedNode::new()]);
        let sampled: Vec<SampledNode<'_>> = [0, 1].map(|index| SampledNode::new(&nodes, index).unwrap()).into();
        for node in &sampled {
            for count in [u64::MAX - 1, 7] {
                node.add_own_commits(count);
                node.add_round_trips(count);
            }
        }
        let sources = Sources { nodes: sampled, ..Sources::of_host(Path::new("/")) };
        let sampler = Sampler::new(&sources, vec![0, 1], Some(Processes::InProcess));
        sampler.begin();
        let readings = sampler.into_read(Nanos(0)).readings;
        for counter in [name::BOOKKEEPING_COMMIT_COUNT, name::CLIENT_ROUND_TRIP_COUNT] {
            assert_eq!(readings[0].values.get(counter), Some(&u64::MAX), "{counter}");
        }
    }

    #[test]
    fn the_counters_of_an_engine_that_does_not_answer_are_given_up_where_the_user_interrupts() {
        let statement = Arc::<Statement>::default();
        let (asked, cancelled) = (Arc::clone(&statement), Arc::clone(&statement));
        let counters = Box::new(move || {
            asked.change(|(has_begun, _)| *has_begun = true);
            match asked.wait(|(_, is_cancelled)| *is_cancelled) {
                true => Err(engine::Error::new(engine::Kind::Statement, "cancelled")),
                false => Ok(()),
            }
        });
        let cancel = Arc::new(move || cancelled.change(|(_, is_cancelled)| *is_cancelled = true));
        let nodes = nodes(vec![ScriptedNode { counters, cancel, ..ScriptedNode::new() }]);
        let sampled = vec![SampledNode::new(&nodes, 0).unwrap()];
        let sources = Sources { nodes: sampled, ..Sources::of_host(Path::new("/")) };
        let sampler = Sampler::new(&sources, vec![0], Some(Processes::InProcess));
        let interrupt = Interrupt::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(statement.wait(|(has_begun, _)| *has_begun));
                interrupt.raise();
            });
            sampler.prepare(&interrupt);
        });
        let failure = sampler.into_read(Nanos(0)).failure.expect("no counters");
        assert_eq!(failure.message, "cancelled");
    }
}
