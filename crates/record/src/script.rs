//! Scripts of pgbench, as a plan has them.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Gauge;

/// Scripts in the language of pgbench, which are measured together as one test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The most tries of an execution that ends by a serialization failure or a deadlock, the first included; absent where it is
    /// tried once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tries_max: Option<NonZeroU32>,
    /// How statements are sent.
    #[serde(default, skip_serializing_if = "QueryMode::is_prepared")]
    pub query_mode: QueryMode,
    /// Whether each execution has a session of its own, which it opens and closes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub connect: bool,
    /// Roles that have jobs of their own. Scripts without a role are run by the jobs that are left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// What is read while they run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gauges: Vec<Gauge>,
}

/// A part of the jobs, which runs scripts of its own at a pace of its own: writers beside readers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// How many jobs it has; absent where it has those that other roles leave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
    /// Steps per second of all its jobs together, which arrive as a Poisson process; absent where its jobs have the pace of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

/// How the statements of scripts are sent to the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueryMode {
    /// As text, with the values of variables in place.
    Simple,
    /// As text with the values beside it, parsed anew each time.
    Extended,
    /// Prepared once for each session.
    #[default]
    Prepared,
}

impl QueryMode {
    fn is_prepared(&self) -> bool {
        *self == QueryMode::Prepared
    }
}

/// A script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The path of its file as given, `builtin:` and the name of a script that is built in, or `schema:`, the schema and the name of one
    /// for a schema that another program has built.
    pub name: String,
    /// Its share of the transactions is this over the sum of all weights.
    pub weight: u32,
    /// Its text.
    pub text: String,
    /// The name of the role that runs it; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

impl Scripts {
    /// The fewest jobs that all roles can have: those that they say, and one for the rest.
    pub fn jobs_min(&self) -> u32 {
        self.roles.iter().filter_map(|role| role.jobs).fold(1, u32::saturating_add)
    }
}

impl Script {
    /// What precedes the name of a script that is built in.
    pub const BUILTIN_PREFIX: &str = "builtin:";

    /// What precedes the name of a script for a schema that another program has built: `schema:tpcc/neword`.
    pub const SCHEMA_PREFIX: &str = "schema:";

    /// A script without a role.
    pub fn new(name: impl Into<String>, weight: u32, text: impl Into<String>) -> Script {
        Script { name: name.into(), weight, text: text.into(), role: None }
    }
}
