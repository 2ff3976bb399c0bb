//! What is counted of a file while it is read.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of a file that is read; shared, because decoders own their input.
#[derive(Debug, Default)]
pub(crate) struct FileCounts {
    /// Bytes read from the file.
    pub(crate) bytes: AtomicU64,
    /// Zero bytes behind the last member of a gzip file.
    pub(crate) padding_bytes: AtomicU64,
}

/// Counts the bytes read from a file.
pub(crate) struct Counted {
    input: Box<dyn Read + Send>,
    counts: Arc<FileCounts>,
}

impl Counted {
    pub(crate) fn new(input: Box<dyn Read + Send>, counts: Arc<FileCounts>) -> Counted {
        Counted { input, counts }
    }
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        self.counts.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
