//! What a coordinator and its agents say to each other: signed messages, questions to all agents at once, and their clocks.

use std::collections::BTreeMap;
use std::time::Duration;

use record::{FromAgent, Nanos, Seed, ToAgent};

use crate::barrier::Loss;
use crate::clock::{ClockOffset, EXCHANGES, Exchange, offset};
use crate::error::{Error, Result};
use crate::signed::{Place, Sender, Signer, Verifier};
use crate::silence::Silence;
use crate::subject::Subjects;
use crate::wire::{Arrival, Message, Wire};

/// How long an agent may take to answer a question or an order.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// How long it may take to answer where question or answer is large, and shares the way with those of others.
pub(crate) const TRANSFER_TIMEOUT: Duration = Duration::from_secs(30);

/// How often agents are told that the fleet goes on.
pub(crate) const GREETING_PERIOD: Duration = Duration::from_secs(1);

/// How often it is looked who is to be told so.
const LOOK_FOR_GREETING: Duration = Duration::from_millis(200);

/// How often a question or an order is sent again that has no answer.
pub(crate) const REPEAT: Nanos = Nanos(200_000_000);

/// After how long a question is sent again for the first time where it or its answer is large; then after twice as long. What is
/// on a slow way already would only be sent twice.
const REPEAT_TRANSFER: Nanos = Nanos(1_000_000_000);

/// The same for a question for the time, whose answer is worth little if it is late.
const REPEAT_TIME: Nanos = Nanos(1_000_000_000);

/// How long is waited for a message before the clock is looked at again.
pub(crate) const LOOK: Duration = Duration::from_millis(5);

/// The time between two questions for the time to different agents: answers that arrive together would wait for each other.
const SPACING: Duration = Duration::from_micros(100);

/// Messages that are taken at once, at most.
const TAKEN_MAX: usize = 4_096;

