//! What was received and is not read yet.

/// Room for what one system call brings, to begin with.
const ROOM_BYTES: usize = 64 * 1024;

/// Received bytes, of which those in `begin..end` are not read yet: messages are framed and read where they lie.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    begin: usize,
    end: usize,
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer::new()
    }
}

impl Buffer {
    /// A buffer that holds nothing yet.
    pub fn new() -> Buffer {
        Buffer { bytes: vec![0; ROOM_BYTES], begin: 0, end: 0 }
    }

    /// What is there and not taken.
    #[inline]
    pub fn unread(&self) -> &[u8] {
        &self.bytes[self.begin..self.end]
    }

    /// Takes the first `count` unread bytes, which must be there.
    #[inline]
    pub fn take(&mut self, count: usize) -> &[u8] {
        let begin = self.begin;
        self.begin += count;
        debug_assert!(self.begin <= self.end);
        &self.bytes[begin..self.begin]
    }

    /// Room behind what is there. Grows as bytes arrive, not as a length promises them.
    #[inline]
    pub fn room(&mut self) -> &mut [u8] {
        if self.begin == self.end {
            (self.begin, self.end) = (0, 0);
        } else if self.begin > 0 && self.bytes.len() - self.end < self.bytes.len() / 2 {
            self.bytes.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        if self.end == self.bytes.len() {
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
        &mut self.bytes[self.end..]
    }

    /// Says that the first `count` bytes of the room are filled.
    #[inline]
    pub fn received(&mut self, count: usize) {
        self.end = (self.end + count).min(self.bytes.len());
    }

    /// Puts `bytes` behind what is there.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.room();
            let count = room.len().min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
            self.received(count);
            bytes = &bytes[count..];
        }
    }

    /// How much memory it holds, in bytes.
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
