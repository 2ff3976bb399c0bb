//! Reads and writes of a socket that end by a deadline.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Fills `bytes` by `deadline`, however slowly they arrive.
pub(super) fn read_by(stream: &mut TcpStream, bytes: &mut [u8], deadline: Instant) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        filled += read_some(stream, &mut bytes[filled..])?;
    }
    Ok(())
}

/// Reads at least one byte, within the timeout of the socket.
pub(super) fn read_some(stream: &mut TcpStream, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(bytes) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => return Ok(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(explained(error)),
        }
    }
}

/// Fills `bytes`; each read within the timeout of the socket, and all after the first one `within` a time: what arrives in drops
/// holds the connection no longer. The clock is read only where they arrive in several parts.
pub(super) fn read_all(stream: &mut TcpStream, bytes: &mut [u8], within: Duration) -> io::Result<()> {
    in_parts(bytes.len(), within, |done| read_some(stream, &mut bytes[done..]))
}

/// Writes all of `bytes`; each write within the timeout of the socket, and all after the first one `within` a time.
pub(super) fn write_all(stream: &mut TcpStream, bytes: &[u8], within: Duration) -> io::Result<()> {
    in_parts(bytes.len(), within, |done| {
        loop {
            match stream.write(&bytes[done..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result.map_err(explained),
            }
        }
    })
}

/// Transfers `length` bytes by `part`, which is given how many have been, and returns how many more; those after the first part
/// `within` a time.
fn in_parts(length: usize, within: Duration, mut part: impl FnMut(usize) -> io::Result<usize>) -> io::Result<()> {
    let (mut done, mut deadline) = (0, None);
    while done < length {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        done += part(done)?;
        if done < length {
            deadline = deadline.or_else(|| Instant::now().checked_add(within));
        }
    }
    Ok(())
}

/// A socket whose timeout is over says that it would block.
fn explained(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}
