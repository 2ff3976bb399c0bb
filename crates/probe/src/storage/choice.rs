//! Random block numbers of a region, by distribution.

use rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution as _, StandardNormal, Zipf};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{Coverage, Distribution, Zone};

use super::permutation::{Permutation, mix};

/// Draws block numbers below `count`.
#[derive(Debug)]
pub(crate) struct Choice {
    count: u64,
    law: Law,
    random: Xoshiro256PlusPlus,
}

#[derive(Debug)]
enum Law {
    /// Every block once per pass, each pass in another order.
    Full {
        permutation: Permutation,
        next: u64,
        seed: u64,
    },
    Uniform,
    /// The k-th most popular block is at a random position.
    Zipf {
        zipf: Zipf<f64>,
        positions: Permutation,
    },
    Pareto {
        exponent: f64,
        positions: Permutation,
    },
    Normal {
        deviation: f64,
    },
    Zoned(Vec<Zone>),
}

impl Choice {
    /// Blocks below `count`, at least 1, by `distribution`; `coverage` applies to the uniform one only.
    pub(crate) fn new(count: u64, distribution: &Distribution, coverage: Coverage, seed: u64) -> Choice {
        let count = count.max(1);
        let positions = || Permutation::new(count, seed);
        let law = match distribution {
            Distribution::Uniform if coverage == Coverage::Full => {
                Law::Full { permutation: positions(), next: 0, seed }
            }
            Distribution::Uniform => Law::Uniform,
            Distribution::Zipf { theta } => match Zipf::new(count as f64, *theta) {
                Ok(zipf) => Law::Zipf { zipf, positions: positions() },
                Err(_) => Law::Uniform,
            },
            // Gray et al., "Quickly generating billion-record synthetic databases", 1994: a share h of the draws goes
            // to a share 1 - h of the blocks, recursively.
            Distribution::Pareto { h } => Law::Pareto { exponent: h.ln() / (1.0 - h).ln(), positions: positions() },
            Distribution::Normal { deviation } => Law::Normal { deviation: deviation.0 },
            Distribution::Zoned(zones) => Law::Zoned(zones.clone()),
        };
        Choice { count, law, random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// The number of the next block.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        let (count, random) = (self.count, &mut self.random);
        match &mut self.law {
            Law::Full { permutation, next, seed } => {
                if *next == permutation.count() {
                    *seed = mix(seed.wrapping_add(1));
                    (*permutation, *next) = (Permutation::new(count, *seed), 0);
                }
                *next += 1;
                permutation.at(*next - 1)
            }
            Law::Uniform => below(random, count),
            Law::Zipf { zipf, positions } => {
                positions.at((zipf.sample(random) as u64).saturating_sub(1).min(count - 1))
            }
            Law::Pareto { exponent, positions } => {
                positions.at(((count as f64 * unit(random).powf(*exponent)) as u64).min(count - 1))
            }
            Law::Normal { deviation } => {
                let step: f64 = StandardNormal.sample(random);
                // Values outside of the region wrap around.
                let at = (0.5 + step * *deviation).rem_euclid(1.0);
                ((count as f64 * at) as u64).min(count - 1)
            }
            Law::Zoned(zones) => zoned(zones, random, count),
        }
    }
}

/// A uniform number below `count`, up to one part in 2^64 / count (Lemire's multiplication).
#[inline]
pub(crate) fn below(random: &mut Xoshiro256PlusPlus, count: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(count)) >> 64) as u64
}

/// A number in [0, 1).
#[inline]
pub(crate) fn unit(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn zoned(zones: &[Zone], random: &mut Xoshiro256PlusPlus, count: u64) -> u64 {
    let (mut io, mut start) = (unit(random), 0.0);
    for zone in zones {
        if io < zone.io.0 {
            let first = (start * count as f64) as u64;
            let length = ((zone.region.0 * count as f64) as u64).max(1);
            return (first + below(random, length)).min(count - 1);
        }
        io -= zone.io.0;
        start += zone.region.0;
    }
    below(random, count)
}

#[cfg(test)]
mod tests {
    use record::Ratio;

    use super::*;

    const COUNT: u64 = 10_000;

    /// How often each block was drawn, most popular first.
    fn drawn(distribution: &Distribution, draws: u64) -> Vec<u64> {
        let mut choice = Choice::new(COUNT, distribution, Coverage::Free, 3);
        let mut counts = vec![0; COUNT as usize];
        (0..draws).for_each(|_| counts[choice.next() as usize] += 1);
        counts
    }

    fn share_of_most_popular(mut counts: Vec<u64>, blocks: usize) -> f64 {
        counts.sort_unstable_by(|one, other| other.cmp(one));
        counts[..blocks].iter().sum::<u64>() as f64 / counts.iter().sum::<u64>() as f64
    }

    #[test]
    fn full_coverage_visits_every_block_once_per_round() {
        let mut choice = Choice::new(COUNT, &Distribution::Uniform, Coverage::Full, 3);
        let rounds: Vec<Vec<u64>> = (0..2).map(|_| (0..COUNT).map(|_| choice.next()).collect()).collect();
        for round in &rounds {
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..COUNT));
        }
        assert_ne!(rounds[0], rounds[1], "in another order");
    }

    #[test]
    fn zipf_has_the_shares_of_its_law() {
        // Theta 1.2 over 10^4: H = sum k^-1.2 = 4.80 (computed with a program); the first block has 1/H = 0.208.
        let counts = drawn(&Distribution::Zipf { theta: 1.2 }, 400_000);
        let first = share_of_most_popular(counts, 1);
        let law: f64 = (1..=COUNT).map(|k| (k as f64).powf(-1.2)).sum();
        assert!((first * law - 1.0).abs() < 0.03, "{first} of {law}");
    }

    #[test]
    fn pareto_gives_the_share_h_to_the_rest() {
        // h = 0.2: 80 % of the draws go to 20 % of the blocks.
        let share = share_of_most_popular(drawn(&Distribution::Pareto { h: 0.2 }, 400_000), COUNT as usize / 5);
        assert!((share - 0.8).abs() < 0.02, "{share}");
    }

    #[test]
    fn normal_lies_around_the_middle() {
        let counts = drawn(&Distribution::Normal { deviation: Ratio(0.1) }, 200_000);
        let within: u64 = counts[4_000..6_000].iter().sum();
        assert!((within as f64 / 200_000.0 - 0.6827).abs() < 0.01, "one deviation to each side: {within}");
    }

    #[test]
    fn zones_get_their_shares() {
        let zone = |io, region| Zone { io: Ratio(io), region: Ratio(region) };
        let counts = drawn(&Distribution::Zoned(vec![zone(0.9, 0.1), zone(0.1, 0.9)]), 100_000);
        let hot: u64 = counts[..1_000].iter().sum();
        assert!((hot as f64 / 100_000.0 - 0.9).abs() < 0.01, "{hot}");
    }
}
