//! What to buy next: how much more of the part that is full first until another one is.

use super::{Bound, Measure, Part, PlatformPlan};
use crate::platform::Redundancy;

/// More of one part.
#[derive(Clone, Debug, PartialEq)]
pub struct Purchase {
    /// The part.
    pub part: Part,
    /// What of it is short.
    pub measure: Measure,
    /// Its share now.
    pub share: f64,
    /// How many times as much of it there would be.
    pub factor: f64,
    /// Units now and then (sockets, channels per socket, drives, ports); absent of what is not counted in units.
    pub units: Option<(u32, u32)>,
    /// What the units more cost, in the currency of the plan.
    pub price: Option<f64>,
    /// What is full first then, and its share then; absent where nothing else is known to be limited.
    pub then: Option<(Part, Measure, f64)>,
}

/// Purchases, the most urgent first: of every part that is short enough of it for all that is required; and where none
/// is, of the fullest one until it is no fuller than the next. Only more of the fullest part moves the bottleneck.
pub fn purchases(plan: &PlatformPlan, bounds: &[Bound]) -> Vec<Purchase> {
    let fullest = fullest_of_parts(bounds);
    let is_short = |bound: &&Bound| bound.required.is_some() && bound.share.is_some_and(|share| share > 1.0);
    let short: Vec<&Bound> = fullest.iter().copied().filter(is_short).collect();
    match (&short[..], &fullest[..]) {
        ([], [first, next, ..]) => {
            let goal = next.share.unwrap_or(0.0);
            purchase(plan, bounds, first, goal).into_iter().collect()
        }
        (short, _) => short.iter().filter_map(|bound| purchase(plan, bounds, bound, 1.0)).collect(),
    }
}

/// The fullest bound of each part, the fullest part first.
fn fullest_of_parts(bounds: &[Bound]) -> Vec<&Bound> {
    let mut found: Vec<&Bound> = Vec::new();
    for bound in bounds.iter().filter(|bound| bound.share.is_some_and(|share| share > 0.0)) {
        if found.iter().all(|known| known.part != bound.part) {
            found.push(bound);
        }
    }
    found
}

/// More of the part of `bound` until its share is no more than `goal`; none where that is so already.
fn purchase(plan: &PlatformPlan, bounds: &[Bound], bound: &Bound, goal: f64) -> Option<Purchase> {
    let share = bound.share?;
    let needed = share / goal;
    if !(needed > 1.0 && needed.is_finite()) {
        return None;
    }
    let units = units(plan, &bound.part).map(|(now, step, price)| {
        let then = (f64::from(now) * needed / f64::from(step) - 1e-9).ceil() * f64::from(step);
        (now, then.min(f64::from(u32::MAX)) as u32, price)
    });
    let factor = units.map_or(needed, |(now, then, _)| f64::from(then) / f64::from(now));
    let after = bounds.iter().filter_map(|other| {
        let share = other.share?;
        let share = if other.part == bound.part { share / factor } else { share };
        Some((other.part.clone(), other.measure, share))
    });
    Some(Purchase {
        part: bound.part.clone(),
        measure: bound.measure,
        share,
        factor,
        units: units.map(|(now, then, _)| (now, then)),
        price: units.and_then(|(now, then, price)| Some(price? * f64::from(then - now))),
        then: after.max_by(|one, other| one.2.total_cmp(&other.2)),
    })
}

/// Units of a part: how many, in which steps they are bought, and the price of one.
fn units(plan: &PlatformPlan, part: &Part) -> Option<(u32, u32, Option<f64>)> {
    match part {
        Part::Processors => plan.processor.as_ref().map(|one| (one.sockets, 1, one.price)),
        Part::Memory => plan.memory.as_ref().filter(|one| one.rate.is_none()).map(|one| (one.channels, 1, None)),
        Part::Drives(_) => plan.data_drives().map(|drive| (drive.count, step(plan), drive.price)),
        Part::Fabric => plan.fabric.as_ref().map(|one| (one.ports, 1, one.price)),
        Part::Network => plan.network.as_ref().map(|one| (one.ports, 1, one.price)),
        // A link has the lanes that it can have.
        Part::Link(_) | Part::Commit => None,
    }
}

/// How many drives a volume grows by.
fn step(plan: &PlatformPlan) -> u32 {
    plan.volume.as_ref().map_or(1, |volume| match volume.redundancy {
        Redundancy::Mirror => 2,
        Redundancy::Replicas { count } => count.max(1),
        _ => 1,
    })
}
