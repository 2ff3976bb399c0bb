//! A coordinator and its agents over a simulated network with simulated clocks: the code is theirs, only the wires and the
//! work are not. Each seed is one history: what is delayed, reordered, doubled, forged and lost, who is stopped and for how
//! long, whose process ends and begins again, who floods or says nonsense. A history of the same seed is the same.

mod ends;
mod faults;
mod network;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use record::{FromAgent, Nanos, Permitted, Piece, Seed, Ticket, ToAgent};

use self::ends::{AgentWire, CoordinatorWire, SimulatedWorks, SimulatedWriter};
pub(crate) use self::faults::{Chance, Fault, Faults};
pub(crate) use self::network::FORGED;
use self::network::{BEGINNING, Event, Network};
use crate::Agent;
use crate::error::Result;
use crate::inbox::Waiting;
use crate::signed::HEAD_BYTES;
use crate::subject::Subjects;
use crate::tests::hello;
use crate::wire::{Arrival, Message, Wire};

pub(crate) const SECOND: u64 = 1_000_000_000;

/// An agent that does not wait looks again after so long.
const LOOK_MIN: u64 = 100_000;

/// How much an agent that floods says at each turn, and for how long.
const FLOOD: usize = 40;
const FLOOD_TIME: u64 = 4 * SECOND;

/// The fleet.
const FLEET: &str = "simulated";

/// A part that an agent began with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Worked {
    /// The agent.
    pub index: usize,
    /// Which of its processes, from 0.
    pub process: u32,
    /// The number of the run, and its record.
    pub run: u32,
    pub record: String,
}

/// An agent of a history.
struct Member {
    agent: Option<Agent>,
    /// How it ended by itself.
    end: Option<Result<()>>,
    turn: u64,
    ticket: Ticket,
    /// Its clock less that of the coordinator.
    offset: i64,
    /// Processes that began with its ticket.
    processes: u32,
}

