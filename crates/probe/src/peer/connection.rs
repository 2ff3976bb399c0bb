//! A connection to a peer, accepted by it.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use super::protocol::{Answer, COUNT_BYTES, Facts, Greeting, HEAD_BYTES, Refusal, Service, VERSION};
use super::server::content;
use super::wire::{read_all, read_by, write_all};

/// Time for a connection, and for the answer to a greeting.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which the peer may transfer nothing during a measurement.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a peer cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// There is no connection.
    #[error("it cannot be reached: {0}")]
    Unreachable(io::Error),
    /// It is silent.
    #[error("it did not answer the greeting within {} s", GREETING_TIMEOUT.as_secs())]
    Silent,
    /// It is something else.
    #[error("it is no peer of dbdyno: it answered {0}")]
    Stranger(String),
    /// It closed the connection instead of an answer.
    #[error("it closed the connection without an answer")]
    Closed,
    /// It speaks another version of the protocol.
    #[error("it speaks version {0} of the protocol, this is version {VERSION}")]
    Version(u16),
    /// It refused the greeting.
    #[error("it does not serve what was asked for")]
    Impossible,
    /// It has as many connections as it serves.
    #[error("it has as many connections as it serves")]
    Full,
    /// It transferred nothing.
    #[error("nothing was transferred for {} s", IDLE_TIMEOUT.as_secs())]
    Stalled,
    /// It ended the connection.
    #[error("it ended the connection: {0}")]
    Ended(io::Error),
    /// The two ends counted different numbers of bytes.
    #[error("this end counted {near} bytes and the other one {far}")]
    Counts {
        /// Bytes counted here.
        near: u64,
        /// Bytes counted there.
        far: u64,
    },
    /// A message came back as another one.
    #[error("a message came back changed")]
    Changed,
}

impl PeerError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            PeerError::Unreachable(_) | PeerError::Stranger(_) | PeerError::Closed | PeerError::Silent => {
                "start `dbdyno network serve --listen ADDRESS:PORT` there, and let the port pass firewalls"
            }
            PeerError::Version(_) | PeerError::Impossible => "use the same version of dbdyno on both hosts",
            PeerError::Full => "use fewer --jobs, or wait until others have ended",
            PeerError::Stalled | PeerError::Ended(_) => "look at the peer, and at what lies between",
            PeerError::Counts { .. } | PeerError::Changed => {
                "something between the ends loses or changes data, or closes connections"
            }
        }
    }

    fn of(error: io::Error) -> PeerError {
        match error.kind() {
            io::ErrorKind::TimedOut => PeerError::Stalled,
            _ => PeerError::Ended(error),
        }
    }
}

/// A connection that the peer has accepted.
pub(crate) struct Connection {
    stream: TcpStream,
    block: Vec<u8>,
    /// Bytes of blocks that this end has sent or received.
    transferred: u64,
    /// Bytes that the peer has received, as it said.
    acknowledged: u64,
    /// A count of which a part has arrived.
    partial: Vec<u8>,
}

/// Asks the peer at `address` who it is.
///
/// # Errors
/// Where it does not say it.
pub fn ask(address: SocketAddr) -> Result<(Facts, SocketAddr), PeerError> {
    let (stream, facts) = greet(address, Greeting { service: Service::Ask, block_bytes: COUNT_BYTES as u32 })?;
    Ok((facts, stream.local_addr().map_err(PeerError::Unreachable)?))
}

fn greet(address: SocketAddr, greeting: Greeting) -> Result<(TcpStream, Facts), PeerError> {
    let mut stream = TcpStream::connect_timeout(&address, GREETING_TIMEOUT).map_err(PeerError::Unreachable)?;
    stream.set_nodelay(true).map_err(PeerError::Unreachable)?;
    stream.set_write_timeout(Some(GREETING_TIMEOUT)).map_err(PeerError::Unreachable)?;
    let deadline = Instant::now() + GREETING_TIMEOUT;
    let unanswered = |error: io::Error| match error.kind() {
        io::ErrorKind::TimedOut => PeerError::Silent,
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => PeerError::Closed,
        _ => PeerError::Ended(error),
    };
    let mut head = [0; HEAD_BYTES];
    // A peer that has refused the connection may have closed it already: what it said is still read.
    let _ = write_all(&mut stream, &greeting.encode(), GREETING_TIMEOUT);
    // The first bytes tell a stranger, whose answer may be shorter than one of ours.
    read_by(&mut stream, &mut head[..1], deadline).map_err(unanswered)?;
    if head[0] != greeting.encode()[0] {
        return Err(PeerError::Stranger(said(&mut stream, head[0])));
    }
    read_by(&mut stream, &mut head[1..], deadline).map_err(unanswered)?;
    let facts_bytes = match Answer::parse(&head) {
        Ok(Answer::Accepted { facts_bytes }) => facts_bytes,
        Ok(Answer::Full) => return Err(PeerError::Full),
        Ok(Answer::Impossible) => return Err(PeerError::Impossible),
        Err(Refusal::Version(version)) => return Err(PeerError::Version(version)),
        Err(Refusal::Stranger | Refusal::Malformed) => return Err(PeerError::Stranger(shown(&head))),
    };
    let mut facts = vec![0; facts_bytes as usize];
    read_by(&mut stream, &mut facts, deadline).map_err(unanswered)?;
    stream.set_read_timeout(Some(IDLE_TIMEOUT)).map_err(PeerError::Unreachable)?;
    stream.set_write_timeout(Some(IDLE_TIMEOUT)).map_err(PeerError::Unreachable)?;
    Ok((stream, Facts::parse(&String::from_utf8_lossy(&facts))))
}

