//! Jobs that work through sessions of a node: whom they keep busy, how they are cancelled, and what they make visible in the
//! counters of the node.

use engine::Canceller;
use measure::{Broken, Done, Queue, Work};
use workload::Job;
use workload::blocks::BlocksJob;
use workload::load::{LoadJob, ScanJob};
use workload::streams::StreamJob;

use crate::sampler::Watched;

/// A job with a session.
pub(crate) trait SessionJob: Work {
    /// The process that serves its session, where it is one of its own on this host.
    fn server_process(&mut self) -> Option<u32>;

    /// What can cancel its statement from another thread.
    fn cancellers(&mut self) -> Vec<Box<dyn Canceller>>;

    /// Makes what the session did visible in the counters of its node; how many transactions the engine counts beside those
    /// of its steps.
    ///
    /// # Errors
    /// What the engine says.
    fn publish_counters(&mut self) -> engine::Result<u64>;
}

macro_rules! session_job {
    ($job:ty, $cancellers:expr) => {
        impl SessionJob for $job {
            fn server_process(&mut self) -> Option<u32> {
                <$job>::server_process(self)
            }

            fn cancellers(&mut self) -> Vec<Box<dyn Canceller>> {
                let cancellers: fn(&mut $job) -> Vec<Box<dyn Canceller>> = $cancellers;
                cancellers(self)
            }

            fn publish_counters(&mut self) -> engine::Result<u64> {
                <$job>::publish_counters(self)
            }
        }
    };
}

session_job!(Job, |job| job.canceller().into_iter().collect());
session_job!(BlocksJob, |job| <BlocksJob>::cancellers(job));
session_job!(LoadJob<'_>, |job| job.canceller().into_iter().collect());
session_job!(ScanJob, |job| job.canceller().into_iter().collect());
session_job!(StreamJob, |job| job.canceller().into_iter().collect());

/// A job whose counters are published after its last step, and the node that they are read from.
pub(crate) struct OnNode<'a, J> {
    pub job: J,
    pub node: &'a Watched<'a>,
    /// The stream that all its steps are tallied in; absent where they have streams of their own.
    pub stream: Option<usize>,
}

#[deny(clippy::missing_trait_methods)]
impl<J: SessionJob> Work for OnNode<'_, J> {
    fn streams(&self) -> Vec<usize> {
        self.stream.map_or_else(|| self.job.streams(), |stream| vec![stream])
    }

    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        self.job.step(number)
    }

    fn finish(&mut self) -> Result<(), Broken> {
        self.job.finish()?;
        let own = self.job.publish_counters().map_err(|error| Broken { message: error.to_string() })?;
        self.node.book(own);
        Ok(())
    }

    fn aborted(&mut self) {
        self.job.aborted();
    }

    fn queue(&mut self) -> Option<&mut dyn Queue> {
        self.job.queue()
    }

    fn stream_of_unfinished(&self, number: u64) -> usize {
        self.job.stream_of_unfinished(number)
    }
}
