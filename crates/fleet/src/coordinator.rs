//! The coordinator of a fleet: its server, its agents, their clocks, and starts of all of them.

use std::time::{Duration, Instant};

use measure::clock;
use nkeys::KeyPair;
use record::{AgentStart, Answer, Attempt, FromAgent, Hello, Nanos, Order, Says, Seed, Ticket, ToAgent};

use crate::barrier::{Barrier, BarrierPhase, Member};
use crate::clock::{ClockLine, ClockOffset, EXCHANGES, Exchange, offset};
use crate::error::{Error, Result};
use crate::link::{Arrival, Link, Message};
use crate::nats_server::{NatsServer, User};
use crate::subject::{Subjects, is_agent_name};

/// How long an agent may take to answer a question.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// How long agents may take to leave.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(2);

/// How often an order is sent again that has no answer.
const REPEAT: Nanos = Nanos(200_000_000);

/// How long is waited for a message before the clock is looked at again.
const LOOK: Duration = Duration::from_millis(5);

/// An agent that takes part.
#[derive(Clone, Debug)]
pub struct JoinedAgent {
    /// Its name.
    pub name: String,
    /// What it said of itself.
    pub hello: Hello,
}

/// An agent that started with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// Its clock before.
    pub clock: ClockOffset,
    /// Its start against the agreed one.
    pub start: AgentStart,
}

/// A message of an agent.
struct Received {
    agent: String,
    /// The question that it answers.
    question: Option<u64>,
    says: FromAgent,
    at: Nanos,
}

/// The coordinator and its server. Both end when this is dropped.
pub struct Coordinator {
    // Dropped first: its last messages need the server.
    link: Link,
    server: NatsServer,
    subjects: Subjects,
    expected: Vec<String>,
    agents: Vec<JoinedAgent>,
    questions: u64,
    epoch: u64,
}

impl Coordinator {
    /// Starts a server for a fleet of agents with these `names`, and makes a ticket for each.
    ///
    /// # Errors
    /// For a name that is used twice or cannot be used, and where no server can be started.
    pub fn start(names: &[String]) -> Result<(Coordinator, Vec<Ticket>)> {
        for (index, name) in names.iter().enumerate() {
            if !is_agent_name(name) {
                return Err(Error::new(format!("{name:?} cannot be the name of an agent"))
                    .hint("use up to 40 ASCII letters, digits, - and _"));
            }
            if names[..index].contains(name) {
                return Err(Error::new(format!("two agents are named {name}")).hint("give each a name of its own"));
            }
        }
        let fleet = KeyPair::new_user().public_key().to_lowercase();
        let subjects = Subjects::of(&fleet);
        let (own_key, own_seed) = key()?;
        let keys = names.iter().map(|_| key()).collect::<Result<Vec<_>>>()?;
        let agents =
            names.iter().zip(&keys).map(|(name, (key, _))| User::Agent { name: name.clone(), key: key.clone() });
        let users: Vec<User> = std::iter::once(User::Coordinator { key: own_key }).chain(agents).collect();
        let server = NatsServer::start(&subjects, &users)?;
        let link = Link::connect(server.url(), &own_seed, subjects.of_coordinator())?;
        let ticket = |(name, (_, seed)): (&String, (String, Seed))| Ticket {
            url: server.url().to_owned(),
            fleet: fleet.clone(),
            agent: name.clone(),
            seed,
        };
        let tickets = names.iter().zip(keys).map(ticket).collect();
        let (expected, agents) = (names.to_owned(), Vec::new());
        Ok((Coordinator { link, server, subjects, expected, agents, questions: 0, epoch: 0 }, tickets))
    }

    /// Process of the message server.
    pub fn server_process(&self) -> u32 {
        self.server.process()
    }

    /// The agents that take part, in the order in which they were named.
    pub fn agents(&self) -> &[JoinedAgent] {
        &self.agents
    }

