//! The one loop: for work of one step at a time, and for work that keeps several operations in flight from one thread.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use record::Nanos;

use crate::pacer::{Due, SLEEP_MAX};
use crate::{Broken, Done, NextOperation, Pacer, Queue, StepStart, Stop, Tally, Work, clock};

/// Timeout for operations in flight when a loop is aborted.
const ABORT_TIMEOUT: Nanos = Nanos(10_000_000_000);
/// Tolerated wake-up latency of a sleep.
const WAKE_UP: Nanos = Nanos(60_000);

/// Why a loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No further step was scheduled, or a signal was set.
    Stop,
    /// The work was finished.
    Work,
}

/// Does steps of `work`, paced by `pacer`, until `stop` or until the work is finished. Each step is tallied in the one
/// of `tallies` that its [`Done::stream`](crate::Done::stream) selects.
///
/// Service time is from start to end, response time from intended start to end. In a closed loop a step starts when the
/// one before it ended, so the overhead of the loop, which [`calibrate`](crate::calibrate) measures, is part of the
/// service time. The loop takes no locks, and only allocates when a [`Tally`] sees a new range of latencies or a new
/// second.
///
/// # Errors
/// When the work cannot continue; steps tallied until then stay in `tallies`.
pub fn drive(work: &mut dyn Work, pacer: &mut Pacer, stop: &Stop<'_>, tallies: &mut [Tally]) -> Result<(), Broken> {
    drive_steps(work, pacer, stop, |stream, turn, ended, done| tallies[stream].record(turn, ended, done))
}

/// The same on a thread of several jobs, each of whose tallies is one of `all`: that of stream i at place `places[i]`.
pub(crate) fn drive_shared(
    work: &mut dyn Work,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    all: &RefCell<Vec<Tally>>,
    places: &[usize],
) -> Result<(), Broken> {
    drive_steps(work, pacer, stop, |stream, turn, ended, done| {
        all.borrow_mut()[places[stream]].record(turn, ended, done);
        // A step that waits for nothing gives no other job its turn.
        multiplex::pass();
    })
}

#[inline]
fn drive_steps(
    work: &mut dyn Work,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    mut record: impl FnMut(usize, &StepStart, Nanos, &Done),
) -> Result<(), Broken> {
    let logs = work.logs();
    while let Some(turn) = pacer.next(stop) {
        let done = work.step(turn.number)?;
        let ended = clock::now();
        if done.over {
            break;
        }
        // Intended pauses of the work count neither as service nor as response time.
        let turn = StepStart { due: turn.due + done.paused, begun: turn.begun + done.paused, ..turn };
        pacer.ended(ended);
        record(done.stream as usize, &turn, ended, &done);
        if logs {
            work.log(&turn, ended, &done);
        }
    }
    Ok(())
}

/// The loop for work with several operations in flight: prepares operations, paced by `pacer`, while slots are free,
/// submits them together, waits, and tallies completed ones by their [`Done::stream`](crate::Done::stream).
///
/// The clock is read once per batch: an operation starts when its batch is prepared and ends when it is reaped. No more are
/// reaped than are prepared next ([`Queue::reaped_at_once`]): of completions that come in crowds, the slots of the first are
/// submitted again before the last are looked at, and the device does not run out of work. The loop takes no locks, and allocates
/// as [`drive`] does. Nothing is in flight when it returns; where it was aborted, and what was in flight then has not completed
/// in ten seconds, the queue is told so ([`Queue::given_up`]). `meter` shows the number of completed operations.
///
/// # Errors
/// When the work cannot continue; operations tallied until then stay.
pub fn drive_queue(
    queue: &mut dyn Queue,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    tallies: &mut [Tally],
    meter: Option<&AtomicU64>,
) -> Result<Ended, Broken> {
    let depth = queue.depth().max(1);
    let mut slots =
        Slots { free: (0..depth).rev().collect(), turns: vec![StepStart::default(); depth as usize], broken: 0 };
    let result = drive_slots(queue, pacer, stop, tallies, meter, &mut slots);
    if result.is_err() {
        drain(queue, depth - slots.free.len() as u32 - slots.broken);
    }
    result
}

/// Waits for operations in flight when the loop was aborted, and tells the queue which do not end: their memory is still in use.
fn drain(queue: &mut dyn Queue, mut in_flight: u32) {
    let timeout = clock::now() + ABORT_TIMEOUT;
    let mut done = Done::default();
    let least = |queue: &dyn Queue| u32::from(queue.found() == 0);
    while in_flight > 0 && clock::now() < timeout && queue.submit(least(queue), Some(timeout)).is_ok() {
        while in_flight > 0 && !matches!(queue.reap(&mut done), Ok(None)) {
            in_flight -= 1;
        }
    }
    if in_flight > 0 {
        queue.given_up(in_flight);
    }
}

