//! A probe that every Oracle listener answers and that starts no process in the server, the one of `tnsping`.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use engine::{Error, Kind, Result};

use super::{Route, ServerAddress, plain_message};

/// The data of the probe.
const PING: &[u8] = b"(CONNECT_DATA=(COMMAND=ping))";

/// Length of a connect packet before its data.
const CONNECT_BYTES: u16 = 74;

/// Types of the packets in response to a connect packet: accept, refuse, redirect, resend.
const RESPONSE_TYPES: [u8; 4] = [2, 4, 5, 11];

/// After this time without a response an end of line is sent: servers of text protocols wait for one.
const LINE_DELAY: Duration = Duration::from_millis(800);

/// The SSLRequest of PostgreSQL, which a server answers with one byte.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// Connects to `server` and probes it.
pub(super) fn probe(server: &ServerAddress, timeout: Option<Duration>) -> Result<Route> {
    let mut stream = connect_any(server, timeout).map_err(|error| unreachable(server, &error))?;
    let route = stream.peer_addr().and_then(|peer| Ok(Route { peer, own: stream.local_addr()? }));
    let route = route.map_err(|error| unreachable(server, &error))?;
    if server.encrypted {
        // The TLS handshake identifies the server.
        return Ok(route);
    }
    let received = ask(&mut stream, timeout).map_err(|error| unreachable(server, &error))?;
    match peer_kind(&received) {
        Peer::Listener => Ok(route),
        Peer::Closed if is_postgresql(route.peer, timeout) => Err(foreign(server, "a PostgreSQL server")),
        Peer::Closed => Err(foreign(server, "something that closes the connection without a word")),
        Peer::Other(what) => Err(foreign(server, what)),
    }
}

