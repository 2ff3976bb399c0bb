//! Random values of binds, without allocations.

use std::borrow::Cow;
use std::sync::Arc;

use engine::Value;
use measure::{Purpose, RunSeed};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::data::{below, letters, mix};
use crate::test::{BindRule, Content, Scope};

/// Letters that text binds are cut from.
const POOL_BYTES: usize = 65_536;

/// The random source of a job.
pub(crate) struct Draw {
    random: Xoshiro256PlusPlus,
    /// Random letters, shared by all jobs.
    pool: Arc<str>,
    /// The next sequence number of this job, and the increment.
    sequence: i64,
    jobs: i64,
}

impl Draw {
    /// One for each of `jobs` jobs of the run of `seed`. The code of the test and the degree of parallelism are mixed in: runs of
    /// different plans may have one number, and a run with the keys of another one would find their blocks cached.
    pub(crate) fn for_jobs(seed: RunSeed, code: &str, jobs: u32, threads: u32) -> Vec<Draw> {
        let random = |job: u32| Xoshiro256PlusPlus::seed_from_u64(Draw::stream(seed, code, (jobs, threads), job));
        // Of a job that there is not.
        let mut letters_of = random(jobs);
        let pool: String = (0..POOL_BYTES / 8).flat_map(|_| letters(letters_of.next_u64())).map(char::from).collect();
        let pool: Arc<str> = pool.into();
        let draw = |job: u32| Draw {
            random: random(job),
            pool: Arc::clone(&pool),
            sequence: i64::from(job) + 1,
            jobs: jobs.into(),
        };
        (0..jobs).map(draw).collect()
    }

    /// The stream of job `job` of them.
    pub(crate) fn stream(seed: RunSeed, code: &str, (jobs, threads): (u32, u32), job: u32) -> u64 {
        let words = code.bytes().map(u64::from).chain([u64::from(jobs), u64::from(threads)]);
        words.fold(seed.stream(Purpose::Keys, job), |sum, word| mix(sum ^ word))
    }

    #[inline]
    fn below(&mut self, limit: u64) -> u64 {
        below(&mut self.random, limit)
    }
}

/// The origin of the values of one placeholder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// An integer in [low, low + count).
    Uniform { low: i64, count: u64 },
    /// A double in [low, high).
    UniformFloat { low: f64, high: f64 },
    /// A number that is unique to this job.
    Sequence,
    /// A constant.
    Constant(i64),
    /// Text of this many letters.
    Text(u32),
    /// What follows from the placeholder with this index.
    Derived { from: usize, content: Content },
    /// The same value as the placeholder before it with this index.
    Same(usize),
}

impl Origin {
    pub(crate) fn new(rule: &BindRule, scope: Scope<'_>) -> Origin {
        match rule {
            BindRule::Uniform([low, high]) => {
                let (low, high) = (scope.amount(low), scope.amount(high));
                let count = if low < high { high.abs_diff(low).saturating_add(1) } else { 1 };
                Origin::Uniform { low, count }
            }
            BindRule::UniformFloat([low, high]) => Origin::UniformFloat { low: *low, high: *high },
            BindRule::Sequence => Origin::Sequence,
            BindRule::Constant(amount) => Origin::Constant(scope.amount(amount)),
            BindRule::Text(size) => Origin::Text(*size),
            // Only a statement has the key.
            BindRule::Document(_) | BindRule::TextOf(_) => Origin::Constant(0),
        }
    }

    /// An initial value, with capacity for every later one.
    pub(crate) fn initial_value(self) -> Value<'static> {
        match self {
            Origin::UniformFloat { .. } => Value::Float(0.0),
            Origin::Constant(number) => Value::Int(number),
            Origin::Text(size) => Value::Text(Cow::Owned(String::with_capacity(size as usize))),
            Origin::Derived { content, .. } => {
                let text = content.of(0);
                Value::Text(Cow::Owned(text))
            }
            Origin::Uniform { .. } | Origin::Sequence | Origin::Same(_) => Value::Int(0),
        }
    }
}