/// What a stranger has said so far, beginning with `first`.
fn said(stream: &mut TcpStream, first: u8) -> String {
    let mut rest = [0; 31];
    // Whatever cannot be read is not shown.
    let length = recv(&*stream, &mut rest[..], RecvFlags::DONTWAIT).map_or(0, |(_, count)| count);
    shown(&[&[first][..], &rest[..length.min(rest.len())]].concat())
}

fn shown(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(bytes).trim_end())
}

impl Connection {
    /// Connects for `service` with messages or blocks of `block_bytes`, filled by `seed`.
    pub(crate) fn open(
        address: SocketAddr,
        service: Service,
        block_bytes: u32,
        seed: u64,
    ) -> Result<Connection, PeerError> {
        let (stream, _) = greet(address, Greeting { service, block_bytes })?;
        let block = content(block_bytes, seed);
        Ok(Connection { stream, block, transferred: 0, acknowledged: 0, partial: Vec::with_capacity(COUNT_BYTES) })
    }

    /// Sends message `number`, and waits until it is back.
    pub(crate) fn exchange(&mut self, number: u64, answer: &mut [u8]) -> Result<(), PeerError> {
        self.block[..COUNT_BYTES].copy_from_slice(&number.to_be_bytes());
        write_all(&mut self.stream, &self.block, IDLE_TIMEOUT).map_err(PeerError::of)?;
        read_all(&mut self.stream, answer, IDLE_TIMEOUT).map_err(PeerError::of)?;
        if answer == self.block { Ok(()) } else { Err(PeerError::Changed) }
    }

    /// Sends a block; the number of bytes that the peer says to have received since the last time.
    pub(crate) fn send(&mut self) -> Result<u64, PeerError> {
        write_all(&mut self.stream, &self.block, IDLE_TIMEOUT).map_err(PeerError::of)?;
        self.transferred += self.block.len() as u64;
        let before = self.acknowledged;
        let mut counts = [0; 64 * COUNT_BYTES];
        loop {
            match recv(&self.stream, &mut counts[..], RecvFlags::DONTWAIT) {
                Ok((_, 0)) => return Err(PeerError::Ended(io::ErrorKind::UnexpectedEof.into())),
                Ok((_, length)) => self.counted(&counts[..length.min(counts.len())])?,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(self.acknowledged - before),
                Err(error) => return Err(PeerError::of(error.into())),
            }
        }
    }

    /// Waits until the peer has received all of the sent blocks: both ends have counted the same.
    pub(crate) fn settle(&mut self) -> Result<(), PeerError> {
        self.settle_within(IDLE_TIMEOUT)
    }

    /// The same where each count that is larger than the one before comes within `idle`: one that says the same again and again
    /// is as one that says nothing.
    pub(super) fn settle_within(&mut self, idle: Duration) -> Result<(), PeerError> {
        let mut bytes = [0; COUNT_BYTES];
        let (mut most, mut grown_at) = (self.acknowledged, Instant::now());
        while self.acknowledged < self.transferred {
            if self.acknowledged > most {
                (most, grown_at) = (self.acknowledged, Instant::now());
            } else if grown_at.elapsed() > idle {
                return Err(PeerError::Stalled);
            }
            match super::wire::read_some(&mut self.stream, &mut bytes) {
                Ok(length) => self.counted(&bytes[..length])?,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(PeerError::of(error)),
            }
        }
        match self.acknowledged == self.transferred {
            true => Ok(()),
            false => Err(PeerError::Counts { near: self.transferred, far: self.acknowledged }),
        }
    }

    /// Takes counts of the peer, which never decrease and never exceed what was sent.
    fn counted(&mut self, bytes: &[u8]) -> Result<(), PeerError> {
        for byte in bytes {
            self.partial.push(*byte);
            let Ok(count) = <[u8; COUNT_BYTES]>::try_from(self.partial.as_slice()) else { continue };
            self.partial.clear();
            let far = u64::from_be_bytes(count);
            if far < self.acknowledged || far > self.transferred {
                return Err(PeerError::Counts { near: self.transferred, far });
            }
            self.acknowledged = far;
        }
        Ok(())
    }

    /// Receives a block, whose count of the bytes before it must be that of this end; its length.
    pub(crate) fn receive(&mut self) -> Result<u64, PeerError> {
        read_all(&mut self.stream, &mut self.block, IDLE_TIMEOUT).map_err(PeerError::of)?;
        let mut count = [0; COUNT_BYTES];
        count.copy_from_slice(&self.block[..COUNT_BYTES]);
        let far = u64::from_be_bytes(count);
        if far != self.transferred {
            return Err(PeerError::Counts { near: self.transferred, far });
        }
        self.transferred += self.block.len() as u64;
        Ok(self.block.len() as u64)
    }

    /// Bytes of blocks transferred so far, and those of them that the peer says to have received.
    #[cfg(test)]
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.transferred, self.acknowledged)
    }
}
