//! Traces.

use record::{LayerLatency, MeasuringPoint, Trace};

use super::{Validity, latency};

/// Checks `trace`.
pub(super) fn trace(trace: &Trace) -> Validity {
    trace.latencies.iter().try_for_each(|of| {
        one(of).map_err(|why| format!("trace of {} at {:?}: {why}", of.name, of.point))?;
        // A layer has latencies or is missing.
        match trace.missing.iter().any(|missing| missing.point == of.point) {
            true => Err(format!("trace of {} at {:?}, which is marked as missing", of.name, of.point)),
            false => Ok(()),
        }
    })
}

fn one(of: &LayerLatency) -> Validity {
    if !matches!(of.point, MeasuringPoint::SystemCall | MeasuringPoint::Block | MeasuringPoint::Device) {
        return Err("the kernel does not trace this layer".to_owned());
    }
    let traced = &of.latency;
    if traced.count == 0 {
        return Err("count 0: an operation without events must be absent".to_owned());
    }
    if traced.mean_ns < traced.min_ns || traced.mean_ns > traced.max_ns {
        let (mean, min, max) = (traced.mean_ns.0, traced.min_ns.0, traced.max_ns.0);
        return Err(format!("mean_ns {mean} is not between min_ns {min} and max_ns {max}"));
    }
    latency("latency", traced)
}
