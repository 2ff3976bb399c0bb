//! Asks an engine for checkpoints while a run lasts.
//!
//! They come at even distances: of three the first after a sixth of the window, the others a third later each, so that each has as
//! much of the window before it as after it. One that takes longer than that delays the next one. What it costs the engine in
//! transactions is counted as bookkeeping. If one is refused, no more are asked for, and the run goes on without.

use std::sync::{Mutex, PoisonError};

use engine::Session;
use measure::clock;
use record::{Nanos, RequestedCheckpoints, Run};

use crate::bench::Bench;
use crate::companion::{Companion, Course};
use crate::sampler::SampledNode;

/// What is recorded where the engine has no checkpoint on request.
const NONE_ON_REQUEST: &str = "this engine makes no checkpoint on request";

/// Asks the first node of a run for checkpoints.
pub(crate) struct Checkpoints<'a> {
    node: &'a SampledNode<'a>,
    session: Mutex<Box<dyn Session>>,
    window: Nanos,
    course: Course,
    result: Mutex<RequestedCheckpoints>,
}

impl<'a> Checkpoints<'a> {
    /// `wanted` of them in a window of `window`, of the node at `node_index`.
    ///
    /// # Errors
    /// Errors of the engine.
    pub(crate) fn new(
        bench: &Bench<'a>,
        node_index: usize,
        wanted: u32,
        window: Nanos,
    ) -> engine::Result<Checkpoints<'a>> {
        let node = &bench.sources.nodes[node_index];
        let mut session = node.node().connect()?;
        session.publish_counters()?;
        Ok(Checkpoints {
            node,
            session: Mutex::new(session),
            window,
            course: Course::default(),
            result: Mutex::new(RequestedCheckpoints { wanted, ..Default::default() }),
        })
    }

    /// Asks for one; returns why there is none.
    fn ask(&self) -> Option<String> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        match self.node.node().checkpoint(session.as_mut()) {
            Ok(Some(own_commits)) => {
                self.node.add_own_commits(own_commits);
                None
            }
            Ok(None) => Some(NONE_ON_REQUEST.to_owned()),
            Err(error) => Some(error.message),
        }
    }
}

impl Companion for Checkpoints<'_> {
    fn course(&self) -> &Course {
        &self.course
    }

    fn watch(&self) {
        self.course.wait_for_begin();
        let result = || self.result.lock().unwrap_or_else(PoisonError::into_inner);
        let (begun, wanted) = (clock::now(), result().wanted);
        for number in 0..wanted {
            let due = begun + moment(self.window, number, wanted);
            match self.course.call_at(due, || self.ask()) {
                Some((None, is_over)) => result().completed += u32::from(!is_over),
                Some((refusal, _)) => {
                    result().refusal = refusal;
                    return;
                }
                None => return,
            }
        }
    }

    fn publish(&self) {
        self.node.publish(self.session.lock().unwrap_or_else(PoisonError::into_inner).as_mut());
    }

    fn add_to(self: Box<Self>, run: &mut Run) {
        run.checkpoints = Some(Box::new(self.result.into_inner().unwrap_or_else(PoisonError::into_inner)));
    }
}

/// When checkpoint `number`, from 0, of `wanted` is asked for, after the begin of `window`.
fn moment(window: Nanos, number: u32, wanted: u32) -> Nanos {
    let half_parts = u128::from(window.0) * u128::from(2 * number + 1);
    Nanos(u64::try_from(half_parts / u128::from(2 * wanted.max(1))).unwrap_or(window.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_stand_in_the_middle_of_equal_parts_of_the_window() {
        let moments =
            |wanted: u32| -> Vec<u64> { (0..wanted).map(|number| moment(Nanos(600), number, wanted).0).collect() };
        assert_eq!(moments(3), [100, 300, 500]);
        assert_eq!(moments(1), [300]);
        assert_eq!(moments(0), [0; 0]);
        assert_eq!(moment(Nanos(u64::MAX), 0, 1), Nanos(u64::MAX / 2));
    }
}
