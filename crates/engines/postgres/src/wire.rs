//! Messages of the protocol: tag, length and body (PostgreSQL manual, "Message Formats").

use std::io;

use bytes::BytesMut;
use transport::{Buffer, Deadline, Framing, Messages, Transport, malformed};

/// Size of tag and length.
const HEADER_BYTES: usize = 5;

/// One message of the server, in the receive buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'a> {
    pub(crate) tag: u8,
    pub(crate) body: &'a [u8],
}

/// Messages with tag and length.
#[derive(Debug, Default)]
pub(crate) struct Tagged;

impl Framing for Tagged {
    /// The tag, and the size of the message with its header.
    type Frame = (u8, usize);
    type Message<'a> = Message<'a>;

    #[inline]
    fn frame(&self, unread: &[u8], bytes_max: usize) -> io::Result<Option<(u8, usize)>> {
        let Some(header) = unread.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let [tag, length @ ..] = *header;
        // The length includes itself, but not the tag.
        let length = u32::from_be_bytes(length) as usize;
        if !(4..=bytes_max).contains(&length) {
            return Err(malformed(format!("a message of {length} bytes, expected 4 to {bytes_max}")));
        }
        let size = 1 + length;
        Ok((size <= unread.len()).then_some((tag, size)))
    }

    #[inline]
    fn take<'a>(&'a mut self, (tag, size): (u8, usize), buffer: &'a mut Buffer) -> Message<'a> {
        Message { tag, body: &buffer.take(size)[HEADER_BYTES..] }
    }
}

/// One connection, with its output buffer.
pub(crate) struct Wire {
    pub(crate) messages: Messages<Tagged>,
    /// Messages to be sent.
    pub(crate) output: BytesMut,
}

impl Wire {
    /// As [`Messages::new`].
    pub(crate) fn new(transport: Transport, deadline: Deadline) -> Wire {
        Wire { messages: Messages::new(transport, deadline), output: BytesMut::with_capacity(4096) }
    }

    /// Sends `output`.
    #[inline]
    pub(crate) fn send_output(&mut self) -> io::Result<()> {
        let sent = self.messages.send(&self.output);
        self.output.clear();
        sent
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use transport::{Input, MESSAGE_BYTES_MAX};

    use super::*;

    fn input() -> Input<Tagged> {
        Input::new(MESSAGE_BYTES_MAX)
    }

    fn framed(tag: u8, body: &[u8]) -> Vec<u8> {
        let mut message = vec![tag];
        message.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
        message.extend_from_slice(body);
        message
    }

    #[test]
    fn an_invalid_length_is_rejected_before_memory_is_allocated() {
        for length in [0_u32, 3, (1 << 30) + 1, u32::MAX] {
            let mut input = input();
            input.buffer.push(b"D");
            input.buffer.push(&length.to_be_bytes());
            assert!(input.next_received().is_err(), "{length}");
            assert_eq!(input.buffer.capacity(), Buffer::new().capacity());
        }
    }

    #[test]
    fn a_message_longer_than_the_buffer_arrives_whole() {
        let body: Vec<u8> = (0..300_000_u32).map(|number| number as u8).collect();
        let mut input = input();
        input.buffer.push(&framed(b'D', &body));
        assert_eq!(input.next_received().unwrap().unwrap().body, body);
        assert!(input.next_received().unwrap().is_none());
    }

    proptest! {
        #[test]
        fn messages_are_framed_independently_of_fragmentation(
            bodies in proptest::collection::vec((any::<u8>(), proptest::collection::vec(any::<u8>(), 0..40_000)), 1..8),
            cuts in proptest::collection::vec(1_usize..50_000, 1..8),
        ) {
            let bytes: Vec<u8> = bodies.iter().flat_map(|(tag, body)| framed(*tag, body)).collect();
            let mut input = input();
            let (mut rest, mut connection, mut cuts) = (bytes.as_slice(), Vec::new(), cuts.iter().cycle());
            loop {
                while let Some(message) = input.next_received().unwrap() {
                    connection.push((message.tag, message.body.to_vec()));
                }
                if rest.is_empty() {
                    break;
                }
                let count = (*cuts.next().unwrap()).min(rest.len());
                input.buffer.push(&rest[..count]);
                rest = &rest[count..];
            }
            prop_assert_eq!(connection, bodies);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let mut input = input();
            input.buffer.push(&bytes);
            while let Ok(Some(message)) = input.next_received() {
                prop_assert!(message.body.len() <= bytes.len());
            }
        }
    }
}
