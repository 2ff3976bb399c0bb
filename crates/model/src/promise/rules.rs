//! Every threshold of a promise in production, under a version.

/// Thresholds. Ratios lie in [0, 1] unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PromiseRules {
    /// Increases with every change of a value below.
    pub version: u32,
    /// The default threshold of an operation over the 0.99 quantile of its baseline; above 1.
    pub threshold_over_p99: f64,
    /// The default threshold at least, nanoseconds: in less time a single interrupt would decide.
    pub threshold_ns_min: u64,
    /// Bad events in a row that are an outage.
    pub down_events: u32,
    /// Bad events in its long window that a burn rate needs at least.
    pub burn_bad_min: u64,
    /// Complete hours that a drift is looked for in.
    pub drift_hours: i64,
    /// Ratio of medians above which a drift is one; above 1.
    pub drift_ratio_min: f64,
    /// Days whose same hour a median is held against.
    pub drift_days: i64,
    /// Of these days, so many need a median.
    pub drift_days_min: usize,
    /// Confidence of the interval of a drift.
    pub drift_confidence: f64,
    /// A control that drifts by this share of the drift of an operation, both as logarithms, explains it.
    pub control_share: f64,
    /// Timeouts in a row after which one statement alone is tried.
    pub back_off_timeouts: u32,
}

/// The thresholds in effect.
pub const PROMISE_RULES: PromiseRules = PromiseRules {
    version: 1,
    threshold_over_p99: 3.0,
    threshold_ns_min: 100_000,
    down_events: 3,
    burn_bad_min: 3,
    drift_hours: 12,
    drift_ratio_min: 1.1,
    drift_days: 28,
    drift_days_min: 7,
    drift_confidence: 0.99,
    control_share: 0.5,
    back_off_timeouts: 3,
};
