//! A coordinator and its agents over a simulated network with simulated clocks: the code is theirs, only the wires and the
//! work are not. Each seed is one history: what is delayed, reordered, doubled, forged and lost, who is stopped and for how
//! long, who floods or says nonsense. A history of the same seed is the same.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use record::{
    Attempt, FromAgent, Nanos, Order, Pace, Part, PartResult, Permitted, Run, Seed, Step, Ticket, Timestamp, ToAgent,
};

use crate::Agent;
use crate::error::Result;
use crate::inbox::Waiting;
use crate::signed::{Place, Sender, Signer};
use crate::subject::Subjects;
use crate::tests::{hello, nowhere};
use crate::wire::{Arrival, Message, Wire};
use crate::work::{Undertaking, Underway};

/// The time at the beginning, so that the clocks of agents may be behind.
const BEGINNING: u64 = 200_000_000_000_000;

pub(crate) const SECOND: u64 = 1_000_000_000;

/// What the coordinator takes for one look at its messages.
const TURN: u64 = 1_000;

/// An agent that does not wait looks again after so long.
const LOOK_MIN: u64 = 100_000;

/// Messages of the past that may be repeated.
const REMEMBERED: usize = 64;

/// The fleet.
const FLEET: &str = "simulated";

/// The record of parts that nobody but a forger asks for.
pub(crate) const FORGED: &str = "forged";

/// What happens in one history.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    /// The shortest and the longest way of a message, nanoseconds.
    pub delay: (u64, u64),
    /// Chances in a thousand: of each message to be lost, to arrive twice, and to be followed by a forged one.
    pub lost: u64,
    pub doubled: u64,
    pub forged: u64,
    /// When the coordinator is stopped, and for how long; nanoseconds from the beginning.
    pub coordinator_stops: Option<(u64, u64)>,
    /// One agent with a fault of its own.
    pub faulty: Option<(usize, Fault)>,
}

/// The fault of an agent, from a moment on, nanoseconds from the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is stopped for so long.
    Stops { at: u64, for_time: u64 },
    /// It says much, and all of it can be read.
    Floods { at: u64 },
    /// It says what cannot be read.
    SaysNonsense { at: u64 },
}

/// Numbers that a seed gives.
#[derive(Clone, Debug)]
pub(crate) struct Chance(pub u64);

impl Chance {
    /// The next number (SplitMix64).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `least` to `most`.
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    /// Whether something happens that happens so often in a thousand.
    pub(crate) fn of_thousand(&mut self, chance: u64) -> bool {
        self.next() % 1_000 < chance
    }
}

#[derive(Clone, Debug)]
enum Event {
    ToAgent(usize, Message),
    ToCoordinator(Message),
    /// The agent looks at its clock and its work, unless it has done so since.
    Wake {
        index: usize,
        turn: u64,
    },
}

/// What is on its way, and the time.
struct Network {
    now: u64,
    chance: Chance,
    faults: Faults,
    events: BTreeMap<(u64, u64), Event>,
    sequence: u64,
    past: Vec<Event>,
}

impl Network {
    fn put(&mut self, at: u64, event: Event) {
        self.sequence += 1;
        self.events.insert((at, self.sequence), event);
    }

    /// Sends a message, with all that may happen to it.
    fn send(&mut self, event: &Event) {
        let Faults { lost, doubled, forged, delay: (least, most), .. } = self.faults;
        let deliver = |network: &mut Network, event: Event| {
            let at = network.now + network.chance.between(least, most);
            network.put(at, event);
        };
        if !self.chance.of_thousand(lost) {
            deliver(self, event.clone());
        }
        if self.chance.of_thousand(doubled) {
            deliver(self, event.clone());
        }
        if self.chance.of_thousand(forged) {
            let forged = self.forgery(event);
            deliver(self, forged);
        }
        if self.past.len() < REMEMBERED {
            self.past.push(event.clone());
        } else {
            let place = self.chance.between(0, REMEMBERED as u64 - 1) as usize;
            self.past[place] = event.clone();
        }
    }

