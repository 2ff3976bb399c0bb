//! One measurement by agents on many hosts: messages between them, what is known of their clocks, and how they start
//! together.
//!
//! A crate of its own because it pulls the weight of messages between hosts, which a measurement on one host does not
//! need. Clocks and barrier are pure: they are told the time and the answers, and say what to send. Messages go through a
//! server of NATS (core, without its store), because membership, fan-out and reconnection are its trade.

mod agent;
mod barrier;
mod clock;
mod coordinator;
mod deployment;
mod error;
mod link;
mod local_agents;
mod nats_server;
mod piece;
mod subject;
#[cfg(test)]
mod tests;
mod work;

pub use agent::Agent;
pub use barrier::{AgentBarrier, AgentPhase, Barrier, BarrierFailure, BarrierPhase, Due, Member, Taken};
pub use clock::{ClockLine, ClockOffset, EXCHANGES, Exchange, offset};
pub use coordinator::{Coordinator, JoinedAgent, Started};
pub use deployment::Deployment;
pub use error::{Error, Result};
pub use local_agents::{LocalAgents, read_ticket};
pub use subject::is_agent_name;
pub use work::PartWork;
