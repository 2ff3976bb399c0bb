//! Who listens: a question that every Oracle listener answers and that starts nothing in the server, as `tnsping` asks
//! it.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use engine::{Error, Kind, Result};

use super::{Place, Way, plain};

/// What the listener is asked.
const QUESTION: &[u8] = b"(CONNECT_DATA=(COMMAND=ping))";

/// Length of a connect packet before its data.
const CONNECT_BYTES: u16 = 74;

/// Types of packets that a listener answers a connect packet with: accept, refuse, redirect, resend.
const ANSWERS: [u8; 4] = [2, 4, 5, 11];

/// After so long without an answer an end of line is sent: servers of text wait for one.
const LINE_AFTER: Duration = Duration::from_millis(800);

/// What PostgreSQL answers with a single letter: whether it would encrypt.
const POSTGRESQL_QUESTION: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// Connects to `place` and asks.
///
/// # Errors
/// `Unreachable` where nothing answers, or something that is no Oracle listener.
pub(super) fn knock(place: &Place, timeout: Option<Duration>) -> Result<Way> {
    let mut stream = dial(place, timeout).map_err(|error| unreachable(place, &error))?;
    let way = stream.peer_addr().and_then(|peer| Ok(Way { peer, own: stream.local_addr()? }));
    let way = way.map_err(|error| unreachable(place, &error))?;
    if place.encrypted {
        // Here the handshake says who it is.
        return Ok(way);
    }
    let heard = ask(&mut stream, timeout).map_err(|error| unreachable(place, &error))?;
    match who(&heard) {
        Who::Listener => Ok(way),
        Who::Nobody if is_postgresql(way.peer, timeout) => Err(foreign(place, "a PostgreSQL server")),
        Who::Nobody => Err(foreign(place, "something that closes the connection without a word")),
        Who::Stranger(what) => Err(foreign(place, what)),
    }
}

