//! What to buy next: how much more of the part that is full first until another one is.

use super::alternative::alternatives;
use super::{Alternative, Bound, Measure, Part, PlatformPlan, bounds, prices};
use crate::platform::Redundancy;

/// More of one part.
#[derive(Clone, Debug, PartialEq)]
pub struct Purchase {
    /// The part.
    pub part: Part,
    /// What of it is short.
    pub measure: Measure,
    /// What there is of it now.
    pub available: f64,
    /// Its share now.
    pub share: f64,
    /// Its share then.
    pub share_then: f64,
    /// Units now and then (sockets, channels per socket, drives, ports); absent of what is not counted in units.
    pub units: Option<(u32, u32)>,
    /// What the units more cost, licences included, in the currency of the plan.
    pub price: Option<f64>,
    /// What may be bought in its place.
    pub alternatives: Vec<Alternative>,
    /// What is full first then, and its share; absent where that is the same part.
    pub then: Option<(Part, Measure, f64)>,
}

/// Purchases, the most urgent first. Where something is required: of every part that is short as much as all that is
/// required takes, each on top of those before it; and where none is short, of the fullest one until it is no fuller than
/// the next. Where nothing is required: for each measure of the part that is full first, until it is no fuller than the
/// next. More of any other part alone moves no bottleneck.
pub fn purchases(plan: &PlatformPlan, bounds: &[Bound]) -> Vec<Purchase> {
    if bounds.iter().all(|bound| bound.required.is_none()) {
        return [
            Measure::Cores,
            Measure::Transactions,
            Measure::Iops,
            Measure::Read,
            Measure::Written,
            Measure::Carried,
        ]
        .into_iter()
        .filter_map(|measure| until_next(plan, &of_measure(bounds, measure)))
        .collect();
    }
    let fullest = fullest_of_parts(bounds);
    let is_short = |bound: &&&Bound| bound.share.is_some_and(|share| share > 1.0);
    let short: Vec<&&Bound> = fullest.iter().filter(is_short).collect();
    match short.is_empty() {
        true => until_next(plan, &fullest).into_iter().collect(),
        false => one_after_the_other(plan, bounds, &short),
    }
}

/// Of each of `short` as much as is required, each on top of those before it.
fn one_after_the_other(plan: &PlatformPlan, bounds: &[Bound], short: &[&&Bound]) -> Vec<Purchase> {
    let (mut plan, mut bounds) = (plan.clone(), bounds.to_vec());
    let mut found = Vec::new();
    for bound in short {
        let Some(bought) = purchase(&plan, &bounds, bound, 1.0) else { continue };
        if let Some((_, then)) = bought.units {
            plan = with_units(&plan, &bought.part, then);
        }
        let factor = bought.share / bought.share_then;
        for same in bounds.iter_mut().filter(|other| other.part == bought.part) {
            same.share = same.share.map(|share| share / factor);
        }
        found.push(bought);
    }
    found
}

