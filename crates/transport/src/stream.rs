//! A connection over a Unix socket, TCP or TLS.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::PollFlags;

use crate::keepalive::{self, BacklogLimit, explain};
use crate::socket::{is_ready, receive_within, send_both_to, send_to};
use crate::{Buffer, Deadline, Stream};

/// The underlying stream.
pub enum Transport {
    /// Unix socket, unencrypted.
    Unix(UnixStream),
    /// TCP, unencrypted.
    Tcp(TcpStream),
    /// TLS over TCP.
    Tls(Box<Stream>),
}

impl Transport {
    /// Receives at least one byte into `buffer`.
    ///
    /// On a Unix socket it waits in `poll`: when the peer *reads* a request, a thread blocked in `recv` is woken for
    /// the freed space, which costs a second context switch per statement; `poll` for input is woken once. TCP has no
    /// such wake-up, and without a deadline the additional call would only cost time.
    ///
    /// # Errors
    /// `TimedOut` at `deadline` or if the peer's host is lost, `UnexpectedEof` at the end of the stream.
    #[inline]
    pub fn receive(&mut self, buffer: &mut Buffer, deadline: Deadline) -> io::Result<()> {
        let into = buffer.free_space();
        let count = match self {
            Transport::Unix(stream) => receive_within(stream, into, deadline, true)?,
            Transport::Tcp(stream) => {
                receive_within(stream, into, deadline, false).map_err(|error| explain(stream, error))?
            }
            Transport::Tls(stream) => {
                stream.sock.deadline = deadline;
                stream.read(into).map_err(|error| explain(&stream.sock.stream, error))?
            }
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
    /// `TimedOut` at `deadline` or if the peer's host is lost, else errors of the operating system.
    #[inline]
    pub fn send(&mut self, bytes: &[u8], deadline: Deadline) -> io::Result<()> {
        match self {
            Transport::Unix(stream) => send_to(stream, bytes, deadline),
            Transport::Tcp(stream) => send_to(stream, bytes, deadline).map_err(|error| explain(stream, error)),
            Transport::Tls(stream) => {
                stream.sock.deadline = deadline;
                let written = stream.write_all(bytes).and_then(|()| stream.flush());
                written.map_err(|error| explain(&stream.sock.stream, error))
            }
        }
    }

    /// Sends all of `head` and then all of `body`, in one system call if possible: without an extra call for the header
    /// and without copying the body.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub fn send_both(&mut self, head: &[u8], body: &[u8], deadline: Deadline) -> io::Result<()> {
        match self {
            Transport::Unix(stream) => send_both_to(stream, head, body, deadline),
            Transport::Tcp(stream) => {
                send_both_to(stream, head, body, deadline).map_err(|error| explain(stream, error))
            }
            Transport::Tls(stream) => {
                stream.sock.deadline = deadline;
                let written = stream.write_all(head).and_then(|()| stream.write_all(body));
                written.and_then(|()| stream.flush()).map_err(|error| explain(&stream.sock.stream, error))
            }
        }
    }

    /// Lets the peer leave sent data unread for any time, as during a bulk load while its device is busy; returns the
    /// limit before. A lost host is then noticed only after minutes.
    ///
    /// # Errors
    /// As the operating system says.
    pub fn allow_backlog(&mut self) -> io::Result<BacklogLimit> {
        match self {
            // Both ends are on the same host.
            Transport::Unix(_) => Ok(BacklogLimit::default()),
            Transport::Tcp(stream) => keepalive::allow_backlog(stream),
            Transport::Tls(stream) => keepalive::allow_backlog(&stream.sock.stream),
        }
    }

    /// Sets the `limit` of [`Self::allow_backlog`] again.
    ///
    /// # Errors
    /// As the operating system says.
    pub fn limit_backlog(&mut self, limit: BacklogLimit) -> io::Result<()> {
        match self {
            Transport::Unix(_) => Ok(()),
            Transport::Tcp(stream) => keepalive::limit_backlog(stream, limit),
            Transport::Tls(stream) => keepalive::limit_backlog(&stream.sock.stream, limit),
        }
    }

    /// The number of its socket.
    pub(crate) fn socket(&self) -> RawFd {
        match self {
            Transport::Unix(stream) => stream.as_raw_fd(),
            Transport::Tcp(stream) => stream.as_raw_fd(),
            Transport::Tls(stream) => stream.sock.stream.as_raw_fd(),
        }
    }

    /// Whether data have arrived, without waiting. False on an encrypted connection, where bytes need not be a message.
    pub fn has_input(&self) -> bool {
        let waiting =
            |stream: &dyn AsFd| is_ready(&stream.as_fd(), PollFlags::IN, Some(Duration::ZERO)).unwrap_or(true);
        match self {
            Transport::Unix(stream) => waiting(stream),
            Transport::Tcp(stream) => waiting(stream),
            Transport::Tls(_) => false,
        }
    }
}

/// The error for an invalid message.
pub fn malformed(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_data_a_timeout_and_the_end_are_distinguished() {
        let (near, mut far) = UnixStream::pair().unwrap();
        let (mut near, mut buffer) = (Transport::Unix(near), Buffer::new());
        let soon = || Deadline::after(Some(Duration::from_millis(20)));
        assert!(!near.has_input());
        assert_eq!(near.receive(&mut buffer, soon()).unwrap_err().kind(), io::ErrorKind::TimedOut);
        far.write_all(b"word").unwrap();
        assert!(near.has_input());
        near.receive(&mut buffer, soon()).unwrap();
        assert_eq!(buffer.unread(), b"word");
        near.send(b"answer", Deadline::NONE).unwrap();
        let mut received_bytes = [0; 6];
        far.read_exact(&mut received_bytes).unwrap();
        assert_eq!(&received_bytes, b"answer");
        // More than the socket buffers, so that it is sent in parts.
        let body: Vec<u8> = (0..3_000_000_u32).map(|number| number as u8).collect();
        let reader = std::thread::spawn(move || {
            let mut received_bytes = vec![0; 4 + 3_000_000];
            far.read_exact(&mut received_bytes).unwrap();
            (far, received_bytes)
        });
        near.send_both(b"head", &body, Deadline::NONE).unwrap();
        near.send_both(b"", b"", Deadline::NONE).unwrap();
        let (far, received_bytes) = reader.join().unwrap();
        assert!(received_bytes.starts_with(b"head") && received_bytes[4..] == body);
        drop(far);
        assert_eq!(near.receive(&mut buffer, Deadline::NONE).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
