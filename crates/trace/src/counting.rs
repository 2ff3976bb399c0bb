//! The interface of the tracers.

use record::{LayerLatency, MissingLayer, TracerKind};

use crate::refusal::Refused;

/// Counts latencies by one tracer. Counts nothing before `begin`; leaves nothing in the kernel on drop.
pub(crate) trait Counting: Send + Sync {
    /// The tracer.
    fn kind(&self) -> TracerKind;

    /// Starts counting: operations that started before do not count.
    fn begin(&self);

    /// Stops counting: operations that end later do not count.
    fn end(&self);

    /// The counted latencies.
    ///
    /// # Errors
    /// If counting failed.
    fn finish(self: Box<Self>) -> Result<Counted, Refused>;
}

/// The latencies counted by one tracer.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// In the order of the layers.
    pub latencies: Vec<LayerLatency>,
    /// Layers that turned out to be unavailable.
    pub missing: Vec<MissingLayer>,
    /// Lost events.
    pub lost_count: u64,
}
