//! The buffer of a request, aligned for direct I/O.

use super::PAGE_BYTES;

/// Page-aligned bytes.
pub(super) struct Buffer {
    bytes: Vec<u8>,
    begin: usize,
    length: usize,
}

impl Buffer {
    /// `length` zeros.
    pub(super) fn new(length: usize) -> Buffer {
        let page = PAGE_BYTES as usize;
        let bytes = vec![0; length + page];
        // A vector that does not grow is not moved.
        let begin = bytes.as_ptr().align_offset(page).min(page);
        Buffer { bytes, begin, length }
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.begin..self.begin + self.length]
    }

    /// The bytes, mutable.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..self.begin + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_begins_at_a_page_and_is_as_long_as_asked_for() {
        for length in [4096, 8192, 1 << 20] {
            let mut buffer = Buffer::new(length);
            assert_eq!(buffer.bytes().len(), length);
            assert!(buffer.bytes().as_ptr().addr().is_multiple_of(4096));
            buffer.bytes_mut().fill(7);
            assert!(buffer.bytes().iter().all(|byte| *byte == 7));
        }
    }
}
