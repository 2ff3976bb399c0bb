//! C14  Processing of short strings.
//!
//! Answers:         build-search-replace-substring-compare operations per second of a processor: the ceiling of T141.
//! Does not answer: long strings, character sets, collations; the text is ASCII and compared byte by byte.
//! Cost:            processor time only; no allocation after the first step.
//! Limits:          one operation is all five on one string of about 21 characters. A different standard library gives
//!                  a different figure: compare within one version of dbdyno.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hint::black_box;

use measure::{Broken, Done, Work};
use record::{Layer, Unit};

use crate::probe::{expect_equal, named, one_per_job};
use crate::{Context, Form, Probe};

const CODE: &str = "C14";
const OPERATIONS_PER_STEP: u64 = 5_000;
const WORDS: [&str; 8] = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"];
const NEEDLE: &str = "ch";
const STRIDE: u64 = 7_919;

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: "CPU, native string processing",
    layer: Layer::Cpu,
    unit: Unit::Operation,
    form: Form::Steps(|context| one_per_job(context, |job| Strings::new(context.job_seed(job)))),
    parameters,
};

fn parameters(_context: &Context) -> BTreeMap<String, i64> {
    named(&[("operations_per_step", OPERATIONS_PER_STEP)])
}

#[derive(Default)]
struct Strings {
    start: u64,
    expected: Option<u64>,
    buffers: Buffers,
}

/// Reused, so that an operation does not allocate.
struct Buffers {
    text: String,
    replaced: String,
    before: String,
}

impl Default for Buffers {
    /// Far larger than any text, so that no two buffers share a cache line, also between jobs.
    fn default() -> Buffers {
        let buffer = || String::with_capacity(512);
        Buffers { text: buffer(), replaced: buffer(), before: buffer() }
    }
}

impl Strings {
    fn new(seed: u64) -> Strings {
        Strings { start: seed % 1_000_000, ..Strings::default() }
    }
}

impl Work for Strings {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        let expected = *self.expected.get_or_insert_with(|| reference(self.start, OPERATIONS_PER_STEP));
        self.buffers.before.clear();
        let sum = process(&mut self.buffers, black_box(self.start), black_box(NEEDLE), OPERATIONS_PER_STEP, 0);
        expect_equal(CODE, black_box(sum), expected)?;
        Ok(Done { operations: OPERATIONS_PER_STEP, ..Done::default() })
    }
}

#[inline(never)]
fn process(buffers: &mut Buffers, start: u64, needle: &str, operations: u64, mut sum: u64) -> u64 {
    for index in 0..operations {
        let number = (start + index * STRIDE) % 1_000_000;
        build(&mut buffers.text, number);
        let found = buffers.text.find(needle).unwrap_or(buffers.text.len());
        replace(&mut buffers.replaced, &buffers.text);
        let part = &buffers.replaced[6..16];
        let order = part.cmp(buffers.before.as_str());
        sum = combined(sum, found, buffers.replaced.len(), order);
        buffers.before.clear();
        buffers.before.push_str(part);
    }
    sum
}

/// Builds a text such as `item-000023-hotel-end`.
fn build(text: &mut String, number: u64) {
    text.clear();
    text.push_str("item-");
    let mut divisor = 100_000;
    while divisor > 0 {
        text.push(char::from(b'0' + (number / divisor % 10) as u8));
        divisor /= 10;
    }
    text.push('-');
    text.push_str(WORDS[(number % 8) as usize]);
    text.push_str("-end");
}

/// Every `-` of `text` as `::`.
fn replace(replaced: &mut String, text: &str) {
    replaced.clear();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once('-') {
        replaced.push_str(head);
        replaced.push_str("::");
        rest = tail;
    }
    replaced.push_str(rest);
}

fn combined(sum: u64, found: usize, length: usize, order: Ordering) -> u64 {
    sum.wrapping_mul(31).wrapping_add((found * 1_000 + length * 10) as u64).wrapping_add_signed(order as i64)
}

/// The same without optimisation.
fn reference(start: u64, operations: u64) -> u64 {
    let mut before: Vec<char> = Vec::new();
    (0..operations).fold(0, |sum, index| {
        let number = (start + index * STRIDE) % 1_000_000;
        let text = format!("item-{number:06}-{}-end", WORDS[(number % 8) as usize]);
        let found = text.as_bytes().windows(NEEDLE.len()).position(|window| window == NEEDLE.as_bytes());
        let replaced = text.replace('-', "::");
        let part: Vec<char> = replaced.chars().skip(6).take(10).collect();
        let order = part.cmp(&before);
        before = part;
        combined(sum, found.unwrap_or(text.len()), replaced.len(), order)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_string_by_hand() {
        let mut buffers = Buffers::default();
        build(&mut buffers.text, 23);
        assert_eq!(buffers.text, "item-000023-hotel-end");
        replace(&mut buffers.replaced, &buffers.text);
        assert_eq!(buffers.replaced, "item::000023::hotel::end");
        // Nothing found: the length 21; 24 characters after the replacement; greater than the empty string.
        assert_eq!(process(&mut buffers, 23, NEEDLE, 1, 0), 21_000 + 240 + 1);
    }

    #[test]
    fn a_wrong_value_breaks_the_run() {
        let mut work = Strings::new(23);
        work.expected = Some(1);
        assert!(work.step(0).is_err());
    }

    proptest! {
        #[test]
        fn the_sum_does_not_depend_on_the_cut_and_is_the_reference(start in 0u64..1_000_000, cut in 0u64..200) {
            let mut buffers = Buffers::default();
            let first = process(&mut buffers, start, NEEDLE, cut, 0);
            let both = process(&mut buffers, start + cut * STRIDE, NEEDLE, 200 - cut, first);
            prop_assert_eq!(both, reference(start, 200));
        }
    }
}
