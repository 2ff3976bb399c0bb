//! The record of an invocation before its first run.

use record::{Plan, Record, SCHEMA_VERSION, Status, Tool};

use crate::Request;
use crate::measurement::timestamp;
use crate::opening::{Opened, Setting};

/// The record of `plan`, which says where `request` wants it and what program writes it, on the machine of `setting` and
/// through the engine, if one is opened.
pub(crate) fn begun(request: &Request, plan: Plan, setting: &Setting, opened: Option<&Opened<'_>>) -> Record {
    Record {
        schema_version: SCHEMA_VERSION,
        id: store::id_of(&request.record),
        tool: Tool {
            version: request.version.clone(),
            optimised: !cfg!(debug_assertions),
            build: request.build.clone(),
        },
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
