//! What a coordinator and its agents say to each other: signed messages, questions to all agents at once, and their clocks.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use record::{FromAgent, Nanos, Seed, ToAgent};

use crate::clock::{ClockOffset, EXCHANGES, Exchange, offset};
use crate::error::{Error, Result};
use crate::signed::{Place, Sender, Signer, Verifier};
use crate::silence::Silence;
use crate::subject::Subjects;
use crate::wire::{Arrival, Message, Wire};

/// How long an agent may take to answer a question.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// How often agents are told that the fleet goes on.
pub(crate) const GREETING_PERIOD: Duration = Duration::from_secs(1);

/// How often it is looked who is to be told so.
const LOOK_FOR_GREETING: Duration = Duration::from_millis(200);

/// How often a question or an order is sent again that has no answer.
pub(crate) const REPEAT: Nanos = Nanos(200_000_000);

/// The same for a question for the time, whose answer is worth little if it is late.
const REPEAT_TIME: Nanos = Nanos(1_000_000_000);

/// How long is waited for a message before the clock is looked at again.
pub(crate) const LOOK: Duration = Duration::from_millis(5);

/// The time between two questions for the time to different agents: answers that arrive together would wait for each other.
const SPACING: Duration = Duration::from_micros(100);

/// Messages that are taken at once, at most.
const TAKEN_MAX: usize = 4_096;

/// A message of an agent.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub agent: String,
    /// The question that it answers.
    pub question: Option<u64>,
    pub says: FromAgent,
    pub at: Nanos,
}

/// An agent, as far as its messages go.
struct Peer {
    signer: Signer,
    verifier: Verifier,
    /// When something was sent to it last.
    sent: Nanos,
}

/// The side of the coordinator.
pub(crate) struct Conversation {
    wire: Box<dyn Wire>,
    subjects: Subjects,
    peers: BTreeMap<String, Peer>,
    /// The agents that are told that the fleet goes on.
    members: Vec<String>,
    /// The agents that said what cannot be read.
    unreadable: BTreeSet<String>,
    /// The agents whose clocks cannot be those of a machine.
    backwards: BTreeSet<String>,
    questions: u64,
    /// When it was looked last who is to be greeted.
    looked: Nanos,
    is_over: bool,
}

impl Conversation {
    /// With agents of these names and keys.
    pub(crate) fn new(wire: Box<dyn Wire>, subjects: Subjects, keys: &[(String, Seed)]) -> Conversation {
        let now = wire.now();
        let peer = |(name, key): &(String, Seed)| {
            let (signer, verifier) = (Signer::new(key, Sender::Coordinator), Verifier::new(key, Sender::Agent));
            (name.clone(), Peer { signer, verifier, sent: now })
        };
        let peers = keys.iter().map(peer).collect();
        Conversation {
            wire,
            subjects,
            peers,
            members: Vec::new(),
            unreadable: BTreeSet::new(),
            backwards: BTreeSet::new(),
            questions: 0,
            looked: now,
            is_over: false,
        }
    }

    /// The time here.
    pub(crate) fn now(&self) -> Nanos {
        self.wire.now()
    }

    /// These agents take part.
    pub(crate) fn set_members(&mut self, names: Vec<String>) {
        self.members = names;
    }

    /// Whether `agent` said what cannot be read.
    pub(crate) fn is_unreadable(&self, agent: &str) -> bool {
        self.unreadable.contains(agent)
    }

    /// Whether the clock of `agent` runs backwards, by what it said of it.
    pub(crate) fn runs_backwards(&self, agent: &str) -> bool {
        self.backwards.contains(agent)
    }

    /// Sends `message`, with the question that an answer is to name; returns when.
    pub(crate) fn send(&mut self, agent: &str, question: Option<u64>, message: &ToAgent) -> Nanos {
        let content = serde_json::to_vec(message).expect("messages are plain data");
        let (subject, reply) = (self.subjects.to(agent), question.map(|number| self.subjects.reply(agent, number)));
        let Some(peer) = self.peers.get_mut(agent) else { return self.wire.now() };
        let payload = peer.signer.sign(Place { subject: &subject, reply: reply.as_deref() }, &content);
        let at = self.wire.now();
        peer.sent = at;
        self.wire.send(subject, reply, payload);
        at
    }

