//! What the device gives without an engine: a probe before the first run of an invocation, against which its runs are held.

use probe::Probe;
use record::{Ceiling, Dop, Nanos, Plan, PlannedRun, RunKind, Unit};

use crate::item::Item;
use crate::kind::io::{Offer, add_jobs};

/// Where runs are shorter than this, a probe of them would take longer than they do.
const WINDOW_MIN: Nanos = Nanos(2_000_000_000);

/// A probe need not be as long as a run.
const WINDOW_MAX: Nanos = Nanos(5_000_000_000);

/// A probe of storage, and in what runs are held against it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceProbe {
    /// Its code.
    pub code: &'static str,
    /// What both count.
    pub unit: Unit,
}

impl DeviceProbe {
    /// Random reads past the page cache, one at a time in each job: what a session does that visits scattered blocks.
    pub(crate) const RANDOM: DeviceProbe = DeviceProbe { code: "P321", unit: Unit::Block };

    /// Sequential reads past the page cache: what a scan does.
    pub(crate) const SEQUENTIAL: DeviceProbe = DeviceProbe { code: "P311", unit: Unit::Byte };

    /// The probe itself.
    pub(crate) fn probe(self) -> Option<&'static Probe> {
        probe::probe(self.code)
    }

    /// The same as the ceiling of a run.
    pub(crate) fn ceiling(self) -> Ceiling {
        Ceiling { probe: self.code.to_owned(), unit: self.unit }
    }

    /// Puts the probe with so many `jobs` before the runs of `plan`, which last for `window`; where the device has none to
    /// offer, the plan says so.
    pub(crate) fn add_to(self, plan: &mut Plan, offer: &Offer, jobs: u32, window: Nanos) {
        let Some(probe) = self.probe().filter(|_| window >= WINDOW_MIN) else { return };
        let planned = PlannedRun::new(self.code, RunKind::Probe, Dop::jobs(jobs));
        let window_ns = window.min(WINDOW_MAX);
        let mut first = Plan { runs: vec![planned], window_ns, warm_up_ns: Nanos(0), steps: None, ..plan.clone() };
        add_jobs(&mut first, &[Item::Probe(probe)], offer);
        (plan.io, plan.skipped) = (first.io, first.skipped);
        plan.runs.splice(0..0, first.runs);
        plan.number();
    }
}
