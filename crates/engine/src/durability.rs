//! What a proof of durability needs of an engine: settings that weaken it, and checks of its own.

use std::path::Path;

use crate::Value;

/// How durability of an engine is weakened and checked.
#[derive(Clone, Copy, Debug)]
pub struct Durability {
    /// Parameters of a target that keep its files small enough for memory, where the user gives none.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Settings under which acknowledged commits may be lost, the usual one first.
    pub weakenings: &'static [Weakening],
    /// Checks by the engine itself of what is stored.
    pub checks: &'static [OwnCheck],
}

/// Parameters of a target that trade durability for speed.
#[derive(Clone, Copy, Debug)]
pub struct Weakening {
    /// Parameters of the target.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Whether commits are lost when the processes of the engine are killed.
    pub loses_on_kill: bool,
    /// Whether commits are lost when what was not synced is lost.
    pub loses_on_power_cut: bool,
}

/// A check by the engine of what it has stored.
#[derive(Clone, Copy, Debug)]
pub struct OwnCheck {
    /// A query about the table with this name.
    pub statement: fn(&str) -> String,
    /// Whether a row of its answer says that all is well.
    pub is_fine: fn(&[Value<'_>]) -> bool,
}

/// What an engine in this process does to its files, call by call. A call that is refused fails.
pub trait FileLayer: Send + Sync {
    /// Makes an empty file unless there is one; whether it may.
    fn create(&self, path: &Path) -> bool;

    /// Writes `data` at `offset`; whether it may.
    fn write(&self, path: &Path, offset: u64, data: &[u8]) -> bool;

    /// Sets the size of a file; whether it may.
    fn truncate(&self, path: &Path, size: u64) -> bool;

    /// Syncs a file; whether it may.
    fn sync(&self, path: &Path) -> bool;

    /// Removes a file, and syncs its directory if `is_synced`; whether it may.
    fn remove(&self, path: &Path, is_synced: bool) -> bool;
}
