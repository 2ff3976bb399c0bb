//! What the device gives without an engine: a probe before the first run, against which random blocks are held.

use probe::Probe;
use record::{Ceiling, Dop, Nanos, Plan, PlannedRun, Unit};

use crate::io::{Offer, add_jobs};
use crate::plan::Item;

/// Random reads past the page cache, one at a time in each job: what a session does that visits scattered blocks.
const PROBE: &str = "P321";

/// Where runs are shorter than this, a probe of them would take longer than they do.
const RUN_TIME_MIN: Nanos = Nanos(2_000_000_000);

/// A probe need not be as long as a run.
const WINDOW_MAX: Nanos = Nanos(5_000_000_000);

/// The probe that random blocks are held against.
pub(super) fn probe() -> Option<&'static Probe> {
    probe::probe(PROBE)
}

/// The same as the ceiling of a run.
pub(super) fn ceiling() -> Ceiling {
    Ceiling { probe: PROBE.to_owned(), unit: Unit::Block }
}

/// Puts the probe before the runs of `plan`, with as many jobs as they have sessions; where the device has none to offer,
/// the plan says so.
pub(super) fn add_probe(plan: &mut Plan, offer: &Offer) {
    let Some(probe) = probe().filter(|_| plan.window_ns >= RUN_TIME_MIN) else { return };
    let jobs = plan.runs.first().map_or(1, |run| run.dop.jobs);
    let planned = PlannedRun { number: 0, test: PROBE.to_owned(), dop: Dop::jobs(jobs), repeat: 1, variation: None };
    let window_ns = plan.window_ns.min(WINDOW_MAX);
    let mut first = Plan { runs: vec![planned], window_ns, warm_up_ns: Nanos(0), steps: None, ..plan.clone() };
    add_jobs(&mut first, &[Item::Probe(probe)], offer);
    (plan.io, plan.skipped) = (first.io, first.skipped);
    plan.runs.splice(0..0, first.runs);
    for (run, number) in plan.runs.iter_mut().zip(1..) {
        run.number = number;
    }
}
