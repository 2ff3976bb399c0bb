//! What a probe is, and the list of them.

use std::collections::BTreeMap;
use std::fmt;

use measure::{Broken, Done, Queue, Work};
use record::{IoJob, Layer, Unit};

use crate::{Context, block, cpu, memory};

/// A test that needs no database.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Its code, such as `P311`.
    pub code: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// The layer whose ceiling it is.
    pub layer: Layer,
    /// What an operation is.
    pub unit: Unit,
    /// What one job of it does.
    pub form: Form,
    /// The numbers that it works with, for the record.
    pub parameters: fn(&Context) -> BTreeMap<String, i64>,
}

/// What a probe does, as a value or as something that makes it.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Steps: one piece of work per job. It takes its memory and computes what the answers must be in its first step,
    /// on the thread of its job: the pages then lie near the processor that uses them, and the warm-up pays for it.
    Steps(fn(&Context) -> Vec<Box<dyn Work>>),
    /// I/O: one job of the generator, with a clone per job of the context.
    Io(fn(&Context) -> IoJob),
}

/// Every probe, in the order in which they are listed and run.
pub fn probes() -> &'static [Probe] {
    &[
        cpu::integer::PROBE,
        cpu::float::PROBE,
        cpu::string::PROBE,
        memory::triad::PROBE,
        memory::read::PROBE,
        memory::latency::PROBE,
        block::sequential_read::PROBE,
        block::sequential_write::PROBE,
        block::random_read::PROBE,
        block::random_read_deep::PROBE,
        block::random_write_deep::PROBE,
        block::commit::PROBE,
    ]
}

/// The probe with this code.
pub fn probe(code: &str) -> Option<&'static Probe> {
    probes().iter().find(|probe| probe.code == code)
}

/// Work that shares no cache line, nor the one that the processor fetches beside it, with the work of another job:
/// two jobs whose buffers are neighbours halve each other's rate.
#[repr(align(128))]
struct Apart<W>(W);

#[deny(clippy::missing_trait_methods)]
impl<W: Work> Work for Apart<W> {
    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        self.0.step(number)
    }

    fn finish(&mut self) -> Result<(), Broken> {
        self.0.finish()
    }

    fn aborted(&mut self) {
        self.0.aborted();
    }

    fn queue(&mut self) -> Option<&mut dyn Queue> {
        self.0.queue()
    }

    fn streams(&self) -> Vec<usize> {
        self.0.streams()
    }

    fn stream_of_unfinished(&self, number: u64) -> usize {
        self.0.stream_of_unfinished(number)
    }
}

/// One boxed piece of work per job, each made from the number of its job.
pub(crate) fn one_per_job<W: Work + 'static>(context: &Context, make: impl Fn(u32) -> W) -> Vec<Box<dyn Work>> {
    (0..context.jobs.max(1)).map(|job| Box::new(Apart(make(job))) as Box<dyn Work>).collect()
}

/// Parameters by name, as a record keeps them.
pub(crate) fn named(parameters: &[(&str, u64)]) -> BTreeMap<String, i64> {
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    parameters.iter().map(|(name, value)| ((*name).to_owned(), signed(*value))).collect()
}

/// The work of `code` breaks unless it computed what it must.
pub(crate) fn agree<T: PartialEq + fmt::Debug>(code: &str, computed: T, expected: T) -> Result<(), Broken> {
    match computed == expected {
        true => Ok(()),
        false => Err(Broken { message: format!("{code} computed {computed:?} where {expected:?} is right") }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use proptest::prelude::*;
    use record::{Bytes, Nanos, Preset};

    use super::*;

    fn smoke(jobs: u32, seed: u64) -> Context {
        Context {
            jobs,
            seed,
            preset: Preset::Smoke,
            last_level_cache_bytes: Some(Bytes::MIB.times(32)),
            memory_available_bytes: Some(Bytes::GIB),
            region_bytes: Bytes::MIB.times(16),
            warm_up: Nanos(0),
            window: Nanos(100_000_000),
        }
    }

    type Build = fn(&Context) -> Vec<Box<dyn Work>>;

    /// The probes that are made of steps.
    fn stepping() -> impl Iterator<Item = (&'static str, Build)> {
        probes().iter().filter_map(|probe| match probe.form {
            Form::Steps(build) => Some((probe.code, build)),
            Form::Io(_) => None,
        })
    }

    #[test]
    fn codes_are_unique_and_say_the_layer() {
        let codes: BTreeSet<&str> = probes().iter().map(|probe| probe.code).collect();
        assert_eq!(codes.len(), probes().len());
        for known in probes() {
            let family = match known.layer {
                Layer::Cpu => "P1",
                Layer::Memory => "P2",
                _ => "P3",
            };
            assert!(known.code.starts_with(family), "{}", known.code);
            assert!(!known.title.is_empty());
            assert_eq!(probe(known.code).map(|found| found.title), Some(known.title));
        }
        assert!(probe("P000").is_none());
    }

    #[test]
    fn every_file_of_a_probe_has_its_code_and_the_four_statements_in_its_head() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut heads = BTreeSet::new();
        for folder in ["cpu", "memory", "block"] {
            for entry in std::fs::read_dir(source.join(folder)).unwrap() {
                let path = entry.unwrap().path();
                if path.ends_with("mod.rs") || path.ends_with("tests.rs") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.strip_prefix("//! ").and_then(|head| head.get(..4)).unwrap_or_default();
                heads.insert(code.to_owned());
                for statement in ["Answers:", "Does not answer:", "Cost:", "Limits:"] {
                    assert!(text.contains(&format!("//! {statement}")), "{} lacks {statement}", path.display());
                }
            }
        }
        let codes: BTreeSet<String> = probes().iter().map(|probe| probe.code.to_owned()).collect();
        assert_eq!(heads, codes);
    }

    #[test]
    fn each_job_gets_its_own_work_and_no_job_means_one() {
        for (_, build) in stepping() {
            assert_eq!(build(&smoke(3, 1)).len(), 3);
            assert_eq!(build(&smoke(0, 1)).len(), 1);
        }
    }

    #[test]
    fn what_differs_breaks_the_run_and_says_both_values() {
        assert_eq!(agree("P111", 23, 23), Ok(()));
        let broken = agree("P111", 23, 42).unwrap_err();
        assert_eq!(broken.message, "P111 computed 23 where 42 is right");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn every_probe_agrees_with_itself_for_any_seed(seed in any::<u64>()) {
            for (code, build) in stepping() {
                let mut works = build(&smoke(1, seed));
                let first = works[0].step(0).unwrap();
                prop_assert!(first.operations > 0, "{}", code);
                prop_assert_eq!(first.failure, None);
                works[0].finish().unwrap();
                for number in 0..5 {
                    prop_assert_eq!(works[0].step(number).unwrap(), first, "steps of {} are all alike", code);
                }
                works[0].finish().unwrap();
            }
        }
    }
}
