//! TCP connections to a server, and the location of the server.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use engine::{Error, Kind, Result, shown};
use record::Location;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};

use crate::{Deadline, Keepalive};

/// The default of `connect_timeout`.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// Addresses of a connection, so that a second one can be made to the same server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The address of the server; absent on a Unix socket.
    pub peer: Option<SocketAddr>,
    /// The local address; absent on a Unix socket.
    pub own: Option<SocketAddr>,
    /// TLS version and cipher, if the connection is encrypted.
    pub encryption: Option<String>,
}

impl Route {
    /// The addresses of `stream`, unencrypted.
    pub fn of_tcp(stream: &TcpStream) -> Route {
        Route { peer: stream.peer_addr().ok(), own: stream.local_addr().ok(), encryption: None }
    }

    /// Location of the server relative to this host.
    pub fn location(&self) -> Location {
        match (self.peer, self.own) {
            (None, _) => Location::UnixSocket,
            (Some(peer), own) if peer.ip().is_loopback() || own.is_some_and(|own| own.ip() == peer.ip()) => {
                Location::LocalTcp
            }
            _ => Location::Remote,
        }
    }
}

/// Connects to `peer`, or to the first address of `host` that responds, each within `timeout`, with `TCP_NODELAY`, and
/// `keepalive`, by which a lost host is noticed even without a timeout.
///
/// # Errors
/// The error of the last address.
pub fn connect(
    host: &str,
    port: u16,
    peer: Option<SocketAddr>,
    timeout: Option<Duration>,
    keepalive: &Keepalive,
) -> io::Result<TcpStream> {
    let addresses: Vec<SocketAddr> = match peer {
        Some(peer) => vec![peer],
        None => (host, port).to_socket_addrs()?.collect(),
    };
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in addresses {
        let stream = match timeout {
            Some(timeout) => TcpStream::connect_timeout(&address, timeout),
            None => TcpStream::connect(address),
        };
        let ready = stream.and_then(|stream| {
            stream.set_nodelay(true)?;
            keepalive.set(&stream)?;
            Ok(stream)
        });
        match ready {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Connects to the Unix socket at `path` within `timeout`: where a server that is stopped has connections enough waiting for it, the
/// kernel lets the next one wait.
///
/// # Errors
/// `TimedOut` after `timeout`, else as the operating system says.
pub fn connect_socket(path: &Path, timeout: Option<Duration>) -> io::Result<UnixStream> {
    let address = SocketAddrUnix::new(path)?;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    let deadline = Deadline::after(timeout);
    loop {
        // Linux takes it as that of connecting, too.
        set_socket_timeout(&socket, Timeout::Send, deadline.left()?)?;
        match rustix::net::connect(&socket, &address) {
            Ok(()) => break,
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Err(io::ErrorKind::TimedOut.into()),
            Err(error) => return Err(error.into()),
        }
    }
    set_socket_timeout(&socket, Timeout::Send, None)?;
    Ok(socket.into())
}

/// The value of `connect_timeout`: [`TIMEOUT`] if it is not given, and no timeout if it is 0.
///
/// # Errors
/// `Usage` if it is not a number of seconds.
pub fn timeout(given: Option<&str>) -> Result<Option<Duration>> {
    let Some(text) = given else { return Ok(Some(TIMEOUT)) };
    match text.parse::<u32>() {
        Ok(0) => Ok(None),
        Ok(seconds) => Ok(Some(Duration::from_secs(seconds.into()))),
        Err(_) => Err(Error::new(Kind::Usage, format!("connect_timeout {} is not a number of seconds", shown(text)))
            .hint("give whole seconds, 0 for no timeout")),
    }
}

/// The message of an error without the error number of the operating system.
pub fn plain_message(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    match error.kind() {
        // A custom message is more specific.
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock if error.get_ref().is_none() => {
            "no response within the timeout".to_owned()
        }
        _ => text
            .chars()
            .next()
            .map_or_else(String::new, |first| first.to_lowercase().chain(text.chars().skip(1)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_whole_seconds() {
        assert_eq!(timeout(None).unwrap(), Some(TIMEOUT));
        assert_eq!(timeout(Some("0")).unwrap(), None);
        assert_eq!(timeout(Some("3")).unwrap(), Some(Duration::from_secs(3)));
        for text in ["soon", "-1", "1.5", ""] {
            let error = timeout(Some(text)).unwrap_err();
            assert_eq!(error.kind, Kind::Usage);
            assert!(error.message.contains(&format!("connect_timeout {text} ")), "{error}");
        }
    }

    #[test]
    fn a_server_with_the_local_address_is_on_this_host() {
        let way = |peer: &str, own: &str| Route { peer: peer.parse().ok(), own: own.parse().ok(), encryption: None };
        assert_eq!(Route::default().location(), Location::UnixSocket);
        assert_eq!(way("127.0.0.1:5", "127.0.0.1:6").location(), Location::LocalTcp);
        assert_eq!(way("192.0.2.1:5", "192.0.2.1:6").location(), Location::LocalTcp);
        assert_eq!(way("192.0.2.1:5", "192.0.2.2:6").location(), Location::Remote);
    }

    #[test]
    fn a_server_that_takes_no_connections_is_given_up_on_a_socket_too() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("socket");
        let listener = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
        rustix::net::bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        rustix::net::listen(&listener, 0).unwrap();
        let waits = connect_socket(&path, Some(TIMEOUT)).expect("one may wait");
        assert_eq!(waits.write_timeout().unwrap(), None);
        let error = connect_socket(&path, Some(Duration::from_millis(50))).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(listener);
        assert_eq!(connect_socket(&path, None).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
        let long = "x".repeat(200);
        assert_eq!(plain_message(&connect_socket(Path::new(&long), None).unwrap_err()), "file name too long");
    }

    #[test]
    fn messages_have_no_error_numbers() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let error = connect("127.0.0.1", free.port(), None, Some(TIMEOUT), &Keepalive::default()).unwrap_err();
        assert_eq!(plain_message(&error), "connection refused");
        assert_eq!(plain_message(&io::ErrorKind::WouldBlock.into()), "no response within the timeout");
    }
}
