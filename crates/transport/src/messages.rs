//! Messages out of a stream of bytes: one socket, one buffer, messages framed and read where they were received.

use std::io;
use std::time::Duration;

use crate::{Buffer, Transport};

/// The longest message that is believed: no server that is spoken to builds one above 1 GiB.
pub const MESSAGE_BYTES_MAX: usize = 1 << 30;

/// The longest message that is believed before the login is complete.
pub const LOGIN_MESSAGE_BYTES_MAX: usize = 1 << 20;

/// How the messages of a protocol lie in a stream of bytes, and what is remembered from one to the next.
pub trait Framing: Default {
    /// Where the next message lies.
    type Frame: Copy;
    /// A message, in the buffer that it was received in.
    type Message<'a>
    where
        Self: 'a;

    /// The next message if `unread` begins with all of it.
    ///
    /// # Errors
    /// `InvalidData` for a length that cannot be, or one above `bytes_max`.
    fn frame(&self, unread: &[u8], bytes_max: usize) -> io::Result<Option<Self::Frame>>;

    /// Takes the message that [`Self::frame`] found out of `buffer`.
    fn take<'a>(&'a mut self, frame: Self::Frame, buffer: &'a mut Buffer) -> Self::Message<'a>;
}

/// Received bytes as messages.
#[derive(Debug)]
pub struct Input<F> {
    /// What the protocol remembers.
    pub framing: F,
    /// What was received and is not read yet.
    pub buffer: Buffer,
    /// The longest message that is believed, in bytes.
    pub message_bytes_max: usize,
}

impl<F: Framing> Input<F> {
    /// Of a connection on which nothing was received yet.
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

    /// The next message, if all of it was received.
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

/// One connection as a stream of messages.
pub struct Messages<F> {
    /// What carries the bytes, for what is sent.
    pub transport: Transport,
    /// What arrives.
    pub input: Input<F>,
    timeout: Option<Duration>,
}

impl<F: Framing> Messages<F> {
    /// A connection that is to log in: with a limit on how long to wait, and suspicious of long messages.
    ///
    /// # Errors
    /// As the operating system says.
    pub fn new(transport: Transport, timeout: Option<Duration>) -> io::Result<Messages<F>> {
        let mut messages = Messages { transport, input: Input::new(LOGIN_MESSAGE_BYTES_MAX), timeout: None };
        messages.set_timeout(timeout)?;
        Ok(messages)
    }

    /// From now on waits for ever: a statement may take hours.
    ///
    /// # Errors
    /// As the operating system says.
    pub fn trust(&mut self) -> io::Result<()> {
        self.input.message_bytes_max = MESSAGE_BYTES_MAX;
        self.set_timeout(None)
    }

    /// How long to wait for the server from now on; for ever without a limit.
    ///
    /// # Errors
    /// As the operating system says.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        self.timeout = timeout;
        self.transport.set_timeout(timeout)
    }

    /// The next message of the server, which is waited for.
    ///
    /// # Errors
    /// As [`Transport::receive`] and [`Framing::frame`].
    #[inline]
    pub fn receive(&mut self) -> io::Result<F::Message<'_>> {
        loop {
            if let Some(frame) = self.input.frame()? {
                return Ok(self.input.take(frame));
            }
            self.transport.receive(&mut self.input.buffer, self.timeout)?;
        }
    }

    /// Whether the server has said something, without waiting for it, as [`Transport::has_input`].
    pub fn has_answer(&self) -> bool {
        !self.input.buffer.unread().is_empty() || self.transport.has_input()
    }
}
