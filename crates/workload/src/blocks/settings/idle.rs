//! Settings that change nothing, because of another one that they belong to.

use super::BlocksSettings;

/// Settings that change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idle {
    /// Their names, as the file has them.
    pub names: &'static [&'static str],
    /// Why, as the end of a sentence.
    pub reason: &'static str,
    /// What would make them count.
    pub hint: &'static str,
}

const HOT_SPOT: Idle = Idle {
    names: &["HOTSPOT_MB", "HOTSPOT_OFFSET_MB", "HOTSPOT_FREQUENCY"],
    reason: "there is no hot spot",
    hint: "give --hotspot (DO_HOTSPOT=TRUE) too",
};

const THINK_TIME: Idle = Idle {
    names: &["THINK_TM_MIN", "THINK_TM_MAX"],
    reason: "no operation has a pause before it",
    hint: "give --think-frequency (THINK_TM_FREQUENCY) too",
};

const HOT_SCHEMA: Idle = Idle {
    names: &["HOT_SCHEMA_FREQUENCY"],
    reason: "there is one schema, to which all operations go",
    hint: "give --schemas 2 or more",
};

impl BlocksSettings {
    /// The settings that change nothing, by what they belong to, whether or not they were made.
    pub fn idle(&self) -> Vec<Idle> {
        let idle = [
            (HOT_SPOT, !self.hot_spot_wanted),
            (THINK_TIME, self.think_frequency == 0),
            (HOT_SCHEMA, self.hot_schema_frequency > 0 && self.schemas == 1),
        ];
        idle.into_iter().filter_map(|(which, is_idle)| is_idle.then_some(which)).collect()
    }

    /// One operation in so many goes to the first schema, where there are others; none where none does.
    pub fn hot_schema(&self) -> Option<u64> {
        (self.hot_schema_frequency > 0 && self.schemas > 1).then_some(self.hot_schema_frequency)
    }
}
