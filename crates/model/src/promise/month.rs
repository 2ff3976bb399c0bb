//! A month of a promise: what operations and business agree upon.

use std::collections::BTreeMap;

use record::{Latency, Nanos, Ratio, Timestamp};

use super::alert::Alert;
use super::event::{Operation, Outcome};
use super::objective::Promise;
use super::tally::Counts;

/// A month of one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Month {
    /// The target, without a password.
    pub target: String,
    /// The month, as in `2026-11`.
    pub month: String,
    /// The record that the promise was made from.
    pub record: String,
    /// Each operation.
    pub promises: Vec<PromiseMonth>,
    /// What went wrong, by begin.
    pub incidents: Vec<Incident>,
}

/// A month of one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct PromiseMonth {
    /// What was promised.
    pub promise: Promise,
    /// The events.
    pub counts: Counts,
    /// The hours of which there are events.
    pub hours_watched: u32,
    /// The median over its hours of the medians of statements; absent without an answer.
    pub median_ns: Option<Nanos>,
    /// The slowest statements of the events; absent without an answer.
    pub slowest: Option<Latency>,
}

/// An alert from its begin to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// The operation.
    pub operation: Operation,
    /// The alert.
    pub alert: Alert,
    /// When it began.
    pub from: Timestamp,
    /// When it ended; absent where it goes on.
    pub until: Option<Timestamp>,
    /// What it rested on when it began, as a sentence.
    pub why: String,
    /// The bad events in it, by what became of them; known once it has ended.
    pub outcomes: BTreeMap<Outcome, u64>,
}

impl PromiseMonth {
    /// Whether the promise was kept; none where nothing was seen.
    pub fn is_kept(&self) -> Option<bool> {
        (self.counts.valid() > 0).then(|| self.counts.bad_share() <= self.promise.objective.budget().0)
    }

    /// Share of good events; none where nothing was seen.
    pub fn good_share(&self) -> Option<Ratio> {
        (self.counts.valid() > 0).then(|| Ratio(1.0 - self.counts.bad_share()))
    }

    /// What is left of the budget: 1 where nothing was bad, below 0 where the promise was broken.
    pub fn budget_left(&self) -> Option<Ratio> {
        let used = self.counts.bad_share() / self.promise.objective.budget().0;
        (self.counts.valid() > 0).then_some(Ratio(1.0 - used))
    }
}

impl Month {
    /// The operations that were wrong at the same time as `incident`, itself included: they tell what limited it.
    pub fn operations_beside(&self, incident: &Incident) -> Vec<Operation> {
        let ends_after = |one: &Incident, other: &Incident| one.until.as_ref().is_none_or(|until| *until >= other.from);
        let overlaps = |other: &&Incident| {
            other.alert.severity() == incident.alert.severity()
                && ends_after(other, incident)
                && ends_after(incident, other)
        };
        let found = self.incidents.iter().filter(overlaps).map(|other| other.operation);
        let mut found: Vec<Operation> = found.collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
