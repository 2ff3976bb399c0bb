//! What every rung of the ladder can do.

use record::{LayerLatency, MissingLayer, Rung};

use crate::refusal::Refused;

/// Whatever counts latencies on one rung. Nothing is counted before it is told to; it leaves nothing behind when dropped.
pub(crate) trait Counting: Send + Sync {
    /// The rung on which it counts.
    fn rung(&self) -> Rung;

    /// Counts from now on: what begins from now on.
    fn begin(&self);

    /// Counts no more: what ends from now on does not count.
    fn end(&self);

    /// What was counted.
    ///
    /// # Errors
    /// Where counting went wrong on the way: then there is nothing.
    fn finish(self: Box<Self>) -> Result<Counted, Refused>;
}

/// What one rung counted.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// In the order of the layers.
    pub latencies: Vec<LayerLatency>,
    /// What of it could not be seen, as it turned out on the way.
    pub missing: Vec<MissingLayer>,
    /// Events that were lost.
    pub lost_count: u64,
}
