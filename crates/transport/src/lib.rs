//! Byte streams to servers: over a Unix socket, TCP or TLS; how they are reached, and what the environment says of that.
//!
//! A crate of its own because it has several consumers, and so that engines without a server do not pay its weight.

mod buffer;
mod dial;
mod silence;
mod stream;
mod surroundings;
mod tls;

pub use self::buffer::Buffer;
pub use self::dial::{PATIENCE, Way, dial, patience, plain};
pub use self::stream::{Transport, malformed};
pub use self::surroundings::Surroundings;
pub use self::tls::{Encrypted, Mode, Stream, Tls};
