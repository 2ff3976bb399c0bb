//! Jobs with a session of a node: the server process of the session, how the job is cancelled, and what it publishes in
//! the counters of the node.

use engine::Canceller;
use measure::{Broken, Done, Work};
use workload::Job;
use workload::blocks::BlocksJob;
use workload::load::{LoadJob, ScanJob};
use workload::streams::StreamJob;

use crate::forwarded::forwarded;
use crate::sampler::SampledNode;

/// A job with a session.
pub(crate) trait SessionJob: Work {
    /// The server process of its session, if the session has one on this host.
    fn server_process(&mut self) -> Option<u32>;

    /// What cancels its statements from another thread.
    fn cancellers(&mut self) -> Vec<Box<dyn Canceller>>;

    /// Round trips of its session so far, where they are counted.
    fn round_trip_count(&self) -> Option<u64>;

    /// Publishes what the session did in the counters of its node; the number of transactions that the engine counts
    /// beyond those of its steps.
    ///
    /// # Errors
    /// Errors of the engine.
    fn publish_counters(&mut self) -> engine::Result<u64>;
}

macro_rules! session_job {
    ($job:ty, $cancellers:expr, $round_trips:expr) => {
        impl SessionJob for $job {
            fn server_process(&mut self) -> Option<u32> {
                <$job>::server_process(self)
            }

            fn cancellers(&mut self) -> Vec<Box<dyn Canceller>> {
                let cancellers: fn(&mut $job) -> Vec<Box<dyn Canceller>> = $cancellers;
                cancellers(self)
            }

            fn round_trip_count(&self) -> Option<u64> {
                let round_trips: fn(&$job) -> Option<u64> = $round_trips;
                round_trips(self)
            }

            fn publish_counters(&mut self) -> engine::Result<u64> {
                <$job>::publish_counters(self)
            }
        }
    };
}

session_job!(Job<'_>, |job| <Job<'_>>::cancellers(job), |job| <Job<'_>>::round_trip_count(job));
session_job!(BlocksJob, |job| <BlocksJob>::cancellers(job), |_| None);
session_job!(LoadJob<'_>, |job| job.canceller().into_iter().collect(), |_| None);
session_job!(ScanJob, |job| job.canceller().into_iter().collect(), |_| None);
session_job!(StreamJob, |job| job.canceller().into_iter().collect(), |_| None);

/// A job whose counters are published after its last step, and its node.
pub(crate) struct OnNode<'a, J> {
    pub job: J,
    pub node: &'a SampledNode<'a>,
    /// The number of its first stream: with several nodes, each has streams of its own.
    pub first_stream: usize,
    /// Round trips of its session that the node knows of.
    pub round_trips: u64,
}

#[deny(clippy::missing_trait_methods)]
impl<J: SessionJob> Work for OnNode<'_, J> {
    fn streams(&self) -> Vec<usize> {
        self.job.streams().into_iter().map(|stream| self.first_stream + stream).collect()
    }

    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        self.job.step(number)
    }

    fn finish(&mut self) -> Result<(), Broken> {
        self.job.finish()?;
        if let Some(count) = self.job.round_trip_count() {
            self.node.add_round_trips(count.saturating_sub(std::mem::replace(&mut self.round_trips, count)));
        }
        let own = self.job.publish_counters().map_err(|error| Broken { message: error.to_string() })?;
        self.node.add_own_commits(own);
        Ok(())
    }

    forwarded!(job);
}
