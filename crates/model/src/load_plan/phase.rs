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

/// The phases of `plan`, in order, starting with the load.
pub(super) fn phases(plan: &Plan) -> Vec<PhaseTime> {
    let volume = plan.volume.0 as f64;
    let cores = server_cores(plan);
    let phase = |(kind, stage): (PhaseKind, Stage)| {
        let work = volume * core_seconds(plan, |other| other == stage).estimate;
        (work > 0.0).then(|| PhaseTime { kind, seconds: work / (cores * plan.utilisation.0) })
    };
    let after: Vec<PhaseTime> =
        [(PhaseKind::Index, Stage::Index), (PhaseKind::Verify, Stage::Verify)].into_iter().filter_map(phase).collect();
    let left = plan.window_seconds - after.iter().map(|phase| phase.seconds).sum::<f64>();
    [PhaseTime { kind: PhaseKind::Load, seconds: left }].into_iter().chain(after).collect()
}

/// Processors of the later phases: the available ones, or the required ones where unknown or too few.
fn server_cores(plan: &Plan) -> f64 {
    let there = match plan.cores {
        Cores::Shared(cores) => cores,
        Cores::Apart { server, .. } => server,
    };
    let is_shared = matches!(plan.cores, Cores::Shared(_));
    let work = core_seconds(plan, |stage| is_shared || stage.place() == Place::Server).estimate;
    let needed = plan.rate().0 * work / plan.utilisation.0;
    there.map_or(needed, |there| needed.max(f64::from(there)))
}
