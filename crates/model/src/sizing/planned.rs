//! What a planned platform gives at best, and what a load requires of it.

use record::Bytes;

use super::{Ceiling, CeilingSource, Demand, LoadHistory};
use crate::platform_plan::{Measure, Part, PlatformPlan, Required, bounds};

/// What the peaks of `history` require, so many times as much of it, of a platform on paper. Processors are not required: what a
/// core of it does is not known.
pub fn required_of(history: &LoadHistory, factor: f64) -> Required {
    let peak = |demand: Demand| history.level(demand).map(|level| level.peak() * factor);
    let requests = peak(Demand::RandomRequests);
    let bytes = [peak(Demand::ReadBytes), peak(Demand::WrittenBytes)].into_iter().flatten().sum::<f64>();
    Required {
        iops: requests,
        write_share: history.write_share.unwrap_or(0.0),
        io_bytes: requests.filter(|requests| *requests > 0.0 && bytes > 0.0).map(|requests| bytes / requests),
        commits: peak(Demand::Commits),
        capacity: peak(Demand::Capacity).map(|bytes| Bytes(bytes as u64)),
        ..Required::default()
    }
}

/// The demand that a bound of a part stands for.
fn demand(part: &Part, measure: Measure) -> Option<Demand> {
    Some(match (part, measure) {
        (Part::Drives(_), Measure::Iops) => Demand::RandomRequests,
        (Part::Drives(_) | Part::Link(_) | Part::Fabric, Measure::Read) => Demand::ReadBytes,
        (Part::Drives(_) | Part::Link(_) | Part::Fabric, Measure::Written) => Demand::WrittenBytes,
        (Part::Drives(_), Measure::Capacity) => Demand::Capacity,
        (Part::Network, Measure::Carried) => Demand::NetworkSent,
        (Part::Commit, Measure::Commits) => Demand::Commits,
        _ => return None,
    })
}

/// What the parts of `plan` give at best of each demand: of several parts that are passed one after the other the narrowest.
/// `plan` has what is required, because the mix of reads and writes decides what drives give.
pub fn planned_ceilings(plan: &PlatformPlan) -> Vec<Ceiling> {
    let mut found: Vec<Ceiling> = Vec::new();
    for bound in bounds(plan) {
        let Some(demand) = demand(&bound.part, bound.measure) else { continue };
        let source = CeilingSource::Part { part: bound.part, measure: bound.measure, basis: bound.origin.basis };
        let ceiling = Ceiling { demand, available: bound.available, source };
        match found.iter_mut().find(|known| known.demand == demand) {
            Some(known) if known.available <= ceiling.available => {}
            Some(known) => *known = ceiling,
            None => found.push(ceiling),
        }
    }
    let size = plan.memory.as_ref().and_then(|memory| Some((memory.size?, memory.origin.basis)));
    found.extend(size.map(|(size, basis)| Ceiling {
        demand: Demand::Memory,
        available: size.0 as f64,
        source: CeilingSource::Part { part: Part::Memory, measure: Measure::Capacity, basis },
    }));
    found.sort_by_key(|ceiling| ceiling.demand);
    found
}
