//! A connection over a Unix socket, TCP or TLS.

use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, send, sendmsg};

use crate::keepalive::{self, BacklogLimit, explain};
use crate::{Buffer, Stream};

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
    /// such wake-up, and the additional call would only cost time.
    ///
    /// # Errors
    /// `TimedOut` after `timeout` or if the peer's host is lost, `UnexpectedEof` at the end of the stream.
    #[inline]
    pub fn receive(&mut self, buffer: &mut Buffer, timeout: Option<Duration>) -> io::Result<()> {
        let into = buffer.free_space();
        let count = match self {
            Transport::Unix(stream) => match receive_shared(stream, into, timeout)? {
                Some(count) => count,
                None if !has_input(stream, timeout)? => return Err(io::ErrorKind::TimedOut.into()),
                None => receive_from(stream, into)?,
            },
            Transport::Tcp(stream) => {
                let received = receive_shared(stream, into, timeout);
                match received.map_err(|error| explain(stream, error))? {
                    Some(count) => count,
                    None => receive_from(stream, into).map_err(|error| explain(stream, error))?,
                }
            }
            Transport::Tls(stream) => stream.read(into).map_err(|error| explain(&stream.sock.stream, error))?,
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
    /// `TimedOut` if the peer's host is lost, else errors of the operating system.
    #[inline]
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Transport::Unix(stream) => send_to(stream, bytes),
            Transport::Tcp(stream) => send_to(stream, bytes).map_err(|error| explain(stream, error)),
            Transport::Tls(stream) => {
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
    pub fn send_both(&mut self, head: &[u8], body: &[u8]) -> io::Result<()> {
        match self {
            Transport::Unix(stream) => send_both_to(stream, head, body),
            Transport::Tcp(stream) => send_both_to(stream, head, body).map_err(|error| explain(stream, error)),
            Transport::Tls(stream) => {
                let written = stream.write_all(head).and_then(|()| stream.write_all(body));
                written.and_then(|()| stream.flush()).map_err(|error| explain(&stream.sock.stream, error))
            }
        }
    }

    /// Sets the timeout of [`Self::receive`], which must get the same value; `None` waits forever.
    ///
    /// # Errors
    /// As the operating system says.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            // The timeout is applied by `poll`.
            Transport::Unix(_) => Ok(()),
            Transport::Tcp(stream) => stream.set_read_timeout(timeout),
            Transport::Tls(stream) => stream.sock.set_timeout(timeout),
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
        let waiting = |stream: &dyn AsFd| has_input(&stream.as_fd(), Some(Duration::ZERO)).unwrap_or(true);
        match self {
            Transport::Unix(stream) => waiting(stream),
            Transport::Tcp(stream) => waiting(stream),
            Transport::Tls(_) => false,
        }
    }
}

/// Receives where the thread has other jobs, which go on meanwhile; None where it has to be waited for here.
#[inline]
fn receive_shared(stream: &impl AsFd, into: &mut [u8], timeout: Option<Duration>) -> io::Result<Option<usize>> {
    multiplex::receive(stream.as_fd(), into, timeout).transpose()
}

/// Waits until the stream is readable; false after `timeout`.
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
    if let Some(sent) = multiplex::send(stream.as_fd(), bytes) {
        return sent;
    }
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
    if multiplex::is_shared() {
        return send_to(stream, head).and_then(|()| send_to(stream, body));
    }
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
        let timeout = Some(Duration::from_millis(20));
        assert!(!near.has_input());
        assert_eq!(near.receive(&mut buffer, timeout).unwrap_err().kind(), io::ErrorKind::TimedOut);
        far.write_all(b"word").unwrap();
        assert!(near.has_input());
        near.receive(&mut buffer, timeout).unwrap();
        assert_eq!(buffer.unread(), b"word");
        near.send(b"answer").unwrap();
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
        near.send_both(b"head", &body).unwrap();
        near.send_both(b"", b"").unwrap();
        let (far, received_bytes) = reader.join().unwrap();
        assert!(received_bytes.starts_with(b"head") && received_bytes[4..] == body);
        drop(far);
        assert_eq!(near.receive(&mut buffer, None).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
