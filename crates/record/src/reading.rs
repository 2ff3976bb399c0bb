//! Raw readings. Rates are derived from two of them, later, by `model`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// Cumulative counters as they stood at one moment. What a source does not give is absent, never zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// When the reading was complete, on the monotonic clock of the invocation.
    pub at_ns: Nanos,
    /// Counter by name, see [`crate::name`].
    pub values: BTreeMap<String, u64>,
}

impl Reading {
    /// The counter `name`, if its source gave it.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.values.get(name).copied()
    }
}
