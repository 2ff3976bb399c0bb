//! The bytes of a file, in pieces that copies share until one of them changes a piece.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a piece.
const PIECE_BYTES: usize = 16 << 10;

/// The bytes of a file. What was never written is zero and takes no memory, so that it may be the disk of a file system.
#[derive(Clone, Debug, Default)]
pub struct Data {
    size: u64,
    /// By number of the piece; those that are absent are zero, as are the bytes of the last one beyond the size.
    pieces: BTreeMap<u64, Arc<[u8]>>,
}

impl Data {
    /// `size` bytes of zero.
    pub fn zeros(size: u64) -> Data {
        Data { size, pieces: BTreeMap::new() }
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes that it takes in memory, at most: those of pieces that copies share are counted, too.
    pub fn memory_bytes(&self) -> u64 {
        (self.pieces.len() * PIECE_BYTES) as u64
    }

    /// The bytes from `offset` on: `length` of them, or as many as there are.
    pub fn read(&self, offset: u64, length: usize) -> Vec<u8> {
        let there = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut found = vec![0; length.min(there)];
        for (index, within, part) in parts(offset, found.len()) {
            if let Some(piece) = self.pieces.get(&index) {
                found[part.clone()].copy_from_slice(&piece[within..within + part.len()]);
            }
        }
        found
    }

    /// All bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        self.read(0, usize::try_from(self.size).unwrap_or(usize::MAX))
    }

    /// Writes `bytes` at `offset`; the size grows where that is needed.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        let Some(end) = offset.checked_add(bytes.len() as u64) else { return };
        self.size = self.size.max(end);
        for (index, within, part) in parts(offset, bytes.len()) {
            let part = &bytes[part];
            let is_there = self.pieces.contains_key(&index);
            if is_there || part.iter().any(|byte| *byte != 0) {
                let piece = self.pieces.entry(index).or_insert_with(|| Arc::from([0; PIECE_BYTES]));
                Arc::make_mut(piece)[within..within + part.len()].copy_from_slice(part);
            }
        }
    }

    /// Sets the size; new bytes are zero.
    pub fn resize(&mut self, size: u64) {
        if size < self.size {
            let (last, within) = (size / PIECE_BYTES as u64, (size % PIECE_BYTES as u64) as usize);
            self.pieces.split_off(&(last + 1));
            match self.pieces.get_mut(&last) {
                Some(_) if within == 0 => drop(self.pieces.remove(&last)),
                Some(piece) => Arc::make_mut(piece)[within..].fill(0),
                None => {}
            }
        }
        self.size = size;
    }
}

impl From<&[u8]> for Data {
    fn from(bytes: &[u8]) -> Data {
        let mut data = Data::default();
        data.write(0, bytes);
        data
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Data) -> bool {
        const ZEROS: &[u8] = &[0; PIECE_BYTES];
        let is_in = |pieces: &BTreeMap<u64, Arc<[u8]>>, index: &u64, piece: &Arc<[u8]>| match pieces.get(index) {
            Some(same) => Arc::ptr_eq(same, piece) || same == piece,
            None => **piece == *ZEROS,
        };
        self.size == other.size
            && self.pieces.iter().all(|(index, piece)| is_in(&other.pieces, index, piece))
            && other.pieces.iter().all(|(index, piece)| is_in(&self.pieces, index, piece))
    }
}

impl Eq for Data {}

/// The parts of `length` bytes from `offset` on, piece by piece: the number of the piece, the position in it, and the part.
fn parts(offset: u64, length: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == length {
            return None;
        }
        let at = offset + done as u64;
        let within = (at % PIECE_BYTES as u64) as usize;
        let end = length.min(done + PIECE_BYTES - within);
        let part = done..end;
        done = end;
        Some((at / PIECE_BYTES as u64, within, part))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two writes and two sizes, around the ends of pieces.
    fn steps() -> impl Strategy<Value = Vec<(u64, Option<Vec<u8>>)>> {
        let near = prop_oneof![0u64..40, 16_370u64..16_400, 32_750u64..32_790];
        proptest::collection::vec((near, proptest::option::of(proptest::collection::vec(0u8..3, 0..20_000))), 1..6)
    }

    proptest! {
        #[test]
        fn it_holds_what_a_plain_vector_holds(steps in steps()) {
            let (mut data, mut plain) = (Data::default(), Vec::new());
            for (at, bytes) in &steps {
                let from = *at as usize;
                match bytes {
                    Some(bytes) => {
                        data.write(*at, bytes);
                        plain.resize(plain.len().max(from + bytes.len()), 0);
                        plain[from..from + bytes.len()].copy_from_slice(bytes);
                    }
                    None => {
                        data.resize(*at);
                        plain.resize(from, 0);
                    }
                }
                prop_assert_eq!(data.to_vec(), plain.clone());
                prop_assert_eq!(&data, &Data::from(plain.as_slice()));
            }
        }
    }

    #[test]
    fn a_copy_is_not_changed_by_its_original_and_zeros_take_no_memory() {
        let mut data = Data::zeros(1 << 40);
        data.write(1 << 39, b"here");
        let copy = data.clone();
        data.write(1 << 39, b"gone");
        data.write(0, &[0; 100_000]);
        assert_eq!((copy.read(1 << 39, 6), data.read(1 << 39, 4)), (b"here\0\0".to_vec(), b"gone".to_vec()));
        assert_eq!((data.memory_bytes(), data.size()), (PIECE_BYTES as u64, 1 << 40));
        assert_ne!(data, copy);
        assert_eq!(data.read((1 << 40) - 2, 10), vec![0, 0]);
    }
}