/// Connects to the first address of the host that answers.
fn dial(place: &Place, timeout: Option<Duration>) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (place.host.as_str(), place.port).to_socket_addrs()? {
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

/// Asks and hears the first bytes of the answer; none where the connection is closed instead.
fn ask(stream: &mut TcpStream, timeout: Option<Duration>) -> io::Result<Vec<u8>> {
    let begun = Instant::now();
    stream.write_all(&question())?;
    let first = timeout.map_or(LINE_AFTER, |timeout| timeout.min(LINE_AFTER));
    match receive(stream, Some(first)) {
        Err(error) if is_late(&error) => {}
        outcome => return outcome,
    }
    stream.write_all(b"\r\n\r\n")?;
    let left = timeout.map(|timeout| timeout.saturating_sub(begun.elapsed()).max(Duration::from_millis(1)));
    receive(stream, left)
}

fn receive(stream: &mut TcpStream, timeout: Option<Duration>) -> io::Result<Vec<u8>> {
    stream.set_read_timeout(timeout)?;
    let mut heard = vec![0; 64];
    let read = loop {
        match stream.read(&mut heard) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => break outcome,
        }
    };
    match read {
        Ok(count) => {
            heard.truncate(count);
            Ok(heard)
        }
        // Closed with our bytes unread.
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// A connect packet of Oracle Net, with the values that the driver sends.
fn question() -> Vec<u8> {
    // It has a few hundred bytes at most.
    let size = CONNECT_BYTES + QUESTION.len() as u16;
    let mut packet = Vec::with_capacity(usize::from(size));
    let mut short = |number: u16| packet.extend_from_slice(&number.to_be_bytes());
    // Header: length, no checksum, type 1, no flags, no checksum.
    [size, 0, 0x0100, 0].into_iter().for_each(&mut short);
    // Version and the oldest one that is understood, options, sizes of units, characteristics, one.
    [319, 300, 1, 8192, 8192, 0x4f98, 0, 1].into_iter().for_each(&mut short);
    // The data: how long, and where.
    [QUESTION.len() as u16, CONNECT_BYTES].into_iter().for_each(&mut short);
    packet.extend_from_slice(&[0, 0, 0, 0, 0x84, 0x84]);
    packet.resize(usize::from(CONNECT_BYTES), 0);
    packet.extend_from_slice(QUESTION);
    packet
}

/// Whether `heard` is what a listener answers.
pub(super) fn is_listener(heard: &[u8]) -> bool {
    who(heard) == Who::Listener
}

/// Who it is, by the first bytes that it says.
#[derive(Debug, PartialEq, Eq)]
enum Who {
    Listener,
    Nobody,
    Stranger(&'static str),
}

fn who(heard: &[u8]) -> Who {
    match heard {
        [] => Who::Nobody,
        // Length and type; checksums are not in use.
        [high, low, 0, 0, kind, _, 0, 0, ..] if u16::from_be_bytes([*high, *low]) >= 8 && ANSWERS.contains(kind) => {
            Who::Listener
        }
        heard if heard.starts_with(b"HTTP/") || heard.starts_with(b"<!DOCTYPE") || heard.starts_with(b"<html") => {
            Who::Stranger("an HTTP server")
        }
        heard if heard.starts_with(b"SSH-") => Who::Stranger("an SSH server"),
        // A packet of at most 64 KiB, the first of its connection, of protocol version 10; or an error in that place.
        [_, _, 0, 0, 10 | 0xff, ..] => Who::Stranger("a MariaDB or MySQL server"),
        [b'E', 0, 0, ..] => Who::Stranger("a PostgreSQL server"),
        [0x15 | 0x16, 3, ..] => Who::Stranger("a server that wants TLS (give protocol=tcps if it is Oracle)"),
        _ => Who::Stranger("a server of another kind"),
    }
}

/// Such a server closes at once what it does not take for a greeting.
fn is_postgresql(address: SocketAddr, timeout: Option<Duration>) -> bool {
    let answer = || -> io::Result<Vec<u8>> {
        let mut stream = connect(address, timeout)?;
        stream.write_all(&POSTGRESQL_QUESTION)?;
        receive(&mut stream, timeout)
    };
    answer().is_ok_and(|heard| matches!(heard.as_slice(), [b'S' | b'N'] | [b'E', 0, 0, ..]))
}

/// Nothing answers: in words, with what may be done.
fn unreachable(place: &Place, error: &io::Error) -> Error {
    let message = format!("no Oracle listener answers at {place}: {}", plain(error));
    let hint = match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            "check host, port and firewall, or give a longer connect_timeout"
        }
        _ => "check host and port, and the listener: `lsnrctl status` on the server",
    };
    Error::new(Kind::Unreachable, message).hint(hint)
}

/// Something answers that is no listener.
fn foreign(place: &Place, what: &str) -> Error {
    Error::new(Kind::Unreachable, format!("what answers at {place} is no Oracle listener but {what}"))
        .hint("check host and port: Oracle listens on 1521 unless it was told otherwise")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_stranger_is_known_by_its_first_words() {
        assert_eq!(who(b"\0\x41\0\0\x04\0\0\0\"\0\0\x35(DESCRIPTION=(TMP=)(VSNNUM=0)(ERR=0))"), Who::Listener);
        assert_eq!(who(b"\0\x08\0\0\x0b\0\0\0"), Who::Listener);
        assert_eq!(who(b"HTTP/1.1 400 Bad Request\r\n"), Who::Stranger("an HTTP server"));
        assert_eq!(who(b"\x4a\0\0\0\x0a11.4.2-MariaDB\0"), Who::Stranger("a MariaDB or MySQL server"));
        assert_eq!(who(b"SSH-2.0-OpenSSH_9.2\r\n"), Who::Stranger("an SSH server"));
        assert_eq!(who(b""), Who::Nobody);
        assert_eq!(who(b"\0\x07\0\0\x04\0\0\0"), Who::Stranger("a server of another kind"), "shorter than its header");
    }

    #[test]
    fn the_question_says_how_long_it_is_and_where_its_words_begin() {
        let packet = question();
        assert_eq!(packet.len(), usize::from(u16::from_be_bytes([packet[0], packet[1]])));
        assert_eq!(&packet[24..28], &[0, 29, 0, 74], "length of the data and where they begin");
        assert_eq!(&packet[74..], QUESTION);
    }

    proptest! {
        #[test]
        fn any_answer_is_somebody(heard in proptest::collection::vec(any::<u8>(), 1..64)) {
            prop_assert_ne!(who(&heard), Who::Nobody);
        }
    }
}
