//! Counts the operations of a job while it works.

use std::sync::atomic::{AtomicU64, Ordering};

use measure::{Broken, Done, Work};

use crate::forwarded::forwarded;

/// Operations of one job so far, in a cache line of its own to avoid false sharing.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Meter {
    operations: AtomicU64,
}

/// Work whose operations are counted while it runs.
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
    /// `work`, counted in `meter`.
    pub(crate) fn new(work: Box<dyn Work + 'a>, meter: &'a Meter) -> Metered<'a> {
        Metered { work, meter, operations: 0 }
    }
}

// A wrapper forwards all methods: a default implementation would be wrong.
#[deny(clippy::missing_trait_methods)]
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
        // Also called after the warm-up: the window starts at zero.
        self.operations = 0;
        self.meter.operations.store(0, Ordering::Relaxed);
        self.work.finish()
    }

    forwarded!(work);
}

#[cfg(test)]
mod tests {
    use engine::null::NULL;
    use measure::{NextOperation, Queue};
    use record::Nanos;

    use super::*;
    use crate::nodes::Nodes;
    use crate::sampler::SampledNode;
    use crate::session_job::{OnNode, SessionJob};

    /// Its results differ from all defaults.
    #[derive(Default)]
    struct Unusual {
        aborted: bool,
    }

    impl Work for Unusual {
        fn step(&mut self, _number: u64) -> Result<Done, Broken> {
            Ok(Done { operations: 3, ..Done::default() })
        }

        fn finish(&mut self) -> Result<(), Broken> {
            Err(Broken { message: "finish".to_owned() })
        }

        fn shares_threads(&self) -> bool {
            true
        }

        fn aborted(&mut self) {
            self.aborted = true;
        }

        fn queue(&mut self) -> Option<&mut dyn Queue> {
            // Only after `aborted`, so that one result shows both.
            if self.aborted { Some(self) } else { None }
        }

        fn streams(&self) -> Vec<usize> {
            vec![4, 2]
        }

        fn stream_of_unfinished(&self, number: u64) -> usize {
            (number % 2) as usize
        }

        fn pass(&self) -> u64 {
            7
        }
    }

    impl SessionJob for Unusual {
        fn server_process(&mut self) -> Option<u32> {
            None
        }

        fn cancellers(&mut self) -> Vec<Box<dyn engine::Canceller>> {
            Vec::new()
        }

        fn round_trip_count(&self) -> Option<u64> {
            None
        }

        fn publish_counters(&mut self) -> engine::Result<u64> {
            Ok(0)
        }
    }

    impl Queue for Unusual {
        fn depth(&self) -> u32 {
            17
        }

        fn begin(&mut self, _slot: u32) -> Result<NextOperation, Broken> {
            Ok(NextOperation::Finished)
        }

        fn submit(&mut self, _least: u32, _until: Option<Nanos>) -> Result<(), Broken> {
            Ok(())
        }

        fn reap(&mut self, _done: &mut Done) -> Result<Option<u32>, Broken> {
            Ok(None)
        }
    }

    fn passes_everything_on(work: &mut dyn Work) {
        assert_eq!(work.streams(), [4, 2]);
        assert!(work.shares_threads());
        assert_eq!(work.step(0).map(|done| done.operations), Ok(3));
        assert_eq!((work.stream_of_unfinished(6), work.stream_of_unfinished(7)), (0, 1));
        assert_eq!(work.pass(), 7);
        assert_eq!(work.finish().map_err(|broken| broken.message), Err("finish".to_owned()));
        assert!(work.queue().is_none());
        work.aborted();
        assert_eq!(work.queue().map(|queue| queue.depth()), Some(17));
    }

    #[test]
    fn wrappers_forward_every_method() {
        passes_everything_on(&mut Unusual::default());
        let meter = Meter::default();
        passes_everything_on(&mut Metered::new(Box::new(Unusual::default()), &meter));
        let workspace =
            engine::Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 1 };
        let target = "null".parse().expect("a target");
        let opened = engine::Engine::open_all(&NULL, &target, &workspace).expect("open");
        let nodes = Nodes::of(opened, &target, false).expect("a node");
        let node = &SampledNode::new(&nodes, 0).expect("a session");
        passes_everything_on(&mut OnNode { job: Unusual::default(), node, first_stream: 0, round_trips: 0 });
    }
}
