//! Scripts of pgbench, as a plan has them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Scripts in the language of pgbench, which are measured together as one test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scripts {
    /// The scripts, in the order in which they were given.
    pub scripts: Vec<Script>,
    /// Variables that were defined for them, by name; values as text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// The scale factor of the tables of pgbench's own scripts where they were made before the first run; absent where
    /// none were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initialized_scale: Option<u32>,
}

/// A script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The path of its file as given, or `builtin:` and the name of a script that is built in.
    pub name: String,
    /// Its share of the transactions is this over the sum of all weights.
    pub weight: u32,
    /// Its text.
    pub text: String,
}

impl Script {
    /// What precedes the name of a script that is built in.
    pub const BUILTIN_PREFIX: &str = "builtin:";
}
