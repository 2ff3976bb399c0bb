//! Byte by byte comparison of what is read with what was written, and the checksums of both.

use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Error, Kind, ObjectAccess, Result};
use record::{Bytes, ComparedFile, FailureKind};

use super::backend::FileBackend;
use super::buffer::Buffer;
use super::content::Content;

/// The parameters of a comparison.
pub struct Comparing<'a> {
    /// The request size with which the file was written.
    pub request: Bytes,
    /// Committed requests of the file.
    pub requests: u64,
    /// The comparison is aborted when it is set.
    pub stop: &'a AtomicBool,
}

/// Reads all of file `number` in one transaction of `backend`, and compares it with `content`.
///
/// # Errors
/// Errors of the backend; `Cancelled` where the stop flag was set.
pub fn compare(
    backend: &mut dyn FileBackend,
    content: &mut Content,
    number: u32,
    comparing: &Comparing<'_>,
) -> Result<ComparedFile> {
    let size_bytes = comparing.request.times(comparing.requests);
    let mut file = ComparedFile { stream: number, size_bytes, written_crc32c: 0, read_crc32c: 0, equal: true };
    let mut into = Buffer::new(comparing.request.0 as usize);
    backend.begin()?;
    backend.open(number, ObjectAccess::Read)?;
    for index in 0..comparing.requests {
        if comparing.stop.load(Ordering::Relaxed) {
            // The cancellation is reported.
            let _ = backend.abort();
            return Err(Error::new(Kind::Step(FailureKind::Cancelled), "the comparison was aborted"));
        }
        let at = index * comparing.request.0;
        backend.read(at, into.bytes_mut())?;
        let written = content.at(at);
        file.written_crc32c = crc32c::crc32c_append(file.written_crc32c, written);
        file.read_crc32c = crc32c::crc32c_append(file.read_crc32c, into.bytes());
        file.equal &= written == into.bytes();
    }
    backend.commit()?;
    Ok(file)
}
