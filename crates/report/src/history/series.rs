//! The series of a history in their order, and what is equal in the records of each, in words.

use std::collections::BTreeMap;

use model::history::{HistoryCommon, HistoryCondition, HistoryDegree, HistoryEntry, HistoryPlatform, Look, Series};

use crate::fact::{condition_text, pace_text};
use crate::figure::volume;
use crate::head::SMOKE;
use crate::words::{dop, list, plural, preset};

/// The series of `entries`, in the order of their names.
pub(super) fn look(entries: Vec<HistoryEntry>) -> Look {
    let mut look = model::history::look(entries);
    look.series.sort_by_cached_key(|series| names(&series.common));
    look
}

/// The platform, durability and conditions of a series.
fn names(common: &HistoryCommon) -> (String, String, BTreeMap<String, String>) {
    (platform(&common.platform), common.durability.clone(), conditions(&common.conditions))
}

/// The common facts of the records of `series`, in one line.
pub(super) fn label(series: &Series) -> String {
    list([platform(&series.common.platform), series.common.durability.clone(), apart(series)])
}

/// The conditions in which another series of the history differs; empty where none does.
pub(super) fn apart(series: &Series) -> String {
    list(conditions(&series.apart).into_iter().map(|(name, words)| format!("{name} {words}")))
}

/// A warning about all values of `series`.
pub(super) fn warning(series: &Series) -> Option<&'static str> {
    series.is_smoke().then_some(SMOKE)
}

/// Host, engine and its nodes, preset, size of the tables.
pub(super) fn platform(platform: &HistoryPlatform) -> String {
    let engine = platform.engine.as_deref().unwrap_or("no engine");
    let host = platform.host.as_deref().unwrap_or("an unnamed host");
    let parts = [
        Some(format!("{engine} on {host}")),
        (platform.nodes > 1).then(|| plural(platform.nodes.into(), "node")),
        Some(format!("preset {}", preset(platform.preset))),
        platform.data.map(|size| format!("{} of data", volume(size))),
    ];
    list(parts.into_iter().flatten())
}

/// The degree of parallelism of `entry`; empty where it is invalid.
pub(super) fn at(entry: &HistoryEntry) -> String {
    match entry.at {
        Some(HistoryDegree::Dop(degree, sweep)) => dop(degree, sweep),
        Some(HistoryDegree::InFlight(in_flight)) => in_flight.to_string(),
        None => String::new(),
    }
}

/// Name and value of each of `conditions`.
fn conditions(conditions: &[HistoryCondition]) -> BTreeMap<String, String> {
    let worded = |condition: &HistoryCondition| match condition {
        HistoryCondition::Parameter(name, number) => (name.clone(), number.to_string()),
        HistoryCondition::OfKind(condition) => {
            let (name, value) = condition_text(condition);
            (name.to_owned(), value)
        }
        HistoryCondition::Pace(pace) => ("pace".to_owned(), pace_text(*pace)),
        HistoryCondition::HardwareThreads { one_per_core } => {
            ("hardware threads".to_owned(), if *one_per_core { "one per core" } else { "all" }.to_owned())
        }
    };
    conditions.iter().map(worded).collect()
}
