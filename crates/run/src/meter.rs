//! What stands around the work of a job: it can be watched, and what dbdyno itself causes is booked.

use std::sync::atomic::{AtomicU64, Ordering};

use measure::{Broken, Done, Work};
use workload::Job;

use crate::sampler::Watched;

/// Operations of one job so far: a cache line of its own, so that counting disturbs nobody.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Meter {
    operations: AtomicU64,
}

/// Work whose operations can be watched while it runs.
pub(crate) struct Metered<'a> {
    work: Box<dyn Work + 'a>,
    meter: &'a Meter,
    operations: u64,
}

impl Meter {
    /// Operations so far in the window.
    pub(crate) fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }
}

impl<'a> Metered<'a> {
    /// `work`, shown in `meter`.
    pub(crate) fn new(work: Box<dyn Work + 'a>, meter: &'a Meter) -> Metered<'a> {
        Metered { work, meter, operations: 0 }
    }
}

impl Work for Metered<'_> {
    fn streams(&self) -> Vec<usize> {
        self.work.streams()
    }

    fn step(&mut self, number: u64) -> std::result::Result<Done, Broken> {
        let done = self.work.step(number)?;
        self.operations += done.operations;
        self.meter.operations.store(self.operations, Ordering::Relaxed);
        Ok(done)
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        // Called after the warm-up as well: the window begins at zero.
        self.operations = 0;
        self.meter.operations.store(0, Ordering::Relaxed);
        self.work.finish()
    }
}

/// A job that publishes its counters after its last step, and books the transactions that this costs.
pub(crate) struct Booked<'a> {
    job: Job,
    node: &'a Watched<'a>,
    stream: usize,
}

impl<'a> Booked<'a> {
    /// `job`, which works on `node`; tallied in `stream`.
    pub(crate) fn new(job: Job, node: &'a Watched<'a>, stream: usize) -> Booked<'a> {
        Booked { job, node, stream }
    }
}

impl Work for Booked<'_> {
    fn streams(&self) -> Vec<usize> {
        vec![self.stream]
    }

    fn step(&mut self, number: u64) -> std::result::Result<Done, Broken> {
        self.job.step(number)
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        let own = self.job.publish_counters().map_err(|error| Broken { message: error.to_string() })?;
        self.node.book(own);
        Ok(())
    }
}
