//! What is known of a target at a moment: what its live view shows.

use record::{Nanos, Ratio, Timestamp};

use super::alert::Alert;
use super::burn::{Burn, BurnRule, BurnState};
use super::drift::DriftReference;
use super::event::Outcome;
use super::month::Month;
use super::objective::Promise;

/// A target now.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetNow {
    /// The month that goes on.
    pub month: Month,
    /// The months of which there are events, the last one first.
    pub months: Vec<String>,
    /// The last burst; absent before the first one.
    pub last_at: Option<Timestamp>,
    /// Each operation.
    pub promises: Vec<PromiseNow>,
}

/// An operation now.
#[derive(Clone, Debug, PartialEq)]
pub struct PromiseNow {
    /// What is promised.
    pub promise: Promise,
    /// What is left of the budget over the days of the objective; absent where nothing was seen in them.
    pub budget_left: Option<Ratio>,
    /// The alerts that are raised, with their begin.
    pub raised: Vec<(Alert, Timestamp)>,
    /// Each rule of burn rates.
    pub burns: Vec<BurnNow>,
    /// The last bursts, the newest first.
    pub bursts: Vec<Burst>,
    /// How far the medians of the last hours are above each reference that there is.
    pub shifts: Vec<ShiftNow>,
}

/// A rule of burn rates now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurnNow {
    /// The rule.
    pub rule: BurnRule,
    /// How fast the budget is used.
    pub burn: Burn,
    /// What may be said of it.
    pub state: BurnState,
}

/// A burst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Burst {
    /// When it was to start.
    pub at: Timestamp,
    /// What became of it.
    pub outcome: Outcome,
    /// The slowest statement; absent without an answer.
    pub slowest_ns: Option<Nanos>,
    /// The median of its statements; absent without an answer.
    pub median_ns: Option<Nanos>,
}

/// Medians of hours against a reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShiftNow {
    /// The reference.
    pub reference: DriftReference,
    /// Times the reference.
    pub ratio: Ratio,
    /// The ends of its interval.
    pub ratio_min: Ratio,
    /// See above.
    pub ratio_max: Ratio,
    /// The hours that have both.
    pub hours: u32,
    /// Whether all of the interval is above what counts as a drift.
    pub is_drift: bool,
}
