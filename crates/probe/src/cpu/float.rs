//! C13  Floating point arithmetic on doubles.
//!
//! Answers:         subtract-multiply-divide-add operations per second of a processor: the ceiling of T133.
//! Does not answer: vector throughput: each operation depends on the previous result, as in a stored procedure.
//! Cost:            processor time only.
//! Limits:          one operation is `x = x * (1 - x) / q + e`, four instructions. The sequence is chaotic: one omitted
//!                  operation changes the result of a step. By IEEE 754 the result is the same on every machine.

use std::collections::BTreeMap;
use std::hint::black_box;

use measure::{Broken, Done, Work};
use record::{Layer, Unit};

use crate::probe::{expect_equal, named, one_per_job};
use crate::{Context, Form, Probe};

const CODE: &str = "C13";
const OPERATIONS_PER_STEP: u64 = 100_000;
// The logistic map with r = 1/q = 3.968, lifted by e: from (0, 1) it never leaves (0, 1), because 0.25/q + e < 1.
const Q: f64 = 0.252;
const E: f64 = 0.001;

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: "CPU, native floating point arithmetic",
    layer: Layer::Cpu,
    unit: Unit::Operation,
    form: Form::Steps(|context| one_per_job(context, |job| Float::new(context.job_seed(job)))),
    parameters,
};

fn parameters(_context: &Context) -> BTreeMap<String, i64> {
    named(&[("operations_per_step", OPERATIONS_PER_STEP)])
}

struct Float {
    start: f64,
    expected: Option<f64>,
}

impl Float {
    fn new(seed: u64) -> Float {
        // In [0.2, 0.8), away from the ends, where the map starts slowly.
        Float { start: 0.2 + 0.6 * ((seed >> 11) as f64 / (1u64 << 53) as f64), expected: None }
    }
}

impl Work for Float {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        let expected = *self
            .expected
            .get_or_insert_with(|| orbit(self.start).nth(OPERATIONS_PER_STEP as usize - 1).unwrap_or(0.0));
        let value = black_box(iterate(black_box(self.start), black_box(Q), black_box(E), OPERATIONS_PER_STEP));
        expect_equal(CODE, value.to_bits(), expected.to_bits())?;
        Ok(Done { operations: OPERATIONS_PER_STEP, ..Done::default() })
    }
}

#[inline(never)]
fn iterate(mut value: f64, q: f64, e: f64, operations: u64) -> f64 {
    for _ in 0..operations {
        value = value * (1.0 - value) / q + e;
    }
    value
}

/// The same sequence, one value after the other.
fn orbit(start: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(start), |value| Some(value * (1.0 - value) / Q + E)).skip(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_value_is_the_one_computed_by_hand() {
        assert_eq!(iterate(0.5, Q, E, 1), 0.25 / 0.252 + 0.001);
    }

    #[test]
    fn one_operation_less_is_another_number() {
        let all = iterate(0.3, Q, E, OPERATIONS_PER_STEP);
        assert_ne!(all, iterate(0.3, Q, E, OPERATIONS_PER_STEP - 1));
    }

    #[test]
    fn twenty_thousand_operations_give_what_an_engine_must_give() {
        assert_eq!(iterate(0.3, Q, E, 20_000), 0.976_269_922_384_531_4);
    }

    #[test]
    fn a_wrong_value_breaks_the_run() {
        let mut work = Float::new(23);
        work.expected = Some(0.5);
        assert!(work.step(0).is_err());
    }

    proptest! {
        #[test]
        fn the_orbit_stays_between_0_and_1_and_does_not_depend_on_the_cut(seed in any::<u64>(), cut in 0u64..1_000) {
            let start = Float::new(seed).start;
            let whole = iterate(start, Q, E, 1_000);
            prop_assert!(orbit(start).take(1_000).all(|value| value > 0.0 && value < 1.0));
            prop_assert_eq!(iterate(iterate(start, Q, E, cut), Q, E, 1_000 - cut), whole);
        }
    }
}
