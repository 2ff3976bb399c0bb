//! What all runs of an invocation have in common.

use std::sync::PoisonError;

use engine::{Engine, Kind};
use record::{Ceiling, EngineInventory, HostInventory, Instrument, Layer, Nanos, Plan, Preset, Rung, Trace, Unit};
use workload::{Sizes, Stage};

use crate::nodes::Nodes;
use crate::sampler::Sources;
use crate::{Event, Interrupt, Listener, Result};

/// The engine under measurement.
pub(crate) struct Subject<'a> {
    pub engine: &'a dyn Engine,
    pub nodes: &'a Nodes,
    pub inventory: EngineInventory,
    /// The trace of plain runs where traced repeats were asked for and cannot be made: it says why.
    pub untraced: Option<Box<Trace>>,
    /// The rung on which traced repeats are to be traced, if one was asked for.
    pub rung: Option<Rung>,
    /// Whether its data lie on the device that probes of storage measure.
    pub on_probed_device: bool,
}

/// What all runs of an invocation have in common.
#[derive(Clone)]
pub(crate) struct Bench<'a> {
    pub plan: &'a Plan,
    pub sizes: &'a Sizes,
    pub subject: Option<&'a Subject<'a>>,
    pub sources: &'a Sources<'a>,
    pub instrument: &'a Instrument,
    pub host: &'a HostInventory,
    pub processors: Vec<u32>,
    /// Whether somebody looks at what sessions are doing while runs go on.
    pub looks: bool,
    /// The beginning of the invocation on the monotonic clock: readings count from it.
    pub origin: Nanos,
    pub interrupt: &'a Interrupt,
    pub listener: &'a dyn Listener,
}

impl<'a> Bench<'a> {
    /// The stage on which tests are set up; none where only probes are run.
    pub(crate) fn stage(&self) -> Option<Stage<'_>> {
        let stage = |subject: &Subject<'a>| Stage {
            engine: subject.engine,
            node: subject.nodes.first(),
            others: &[],
            sizes: self.sizes,
        };
        self.subject.map(stage)
    }

    /// Brings every node into the same state as before every other run. Of several nodes, one that does not answer is
    /// done without from now on.
    pub(crate) fn settle(&self) -> Result<()> {
        let Some(subject) = self.subject.filter(|_| !self.sources.nodes.is_empty()) else { return Ok(()) };
        for place in self.places() {
            let node = &self.sources.nodes[place];
            // Found anew each time: the one before may just have been lost.
            match node.settle(&self.sources.nodes[subject.nodes.first_place()]) {
                Err(error) if matches!(error.kind, Kind::Lost | Kind::Unreachable) && subject.nodes.counts().0 > 1 => {
                    subject.nodes.lose(place);
                    self.listener.on_event(&Event::Note(&format!("{} is gone: {error}", node.called())));
                }
                result => result?,
            }
        }
        Ok(())
    }

    /// Has the kernel write what earlier runs, loads and other programs left in the page cache, so that it does not do so
    /// while a run is measured; not where nothing is claimed.
    pub(crate) fn write_back(&self) {
        if self.plan.preset != Preset::Smoke {
            self.sources.host.lock().unwrap_or_else(PoisonError::into_inner).write_back();
        }
    }

    /// The places of the nodes that answer.
    pub(crate) fn places(&self) -> Vec<usize> {
        self.subject
            .filter(|_| !self.sources.nodes.is_empty())
            .map_or(Vec::new(), |subject| subject.nodes.left().collect())
    }

    /// Whether the probe of `ceiling` bounds what the engine does: that of storage does not where the engine's data lie
    /// elsewhere, and commits that wait for nothing have no bound.
    pub(crate) fn is_bounded_by(&self, ceiling: &Ceiling) -> bool {
        let of_storage = probe::probe(&ceiling.probe).is_some_and(|probe| probe.layer == Layer::Storage);
        let Some(subject) = self.subject.filter(|_| of_storage) else { return true };
        let waits = ceiling.unit != Unit::Transaction || subject.inventory.durable != Some(false);
        subject.on_probed_device && waits
    }

    /// Tells the listener that a text of interest came up.
    pub(crate) fn note(&self, text: &str) {
        self.listener.on_event(&Event::Note(text));
    }
}