    /// Sends a question, with a number of its own; returns the number and when.
    pub(crate) fn ask(&mut self, agent: &str, message: &ToAgent) -> (u64, Nanos) {
        self.questions += 1;
        let number = self.questions;
        (number, self.send(agent, Some(number), message))
    }

    /// Lets all members know that the fleet goes on, where nothing is asked of them for a time.
    pub(crate) fn greet(&mut self) {
        for name in self.members.clone() {
            self.send(&name, None, &ToAgent::Welcome);
        }
    }

    /// Greets the members that were sent nothing for a time. The others know: a greeting right behind a question might
    /// arrive before it, and a question that is late is dropped.
    fn greet_who_waits(&mut self) {
        let now = self.wire.now();
        if now - self.looked < LOOK_FOR_GREETING.into() {
            return;
        }
        self.looked = now;
        let peers = &self.peers;
        let waits = |name: &&String| peers.get(*name).is_some_and(|peer| now - peer.sent >= GREETING_PERIOD.into());
        for name in self.members.iter().filter(waits).cloned().collect::<Vec<String>>() {
            self.send(&name, None, &ToAgent::Welcome);
        }
    }

    /// All messages that wait; waits until there is one, at most for `timeout`. Members are greeted meanwhile.
    ///
    /// # Errors
    /// Where the connection has ended.
    pub(crate) fn take(&mut self, timeout: Duration) -> Result<Vec<Received>> {
        self.greet_who_waits();
        let (mut received, mut timeout) = (Vec::new(), timeout);
        for _ in 0..TAKEN_MAX {
            if self.is_over && received.is_empty() {
                return Err(Error::new("the message server has ended"));
            }
            let Some(arrival) = self.wire.receive(timeout).filter(|_| !self.is_over) else { break };
            timeout = Duration::ZERO;
            match arrival {
                Arrival::Message(message) => received.extend(self.received(message)),
                // Whoever needed what is refused has no answer.
                Arrival::Refused(_) => {}
                Arrival::Over => self.is_over = true,
            }
        }
        Ok(received)
    }

    /// What an agent says; None for what no agent of this fleet says.
    fn received(&mut self, Message { subject, reply, payload, at }: Message) -> Option<Received> {
        let (agent, question) = self.subjects.publisher(&subject)?;
        let place = Place { subject: &subject, reply: reply.as_deref() };
        let content = self.peers.get_mut(agent)?.verifier.verify(place, &payload)?;
        let agent = agent.to_owned();
        match serde_json::from_slice(content) {
            Ok(says) => Some(Received { agent, question, says, at }),
            // The message is not shown: it may be anything.
            Err(_) => {
                self.unreadable.insert(agent);
                None
            }
        }
    }

    /// Asks all of `agents` at once what `question` says for each, and again until it gives the answer that `is_answer`
    /// selects. The answers, at the places of the agents; None of one that is lost.
    ///
    /// # Errors
    /// Where the connection has ended.
    pub(crate) fn ask_all<T>(
        &mut self,
        agents: &[String],
        question: &dyn Fn(usize) -> ToAgent,
        is_answer: &mut dyn FnMut(usize, FromAgent) -> Option<T>,
    ) -> Result<Vec<Option<T>>> {
        let mut answers: Vec<Option<T>> = agents.iter().map(|_| None).collect();
        let mut sent: Vec<Option<Nanos>> = vec![None; agents.len()];
        let mut silence = Silence::new(agents.len(), self.now());
        loop {
            let now = self.now();
            silence.look(now);
            let is_lost = |index: usize| silence.of(index) >= ANSWER_TIMEOUT.into();
            let is_asked = |index: &usize| {
                answers[*index].is_none() && !is_lost(*index) && !self.unreadable.contains(&agents[*index])
            };
            let asked: Vec<usize> = (0..agents.len()).filter(is_asked).collect();
            if asked.is_empty() {
                return Ok(answers);
            }
            for index in asked {
                if sent[index].is_none_or(|at| now - at >= REPEAT) {
                    self.ask(&agents[index], &question(index));
                    sent[index] = Some(now);
                }
            }
            for Received { agent, says, .. } in self.take(LOOK)? {
                if let Some(index) = agents.iter().position(|known| *known == agent)
                    && answers[index].is_none()
                {
                    // Other messages do not count: one that only talks does not answer.
                    answers[index] = is_answer(index, says);
                }
            }
        }
    }