/// Fills `values` with new values of `origins`.
#[inline]
pub(crate) fn fill(values: &mut [Value<'static>], origins: &[Origin], draw: &mut Draw) {
    for (index, origin) in origins.iter().enumerate() {
        match *origin {
            Origin::Uniform { low, count } => values[index] = Value::Int(low.wrapping_add_unsigned(draw.below(count))),
            Origin::UniformFloat { low, high } => {
                let unit = (draw.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                values[index] = Value::Float(low + unit * (high - low));
            }
            Origin::Sequence => {
                values[index] = Value::Int(draw.sequence);
                draw.sequence += draw.jobs;
            }
            Origin::Constant(_) | Origin::Derived { .. } => {}
            Origin::Text(size) => {
                let offset = draw.below((POOL_BYTES - size as usize) as u64) as usize;
                copy_text(&mut values[index], &draw.pool[offset..offset + size as usize]);
            }
            Origin::Same(earlier) => copy(values, earlier, index),
        }
    }
    // A key may stand behind what follows from it.
    for (index, origin) in origins.iter().enumerate() {
        if let Origin::Derived { from, content } = *origin
            && let Value::Int(key) = values[from]
            && let Value::Text(Cow::Owned(text)) = &mut values[index]
        {
            content.put(key, text);
        }
    }
}

fn copy_text(value: &mut Value<'static>, text: &str) {
    if let Value::Text(Cow::Owned(owned)) = value {
        owned.clear();
        owned.push_str(text);
    } else {
        *value = Value::Text(Cow::Owned(text.to_owned()));
    }
}

fn copy(values: &mut [Value<'static>], from: usize, to: usize) {
    let (head, tail) = values.split_at_mut(to);
    match &head[from] {
        Value::Text(text) => copy_text(&mut tail[0], text),
        other => tail[0] = other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn draws(jobs: u32) -> Vec<Draw> {
        Draw::for_jobs(RunSeed { plan: 42, run: 1 }, "T611", jobs, 1)
    }

    fn drawn(draw: &mut Draw, origin: Origin) -> Value<'static> {
        let mut values = [origin.initial_value()];
        fill(&mut values, &[origin], draw);
        values[0].clone()
    }

    #[test]
    fn sequences_of_jobs_are_disjoint_and_complete() {
        let mut seen = BTreeSet::new();
        for draw in &mut draws(3) {
            for _ in 0..100 {
                let Value::Int(number) = drawn(draw, Origin::Sequence) else { panic!("no integer") };
                assert!(seen.insert(number));
            }
        }
        assert_eq!(seen, (1..=300).collect());
    }

    #[test]
    fn the_same_run_draws_the_same_and_another_job_run_test_or_degree_does_not() {
        let first = |run: u32, code: &str, jobs: u32, threads: u32| -> Vec<Value<'static>> {
            let origin = Origin::Uniform { low: 0, count: 1 << 62 };
            let seed = RunSeed { plan: 42, run };
            Draw::for_jobs(seed, code, jobs, threads).iter_mut().map(|draw| drawn(draw, origin)).collect()
        };
        assert_eq!(first(1, "T611", 8, 1), first(1, "T611", 8, 1));
        let all = [
            first(1, "T611", 8, 1),
            first(2, "T611", 8, 1),
            first(1, "T616", 8, 1),
            first(1, "T611", 7, 1),
            first(1, "T611", 8, 2),
        ]
        .concat();
        let different: BTreeSet<String> = all.iter().map(|value| format!("{value:?}")).collect();
        assert_eq!(different.len(), all.len());
    }

    #[test]
    fn a_uniform_bind_reaches_both_ends_and_every_number_about_as_often() {
        let mut counts = [0u32; 10];
        let draw = &mut draws(1)[0];
        for _ in 0..10_000 {
            let Value::Int(number) = drawn(draw, Origin::Uniform { low: -4, count: 10 }) else { panic!("no integer") };
            counts[(number + 4) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }

    #[test]
    fn text_is_written_into_its_buffer() {
        let draw = &mut draws(1)[0];
        let origins = [Origin::Text(64), Origin::Same(0)];
        let mut values = [origins[0].initial_value(), Value::Text(Cow::Owned(String::with_capacity(64)))];
        fill(&mut values, &origins, draw);
        let place = |value: &Value<'_>| match value {
            Value::Text(text) => text.as_ptr(),
            other => panic!("{other:?} is no text"),
        };
        let (first, before) = (values[0].clone(), [place(&values[0]), place(&values[1])]);
        fill(&mut values, &origins, draw);
        assert_ne!(values[0], first);
        assert_eq!(values[0], values[1]);
        assert_eq!([place(&values[0]), place(&values[1])], before);
        assert!(matches!(&values[0], Value::Text(text) if text.len() == 64 && text.is_ascii()));
    }

    proptest! {
        #[test]
        fn a_uniform_bind_stays_in_its_range(low: i64, high: i64) {
            let parameters = Default::default();
            let sizes = crate::Sizes::derive(record::Preset::Smoke, None, 1);
            let rule = BindRule::Uniform([crate::test::Amount::Literal(low), crate::test::Amount::Literal(high)]);
            if low <= high && high.abs_diff(low) < u64::MAX {
                let origin = Origin::new(&rule, Scope { parameters: &parameters, sizes: &sizes });
                let Value::Int(number) = drawn(&mut draws(1)[0], origin) else { panic!("no integer") };
                prop_assert!((low..=high).contains(&number));
            }
        }
    }
}