    /// What somebody between the two makes of `event`: one of the past, a changed one, one of its own.
    fn forgery(&mut self, event: &Event) -> Event {
        let attempt = Attempt { epoch: u64::MAX, run: 1 };
        match self.chance.between(0, 3) {
            0 if !self.past.is_empty() => {
                let place = self.chance.between(0, self.past.len() as u64 - 1) as usize;
                self.past[place].clone()
            }
            1 => {
                let place = self.chance.next() as usize;
                with_payload(event, |payload| {
                    let length = payload.len().max(1);
                    payload.iter_mut().skip(place % length).take(1).for_each(|byte| *byte ^= 1);
                })
            }
            kind => {
                let part = Part { record: FORGED.to_owned(), ..crate::tests::part(1) };
                let to_agent = match self.chance.between(0, 3) {
                    0 => ToAgent::Leave,
                    1 => ToAgent::Assign { attempt, part: Box::new(part) },
                    2 => ToAgent::Order(Order { attempt, step: Step::Prepare }),
                    _ => ToAgent::TurnedAway { reason: FORGED.to_owned() },
                };
                let content = match event {
                    Event::ToAgent(..) => serde_json::to_vec(&to_agent).unwrap(),
                    _ => serde_json::to_vec(&FromAgent::Left).unwrap(),
                };
                // In clear text, or with a key that is not theirs.
                let key = Seed("another key".to_owned());
                with_payload(event, |payload| {
                    let place = Place { subject: "x", reply: None };
                    *payload =
                        if kind == 2 { content } else { Signer::new(&key, Sender::Coordinator).sign(place, &content) };
                })
            }
        }
    }
}

fn with_payload(event: &Event, change: impl FnOnce(&mut Vec<u8>)) -> Event {
    let mut changed = event.clone();
    if let Event::ToAgent(_, message) | Event::ToCoordinator(message) = &mut changed {
        change(&mut message.payload);
    }
    changed
}

/// An agent of a history.
struct Member {
    agent: Option<Agent>,
    /// How it ended.
    end: Option<Result<()>>,
    turn: u64,
    /// What makes its messages, for one that says nonsense.
    key: Seed,
    has_done: bool,
}

