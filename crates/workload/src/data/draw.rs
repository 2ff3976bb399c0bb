//! Drawing from a range.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// A number in [0, `limit`): the upper half of a product (Lemire 2019). Without the rejection, the probabilities of two
/// numbers differ by at most `limit` / 2^64 of themselves.
#[inline]
pub(crate) fn below(random: &mut Xoshiro256PlusPlus, limit: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(limit)) >> 64) as u64
}
