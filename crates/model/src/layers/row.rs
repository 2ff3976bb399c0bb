//! One row of a latency table: a kind of operation at one measuring point.

use record::{Latency, Nanos, OperationClass};

use crate::delta::share;
use crate::times::{Times, times};

/// The method of measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerMethod {
    /// Each operation timed.
    Timed,
    /// Count and total time: a mean without a distribution.
    Mean,
    /// Estimated from samples.
    Sampled {
        /// Time between two samples.
        period_ns: Nanos,
    },
}

/// One kind of operation at one measuring point.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRow {
    /// The operation, in terms common to all layers; absent where there is none (a lock).
    pub class: Option<OperationClass>,
    /// The name in the layer.
    pub name: String,
    /// The counter, tracepoint or clock.
    pub source: String,
    /// The method of measurement.
    pub method: LayerMethod,
    /// Number of operations; absent where not counted.
    pub count: Option<u64>,
    /// Total time, nanoseconds.
    pub total_ns: f64,
    /// The same per step.
    pub per_step_ns: f64,
    /// The times of single operations, where the source has the distribution.
    pub times: Option<Times>,
    /// Operations per operation of the layer above that leads to them.
    pub fan_out: Option<f64>,
}

impl LayerRow {
    /// Total over count; None without a count, and below the resolution of the source.
    pub fn mean_ns(&self) -> Option<f64> {
        share(self.total_ns, self.count? as f64).filter(|mean_ns| *mean_ns > 0.0)
    }
}

/// A row whose operations were each timed.
pub(crate) fn timed(class: OperationClass, name: &str, source: &str, latency: &Latency) -> LayerRow {
    LayerRow {
        times: times(latency),
        method: LayerMethod::Timed,
        ..added_up(Some(class), name, source, Some(latency.count), latency.mean_ns.0 as f64 * latency.count as f64)
    }
}

/// A row with count and total only.
pub(crate) fn added_up(
    class: Option<OperationClass>,
    name: &str,
    source: &str,
    count: Option<u64>,
    total_ns: f64,
) -> LayerRow {
    LayerRow {
        class,
        name: name.to_owned(),
        source: source.to_owned(),
        method: LayerMethod::Mean,
        count,
        total_ns,
        per_step_ns: 0.0,
        times: None,
        fan_out: None,
    }
}