/// How long messages are taken at once, at most: agents wait for a greeting meanwhile.
const TAKING_MAX: Nanos = Nanos(200_000_000);

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
    /// The process that said hello first. Another one with the same ticket would take what was said to this one.
    process: Option<String>,
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
    /// The agents that are lost by what they said.
    broken: BTreeMap<String, Loss>,
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
            (name.clone(), Peer { signer, verifier, process: None, sent: now })
        };
        let peers = keys.iter().map(peer).collect();
        Conversation {
            wire,
            subjects,
            peers,
            members: Vec::new(),
            broken: BTreeMap::new(),
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

    /// Why `agent` is lost by what it said; None where it is not.
    pub(crate) fn loss(&self, agent: &str) -> Option<Loss> {
        self.broken.get(agent).copied()
    }

    /// Why `agent`, which did not answer within this time, is lost.
    pub(crate) fn why_lost(&self, agent: &str, within: Duration) -> String {
        match self.loss(agent) {
            Some(loss) => loss.to_string(),
            None => format!("it has not answered for {} s", within.as_secs()),
        }
    }

    /// Sends `message`, with the question that an answer is to name; returns when.
    pub(crate) fn send(&mut self, agent: &str, question: Option<u64>, message: &ToAgent) -> Nanos {
        let reply = question.map(|number| self.subjects.reply(agent, number));
        self.send_with(agent, reply, message)
    }

    /// Sends `message`, which answers the hello of this process of `agent` and of no other.
    pub(crate) fn answer_hello(&mut self, agent: &str, message: &ToAgent) {
        let process = self.peers.get(agent).and_then(|peer| peer.process.clone());
        self.send_with(agent, process.filter(|process| !process.is_empty()), message);
    }

    fn send_with(&mut self, agent: &str, reply: Option<String>, message: &ToAgent) -> Nanos {
        let content = serde_json::to_vec(message).expect("messages are plain data");
        let subject = self.subjects.to(agent);
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
    pub(crate) fn take(&mut self, timeout: Duration) -> Result<Vec<Received>> {
        self.greet_who_waits();
        let (mut received, mut timeout, mut until) = (Vec::new(), timeout, None);
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
            if *until.get_or_insert_with(|| self.wire.now() + TAKING_MAX) < self.wire.now() {
                break;
            }
        }
        Ok(received)
    }

    /// What an agent says; None for what no agent of this fleet says.
    fn received(&mut self, Message { subject, reply, payload, at }: Message) -> Option<Received> {
        let (agent, question) = self.subjects.publisher(&subject)?;
        let place = Place { subject: &subject, reply: reply.as_deref() };
        let peer = self.peers.get_mut(agent)?;
        let agent = agent.to_owned();
        // Whatever its number is: another process begins to count anew.
        if question.is_none() && peer.verifier.is_genuine(place, &payload) {
            let process = reply.clone().unwrap_or_default();
            if *peer.process.get_or_insert_with(|| process.clone()) != process {
                self.broken.entry(agent).or_insert(Loss::BegunAgain);
                return None;
            }
        }
        let content = peer.verifier.verify(place, &payload)?;
        match serde_json::from_slice(content) {
            Ok(says) => {
                if matches!(says, FromAgent::Hello(_)) && self.members.contains(&agent) {
                    // Its welcome was lost, or is still on its way.
                    self.answer_hello(&agent, &ToAgent::Welcome);
                }
                Some(Received { agent, question, says, at })
            }
            // The message is not shown: it may be anything.
            Err(_) => {
                self.broken.entry(agent).or_insert(Loss::Unreadable);
                None
            }
        }
    }

    /// Asks all of `agents` at once what `question` says for each, and again until it gives the answer that `is_answer`
    /// selects, which may be large. The answers, at the places of the agents; None of one that is lost.
    pub(crate) fn ask_all<T>(
        &mut self,
        agents: &[String],
        question: &dyn Fn(usize) -> ToAgent,
        is_answer: &mut dyn FnMut(usize, FromAgent) -> Option<T>,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<Option<T>>> {
        let mut answers: Vec<Option<T>> = agents.iter().map(|_| None).collect();
        // When each is asked next, and again after that.
        let mut due: Vec<(Nanos, Nanos)> = vec![(Nanos(0), REPEAT_TRANSFER); agents.len()];
        let mut silence = Silence::new(agents.len(), self.now());
        loop {
            let now = self.now();
            silence.look(now);
            let is_lost = |index: usize| silence.of(index) >= TRANSFER_TIMEOUT.into();
            let is_asked =
                |index: &usize| answers[*index].is_none() && !is_lost(*index) && self.loss(&agents[*index]).is_none();
            let asked: Vec<usize> = (0..agents.len()).filter(is_asked).collect();
            if asked.is_empty() {
                return Ok(answers);
            }
            if is_interrupted() {
                return Err(Error::new("interrupted"));
            }
            for index in asked {
                let (at, again) = due[index];
                if now >= at {
                    self.ask(&agents[index], &question(index));
                    due[index] = (now + again, again + again);
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

    /// The clocks of `agents` now, at their places; None of one that does not answer, or whose clock runs backwards. All are
    /// asked in the same rounds, so that it takes as long as one of them does.
    pub(crate) fn clocks(
        &mut self,
        agents: &[String],
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<Option<ClockOffset>>> {
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
                        && self.loss(&agents[*index]).is_none()
                };
                let asked: Vec<usize> = (0..agents.len()).filter(is_asked).collect();
                if asked.is_empty() {
                    break;
                }
                if is_interrupted() {
                    return Err(Error::new("interrupted"));
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
        let has_answered = |index: &usize| exchanges.count(*index) >= EXCHANGES;
        let clocks: Vec<Option<ClockOffset>> =
            (0..agents.len()).map(|index| exchanges.offset(index).filter(|_| has_answered(&index))).collect();
        let backwards = (0..agents.len()).filter(|index| has_answered(index) && clocks[*index].is_none());
        self.broken.extend(backwards.map(|index| (agents[index].clone(), Loss::Backwards)));
        Ok(clocks)
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
