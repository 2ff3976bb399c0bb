//! Why nothing could be done.

use std::fmt;

/// Who has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FabricFault {
    /// A mistake of the user.
    User,
    /// The environment refused.
    Environment,
}

/// Why a target or connection could not be made, found or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FabricError {
    /// Who has to act.
    pub fault: FabricFault,
    /// Thing, value and limit.
    pub message: String,
    /// What may be done.
    pub hint: String,
}

impl FabricError {
    pub(super) fn user(message: impl Into<String>, hint: impl Into<String>) -> FabricError {
        FabricError { fault: FabricFault::User, message: message.into(), hint: hint.into() }
    }

    pub(super) fn environment(message: impl Into<String>, hint: impl Into<String>) -> FabricError {
        FabricError { fault: FabricFault::Environment, message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for FabricError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}; {}", self.message, self.hint)
    }
}

impl std::error::Error for FabricError {}
