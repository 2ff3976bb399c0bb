//! Sending and receiving on a socket, until a deadline, beside the other jobs of a thread if it has some.

use std::io::{self, IoSlice};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown, recv, send, sendmsg, shutdown};

use crate::Deadline;
use crate::keepalive::explain;

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
/// As [`crate::Transport::receive`].
pub fn receive_byte(stream: &TcpStream, deadline: Deadline) -> io::Result<u8> {
    let mut byte = [0];
    match receive_within(stream, &mut byte, deadline, false).map_err(|error| explain(stream, error))? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(byte[0]),
    }
}

/// Waits until the stream has input, or takes output, as `wanted`; false after `timeout`.
#[inline]
pub(crate) fn is_ready(stream: &impl AsFd, wanted: PollFlags, timeout: Option<Duration>) -> io::Result<bool> {
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

/// The same of `head` and then of `body`, in one system call if possible.
pub(crate) fn send_both_to(stream: &impl AsFd, mut head: &[u8], body: &[u8], deadline: Deadline) -> io::Result<()> {
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
