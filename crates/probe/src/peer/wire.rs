//! Reads and writes of a socket that end by a deadline.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Fills `bytes` by `deadline`, however slowly they arrive.
///
/// # Errors
/// `TimedOut`, `UnexpectedEof`, else as the operating system says.
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
///
/// # Errors
/// As for [`read_by`].
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

/// Fills `bytes`; each read within the timeout of the socket.
///
/// # Errors
/// As for [`read_by`].
pub(super) fn read_all(stream: &mut TcpStream, bytes: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        filled += read_some(stream, &mut bytes[filled..])?;
    }
    Ok(())
}

/// Writes all of `bytes`; each write within the timeout of the socket.
///
/// # Errors
/// As for [`read_by`].
pub(super) fn write_all(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes).map_err(explained)
}

/// A socket whose timeout is over says that it would block.
fn explained(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}