fn drive_slots(
    queue: &mut dyn Queue,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    tallies: &mut [Tally],
    meter: Option<&AtomicU64>,
    slots: &mut Slots,
) -> Result<Ended, Broken> {
    let depth = slots.turns.len() as u32;
    let (mut ended, mut reaped, mut done) = (None, 0u64, Done::default());
    let mut now = clock::now();
    loop {
        let filled = match ended {
            Some(ended) => Filled::Over(ended),
            None => fill(queue, pacer, stop, slots, now)?,
        };
        if let Filled::Over(why) = filled {
            ended = Some(why);
        }
        let due = if let Filled::Until(due) = filled { Some(due) } else { None };
        let in_flight = depth - slots.free.len() as u32;
        if in_flight == 0 {
            match (due, ended) {
                (_, Some(ended)) => return Ok(ended),
                (None, None) => {}
                (Some(due), None) => wait(due, now),
            }
            now = clock::now();
            continue;
        }
        let least = match filled {
            // More can be prepared at once: poll for completions, do not wait.
            Filled::Batch => 0,
            _ if queue.found() > 0 => 0,
            Filled::Until(_) => 1,
            Filled::Full | Filled::Over(_) => queue.least().clamp(1, in_flight),
        };
        queue.submit(least, due.map(|due| due - WAKE_UP))?;
        now = clock::now();
        let last = reaped.saturating_add(u64::from(queue.reaped_at_once().max(1)));
        while reaped < last
            && let Some(slot) = queue.reap(&mut done).inspect_err(|_| slots.broken = 1)?
        {
            let turn = slots.turns[slot as usize];
            tallies[done.stream as usize].record(&turn, now, &done);
            queue.log(slot, &turn, now);
            pacer.ended_in_queue(now);
            slots.free.push(slot);
            reaped += 1;
        }
        if let Some(meter) = meter {
            meter.store(reaped, Ordering::Relaxed);
        }
    }
}

/// Sleeps until shortly before `due` and then spins: the wake-up latency of tens of microseconds would be part of every
/// response time.
fn wait(due: Nanos, now: Nanos) {
    clock::sleep_until(due.min(now + SLEEP_MAX) - WAKE_UP);
    while due <= now + SLEEP_MAX && clock::now() < due {
        std::hint::spin_loop();
    }
}

struct Slots {
    free: Vec<u32>,
    turns: Vec<StepStart>,
    /// Operations that were completed and aborted the loop.
    broken: u32,
}

impl Slots {
    /// Fills the last free slot.
    #[inline]
    fn take(&mut self, slot: u32, turn: StepStart) {
        self.turns[slot as usize] = turn;
        self.free.pop();
    }
}

/// Why no more operations are prepared for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filled {
    /// No slot is free, or operations in flight must complete first.
    Full,
    /// A batch is complete.
    Batch,
    /// The next one is scheduled then.
    Until(Nanos),
    /// There are no more.
    Over(Ended),
}

/// Prepares operations until no slot is free, none is scheduled, or a batch is complete.
#[inline]
fn fill(
    queue: &mut dyn Queue,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    slots: &mut Slots,
    now: Nanos,
) -> Result<Filled, Broken> {
    let batch = queue.batch();
    let mut prepared = 0;
    while let Some(slot) = slots.free.last().copied() {
        if prepared == batch {
            return Ok(Filled::Batch);
        }
        let due = match pacer.due(now, stop) {
            Due::Now(due) => due,
            Due::At(due) => return Ok(Filled::Until(due)),
            Due::Never => match queue.end(slot)? {
                NextOperation::Extra => {
                    slots.take(slot, StepStart { due: now, begun: now, ..StepStart::default() });
                    continue;
                }
                NextOperation::Blocked => return Ok(Filled::Full),
                NextOperation::Step | NextOperation::Finished => return Ok(Filled::Over(Ended::Stop)),
            },
        };
        match queue.begin(slot)? {
            NextOperation::Step => {
                slots.take(slot, StepStart { number: pacer.taken(now), due, begun: now, was_idle: false })
            }
            NextOperation::Extra => slots.take(slot, StepStart { due: now, begun: now, ..StepStart::default() }),
            NextOperation::Blocked => return Ok(Filled::Full),
            NextOperation::Finished => return Ok(Filled::Over(Ended::Work)),
        }
        prepared += 1;
    }
    Ok(Filled::Full)
}
