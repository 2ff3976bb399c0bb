//! Packets of the protocol.
//!
//! A packet is three bytes of length, one of sequence, and the payload; a payload of 2^24 - 1 bytes is continued in the
//! next packet (MySQL protocol documentation, "Packets").

use std::io;

use transport::{Buffer, Deadline, Framing, Messages, Transport, malformed};

/// Maximum payload of a packet; one of this length is continued.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 0xff_ffff;

/// Length and sequence.
pub(crate) const HEADER_BYTES: usize = 4;

/// The length in a header.
fn length_of(header: [u8; HEADER_BYTES]) -> usize {
    usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16
}

/// Position of a payload in the buffer, and its size with headers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frame {
    /// In one packet.
    Whole(usize),
    /// In several packets.
    Split(usize),
}

/// Payloads in packets.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    /// The sequence number of the last packet, which the next one continues.
    pub(crate) sequence: u8,
    /// A payload of several packets, joined.
    joined: Vec<u8>,
}

impl Framing for Packets {
    type Frame = Frame;
    type Message<'a> = &'a [u8];

    #[inline]
    fn frame(&self, unread: &[u8], bytes_max: usize) -> io::Result<Option<Frame>> {
        let Some(header) = unread.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let length = length_of(*header);
        if length == PAYLOAD_BYTES_MAX {
            return split_frame(unread, bytes_max);
        }
        if length > bytes_max {
            return Err(too_long(length, bytes_max));
        }
        let size = HEADER_BYTES + length;
        Ok((size <= unread.len()).then_some(Frame::Whole(size)))
    }

    #[inline]
    fn take<'a>(&'a mut self, frame: Frame, buffer: &'a mut Buffer) -> &'a [u8] {
        match frame {
            Frame::Whole(size) => {
                let packet = buffer.take(size);
                self.sequence = packet[3];
                &packet[HEADER_BYTES..]
            }
            Frame::Split(size) => self.join(buffer.take(size)),
        }
    }
}

impl Packets {
    #[cold]
    fn join(&mut self, mut packets: &[u8]) -> &[u8] {
        self.joined.clear();
        while let Some((header, rest)) = packets.split_first_chunk::<HEADER_BYTES>() {
            let (payload, next) = rest.split_at(length_of(*header));
            self.sequence = header[3];
            self.joined.extend_from_slice(payload);
            packets = next;
        }
        &self.joined
    }
}

#[cold]
fn split_frame(unread: &[u8], bytes_max: usize) -> io::Result<Option<Frame>> {
    let (mut at, mut total) = (0, 0);
    loop {
        let Some(header) = unread[at..].first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let length = length_of(*header);
        total += length;
        if total > bytes_max {
            return Err(too_long(total, bytes_max));
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

fn too_long(length: usize, limit: usize) -> io::Error {
    malformed(format!("a packet of {length} bytes exceeds the limit of {limit}"))
}

/// One connection, with its output buffer.
pub(crate) struct Wire {
    pub(crate) messages: Messages<Packets>,
    /// The payload to be sent, after space for its header.
    pub(crate) output: Vec<u8>,
}

impl Wire {
    /// As [`Messages::new`].
    pub(crate) fn new(transport: Transport, deadline: Deadline) -> Wire {
        Wire { messages: Messages::new(transport, deadline), output: Vec::with_capacity(4096) }
    }

    /// The transport and the sequence number: encryption starts during the login.
    pub(crate) fn into_transport(self) -> (Transport, u8) {
        (self.messages.transport, self.messages.input.framing.sequence)
    }

    /// Continues with `sequence`, see [`Self::into_transport`].
    #[inline]
    pub(crate) fn resume(&mut self, sequence: u8) {
        self.messages.input.framing.sequence = sequence;
    }

    /// Starts a payload in `output`.
    #[inline]
    pub(crate) fn begin(&mut self) -> &mut Vec<u8> {
        self.output.clear();
        self.output.extend_from_slice(&[0; HEADER_BYTES]);
        &mut self.output
    }

    /// `output` as a command, for later; it has to fit into one packet.
    #[inline]
    pub(crate) fn command(&mut self) -> &[u8] {
        let length = self.output.len().saturating_sub(HEADER_BYTES);
        self.output[..HEADER_BYTES].copy_from_slice(&header(length, 0));
        &self.output
    }

    /// Sends `output` as a command: the first packet of an exchange.
    #[inline]
    pub(crate) fn send_command(&mut self) -> io::Result<()> {
        self.send_numbered(0)
    }

    /// Sends `output` followed by `tail` as a command; `tail` is not copied if both fit into one packet.
    pub(crate) fn send_command_with(&mut self, tail: &[u8]) -> io::Result<()> {
        let length = self.output.len().saturating_sub(HEADER_BYTES) + tail.len();
        if length >= PAYLOAD_BYTES_MAX {
            self.output.extend_from_slice(tail);
            return self.send_command();
        }
        self.output[..HEADER_BYTES].copy_from_slice(&header(length, 0));
        self.resume(0);
        self.messages.send_both(&self.output, tail)
    }

    /// Sends `output` as a response to the server.
    pub(crate) fn send_response(&mut self) -> io::Result<()> {
        let sequence = self.messages.input.framing.sequence.wrapping_add(1);
        self.send_numbered(sequence)
    }

    #[inline]
    fn send_numbered(&mut self, sequence: u8) -> io::Result<()> {
        let length = self.output.len().saturating_sub(HEADER_BYTES);
        if length >= PAYLOAD_BYTES_MAX {
            return self.send_split(sequence);
        }
        self.output[..HEADER_BYTES].copy_from_slice(&header(length, sequence));
        self.resume(sequence);
        self.messages.send(&self.output)
    }

    #[cold]
    fn send_split(&mut self, first: u8) -> io::Result<()> {
        let mut sequence = first;
        let payload = &self.output[HEADER_BYTES..];
        // A payload that fills its last packet exactly is followed by an empty one.
        for at in (0..=payload.len()).step_by(PAYLOAD_BYTES_MAX) {
            let part = &payload[at..payload.len().min(at + PAYLOAD_BYTES_MAX)];
            self.messages.send(&header(part.len(), sequence))?;
            self.messages.send(part)?;
            self.messages.input.framing.sequence = sequence;
            sequence = sequence.wrapping_add(1);
        }
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
