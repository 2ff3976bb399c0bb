//! Work that keeps several operations in flight from one thread, and its loop.

use std::sync::atomic::{AtomicU64, Ordering};

use record::Nanos;

use crate::pacer::{DEAF, Due};
use crate::{Broken, Done, Pacer, Stop, Tally, Turn, clock};

/// What is in flight when a loop breaks off is waited for so long.
const ABANDONED_AFTER: Nanos = Nanos(10_000_000_000);
/// What a sleep may be late.
const WAKE_UP: Nanos = Nanos(60_000);

/// Why a loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No further step was due, or a signal was up.
    Stop,
    /// The work had nothing more to do.
    Work,
}

/// What came of [`Queue::begin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// A step: it takes the turn that is due.
    Step,
    /// Something that belongs to an earlier step (a sync after writes): it takes no turn.
    Beside,
    /// Nothing yet: something in flight must be done first.
    Blocked,
    /// Nothing any more: the work has run out.
    Over,
}

/// Operations of one thread, up to [`Queue::depth`] of them in flight, each in a slot of its own.
pub trait Queue {
    /// Slots, at least 1.
    fn depth(&self) -> u32;

    /// Makes the next operation, in `slot`, which is free. It is handed over by [`Queue::submit`].
    ///
    /// # Errors
    /// When nothing more can succeed.
    fn begin(&mut self, slot: u32) -> Result<Begun, Broken>;

    /// No more steps are due: makes what still belongs to those that were done (a sync at the end), in `slot`. Asked
    /// again until it says [`Begun::Over`].
    ///
    /// # Errors
    /// When nothing more can succeed.
    fn end(&mut self, slot: u32) -> Result<Begun, Broken> {
        let _ = slot;
        Ok(Begun::Over)
    }

    /// At most so many operations are made before they are handed over.
    fn batch(&self) -> u32 {
        u32::MAX
    }

    /// So many completions are worth waiting for where all slots are taken, at least 1.
    fn least(&self) -> u32 {
        1
    }

    /// Hands over what was made, and waits until `least` operations are done or, where it is given, `until` has
    /// passed.
    ///
    /// # Errors
    /// When nothing more can succeed.
    fn submit(&mut self, least: u32, until: Option<Nanos>) -> Result<(), Broken>;

    /// An operation that is done, with its slot.
    ///
    /// # Errors
    /// When nothing more can succeed.
    fn reap(&mut self) -> Result<Option<(u32, Done)>, Broken>;

    /// Hears the times of an operation that was reaped just now: for a raw log.
    fn log(&mut self, slot: u32, turn: &Turn, ended: Nanos) {
        let _ = (slot, turn, ended);
    }
}

/// The one loop, for work with several operations in flight: makes operations as `pacer` says while slots are free,
/// hands them over together, waits, and tallies what is done, each [`Done::stream`] in its own tally.
///
/// The clock is read once per batch: an operation begins when its batch is being made and ends when its completion
/// is found. The loop does not lock, and allocates as [`drive`](crate::drive) does; everything in flight is done when it
/// returns. `meter` shows how many operations are done, for those who watch.
///
/// # Errors
/// When the work cannot go on; what was tallied until then stays.
pub fn drive_queue(
    queue: &mut dyn Queue,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    tallies: &mut [Tally],
    meter: Option<&AtomicU64>,
) -> Result<Ended, Broken> {
    let depth = queue.depth().max(1);
    let mut slots = Slots { free: (0..depth).rev().collect(), turns: vec![Turn::default(); depth as usize], broken: 0 };
    let result = go(queue, pacer, stop, tallies, meter, &mut slots);
    if result.is_err() {
        abandon(queue, depth - slots.free.len() as u32 - slots.broken);
    }
    result
}

/// Waits for what is in flight when the loop broke off: its memory is still in use.
fn abandon(queue: &mut dyn Queue, mut in_flight: u32) {
    let timeout = clock::now() + ABANDONED_AFTER;
    while in_flight > 0 && clock::now() < timeout && queue.submit(1, Some(timeout)).is_ok() {
        while in_flight > 0 && !matches!(queue.reap(), Ok(None)) {
            in_flight -= 1;
        }
    }
}

fn go(
    queue: &mut dyn Queue,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    tallies: &mut [Tally],
    meter: Option<&AtomicU64>,
    slots: &mut Slots,
) -> Result<Ended, Broken> {
    let depth = slots.turns.len() as u32;
    let (mut ended, mut reaped) = (None, 0);
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
            // More can be made at once: what is in flight is looked at and not waited for.
            Filled::Batch => 0,
            Filled::Until(_) => 1,
            Filled::Full | Filled::Over(_) => queue.least().clamp(1, in_flight),
        };
        queue.submit(least, due.map(|due| due - WAKE_UP))?;
        now = clock::now();
        while let Some((slot, done)) = queue.reap().inspect_err(|_| slots.broken = 1)? {
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

/// Sleeps until a little before `due` and looks at the clock for the rest: waking up takes tens of microseconds, which
/// would stand in every response time.
fn wait(due: Nanos, now: Nanos) {
    clock::sleep_until(due.min(now + DEAF) - WAKE_UP);
    while due <= now + DEAF && clock::now() < due {
        std::hint::spin_loop();
    }
}

struct Slots {
    free: Vec<u32>,
    turns: Vec<Turn>,
    /// Operations that were done and ended the loop.
    broken: u32,
}

impl Slots {
    /// Fills the slot that was free last.
    #[inline]
    fn take(&mut self, slot: u32, turn: Turn) {
        self.turns[slot as usize] = turn;
        self.free.pop();
    }
}

/// Why no more operations are made for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filled {
    /// No slot is free, or what is in flight has to be done first.
    Full,
    /// A batch is complete.
    Batch,
    /// The next one is due then.
    Until(Nanos),
    /// There are none any more.
    Over(Ended),
}

/// Makes operations until no slot is free, none is due, or a batch is complete.
#[inline]
fn fill(
    queue: &mut dyn Queue,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    slots: &mut Slots,
    now: Nanos,
) -> Result<Filled, Broken> {
    let batch = queue.batch();
    let mut made = 0;
    while let Some(slot) = slots.free.last().copied() {
        if made == batch {
            return Ok(Filled::Batch);
        }
        let due = match pacer.due(now, stop) {
            Due::Now(due) => due,
            Due::At(due) => return Ok(Filled::Until(due)),
            Due::Never => match queue.end(slot)? {
                Begun::Beside => {
                    slots.take(slot, Turn { number: 0, due: now, begun: now });
                    continue;
                }
                Begun::Blocked => return Ok(Filled::Full),
                Begun::Step | Begun::Over => return Ok(Filled::Over(Ended::Stop)),
            },
        };
        match queue.begin(slot)? {
            Begun::Step => slots.take(slot, Turn { number: pacer.taken(now), due, begun: now }),
            Begun::Beside => slots.take(slot, Turn { number: 0, due: now, begun: now }),
            Begun::Blocked => return Ok(Filled::Full),
            Begun::Over => return Ok(Filled::Over(Ended::Work)),
        }
        made += 1;
    }
    Ok(Filled::Full)
}
