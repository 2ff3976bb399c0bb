//! The barrier at which all agents start: PREPARE, all READY, ARM, all ARMED, CONFIRM, the agreed start.
//!
//! No agent starts unless all were armed, because only then a confirmation is sent; and an agent without one at its
//! start disarms by itself, so that a message that is lost or late ends an attempt and never splits it unnoticed.
//! Orders may be lost, doubled or reordered: the same order twice has the effect of one, and an older epoch has none.

mod agent;
mod coordinator;
#[cfg(test)]
mod tests;

pub use agent::{AgentBarrier, AgentPhase, Due, Taken};
pub use coordinator::{Barrier, BarrierFailure, BarrierPhase, Loss, Member};
