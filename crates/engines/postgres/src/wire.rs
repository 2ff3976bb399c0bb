//! Bytes to and from the server: one socket, one buffer each way, messages framed in place.

use std::io;
use std::time::Duration;

use bytes::BytesMut;
use transport::{Buffer, Transport, malformed};

/// The longest message that is believed: PostgreSQL itself builds none above 1 GiB.
pub(crate) const MESSAGE_BYTES_MAX: usize = 1 << 30;

/// The longest message that is believed before the login is complete.
pub(crate) const LOGIN_MESSAGE_BYTES_MAX: usize = 1 << 20;

/// A tag and the length that follows it.
const HEADER_BYTES: usize = 5;

/// One message of the server, in the buffer that it was received in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'a> {
    pub(crate) tag: u8,
    pub(crate) body: &'a [u8],
}

/// Received bytes as messages.
struct Input {
    buffer: Buffer,
    message_bytes_max: usize,
}

impl Input {
    fn new(message_bytes_max: usize) -> Input {
        Input { buffer: Buffer::new(), message_bytes_max }
    }

    /// The next message if it is complete: its tag and how long it is with its header.
    #[inline]
    fn frame(&self) -> io::Result<Option<(u8, usize)>> {
        let unread = self.buffer.unread();
        let Some(header) = unread.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let [tag, length @ ..] = *header;
        // The length counts itself and not the tag.
        let length = u32::from_be_bytes(length) as usize;
        if !(4..=self.message_bytes_max).contains(&length) {
            return Err(malformed(format!(
                "a message of {length} bytes where 4 to {} are possible",
                self.message_bytes_max
            )));
        }
        let size = 1 + length;
        Ok((size <= unread.len()).then_some((tag, size)))
    }

    /// Takes the message that `frame` found.
    #[inline]
    fn take(&mut self, tag: u8, size: usize) -> Message<'_> {
        Message { tag, body: &self.buffer.take(size)[HEADER_BYTES..] }
    }
}

/// One connection as a stream of messages.
pub(crate) struct Wire {
    transport: Transport,
    patience: Option<Duration>,
    input: Input,
    /// Messages of ours that are not sent yet.
    pub(crate) output: BytesMut,
}

impl Wire {
    /// A connection that is to log in: impatient, and suspicious of long messages.
    pub(crate) fn new(transport: Transport, patience: Option<Duration>) -> io::Result<Wire> {
        let mut wire = Wire {
            transport,
            patience: None,
            input: Input::new(LOGIN_MESSAGE_BYTES_MAX),
            output: BytesMut::with_capacity(4096),
        };
        wire.set_patience(patience)?;
        Ok(wire)
    }

    /// From now on waits for ever: a statement may take hours.
    pub(crate) fn trust(&mut self) -> io::Result<()> {
        self.input.message_bytes_max = MESSAGE_BYTES_MAX;
        self.set_patience(None)
    }

    /// How long to wait for the server from now on; for ever without a limit.
    pub(crate) fn set_patience(&mut self, patience: Option<Duration>) -> io::Result<()> {
        self.patience = patience;
        self.transport.set_patience(patience)
    }

    /// Whether the server may leave unread what it was sent, as one does that stores a load.
    pub(crate) fn allow_backlog(&mut self, allowed: bool) -> io::Result<()> {
        self.transport.allow_backlog(allowed)
    }

    /// Sends what stands in `output`.
    #[inline]
    pub(crate) fn send_output(&mut self) -> io::Result<()> {
        let sent = self.transport.send(&self.output);
        self.output.clear();
        sent
    }

    /// Sends a message that was built elsewhere, in two parts.
    pub(crate) fn send_both(&mut self, head: &[u8], body: &[u8]) -> io::Result<()> {
        self.transport.send_both(head, body)
    }

    /// Sends messages that were built elsewhere.
    #[inline]
    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.transport.send(bytes)
    }

    /// The next message of the server.
    #[inline]
    pub(crate) fn next(&mut self) -> io::Result<Message<'_>> {
        loop {
            if let Some((tag, size)) = self.input.frame()? {
                return Ok(self.input.take(tag, size));
            }
            self.transport.receive(&mut self.input.buffer, self.patience)?;
        }
    }

    /// Whether the server has said something, without waiting for it. Only where that can be known for sure: bytes on
    /// an encrypted connection need not be a message.
    pub(crate) fn has_answer(&self) -> bool {
        !self.input.buffer.unread().is_empty() || self.transport.has_input()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn framed(tag: u8, body: &[u8]) -> Vec<u8> {
        let mut message = vec![tag];
        message.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
        message.extend_from_slice(body);
        message
    }

    #[test]
    fn a_length_that_lies_is_refused_before_memory_is_taken_for_it() {
        for length in [0_u32, 3, (1 << 30) + 1, u32::MAX] {
            let mut input = Input::new(MESSAGE_BYTES_MAX);
            input.buffer.push(b"D");
            input.buffer.push(&length.to_be_bytes());
            assert!(input.frame().is_err(), "{length}");
            assert_eq!(input.buffer.capacity(), Buffer::new().capacity());
        }
    }

    #[test]
    fn a_message_longer_than_the_buffer_arrives_whole() {
        let body: Vec<u8> = (0..300_000_u32).map(|number| number as u8).collect();
        let mut input = Input::new(MESSAGE_BYTES_MAX);
        input.buffer.push(&framed(b'D', &body));
        let (tag, size) = input.frame().unwrap().unwrap();
        assert_eq!(input.take(tag, size).body, body);
        assert!(input.frame().unwrap().is_none());
    }

    proptest! {
        #[test]
        fn messages_come_out_as_they_went_in_however_they_are_cut(
            bodies in proptest::collection::vec((any::<u8>(), proptest::collection::vec(any::<u8>(), 0..40_000)), 1..8),
            cuts in proptest::collection::vec(1_usize..50_000, 1..8),
        ) {
            let bytes: Vec<u8> = bodies.iter().flat_map(|(tag, body)| framed(*tag, body)).collect();
            let mut input = Input::new(MESSAGE_BYTES_MAX);
            let (mut rest, mut seen, mut cuts) = (bytes.as_slice(), Vec::new(), cuts.iter().cycle());
            loop {
                while let Some((tag, size)) = input.frame().unwrap() {
                    let message = input.take(tag, size);
                    seen.push((message.tag, message.body.to_vec()));
                }
                if rest.is_empty() {
                    break;
                }
                let count = (*cuts.next().unwrap()).min(rest.len());
                input.buffer.push(&rest[..count]);
                rest = &rest[count..];
            }
            prop_assert_eq!(seen, bodies);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let mut input = Input::new(MESSAGE_BYTES_MAX);
            input.buffer.push(&bytes);
            while let Ok(Some((tag, size))) = input.frame() {
                prop_assert!(input.take(tag, size).body.len() <= bytes.len());
            }
        }
    }
}
