//! M21  Memory latency: random dependent loads (pointer chasing).
//!
//! Answers:         how long a processor waits for a cache line of main memory: the cost of each level of a b-tree or
//!                  hash lookup in a large buffer cache.
//! Does not answer: bandwidth; the latency of memory of another NUMA node; latency under a load other than that of the
//!                  jobs themselves.
//! Cost:            a ring of cache lines of at least 1 GiB for each job, of all jobs together at least 16 times the
//!                  last-level caches, at most a quarter (quick) or half of the available memory, and a sixteenth of
//!                  that in addition to verify the results; made in the warm-up.
//! Limits:          nanoseconds per load = jobs / (loads per second). Pages have the base size, as in the shared
//!                  memory of a server: the page table walk is part of each load. A load still hits a cache with a
//!                  probability of about `cache_bytes` over `ring_bytes` times jobs.

use std::collections::BTreeMap;
use std::hint::black_box;

use measure::{Broken, Done, Work};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{Bytes, Layer, Unit};

use super::{prefaulted, prefaulted_in_base_pages};
use crate::probe::{expect_equal, named, one_per_job};
use crate::{Context, Form, Probe};

const CODE: &str = "M21";
const CACHE_MULTIPLE: u64 = 16;
const SMOKE: Bytes = Bytes::KIB.times(256);
const LINE_BYTES: u64 = size_of::<Line>() as u64;
const LOADS_PER_STEP: u64 = 8_000;

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: "memory, random-pointer latency",
    layer: Layer::Memory,
    unit: Unit::Load,
    form: Form::Steps(|context| {
        let lines = lines(context);
        one_per_job(context, |job| Chase { lines, seed: context.job_seed(job), position: 0, ring: None })
    }),
    parameters,
};

fn lines(context: &Context) -> u32 {
    u32::try_from(context.job_bytes_alike(CACHE_MULTIPLE, SMOKE).0 / LINE_BYTES).unwrap_or(u32::MAX)
}

fn parameters(context: &Context) -> BTreeMap<String, i64> {
    named(&[
        ("ring_bytes", u64::from(lines(context)) * LINE_BYTES),
        ("line_bytes", LINE_BYTES),
        ("cache_bytes", context.cache_bytes().0),
        ("loads_per_step", LOADS_PER_STEP),
    ])
}

/// One cache line, with the index of the next one to visit.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Line {
    next: u32,
}

/// All lines in one cycle, drawn uniformly from all cycles, like Sattolo's algorithm. Here the order of visits is
/// shuffled and each line then linked to the next: the shuffle runs over four bytes per line instead of 64, and the
/// order gives the expected position after any number of loads.
struct Ring {
    lines: Vec<Line>,
    order: Vec<u32>,
}

impl Ring {
    fn new(count: u32, seed: u64) -> Result<Ring, Broken> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut order = prefaulted(CODE, count as usize, |index| index as u32)?;
        // Fisher and Yates; the bounded draw is Lemire's multiplication, whose bias of 2^-32 does not matter here.
        for last in (1..order.len()).rev() {
            let drawn = ((u128::from(random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
            order.swap(last, drawn);
        }
        let mut lines = prefaulted_in_base_pages(CODE, order.len(), |_| Line { next: 0 })?;
        for (position, line) in order.iter().enumerate() {
            lines[*line as usize].next = order[(position + 1) % order.len()];
        }
        Ok(Ring { lines, order })
    }
}

struct Chase {
    lines: u32,
    seed: u64,
    /// Position in the order of visits.
    position: usize,
    ring: Option<Ring>,
}

impl Work for Chase {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        let ring = match &self.ring {
            Some(ring) => ring,
            None => self.ring.insert(Ring::new(self.lines, self.seed)?),
        };
        let start = ring.order[self.position];
        let end = black_box(chase(black_box(&ring.lines), black_box(start), LOADS_PER_STEP));
        self.position = (self.position + LOADS_PER_STEP as usize) % ring.order.len();
        expect_equal(CODE, end, ring.order[self.position])?;
        Ok(Done { operations: LOADS_PER_STEP, ..Done::default() })
    }
}

#[inline(never)]
fn chase(lines: &[Line], mut at: u32, loads: u64) -> u32 {
    for _ in 0..loads {
        at = lines[at as usize].next;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_of_the_ring_is_a_cache_line() {
        assert_eq!(size_of::<Line>(), 64);
        assert_eq!(align_of::<Line>(), 64);
    }

    #[test]
    fn three_loads_by_hand() {
        let lines = [2, 0, 1].map(|next| Line { next });
        assert_eq!(chase(&lines, 0, 3), 0);
        assert_eq!(chase(&lines, 0, 2), 1);
    }

    #[test]
    fn a_broken_link_breaks_the_run() {
        let mut work = Chase { lines: 4_096, seed: 1, position: 0, ring: None };
        work.step(0).unwrap();
        let ring = work.ring.as_mut().unwrap();
        let at = ring.order[work.position];
        ring.lines[at as usize].next = at;
        assert!(work.step(1).is_err());
    }

    #[test]
    fn neighbours_in_memory_are_not_neighbours_in_the_ring() {
        let ring = Ring::new(10_000, 7).unwrap();
        let near = ring.lines.iter().enumerate().filter(|(at, line)| (*at as i64 - i64::from(line.next)).abs() < 16);
        assert!(near.count() < 100, "30 are expected by chance");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn every_ring_is_one_cycle_over_all_lines(count in 1u32..500, seed in any::<u64>()) {
            let ring = Ring::new(count, seed).unwrap();
            let mut seen = vec![false; count as usize];
            let mut at = 0;
            for _ in 0..count {
                prop_assert!(!seen[at as usize]);
                seen[at as usize] = true;
                at = chase(&ring.lines, at, 1);
            }
            prop_assert_eq!(at, 0);
        }

        #[test]
        fn the_end_does_not_depend_on_how_the_chase_is_cut(cut in 0u64..1_000, seed in any::<u64>()) {
            let ring = Ring::new(300, seed).unwrap();
            let parts = chase(&ring.lines, chase(&ring.lines, 0, cut), 1_000 - cut);
            prop_assert_eq!(parts, chase(&ring.lines, 0, 1_000));
        }
    }
}
