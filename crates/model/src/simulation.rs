//! Noise with a known truth, for tests and for `examples/coverage.rs`: the same seed gives the same series.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A source of noise.
pub(crate) struct Simulation {
    random: Xoshiro256PlusPlus,
    /// The second of a pair of deviates.
    spare: Option<f64>,
}

impl Simulation {
    pub(crate) fn new(seed: u64) -> Simulation {
        Simulation { random: Xoshiro256PlusPlus::seed_from_u64(seed), spare: None }
    }

    /// In [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A standard normal deviate, by the polar method (Marsaglia and Bray 1964).
    pub(crate) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (one, other) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = one * one + other * other;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.spare = Some(other * factor);
                return one * factor;
            }
        }
    }

    /// `count` values around `mean` with the standard deviation `deviation`, a stationary autoregressive
    /// process of first order with autocorrelation `keep`.
    pub(crate) fn noise(&mut self, count: usize, keep: f64, mean: f64, deviation: f64) -> Vec<f64> {
        let mut state = self.normal();
        let fresh = (1.0 - keep * keep).sqrt();
        let values = (0..count).map(|_| {
            let value = mean + deviation * state;
            state = keep * state + fresh * self.normal();
            value
        });
        values.collect()
    }
}
