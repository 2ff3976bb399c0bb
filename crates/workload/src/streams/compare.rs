//! Whether what is read is what was written, byte by byte, and the checksums of both.

use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Error, Kind, ObjectAccess, Result};
use record::{Bytes, ComparedFile, FailureKind};

use super::buffer::Buffer;
use super::content::Content;
use super::place::Place;

/// What to compare.
pub struct Comparing<'a> {
    /// Size of a request: that with which the file was written.
    pub request: Bytes,
    /// Requests of the file that were committed.
    pub requests: u64,
    /// Breaks off when it is up.
    pub stop: &'a AtomicBool,
}

/// Reads all of file `number` in one transaction of `place`, and compares it with `content`.
///
/// # Errors
/// What the place says; `Cancelled` where the stop flag was raised.
pub fn compare(
    place: &mut dyn Place,
    content: &mut Content,
    number: u32,
    comparing: &Comparing<'_>,
) -> Result<ComparedFile> {
    let size_bytes = comparing.request.times(comparing.requests);
    let mut file = ComparedFile { stream: number, size_bytes, written_crc32c: 0, read_crc32c: 0, equal: true };
    let mut into = Buffer::new(comparing.request.0 as usize);
    place.begin()?;
    place.open(number, ObjectAccess::Read)?;
    for index in 0..comparing.requests {
        if comparing.stop.load(Ordering::Relaxed) {
            // The flag is what is told.
            let _ = place.give_up();
            return Err(Error::new(Kind::Step(FailureKind::Cancelled), "the comparison was broken off"));
        }
        let at = index * comparing.request.0;
        place.read(at, into.bytes_mut())?;
        let written = content.at(at);
        file.written_crc32c = crc32c::crc32c_append(file.written_crc32c, written);
        file.read_crc32c = crc32c::crc32c_append(file.read_crc32c, into.bytes());
        file.equal &= written == into.bytes();
    }
    place.commit()?;
    Ok(file)
}
