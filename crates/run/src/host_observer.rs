//! Other hosts that do a part of the work, which agents there observe during a run.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use engine::Processes;
use record::{ForeignLoad, Nanos, ObservedHost, ObservedRun, Reading};

use crate::nodes::Nodes;
use crate::{Error, Result};

/// An agent on another host.
pub trait HostObserver: Sync {
    /// Name of the host.
    fn name(&self) -> &str;

    /// Observes the server that listens on `port`, or the one that it was told.
    ///
    /// # Errors
    /// Where the processes of the server are not found.
    fn watch_server(&self, port: Option<u16>) -> Result<ObservedHost>;

    /// Observes a host of storage, whose kernel or a program that was told serves it.
    ///
    /// # Errors
    /// Where what was told is not found.
    fn watch_storage(&self) -> Result<ObservedHost>;

    /// Lists all processes, before a window; false if the agent does not answer.
    fn scan(&self) -> bool;

    /// The counters, with their time by the clock of this host and its error; None if the agent does not answer.
    fn read(&self) -> Option<Observed>;

    /// The load of other programs since the processes were listed; None if the agent does not answer.
    fn load(&self) -> Option<ForeignLoad>;
}

/// The agents on other hosts that do a part of the work.
#[derive(Clone, Copy, Default)]
pub struct Observers<'a> {
    /// Those on the hosts of the server, one for each node, in the order of the target.
    pub servers: &'a [&'a dyn HostObserver],
    /// Those on hosts of storage.
    pub storage: &'a [&'a dyn HostObserver],
}

/// Counters of another host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// By the names of [`record::name`].
    pub values: BTreeMap<String, u64>,
    /// The middle between question and answer.
    pub at: Nanos,
    /// Half of the time between them.
    pub error: Nanos,
}

/// Has each of `observers` watch its node of `nodes`; the hosts in the order of the nodes, none where there is no observer.
pub(crate) fn watch_servers(observers: &[&dyn HostObserver], nodes: &Nodes) -> Result<Vec<ObservedHost>> {
    if observers.is_empty() {
        return Ok(Vec::new());
    }
    if nodes.processes() != Processes::Remote {
        return Err(Error::user("the engine is on this host, which is observed without an agent")
            .hint("leave --observe out, or give the target of a server on another host"));
    }
    let count = nodes.counts().0 as usize;
    if count != observers.len() {
        return Err(Error::user(format!(
            "the target has {count} nodes, and --observe names {} hosts",
            observers.len()
        ))
        .hint("give --observe once for each address of the target, in the same order"));
    }
    let watched = |node_index: usize| observers[nodes.position(node_index)].watch_server(nodes.at(node_index).port());
    (0..count).map(watched).collect()
}

/// What an observer counts during one run. A question without an answer ends it: what is there stays.
pub(crate) struct Observing<'a> {
    observer: &'a dyn HostObserver,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    run: Option<ObservedRun>,
    is_silent: bool,
}

impl<'a> Observing<'a> {
    pub(crate) fn new(observer: &'a dyn HostObserver) -> Observing<'a> {
        Observing { observer, state: Mutex::default() }
    }

    /// Lists the processes.
    pub(crate) fn scan(&self) {
        self.with(|observer, _| observer.scan().then_some(()));
    }

    /// Reads the counters.
    pub(crate) fn read(&self) {
        self.with(|observer, run| {
            let Observed { values, at, error } = observer.read()?;
            run.readings.push(Reading { at_ns: at, values });
            run.time_error_ns = run.time_error_ns.max(error);
            Some(())
        });
    }

    /// Reads the load of other programs.
    pub(crate) fn load(&self) {
        self.with(|observer, run| {
            run.foreign_load = Some(observer.load()?);
            Some(())
        });
    }

    fn with(&self, ask: impl FnOnce(&dyn HostObserver, &mut ObservedRun) -> Option<()>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_silent {
            return;
        }
        let nothing = ObservedRun { readings: Vec::new(), time_error_ns: Nanos(0), foreign_load: None };
        let run = state.run.get_or_insert(nothing);
        state.is_silent = ask(self.observer, run).is_none();
    }

    /// The same with the name of the host.
    pub(crate) fn into_named(self, origin: Nanos) -> Option<(String, ObservedRun)> {
        let name = self.observer.name().to_owned();
        Some((name, self.into_run(origin)?))
    }

    /// What was counted, with times relative to `origin`; None where the agent fell silent: counters without an end say
    /// nothing of the window.
    pub(crate) fn into_run(self, origin: Nanos) -> Option<ObservedRun> {
        let State { run, is_silent } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut run = run.filter(|_| !is_silent)?;
        run.readings.iter_mut().for_each(|reading| reading.at_ns = reading.at_ns - origin);
        Some(run)
    }
}
