//! Phases of a plan, one after the other.

use super::stage::{Place, Stage, StageCost};
use super::{Cores, Plan};
use crate::statistics::Interval;

/// One phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseKind {
    /// All stages up to the commit, concurrently.
    Load,
    /// Build of indexes.
    Index,
    /// Verification of the loaded data.
    Verify,
}

/// The time of a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseTime {
    /// The phase.
    pub kind: PhaseKind,
    /// Seconds: of a later phase, on the available processors or, where unknown or too few, on the required ones; of
    /// the load, the rest.
    pub seconds: f64,
}

/// Core-seconds per byte of the stages of `plan` that `counts`.
pub(super) fn core_seconds(plan: &Plan, counts: impl Fn(Stage) -> bool) -> Interval {
    let zero = Interval::around(0.0, 0.0);
    let rates = plan.stages.iter().filter_map(|cost| match cost {
        StageCost::Rate(rate) if counts(rate.stage) => Some(rate.core_seconds()),
        _ => None,
    });
    rates.fold(zero, |sum, cost| Interval {
        estimate: sum.estimate + cost.estimate,
        low: sum.low + cost.low,
        high: sum.high + cost.high,
    })
}

/// One value of an interval: its estimate, or an end.
pub(super) type Value = fn(Interval) -> f64;

/// The phases of `plan` with costs of this `value`, in order, starting with the load.
pub(super) fn phases(plan: &Plan, value: Value) -> Vec<PhaseTime> {
    let volume = plan.volume.0 as f64;
    let cores = server_cores(plan, value);
    let phase = |(kind, stage): (PhaseKind, Stage)| {
        let work = volume * value(core_seconds(plan, |other| other == stage));
        (work > 0.0).then(|| PhaseTime { kind, seconds: work / (cores * plan.utilisation.0) })
    };
    let after: Vec<PhaseTime> =
        [(PhaseKind::Index, Stage::Index), (PhaseKind::Verify, Stage::Verify)].into_iter().filter_map(phase).collect();
    let left = plan.window_seconds - after.iter().map(|phase| phase.seconds).sum::<f64>();
    [PhaseTime { kind: PhaseKind::Load, seconds: left }].into_iter().chain(after).collect()
}

/// Bytes of flat file per second during the load phase, with the range that the costs of the later phases give it; absent where
/// no time is left for the load.
pub(super) fn loading(plan: &Plan) -> Option<Interval> {
    let rate = |value: Value| {
        let left = phases(plan, value).iter().find(|phase| phase.kind == PhaseKind::Load)?.seconds;
        // Ignores rounding errors.
        (left > plan.window_seconds * 1e-9).then(|| plan.volume.0 as f64 / left)
    };
    let estimate = rate(|cost| cost.estimate)?;
    // Of how many processors the later phases have is not known, they may take any time.
    let low = match later_cores(plan) {
        Some(_) => rate(|cost| cost.low).unwrap_or(estimate),
        None => plan.rate().0,
    };
    let high = rate(|cost| cost.high).unwrap_or(f64::INFINITY);
    Some(Interval { estimate, low: low.min(estimate), high: high.max(estimate) })
}

/// The available processors of the later phases, where they are known.
fn later_cores(plan: &Plan) -> Option<u32> {
    match plan.cores {
        Cores::Shared(cores) => cores,
        Cores::Apart { server, .. } => server,
    }
}

/// Processors of the later phases: the available ones, or the required ones where unknown or too few.
fn server_cores(plan: &Plan, value: Value) -> f64 {
    let is_shared = matches!(plan.cores, Cores::Shared(_));
    let work = value(core_seconds(plan, |stage| is_shared || stage.place() == Place::Server));
    let needed = plan.rate().0 * work / plan.utilisation.0;
    later_cores(plan).map_or(needed, |there| needed.max(f64::from(there)))
}
