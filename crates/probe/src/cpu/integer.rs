//! C11  Integer arithmetic on 64 bits.
//!
//! Answers:         multiply-add-modulo operations per second of a processor: the ceiling of T131.
//! Does not answer: the throughput of independent operations; here each one depends on the previous result.
//! Cost:            processor time only.
//! Limits:          one operation is `x = (x * 48271 + 11) mod 2147483647`. The modulus is read at run time, so that
//!                  the processor divides, as an engine has to. Comparable only with the same arithmetic.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::num::NonZeroU64;

use measure::{Broken, Done, Work};
use record::{Layer, Unit};

use crate::probe::{expect_equal, named, one_per_job};
use crate::{Context, Form, Probe};

const CODE: &str = "C11";
const OPERATIONS_PER_STEP: u64 = 100_000;
// The generator of Park and Miller (1993) with an increment: every intermediate value stays below 2^47, so an engine
// with signed 64-bit integers can do the same without overflow.
const MULTIPLIER: u64 = 48_271;
const INCREMENT: u64 = 11;
const MODULUS: NonZeroU64 = NonZeroU64::new(2_147_483_647).unwrap();

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: "CPU, native integer arithmetic",
    layer: Layer::Cpu,
    unit: Unit::Operation,
    form: Form::Steps(|context| one_per_job(context, |job| Integer::new(context.job_seed(job)))),
    parameters,
};

fn parameters(_context: &Context) -> BTreeMap<String, i64> {
    named(&[("operations_per_step", OPERATIONS_PER_STEP)])
}

struct Integer {
    value: u64,
    jump: Affine,
}

impl Integer {
    fn new(seed: u64) -> Integer {
        Integer { value: seed % MODULUS, jump: Affine::STEP.repeated(OPERATIONS_PER_STEP) }
    }
}

impl Work for Integer {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        let expected = self.jump.apply(self.value);
        let value = black_box(iterate(black_box(self.value), black_box(MODULUS), OPERATIONS_PER_STEP));
        expect_equal(CODE, value, expected)?;
        self.value = value;
        Ok(Done { operations: OPERATIONS_PER_STEP, ..Done::default() })
    }
}

#[inline(never)]
fn iterate(mut value: u64, modulus: NonZeroU64, operations: u64) -> u64 {
    for _ in 0..operations {
        value = (value * MULTIPLIER + INCREMENT) % modulus;
    }
    value
}

/// `x -> (factor * x + term) mod MODULUS`. The composition of two is again one, so that the result of any number of
/// operations is known after a few multiplications.
#[derive(Clone, Copy)]
struct Affine {
    factor: u64,
    term: u64,
}

impl Affine {
    const IDENTITY: Affine = Affine { factor: 1, term: 0 };
    const STEP: Affine = Affine { factor: MULTIPLIER, term: INCREMENT };

    fn apply(self, value: u64) -> u64 {
        ((u128::from(self.factor) * u128::from(value) + u128::from(self.term)) % u128::from(MODULUS.get())) as u64
    }

    fn then(self, next: Affine) -> Affine {
        let factor = Affine { factor: next.factor, term: 0 }.apply(self.factor);
        Affine { factor, term: next.apply(self.term) }
    }

    fn repeated(self, mut times: u64) -> Affine {
        let (mut result, mut power) = (Affine::IDENTITY, self);
        while times > 0 {
            if times % 2 == 1 {
                result = result.then(power);
            }
            power = power.then(power);
            times /= 2;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_values_are_those_computed_by_hand() {
        assert_eq!(iterate(1, MODULUS, 1), 48_282);
        assert_eq!(iterate(1, MODULUS, 2), 183_136_786, "48 282 * 48 271 + 11 = 2 330 620 433");
    }

    #[test]
    fn twenty_thousand_operations_give_what_an_engine_must_give() {
        assert_eq!(iterate(42, MODULUS, 20_000), 1_344_403_185);
    }

    #[test]
    fn a_wrong_value_breaks_the_run() {
        let mut work = Integer::new(23);
        work.jump.term += 1;
        assert!(work.step(0).is_err());
    }

    proptest! {
        #[test]
        fn the_closed_form_agrees_with_the_loop(value in 0..MODULUS.get(), times in 0u64..2_000) {
            prop_assert_eq!(Affine::STEP.repeated(times).apply(value), iterate(value, MODULUS, times));
        }

        #[test]
        fn the_value_does_not_depend_on_how_the_loop_is_cut(value in 0..MODULUS.get(), cut in 0u64..1_000) {
            let (first, second) = (cut, 1_000 - cut);
            prop_assert_eq!(iterate(iterate(value, MODULUS, first), MODULUS, second), iterate(value, MODULUS, 1_000));
        }
    }
}