/// A history.
pub(crate) struct History {
    network: Mutex<Network>,
    members: Mutex<Vec<Member>>,
    /// What has arrived at the coordinator.
    inbox: Mutex<Waiting>,
    /// The records of the parts that agents began with.
    begun: Mutex<Vec<String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl History {
    /// With `count` agents, whose tickets are returned, too.
    pub(crate) fn new(seed: u64, count: usize, faults: Faults) -> (Arc<History>, Vec<Ticket>) {
        let mut chance = Chance(seed);
        let ticket = |number: usize| {
            let secret = || Seed(format!("{seed} {number}"));
            Ticket {
                url: "simulated:".to_owned(),
                fleet: FLEET.to_owned(),
                agent: format!("a{number}"),
                seed: secret(),
                message_key: secret(),
                permitted: Permitted::default(),
            }
        };
        let tickets: Vec<Ticket> = (0..count).map(ticket).collect();
        let offsets: Vec<i64> =
            (0..count).map(|_| chance.between(0, 180_000 * SECOND) as i64 - 90_000 * SECOND as i64).collect();
        let network =
            Network { now: BEGINNING, chance, faults, events: BTreeMap::new(), sequence: 0, past: Vec::new() };
        let history = Arc::new(History {
            network: Mutex::new(network),
            members: Mutex::default(),
            inbox: Mutex::default(),
            begun: Mutex::default(),
        });
        for (index, (ticket, offset)) in tickets.iter().zip(offsets).enumerate() {
            let wire = AgentWire { history: Arc::clone(&history), index, offset, floor: Mutex::new(0) };
            let work = SimulatedWorks { history: Arc::clone(&history), offset };
            let agent = Some(Agent::at(Box::new(wire), ticket, &hello(), Box::new(work), nowhere()));
            let member = Member { agent, end: None, turn: 0, key: ticket.message_key.clone(), has_done: false };
            locked(&history.members).push(member);
            locked(&history.network).put(BEGINNING, Event::Wake { index, turn: 0 });
        }
        (history, tickets)
    }

    /// The end of the coordinator.
    pub(crate) fn coordinator(self: &Arc<History>) -> (Box<dyn Wire>, Subjects) {
        (Box::new(CoordinatorWire(Arc::clone(self))), Subjects::of(FLEET))
    }

    /// Nanoseconds since the beginning.
    pub(crate) fn elapsed(&self) -> u64 {
        locked(&self.network).now - BEGINNING
    }

    /// How the agents have ended so far.
    pub(crate) fn ends(&self) -> Vec<Option<Result<()>>> {
        locked(&self.members).iter().map(|member| member.end.clone()).collect()
    }

    /// The records of the parts that agents began with.
    pub(crate) fn begun(&self) -> Vec<String> {
        locked(&self.begun).clone()
    }

    /// Lets time pass in which the coordinator does nothing.
    pub(crate) fn pass(&self, time: u64) {
        let until = locked(&self.network).now + time;
        while self.step(until) {}
    }

    /// Lets the next thing happen, no later than `until`; false if there is none.
    fn step(&self, until: u64) -> bool {
        let event = {
            let mut network = locked(&self.network);
            match network.events.first_key_value() {
                Some(((at, _), _)) if *at <= until => {}
                _ => {
                    network.now = network.now.max(until);
                    return false;
                }
            }
            let Some(((at, _), event)) = network.events.pop_first() else { return false };
            network.now = network.now.max(at);
            event
        };
        match event {
            Event::ToCoordinator(message) => {
                let at = Nanos(locked(&self.network).now);
                locked(&self.inbox).add(Message { at, ..message });
            }
            event => self.of_agent(event),
        }
        true
    }

    fn of_agent(&self, event: Event) {
        let (Event::ToAgent(index, _) | Event::Wake { index, .. }) = event else { return };
        let (elapsed, fault) = {
            let network = locked(&self.network);
            (
                network.now - BEGINNING,
                network.faults.faulty.filter(|(faulty, _)| *faulty == index).map(|(_, fault)| fault),
            )
        };
        if let Some(Fault::Stops { at, for_time }) = fault
            && (at..at + for_time).contains(&elapsed)
        {
            // What arrives waits for it.
            return locked(&self.network).put(BEGINNING + at + for_time, event);
        }
        let mut members = locked(&self.members);
        let member = &mut members[index];
        let Some(agent) = &mut member.agent else { return };
        let ended = match event {
            Event::Wake { turn, .. } if turn != member.turn => return,
            Event::ToAgent(_, message) => agent.turn(Some(Arrival::Message(Message { at: agent.now(), ..message }))),
            _ => agent.turn(None),
        };
        match ended {
            Some(end) => {
                agent.give_up();
                (member.end, member.agent) = (Some(end), None);
            }
            None => {
                member.turn += 1;
                let (turn, patience) = (member.turn, agent.patience().as_nanos() as u64);
                let mut network = locked(&self.network);
                let at = network.now + patience.max(LOOK_MIN);
                network.put(at, Event::Wake { index, turn });
            }
        }
        misbehave(&mut locked(&self.network), member, index, elapsed, fault);
    }
}

/// Does once what the fault of an agent is.
fn misbehave(network: &mut Network, member: &mut Member, index: usize, elapsed: u64, fault: Option<Fault>) {
    let (at, count, content) = match fault {
        Some(Fault::Floods { at }) => (at, 3_000, serde_json::to_vec(&FromAgent::Left).unwrap()),
        Some(Fault::SaysNonsense { at }) => (at, 1, b"{\"nonsense\":1}".to_vec()),
        Some(Fault::Stops { .. }) | None => return,
    };
    if elapsed < at || std::mem::replace(&mut member.has_done, true) {
        return;
    }
    let subject = Subjects::of(FLEET).reply(&format!("a{index}"), 0);
    let mut signer = Signer::new(&member.key, Sender::Agent);
    // Its numbers are higher than those of all that it has said, and will say, by itself.
    signer.skip(1 << 40);
    for _ in 0..count {
        let payload = signer.sign(Place { subject: &subject, reply: None }, &content);
        let message = Message { subject: subject.clone(), reply: None, payload, at: Nanos(0) };
        network.put(network.now, Event::ToCoordinator(message));
    }
}

struct CoordinatorWire(Arc<History>);

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

struct AgentWire {
    history: Arc<History>,
    index: usize,
    /// Its clock less that of the coordinator.
    offset: i64,
    /// Until when it has waited: the time of the network follows.
    floor: Mutex<u64>,
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
struct SimulatedWorks {
    history: Arc<History>,
    offset: i64,
}

impl Undertaking for SimulatedWorks {
    fn begin(&self, part: Part) -> Result<Box<dyn Underway>> {
        locked(&self.history.begun).push(part.record.clone());
        let (history, offset) = (Arc::clone(&self.history), self.offset);
        let warm = locked(&history.network).chance.between(0, 3 * SECOND);
        let mut work = SimulatedWork { history, offset, part, ready: Nanos(0), started: Mutex::new(None) };
        work.ready = work.now() + Nanos(warm);
        Ok(Box::new(work))
    }
}

struct SimulatedWork {
    history: Arc<History>,
    offset: i64,
    part: Part,
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
        (Ok(PartResult { run, host_threads: 2 }), locked(&self.started).unwrap_or_default())
    }

    fn give_up(self: Box<Self>) {}
}
