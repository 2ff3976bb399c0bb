//! Bytes to and from the server: one socket, one buffer each way, messages framed in place.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use bytes::BytesMut;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

/// The longest message that is believed: PostgreSQL itself builds none above 1 GiB.
pub(crate) const MESSAGE_BYTES_MAX: usize = 1 << 30;

/// The longest message that is believed before the login is complete.
pub(crate) const LOGIN_MESSAGE_BYTES_MAX: usize = 1 << 20;

/// Room for what one system call brings, to begin with.
const INPUT_BYTES: usize = 64 * 1024;

/// A tag and the length that follows it.
const HEADER_BYTES: usize = 5;

/// What carries the bytes.
pub(crate) enum Transport {
    Unix(UnixStream),
    Tcp(TcpStream),
    Tls(Box<tls::Stream>),
}

impl Transport {
    /// What is there, at least one byte; 0 at the end of the stream.
    ///
    /// On a Unix socket the wait happens in `poll`: the peer that *reads* a request wakes a thread blocked in `recv`
    /// for the space that it made, which costs a second context switch per statement; `poll` for input only is woken
    /// once. TCP has no such wake-up, and the extra call would only cost.
    fn receive(&mut self, into: &mut [u8], patience: Option<Duration>) -> io::Result<usize> {
        match self {
            Transport::Unix(stream) => {
                if !has_input(stream, patience)? {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                receive_from(stream, into)
            }
            Transport::Tcp(stream) => receive_from(stream, into),
            Transport::Tls(stream) => stream.read(into),
        }
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Transport::Unix(stream) => send_to(stream, bytes),
            Transport::Tcp(stream) => send_to(stream, bytes),
            Transport::Tls(stream) => {
                stream.write_all(bytes)?;
                stream.flush()
            }
        }
    }

    fn set_patience(&mut self, patience: Option<Duration>) -> io::Result<()> {
        match self {
            // `poll` does the waiting.
            Transport::Unix(_) => Ok(()),
            Transport::Tcp(stream) => stream.set_read_timeout(patience),
            Transport::Tls(stream) => stream.sock.set_read_timeout(patience),
        }
    }
}

/// Waits until something is there to be read; false when `patience` ran out.
fn has_input(stream: &impl AsFd, patience: Option<Duration>) -> io::Result<bool> {
    let limit = patience.map(|patience| Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    });
    loop {
        match poll(&mut [PollFd::new(stream, PollFlags::IN)], limit.as_ref()) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn receive_from(stream: &impl AsFd, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match recv(stream, &mut *into, RecvFlags::empty()) {
            Ok((_, count)) => return Ok(count),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Err(io::ErrorKind::TimedOut.into()),
            Err(error) => return Err(error.into()),
        }
    }
}

fn send_to(stream: &impl AsFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match send(stream, bytes, SendFlags::NOSIGNAL) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// One message of the server, in the buffer that it was received in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'a> {
    pub(crate) tag: u8,
    pub(crate) body: &'a [u8],
}

/// A message that cannot be what it says.
pub(crate) fn malformed(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

/// Received bytes, of which those in `begin..end` are not read yet.
struct Input {
    bytes: Vec<u8>,
    begin: usize,
    end: usize,
    message_bytes_max: usize,
}

impl Input {
    fn new(message_bytes_max: usize) -> Input {
        Input { bytes: vec![0; INPUT_BYTES], begin: 0, end: 0, message_bytes_max }
    }

    /// The next message if it is complete: its tag and where its body ends.
    #[inline]
    fn frame(&self) -> io::Result<Option<(u8, usize)>> {
        let Some(header) = self.bytes[self.begin..self.end].first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let [tag, length @ ..] = *header;
        // The length counts itself and not the tag.
        let length = u32::from_be_bytes(length) as usize;
        if !(4..=self.message_bytes_max).contains(&length) {
            return Err(malformed(format!(
                "a message of {length} bytes where 4 to {} are possible",
                self.message_bytes_max
            )));
        }
        let end = self.begin + 1 + length;
        Ok((end <= self.end).then_some((tag, end)))
    }

    /// Takes the message that `frame` found.
    #[inline]
    fn take(&mut self, tag: u8, end: usize) -> Message<'_> {
        let body = self.begin + HEADER_BYTES..end;
        self.begin = end;
        Message { tag, body: &self.bytes[body] }
    }

    /// Room behind what is there. Grows as bytes arrive, not as a length promises them.
    #[inline]
    fn room(&mut self) -> &mut [u8] {
        if self.begin == self.end {
            (self.begin, self.end) = (0, 0);
        } else if self.begin > 0 && self.bytes.len() - self.end < self.bytes.len() / 2 {
            self.bytes.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        if self.end == self.bytes.len() {
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
        &mut self.bytes[self.end..]
    }

    #[inline]
    fn received(&mut self, count: usize) {
        self.end = (self.end + count).min(self.bytes.len());
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

    /// Sends what stands in `output`.
    #[inline]
    pub(crate) fn send_output(&mut self) -> io::Result<()> {
        let sent = self.transport.send(&self.output);
        self.output.clear();
        sent
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
            if let Some((tag, end)) = self.input.frame()? {
                return Ok(self.input.take(tag, end));
            }
            self.receive()?;
        }
    }

    /// Whether the server has said something, without waiting for it. Only where that can be known for sure: bytes on
    /// an encrypted connection need not be a message.
    pub(crate) fn has_answer(&self) -> bool {
        let waiting = |stream: &dyn AsFd| has_input(&stream.as_fd(), Some(Duration::ZERO)).unwrap_or(true);
        self.input.begin < self.input.end
            || match &self.transport {
                Transport::Unix(stream) => waiting(stream),
                Transport::Tcp(stream) => waiting(stream),
                Transport::Tls(_) => false,
            }
    }

    fn receive(&mut self) -> io::Result<()> {
        let count = self.transport.receive(self.input.room(), self.patience)?;
        if count == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection"));
        }
        self.input.received(count);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn feed(input: &mut Input, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = input.room();
            let count = room.len().min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
            input.received(count);
            bytes = &bytes[count..];
        }
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
            let mut input = Input::new(MESSAGE_BYTES_MAX);
            feed(&mut input, b"D");
            feed(&mut input, &length.to_be_bytes());
            assert!(input.frame().is_err(), "{length}");
            assert_eq!(input.bytes.len(), INPUT_BYTES);
        }
    }

    #[test]
    fn a_message_longer_than_the_buffer_arrives_whole() {
        let body: Vec<u8> = (0..300_000_u32).map(|number| number as u8).collect();
        let mut input = Input::new(MESSAGE_BYTES_MAX);
        feed(&mut input, &framed(b'D', &body));
        let (tag, end) = input.frame().unwrap().unwrap();
        assert_eq!(input.take(tag, end).body, body);
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
                while let Some((tag, end)) = input.frame().unwrap() {
                    let message = input.take(tag, end);
                    seen.push((message.tag, message.body.to_vec()));
                }
                if rest.is_empty() {
                    break;
                }
                let count = (*cuts.next().unwrap()).min(rest.len());
                feed(&mut input, &rest[..count]);
                rest = &rest[count..];
            }
            prop_assert_eq!(seen, bodies);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let mut input = Input::new(MESSAGE_BYTES_MAX);
            feed(&mut input, &bytes);
            while let Ok(Some((tag, end))) = input.frame() {
                prop_assert!(input.take(tag, end).body.len() <= bytes.len());
            }
        }
    }
}
