//! The type of a probe, and what probes of CPU and memory share.

use std::collections::BTreeMap;
use std::fmt;

use measure::{Broken, Done, Queue, StepStart, Work};
use record::{IoJob, Layer, Nanos, Pace, Unit};

use crate::Context;

/// A test that needs no database.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Its code, such as `S11`.
    pub code: &'static str,
    /// A short title.
    pub title: &'static str,
    /// The layer that it gives the ceiling of.
    pub layer: Layer,
    /// The unit of its operations.
    pub unit: Unit,
    /// What its jobs execute.
    pub form: Form,
    /// Its parameters, for the record.
    pub parameters: fn(&Context) -> BTreeMap<String, i64>,
}

/// What the jobs of a probe execute.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Steps: one [`Work`] per job. It allocates its memory and computes the expected results in its first step, on the
    /// thread of its job: the pages are then local to the NUMA node of the processor that uses them, and the time falls
    /// into the warm-up.
    Steps(fn(&Context) -> Vec<Box<dyn Work>>),
    /// I/O: one job of the I/O generator, with a clone (fio: numjobs) per job of the context.
    Io(fn(&Context) -> IoJob),
}

/// Work that shares neither a cache line nor the adjacent line that the processor prefetches with the work of another
/// job: false sharing halves the rate of both.
#[repr(align(128))]
struct CacheAligned<W>(W);

#[deny(clippy::missing_trait_methods)]
impl<W: Work> Work for CacheAligned<W> {
    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        self.0.step(number)
    }

    fn finish(&mut self) -> Result<(), Broken> {
        self.0.finish()
    }

    fn shares_threads(&self) -> bool {
        self.0.shares_threads()
    }

    fn logs(&self) -> bool {
        self.0.logs()
    }

    fn log(&mut self, turn: &StepStart, ended: Nanos, done: &Done) {
        self.0.log(turn, ended, done);
    }

    fn own_pace(&self) -> Option<(Pace, (u32, u32))> {
        self.0.own_pace()
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

    fn pass(&self) -> u64 {
        self.0.pass()
    }
}

/// One work per job, each made from the number of its job.
pub(crate) fn one_per_job<W: Work + 'static>(context: &Context, make: impl Fn(u32) -> W) -> Vec<Box<dyn Work>> {
    (0..context.jobs.max(1)).map(|job| Box::new(CacheAligned(make(job))) as Box<dyn Work>).collect()
}

/// Parameters by name, as stored in a record.
pub(crate) fn named(parameters: &[(&str, u64)]) -> BTreeMap<String, i64> {
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    parameters.iter().map(|(name, value)| ((*name).to_owned(), signed(*value))).collect()
}

/// An error that ends the work of `code` unless the computed value is the expected one.
pub(crate) fn expect_equal<T: PartialEq + fmt::Debug>(code: &str, computed: T, expected: T) -> Result<(), Broken> {
    match computed == expected {
        true => Ok(()),
        false => Err(Broken { message: format!("{code}: computed {computed:?}, expected {expected:?}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_breaks_the_run_and_says_both_values() {
        assert_eq!(expect_equal("C11", 23, 23), Ok(()));
        let broken = expect_equal("C11", 23, 42).unwrap_err();
        assert_eq!(broken.message, "C11: computed 23, expected 42");
    }
}
