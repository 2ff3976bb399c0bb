//! What a server times only while a run is traced, because it costs too much for plain runs.

use engine::Node;
use record::{Run, Variation};

use crate::nodes::Nodes;

/// A node that times its statements; it leaves them again at the end of this value.
pub(crate) struct Timing<'a> {
    node: &'a dyn Node,
}

impl<'a> Timing<'a> {
    /// For a run that is traced, on the one node at `places`: of several one might not be ours, and a sum without it is
    /// none. A server that refuses goes on as it is: its time at work is then missing.
    pub(crate) fn begin(run: &Run, nodes: &'a Nodes, places: &[usize]) -> Option<Timing<'a>> {
        let [place] = places else { return None };
        let is_traced = run.variation == Some(Variation::Traced);
        let node = nodes.at(*place);
        (is_traced && node.time_statements(true).is_ok()).then_some(Timing { node })
    }
}

impl Drop for Timing<'_> {
    fn drop(&mut self) {
        // What a server of ours goes on to time is in no result of anybody else.
        let _ = self.node.time_statements(false);
    }
}
