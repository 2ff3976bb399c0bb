//! The test bench: what all runs of an invocation share.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::time::Instant;

use engine::{Engine, Kind, Processes, Target};
use record::{
    Ceiling, EngineInventory, HostInventory, Instrument, Layer, LoadBeside, Location, Nanos, ObservedHost, Plan,
    Preset, Settling, Trace, TracerKind, Unit, name,
};
use workload::{Sizes, Test, TestContext};

use crate::hands::Hands;
use crate::network::Peer;
use crate::nodes::Nodes;
use crate::sampler::Sources;
use crate::{Error, Event, Interrupt, Listener, LogRequest, Result};

/// The engine under measurement.
pub(crate) struct Subject<'a> {
    pub engine: &'a dyn Engine,
    pub nodes: &'a Nodes,
    pub inventory: EngineInventory,
    /// The trace of plain runs where traced repeats were requested and are impossible: it holds the reason.
    pub untraced: Option<Box<Trace>>,
    /// The tracer to use for traced repeats, if one was requested.
    pub tracer: Option<TracerKind>,
    /// Whether its data are on the device that the storage probes measure.
    pub on_probed_device: bool,
}

/// A test that is a load beside others.
#[derive(Clone)]
pub(crate) struct LoadBesideTest<'a> {
    pub test: &'a Test,
    /// As the plan has it.
    pub load: LoadBeside,
}

/// The test bench: what all runs of an invocation share.
#[derive(Clone)]
pub(crate) struct Bench<'a> {
    pub plan: &'a Plan,
    pub sizes: &'a Sizes,
    pub subject: Option<&'a Subject<'a>>,
    pub sources: &'a Sources<'a>,
    pub instrument: &'a Instrument,
    pub host: &'a HostInventory,
    /// The record of its runs: [`record::Record::key`]; empty where there is none.
    pub record: &'a str,
    /// The hosts of the server, where agents observe them: one for each node.
    pub server_hosts: &'a [ObservedHost],
    /// The hosts of storage that agents observe.
    pub storage_hosts: &'a [ObservedHost],
    pub processors: Vec<u32>,
    /// Whether sessions are sampled during runs.
    pub samples_sessions: bool,
    /// Where executions of scripts have a line each.
    pub script_log: Option<&'a LogRequest>,
    /// The loads beside each run of a test.
    pub loads_beside: &'a [LoadBesideTest<'a>],
    /// The peer of the network probes.
    pub peer: Option<&'a Peer>,
    /// Who carries out the jobs.
    pub hands: Hands<'a>,
    /// The target, as it was given.
    pub target: &'a Target,
    /// Start of the invocation on the monotonic clock; times of readings are relative to it.
    pub origin: Nanos,
    pub interrupt: &'a Interrupt,
    pub listener: &'a dyn Listener,
}

