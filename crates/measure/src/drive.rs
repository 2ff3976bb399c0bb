//! The one loop.

use crate::{Broken, Pacer, Stop, Tally, Work, clock};

/// Does steps of `work`, each no earlier than `pacer` says, until `stop` says so, and tallies them.
///
/// Service time runs from begun to done, response time from due to done. In a closed loop a step begins when the one
/// before it ended, so the loop's own cost, which [`calibrate`](crate::calibrate) measures, is part of its service
/// time. The loop neither allocates nor locks.
///
/// # Errors
/// When the work cannot go on; what was tallied until then stays in `tally`.
pub fn drive(work: &mut dyn Work, pacer: &mut Pacer, stop: &Stop<'_>, tally: &mut Tally) -> Result<(), Broken> {
    while let Some(turn) = pacer.next(stop) {
        let done = work.step(turn.number)?;
        let ended = clock::now();
        tally.record(&turn, ended, &done);
        pacer.ended(ended);
    }
    Ok(())
}
