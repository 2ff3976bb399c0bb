//! A machine of 16 GiB and 8 processors, without environment and without other files.

use std::io;

use record::Bytes;

use crate::expand::Surroundings;

/// The surroundings of the tests.
pub(crate) fn surroundings() -> Surroundings<'static> {
    Surroundings {
        variable: &|_| None,
        include: &|path| Err(io::Error::new(io::ErrorKind::NotFound, format!("no {}", path.display()))),
        content: &|_| Err(io::Error::from(io::ErrorKind::NotFound)),
        page_bytes: Bytes(4096),
        memory_bytes: Bytes::GIB.times(16),
        processors: 8,
    }
}
