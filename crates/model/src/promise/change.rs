//! Alerts that begin or end, and what they rest on.

use std::collections::BTreeMap;

use super::alert::Alert;
use super::burn::Burn;
use super::drift::Drift;
use super::event::{Operation, Outcome, UnixMillis};

/// What an alert rests on.
#[derive(Clone, Debug, PartialEq)]
pub enum AlertEvidence {
    /// Bad events in a row, by what became of them.
    Outcomes(BTreeMap<Outcome, u32>),
    /// A burn rate.
    Burn(Burn),
    /// A ratio of medians.
    Drift(Drift),
}

/// An alert that begins or ends.
#[derive(Clone, Debug, PartialEq)]
pub struct AlertChange {
    /// When.
    pub at: UnixMillis,
    /// Of which operation.
    pub operation: Operation,
    /// Which one.
    pub alert: Alert,
    /// Since when it was raised.
    pub since: UnixMillis,
    /// Its evidence where it begins; none where it ends.
    pub raised: Option<AlertEvidence>,
}
