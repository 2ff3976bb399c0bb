//! M11  Memory bandwidth: triad, `a[i] = b[i] + s * c[i]` (STREAM-like, Rust variant).
//!
//! Answers:         bytes per second between the processors and main memory, two streams read and one written.
//! Does not answer: the bandwidth of the machine with one job, which is limited by its outstanding cache misses; access
//!                  to memory of another NUMA node.
//! Cost:            three arrays per job, of all jobs together 12 times the last-level caches and at least 1
//!                  GiB, at most a quarter (quick) or half of the available memory; first touched in the warm-up.
//! Limits:          24 bytes per element are counted, like STREAM does; with plain stores the processor also reads each
//!                  line that it overwrites (write allocate), so that 32 bytes per element cross the memory bus. Both
//!                  are in the parameters. Where memory or the preset makes `array_bytes` times jobs smaller than 4
//!                  times `cache_bytes`, caches serve a part.

use std::collections::BTreeMap;
use std::hint::black_box;

use measure::{Broken, Done, Work};
use record::{Bytes, Layer, Unit};

use super::prefaulted;
use crate::probe::{expect_equal, named, one_per_job};
use crate::{Context, Form, Probe};

const CODE: &str = "M11";
/// STREAM requires each array to be 4 times the caches.
const CACHE_MULTIPLE: u64 = 3 * 4;
const SMOKE: Bytes = Bytes::KIB.times(768);
const BLOCK_ELEMENTS: usize = 256 * 1024;
const COUNTED_BYTES: u64 = 24;
const BUS_BYTES: u64 = 32;

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: "memory, triad bandwidth",
    layer: Layer::Memory,
    unit: Unit::Byte,
    form: Form::Steps(|context| {
        let (elements, block) = shape(context);
        one_per_job(context, |_| Triad { elements, block, cursor: 0, pass: 0, arrays: None })
    }),
    parameters,
};

/// Elements of an array and of a block; the first is a multiple of the second.
fn shape(context: &Context) -> (usize, usize) {
    let elements = (context.job_bytes(CACHE_MULTIPLE, SMOKE).0 / COUNTED_BYTES) as usize;
    let block = BLOCK_ELEMENTS.min(elements / 4);
    (elements / block * block, block)
}

fn parameters(context: &Context) -> BTreeMap<String, i64> {
    let (elements, block) = shape(context);
    named(&[
        ("array_bytes", elements as u64 * 8),
        ("step_bytes", block as u64 * COUNTED_BYTES),
        ("cache_bytes", context.cache_bytes().0),
        ("counted_bytes_per_element", COUNTED_BYTES),
        ("bus_bytes_per_element", BUS_BYTES),
    ])
}

struct Triad {
    elements: usize,
    block: usize,
    /// First element of the next step.
    cursor: usize,
    /// Complete passes over the arrays.
    pass: u64,
    arrays: Option<Arrays>,
}

struct Arrays {
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
}

impl Arrays {
    fn new(elements: usize) -> Result<Arrays, Broken> {
        Ok(Arrays {
            a: prefaulted(CODE, elements, |_| -1.0)?,
            b: prefaulted(CODE, elements, b_at)?,
            c: prefaulted(CODE, elements, c_at)?,
        })
    }
}

// Small integers: every sum below is exact in any order.
fn b_at(index: usize) -> f64 {
    (index % 1_021) as f64
}

fn c_at(index: usize) -> f64 {
    (index % 509 + 1) as f64
}

/// Differs from pass to pass, so that a missing store is detected.
fn scalar(pass: u64) -> f64 {
    (pass % 7 + 2) as f64
}

