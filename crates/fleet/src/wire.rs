//! One end of the messages of a fleet, with the clock there: a connection to the message server, or a simulated one.

use std::time::Duration;

use record::Nanos;

/// What arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// A message.
    Message(Message),
    /// The server refused something, such as a subject that this key may not use.
    Refused(String),
    /// The connection has ended for good: nothing arrives any more. It is told once.
    Over,
}

/// A message with the moment of its arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub subject: String,
    pub reply: Option<String>,
    pub payload: Vec<u8>,
    pub at: Nanos,
}

/// One end of the messages, and its clock.
pub(crate) trait Wire: Send {
    /// The time of the monotonic clock here.
    fn now(&self) -> Nanos;

    /// Sends a message. That it was received is known by an answer only.
    fn send(&self, subject: String, reply: Option<String>, payload: Vec<u8>);

    /// What arrives within `timeout`; None if nothing does.
    fn receive(&self, timeout: Duration) -> Option<Arrival>;

    /// Waits until `moment`, exactly.
    fn wait_until(&self, moment: Nanos);
}
