//! One measurement by agents on many hosts: what is known of their clocks, and how they start together.
//!
//! A crate of its own because it pulls the weight of messages between hosts, which a measurement on one host does not
//! need. Clocks and barrier are pure: they are told the time and the answers, and say what to send.

mod barrier;
mod clock;

pub use barrier::{AgentBarrier, AgentPhase, Barrier, BarrierFailure, BarrierPhase, Due, Member, Taken};
pub use clock::{ClockLine, ClockOffset, EXCHANGES, Exchange, offset};
