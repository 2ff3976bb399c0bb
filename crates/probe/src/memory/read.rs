//! M12  Memory bandwidth: read only, a sum over an array.
//!
//! Answers:         bytes per second of sequential reads from main memory: the ceiling of a scan that is served by the
//!                  buffer cache.
//! Does not answer: the cost of pages, tuples and expressions in a scan; random reads, see M21.
//! Cost:            one array per job, of all jobs together 8 times the last-level caches and at least 1 GiB, at
//!                  most a quarter (quick) or half of the available memory; first touched in the warm-up.
//! Limits:          8 bytes per element are counted, and 8 cross the memory bus. One job is limited by the number of
//!                  outstanding cache misses. Where memory or the preset makes `array_bytes` times jobs smaller than 4
//!                  times `cache_bytes`, caches serve a part.

use std::collections::BTreeMap;
use std::hint::black_box;

use measure::{Broken, Done, Work};
use record::{Bytes, Layer, Unit};

use super::prefaulted;
use crate::probe::{expect_equal, named, one_per_job};
use crate::{Context, Form, Probe};

const CODE: &str = "M12";
/// More than the 4 times of STREAM: there is one array and no store that evicts it from the caches.
const CACHE_MULTIPLE: u64 = 8;
const SMOKE: Bytes = Bytes::KIB.times(256);
const BLOCK_ELEMENTS: usize = 1024 * 1024;
const BYTES_PER_ELEMENT: u64 = 8;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: "memory, read bandwidth",
    layer: Layer::Memory,
    unit: Unit::Byte,
    form: Form::Steps(|context| {
        let (elements, block) = shape(context);
        one_per_job(context, |job| Read { elements, block, cursor: 0, term: context.job_seed(job), array: Vec::new() })
    }),
    parameters,
};

/// Elements of the array and of a block; the first is a multiple of the second.
fn shape(context: &Context) -> (usize, usize) {
    let elements = (context.job_bytes(CACHE_MULTIPLE, SMOKE).0 / BYTES_PER_ELEMENT) as usize;
    let block = BLOCK_ELEMENTS.min(elements / 4);
    (elements / block * block, block)
}

fn parameters(context: &Context) -> BTreeMap<String, i64> {
    let (elements, block) = shape(context);
    named(&[
        ("array_bytes", elements as u64 * BYTES_PER_ELEMENT),
        ("step_bytes", block as u64 * BYTES_PER_ELEMENT),
        ("cache_bytes", context.cache_bytes().0),
        ("counted_bytes_per_element", BYTES_PER_ELEMENT),
        ("bus_bytes_per_element", BYTES_PER_ELEMENT),
    ])
}

struct Read {
    elements: usize,
    block: usize,
    /// First element of the next step.
    cursor: usize,
    /// Element i is `i * FACTOR + term`, modulo 2^64.
    term: u64,
    array: Vec<u64>,
}

impl Work for Read {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        if self.array.is_empty() {
            let term = self.term;
            self.array =
                prefaulted(CODE, self.elements, |index| (index as u64).wrapping_mul(FACTOR).wrapping_add(term))?;
        }
        let expected = expected_sum(self.cursor as u64, self.block as u64, self.term);
        let computed = black_box(sum(black_box(&self.array[self.cursor..self.cursor + self.block])));
        expect_equal(CODE, computed, expected)?;
        self.cursor = (self.cursor + self.block) % self.elements;
        let bytes = self.block as u64 * BYTES_PER_ELEMENT;
        Ok(Done { operations: bytes, bytes, ..Done::default() })
    }
}

/// Modulo 2^64, where addition is associative: the compiler may use any number of accumulators.
#[inline(never)]
fn sum(values: &[u64]) -> u64 {
    values.iter().fold(0, |sum, value| sum.wrapping_add(*value))
}

/// Gauss's sum over the arithmetic sequence, modulo 2^64.
fn expected_sum(first: u64, count: u64, term: u64) -> u64 {
    let last = first + count - 1;
    let indexes = (u128::from(first) + u128::from(last)) * u128::from(count) / 2;
    FACTOR.wrapping_mul(indexes as u64).wrapping_add(term.wrapping_mul(count))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn three_elements_by_hand() {
        assert_eq!(sum(&[1, 2, u64::MAX]), 2);
        assert_eq!(expected_sum(0, 3, 5), FACTOR.wrapping_mul(3).wrapping_add(15));
    }

    #[test]
    fn a_wrong_element_breaks_the_run() {
        let mut work = Read { elements: 64, block: 16, cursor: 0, term: 3, array: Vec::new() };
        let done = work.step(0).unwrap();
        assert_eq!((done.operations, done.bytes), (128, 128));
        work.array[17] += 1;
        assert!(work.step(1).is_err());
    }

    proptest! {
        #[test]
        fn the_sum_is_the_closed_form_and_does_not_depend_on_the_block(term in any::<u64>(), cut in 1usize..999) {
            let value = |index: usize| (index as u64).wrapping_mul(FACTOR).wrapping_add(term);
            let array = prefaulted(CODE, 1_000, value).unwrap();
            let parts = sum(&array[..cut]).wrapping_add(sum(&array[cut..]));
            prop_assert_eq!(parts, expected_sum(0, 1_000, term));
            prop_assert_eq!(sum(&array[cut..]), expected_sum(cut as u64, 1_000 - cut as u64, term));
        }
    }
}
