//! A simulated device: every operation takes the same time, with one operation per slot in parallel.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use dbdyno_measure::{Broken, Done, NextOperation, Pacer, Queue, StepStart, Stop, Tally, Work, clock, drive_queue};
use record::{Nanos, Pace};

/// A signal that is never set.
pub static NEVER: AtomicBool = AtomicBool::new(false);

pub const MILLISECOND: Nanos = Nanos(1_000_000);

/// Settings and observations of the device.
pub struct Device {
    pub depth: u32,
    pub batch: u32,
    pub least: u32,
    /// Maximum number of completions to reap before their slots are filled.
    pub reaped_at_once: u32,
    /// Latency of an operation.
    pub latency: Nanos,
    /// Maximum number of steps.
    pub steps_max: u64,
    /// A sync in the second stream after every N steps.
    pub sync_every: Option<u64>,
    /// Whether a sync waits for all operations in flight.
    pub sync_alone: bool,
    /// The call of `begin`, counted from 0, that fails.
    pub break_at: u64,
    /// The submission, counted from 0, that fails, as all after it do.
    pub fail_at: usize,
    /// The streams of the work.
    pub streams: Vec<usize>,
    pub seen: Seen,
    pub state: State,
}

/// Prepared operations, and operations in flight with their completion times.
#[derive(Default)]
pub struct State {
    calls: u64,
    steps_since_sync: u64,
    made: Vec<(u32, bool)>,
    in_flight: VecDeque<(u32, bool, Nanos)>,
    reaped_since: u32,
    busy: Vec<bool>,
}

/// Observations of the device.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub steps: u64,
    pub syncs: u64,
    pub reaped: u64,
    pub in_flight_max: u32,
    pub submitted_max: u32,
    /// Completions reaped between two submissions.
    pub reaped_max: u32,
    pub waits: Vec<u32>,
    /// Operations that were given up.
    pub given_up: u32,
    /// The turn of each logged operation with its end.
    pub log: Vec<(StepStart, Nanos)>,
}

impl Default for Device {
    fn default() -> Device {
        Device {
            depth: 1,
            batch: u32::MAX,
            least: 1,
            reaped_at_once: u32::MAX,
            latency: MILLISECOND,
            steps_max: u64::MAX,
            sync_every: None,
            sync_alone: false,
            break_at: u64::MAX,
            fail_at: usize::MAX,
            streams: vec![0],
            seen: Seen::default(),
            state: State::default(),
        }
    }
}

impl Device {
    /// Operations that the device holds.
    pub fn held(&self) -> usize {
        self.state.made.len() + self.state.in_flight.len()
    }

    fn take(&mut self, slot: u32, sync: bool) {
        self.state.busy.resize(self.depth as usize, false);
        assert!(slot < self.depth, "slot {slot} of {}", self.depth);
        assert!(!self.state.busy[slot as usize], "slot {slot} is reused while its operation is in flight");
        self.state.busy[slot as usize] = true;
        self.state.made.push((slot, sync));
        self.seen.in_flight_max = self.seen.in_flight_max.max(self.held() as u32);
    }
}

impl Queue for Device {
    fn depth(&self) -> u32 {
        self.depth
    }

    fn begin(&mut self, slot: u32) -> Result<NextOperation, Broken> {
        self.state.calls += 1;
        if self.state.calls > self.break_at {
            return Err(Broken { message: "gone".to_owned() });
        }
        if self.sync_every.is_some_and(|every| self.state.steps_since_sync >= every) {
            if self.sync_alone && self.held() > 0 {
                return Ok(NextOperation::Blocked);
            }
            self.state.steps_since_sync = 0;
            self.seen.syncs += 1;
            self.take(slot, true);
            return Ok(NextOperation::Extra);
        }
        if self.seen.steps >= self.steps_max {
            return Ok(NextOperation::Finished);
        }
        self.state.steps_since_sync += 1;
        self.seen.steps += 1;
        self.take(slot, false);
        Ok(NextOperation::Step)
    }

    fn batch(&self) -> u32 {
        self.batch
    }

    fn least(&self) -> u32 {
        self.least
    }

    fn reaped_at_once(&self) -> u32 {
        self.reaped_at_once
    }

    fn found(&self) -> u32 {
        let now = clock::now();
        self.state.in_flight.iter().filter(|(_, _, ready)| *ready <= now).count() as u32
    }

    fn submit(&mut self, least: u32, until: Option<Nanos>) -> Result<(), Broken> {
        self.state.reaped_since = 0;
        self.seen.submitted_max = self.seen.submitted_max.max(self.state.made.len() as u32);
        self.seen.waits.push(least);
        if self.seen.waits.len() > self.fail_at {
            return Err(Broken { message: "gone".to_owned() });
        }
        let ready = clock::now() + self.latency;
        self.state.in_flight.extend(self.state.made.drain(..).map(|(slot, sync)| (slot, sync, ready)));
        assert!(least as usize <= self.state.in_flight.len(), "waits for {least} of {}", self.state.in_flight.len());
        if let Some(enough) = (least as usize).checked_sub(1) {
            let ready = self.state.in_flight[enough].2;
            clock::sleep_until(until.map_or(ready, |until| until.min(ready)));
        }
        Ok(())
    }

    fn reap(&mut self, done: &mut Done) -> Result<Option<u32>, Broken> {
        let Some((slot, sync, _)) = self.state.in_flight.pop_front_if(|(_, _, ready)| *ready <= clock::now()) else {
            return Ok(None);
        };
        self.state.busy[slot as usize] = false;
        self.seen.reaped += 1;
        self.state.reaped_since += 1;
        self.seen.reaped_max = self.seen.reaped_max.max(self.state.reaped_since);
        let stream = u32::from(sync && self.streams.len() > 1);
        *done = Done { operations: 1, bytes: if sync { 0 } else { 512 }, stream, ..Done::default() };
        Ok(Some(slot))
    }

    fn given_up(&mut self, in_flight: u32) {
        self.seen.given_up = in_flight;
    }

    fn log(&mut self, _slot: u32, turn: &StepStart, ended: Nanos) {
        self.seen.log.push((*turn, ended));
    }
}

impl Work for Device {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        Err(Broken { message: "a queue has no steps".to_owned() })
    }

    fn queue(&mut self) -> Option<&mut dyn Queue> {
        Some(self)
    }

    fn streams(&self) -> Vec<usize> {
        self.streams.clone()
    }
}

/// Drives `device` at `pace` for `window`; returns the tally of each stream, and the error.
pub fn driven(device: &mut Device, pace: Pace, window: Nanos) -> (Vec<Tally>, Result<(), Broken>) {
    let start = clock::now();
    let pacer = Pacer::new(pace, 0, 1, start, 1);
    driven_by(device, pacer, start, &stop(start + window))
}

/// The same with a given pacer and stop.
pub fn driven_by(
    device: &mut Device,
    mut pacer: Pacer,
    start: Nanos,
    stop: &Stop<'_>,
) -> (Vec<Tally>, Result<(), Broken>) {
    let mut tallies = vec![Tally::new(start, 60); device.streams.len()];
    let result = drive_queue(device, &mut pacer, stop, &mut tallies, None);
    (tallies, result.map(|_ended| ()))
}

/// Ends at `deadline`; late steps are still done.
pub fn stop(deadline: Nanos) -> Stop<'static> {
    Stop { deadline, drained: deadline + Nanos(60_000_000_000), steps: u64::MAX, signals: [&NEVER, &NEVER] }
}
