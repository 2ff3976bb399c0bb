//! The content of a file: incompressible random bytes, with a stamp in each page that identifies its file and offset.
//!
//! The random bytes are those of one buffer, as long as a request and at least as long as what storage compresses at
//! once; from one pass to the next only the stamps change, so that content is made at the speed of its stamps and no
//! two pages are equal.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::PAGE_BYTES;
use super::buffer::Buffer;
use crate::data::mix;

/// The least number of random bytes: file systems search for repetitions within up to a mebibyte.
const RANDOM_BYTES_MIN: usize = 1 << 20;

/// Bytes of a stamp: the writer, and the offset of the page.
const STAMP_BYTES: usize = 16;

/// The identity of the bytes: equal signatures, equal bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Seed of all data of an invocation.
    pub seed: u64,
    /// The stream, counted from 1.
    pub stream: u32,
    /// Distinguishes the files of one run from those of an earlier run.
    pub generation: u32,
}

/// The bytes of a file, request by request.
pub struct Content {
    /// Buffer of several requests.
    buffer: Buffer,
    request_bytes: usize,
    writer: u64,
}

impl Content {
    /// The content of the file of `signature`, in requests of `request_bytes`, a multiple of [`PAGE_BYTES`].
    pub fn new(signature: Signature, request_bytes: usize) -> Content {
        let Signature { seed, stream, generation } = signature;
        let mut buffer = Buffer::new(RANDOM_BYTES_MIN.next_multiple_of(request_bytes));
        let writer = mix(mix(seed) ^ (u64::from(generation) << 32 | u64::from(stream)));
        Xoshiro256PlusPlus::seed_from_u64(writer).fill_bytes(buffer.bytes_mut());
        Content { buffer, request_bytes, writer }
    }

    /// The bytes of the request at offset `at` of the file.
    #[inline]
    pub fn at(&mut self, at: u64) -> &[u8] {
        let writer = self.writer;
        let begin = at as usize / self.request_bytes * self.request_bytes % self.buffer.bytes().len();
        let request = &mut self.buffer.bytes_mut()[begin..begin + self.request_bytes];
        for (page, index) in request.chunks_exact_mut(PAGE_BYTES as usize).zip(0..) {
            page[..STAMP_BYTES].copy_from_slice(&stamp(writer, at + index * PAGE_BYTES));
        }
        request
    }

    /// Whether each page of `found`, read at offset `at`, belongs there. Only the stamps are compared, which costs next
    /// to nothing.
    #[inline]
    pub fn belongs(&self, found: &[u8], at: u64) -> bool {
        let mut pages = found.chunks_exact(PAGE_BYTES as usize).zip(0..);
        pages.all(|(page, index)| page[..STAMP_BYTES] == stamp(self.writer, at + index * PAGE_BYTES))
    }
}

#[inline]
fn stamp(writer: u64, at: u64) -> [u8; STAMP_BYTES] {
    let mut stamp = [0; STAMP_BYTES];
    stamp[..8].copy_from_slice(&writer.to_le_bytes());
    // Mixed, because a plain offset is mostly zeros.
    stamp[8..].copy_from_slice(&mix(writer ^ at).to_le_bytes());
    stamp
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const SIGNATURE: Signature = Signature { seed: 42, stream: 1, generation: 1 };

    #[test]
    fn the_same_signature_gives_the_same_bytes_and_another_one_others() {
        let bytes = |signature: Signature, at: u64| Content::new(signature, 16 << 10).at(at).to_vec();
        assert_eq!(bytes(SIGNATURE, 0), bytes(SIGNATURE, 0));
        let others = [
            Signature { seed: 43, ..SIGNATURE },
            Signature { stream: 2, ..SIGNATURE },
            Signature { generation: 2, ..SIGNATURE },
        ];
        let mut seen = BTreeSet::from([bytes(SIGNATURE, 0)]);
        for signature in others {
            assert!(seen.insert(bytes(signature, 0)), "{signature:?}");
        }
        assert!(seen.insert(bytes(SIGNATURE, 16 << 10)));
    }

    #[test]
    fn no_page_is_like_another_one() {
        let mut content = Content::new(SIGNATURE, 64 << 10);
        let mut pages = BTreeSet::new();
        for at in (0..1 << 20).step_by(64 << 10) {
            for page in content.at(at).chunks(4096) {
                assert!(pages.insert(page.to_vec()));
            }
        }
        assert_eq!(pages.len(), 256);
    }

    #[test]
    fn small_requests_do_not_repeat_within_what_storage_compresses_at_once() {
        for request_bytes in [4 << 10, 12 << 10, 1 << 20] {
            let mut content = Content::new(SIGNATURE, request_bytes);
            let mut tails = BTreeSet::new();
            for at in (0..(1 << 20) - request_bytes as u64 + 1).step_by(request_bytes) {
                for page in content.at(at).chunks(PAGE_BYTES as usize) {
                    assert!(tails.insert(page[STAMP_BYTES..].to_vec()), "{request_bytes} at {at}");
                }
            }
        }
    }

    #[test]
    fn bytes_are_uniform() {
        let mut counts = [0_u32; 256];
        Content::new(SIGNATURE, 1 << 20).at(0).iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        // 4096 of each are expected, with a standard deviation of 64.
        assert!(counts.iter().all(|count| (3_600..4_600).contains(count)), "{counts:?}");
    }

    proptest! {
        #[test]
        fn misplaced_pages_are_detected(at in 0_u64..1 << 40, page in 0_usize..4, byte in 0_usize..STAMP_BYTES) {
            let at = at * PAGE_BYTES;
            let mut content = Content::new(SIGNATURE, 16 << 10);
            let mut found = content.at(at).to_vec();
            prop_assert!(content.belongs(&found, at));
            prop_assert!(!content.belongs(&found, at + PAGE_BYTES));
            let other = Content::new(Signature { generation: 2, ..SIGNATURE }, 16 << 10);
            prop_assert!(!other.belongs(&found, at));
            found[page * PAGE_BYTES as usize + byte] ^= 1;
            prop_assert!(!content.belongs(&found, at));
        }
    }
}
