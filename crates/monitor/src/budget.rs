//! What a monitor may cost, and whether it costs more.

use crate::cost::Cost;

/// Limits of the cost of one target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Share of one processor.
    pub cpu_share_max: f64,
    /// Bytes of the log of the engine, per minute.
    pub log_bytes_per_minute_max: f64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { cpu_share_max: 0.005, log_bytes_per_minute_max: 1e6 }
    }
}

impl Budget {
    /// How often it is looked at: less time says nothing of a share.
    pub(crate) const LOOK_NS: u64 = 60_000_000_000;

    /// Whether `cost`, that of `elapsed_ns`, is above a limit.
    pub fn is_exceeded(&self, cost: &Cost, elapsed_ns: u64) -> bool {
        let seconds = elapsed_ns as f64 / 1e9;
        let cpu_share = cost.cpu_ns as f64 / 1e9 / seconds;
        let log_bytes_per_minute = cost.log_bytes().unwrap_or(0.0) / seconds * 60.0;
        cpu_share > self.cpu_share_max || log_bytes_per_minute > self.log_bytes_per_minute_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_limit_counts() {
        let minute = Budget::LOOK_NS;
        let of = |cpu_ns, commits, bytes| Cost { cpu_ns, statements: 0, commits, log_bytes_per_commit: bytes };
        let exceeded = |cost: Cost, elapsed| Budget::default().is_exceeded(&cost, elapsed);
        assert!(!exceeded(of(299_000_000, 2, None), minute) && exceeded(of(301_000_000, 2, None), minute));
        assert!(!exceeded(of(0, 2, Some(499_000.0)), minute) && exceeded(of(0, 2, Some(501_000.0)), minute));
    }
}
