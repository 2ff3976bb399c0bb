//! Connections to servers over a Unix socket, TCP or TLS, with defaults from the environment; framing of messages, and
//! encoding of rows for bulk loads. The formats of messages and rows are defined by each engine.
//!
//! A crate of its own because it has several consumers, and so that embedded engines do not depend on it.

mod buffer;
mod connect;
mod deadline;
mod encoder;
mod environment;
#[doc(hidden)]
pub mod fuzz;
mod keepalive;
mod messages;
mod pipeline;
mod socket;
mod stream;
mod tls;

/// For sessions: the other jobs of a thread go on meanwhile.
pub use multiplex::sleep;

pub use self::buffer::Buffer;
pub use self::connect::{Route, TIMEOUT, connect, connect_socket, plain_message, timeout};
pub use self::deadline::Deadline;
pub use self::encoder::{Encoder, RowFormat};
pub use self::environment::Environment;
pub use self::keepalive::{BacklogLimit, Keepalive};
pub use self::messages::{Framing, Input, LOGIN_MESSAGE_BYTES_MAX, MESSAGE_BYTES_MAX, Messages};
pub use self::pipeline::{Pipeline, Pipelined};
pub use self::socket::receive_byte;
pub use self::stream::{Transport, malformed};
pub use self::tls::{Encrypted, Mode, Stream, Tls, TlsSettings, alert};
