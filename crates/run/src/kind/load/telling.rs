//! What a load tells while it runs: bytes of flat file, and the stage that the others wait for.

use record::{Bytes, LoadStageKind};
use workload::load::Pipeline;

use crate::{Event, Listener};

/// Hears of a run, and tells more of it.
pub(super) struct Telling<'a> {
    pub listener: &'a dyn Listener,
    pub pipeline: &'a Pipeline<'a>,
    /// Bytes that there are to load, where that is known.
    pub of: Option<Bytes>,
}

impl Listener for Telling<'_> {
    fn on_event(&self, event: &Event<'_>) {
        match event {
            Event::Progress { elapsed, .. } => self.listener.on_event(&Event::Poured {
                elapsed: *elapsed,
                loaded: self.pipeline.flat_bytes(),
                input: self.pipeline.input_bytes(),
                of: self.of,
                slowest: self.slowest(),
            }),
            other => self.listener.on_event(other),
        }
    }
}

impl Telling<'_> {
    /// The stage whose threads are the busiest so far.
    fn slowest(&self) -> Option<LoadStageKind> {
        let busiest =
            self.pipeline.stages().into_iter().max_by_key(|stage| stage.busy_ns.0 / u64::from(stage.threads.max(1)));
        busiest.map(|stage| stage.kind)
    }
}