/// The bounds of one measure.
fn of_measure(bounds: &[Bound], measure: Measure) -> Vec<&Bound> {
    bounds.iter().filter(|bound| bound.measure == measure && bound.share.is_some()).collect()
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

/// More of the first of `fullest` until it is no fuller than the second.
fn until_next(plan: &PlatformPlan, fullest: &[&Bound]) -> Option<Purchase> {
    let [first, next, ..] = fullest else { return None };
    let within: Vec<Bound> = fullest.iter().map(|bound| (*bound).clone()).collect();
    purchase(plan, &within, first, next.share?)
}

/// More of the part of `bound` until its share is no more than `goal`; none where that is so already.
fn purchase(plan: &PlatformPlan, within: &[Bound], bound: &Bound, goal: f64) -> Option<Purchase> {
    let share = bound.share?;
    let needed = share / goal;
    if !(needed > 1.0 && needed.is_finite()) {
        return None;
    }
    let (after, units) = match units(plan, &bound.part) {
        Some((now, step)) => {
            let then = units_needed(plan, bound, (now, step), goal);
            (Some(with_units(plan, &bound.part, then)), Some((now, then)))
        }
        None => (None, None),
    };
    // No part is more or less because there is more of another one.
    let factor_of = |other: &Bound| match &after {
        _ if other.part != bound.part => 1.0,
        Some(after) => available(after, other).map_or(1.0, |available| available / other.available),
        None => needed,
    };
    let shares = within.iter().filter_map(|other| Some((other, other.share? / factor_of(other))));
    let then = shares.max_by(|one, other| one.1.total_cmp(&other.1));
    let total = |plan: &PlatformPlan| prices(plan).map(|book| book.total().amount);
    let price = after.as_ref().and_then(|after| Some(total(after)? - total(plan)?)).filter(|price| *price > 0.0);
    Some(Purchase {
        part: bound.part.clone(),
        measure: bound.measure,
        available: bound.available,
        share,
        share_then: share / factor_of(bound),
        units,
        price,
        alternatives: alternatives(plan, bound, needed),
        then: then
            .filter(|(other, _)| other.part != bound.part)
            .map(|(other, share)| (other.part.clone(), other.measure, share)),
    })
}

/// What the part of `bound` gives in `plan`.
fn available(plan: &PlatformPlan, bound: &Bound) -> Option<f64> {
    let found = bounds(plan).into_iter().find(|other| other.part == bound.part && other.measure == bound.measure);
    found.map(|found| found.available)
}

/// The fewest units with which the share of `bound` is no more than `goal`: parity drives do not grow with the others, so
/// that twice as much takes fewer than twice as many.
fn units_needed(plan: &PlatformPlan, bound: &Bound, (now, step): (u32, u32), goal: f64) -> u32 {
    let share = bound.share.unwrap_or_default();
    let is_enough = |units: u32| {
        let more = available(&with_units(plan, &bound.part, units), bound).map(|available| available / bound.available);
        more.is_some_and(|more| share / more <= goal * (1.0 + 1e-9))
    };
    let most = (f64::from(now) * share / goal / f64::from(step)).ceil() + 1.0;
    let most = most.min(f64::from((u32::MAX - now) / step)) as u32;
    let (mut low, mut high) = (0u32, most);
    while low < high {
        let middle = low + (high - low) / 2;
        match is_enough(now + middle * step) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    now + low * step
}

/// Units of a part: how many, and in which steps they are bought.
fn units(plan: &PlatformPlan, part: &Part) -> Option<(u32, u32)> {
    match part {
        Part::Processors => plan.processor.as_ref().map(|one| (one.sockets, 1)),
        Part::Memory => plan.memory.as_ref().filter(|one| one.rate.is_none()).map(|one| (one.channels, 1)),
        Part::Drives(_) => plan.data_drives().map(|drive| (drive.count, step(plan))),
        Part::Fabric => plan.fabric.as_ref().map(|one| (one.ports, 1)),
        Part::Network => plan.network.as_ref().map(|one| (one.ports, 1)),
        // A link has the lanes that it can have.
        Part::Link(_) | Part::Commit => None,
    }
}

/// How many drives a volume grows by.
fn step(plan: &PlatformPlan) -> u32 {
    plan.volume.as_ref().map_or(1, |volume| match volume.redundancy {
        Redundancy::Mirror => 2,
        Redundancy::Replicas { count } => count.max(1),
        Redundancy::ErasureCode { parities } => volume.data_fragments.saturating_add(parities).max(1),
        _ => 1,
    })
}

/// The plan with so many units of `part`.
fn with_units(plan: &PlatformPlan, part: &Part, count: u32) -> PlatformPlan {
    let mut plan = plan.clone();
    match part {
        Part::Processors => plan.processor.iter_mut().for_each(|one| one.sockets = count),
        Part::Memory => plan.memory.iter_mut().for_each(|one| one.channels = count),
        Part::Drives(name) => {
            plan.drives.iter_mut().filter(|drive| drive.name == *name).for_each(|drive| drive.count = count);
        }
        Part::Fabric => plan.fabric.iter_mut().for_each(|one| one.ports = count),
        Part::Network => plan.network.iter_mut().for_each(|one| one.ports = count),
        Part::Link(_) | Part::Commit => {}
    }
    plan
}
