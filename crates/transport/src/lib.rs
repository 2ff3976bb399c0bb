//! Byte streams to servers: over a Unix socket, TCP or TLS; how they are reached, and what the environment says of that;
//! messages out of what arrives, and rows of a load on their way. What a message or a row looks like is a matter of the
//! engine.
//!
//! A crate of its own because it has several consumers, and so that engines without a server do not pay its weight.

mod buffer;
mod dial;
mod encoder;
#[doc(hidden)]
pub mod fuzz;
mod messages;
mod silence;
mod stream;
mod surroundings;
mod tls;

pub use self::buffer::Buffer;
pub use self::dial::{TIMEOUT, Way, dial, plain, timeout};
pub use self::encoder::{Encoder, RowFormat};
pub use self::messages::{Framing, Input, LOGIN_MESSAGE_BYTES_MAX, MESSAGE_BYTES_MAX, Messages};
pub use self::stream::{Transport, malformed};
pub use self::surroundings::Surroundings;
pub use self::tls::{Encrypted, Mode, Stream, Tls};