/// Connects to the first address of the host that accepts the connection.
fn connect_any(server: &ServerAddress, timeout: Option<Duration>) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (server.host.as_str(), server.port).to_socket_addrs()? {
        match connect(address, timeout) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn connect(address: SocketAddr, timeout: Option<Duration>) -> io::Result<TcpStream> {
    let stream = match timeout {
        Some(timeout) => TcpStream::connect_timeout(&address, timeout)?,
        None => TcpStream::connect(address)?,
    };
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Sends the probe and receives the first bytes of the response; none where the connection is closed instead.
fn ask(stream: &mut TcpStream, timeout: Option<Duration>) -> io::Result<Vec<u8>> {
    let start = Instant::now();
    stream.write_all(&question())?;
    let first = timeout.map_or(LINE_DELAY, |timeout| timeout.min(LINE_DELAY));
    match receive(stream, Some(first)) {
        Err(error) if is_timeout(&error) => {}
        outcome => return outcome,
    }
    stream.write_all(b"\r\n\r\n")?;
    let left = timeout.map(|timeout| timeout.saturating_sub(start.elapsed()).max(Duration::from_millis(1)));
    receive(stream, left)
}

fn receive(stream: &mut TcpStream, timeout: Option<Duration>) -> io::Result<Vec<u8>> {
    stream.set_read_timeout(timeout)?;
    let mut received = vec![0; 64];
    let read = loop {
        match stream.read(&mut received) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => break outcome,
        }
    };
    match read {
        Ok(count) => {
            received.truncate(count);
            Ok(received)
        }
        // Closed with unread bytes of the probe.
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// A connect packet of Oracle Net, with the values of the driver.
fn question() -> Vec<u8> {
    // It has a few hundred bytes at most.
    let size = CONNECT_BYTES + PING.len() as u16;
    let mut packet = Vec::with_capacity(usize::from(size));
    let mut short = |number: u16| packet.extend_from_slice(&number.to_be_bytes());
    // Header: length, no checksum, type 1, no flags, no checksum.
    [size, 0, 0x0100, 0].into_iter().for_each(&mut short);
    // Version and the oldest compatible one, options, sizes of units, characteristics, one.
    [319, 300, 1, 8192, 8192, 0x4f98, 0, 1].into_iter().for_each(&mut short);
    // Length and offset of the data.
    [PING.len() as u16, CONNECT_BYTES].into_iter().for_each(&mut short);
    packet.extend_from_slice(&[0, 0, 0, 0, 0x84, 0x84]);
    packet.resize(usize::from(CONNECT_BYTES), 0);
    packet.extend_from_slice(PING);
    packet
}

/// Whether `received` is the response of a listener.
pub(super) fn is_listener(received: &[u8]) -> bool {
    peer_kind(received) == Peer::Listener
}

/// The kind of a server, by the first bytes of its response.
#[derive(Debug, PartialEq, Eq)]
enum Peer {
    Listener,
    Closed,
    Other(&'static str),
}

fn peer_kind(received: &[u8]) -> Peer {
    match received {
        [] => Peer::Closed,
        // Length and type; checksums are not in use.
        [high, low, 0, 0, kind, _, 0, 0, ..]
            if u16::from_be_bytes([*high, *low]) >= 8 && RESPONSE_TYPES.contains(kind) =>
        {
            Peer::Listener
        }
        received
            if received.starts_with(b"HTTP/")
                || received.starts_with(b"<!DOCTYPE")
                || received.starts_with(b"<html") =>
        {
            Peer::Other("an HTTP server")
        }
        received if received.starts_with(b"SSH-") => Peer::Other("an SSH server"),
        // A packet of at most 64 KiB, the first of its connection, of protocol version 10; or an error packet.
        [_, _, 0, 0, 10 | 0xff, ..] => Peer::Other("a MariaDB or MySQL server"),
        [b'E', 0, 0, ..] => Peer::Other("a PostgreSQL server"),
        [0x15 | 0x16, 3, ..] => Peer::Other("a server that wants TLS (give protocol=tcps if it is Oracle)"),
        _ => Peer::Other("a server of another kind"),
    }
}

/// PostgreSQL closes a connection whose first packet is invalid.
fn is_postgresql(address: SocketAddr, timeout: Option<Duration>) -> bool {
    let answer = || -> io::Result<Vec<u8>> {
        let mut stream = connect(address, timeout)?;
        stream.write_all(&SSL_REQUEST)?;
        receive(&mut stream, timeout)
    };
    answer().is_ok_and(|received| matches!(received.as_slice(), [b'S' | b'N'] | [b'E', 0, 0, ..]))
}

/// The error for an address at which nothing responds, with a hint.
fn unreachable(server: &ServerAddress, error: &io::Error) -> Error {
    let message = format!("no Oracle listener answers at {server}: {}", plain_message(error));
    let hint = match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            "check host, port and firewall, or give a longer connect_timeout"
        }
        _ => "check host and port, and the listener: `lsnrctl status` on the server",
    };
    Error::new(Kind::Unreachable, message).hint(hint)
}

/// The error for a server of another kind.
fn foreign(server: &ServerAddress, what: &str) -> Error {
    Error::new(Kind::Unreachable, format!("what answers at {server} is no Oracle listener but {what}"))
        .hint("check host and port: Oracle listens on 1521 unless it was told otherwise")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn another_kind_of_server_is_identified_by_its_first_bytes() {
        assert_eq!(peer_kind(b"\0\x41\0\0\x04\0\0\0\"\0\0\x35(DESCRIPTION=(TMP=)(VSNNUM=0)(ERR=0))"), Peer::Listener);
        assert_eq!(peer_kind(b"\0\x08\0\0\x0b\0\0\0"), Peer::Listener);
        assert_eq!(peer_kind(b"HTTP/1.1 400 Bad Request\r\n"), Peer::Other("an HTTP server"));
        assert_eq!(peer_kind(b"\x4a\0\0\0\x0a11.4.2-MariaDB\0"), Peer::Other("a MariaDB or MySQL server"));
        assert_eq!(peer_kind(b"SSH-2.0-OpenSSH_9.2\r\n"), Peer::Other("an SSH server"));
        assert_eq!(peer_kind(b""), Peer::Closed);
        assert_eq!(
            peer_kind(b"\0\x07\0\0\x04\0\0\0"),
            Peer::Other("a server of another kind"),
            "shorter than its header"
        );
    }

    #[test]
    fn the_probe_states_its_length_and_the_offset_of_its_data() {
        let packet = question();
        assert_eq!(packet.len(), usize::from(u16::from_be_bytes([packet[0], packet[1]])));
        assert_eq!(&packet[24..28], &[0, 29, 0, 74], "length of the data and where they begin");
        assert_eq!(&packet[74..], PING);
    }

    proptest! {
        #[test]
        fn any_response_is_classified(received in proptest::collection::vec(any::<u8>(), 1..64)) {
            prop_assert_ne!(peer_kind(&received), Peer::Closed);
        }
    }
}
