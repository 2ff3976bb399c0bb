//! What is taken of a report, as it is written: numbers are read when the report is over, because only then its notation is known.

use std::collections::BTreeMap;

/// Tables of a report of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ByInstance {
    Instances,
    System,
    TimeModel,
    PerSecond,
    Caches,
}

/// A wait event: waits, seconds, average.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub(super) waits: String,
    pub(super) seconds: String,
    pub(super) average: String,
}

/// The cells of a row that has any, by the key of their heading.
pub(super) type Row = BTreeMap<String, String>;

/// Rows of a table by instance.
pub(super) type InstanceRows = BTreeMap<u32, Row>;

/// A report as it was written.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) is_of_cluster: bool,
    pub(super) facts: BTreeMap<&'static str, String>,
    /// Values of labels, by key.
    pub(super) labels: BTreeMap<&'static str, Vec<String>>,
    pub(super) statistics: BTreeMap<&'static str, String>,
    pub(super) events: BTreeMap<&'static str, Event>,
    pub(super) by_instance: BTreeMap<ByInstance, InstanceRows>,
    pub(super) is_complete: bool,
    /// Whether there was anything of the form.
    pub(super) is_begun: bool,
}