    /// Waits until all agents have joined. `own` is what an agent of this program would say.
    ///
    /// # Errors
    /// For an agent of another version, and where not all have joined `within` this time.
    pub fn gather(&mut self, own: &Hello, within: Duration, is_interrupted: &dyn Fn() -> bool) -> Result<()> {
        let start = Instant::now();
        while self.agents.len() < self.expected.len() {
            if is_interrupted() {
                return Err(Error::new("interrupted"));
            }
            if start.elapsed() > within {
                let joined = |name: &&String| self.agents.iter().all(|agent| agent.name != **name);
                let missing: Vec<&str> = self.expected.iter().filter(joined).map(String::as_str).collect();
                let message = format!("not joined within {} s: agents {}", within.as_secs(), missing.join(", "));
                return Err(Error::new(message));
            }
            let received = self.receive(Duration::from_millis(50))?;
            let Some(Received { agent, says: FromAgent::Hello(hello), .. }) = received else { continue };
            if let Some(reason) = mismatch(own, &hello) {
                self.send(&agent, None, &ToAgent::TurnedAway { reason: reason.clone() });
                return Err(Error::new(format!("agent {agent}: {reason}")).hint("use the same program everywhere"));
            }
            self.send(&agent, None, &ToAgent::Welcome);
            if self.agents.iter().all(|known| known.name != agent) {
                self.agents.push(JoinedAgent { name: agent, hello: *hello });
            }
        }
        let place = |agent: &JoinedAgent| self.expected.iter().position(|name| *name == agent.name);
        self.agents.sort_by_key(place);
        Ok(())
    }

    /// The clocks of all agents against that of the coordinator now.
    ///
    /// # Errors
    /// Where an agent does not answer.
    pub fn clocks(&mut self) -> Result<Vec<ClockOffset>> {
        (0..self.agents.len()).map(|index| self.clock_of(index)).collect()
    }

    fn clock_of(&mut self, index: usize) -> Result<ClockOffset> {
        let agent = self.agents[index].name.clone();
        let exchanges = (0..EXCHANGES).map(|_| self.exchange(&agent)).collect::<Result<Vec<Exchange>>>()?;
        offset(&exchanges).ok_or_else(|| Error::new(format!("the clock of agent {agent} runs backwards")))
    }

    fn exchange(&mut self, agent: &str) -> Result<Exchange> {
        let (start, number) = (Instant::now(), self.question());
        let asked = clock::now();
        self.send(agent, Some(number), &ToAgent::Time);
        while start.elapsed() < ANSWER_TIMEOUT {
            let received = self.receive(LOOK)?;
            if let Some(Received { agent: from, question, says: FromAgent::Time { received_ns, answered_ns }, at }) =
                received
                && from == agent
                && question == Some(number)
            {
                return Ok(Exchange { asked, received: received_ns, answered: answered_ns, returned: at });
            }
        }
        Err(Error::new(format!("agent {agent} does not answer within {} s", ANSWER_TIMEOUT.as_secs())))
    }

