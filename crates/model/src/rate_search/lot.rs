//! The order of visits, and where exactly a round visits.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What is drawn by lot.
pub(super) struct Lot(Xoshiro256PlusPlus);

impl Lot {
    /// Another one behind each number of runs.
    pub(super) fn new(seed: u64, runs: usize) -> Lot {
        Lot(Xoshiro256PlusPlus::seed_from_u64(seed ^ (runs as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// In [0, 1).
    pub(super) fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Any order is as likely as any other (Fisher and Yates).
    pub(super) fn shuffled(&mut self, mut values: Vec<f64>) -> Vec<f64> {
        for last in (1..values.len()).rev() {
            let place = (self.share() * (last + 1) as f64) as usize;
            values.swap(last, place.min(last));
        }
        values
    }
}
