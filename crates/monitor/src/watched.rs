//! A target that is watched: what asks it, and what is promised of it.

use model::promise::Promise;

use crate::prober::Prober;

/// A target that is open.
pub struct Watched {
    /// Its name: the target, without a password.
    pub name: String,
    /// The name of its engine in OpenTelemetry; absent of storage.
    pub system: Option<&'static str>,
    /// The cluster that it is a node of; absent where it is alone.
    pub cluster: Option<String>,
    /// The record that its promise is made from; empty without one.
    pub record: String,
    /// What is promised.
    pub promises: Vec<Promise>,
    /// The target.
    pub prober: Prober,
}
