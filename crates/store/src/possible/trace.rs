//! What was traced.

use record::{LayerLatency, MeasuringPoint, Trace};

use super::{Possible, latency};

/// Looks at everything in `trace`.
pub(super) fn trace(trace: &Trace) -> Possible {
    trace.latencies.iter().try_for_each(|of| {
        one(of).map_err(|why| format!("trace of {} at {:?}: {why}", of.name, of.point))?;
        // A layer is seen or missing.
        match trace.missing.iter().any(|missing| missing.point == of.point) {
            true => Err(format!("trace of {} at {:?}, which is said to be missing", of.name, of.point)),
            false => Ok(()),
        }
    })
}

fn one(of: &LayerLatency) -> Possible {
    if !matches!(of.point, MeasuringPoint::SystemCall | MeasuringPoint::Block | MeasuringPoint::Device) {
        return Err("the kernel sees nothing of this layer".to_owned());
    }
    let held = &of.latency;
    if held.count == 0 {
        return Err("count 0, where what did not happen is absent".to_owned());
    }
    if held.mean_ns < held.min_ns || held.mean_ns > held.max_ns {
        let (mean, min, max) = (held.mean_ns.0, held.min_ns.0, held.max_ns.0);
        return Err(format!("mean_ns {mean} is not between min_ns {min} and max_ns {max}"));
    }
    latency("latency", held)
}
