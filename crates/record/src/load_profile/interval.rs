//! An interval of a load profile.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Amount, LoadQuantity};

/// A moment as a source writes it, in milliseconds since 1970-01-01 00:00 of UTC, or of its own clock where
/// [`Source::zone`](super::Source::zone) is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SourceMoment(pub i64);

/// What an instance did between two snapshots of its counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Index of the source.
    pub source: u32,
    /// Index of the instance.
    pub instance: u32,
    /// Its start.
    pub started_at_ms: SourceMoment,
    /// Its length; above 0.
    pub seconds: f64,
    /// What the source tells of it; what is not here is unknown.
    pub amounts: BTreeMap<LoadQuantity, Amount>,
}