    /// The clocks of `agents` now, at their places; None of one that does not answer, or runs backwards.
    /// All are asked in the same rounds, so
    /// that it takes as long as one of them does.
    ///
    /// # Errors
    /// Where the connection has ended.
    pub(crate) fn clocks(&mut self, agents: &[String]) -> Result<Vec<Option<ClockOffset>>> {
        let mut exchanges = Exchanges::new(agents.len());
        let mut silence = Silence::new(agents.len(), self.now());
        for round in 1..=EXCHANGES {
            let mut sent: Vec<Option<Nanos>> = vec![None; agents.len()];
            loop {
                let now = self.now();
                silence.look(now);
                // Who has answered is silent because nobody asks.
                let answered = (0..agents.len()).filter(|index| exchanges.count(*index) >= round);
                answered.for_each(|index| silence.hear(index, now));
                let is_asked = |index: &usize| {
                    exchanges.count(*index) < round
                        && silence.of(*index) < ANSWER_TIMEOUT.into()
                        && !self.unreadable.contains(&agents[*index])
                };
                let asked: Vec<usize> = (0..agents.len()).filter(is_asked).collect();
                if asked.is_empty() {
                    break;
                }
                for index in &asked {
                    if sent[*index].is_none_or(|at| self.now() - at >= REPEAT_TIME) {
                        let (number, at) = self.ask(&agents[*index], &ToAgent::Time);
                        exchanges.ask(number, *index, at);
                        sent[*index] = Some(at);
                        self.take_times(agents, SPACING, &mut exchanges, &mut silence)?;
                    }
                }
                if asked.iter().any(|index| exchanges.count(*index) < round) {
                    self.take_times(agents, LOOK, &mut exchanges, &mut silence)?;
                }
            }
        }
        let mut of_agent = |(index, agent): (usize, &String)| {
            let has_answered = exchanges.count(index) >= EXCHANGES;
            let clock = if has_answered { exchanges.offset(index) } else { None };
            if has_answered && clock.is_none() {
                self.backwards.insert(agent.clone());
            }
            clock
        };
        Ok(agents.iter().enumerate().map(&mut of_agent).collect())
    }

    fn take_times(
        &mut self,
        agents: &[String],
        timeout: Duration,
        exchanges: &mut Exchanges,
        silence: &mut Silence,
    ) -> Result<()> {
        for Received { agent, question, says, at } in self.take(timeout)? {
            if let (Some(question), FromAgent::Time { received_ns, answered_ns }) = (question, says)
                && let Some(index) = agents.iter().position(|known| *known == agent)
                && exchanges.answer(question, index, (received_ns, answered_ns), at)
            {
                silence.hear(index, at);
            }
        }
        Ok(())
    }
}

/// Questions for the time, and their answers.
struct Exchanges {
    of_agents: Vec<Vec<Exchange>>,
    /// Questions without an answer: to which agent, and when.
    asked: BTreeMap<u64, (usize, Nanos)>,
}

impl Exchanges {
    fn new(agents: usize) -> Exchanges {
        Exchanges { of_agents: vec![Vec::new(); agents], asked: BTreeMap::new() }
    }

    fn count(&self, index: usize) -> usize {
        self.of_agents[index].len()
    }

    fn ask(&mut self, question: u64, index: usize, at: Nanos) {
        self.asked.insert(question, (index, at));
    }

    /// Takes the answer of the agent at `index` to `question`: when it was received and answered there, and when the answer
    /// returned. False for one that was not asked, or has its answer.
    fn answer(&mut self, question: u64, index: usize, (received, answered): (Nanos, Nanos), returned: Nanos) -> bool {
        match self.asked.get(&question) {
            Some((agent, asked)) if *agent == index => {
                self.of_agents[index].push(Exchange { asked: *asked, received, answered, returned });
                self.asked.remove(&question);
                true
            }
            _ => false,
        }
    }

    fn offset(&self, index: usize) -> Option<ClockOffset> {
        offset(&self.of_agents[index])
    }
}