impl Work for Triad {
    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        let arrays = match &mut self.arrays {
            Some(arrays) => arrays,
            empty => empty.insert(Arrays::new(self.elements)?),
        };
        let range = self.cursor..self.cursor + self.block;
        let s = scalar(self.pass);
        let Arrays { a, b, c } = arrays;
        triad(black_box(&mut a[range.clone()]), black_box(&b[range.clone()]), black_box(&c[range]), black_box(s));
        // A sample of sixteen elements per step; all of them after the last step.
        for sample in 0..16u64 {
            let index = self.cursor + ((number * 16 + sample).wrapping_mul(0x9e37_79b9) % self.block as u64) as usize;
            expect_equal(CODE, black_box(&*a)[index], b_at(index) + s * c_at(index))?;
        }
        self.cursor += self.block;
        if self.cursor == self.elements {
            (self.cursor, self.pass) = (0, self.pass + 1);
        }
        let bytes = self.block as u64 * COUNTED_BYTES;
        Ok(Done { operations: bytes, bytes, ..Done::default() })
    }

    fn finish(&mut self) -> Result<(), Broken> {
        let Some(arrays) = &self.arrays else { return Ok(()) };
        // Elements after the cursor were written in the previous pass, if there was one.
        let end = if self.pass == 0 { self.cursor } else { self.elements };
        for (index, computed) in arrays.a[..end].iter().enumerate() {
            let pass = if index < self.cursor { self.pass } else { self.pass - 1 };
            expect_equal(CODE, *computed, b_at(index) + scalar(pass) * c_at(index))?;
        }
        Ok(())
    }
}

#[inline(never)]
fn triad(a: &mut [f64], b: &[f64], c: &[f64], s: f64) {
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = b + s * c;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::Preset;

    use measure::RunSeed;

    use super::*;

    fn small(elements: usize, block: usize) -> Triad {
        Triad { elements, block, cursor: 0, pass: 0, arrays: None }
    }

    #[test]
    fn three_elements_by_hand() {
        let mut a = [0.0; 3];
        triad(&mut a, &[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0], 3.0);
        assert_eq!(a, [31.0, 62.0, 93.0]);
    }

    #[test]
    fn bytes_are_counted_as_stream_counts_them() {
        let done = small(4_096, 1_024).step(0).unwrap();
        assert_eq!((done.operations, done.bytes), (24 * 1_024, 24 * 1_024));
    }

    #[test]
    fn a_store_that_was_left_out_breaks_the_run() {
        let mut work = small(4_096, 1_024);
        for number in 0..6 {
            work.step(number).unwrap();
        }
        work.finish().unwrap();
        work.arrays.as_mut().unwrap().a[4_000] = b_at(4_000) + scalar(1) * c_at(4_000);
        assert!(work.finish().is_err(), "element 4000 was last written in pass 0");
    }

    #[test]
    fn wrong_input_breaks_the_step() {
        let mut work = small(64, 16);
        work.step(0).unwrap();
        work.arrays.as_mut().unwrap().b.fill(0.5);
        assert!(work.step(1).is_err());
    }

    #[test]
    fn each_array_is_four_times_the_cache() {
        let context = Context {
            jobs: 1,
            seed: RunSeed { plan: 1, run: 1 },
            preset: Preset::Standard,
            last_level_cache_bytes: Some(Bytes::MIB.times(128)),
            memory_available_bytes: Some(Bytes::GIB.times(20)),
            region_bytes: Bytes(0),
            warm_up: record::Nanos(0),
            window: record::Nanos(0),
            peer: None,
        };
        assert_eq!(parameters(&context)["array_bytes"], 512 << 20);
        assert_eq!(parameters(&Context { jobs: 4, ..context })["array_bytes"], 128 << 20);
    }

    proptest! {
        #[test]
        fn the_arrays_do_not_depend_on_the_size_of_the_block(power in 0u32..10) {
            let run = |block: usize| {
                let mut work = small(1_024, block);
                (0..(3 * 1_024 / block) as u64).for_each(|number| { work.step(number).unwrap(); });
                work.finish().unwrap();
                work.arrays.unwrap().a
            };
            prop_assert_eq!(run(1 << power), run(1_024));
        }
    }
}
