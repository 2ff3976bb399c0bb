//! The work of probes: what the machine gives without a database.

use measure::Work;
use probe::{Context, Probe};
use record::{Dop, HostInventory, Plan};

/// One work per job.
pub(crate) fn works(probe: &Probe, plan: &Plan, host: &HostInventory, dop: Dop) -> Vec<Box<dyn Work>> {
    (probe.build)(&context(plan, host, dop))
}

/// What a probe may know of the machine.
pub(crate) fn context(plan: &Plan, host: &HostInventory, dop: Dop) -> Context {
    Context {
        jobs: dop.jobs,
        seed: plan.seed,
        preset: plan.preset,
        last_level_cache_bytes: ::host::last_level_cache_bytes(),
        memory_available_bytes: host.memory.available_bytes,
    }
}
