//! What is read while a run lasts: counters of host and engine, and what its companions ask for.

use measure::{Broken, Tally};
use record::evidence::CommitCount;
use record::{Evidence, Finding, JobShare, NodeRun, Reading, Run, Verdict};

use crate::Interrupt;
use crate::bench::Bench;
use crate::companion::Companion;
use crate::sampler::Sampler;
use crate::session_sampler::SessionSampler;

/// Called when it is dropped, also by a panic: threads that wait for the end of a run are told of it in any case.
struct AtEnd<F: Fn()>(F);

impl<F: Fn()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// The readings of one run.
pub(crate) struct Observation<'a> {
    /// Indexes of the nodes of the run.
    node_indexes: Vec<usize>,
    sampler: Sampler<'a>,
    companions: Vec<Box<dyn Companion + 'a>>,
}

impl<'a> Observation<'a> {
    /// Of `run` on the nodes at `node_indexes`, with what goes on beside its jobs; `beside` are processes of this host that its jobs
    /// speak to.
    pub(crate) fn new(
        bench: &'a Bench<'_>,
        run: &Run,
        node_indexes: Vec<usize>,
        beside: &[u32],
        mut companions: Vec<Box<dyn Companion + 'a>>,
    ) -> Observation<'a> {
        let processes = bench.subject.filter(|_| !node_indexes.is_empty()).map(|subject| subject.nodes.processes());
        let sampler = Sampler::new(bench.sources, node_indexes.clone(), processes).beside(beside);
        // The coordinator asks it for all agents.
        let sampler = if bench.hands.release().is_some() { sampler.without_engine() } else { sampler };
        let session_sampler = SessionSampler::of_run(bench, run, &node_indexes);
        companions.extend(session_sampler.map(|sampler| Box::new(sampler) as Box<dyn Companion>));
        Observation { node_indexes, sampler, companions }
    }

    /// All jobs are warm and wait for a start that is agreed: reads what they do not change any more, unless `interrupt` is
    /// raised.
    pub(crate) fn prepare(&self, interrupt: &Interrupt) {
        self.sampler.prepare(interrupt);
    }

    /// All jobs are warm and wait: what goes on beside them stops, before counters are read.
    ///
    /// # Errors
    /// Where something of that cannot go on.
    pub(crate) fn ready(&self) -> Result<(), Broken> {
        self.companions.iter().try_for_each(|companion| companion.ready())
    }

    /// The window is about to begin.
    pub(crate) fn begin(&self) {
        self.sampler.begin();
        self.companions.iter().for_each(|companion| companion.course().begin());
    }

    /// The window is over; `done` is called when the host was read, before the engine is.
    pub(crate) fn end_after(&self, done: impl FnOnce()) {
        // What works beside the jobs is told first: it would have the engine for itself while the host is read.
        self.companions.iter().for_each(|companion| companion.stop());
        self.sampler.end_after(|| {
            done();
            self.companions.iter().filter(|companion| companion.has_ended()).for_each(|companion| companion.publish());
        });
    }

    /// Reads during `body`, once the window has begun; reports progress by `operations`, and calls `check` once a second.
    pub(crate) fn during<T>(
        &self,
        bench: &Bench<'_>,
        operations: &(dyn Fn() -> u64 + Sync),
        check: &(dyn Fn() + Sync),
        body: impl FnOnce() -> T,
    ) -> T {
        std::thread::scope(|scope| {
            let _end = AtEnd(|| {
                self.sampler.stop();
                self.companions.iter().for_each(|companion| companion.stop());
            });
            scope.spawn(|| self.sampler.watch(bench.listener, operations, check));
            self.companions.iter().for_each(|companion| drop(scope.spawn(|| companion.watch())));
            body()
        })
    }

    /// Adds what was read to `run`. `of_nodes` are the tallies of the nodes, if this process has them, of the jobs of
    /// `share`, which are spread over the nodes in turn.
    pub(crate) fn add_to(self, bench: &Bench<'_>, run: &mut Run, of_nodes: &[Tally], share: JobShare) {
        self.companions.into_iter().for_each(|companion| companion.add_to(run));
        let mut read = self.sampler.into_read(bench.origin);
        let nodes = self.node_indexes.len();
        if let Some(subject) = bench.subject.filter(|_| nodes > 1) {
            let jobs_of = |index: usize| {
                let jobs = share.first..share.first.saturating_add(share.count);
                jobs.filter(|job| *job as usize % nodes == index).count() as u32
            };
            let parts = self.node_indexes.iter().zip(std::mem::take(&mut read.of_nodes)).enumerate();
            let node_run = |(index, (node_index, readings)): (usize, (&usize, Vec<Reading>))| {
                let tally = of_nodes.get(index);
                NodeRun {
                    node: subject.nodes.number(*node_index),
                    jobs: jobs_of(index),
                    totals: tally.map(Tally::totals).unwrap_or_default(),
                    service: tally.map(|tally| tally.service().latency()).unwrap_or_default(),
                    response: tally.map(|tally| tally.response().latency()).unwrap_or_default(),
                    seconds: tally.map(|tally| tally.seconds().to_vec()).unwrap_or_default(),
                    readings,
                }
            };
            run.nodes = parts.map(node_run).collect();
        }
        if let Some(error) = read.add_hosts_to(run) {
            let not_read = CommitCount::NotRead { message: error.message };
            run.findings.push(Finding::new(Verdict::Unknown, Evidence::CommitCount(not_read)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_waits_for_the_end_of_a_run_is_told_of_it_also_by_a_panic() {
        let (is_over, changed) = (Mutex::new(false), Condvar::new());
        let mut was_told = false;
        let ended = catch_unwind(AssertUnwindSafe(|| {
            std::thread::scope(|scope| {
                let _end = AtEnd(|| {
                    *is_over.lock().unwrap() = true;
                    changed.notify_all();
                });
                scope.spawn(|| {
                    let limit = Duration::from_secs(30);
                    let waited = changed.wait_timeout_while(is_over.lock().unwrap(), limit, |is_over| !*is_over);
                    was_told = *waited.unwrap().0;
                });
                panic!("in the run");
            });
        }));
        assert!(ended.is_err() && was_told);
    }
}
