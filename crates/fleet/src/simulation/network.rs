//! What is on its way between a coordinator and its agents, and what happens to it.

use std::collections::BTreeMap;

use record::{Attempt, FromAgent, Order, Part, Seed, Step, ToAgent};

use super::faults::{Chance, Faults};
use crate::signed::{Place, Sender, Signer};
use crate::wire::Message;

/// The time at the beginning, so that the clocks of agents may be behind.
pub(super) const BEGINNING: u64 = 200_000_000_000_000;

/// Messages of the past that may be repeated.
const REMEMBERED: usize = 64;

/// The record of parts that nobody but a forger asks for.
pub(crate) const FORGED: &str = "forged";

/// Something that happens.
#[derive(Clone, Debug)]
pub(super) enum Event {
    ToAgent(usize, Message),
    ToCoordinator(Message),
    /// The agent looks at its clock and its work, unless it has done so since.
    Wake {
        index: usize,
        turn: u64,
    },
    /// The process of the agent is gone.
    Ends(usize),
    /// Another process begins with its ticket.
    BeginsAgain(usize),
}

/// What is on its way, and the time.
pub(super) struct Network {
    pub now: u64,
    pub chance: Chance,
    pub faults: Faults,
    pub events: BTreeMap<(u64, u64), Event>,
    sequence: u64,
    past: Vec<Event>,
}

impl Network {
    pub(super) fn new(chance: Chance, faults: Faults) -> Network {
        Network { now: BEGINNING, chance, faults, events: BTreeMap::new(), sequence: 0, past: Vec::new() }
    }

    /// Lets `event` happen at this moment.
    pub(super) fn put(&mut self, at: u64, event: Event) {
        self.sequence += 1;
        self.events.insert((at, self.sequence), event);
    }

    /// Sends a message, with all that may happen to it.
    pub(super) fn send(&mut self, event: &Event) {
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
