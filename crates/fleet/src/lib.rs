//! One measurement by agents on many hosts: messages between them, what is known of their clocks, and how they start
//! together.
//!
//! A crate of its own because it pulls the weight of messages between hosts, which a measurement on one host does not
//! need. Clocks and barrier are pure: they are told the time and the answers, and say what to send. Messages go through a
//! server of NATS (core, without its store), because membership, fan-out and reconnection are its trade.

mod agent;
mod agent_processes;
mod attempt;
mod barrier;
mod bridge;
mod clock;
mod conversation;
mod coordinator;
mod deployment;
mod error;
#[cfg(test)]
mod histories;
mod host_agent;
mod host_command;
mod host_lines;
mod inbox;
mod keeper;
mod kept_parts;
mod link;
mod manifest;
mod nats_server;
mod observer;
#[cfg(test)]
mod other_clock;
mod part_writer;
mod parts;
mod permission;
mod piece;
mod question;
mod remote_host;
mod remote_observer;
#[cfg(test)]
mod seeds;
mod signed;
mod silence;
#[cfg(test)]
mod simulation;
mod subject;
#[cfg(test)]
mod taken_over;
#[cfg(test)]
mod tests;
mod ticket;
mod wire;
mod work;

pub use agent::Agent;
pub use agent_processes::AgentProcesses;
pub use barrier::{AgentBarrier, AgentPhase, Barrier, BarrierFailure, BarrierPhase, Due, Loss, Member, Taken};
pub use bridge::Bridge;
pub use clock::{ClockLine, ClockOffset, EXCHANGES, Exchange, offset};
pub use coordinator::{Coordinator, JoinedAgent, Started};
pub use deployment::Deployment;
pub use error::{Error, Result};
pub use keeper::RemoteKeeper;
pub use kept_parts::{FoundParts, KeptParts};
pub use manifest::{Manifest, ManifestFormat};
pub use observer::observe;
pub use remote_host::{RemoteHost, Way};
pub use remote_observer::RemoteObserver;
pub use subject::is_agent_name;
pub use ticket::read_ticket;
pub use work::PartWork;
