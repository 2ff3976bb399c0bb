//! Every part against what is required: which is full first.

use super::{Origin, Part, PlatformPlan, commit_latency_seconds, demands, storage};
use crate::claim::{ClaimBasis, FitVerdict};
use crate::platform::{STREAM_ACHIEVABLE, commits_per_second_max, memory_peak_bytes_per_second};
use crate::statistics::Interval;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Cores.
    Cores,
    /// Transactions per second.
    Transactions,
    /// I/Os per second.
    Iops,
    /// Bytes read per second.
    Read,
    /// Bytes written per second.
    Written,
    /// Bytes per second over a network.
    Carried,
    /// Commits per second.
    Commits,
    /// Bytes of data.
    Capacity,
}

/// What a part gives at best.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The part.
    pub part: Part,
    /// What is counted.
    pub measure: Measure,
    /// How much of it is required.
    pub required: Option<f64>,
    /// How much of it there is, above 0.
    pub available: f64,
    /// The least and the most of it that programs reach, in the same unit; absent where that is not known to be less.
    pub reached: Option<(f64, f64)>,
    /// Where that is from.
    pub origin: Origin,
    /// What is required over what there is. Where nothing is required of any part: the lowest bound of this measure over
    /// this one, so that 1 is what saturates first.
    pub share: Option<f64>,
}

impl Bound {
    /// What is required over what there is: over the most that there is at best, and over the least that programs reach.
    /// Absent where nothing is required of it.
    pub fn used_range(&self) -> Option<Interval> {
        let of = |available: f64| self.required.map(|required| required / available);
        let least = self.reached.map_or(self.available, |(least, _)| least);
        Some(Interval { estimate: of(self.available)?, low: of(self.available)?, high: of(least)? })
    }
}

/// What the verdict of [`fits`] rests on: what parts give at best.
pub const FITS_BASIS: ClaimBasis = ClaimBasis::Bound;

/// Whether all that is required fits the parts with figures, as far as they give what they give at best, or as little of it as
/// programs reach; absent where nothing is required.
pub fn fits(bounds: &[Bound]) -> Option<FitVerdict> {
    let known: Vec<FitVerdict> = bounds.iter().filter_map(|bound| Some(FitVerdict::of(bound.used_range()?))).collect();
    (!known.is_empty()).then(|| FitVerdict::of_all(known))
}

/// All bounds of `plan`: the fullest part first, those of which nothing is required last.
pub fn bounds(plan: &PlatformPlan) -> Vec<Bound> {
    let mut found: Vec<Bound> =
        [processors(plan), memory(plan), links(plan), drives(plan), networks(plan), commit(plan)]
            .into_iter()
            .flatten()
            .filter(|bound| bound.available > 0.0 && bound.available.is_finite())
            .collect();
    let is_required = found.iter().any(|bound| bound.required.is_some());
    let lowest = |measure: Measure| {
        let same = found.iter().filter(|bound| bound.measure == measure);
        same.map(|bound| bound.available).fold(f64::INFINITY, f64::min)
    };
    let shares: Vec<Option<f64>> = found
        .iter()
        .map(|bound| match bound.required {
            Some(required) => Some(required / bound.available),
            None if is_required || bound.measure == Measure::Capacity => None,
            None => Some(lowest(bound.measure) / bound.available),
        })
        .collect();
    found.iter_mut().zip(shares).for_each(|(bound, share)| bound.share = share);
    let order = |bound: &Bound| bound.share.unwrap_or(-1.0);
    found.sort_by(|one, other| order(other).total_cmp(&order(one)));
    found
}

fn bound(part: Part, measure: Measure, required: Option<f64>, available: f64, origin: &Origin) -> Bound {
    Bound { part, measure, required, available, reached: None, origin: origin.clone(), share: None }
}

fn processors(plan: &PlatformPlan) -> Vec<Bound> {
    let Some(processor) = &plan.processor else { return Vec::new() };
    let cores = processor.capacity_cores();
    let of = |measure, required, available| bound(Part::Processors, measure, required, available, &processor.origin);
    if let Some(required) = demands(plan).cores {
        return vec![of(Measure::Cores, Some(required), cores)];
    }
    let cycles = plan.fabric.as_ref().and_then(|fabric| fabric.cycles_per_io).zip(processor.clock_hertz);
    let of_ios = cycles.map(|(cycles, hertz)| of(Measure::Iops, None, cores * hertz / cycles));
    let of_transactions = plan.required.cpu_seconds.map(|seconds| of(Measure::Transactions, None, cores / seconds));
    of_ios.into_iter().chain(of_transactions).collect()
}

