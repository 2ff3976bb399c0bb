//! Puts jobs and their servers where the plan wants them, and reads counters at the edges of the window.

use std::sync::OnceLock;

use measure::{Broken, Watch};
use record::{Placement, Timestamp};
use trace::Tracer;

use crate::Event;
use crate::bench::Bench;
use crate::loss::Losses;
use crate::pacing::Threads;
use crate::run::timestamp;
use crate::sampler::Sampler;
use crate::session_sampler::SessionSampler;

/// Puts jobs and their servers where the plan wants them, and reads counters at the edges.
pub(crate) struct Placing<'a, 'b, 'c> {
    pub bench: &'a Bench<'b>,
    /// The hardware threads that may be used.
    pub threads: &'a Threads<'a>,
    pub server_processes: &'a [Option<u32>],
    pub sampler: &'a Sampler<'c>,
    pub started_at: &'a OnceLock<Timestamp>,
    pub losses: Option<&'a Losses<'c>>,
    /// Looks at sessions meanwhile.
    pub session_sampler: Option<&'a SessionSampler<'c>>,
    /// Traces the kernel meanwhile.
    pub tracer: Option<&'a Tracer>,
}

impl Placing<'_, '_, '_> {
    /// Keeps a job on the hardware threads that may be used, where they are not all.
    fn narrow(&self, job: u32) {
        if self.threads.is_narrowed()
            && let Err(error) = host::keep_this_thread_on(&self.threads.cpus)
        {
            self.bench.listener.on_event(&Event::Note(&format!("job {job} could not be placed: {error}")));
        }
    }
}

impl Watch for Placing<'_, '_, '_> {
    fn enter(&self, job: u32) {
        let processors = &self.threads.cpus;
        let at = |place: usize| processors[place % processors.len()];
        let apart = match self.bench.plan.placement {
            Placement::Kernel => return self.narrow(job),
            Placement::Spread => 1,
            Placement::Paired => 0,
        };
        // A refusal leaves the job where the kernel puts it: worth a word, no reason to stop.
        if let Err(error) = host::pin_this_thread(at(job as usize)) {
            self.bench.listener.on_event(&Event::Note(&format!("job {job} could not be placed: {error}")));
        }
        if let Some(process) = self.server_processes.get(job as usize).copied().flatten()
            && let Err(error) = host::pin_process(process, at(job as usize + apart))
        {
            self.bench
                .listener
                .on_event(&Event::Note(&format!("server process {process} could not be placed: {error}")));
        }
    }

    fn goes_on_without(&self, job: u32, broken: &Broken) -> bool {
        let goes_on = self.losses.is_some_and(|losses| losses.goes_on_without(job, broken));
        if goes_on {
            self.bench.listener.on_event(&Event::Note(&format!("job {job} ended with its node: {}", broken.message)));
        }
        goes_on
    }

    fn begin(&self) {
        self.sampler.begin();
        self.session_sampler.iter().for_each(|session_sampler| session_sampler.begin());
        self.started_at.get_or_init(timestamp);
        // The last of all, and the first to end: what dbdyno does to read counters is not traced.
        self.tracer.iter().for_each(|tracer| tracer.begin());
    }

    fn end(&self) {
        self.tracer.iter().for_each(|tracer| tracer.end());
        self.sampler.end_after(|| self.session_sampler.iter().for_each(|session_sampler| session_sampler.end()));
    }
}
