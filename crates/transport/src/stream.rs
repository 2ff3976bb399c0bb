//! One connection, by whatever means.

use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, send, sendmsg};

use crate::silence::{self, explain};
use crate::{Buffer, Stream};

/// What carries the bytes.
pub enum Transport {
    /// A Unix socket, not encrypted.
    Unix(UnixStream),
    /// TCP, in the clear.
    Tcp(TcpStream),
    /// TCP with TLS on top.
    Tls(Box<Stream>),
}

impl Transport {
    /// Waits for what is there, at least one byte, and puts it into `buffer`.
    ///
    /// On a Unix socket the wait happens in `poll`: the peer that *reads* a request wakes a thread blocked in `recv`
    /// for the space that it made, which costs a second context switch per statement; `poll` for input only is woken
    /// once. TCP has no such wake-up, and the extra call would only cost.
    ///
    /// # Errors
    /// `TimedOut` when `timeout` ran out or the host of the peer is silent, `UnexpectedEof` at the end of the stream.
    #[inline]
    pub fn receive(&mut self, buffer: &mut Buffer, timeout: Option<Duration>) -> io::Result<()> {
        let into = buffer.room();
        let count = match self {
            Transport::Unix(stream) => {
                if !has_input(stream, timeout)? {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                receive_from(stream, into)?
            }
            Transport::Tcp(stream) => receive_from(stream, into).map_err(explain)?,
            Transport::Tls(stream) => stream.read(into).map_err(explain)?,
        };
        if count == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection"));
        }
        buffer.received(count);
        Ok(())
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// `TimedOut` when the host of the peer is silent, else as the operating system says.
    #[inline]
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Transport::Unix(stream) => send_to(stream, bytes),
            Transport::Tcp(stream) => send_to(stream, bytes).map_err(explain),
            Transport::Tls(stream) => stream.write_all(bytes).and_then(|()| stream.flush()).map_err(explain),
        }
    }

    /// Sends all of `head` and then all of `body`, as one where the connection can: a header is not worth a call of the
    /// operating system, nor a large body a copy behind its header.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub fn send_both(&mut self, head: &[u8], body: &[u8]) -> io::Result<()> {
        match self {
            Transport::Unix(stream) => send_both_to(stream, head, body),
            Transport::Tcp(stream) => send_both_to(stream, head, body).map_err(explain),
            Transport::Tls(stream) => {
                let written = stream.write_all(head).and_then(|()| stream.write_all(body));
                written.and_then(|()| stream.flush()).map_err(explain)
            }
        }
    }

    /// How long [`Self::receive`] waits from now on, which is to be given to that as well; for ever without a limit.
    ///
    /// # Errors
    /// As the operating system says.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            // `poll` does the waiting.
            Transport::Unix(_) => Ok(()),
            Transport::Tcp(stream) => stream.set_read_timeout(timeout),
            Transport::Tls(stream) => stream.sock.set_read_timeout(timeout),
        }
    }

    /// Whether the peer may leave unread what it was sent, for as long as it likes: one that stores a load does so while
    /// its device is busy. A host that vanishes in the meantime is noticed later, after minutes.
    ///
    /// # Errors
    /// As the operating system says.
    pub fn allow_backlog(&mut self, allowed: bool) -> io::Result<()> {
        match self {
            // Both ends are on one host.
            Transport::Unix(_) => Ok(()),
            Transport::Tcp(stream) => silence::allow_backlog(stream, allowed),
            Transport::Tls(stream) => silence::allow_backlog(&stream.sock, allowed),
        }
    }

    /// Whether something has arrived, without waiting for it. Only where that can be known for sure: bytes on an
    /// encrypted connection need not be a message.
    pub fn has_input(&self) -> bool {
        let waiting = |stream: &dyn AsFd| has_input(&stream.as_fd(), Some(Duration::ZERO)).unwrap_or(true);
        match self {
            Transport::Unix(stream) => waiting(stream),
            Transport::Tcp(stream) => waiting(stream),
            Transport::Tls(_) => false,
        }
    }
}

/// Waits until something is there to be read; false when `timeout` ran out.
#[inline]
fn has_input(stream: &impl AsFd, timeout: Option<Duration>) -> io::Result<bool> {
    let limit = timeout.map(|timeout| Timespec {
        tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: timeout.subsec_nanos().into(),
    });
    loop {
        match poll(&mut [PollFd::new(stream, PollFlags::IN)], limit.as_ref()) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[inline]
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

#[inline]
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

fn send_both_to(stream: &impl AsFd, mut head: &[u8], body: &[u8]) -> io::Result<()> {
    while !head.is_empty() {
        let both = [IoSlice::new(head), IoSlice::new(body)];
        match sendmsg(stream, &both, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL) {
            Ok(count) if count >= head.len() => return send_to(stream, &body[count - head.len()..]),
            Ok(count) => head = &head[count..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    send_to(stream, body)
}

/// A message that cannot be what it says.
pub fn malformed(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_answer_a_late_one_and_the_end_are_three_things() {
        let (near, mut far) = UnixStream::pair().unwrap();
        let (mut near, mut buffer) = (Transport::Unix(near), Buffer::new());
        let timeout = Some(Duration::from_millis(20));
        assert!(!near.has_input());
        assert_eq!(near.receive(&mut buffer, timeout).unwrap_err().kind(), io::ErrorKind::TimedOut);
        far.write_all(b"word").unwrap();
        assert!(near.has_input());
        near.receive(&mut buffer, timeout).unwrap();
        assert_eq!(buffer.unread(), b"word");
        near.send(b"answer").unwrap();
        let mut heard = [0; 6];
        far.read_exact(&mut heard).unwrap();
        assert_eq!(&heard, b"answer");
        // More than the socket holds, so that it goes in several parts.
        let body: Vec<u8> = (0..3_000_000_u32).map(|number| number as u8).collect();
        let reader = std::thread::spawn(move || {
            let mut heard = vec![0; 4 + 3_000_000];
            far.read_exact(&mut heard).unwrap();
            (far, heard)
        });
        near.send_both(b"head", &body).unwrap();
        near.send_both(b"", b"").unwrap();
        let (far, heard) = reader.join().unwrap();
        assert!(heard.starts_with(b"head") && heard[4..] == body);
        drop(far);
        assert_eq!(near.receive(&mut buffer, None).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
