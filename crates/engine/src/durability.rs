//! What a proof of durability needs of an engine: settings that weaken it, and checks of its own.

use std::path::Path;

use crate::{Target, Value};

/// How durability of an engine is weakened and checked.
#[derive(Clone, Copy, Debug)]
pub struct Durability {
    /// Parameters of a target that keep its files small enough for memory, where the user gives none.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Settings under which acknowledged commits may be lost, the usual one first.
    pub weakenings: &'static [Weakening],
    /// Settings, or facts among them, by which the engine protects its pages against faults: checksums, copies.
    pub protections: &'static [&'static str],
    /// A statement after which the log goes on in another file, or from its beginning; absent where there is none.
    pub log_switch: Option<&'static str>,
    /// Checks by the engine itself of what is stored.
    pub checks: &'static [OwnCheck],
    /// How several nodes of it are lost; absent where it is started as a single one alone.
    pub cluster: Option<&'static ClusterDurability>,
    /// What its server says of its start.
    pub start: StartQueries,
}

/// How durability of several nodes is proved.
#[derive(Clone, Copy, Debug)]
pub struct ClusterDurability {
    /// Whether a target asks for several nodes.
    pub is_asked: fn(&Target) -> bool,
    /// Parameters of a target that keep the files of several nodes small, where the user gives none.
    pub parameters: &'static [(&'static str, &'static str)],
    /// How a replica takes over when the primary is lost; absent where all nodes take writes.
    pub failover: Option<Failover>,
}

/// How a replica takes over when the primary is lost.
#[derive(Clone, Copy, Debug)]
pub struct Failover {
    /// Parameters of a target by which a replica has what is acknowledged, where the user gives none.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Settings under which acknowledged commits are lost with the primary, the usual one first.
    pub weakenings: &'static [Weakening],
    /// A query on the primary: the processes that send its log to replicas.
    pub senders: &'static str,
    /// A query on a replica: how much of the log it has, a number that grows.
    pub position: &'static str,
    /// A query on a replica, after which it takes writes; 1 where it does.
    pub promote: &'static str,
}

/// Queries by which a server says of its start what it can, with the rights that the user has there; each answers with one row,
/// whose last column counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct StartQueries {
    /// A number that is another one after each start.
    pub mark: Option<&'static str>,
    /// Seconds since its start.
    pub uptime: Option<&'static str>,
    /// The identifier of the start of its host (`boot_id` of Linux).
    pub host: Option<&'static str>,
}

impl StartQueries {
    /// Of an engine without a server.
    pub const NONE: StartQueries = StartQueries { mark: None, uptime: None, host: None };
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
    /// Whether pages stay torn of which a part alone was written.
    pub keeps_torn_pages: bool,
}

impl Weakening {
    /// One under which acknowledged commits are lost with what was not synced, and with killed processes if `loses_on_kill`.
    pub const fn of_commits(parameters: &'static [(&'static str, &'static str)], loses_on_kill: bool) -> Weakening {
        Weakening { parameters, loses_on_kill, loses_on_power_cut: true, keeps_torn_pages: false }
    }

    /// One under which pages stay torn.
    pub const fn of_pages(parameters: &'static [(&'static str, &'static str)]) -> Weakening {
        Weakening { parameters, loses_on_kill: false, loses_on_power_cut: false, keeps_torn_pages: true }
    }
}

/// A check by the engine of what it has stored.
#[derive(Clone, Copy, Debug)]
pub struct OwnCheck {
    /// A statement that makes the check possible; where it fails, because a part of the engine is not installed, the check is
    /// left out.
    pub prepare: Option<&'static str>,
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
