//! The record of an invocation before its first run.

use std::path::Path;

use record::{Build, Plan, Record, SCHEMA_VERSION, Status, Tool};

use crate::measurement::timestamp;
use crate::opening::{Opened, Setting};

/// The record of `plan` that will lie at `path`, written by the program with this `version` and `build`, on the machine of
/// `setting` and through the engine, if one is opened.
pub(crate) fn begun(
    path: &Path,
    (version, build): (&str, Option<&Build>),
    plan: Plan,
    setting: &Setting,
    opened: Option<&Opened<'_>>,
) -> Record {
    Record {
        schema_version: SCHEMA_VERSION,
        id: store::id_of(path),
        tool: Tool { version: version.to_owned(), optimised: !cfg!(debug_assertions), build: build.cloned() },
        begun_at: timestamp(),
        ended_at: None,
        status: Status::Running,
        reason: None,
        plan,
        host: setting.host.clone(),
        engine: opened.map(|opened| opened.inventory.clone()),
        instrument: setting.instrument.clone(),
        nodes: opened.map_or(Vec::new(), |opened| opened.nodes.inventory()),
        unproved: Vec::new(),
        data_sets: Vec::new(),
        runs: Vec::new(),
    }
}