impl<'a> Bench<'a> {
    /// What tests are set up with; absent where only probes are run.
    pub(crate) fn test_context(&self) -> Option<TestContext<'_>> {
        let context = |subject: &Subject<'a>| TestContext {
            engine: subject.engine,
            node: subject.nodes.first(),
            others: &[],
            sizes: self.sizes,
        };
        self.subject.map(context)
    }

    /// The engine under measurement, and what its tests are set up with.
    pub(crate) fn engine(&self) -> Result<(TestContext<'_>, &'a Subject<'a>)> {
        self.test_context().zip(self.subject).ok_or_else(|| Error::user("the run needs an engine"))
    }

    /// What tests are set up with on each database.
    pub(crate) fn databases(&self) -> Vec<TestContext<'_>> {
        let of = |subject: &Subject<'a>| {
            let context = |node_index| TestContext {
                engine: subject.engine,
                node: subject.nodes.at(node_index),
                others: &[],
                sizes: self.sizes,
            };
            subject.nodes.databases().into_iter().map(context).collect()
        };
        self.subject.map_or(Vec::new(), of)
    }

    /// Threads that `jobs` jobs with sessions of the engine share; None for one each. Where nothing was requested, those of a server
    /// on another host share one thread for each processor. A server on this host needs the same processors: answers lie
    /// unseen while it does, for most of the latency.
    pub(crate) fn client_threads(&self, jobs: u32) -> Option<u32> {
        let subject = self.subject.filter(|subject| subject.engine.about().shares_threads)?;
        let is_elsewhere = subject.inventory.location == Location::Remote;
        let by_default = is_elsewhere.then_some(self.processors.len() as u32);
        self.plan.client_threads.or(by_default).filter(|threads| *threads < jobs)
    }

    /// Indexes of the `count` nodes of a run; of an agent all that it was given.
    pub(crate) fn choose_nodes(&self, subject: &Subject<'_>, changes: bool, count: u32) -> Result<Vec<usize>> {
        match self.hands.release() {
            Some(_) => Ok((0..subject.nodes.counts().0 as usize).collect()),
            None => subject.nodes.choose(changes, count),
        }
    }

    /// Brings every node into the same state as before every other run, and says how long that took; None without nodes. With
    /// several nodes, one that does not answer is excluded from here on.
    pub(crate) fn settle(&self) -> Result<Option<Settling>> {
        let Some(subject) = self.subject.filter(|_| !self.sources.nodes.is_empty()) else { return Ok(None) };
        let (start, mut steps) = (Instant::now(), BTreeSet::new());
        for node_index in self.node_indexes() {
            let node = &self.sources.nodes[node_index];
            // Looked up each time: the previous one may just have been lost.
            match node.settle(&self.sources.nodes[subject.nodes.first_index()]) {
                Err(error) if matches!(error.kind, Kind::Lost | Kind::Unreachable) && subject.nodes.counts().0 > 1 => {
                    subject.nodes.lose(node_index);
                    self.listener.on_event(&Event::Note(&format!("{} is lost: {error}", node.label())));
                }
                result => steps.extend(result?),
            }
        }
        let steps = steps.into_iter().collect();
        Ok(Some(Settling { settle_ns: Nanos::from(start.elapsed()), steps, cache_fill: None }))
    }

    /// Flushes what earlier runs, loads and other programs left in the page cache, so that it is not written during a
    /// run; skipped in smoke runs.
    pub(crate) fn write_back(&self) {
        if self.plan.preset != Preset::Smoke {
            self.sources.host.lock().unwrap_or_else(PoisonError::into_inner).write_back();
        }
    }

    /// CPU time of the processes of the engine on this host so far, where it is known.
    pub(crate) fn server_cpu(&self) -> Option<Nanos> {
        self.cpu(&self.subject?.nodes.processes(), name::SERVER_CPU_NS)
    }

    /// CPU time of the engine on this host so far, with that of its jobs where it is in this process; absent where it is not known.
    pub(crate) fn engine_cpu(&self) -> Option<Nanos> {
        let processes = self.subject?.nodes.processes();
        let counter = if processes == Processes::InProcess { name::CLIENT_CPU_NS } else { name::SERVER_CPU_NS };
        self.cpu(&processes, counter)
    }

    fn cpu(&self, processes: &Processes, counter: &str) -> Option<Nanos> {
        let roots = match processes {
            Processes::Local(roots) => roots.as_slice(),
            _ => &[],
        };
        let mut host = self.sources.host.lock().unwrap_or_else(PoisonError::into_inner);
        host.read(roots).get(counter).copied().map(Nanos)
    }

    /// Indexes of the nodes that answer.
    pub(crate) fn node_indexes(&self) -> Vec<usize> {
        self.subject
            .filter(|_| !self.sources.nodes.is_empty())
            .map_or(Vec::new(), |subject| subject.nodes.left().collect())
    }

    /// Whether the probe of `ceiling` bounds what the engine does: a storage probe does not where the data of the
    /// engine are on another device, and commits that do not wait for storage have no bound.
    pub(crate) fn is_bounded_by(&self, ceiling: &Ceiling) -> bool {
        let of_storage = probe::probe(&ceiling.probe).is_some_and(|probe| probe.layer == Layer::Storage);
        let Some(subject) = self.subject.filter(|_| of_storage) else { return true };
        let waits = ceiling.unit != Unit::Transaction || subject.inventory.durable != Some(false);
        subject.on_probed_device && waits
    }

    /// Reports a note.
    pub(crate) fn note(&self, text: &str) {
        self.listener.on_event(&Event::Note(text));
    }
}
