//! The two ends of the network probes, and the protocol between them.
//!
//! A connection begins with a greeting that says what it is for; the peer then sends messages back, counts what it
//! receives, or sends. There is no authentication and no encryption: a peer keeps nothing and gives nothing but what it
//! says of its host, and its use of the machine is bounded ([`Limits`]).
//!
//! Bytes are counted where they arrive: a peer that receives tells its counts while it does, on the same connection, and
//! blocks that it sends begin with the number of bytes before them.

mod connection;
mod protocol;
mod server;
#[cfg(test)]
mod tests;
mod wire;

pub(crate) use connection::Connection;
pub use connection::{PeerError, ask};
pub use protocol::{Facts, Service, VERSION};
pub use server::{Describe, Limits, OnRefused, Server};

/// The port of a peer where none is given.
pub const PORT: u16 = 5_250;
