//! A connection over a Unix socket, TCP or TLS.

use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown, recv, send, sendmsg, shutdown};

use crate::keepalive::{self, BacklogLimit, explain};
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

/// Receives at least one byte until `deadline`, or the end of the stream, which is none. Where the thread has other jobs, they go on
/// meanwhile; else it is waited for in `poll` where there is a deadline, or the stream `polls` always.
#[inline]
pub(crate) fn receive_within(
    stream: &impl AsFd,
    into: &mut [u8],
    deadline: Deadline,
    polls: bool,
) -> io::Result<usize> {
    let left = deadline.left()?;
    if let Some(received) = multiplex::receive(stream.as_fd(), into, left) {
        return received;
    }
    if (polls || left.is_some()) && !is_ready(stream, PollFlags::IN, left)? {
        return Err(io::ErrorKind::TimedOut.into());
    }
    receive_from(stream, into)
}

/// Receives one byte of `stream`, and leaves what follows it.
///
/// # Errors
/// As [`Transport::receive`].
pub fn receive_byte(stream: &TcpStream, deadline: Deadline) -> io::Result<u8> {
    let mut byte = [0];
    match receive_within(stream, &mut byte, deadline, false).map_err(|error| explain(stream, error))? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(byte[0]),
    }
}

/// Waits until the stream has input, or takes output, as `wanted`; false after `timeout`.
#[inline]
fn is_ready(stream: &impl AsFd, wanted: PollFlags, timeout: Option<Duration>) -> io::Result<bool> {
    let limit = timeout.map(|timeout| Timespec {
        tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: timeout.subsec_nanos().into(),
    });
    loop {
        match poll(&mut [PollFd::new(stream, wanted)], limit.as_ref()) {
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
            Err(error) => return Err(error.into()),
        }
    }
}

/// Sends all of `bytes` until `deadline`. Where the thread has other jobs, they go on meanwhile. If it fails, the stream is shut down,
/// as where the kernel has no memory for a moment: a part may have been sent, and who waits for the answer would do so for ever. What
/// the peer has sent before can still be received.
#[inline]
pub(crate) fn send_to(stream: &impl AsFd, bytes: &[u8], deadline: Deadline) -> io::Result<()> {
    send_all(stream, bytes, deadline).inspect_err(|_| shut_down(stream))
}

#[inline]
fn send_all(stream: &impl AsFd, mut bytes: &[u8], deadline: Deadline) -> io::Result<()> {
    let left = deadline.left()?;
    if let Some(sent) = multiplex::send(stream.as_fd(), bytes, left) {
        return sent;
    }
    if left.is_some() {
        return send_until(stream, bytes, deadline);
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

/// The same alone, for a peer that need not read what it gets.
#[cold]
fn send_until(stream: &impl AsFd, mut bytes: &[u8], deadline: Deadline) -> io::Result<()> {
    while !bytes.is_empty() {
        if !is_ready(stream, PollFlags::OUT, deadline.left()?)? {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match send(stream, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Ends all that waits for the stream.
#[cold]
pub(crate) fn shut_down(stream: &impl AsFd) {
    // Where it is not connected any more, what waited has ended.
    let _ = shutdown(stream, Shutdown::Both);
}

fn send_both_to(stream: &impl AsFd, mut head: &[u8], body: &[u8], deadline: Deadline) -> io::Result<()> {
    // One that has passed is found there.
    if multiplex::is_shared() || !matches!(deadline.left(), Ok(None)) {
        return send_to(stream, head, deadline).and_then(|()| send_to(stream, body, deadline));
    }
    while !head.is_empty() {
        let both = [IoSlice::new(head), IoSlice::new(body)];
        match sendmsg(stream, &both, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL) {
            Ok(count) if count >= head.len() => return send_to(stream, &body[count - head.len()..], deadline),
            Ok(count) => head = &head[count..],
            Err(Errno::INTR) => {}
            Err(error) => {
                shut_down(stream);
                return Err(error.into());
            }
        }
    }
    send_to(stream, body, deadline)
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
