//! The items of the catalogue.

use measure::RunSeed;
use probe::{Context, Probe};
use record::{Bytes, Layer, Plan, PlannedRun, RunKind, Sweep};
use workload::Test;

use crate::{Error, Result};

/// A probe, or a test that needs an engine.
#[derive(Clone, Copy)]
pub(crate) enum Item<'a> {
    /// Needs no engine.
    Probe(&'a Probe),
    /// Needs an engine.
    Test(&'a Test),
}

impl Item<'_> {
    pub(crate) fn code(&self) -> &str {
        match self {
            Item::Probe(probe) => probe.code,
            Item::Test(test) => &test.code,
        }
    }

    pub(crate) fn title(&self) -> &str {
        match self {
            Item::Probe(probe) => probe.title,
            Item::Test(test) => &test.summary,
        }
    }

    pub(crate) fn sweep(&self) -> Sweep {
        match self {
            Item::Probe(_) => Sweep::Jobs,
            Item::Test(test) => test.sweep,
        }
    }

    pub(crate) fn layer(&self) -> Layer {
        match self {
            Item::Probe(probe) => probe.layer,
            Item::Test(test) => test.layer,
        }
    }

    /// Whether a kernel trace shows anything of it.
    pub(crate) fn is_traceable(&self) -> bool {
        matches!(self, Item::Test(test) if is_traceable(test))
    }

    /// Whether its statements can be sent in a pipeline.
    pub(crate) fn pipelines(&self) -> bool {
        matches!(self, Item::Test(test) if test.pipelines())
    }

    pub(crate) fn matches(&self, word: &str) -> bool {
        let group = match self {
            Item::Probe(_) => "probes",
            Item::Test(_) => "tests",
        };
        self.is_named(word) || ["all", group].iter().any(|known| known.eq_ignore_ascii_case(word))
    }

    /// Whether `word` is its code or its layer.
    pub(crate) fn is_named(&self, word: &str) -> bool {
        [self.code(), self.layer().word()].iter().any(|known| known.eq_ignore_ascii_case(word))
    }

    /// The kind of its runs.
    pub(crate) fn kind(&self) -> RunKind {
        match self {
            Item::Probe(_) => RunKind::Probe,
            Item::Test(_) => RunKind::Test,
        }
    }
}

/// The context of a probe; `available` is the available memory.
pub(crate) fn probe_context(plan: &Plan, available: Option<Bytes>, planned: &PlannedRun) -> Context {
    Context {
        jobs: planned.dop.jobs,
        seed: RunSeed { plan: plan.seed, run: planned.number },
        preset: plan.preset,
        last_level_cache_bytes: host::last_level_cache_bytes(),
        memory_available_bytes: available,
        region_bytes: Bytes(0),
        warm_up: plan.warm_up_ns,
        window: plan.window_of(&RunKind::Probe),
        peer: None,
    }
}

/// Whether a kernel trace shows anything of `test`: I/O, or commits.
pub(crate) fn is_traceable(test: &Test) -> bool {
    matches!(test.layer, Layer::Storage | Layer::Database) || test.changes()
}

/// All items.
pub(crate) fn catalogue() -> impl Iterator<Item = Item<'static>> {
    let probes = probe::probes().iter().map(Item::Probe);
    probes.chain(workload::catalogue().iter().map(Item::Test))
}

/// The item with this code.
pub(crate) fn find<'a>(items: &[Item<'a>], code: &str) -> Result<Item<'a>> {
    let item = items.iter().find(|item| item.code() == code).copied();
    item.ok_or_else(|| Error::user(format!("test {code} of the plan is unknown")))
}
