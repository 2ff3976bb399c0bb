//! The work of probes: what the machine gives without a database.

use probe::Context;
use record::{Bytes, Dop, Plan};

/// What a probe may know of the machine, of which `available` memory may be used.
pub(crate) fn context(plan: &Plan, available: Option<Bytes>, dop: Dop) -> Context {
    Context {
        jobs: dop.jobs,
        seed: plan.seed,
        preset: plan.preset,
        last_level_cache_bytes: ::host::last_level_cache_bytes(),
        memory_available_bytes: available,
        region_bytes: Bytes(0),
        warm_up: plan.warm_up_ns,
        window: plan.window_ns,
    }
}
