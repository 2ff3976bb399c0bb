//! What may be bought in place of more of the same part: another link, faster drives, a larger buffer cache, a faster network.

use record::Bytes;

use super::price::memory_price;
use super::{Bound, Measure, Part, PlatformPlan, Wire};
use crate::platform::Generation;

/// The most lanes of a link of PCI Express.
const LANES_MAX: u32 = 16;
/// A buffer cache more than so many times as large is no proposal.
const BUFFER_FACTOR_MAX: f64 = 64.0;
/// Steps of the search for its size: finer than a thousandth.
const STEPS: u32 = 40;
/// Speeds of Ethernet in use, 10^9 bits per second.
const ETHERNET: [f64; 10] = [1.0, 2.5, 5.0, 10.0, 25.0, 40.0, 50.0, 100.0, 200.0, 400.0];

/// Something else than more of the same, that gives as much. All of them are bounds.
#[derive(Clone, Debug, PartialEq)]
pub enum Alternative {
    /// Another link.
    Link {
        /// The lanes now and then.
        lanes: (u32, u32),
        /// The generation now and then.
        generation: (Generation, Generation),
    },
    /// As many drives, each so many times as fast.
    FasterDrives {
        /// How many times as fast, or as large.
        factor: f64,
        /// What each would have to give: reads or bytes per second, or bytes.
        each: f64,
    },
    /// As many sockets, each core so many times as fast: no more licences.
    FasterCores {
        /// How many times as fast.
        factor: f64,
    },
    /// A buffer cache that misses less, so that fewer I/Os are left.
    LargerBuffer {
        /// Its size now.
        now: Bytes,
        /// Its size then.
        then: Bytes,
        /// What the memory for it costs more, where memory has a price and a size.
        price: Option<f64>,
    },
    /// As many ports of a faster Ethernet.
    FasterEthernet {
        /// 10^9 bits per second now.
        now: f64,
        /// The same then.
        then: f64,
    },
}

/// What gives `needed` times as much of the part of `bound`, or makes do with as much less of it; `needed` is above 1.
pub(super) fn alternatives(plan: &PlatformPlan, bound: &Bound, needed: f64) -> Vec<Alternative> {
    match &bound.part {
        Part::Link(name) => link(plan, name, needed).into_iter().collect(),
        Part::Drives(_) => drives(plan, bound, needed),
        Part::Processors => vec![Alternative::FasterCores { factor: needed }],
        Part::Network => plan.network.iter().filter_map(|network| ethernet(network.wire, needed)).collect(),
        Part::Fabric => plan.fabric.iter().filter_map(|fabric| ethernet(fabric.wire, needed)).collect(),
        Part::Memory | Part::Commit => Vec::new(),
    }
}

/// The slowest link that carries enough: more lanes before another generation.
fn link(plan: &PlatformPlan, name: &str, needed: f64) -> Option<Alternative> {
    use Generation::{Gen1, Gen2, Gen3, Gen4, Gen5, Gen6, Gen7};
    let link = plan.links.iter().find(|link| link.name == name)?;
    let goal = link.carries().0 * needed * (1.0 - 1e-9);
    let all = [Gen1, Gen2, Gen3, Gen4, Gen5, Gen6, Gen7];
    let generations = all.into_iter().skip_while(|one| *one != link.generation);
    let widths = || {
        (0..)
            .map(|power| 1 << power)
            .take_while(|lanes| *lanes <= LANES_MAX.max(link.lanes))
            .filter(|it| *it >= link.lanes)
    };
    let mut all = generations.flat_map(|generation| widths().map(move |lanes| (generation, lanes)));
    let carries = |(generation, lanes)| super::Link { generation, lanes, ..link.clone() }.carries().0;
    let (generation, lanes) = all.find(|one| carries(*one) >= goal)?;
    Some(Alternative::Link { lanes: (link.lanes, lanes), generation: (link.generation, generation) })
}

fn drives(plan: &PlatformPlan, bound: &Bound, needed: f64) -> Vec<Alternative> {
    let Some(drive) = plan.data_drives() else { return Vec::new() };
    let own = match bound.measure {
        Measure::Iops => drive.read_iops,
        Measure::Read => drive.read_rate.map(|rate| rate.0),
        Measure::Written => drive.write_rate.map(|rate| rate.0),
        Measure::Capacity => drive.capacity.map(|bytes| bytes.0 as f64),
        _ => None,
    };
    let faster = own.map(|own| Alternative::FasterDrives { factor: needed, each: own * needed });
    let buffer = (bound.measure == Measure::Iops).then(|| larger_buffer(plan, needed)).flatten();
    faster.into_iter().chain(buffer).collect()
}

/// The smallest buffer cache that misses `needed` times less. Only where the misses of the plan are known: reads are then as
/// many as misses.
fn larger_buffer(plan: &PlatformPlan, needed: f64) -> Option<Alternative> {
    let level = plan.cache.as_ref()?;
    // Writes are not read from a cache.
    let reads = 1.0 - plan.required.write_share;
    let left = (1.0 / needed - plan.required.write_share) / reads;
    let now = level.cache.buffer;
    // What both levels miss is read from the drives.
    let missed = |factor: f64| level.misses.ratio(Bytes((now.0 as f64 * factor) as u64 + level.cache.flash.0));
    let misses = |factor: f64| missed(factor) / missed(1.0);
    if !(left > 0.0 && misses(BUFFER_FACTOR_MAX) <= left) {
        return None;
    }
    let (mut low, mut high) = (1.0, BUFFER_FACTOR_MAX);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if misses(middle) <= left { high = middle } else { low = middle }
    }
    let then = Bytes((now.0 as f64 * high) as u64);
    let whole = plan.memory.as_ref().and_then(|memory| memory.size).filter(|size| size.0 > 0);
    let price = memory_price(plan).zip(whole).map(|(price, whole)| price * (then.0 - now.0) as f64 / whole.0 as f64);
    Some(Alternative::LargerBuffer { now, then, price })
}

fn ethernet(wire: Wire, needed: f64) -> Option<Alternative> {
    let Wire::Ethernet { gigabits } = wire else { return None };
    let goal = gigabits * needed * (1.0 - 1e-9);
    let then = ETHERNET.into_iter().find(|speed| *speed >= goal)?;
    Some(Alternative::FasterEthernet { now: gigabits, then })
}
