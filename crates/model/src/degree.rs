//! The degree of parallelism of a point.

use record::Dop;

/// Degree of parallelism with a default of one of each, and the I/Os in flight of a probe of storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degree {
    /// Nodes, jobs, threads.
    pub dop: Dop,
    /// I/Os in flight, where it is a probe of storage.
    pub in_flight: Option<u32>,
}

impl Degree {
    /// Nodes x jobs x threads: a sweep varies one of them and leaves the others at 1.
    pub fn parallelism(&self) -> u32 {
        self.dop.nodes.saturating_mul(self.dop.jobs).saturating_mul(self.dop.threads)
    }
}

impl Default for Degree {
    fn default() -> Degree {
        Degree { dop: Dop::jobs(1), in_flight: None }
    }
}
