//! What memory gives one core, and what other nodes cost.

use record::Rate;

use super::PlatformPlan;
use crate::platform::{NumaAccess, effective_latency_ns, single_core_bytes_per_second};

/// Accesses to memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryAccess {
    /// Mean latency over all nodes with the share of accesses to others; absent on one socket or where unknown.
    pub mean: Option<(f64, f64)>,
    /// What one core reads at most; absent where its misses in flight are unknown.
    pub one_core: Option<Rate>,
}

/// The accesses of `plan`, where a latency is known.
pub fn memory_access(plan: &PlatformPlan) -> Option<MemoryAccess> {
    let memory = plan.memory.as_ref()?;
    let latency_ns = memory.latency_ns?;
    let sockets = f64::from(memory.sockets);
    let mean = memory.remote_latency_ns.map(|remote_ns| {
        // Interleaved memory is local in one of so many accesses as there are sockets.
        let share = memory.remote_share.unwrap_or((sockets - 1.0) / sockets);
        let accesses = [NumaAccess { share: 1.0 - share, latency_ns }, NumaAccess { share, latency_ns: remote_ns }];
        (effective_latency_ns(&accesses), share)
    });
    let mean = mean.filter(|(_, share)| *share > 0.0);
    let one_core = memory.lines_in_flight.map(|lines| single_core_bytes_per_second(lines, latency_ns));
    (mean.is_some() || one_core.is_some()).then_some(MemoryAccess { mean, one_core })
}
