//! Bytes to and from the server: one socket, one buffer each way, packets framed in place.
//!
//! A packet is three bytes of length, one of sequence, and what they announce; a payload of 2^24 - 1 bytes is continued
//! in the next packet (MySQL protocol documentation, "Packets").

use std::io;
use std::time::Duration;

use transport::{Buffer, Transport, malformed};

/// What one packet carries at most; one of this length is continued.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 0xff_ffff;

/// The longest payload that is believed: no value of the server is longer than its `max_allowed_packet`.
const MESSAGE_BYTES_MAX: usize = 1 << 30;

/// The longest payload that is believed before the login is complete.
const LOGIN_MESSAGE_BYTES_MAX: usize = 1 << 20;

/// Length and sequence.
pub(crate) const HEADER_BYTES: usize = 4;

/// The length in a header.
fn length_of(header: [u8; HEADER_BYTES]) -> usize {
    usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16
}

/// Received bytes as payloads.
struct Input {
    buffer: Buffer,
    message_bytes_max: usize,
    /// The sequence of the last packet, which ours go on from.
    sequence: u8,
    /// A payload of several packets, joined.
    joined: Vec<u8>,
}

/// How a payload lies in the buffer, and how many bytes it takes there with its headers.
#[derive(Clone, Copy)]
enum Frame {
    /// In one packet.
    Whole(usize),
    /// In several packets.
    Split(usize),
}

impl Input {
    fn new(message_bytes_max: usize) -> Input {
        Input { buffer: Buffer::new(), message_bytes_max, sequence: 0, joined: Vec::new() }
    }

    /// The next payload if it is complete.
    #[inline]
    fn frame(&self) -> io::Result<Option<Frame>> {
        let unread = self.buffer.unread();
        let Some(header) = unread.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let length = length_of(*header);
        if length == PAYLOAD_BYTES_MAX {
            return self.split_frame();
        }
        if length > self.message_bytes_max {
            return Err(too_long(length, self.message_bytes_max));
        }
        let size = HEADER_BYTES + length;
        Ok((size <= unread.len()).then_some(Frame::Whole(size)))
    }

    #[cold]
    fn split_frame(&self) -> io::Result<Option<Frame>> {
        let unread = self.buffer.unread();
        let (mut at, mut total) = (0, 0);
        loop {
            let Some(header) = unread[at..].first_chunk::<HEADER_BYTES>() else { return Ok(None) };
            let length = length_of(*header);
            total += length;
            if total > self.message_bytes_max {
                return Err(too_long(total, self.message_bytes_max));
            }
            at += HEADER_BYTES + length;
            if at > unread.len() {
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
            Frame::Whole(size) => {
                let packet = self.buffer.take(size);
                self.sequence = packet[3];
                &packet[HEADER_BYTES..]
            }
            Frame::Split(size) => self.join(size),
        }
    }

    #[cold]
    fn join(&mut self, size: usize) -> &[u8] {
        self.joined.clear();
        let mut packets = self.buffer.take(size);
        while let Some((header, rest)) = packets.split_first_chunk::<HEADER_BYTES>() {
            let (payload, next) = rest.split_at(length_of(*header));
            self.sequence = header[3];
            self.joined.extend_from_slice(payload);
            packets = next;
        }
        &self.joined
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
        !self.input.buffer.unread().is_empty()
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

    /// Sends what stands in `output`, and `tail` behind it, as a command; where one packet has room for both, `tail` is
    /// sent from where it lies.
    pub(crate) fn send_command_with(&mut self, tail: &[u8]) -> io::Result<()> {
        let length = self.output.len().saturating_sub(HEADER_BYTES) + tail.len();
        if length >= PAYLOAD_BYTES_MAX {
            self.output.extend_from_slice(tail);
            return self.send_command();
        }
        self.output[..HEADER_BYTES].copy_from_slice(&header(length, 0));
        self.input.sequence = 0;
        self.transport.send_both(&self.output, tail)
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

    /// Sends a packet from where its payload lies.
    pub(crate) fn send_both(&mut self, header: &[u8], payload: &[u8]) -> io::Result<()> {
        self.transport.send_both(header, payload)
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
            self.transport.receive(&mut self.input.buffer, self.patience)?;
        }
    }
}

/// Length and sequence of a packet.
#[inline]
pub(crate) fn header(length: usize, sequence: u8) -> [u8; HEADER_BYTES] {
    [length as u8, (length >> 8) as u8, (length >> 16) as u8, sequence]
}

#[cfg(test)]
mod tests;
