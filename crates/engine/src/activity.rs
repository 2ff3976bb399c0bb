//! What the sessions of a node are doing at one moment.

use record::WaitClass;

/// An active session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveSession {
    /// Class of the wait; [`WaitClass::Cpu`] if the engine reports no wait.
    pub class: WaitClass,
    /// Name of the wait event, as the engine reports it. If one of the engine's counters times the same wait, the name
    /// equals that of the counter ([`record::name::wait`]), so that both can be compared. Empty if the session does not
    /// wait.
    pub event: String,
}

/// One sample of the active sessions of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionSample {
    /// The active sessions.
    pub sessions: Vec<ActiveSession>,
    /// Number of transactions that the engine counts for the sample itself. They are included in its counters once the
    /// sampling session has published them.
    pub own_commits: u64,
}
