//! Framing of messages in a byte stream: one socket, one buffer, messages read in place.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use crate::{Buffer, Deadline, Transport};

/// Maximum accepted message size: no supported server sends more than 1 GiB.
pub const MESSAGE_BYTES_MAX: usize = 1 << 30;

/// Maximum accepted message size before the login is complete.
pub const LOGIN_MESSAGE_BYTES_MAX: usize = 1 << 20;

/// Message format of a protocol, with its state.
pub trait Framing: Default {
    /// Position of the next message.
    type Frame: Copy;
    /// A message in the receive buffer.
    type Message<'a>
    where
        Self: 'a;

    /// The next message if it is complete in `unread`.
    ///
    /// # Errors
    /// `InvalidData` for an invalid length, or one above `bytes_max`.
    fn frame(&self, unread: &[u8], bytes_max: usize) -> io::Result<Option<Self::Frame>>;

    /// Consumes the message that [`Self::frame`] found from `buffer`.
    fn take<'a>(&'a mut self, frame: Self::Frame, buffer: &'a mut Buffer) -> Self::Message<'a>;
}

/// Received bytes as messages.
#[derive(Debug)]
pub struct Input<F> {
    /// State of the protocol.
    pub framing: F,
    /// The receive buffer.
    pub buffer: Buffer,
    /// Maximum accepted message size in bytes.
    pub message_bytes_max: usize,
}

impl<F: Framing> Input<F> {
    /// For a new connection.
    pub fn new(message_bytes_max: usize) -> Input<F> {
        Input { framing: F::default(), buffer: Buffer::new(), message_bytes_max }
    }

    #[inline]
    fn frame(&self) -> io::Result<Option<F::Frame>> {
        self.framing.frame(self.buffer.unread(), self.message_bytes_max)
    }

    #[inline]
    fn take(&mut self, frame: F::Frame) -> F::Message<'_> {
        self.framing.take(frame, &mut self.buffer)
    }

    /// The next message, if it was received completely.
    ///
    /// # Errors
    /// As [`Framing::frame`].
    pub fn next_received(&mut self) -> io::Result<Option<F::Message<'_>>> {
        match self.frame()? {
            Some(frame) => Ok(Some(self.take(frame))),
            None => Ok(None),
        }
    }
}

/// Tells the other jobs of a thread that a socket is closed, when it is dropped: before the socket itself, or when that gets another
/// owner.
struct Closing(RawFd);

impl Drop for Closing {
    fn drop(&mut self) {
        multiplex::closing(self.0);
    }
}

/// One connection as a stream of messages.
pub struct Messages<F> {
    // Fields are dropped in their order.
    _closing: Closing,
    /// The connection; requests are sent by [`Messages::send`] and [`Messages::send_both`].
    pub transport: Transport,
    /// The received data.
    pub input: Input<F>,
    deadline: Deadline,
    /// Whether something was sent since the last bytes were received.
    is_unanswered: bool,
    round_trip_count: u64,
}

impl<F: Framing> Messages<F> {
    /// A connection before login, which has to be complete at `deadline`, and with a small maximum message size.
    pub fn new(transport: Transport, deadline: Deadline) -> Messages<F> {
        Messages {
            _closing: Closing(transport.socket()),
            transport,
            input: Input::new(LOGIN_MESSAGE_BYTES_MAX),
            deadline,
            is_unanswered: false,
            round_trip_count: 0,
        }
    }

    /// After login: removes the deadline, because a statement may take hours, and raises the maximum message size.
    pub fn enter_session(&mut self) {
        self.input.message_bytes_max = MESSAGE_BYTES_MAX;
        self.deadline = Deadline::NONE;
    }

    /// All that is sent and received from now on has to be so within `timeout`, however many messages it is; `None` waits forever.
    pub fn limit(&mut self, timeout: Option<Duration>) {
        self.deadline = Deadline::after(timeout);
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// As [`Transport::send`].
    #[inline]
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.is_unanswered = true;
        self.transport.send(bytes, self.deadline)
    }

    /// Sends all of `head` and then all of `body`.
    ///
    /// # Errors
    /// As [`Transport::send_both`].
    #[inline]
    pub fn send_both(&mut self, head: &[u8], body: &[u8]) -> io::Result<()> {
        self.is_unanswered = true;
        self.transport.send_both(head, body, self.deadline)
    }

    /// How often an answer to what was sent was waited for, since the connection was opened: however much was sent in
    /// parts before, and however long the answer is.
    pub fn round_trip_count(&self) -> u64 {
        self.round_trip_count
    }

    /// Waits for the next message of the server.
    ///
    /// # Errors
    /// As [`Transport::receive`] and [`Framing::frame`].
    #[inline]
    pub fn receive(&mut self) -> io::Result<F::Message<'_>> {
        loop {
            if let Some(frame) = self.input.frame()? {
                return Ok(self.input.take(frame));
            }
            self.transport.receive(&mut self.input.buffer, self.deadline)?;
            self.round_trip_count += u64::from(std::mem::take(&mut self.is_unanswered));
        }
    }

    /// Whether the server has sent something, without waiting for it, as [`Transport::has_input`].
    pub fn has_message(&self) -> bool {
        !self.input.buffer.unread().is_empty() || self.transport.has_input()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use super::*;

    /// A byte with the length, then as many bytes.
    #[derive(Default)]
    struct Short;

    impl Framing for Short {
        type Frame = usize;
        type Message<'a> = &'a [u8];

        fn frame(&self, unread: &[u8], _bytes_max: usize) -> io::Result<Option<usize>> {
            let size = unread.first().map(|length| 1 + usize::from(*length));
            Ok(size.filter(|size| *size <= unread.len()))
        }

        fn take<'a>(&'a mut self, size: usize, buffer: &'a mut Buffer) -> &'a [u8] {
            &buffer.take(size)[1..]
        }
    }

    #[test]
    fn a_round_trip_is_a_request_in_any_parts_and_an_answer_in_any_messages() {
        let (near, mut far) = UnixStream::pair().unwrap();
        let mut messages: Messages<Short> = Messages::new(Transport::Unix(near), Deadline::NONE);
        far.write_all(b"\x02hi").unwrap();
        assert_eq!(messages.receive().unwrap(), b"hi");
        assert_eq!(messages.round_trip_count(), 0, "nothing was asked");
        messages.send(b"one").unwrap();
        messages.send_both(b"t", b"wo").unwrap();
        assert_eq!(messages.round_trip_count(), 0, "nothing was waited for");
        far.write_all(b"\x01a\x01b\x02c").unwrap();
        assert_eq!(messages.receive().unwrap(), b"a");
        assert_eq!(messages.receive().unwrap(), b"b");
        far.write_all(b"d").unwrap();
        assert_eq!(messages.receive().unwrap(), b"cd");
        assert_eq!(messages.round_trip_count(), 1);
        messages.send(b"three").unwrap();
        far.write_all(b"\x00").unwrap();
        messages.receive().unwrap();
        assert_eq!(messages.round_trip_count(), 2);
    }
}
