//! Loads beside the jobs of runs: of a plan, and what they did.

use record::{LoadBeside, LoadBesideRun, Run};

use super::{Validity, at_least_one, latency};

/// Checks the loads beside `run`.
pub(super) fn loads(run: &Run) -> Validity {
    run.loads_beside.iter().try_for_each(|of: &LoadBesideRun| {
        load(&of.load)?;
        let check = || {
            latency("service", &of.service)?;
            latency("response", &of.response)
        };
        check().map_err(|why| format!("load {} beside: {why}", of.load.test))
    })
}

/// Checks the jobs and the rate of `load`.
pub(super) fn load(load: &LoadBeside) -> Validity {
    let rate = load.rate.filter(|rate| !rate.is_finite() || *rate <= 0.0);
    match rate {
        Some(rate) => Err(format!("load {} beside: rate {rate}, a rate must be above 0", load.test)),
        None => at_least_one("jobs", load.jobs).map_err(|why| format!("load {} beside: {why}", load.test)),
    }
}
