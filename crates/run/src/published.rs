//! A job of one session whose counters are published after its last step.

use measure::{Broken, Done, Queue, Work};

use crate::sampler::Watched;

/// The job, and the node that its counters are read from.
pub(crate) struct Published<'a, J> {
    pub job: J,
    pub node: &'a Watched<'a>,
    /// Makes what the session did visible; how many transactions the engine counts beside the steps.
    pub publish: fn(&mut J) -> engine::Result<u64>,
}

#[deny(clippy::missing_trait_methods)]
impl<J: Work> Work for Published<'_, J> {
    fn streams(&self) -> Vec<usize> {
        self.job.streams()
    }

    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        self.job.step(number)
    }

    fn finish(&mut self) -> Result<(), Broken> {
        self.job.finish()?;
        let own = (self.publish)(&mut self.job).map_err(|error| Broken { message: error.to_string() })?;
        self.node.book(own);
        Ok(())
    }

    fn broke_off(&mut self) {
        self.job.broke_off();
    }

    fn queue(&mut self) -> Option<&mut dyn Queue> {
        self.job.queue()
    }

    fn stream_of_unfinished(&self, number: u64) -> usize {
        self.job.stream_of_unfinished(number)
    }
}
