//! Random streams: each is drawn from the seed of the plan, for a purpose, by a run, for a job.
//!
//! A repeat that draws what the run before drew finds its blocks in the caches that this one filled, and confirms nothing.

/// What a random stream is drawn for. The numbers are part of what is drawn: one that is used keeps its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Keys and other values that statements are bound to.
    Keys = 1,
    /// Intended starts of steps.
    Arrivals = 2,
    /// Addresses and content of I/Os.
    Addresses = 3,
    /// Blocks that sessions visit, their operations and pauses.
    Blocks = 4,
    /// The order in which a pass visits all blocks of a table once.
    Order = 5,
    /// Data of a probe of processors, memory or the network.
    Probe = 6,
    /// Intended starts of steps of the warm-up: those of the window are the same whatever its length.
    WarmUpArrivals = 7,
    /// The order of the runs of a plan.
    RunOrder = 8,
    /// Which side of each pair is measured first.
    SideOrder = 9,
    /// Moments at which the sessions of an engine are sampled.
    Samples = 10,
    /// Moments, delays and losses of crashes.
    Faults = 11,
}

impl Purpose {
    /// Each of them.
    pub const ALL: [Purpose; 11] = [
        Purpose::Keys,
        Purpose::Arrivals,
        Purpose::Addresses,
        Purpose::Blocks,
        Purpose::Order,
        Purpose::Probe,
        Purpose::WarmUpArrivals,
        Purpose::RunOrder,
        Purpose::SideOrder,
        Purpose::Samples,
        Purpose::Faults,
    ];
}

/// The seed of one run: the origin of all its streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunSeed {
    /// The seed of the plan.
    pub plan: u64,
    /// The number of the run in the plan: a resumed plan draws the same, and so do both sides of a pair.
    pub run: u32,
}

impl RunSeed {
    /// The seed of the stream for `purpose` of job `job` of the run, counted over all hosts. Each part is mixed in by itself: with
    /// sums, job 1 of one run would draw what job 0 of the next one draws.
    pub fn stream(self, purpose: Purpose, job: u32) -> u64 {
        mix(mix(mix(mix(self.plan) ^ purpose as u64) ^ u64::from(self.run)) ^ u64::from(job))
    }
}

/// The step of splitmix64 (Steele, Lea, Flood 2014): the golden ratio in 64 bits is added, so that 0 is no fixed point, and the
/// finalizer (constants of Stafford's mix 13) spreads each bit over all.
fn mix(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_streams_of_a_plan_are_the_same() {
        let mut seen = BTreeSet::new();
        for plan in [0, 1, 42, u64::MAX] {
            for run in 0..50 {
                for job in 0..32 {
                    for purpose in Purpose::ALL {
                        assert!(
                            seen.insert(RunSeed { plan, run }.stream(purpose, job)),
                            "{plan} {run} {job} {purpose:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_seeds_of_neighbours_differ_in_half_of_their_bits() {
        let stream = |run: u32, job: u32| RunSeed { plan: 42, run }.stream(Purpose::Keys, job);
        let differing: u32 = (0..1_000).map(|run| (stream(run, 1) ^ stream(run + 1, 0)).count_ones()).sum();
        // 64 000 bits: a standard deviation of 126.
        assert!((31_400..32_600).contains(&differing), "{differing}");
    }
}
