//! How long the host of a server may be silent before it is taken for gone.
//!
//! A host that loses its power, or that the network no longer reaches, says nothing at all. Of itself TCP would wait for
//! ever where nothing is on its way to that host, and a quarter of an hour where something is (Linux, `tcp_retries2`); a
//! session waits without a limit of its own, because a statement may take hours. So the kernel asks the other kernel. A
//! server that is only busy does not notice: its kernel answers for it.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt;

/// A host that has acknowledged nothing for so long is gone.
const SILENCE_MAX: Duration = Duration::from_secs(25);
/// Where nothing is on its way, the kernel begins to ask after this time,
const IDLE: Duration = Duration::from_secs(10);
/// asks again after each of these,
const INTERVAL: Duration = Duration::from_secs(5);
/// and, where nothing else limits it, so often: the same 25 s.
const PROBES: u32 = 3;

/// Has the kernel look after the peer of `stream`.
pub(crate) fn limit(stream: &TcpStream) -> io::Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, IDLE)?;
    sockopt::set_tcp_keepintvl(stream, INTERVAL)?;
    sockopt::set_tcp_keepcnt(stream, PROBES)?;
    allow_backlog(stream, false)
}

/// Whether the peer may leave unread what it was sent, for as long as its kernel answers.
///
/// The limit on what is not acknowledged (`TCP_USER_TIMEOUT`) is, on Linux, also one on how long a peer may have no room
/// for more. Without it a host that vanishes is noticed only after `tcp_retries2` while something is on its way to it.
pub(crate) fn allow_backlog(stream: &TcpStream, allowed: bool) -> io::Result<()> {
    let limit_ms = if allowed { 0 } else { u32::try_from(SILENCE_MAX.as_millis()).unwrap_or(u32::MAX) };
    Ok(sockopt::set_tcp_user_timeout(stream, limit_ms)?)
}

/// Says of what the kernel gave up that it was for silence; another error is as it was.
#[cold]
pub(crate) fn explain(error: io::Error) -> io::Error {
    if error.raw_os_error() != Some(Errno::TIMEDOUT.raw_os_error()) {
        return error;
    }
    let message = format!("no answer for at least {} s", SILENCE_MAX.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, message)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;
    use crate::{TIMEOUT, Transport, dial, plain};

    /// Both ends of a connection.
    fn connection() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let near = dial("127.0.0.1", port, None, Some(TIMEOUT)).unwrap();
        (near, listener.accept().unwrap().0)
    }

    /// More than both kernels have room for.
    const MUCH_BYTES: usize = 32 << 20;

    #[test]
    fn a_connection_asks_whether_its_peer_is_still_there() {
        let (near, _far) = connection();
        assert!(sockopt::socket_keepalive(&near).unwrap());
        assert_eq!(sockopt::tcp_keepidle(&near).unwrap(), IDLE);
        assert_eq!(sockopt::tcp_keepintvl(&near).unwrap(), INTERVAL);
        assert_eq!(sockopt::tcp_keepcnt(&near).unwrap(), PROBES);
        assert_eq!(sockopt::tcp_user_timeout(&near).unwrap(), 25_000);
        assert_eq!(IDLE + INTERVAL * PROBES, SILENCE_MAX, "both limits are the same");
    }

    #[test]
    fn a_limit_that_is_reached_is_said() {
        let (near, _far) = connection();
        sockopt::set_tcp_user_timeout(&near, 500).unwrap();
        let error = Transport::Tcp(near).send(&vec![0; MUCH_BYTES]).unwrap_err();
        assert_eq!((error.kind(), plain(&error).as_str()), (io::ErrorKind::TimedOut, "no answer for at least 25 s"));
    }

    #[test]
    fn a_peer_that_is_busy_may_have_a_backlog() {
        let (near, mut far) = connection();
        // As short as above, where it ends the connection.
        sockopt::set_tcp_user_timeout(&near, 500).unwrap();
        let mut near = Transport::Tcp(near);
        near.allow_backlog(true).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_secs(2));
                far.read_exact(&mut vec![0; MUCH_BYTES]).unwrap();
            });
            near.send(&vec![0; MUCH_BYTES]).unwrap();
        });
        near.allow_backlog(false).unwrap();
        let Transport::Tcp(near) = near else { panic!("it was TCP") };
        assert_eq!(sockopt::tcp_user_timeout(&near).unwrap(), 25_000);
    }
}
