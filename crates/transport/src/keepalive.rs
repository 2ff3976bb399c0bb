//! TCP keepalive: detection of a lost host.
//!
//! A host that loses power or its network sends nothing. By default TCP waits forever on an idle connection, and about
//! 15 minutes with unacknowledged data (Linux, `tcp_retries2`); a session has no timeout, because a statement may take
//! hours. Therefore the kernel probes the peer. A server that is only busy is not affected: its kernel responds.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt;

/// A host that has acknowledged nothing for this time is considered lost.
const SILENCE_MAX: Duration = Duration::from_secs(25);
/// Idle time before the first probe,
const IDLE: Duration = Duration::from_secs(10);
/// time between probes,
const INTERVAL: Duration = Duration::from_secs(5);
/// and number of probes: in total the same 25 s.
const PROBES: u32 = 3;

/// Enables keepalive on `stream`.
pub(crate) fn limit(stream: &TcpStream) -> io::Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, IDLE)?;
    sockopt::set_tcp_keepintvl(stream, INTERVAL)?;
    sockopt::set_tcp_keepcnt(stream, PROBES)?;
    allow_backlog(stream, false)
}

/// Sets whether the peer may leave sent data unread, as long as its kernel responds.
///
/// On Linux, the limit on unacknowledged data (`TCP_USER_TIMEOUT`) also limits how long the peer's receive window may
/// be closed. Without it, a lost host is noticed only after `tcp_retries2` while data are unacknowledged.
pub(crate) fn allow_backlog(stream: &TcpStream, allowed: bool) -> io::Result<()> {
    let limit_ms = if allowed { 0 } else { u32::try_from(SILENCE_MAX.as_millis()).unwrap_or(u32::MAX) };
    Ok(sockopt::set_tcp_user_timeout(stream, limit_ms)?)
}

/// Replaces the message of a keepalive timeout; other errors are unchanged.
#[cold]
pub(crate) fn explain(error: io::Error) -> io::Error {
    if error.raw_os_error() != Some(Errno::TIMEDOUT.raw_os_error()) {
        return error;
    }
    let message = format!("no response for at least {} s", SILENCE_MAX.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, message)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;
    use crate::{TIMEOUT, Transport, connect, plain_message};

    /// Both ends of a connection.
    fn connection() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let near = connect("127.0.0.1", port, None, Some(TIMEOUT)).unwrap();
        (near, listener.accept().unwrap().0)
    }

    /// More than both kernels buffer.
    const LARGE_BYTES: usize = 32 << 20;

    #[test]
    fn keepalive_is_enabled() {
        let (near, _far) = connection();
        assert!(sockopt::socket_keepalive(&near).unwrap());
        assert_eq!(sockopt::tcp_keepidle(&near).unwrap(), IDLE);
        assert_eq!(sockopt::tcp_keepintvl(&near).unwrap(), INTERVAL);
        assert_eq!(sockopt::tcp_keepcnt(&near).unwrap(), PROBES);
        assert_eq!(sockopt::tcp_user_timeout(&near).unwrap(), 25_000);
        assert_eq!(IDLE + INTERVAL * PROBES, SILENCE_MAX, "both limits are the same");
    }

    #[test]
    fn a_timeout_is_reported() {
        let (near, _far) = connection();
        sockopt::set_tcp_user_timeout(&near, 500).unwrap();
        let error = Transport::Tcp(near).send(&vec![0; LARGE_BYTES]).unwrap_err();
        assert_eq!(
            (error.kind(), plain_message(&error).as_str()),
            (io::ErrorKind::TimedOut, "no response for at least 25 s")
        );
    }

    #[test]
    fn a_busy_peer_may_have_a_backlog() {
        let (near, mut far) = connection();
        // As short as above, where it aborts the connection.
        sockopt::set_tcp_user_timeout(&near, 500).unwrap();
        let mut near = Transport::Tcp(near);
        near.allow_backlog(true).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_secs(2));
                far.read_exact(&mut vec![0; LARGE_BYTES]).unwrap();
            });
            near.send(&vec![0; LARGE_BYTES]).unwrap();
        });
        near.allow_backlog(false).unwrap();
        let Transport::Tcp(near) = near else { panic!("it was TCP") };
        assert_eq!(sockopt::tcp_user_timeout(&near).unwrap(), 25_000);
    }
}
