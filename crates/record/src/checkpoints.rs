//! Checkpoints that a run asks its engine for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What came of the checkpoints that a run asks for, at even distances in its window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestedCheckpoints {
    /// How many the test wants in the window.
    pub wanted: u32,
    /// How many of those that were asked for had ended within the window.
    pub completed: u32,
    /// Why no more were asked for; absent where nothing was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}