/// A history.
pub(crate) struct History {
    network: Mutex<Network>,
    members: Mutex<Vec<Member>>,
    /// What has arrived at the coordinator.
    inbox: Mutex<Waiting>,
    /// The parts that agents began with.
    begun: Mutex<Vec<Worked>>,
    /// When the last part of each process of an agent ends, as far as that is known.
    part_ends: Mutex<BTreeMap<(usize, u32), Option<u64>>>,
    /// When the result of each agent of each run is kept.
    kept: Mutex<BTreeMap<(usize, u32), u64>>,
    /// Until when the thread of an agent that answers is held by something else.
    held: Mutex<BTreeMap<usize, u64>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl History {
    /// With `count` agents, whose tickets are returned, too.
    pub(crate) fn new(seed: u64, count: usize, faults: Faults) -> (Arc<History>, Vec<Ticket>) {
        // Others than the numbers that the faults were chosen with.
        let mut chance = Chance(!seed);
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
        let network = Network::new(chance, faults.clone());
        let history = Arc::new(History {
            network: Mutex::new(network),
            members: Mutex::default(),
            inbox: Mutex::default(),
            begun: Mutex::default(),
            part_ends: Mutex::default(),
            kept: Mutex::default(),
            held: Mutex::default(),
        });
        for (index, (ticket, offset)) in tickets.iter().zip(offsets).enumerate() {
            let member = Member { agent: None, end: None, turn: 0, ticket: ticket.clone(), offset, processes: 0 };
            locked(&history.members).push(member);
            history.begin_process(index);
        }
        if let Some((index, Fault::Ends { at, another_after })) = faults.faulty {
            let mut network = locked(&history.network);
            network.put(BEGINNING + at, Event::Ends(index));
            another_after.iter().for_each(|after| network.put(BEGINNING + at + after, Event::BeginsAgain(index)));
        }
        (history, tickets)
    }

    /// A process begins with the ticket of the agent at `index`.
    fn begin_process(self: &Arc<History>, index: usize) {
        let mut members = locked(&self.members);
        let member = &mut members[index];
        let (history, offset, process) = (Arc::clone(self), member.offset, member.processes);
        let wire = AgentWire { history: Arc::clone(self), index, offset, floor: Mutex::new(0) };
        let writer = SimulatedWriter { history: Arc::clone(self), index, end: None };
        let works = SimulatedWorks { history, index, process, offset };
        member.agent = Some(Agent::at(
            Box::new(wire),
            &member.ticket,
            format!("process {process}"),
            &hello(),
            Box::new(works),
            Box::new(writer),
        ));
        member.processes += 1;
        member.turn += 1;
        let mut network = locked(&self.network);
        let now = network.now;
        network.put(now, Event::Wake { index, turn: member.turn });
    }

    /// The end of the coordinator.
    pub(crate) fn coordinator(self: &Arc<History>) -> (Box<dyn Wire>, Subjects) {
        (Box::new(CoordinatorWire(Arc::clone(self))), Subjects::of(FLEET))
    }

    /// Nanoseconds since the beginning.
    pub(crate) fn elapsed(&self) -> u64 {
        locked(&self.network).now - BEGINNING
    }

    /// How the agents have ended so far, by themselves.
    pub(crate) fn ends(&self) -> Vec<Option<Result<()>>> {
        locked(&self.members).iter().map(|member| member.end.clone()).collect()
    }

    /// The parts that agents began with.
    pub(crate) fn begun(&self) -> Vec<Worked> {
        locked(&self.begun).clone()
    }

    /// Whether the result of the agent at `index` of run `run` is kept.
    pub(crate) fn is_kept(&self, index: usize, run: u32) -> bool {
        let now = locked(&self.network).now;
        locked(&self.kept).get(&(index, run)).is_some_and(|at| *at <= now)
    }

    /// The thread of the agent at `index` that answers waits until then.
    fn hold(&self, index: usize, until: u64) {
        let mut held = locked(&self.held);
        let at = held.entry(index).or_default();
        *at = until.max(*at);
    }

    /// The most messages of one agent that have waited at the coordinator.
    pub(crate) fn most_that_waited(&self) -> usize {
        locked(&self.inbox).most_of_one()
    }

    /// Lets time pass in which the coordinator does nothing.
    pub(crate) fn pass(self: &Arc<History>, time: u64) {
        let until = locked(&self.network).now + time;
        while self.step(until) {}
    }

    /// Lets the next thing happen, no later than `until`; false if there is none.
    fn step(self: &Arc<History>, until: u64) -> bool {
        let (event, now) = {
            let mut network = locked(&self.network);
            let Some(first) = network.events.first_entry().filter(|first| first.key().0 <= until) else {
                network.now = network.now.max(until);
                return false;
            };
            let ((at, _), event) = first.remove_entry();
            network.now = network.now.max(at);
            (event, network.now)
        };
        match event {
            Event::ToCoordinator(message) => {
                locked(&self.inbox).add(Message { at: Nanos(now), ..message });
            }
            Event::Ends(index) => {
                let mut members = locked(&self.members);
                (members[index].agent, members[index].turn) = (None, members[index].turn + 1);
            }
            Event::BeginsAgain(index) => self.begin_process(index),
            Event::ToAgent(index, message) => self.of_agent(index, Some(message)),
            Event::Wake { index, turn } if turn == locked(&self.members)[index].turn => self.of_agent(index, None),
            Event::Wake { .. } => {}
        }
        true
    }

    /// The agent at `index` takes `message`, or looks at its clock and its work.
    fn of_agent(&self, index: usize, message: Option<Message>) {
        let mut members = locked(&self.members);
        let member = &mut members[index];
        let (elapsed, fault) = {
            let network = locked(&self.network);
            (network.now - BEGINNING, network.faults.of(index))
        };
        let stopped_until = match fault {
            Some(Fault::Stops { at, for_time }) if (at..at + for_time).contains(&elapsed) => BEGINNING + at + for_time,
            _ => 0,
        };
        let goes_on = stopped_until.max(locked(&self.held).get(&index).copied().unwrap_or_default());
        if goes_on > BEGINNING + elapsed {
            // What arrives waits for it.
            let event = match message {
                Some(message) => Event::ToAgent(index, message),
                None => Event::Wake { index, turn: member.turn },
            };
            return locked(&self.network).put(goes_on, event);
        }
        let Some(agent) = &mut member.agent else { return };
        let arrival = message.map(|message| Message { at: agent.now(), ..message });
        if matches!(fault, Some(Fault::EndlessResults { at }) if at <= elapsed) && gives_more(agent, arrival.as_ref()) {
            // It stays, though it does not hear what it is told then.
            agent.silence_max = Duration::from_secs(1 << 20);
            return;
        }
        match agent.turn(arrival.map(Arrival::Message)) {
            Some(end) => {
                agent.give_up();
                (member.end, member.agent) = (Some(end), None);
            }
            None => {
                misbehave(agent, index, elapsed, fault);
                member.turn += 1;
                let (turn, patience) = (member.turn, agent.patience().as_nanos() as u64);
                let mut network = locked(&self.network);
                let at = network.now + patience.max(LOOK_MIN);
                network.put(at, Event::Wake { index, turn });
            }
        }
    }
}

/// Says what no agent says that is as it should be.
fn misbehave(agent: &mut Agent, index: usize, elapsed: u64, fault: Option<Fault>) {
    let subject = || Subjects::of(FLEET).reply(&format!("a{index}"), 0);
    match fault {
        Some(Fault::Floods { at }) if (at..at + FLOOD_TIME).contains(&elapsed) => {
            let content = serde_json::to_vec(&FromAgent::Left).unwrap();
            (0..FLOOD).for_each(|_| agent.say(subject(), None, &content));
        }
        // Again and again: what is overtaken by a later message is dropped unread.
        Some(Fault::SaysNonsense { at }) if elapsed >= at => agent.say(subject(), None, b"{\"nonsense\":1}"),
        _ => {}
    }
}

/// Where its results are asked for, gives a piece of which there is always another one; whether it did.
fn gives_more(agent: &mut Agent, message: Option<&Message>) -> bool {
    let Some(Message { reply: Some(reply), payload, .. }) = message else { return false };
    // It cannot be read where somebody changed it.
    let Some(Ok(ToAgent::Fetch { attempt, offset_bytes })) = payload.get(HEAD_BYTES..).map(serde_json::from_slice)
    else {
        return false;
    };
    let (sha256, text) = (String::new(), "more".to_owned());
    let piece = FromAgent::Piece(Piece { attempt, offset_bytes, total_bytes: u64::MAX, sha256, text });
    agent.say(reply.clone(), None, &serde_json::to_vec(&piece).unwrap());
    true
}
