//! One figure of a test over records: the entry of each record, which of them are comparable, and the changes between
//! those.

mod change_point;
mod entry;
mod series;

pub use change_point::{ChangePoint, change_points};
pub use entry::{
    HistoryCommon, HistoryCondition, HistoryDegree, HistoryEntry, HistoryPlatform, HistoryQuery, Metric, history_entry,
};
pub use series::{Look, Series, look};
