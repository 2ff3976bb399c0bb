//! The control probe: the machine is measured before the first pair and after the last one, to see whether it changed.
//!
//! Drift is the same for both runs of a pair, but not for all pairs: a machine that was throttled, or shared, half of
//! the time is another machine. The probe is short whatever the windows of the tests are, uses all processors that jobs
//! may use, and is one run that is in both records.

use std::path::Path;

use record::{Dop, Plan, PlannedRun, Run, RunKind};

use crate::bench::Bench;
use crate::item::Item;
use crate::kind::catalogue::measure_one;
use crate::kind::io::ProbeFiles;
use crate::sampler::Sources;
use crate::{Error, Event, Result};

/// Integer arithmetic: the most repeatable of all probes.
const PROBE: &str = "C11";

/// Adds the probe to `plan`, as its first run and as its last, on `processors`.
pub(super) fn add_runs(plan: &mut Plan, processors: u32) {
    let probe = PlannedRun::new(PROBE, RunKind::Probe, Dop::jobs(processors.max(1)));
    let run = |repeat| PlannedRun { repeat, ..probe.clone() };
    plan.runs.insert(0, run(1));
    plan.runs.push(run(2));
}

/// Whether `planned` is the probe.
pub(super) fn is_control_probe(planned: &PlannedRun) -> bool {
    planned.test == PROBE
}

/// The control probe of a comparison.
pub(super) struct ControlProbe {
    plan: Plan,
    sources: Sources<'static>,
}

impl ControlProbe {
    /// For the pairs of `plan`; host counters are those of the device below `directory`.
    pub(super) fn new(plan: &Plan, directory: &Path) -> ControlProbe {
        let (window_ns, warm_up_ns) = (
            plan.window_ns.min(model::ControlProbe::WINDOW_NS_MAX),
            plan.warm_up_ns.min(model::ControlProbe::WARM_UP_NS_MAX),
        );
        let plan = Plan { window_ns, warm_up_ns, ..plan.clone() };
        ControlProbe { plan, sources: Sources::of_host(directory) }
    }

    /// Carries out `planned`, a run of the probe; `bench` is that of either side.
    pub(super) fn measure(&self, bench: &Bench<'_>, planned: &PlannedRun) -> Result<Run> {
        let probe = probe::probe(PROBE).ok_or_else(|| Error::environment(format!("there is no probe {PROBE}")))?;
        let alone = Bench { plan: &self.plan, subject: None, sources: &self.sources, ..bench.clone() };
        let run = measure_one(&alone, planned, Item::Probe(probe), &mut ProbeFiles::default())?;
        bench.listener.on_event(&Event::RunFinished(&run));
        Ok(run)
    }
}
