//! Evidence about a service level.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Nanos, Rate};

/// Response times against a service level such as `p99=5ms`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Bound {
    /// The text is not a service level.
    Invalid {
        /// The text.
        level: String,
    },
    /// One run.
    Level {
        /// The service level.
        level: String,
        /// Its statistic: `p99`, `mean`, `max`.
        statistic: String,
        /// Its value; absent if unknown.
        value_ns: Option<Nanos>,
        /// What the run of a search confirms.
        confirms: Option<Confirmation>,
    },
    /// A search for the highest rate, at its last run.
    Search(Box<SearchAnswer>),
}

/// What a run of a search confirms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confirmation {
    /// That the level is met at the found rate.
    AtLimit,
    /// That it is missed 10 % above.
    AboveLimit,
}

/// Result of a search for the highest rate that meets a service level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchAnswer {
    /// The service level.
    pub level: String,
    /// Whether rates are I/Os per second of an I/O job, and not steps per second.
    pub of_storage: bool,
    /// The rate; absent if none was found.
    pub rate: Option<RateInterval>,
    /// How it ended.
    pub ending: SearchEnding,
}

/// A rate with the 95 % prediction interval of a repeat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateInterval {
    /// The rate.
    pub estimate: Rate,
    /// The lower end.
    pub low: Rate,
    /// Whether it is only the lowest rate that was tried.
    pub low_is_outermost: bool,
    /// The upper end.
    pub high: Rate,
    /// Whether it is only the highest rate that was tried.
    pub high_is_outermost: bool,
}

/// How a search for a rate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchEnding {
    /// The level is met at the rate and missed 10 % above.
    Confirmed,
    /// It is not missed 10 % above.
    NotConfirmed,
    /// No tested rate meets it, or none misses it.
    OneSided,
}
