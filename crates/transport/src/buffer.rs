//! Receive buffer.

/// Initial size, for the bytes of one system call.
const INITIAL_BYTES: usize = 64 * 1024;

/// Received bytes, of which `start..end` are unread: messages are framed and read in place.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer::new()
    }
}

impl Buffer {
    /// An empty buffer.
    pub fn new() -> Buffer {
        Buffer { bytes: vec![0; INITIAL_BYTES], start: 0, end: 0 }
    }

    /// The unread bytes.
    #[inline]
    pub fn unread(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Consumes the first `count` unread bytes, which must exist.
    #[inline]
    pub fn take(&mut self, count: usize) -> &[u8] {
        let start = self.start;
        self.start += count;
        debug_assert!(self.start <= self.end);
        &self.bytes[start..self.start]
    }

    /// Free space after the unread bytes. The buffer grows as bytes arrive, not by announced lengths.
    #[inline]
    pub fn free_space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.start > 0 && self.bytes.len() - self.end < self.bytes.len() / 2 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.bytes.len() {
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
        &mut self.bytes[self.end..]
    }

    /// Marks the first `count` bytes of the free space as received.
    #[inline]
    pub fn received(&mut self, count: usize) {
        self.end = (self.end + count).min(self.bytes.len());
    }

    /// Appends `bytes`.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let free_space = self.free_space();
            let count = free_space.len().min(bytes.len());
            free_space[..count].copy_from_slice(&bytes[..count]);
            self.received(count);
            bytes = &bytes[count..];
        }
    }

    /// Allocated size in bytes.
    pub fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_come_out_as_they_went_in(
            pieces in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..50_000), 0_usize..60_000), 1..12),
        ) {
            let (mut buffer, mut seen) = (Buffer::new(), Vec::new());
            for (piece, taken) in &pieces {
                buffer.push(piece);
                let count = (*taken).min(buffer.unread().len());
                seen.extend_from_slice(buffer.take(count));
            }
            seen.extend_from_slice(buffer.unread());
            let expected: Vec<u8> = pieces.iter().flat_map(|(piece, _)| piece.clone()).collect();
            prop_assert!(seen == expected);
        }
    }
}
