//! Bytes to and from the server: one socket, one buffer each way, packets framed in place.
//!
//! A packet is three bytes of length, one of sequence, and what they announce; a payload of 2^24 - 1 bytes is continued
//! in the next packet (MySQL protocol documentation, "Packets").

use std::io;
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use tls::Stream;

/// What one packet carries at most; one of this length is continued.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 0xff_ffff;

/// The longest payload that is believed: no value of the server is longer than its `max_allowed_packet`.
const MESSAGE_BYTES_MAX: usize = 1 << 30;

/// The longest payload that is believed before the login is complete.
const LOGIN_MESSAGE_BYTES_MAX: usize = 1 << 20;

/// Room for what one system call brings, to begin with.
const INPUT_BYTES: usize = 64 * 1024;

/// Length and sequence.
pub(crate) const HEADER_BYTES: usize = 4;

/// What carries the bytes.
pub(crate) enum Transport {
    Unix(UnixStream),
    Tcp(TcpStream),
    Tls(Box<Stream>),
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
            Transport::Tls(stream) => io::Read::read(stream, into),
        }
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Transport::Unix(stream) => send_to(stream, bytes),
            Transport::Tcp(stream) => send_to(stream, bytes),
            Transport::Tls(stream) => {
                io::Write::write_all(stream, bytes)?;
                io::Write::flush(stream)
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

/// A packet that cannot be what it says.
pub(crate) fn malformed(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

/// The length in a header.
fn length_of(header: [u8; HEADER_BYTES]) -> usize {
    usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16
}

/// Received bytes, of which those in `begin..end` are not read yet.
struct Input {
    bytes: Vec<u8>,
    begin: usize,
    end: usize,
    message_bytes_max: usize,
    /// The sequence of the last packet, which ours go on from.
    sequence: u8,
    /// A payload of several packets, joined.
    joined: Vec<u8>,
}

/// Where a payload lies.
#[derive(Clone, Copy)]
enum Frame {
    /// In one packet that ends here.
    Whole(usize),
    /// In several packets, the last of which ends here.
    Split(usize),
}

impl Input {
    fn new(message_bytes_max: usize) -> Input {
        let bytes = vec![0; INPUT_BYTES];
        Input { bytes, begin: 0, end: 0, message_bytes_max, sequence: 0, joined: Vec::new() }
    }

    /// The next payload if it is complete.
    #[inline]
    fn frame(&self) -> io::Result<Option<Frame>> {
        let Some(header) = self.bytes[self.begin..self.end].first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let length = length_of(*header);
        if length == PAYLOAD_BYTES_MAX {
            return self.split_frame();
        }
        if length > self.message_bytes_max {
            return Err(too_long(length, self.message_bytes_max));
        }
        let end = self.begin + HEADER_BYTES + length;
        Ok((end <= self.end).then_some(Frame::Whole(end)))
    }

    #[cold]
    fn split_frame(&self) -> io::Result<Option<Frame>> {
        let (mut at, mut total) = (self.begin, 0);
        loop {
            let Some(header) = self.bytes[at..self.end].first_chunk::<HEADER_BYTES>() else { return Ok(None) };
            let length = length_of(*header);
            total += length;
            if total > self.message_bytes_max {
                return Err(too_long(total, self.message_bytes_max));
            }
            at += HEADER_BYTES + length;
            if at > self.end {
                return Ok(None);
            }
            if length < PAYLOAD_BYTES_MAX {
                return Ok(Some(Frame::Split(at)));
            }
        }
    }

    /// Takes the payload that `frame` found.
    #[inline]
    fn take(&mut self, frame: Frame) -> &[u8] {
        match frame {
            Frame::Whole(end) => {
                self.sequence = self.bytes[self.begin + 3];
                let body = self.begin + HEADER_BYTES..end;
                self.begin = end;
                &self.bytes[body]
            }
            Frame::Split(end) => self.join(end),
        }
    }

    #[cold]
    fn join(&mut self, end: usize) -> &[u8] {
        self.joined.clear();
        while self.begin < end {
            let (header, rest) = self.bytes[self.begin..end].split_at(HEADER_BYTES);
            let length = length_of([header[0], header[1], header[2], header[3]]);
            self.sequence = header[3];
            self.joined.extend_from_slice(&rest[..length]);
            self.begin += HEADER_BYTES + length;
        }
        &self.joined
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

fn too_long(length: usize, limit: usize) -> io::Error {
    malformed(format!("a packet of {length} bytes where at most {limit} are possible"))
}

/// One connection as a stream of payloads.
pub(crate) struct Wire {
    transport: Transport,
    patience: Option<Duration>,
    input: Input,
    /// The payload of ours that is not sent yet, behind room for its header.
    pub(crate) output: Vec<u8>,
}

impl Wire {
    /// A connection that is to log in: impatient, and suspicious of long payloads.
    pub(crate) fn new(transport: Transport, patience: Option<Duration>) -> io::Result<Wire> {
        let input = Input::new(LOGIN_MESSAGE_BYTES_MAX);
        let mut wire = Wire { transport, patience: None, input, output: Vec::with_capacity(4096) };
        wire.set_patience(patience)?;
        Ok(wire)
    }

    /// The same connection with other means under it, and the sequence where it was: encryption begins in mid-login.
    pub(crate) fn into_transport(self) -> (Transport, u8) {
        (self.transport, self.input.sequence)
    }

    /// Goes on from `sequence`, see [`Self::into_transport`].
    pub(crate) fn resume(&mut self, sequence: u8) {
        self.input.sequence = sequence;
    }

    /// Whether bytes have arrived that are not read yet.
    pub(crate) fn has_unread(&self) -> bool {
        self.input.begin < self.input.end
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

    /// Begins a payload in `output`.
    #[inline]
    pub(crate) fn begin(&mut self) -> &mut Vec<u8> {
        self.output.clear();
        self.output.extend_from_slice(&[0; HEADER_BYTES]);
        &mut self.output
    }

    /// Sends what stands in `output` as a command: the first packet of an exchange.
    #[inline]
    pub(crate) fn send_command(&mut self) -> io::Result<()> {
        self.send_numbered(0)
    }

    /// Sends what stands in `output` as an answer to what the server said.
    pub(crate) fn send_answer(&mut self) -> io::Result<()> {
        self.send_numbered(self.input.sequence.wrapping_add(1))
    }

    #[inline]
    fn send_numbered(&mut self, sequence: u8) -> io::Result<()> {
        let length = self.output.len().saturating_sub(HEADER_BYTES);
        if length >= PAYLOAD_BYTES_MAX {
            return self.send_split(sequence);
        }
        self.output[..HEADER_BYTES].copy_from_slice(&header(length, sequence));
        self.input.sequence = sequence;
        self.transport.send(&self.output)
    }

    #[cold]
    fn send_split(&mut self, first: u8) -> io::Result<()> {
        let mut sequence = first;
        let payload = &self.output[HEADER_BYTES..];
        // One that fills its last packet exactly is ended by an empty one.
        for at in (0..=payload.len()).step_by(PAYLOAD_BYTES_MAX) {
            let piece = &payload[at..payload.len().min(at + PAYLOAD_BYTES_MAX)];
            self.transport.send(&header(piece.len(), sequence))?;
            self.transport.send(piece)?;
            self.input.sequence = sequence;
            sequence = sequence.wrapping_add(1);
        }
        Ok(())
    }

    /// Sends a command that was built elsewhere, its header included.
    #[inline]
    pub(crate) fn send(&mut self, packet: &[u8]) -> io::Result<()> {
        self.transport.send(packet)
    }

    /// The next payload of the server.
    #[inline]
    pub(crate) fn next(&mut self) -> io::Result<&[u8]> {
        loop {
            if let Some(frame) = self.input.frame()? {
                return Ok(self.input.take(frame));
            }
            self.receive()?;
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

/// Length and sequence of a packet.
#[inline]
pub(crate) fn header(length: usize, sequence: u8) -> [u8; HEADER_BYTES] {
    [length as u8, (length >> 8) as u8, (length >> 16) as u8, sequence]
}

#[cfg(test)]
mod tests;
