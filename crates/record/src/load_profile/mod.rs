//! The load profile of a production database: what it asked of its platform per interval,
//! as its own statistics tell.
//!
//! It is what [`LOAD_PROFILE_FORMAT`] names in a file of its own, and no part of a record: a record holds what dbdyno measured,
//! this what others counted. What a source does not tell is absent from [`Interval::amounts`] and named in
//! [`LoadProfile::absent`]; it is never zero. It holds no text of statements, and names only where the user asks for them.

mod amount;
mod doubt;
mod interval;
mod source;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use amount::{Amount, LoadQuantity};
pub use doubt::{Absent, Doubt, DoubtKind, Elsewhere, Weight};
pub use interval::{Interval, SourceMoment};
pub use source::{Instance, Scope, Source, Zone};

/// Value of [`LoadProfile::format`].
pub const LOAD_PROFILE_FORMAT: &str = "dbdyno load profile";

/// Value of [`LoadProfile::version`]; a reader refuses newer ones.
pub const LOAD_PROFILE_VERSION: u32 = 1;

/// What a database asked of its platform, in intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadProfile {
    /// [`LOAD_PROFILE_FORMAT`].
    pub format: String,
    /// [`LOAD_PROFILE_VERSION`] of the writer.
    pub version: u32,
    /// What was read; intervals, instances and doubts name a source by its index here.
    pub sources: Vec<Source>,
    /// The instances of the database, and the hosts that host statistics were read of; intervals name one by its index here.
    pub instances: Vec<Instance>,
    /// All intervals, in order of instance and start. Those of one instance do not overlap; gaps are not filled.
    pub intervals: Vec<Interval>,
    /// What a source lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<Absent>,
    /// What makes figures doubtful, and what was left out for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

impl Default for LoadProfile {
    /// A profile of this version without sources.
    fn default() -> LoadProfile {
        LoadProfile {
            format: LOAD_PROFILE_FORMAT.to_string(),
            version: LOAD_PROFILE_VERSION,
            sources: Vec::new(),
            instances: Vec::new(),
            intervals: Vec::new(),
            absent: Vec::new(),
            doubts: Vec::new(),
        }
    }
}
