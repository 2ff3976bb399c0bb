//! What the sessions of a node are doing at one moment.

use record::WaitClass;

/// A session at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveSession {
    /// Class of what it waits for; [`WaitClass::Cpu`] where it waits for nothing that the engine knows of.
    pub class: WaitClass,
    /// What it waits for: as the engine calls it, and where one of its counters times the same, as the name of that says
    /// it ([`record::name::wait`]), so that the two can be held against each other. Empty where it waits for nothing.
    pub event: String,
}

/// One look at the sessions of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The sessions that were at work.
    pub sessions: Vec<ActiveSession>,
    /// How many transactions the engine counts for the look itself; they are in its counters when the session that
    /// looked has published them.
    pub own_commits: u64,
}
