//! The one loop.

use crate::{Broken, Pacer, Stop, Tally, Turn, Work, clock};

/// Does steps of `work`, each no earlier than `pacer` says, until `stop` says so, and tallies them,
/// each [`Done::stream`](crate::Done::stream) in its own of `tallies`, of which there is one at least. Work that has
/// nothing left to do ends it too.
///
/// Service time runs from begun to done, response time from due to done. In a closed loop a step begins when the one
/// before it ended, so the loop's own cost, which [`calibrate`](crate::calibrate) measures, is part of its service
/// time. The loop does not lock, and allocates only where a [`Tally`] sees a latency or a second of a new kind.
///
/// # Errors
/// When the work cannot go on; what was tallied until then stays in `tallies`.
pub fn drive(work: &mut dyn Work, pacer: &mut Pacer, stop: &Stop<'_>, tallies: &mut [Tally]) -> Result<(), Broken> {
    while let Some(turn) = pacer.next(stop) {
        let done = work.step(turn.number)?;
        let ended = clock::now();
        if done.over {
            break;
        }
        // What the work paused on purpose is neither service nor response.
        let turn = Turn { due: turn.due + done.paused, begun: turn.begun + done.paused, ..turn };
        tallies[done.stream as usize].record(&turn, ended, &done);
        pacer.ended(ended);
    }
    Ok(())
}
