//! Bytes to and from the server as messages: a tag, a length and what it announces (PostgreSQL manual, "Message Formats").

use std::io;
use std::time::Duration;

use bytes::BytesMut;
use transport::{Buffer, Framing, Messages, Transport, malformed};

/// A tag and the length that follows it.
const HEADER_BYTES: usize = 5;

/// One message of the server, in the buffer that it was received in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'a> {
    pub(crate) tag: u8,
    pub(crate) body: &'a [u8],
}

/// Messages behind their tag and their length.
#[derive(Debug, Default)]
pub(crate) struct Tagged;

impl Framing for Tagged {
    /// The tag, and how long the message is with its header.
    type Frame = (u8, usize);
    type Message<'a> = Message<'a>;

    #[inline]
    fn frame(&self, unread: &[u8], bytes_max: usize) -> io::Result<Option<(u8, usize)>> {
        let Some(header) = unread.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let [tag, length @ ..] = *header;
        // The length counts itself and not the tag.
        let length = u32::from_be_bytes(length) as usize;
        if !(4..=bytes_max).contains(&length) {
            return Err(malformed(format!("a message of {length} bytes where 4 to {bytes_max} are possible")));
        }
        let size = 1 + length;
        Ok((size <= unread.len()).then_some((tag, size)))
    }

    #[inline]
    fn take<'a>(&'a mut self, (tag, size): (u8, usize), buffer: &'a mut Buffer) -> Message<'a> {
        Message { tag, body: &buffer.take(size)[HEADER_BYTES..] }
    }
}

/// One connection, and what is to be sent over it.
pub(crate) struct Wire {
    pub(crate) messages: Messages<Tagged>,
    /// Messages of ours that are not sent yet.
    pub(crate) output: BytesMut,
}

impl Wire {
    /// As [`Messages::new`].
    pub(crate) fn new(transport: Transport, timeout: Option<Duration>) -> io::Result<Wire> {
        Ok(Wire { messages: Messages::new(transport, timeout)?, output: BytesMut::with_capacity(4096) })
    }

    /// Sends what stands in `output`.
    #[inline]
    pub(crate) fn send_output(&mut self) -> io::Result<()> {
        let sent = self.messages.transport.send(&self.output);
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
    fn a_length_that_lies_is_refused_before_memory_is_taken_for_it() {
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
        fn messages_come_out_as_they_went_in_however_they_are_cut(
            bodies in proptest::collection::vec((any::<u8>(), proptest::collection::vec(any::<u8>(), 0..40_000)), 1..8),
            cuts in proptest::collection::vec(1_usize..50_000, 1..8),
        ) {
            let bytes: Vec<u8> = bodies.iter().flat_map(|(tag, body)| framed(*tag, body)).collect();
            let mut input = input();
            let (mut rest, mut seen, mut cuts) = (bytes.as_slice(), Vec::new(), cuts.iter().cycle());
            loop {
                while let Some(message) = input.next_received().unwrap() {
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
            let mut input = input();
            input.buffer.push(&bytes);
            while let Ok(Some(message)) = input.next_received() {
                prop_assert!(message.body.len() <= bytes.len());
            }
        }
    }
}