    /// Has all agents start run `run` together, and waits until they have ended it. All have to be ready `within` this
    /// time. The start of each is against the agreed one, with the error of its clock.
    ///
    /// # Errors
    /// Where the attempt is given up, and where an agent does not answer.
    pub fn start_together(
        &mut self,
        run: u32,
        within: Nanos,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<Started>> {
        let before = self.clocks()?;
        self.epoch += 1;
        let attempt = Attempt { epoch: self.epoch, run };
        let member = |(agent, clock): (&JoinedAgent, &ClockOffset)| Member { name: agent.name.clone(), clock: *clock };
        let members = self.agents.iter().zip(&before).map(member).collect();
        let mut barrier = Barrier::new(attempt, members, clock::now(), within);
        self.drive(&mut barrier, is_interrupted)?;
        let start = match barrier.phase() {
            BarrierPhase::Over { start } => *start,
            BarrierPhase::Failed(failure) => return Err(Error::new(format!("the agents did not start: {failure}"))),
            _ => return Err(Error::new("interrupted")),
        };
        let after = self.clocks()?;
        let lines = before.into_iter().zip(after).map(|(before, after)| ClockLine { before, after: Some(after) });
        let started = |(index, line): (usize, ClockLine)| {
            let Some(Says::Held { started_ns }) = barrier.said(index) else { return None };
            let clock = line.at(start);
            let start = AgentStart { offset_ns: clock.since(start, *started_ns), clock_error_ns: clock.error };
            Some(Started { clock: line.before, start })
        };
        let all: Option<Vec<Started>> = lines.enumerate().map(started).collect();
        all.ok_or_else(|| Error::new("an agent did not say when it started"))
    }

    /// Sends orders and takes answers until the attempt is over or all agents have given it up.
    fn drive(&mut self, barrier: &mut Barrier, is_interrupted: &dyn Fn() -> bool) -> Result<()> {
        let mut sent: Vec<Option<(Order, Nanos)>> = vec![None; self.agents.len()];
        let mut failed_at = None;
        loop {
            let now = clock::now();
            barrier.tick(now);
            let orders = barrier.orders();
            let is_failed = matches!(barrier.phase(), BarrierPhase::Failed(_));
            failed_at = is_failed.then(|| failed_at.unwrap_or(now));
            // An agent that does not even give up has no influence on what is reported.
            let is_given_up = failed_at.is_some_and(|at: Nanos| orders.is_empty() || now - at > ANSWER_TIMEOUT.into());
            if is_given_up || matches!(barrier.phase(), BarrierPhase::Over { .. }) || is_interrupted() {
                return Ok(());
            }
            for (index, order) in orders {
                let is_new = |(last, at): &(Order, Nanos)| *last != order || now - *at >= REPEAT;
                if sent[index].as_ref().is_none_or(is_new) {
                    let (agent, number) = (self.agents[index].name.clone(), self.question());
                    self.send(&agent, Some(number), &ToAgent::Order(order.clone()));
                    sent[index] = Some((order, now));
                }
            }
            if let Some(Received { agent, says: FromAgent::Answer(answer), at, .. }) = self.receive(LOOK)? {
                self.take(barrier, &agent, &answer, at);
            }
        }
    }

    fn take(&self, barrier: &mut Barrier, agent: &str, answer: &Answer, at: Nanos) {
        if let Some(index) = self.agents.iter().position(|known| known.name == agent) {
            barrier.take(index, answer, at);
        }
    }

    /// Ends the fleet, and waits a little until the agents have left.
    pub fn dismiss(mut self) {
        let mut staying: Vec<String> = self.agents.iter().map(|agent| agent.name.clone()).collect();
        for agent in &staying {
            let number = self.question();
            self.send(agent, Some(number), &ToAgent::Leave);
        }
        let start = Instant::now();
        while !staying.is_empty() && start.elapsed() < LEAVE_TIMEOUT {
            match self.receive(LOOK) {
                Ok(Some(Received { agent, says: FromAgent::Left, .. })) => staying.retain(|name| *name != agent),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    fn question(&mut self) -> u64 {
        self.questions += 1;
        self.questions
    }

    fn send(&self, agent: &str, question: Option<u64>, message: &ToAgent) {
        let payload = serde_json::to_vec(message).expect("messages are plain data");
        self.link.send(self.subjects.to(agent), question.map(|number| self.subjects.reply(agent, number)), payload);
    }

    /// The next message; None if there is none within `timeout`.
    fn receive(&self, timeout: Duration) -> Result<Option<Received>> {
        let Message { subject, payload, at, .. } = match self.link.receive(timeout)? {
            Some(Arrival::Message(message)) => message,
            Some(Arrival::Refused(reason)) => return Err(Error::new(format!("the message server refuses: {reason}"))),
            Some(Arrival::Disconnected) => return Err(Error::new("the message server has ended")),
            None => return Ok(None),
        };
        let Some((agent, question)) = self.subjects.publisher(&subject) else { return Ok(None) };
        // The message is not shown: it may be anything.
        let says = serde_json::from_slice(&payload)
            .map_err(|error| Error::new(format!("a message of agent {agent} cannot be read: {error}")))?;
        Ok(Some(Received { agent: agent.to_owned(), question, says, at }))
    }
}

/// A new key: its public half and its seed.
fn key() -> Result<(String, Seed)> {
    let pair = KeyPair::new_user();
    let seed = pair.seed().map_err(|error| Error::new(format!("a key cannot be made: {error}")))?;
    Ok((pair.public_key(), Seed(seed)))
}

/// Why an agent that says `hello` cannot work with a program that would say `own`.
fn mismatch(own: &Hello, hello: &Hello) -> Option<String> {
    let differ = |what: &str, theirs: String, ours: String| {
        (theirs != ours).then(|| format!("{what} {theirs}, and the coordinator has {ours}"))
    };
    let build = |hello: &Hello| {
        let commit = hello.tool.build.as_ref().and_then(|build| build.commit.as_deref());
        format!("{} ({})", hello.tool.version, commit.unwrap_or("unknown commit"))
    };
    differ("protocol", hello.protocol_version.to_string(), own.protocol_version.to_string())
        .or_else(|| differ("format of records", hello.schema_version.to_string(), own.schema_version.to_string()))
        .or_else(|| {
            differ("catalogue", format!("{:08x}", hello.catalogue_crc32c), format!("{:08x}", own.catalogue_crc32c))
        })
        .or_else(|| differ("version", build(hello), build(own)))
}
