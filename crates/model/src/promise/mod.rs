//! A promise of a platform in production, and whether it is kept: what one event is worth, burn rates, an outage, a
//! drift.
//!
//! Pure functions of events and their times, like everything here: the clock and the threads are elsewhere. All
//! thresholds stand in [`PROMISE_RULES`].

mod alert;
mod baseline;
mod burn;
mod change;
mod drift;
mod event;
mod judge;
mod month;
mod now;
mod objective;
mod rules;
mod tally;
#[cfg(test)]
mod tests;

pub use alert::{Alert, Severity};
pub use baseline::{Baseline, BaselineFigure, baseline};
pub use burn::{BURN_MS_MAX, BURN_RULES, Burn, BurnRule, BurnState};
pub use change::{AlertChange, AlertEvidence};
pub use drift::{Drift, DriftCause, DriftReference, HourlyMedians};
pub use event::{Control, DAY_MS, Event, HOUR_MS, MINUTE_MS, Operation, Outcome, Standing, UnixMillis};
pub use judge::Judge;
pub use month::{Incident, Month, PromiseMonth};
pub use now::{BurnNow, Burst, PromiseNow, ShiftNow, TargetNow};
pub use objective::{Objective, Promise, threshold};
pub use rules::{PROMISE_RULES, PromiseRules};
pub use tally::{Counts, Tally};