fn memory(plan: &PlatformPlan) -> Vec<Bound> {
    let Some(memory) = &plan.memory else { return Vec::new() };
    let peak = |megatransfers: f64| memory_peak_bytes_per_second(memory.sockets, memory.channels, megatransfers);
    let rate = memory.rate.or(memory.megatransfers.map(peak));
    let read = demands(plan).read.map(|rate| rate.0);
    let bound = |rate: record::Rate| {
        let (least, most) = STREAM_ACHIEVABLE;
        // Of the peak of the channels, not of what was measured.
        let reached = memory.rate.is_none().then_some((least * rate.0, most * rate.0));
        Bound { reached, ..bound(Part::Memory, Measure::Read, read, rate.0, &memory.origin) }
    };
    rate.map(bound).into_iter().collect()
}

/// Each shared link that data drives, the fabric or the network are behind.
fn links(plan: &PlatformPlan) -> Vec<Bound> {
    let demands = demands(plan);
    let data: Vec<&super::Drive> = match &plan.fabric {
        Some(_) => Vec::new(),
        None => plan.data_drives().into_iter().collect(),
    };
    let of = |link: &super::Link| {
        let passes =
            |above: &Option<String>| plan.links_above(above.as_deref()).iter().any(|passed| passed.name == link.name);
        let is_passed = data.iter().any(|drive| passes(&drive.above))
            || plan.fabric.as_ref().is_some_and(|fabric| passes(&fabric.above));
        let of =
            |measure, required| bound(Part::Link(link.name.clone()), measure, required, link.carries().0, &link.origin);
        let read = of(Measure::Read, demands.read.map(|rate| rate.0));
        let written = of(Measure::Written, demands.written.map(|rate| rate.0));
        let both = if is_passed { vec![read, written] } else { Vec::new() };
        let network = plan.network.as_ref().is_some_and(|network| passes(&network.above));
        let network = network.then(|| of(Measure::Carried, demands.network.map(|rate| rate.0)));
        both.into_iter().chain(network).collect::<Vec<Bound>>()
    };
    plan.links.iter().flat_map(of).collect()
}

fn drives(plan: &PlatformPlan) -> Vec<Bound> {
    let Some((drive, storage)) = plan.data_drives().zip(storage(plan)) else { return Vec::new() };
    let demands = demands(plan);
    let of = |measure, required: Option<f64>, available: Option<f64>| {
        let part = Part::Drives(drive.name.clone());
        available.map(|available| bound(part, measure, required, available, &drive.origin))
    };
    let rate = |rate: Option<record::Rate>| rate.map(|rate| rate.0);
    let bytes = |bytes: Option<record::Bytes>| bytes.map(|bytes| bytes.0 as f64);
    [
        of(Measure::Iops, demands.iops, rate(storage.iops)),
        of(Measure::Read, rate(demands.read), rate(storage.read)),
        of(Measure::Written, rate(demands.written), rate(storage.written)),
        of(Measure::Capacity, bytes(plan.required.capacity), bytes(storage.usable)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn networks(plan: &PlatformPlan) -> Vec<Bound> {
    let demands = demands(plan);
    let fabric = plan.fabric.iter().flat_map(|fabric| {
        let carries = fabric.carries(plan.required.io_bytes).0;
        let of = |measure, required| bound(Part::Fabric, measure, required, carries, &fabric.origin);
        let rate = |rate: Option<record::Rate>| rate.map(|rate| rate.0);
        [of(Measure::Read, rate(demands.read)), of(Measure::Written, rate(demands.written))]
    });
    let network = plan.network.iter().map(|network| {
        let required = demands.network.map(|rate| rate.0);
        bound(Part::Network, Measure::Carried, required, network.carries(None).0, &network.origin)
    });
    fabric.chain(network).collect()
}

fn commit(plan: &PlatformPlan) -> Vec<Bound> {
    let Some((commit, seconds)) = plan.commit.as_ref().zip(commit_latency_seconds(plan)) else { return Vec::new() };
    let available = commits_per_second_max(commit.group, seconds).0;
    vec![bound(Part::Commit, Measure::Commits, demands(plan).commits, available, &commit.origin)]
}
