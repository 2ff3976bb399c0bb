//! The ends of the messages of a history, and the work of its agents: what a coordinator and agents see of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use record::{Nanos, Pace, Part, PartResult, Run, Timestamp};

use super::network::{BEGINNING, Event};
use super::{History, SECOND, Worked, locked};
use crate::error::Result;
use crate::wire::{Arrival, Message, Wire};
use crate::work::{Undertaking, Underway};

/// What the coordinator takes for one look at its messages.
const TURN: u64 = 1_000;

/// No history takes so long: a coordinator that still waits does so for ever.
const FOREVER: u64 = 3_600 * SECOND;

/// The end of the coordinator.
pub(super) struct CoordinatorWire(pub Arc<History>);

impl Wire for CoordinatorWire {
    fn now(&self) -> Nanos {
        Nanos(locked(&self.0.network).now)
    }

    fn send(&self, subject: String, reply: Option<String>, payload: Vec<u8>) {
        let Some(index) = subject.rsplit_once(".a").and_then(|(_, number)| number.parse().ok()) else { return };
        let message = Message { subject, reply, payload, at: Nanos(0) };
        locked(&self.0.network).send(&Event::ToAgent(index, message));
    }

    fn receive(&self, timeout: Duration) -> Option<Arrival> {
        let stop = {
            let mut network = locked(&self.0.network);
            network.now += TURN;
            let elapsed = network.now - BEGINNING;
            assert!(elapsed < FOREVER, "the coordinator waits for ever");
            network.faults.coordinator_stops.filter(|(at, _)| elapsed >= *at)
        };
        if let Some((_, for_time)) = stop {
            locked(&self.0.network).faults.coordinator_stops = None;
            self.0.pass(for_time);
        }
        let until = locked(&self.0.network).now + timeout.as_nanos() as u64;
        loop {
            if let Some(arrival) = locked(&self.0.inbox).take() {
                return Some(arrival);
            }
            if !self.0.step(until) {
                return None;
            }
        }
    }

    fn wait_until(&self, moment: Nanos) {
        let left = moment.0.saturating_sub(locked(&self.0.network).now);
        self.0.pass(left);
    }
}

/// The end of an agent.
pub(super) struct AgentWire {
    pub history: Arc<History>,
    pub index: usize,
    /// Its clock less that of the coordinator.
    pub offset: i64,
    /// Until when it has waited: the time of the network follows.
    pub floor: Mutex<u64>,
}

impl Wire for AgentWire {
    fn now(&self) -> Nanos {
        let now = locked(&self.history.network).now.saturating_add_signed(self.offset);
        Nanos(now.max(*locked(&self.floor)))
    }

    fn send(&self, subject: String, reply: Option<String>, payload: Vec<u8>) {
        debug_assert!(subject.contains(&format!(".a{}", self.index)));
        let message = Message { subject, reply, payload, at: Nanos(0) };
        locked(&self.history.network).send(&Event::ToCoordinator(message));
    }

    fn receive(&self, _: Duration) -> Option<Arrival> {
        None
    }

    fn wait_until(&self, moment: Nanos) {
        let mut floor = locked(&self.floor);
        *floor = (*floor).max(moment.0);
    }
}

/// Begins parts that pass without being carried out.
pub(super) struct SimulatedWorks {
    pub history: Arc<History>,
    pub index: usize,
    /// Which process of this agent it is.
    pub process: u32,
    pub offset: i64,
}

impl Undertaking for SimulatedWorks {
    fn begin(&self, part: Part) -> Result<Box<dyn Underway>> {
        let (history, offset) = (Arc::clone(&self.history), self.offset);
        let worked =
            Worked { index: self.index, process: self.process, run: part.planned.number, record: part.record.clone() };
        let number = {
            let mut begun = locked(&history.begun);
            begun.push(worked);
            begun.len() as u32
        };
        let warm = locked(&history.network).chance.between(0, 3 * SECOND);
        let mut work = SimulatedWork { history, offset, part, number, ready: Nanos(0), started: Mutex::new(None) };
        work.ready = work.now() + Nanos(warm);
        Ok(Box::new(work))
    }
}

struct SimulatedWork {
    history: Arc<History>,
    offset: i64,
    part: Part,
    /// Which of the parts of the history that were begun; its result bears it as a number of threads.
    number: u32,
    ready: Nanos,
    started: Mutex<Option<Nanos>>,
}

impl SimulatedWork {
    fn now(&self) -> Nanos {
        Nanos(locked(&self.history.network).now.saturating_add_signed(self.offset))
    }
}

impl Underway for SimulatedWork {
    fn is_ready(&self) -> bool {
        self.now() >= self.ready
    }

    fn release_at(&self, start: Nanos) {
        locked(&self.started).get_or_insert(start);
    }

    fn operations(&self) -> u64 {
        u64::from(locked(&self.started).is_some())
    }

    fn has_ended(&self) -> bool {
        locked(&self.started).is_some_and(|start| self.now() >= start + self.part.plan.window_ns)
    }

    fn end(self: Box<Self>) -> (run::Result<PartResult>, Nanos) {
        let run = Run::new(&self.part.planned, Pace::Unthrottled, Timestamp::default());
        (Ok(PartResult { run, host_threads: self.number }), locked(&self.started).unwrap_or_default())
    }

    fn give_up(self: Box<Self>) {}
}
