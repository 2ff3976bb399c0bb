//! The gauges of a run: the order of their readings.

use record::{GaugeRun, Run};

use super::Validity;

/// Checks the gauges of `run`.
pub(super) fn gauges(run: &Run) -> Validity {
    run.gauges.iter().try_for_each(|gauge: &GaugeRun| match gauge.readings.is_sorted_by_key(|reading| reading.at_ns) {
        true => Ok(()),
        false => Err(format!("gauge {}: a reading is before the one that it follows", gauge.name)),
    })
}
