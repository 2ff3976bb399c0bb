//! One row of a latency table: a kind of operation at one measuring point.

use record::{Latency, Nanos, OperationClass};

use crate::delta::share;

/// How figures came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerMethod {
    /// Every operation was timed, each by itself.
    Timed,
    /// Somebody counted and added up: there is a mean and no distribution.
    Mean,
    /// Looked at now and then: an estimate.
    Sampled {
        /// Between two looks.
        period_ns: Nanos,
    },
}

/// One kind of operation at one measuring point.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRow {
    /// What was done, in words that every layer can use; absent where these have none for it (a lock).
    pub class: Option<OperationClass>,
    /// What the layer itself calls it.
    pub name: String,
    /// The counter, the tracepoint or the clock that it is from.
    pub source: String,
    /// How it came about.
    pub method: LayerMethod,
    /// How often; absent where the source does not tell.
    pub count: Option<u64>,
    /// Sum over all of them, nanoseconds.
    pub total_ns: f64,
    /// The same per step.
    pub per_step_ns: f64,
    /// Where the source has the distribution.
    pub quantiles: Option<LayerQuantiles>,
    /// How many of them there are for each operation of the layer above that leads to them: count over count.
    pub fan_out: Option<f64>,
}

/// Quantiles of a layer, as they may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerQuantiles {
    /// The median.
    pub p50_ns: Nanos,
    /// The 0.9 quantile; absent where too few values lie beyond it, see [`crate::is_printable`].
    pub p90_ns: Option<Nanos>,
    /// The 0.99 quantile; the same holds.
    pub p99_ns: Option<Nanos>,
    /// The largest value.
    pub max_ns: Nanos,
}

impl LayerRow {
    /// Total over count; absent where there is no count, and where what was counted took no time that the source can tell.
    pub fn mean_ns(&self) -> Option<f64> {
        share(self.total_ns, self.count? as f64).filter(|mean_ns| *mean_ns > 0.0)
    }
}

/// A row of which every operation was timed.
pub(crate) fn timed(class: OperationClass, name: &str, source: &str, latency: &Latency) -> LayerRow {
    LayerRow {
        quantiles: (latency.count > 0).then_some(LayerQuantiles {
            p50_ns: latency.p50_ns,
            p90_ns: latency.p90_ns,
            p99_ns: latency.p99_ns,
            max_ns: latency.max_ns,
        }),
        method: LayerMethod::Timed,
        ..added_up(Some(class), name, source, Some(latency.count), latency.mean_ns.0 as f64 * latency.count as f64)
    }
}

/// A row of which there are sums only.
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
        quantiles: None,
        fan_out: None,
    }
}
