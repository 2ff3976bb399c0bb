//! The ends of the messages of a history, and the work of its agents: what a coordinator and agents see of it.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use record::{Attempt, KeptPart, Nanos, Pace, Part, PartResult, Run, Timestamp};

use super::network::{BEGINNING, Event};
use super::{History, SECOND, Worked, locked};
use crate::error::Result;
use crate::part_writer::PartWriter;
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
        let (history, of) = (Arc::clone(&self.history), (self.index, self.process));
        let worked =
            Worked { index: self.index, process: self.process, run: part.planned.number, record: part.record.clone() };
        let number = {
            let mut begun = locked(&history.begun);
            begun.push(worked);
            begun.len() as u32
        };
        let (now, warm) = {
            let mut network = locked(&history.network);
            (network.now, network.chance.between(0, 3 * SECOND))
        };
        let before = locked(&history.part_ends).insert(of, None);
        let has_ended = before.is_none_or(|end| end.is_some_and(|end| end <= now));
        assert!(has_ended, "a{} begins another part beside one that has not ended", self.index);
        Ok(Box::new(SimulatedWork {
            history,
            of,
            offset: self.offset,
            part,
            number,
            ready: now + warm,
            started: Mutex::default(),
        }))
    }
}

struct SimulatedWork {
    history: Arc<History>,
    /// The agent, and which of its processes.
    of: (usize, u32),
    offset: i64,
    part: Part,
    /// Which of the parts of the history that were begun; its result bears it as a number of threads.
    number: u32,
    ready: u64,
    started: Mutex<Option<Nanos>>,
}

impl SimulatedWork {
    fn now(&self) -> u64 {
        locked(&self.history.network).now
    }

    /// When it ends, as far as that is known.
    fn known_end(&self) -> Option<u64> {
        locked(&self.history.part_ends).get(&self.of).copied().flatten()
    }
}

impl Underway for SimulatedWork {
    fn is_ready(&self) -> bool {
        self.now() >= self.ready
    }

    fn release_at(&self, start: Nanos) {
        if locked(&self.started).replace(start).is_none() {
            let end = start.0.saturating_add_signed(-self.offset) + self.part.plan.window_ns.0;
            locked(&self.history.part_ends).insert(self.of, Some(end));
        }
    }

    fn operations(&self) -> u64 {
        u64::from(locked(&self.started).is_some())
    }

    fn has_ended(&self) -> bool {
        self.known_end().is_some_and(|end| self.now() >= end)
    }

    fn end(self: Box<Self>) -> (run::Result<PartResult>, Nanos) {
        self.history.hold(self.of.0, self.known_end().unwrap_or_default());
        let run = Run::new(&self.part.planned, Pace::Unthrottled, Timestamp::default());
        (Ok(PartResult { run, host_threads: self.number }), locked(&self.started).unwrap_or_default())
    }

    fn give_up(&self) {
        let end = {
            let mut network = locked(&self.history.network);
            let most = network.faults.gives_up;
            network.now + network.chance.up_to(most)
        };
        let end = self.known_end().map_or(end, |known| known.min(end));
        locked(&self.history.part_ends).insert(self.of, Some(end));
    }
}

/// Keeps results, which takes its time.
pub(super) struct SimulatedWriter {
    pub history: Arc<History>,
    pub index: usize,
    /// When the last one is kept.
    pub end: Option<u64>,
}

impl PartWriter for SimulatedWriter {
    fn folder(&self) -> &Path {
        Path::new("simulated")
    }

    fn keep(&mut self, part: KeptPart) {
        let end = {
            let mut network = locked(&self.history.network);
            let most = network.faults.keeps;
            network.now + network.chance.up_to(most)
        };
        self.end = Some(end);
        locked(&self.history.kept).insert((self.index, part.attempt.run), end);
    }

    fn outcome(&mut self) -> Option<Result<()>> {
        let now = locked(&self.history.network).now;
        self.end.take_if(|end| *end <= now).map(|_| Ok(()))
    }

    fn remove(&mut self, _: &str, _: Attempt, _: &str) {}

    fn finish(&mut self) {
        self.history.hold(self.index, self.end.unwrap_or_default());
    }
}
