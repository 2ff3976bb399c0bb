//! The coordinator of a fleet: its server, its agents, their clocks, and starts of all of them.

use std::time::{Duration, Instant};

use measure::clock;
use nkeys::KeyPair;
use record::{AgentStart, Attempt, FromAgent, Hello, Nanos, Order, Part, PartResult, Says, Seed, Ticket, ToAgent};
use run::{AgentProgress, FleetWatch};

use crate::barrier::{Barrier, BarrierFailure, BarrierPhase, Member};
use crate::clock::{ClockLine, ClockOffset, EXCHANGES, Exchange, offset};
use crate::error::{Error, Result};
use crate::link::{Arrival, Link, Message};
use crate::nats_server::{MESSAGE_BYTES_MAX, NatsServer, User};
use crate::piece::Collected;
use crate::subject::{Subjects, is_agent_name};
use crate::work::LEAD;

/// How long an agent may take to answer a question.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// After so long without a message during a run an agent is lost.
const SILENCE_MAX: Nanos = Nanos(10_000_000_000);

/// How often agents are told that the fleet goes on.
pub(crate) const GREETING_PERIOD: Duration = Duration::from_secs(1);

/// How long agents may take to leave.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(2);

/// What a message has beside the part that it holds, at most.
const ENVELOPE_BYTES_MAX: usize = 1 << 10;

/// How often an order is sent again that has no answer.
const REPEAT: Nanos = Nanos(200_000_000);

/// How long is waited for a message before the clock is looked at again.
const LOOK: Duration = Duration::from_millis(5);

/// The same while the agents work: the processor time of the coordinator is that of the generator.
const LOOK_AT_WORK: Duration = Duration::from_millis(250);

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

/// Follows a start without work.
struct Unwatched<'a>(&'a dyn Fn() -> bool);

impl FleetWatch for Unwatched<'_> {
    fn is_interrupted(&self) -> bool {
        self.0()
    }
}

/// An attempt that all its agents have ended.
pub(crate) struct Ended {
    attempt: Attempt,
    /// The agreed start.
    start: Nanos,
    /// The clocks before, of each agent that took part.
    clocks: Vec<ClockOffset>,
    /// When each really started, by its own clock.
    started: Vec<Nanos>,
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
    /// The agents that were lost.
    lost: Vec<String>,
    /// Results that have arrived, and are still kept by their agents.
    delivered: Vec<(String, Attempt)>,
    questions: u64,
    epoch: u64,
}

/// Refuses a part that no message can hold.
fn check_size(part: &Part) -> Result<()> {
    let size = serde_json::to_vec(part).expect("messages are plain data").len();
    match size + ENVELOPE_BYTES_MAX > MESSAGE_BYTES_MAX {
        true => Err(Error::new(format!(
            "what an agent is asked for has {size} bytes, more than the {MESSAGE_BYTES_MAX} of a message"
        ))
        .hint("use a smaller job file")),
        false => Ok(()),
    }
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
        Ok((
            Coordinator {
                link,
                server,
                subjects,
                expected,
                agents,
                lost: Vec::new(),
                delivered: Vec::new(),
                questions: 0,
                epoch: 0,
            },
            tickets,
        ))
    }

    /// Process of the message server.
    pub fn server_process(&self) -> u32 {
        self.server.process()
    }

    /// Address of the message server, on loopback.
    pub(crate) fn server_address(&self) -> &str {
        self.server.address()
    }

    /// The agents that take part, in the order in which they were named.
    pub fn agents(&self) -> &[JoinedAgent] {
        &self.agents
    }

    /// Waits until all agents have joined. `own` is what an agent of this program would say; `ended` tells of an agent
    /// that will never join.
    ///
    /// # Errors
    /// For an agent of another version or one that has ended, and where not all have joined `within` this time.
    pub fn gather(
        &mut self,
        own: &Hello,
        within: Duration,
        is_interrupted: &dyn Fn() -> bool,
        ended: &mut dyn FnMut() -> Option<Error>,
    ) -> Result<()> {
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
            let Some(Received { agent, says: FromAgent::Hello(hello), .. }) = received else {
                ended().map_or(Ok(()), Err)?;
                continue;
            };
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

    /// The agents that were lost.
    pub(crate) fn lost(&self) -> &[String] {
        &self.lost
    }

    /// The clocks of the first `count` agents against that of the coordinator now.
    pub(crate) fn clocks(&mut self, count: usize) -> Result<Vec<ClockOffset>> {
        (0..count).map(|index| self.clock_of(index)).collect()
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

    /// Has all agents start together once, without work. All have to be ready `within` this time. The start of each is
    /// against the agreed one, with the error of its clock.
    ///
    /// # Errors
    /// Where the attempt is given up, and where an agent does not answer.
    pub fn start_together(
        &mut self,
        run: u32,
        within: Nanos,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<Started>> {
        let ended = self.attempt(run, self.agents.len(), &[], within, &Unwatched(is_interrupted))?;
        self.starts(&ended)
    }

    /// Has the first agents carry out `parts` of run `run`, one each.
    ///
    /// # Errors
    /// As [`Coordinator::start_together`].
    pub(crate) fn carry_out(
        &mut self,
        run: u32,
        parts: &[Part],
        within: Nanos,
        watch: &dyn FleetWatch,
    ) -> Result<Ended> {
        parts.iter().try_for_each(check_size)?;
        self.attempt(run, parts.len().min(self.agents.len()), parts, within, watch)
    }

    fn attempt(
        &mut self,
        run: u32,
        count: usize,
        parts: &[Part],
        within: Nanos,
        watch: &dyn FleetWatch,
    ) -> Result<Ended> {
        // What was not released by now is not in the record.
        self.delivered.clear();
        let clocks = self.clocks(count)?;
        self.epoch += 1;
        let attempt = Attempt { epoch: self.epoch, run };
        for (index, part) in parts.iter().enumerate().take(count) {
            let message = ToAgent::Assign { attempt, part: Box::new(part.clone()) };
            let is_answer = |says: FromAgent| (says == FromAgent::Assigned { attempt }).then_some(());
            self.ask(index, &message, &is_answer)?;
        }
        let member = |(agent, clock): (&JoinedAgent, &ClockOffset)| Member { name: agent.name.clone(), clock: *clock };
        let members = self.agents.iter().zip(&clocks).map(member).collect();
        let mut barrier = Barrier::new(attempt, members, clock::now(), within);
        if let Err(error) = self.drive(&mut barrier, count, watch) {
            // Without a message server nothing is known of them: they may be at work, and keep their parts.
            self.lost = self.agents.iter().map(|agent| agent.name.clone()).collect();
            return Err(error);
        }
        let start = match barrier.phase() {
            BarrierPhase::Over { start } => *start,
            BarrierPhase::Failed(failure) => {
                let is_lost = matches!(failure, BarrierFailure::Lost { .. });
                let error = Error::new(failure.to_string());
                if !is_lost {
                    // Nobody collects the parts of those that have ended already.
                    let whole = self.agents[..count].iter().map(|agent| (agent.name.clone(), attempt));
                    self.delivered.extend(whole);
                    self.release();
                }
                return Err(error);
            }
            _ => return Err(Error::new("interrupted")),
        };
        let started = |index: usize| match barrier.said(index) {
            Some(Says::Held { started_ns }) => Ok(*started_ns),
            _ => Err(Error::new("an agent did not say when it started")),
        };
        let started = (0..count).map(started).collect::<Result<Vec<Nanos>>>()?;
        Ok(Ended { attempt, start, clocks, started })
    }

    /// The starts of the agents of an attempt, by their clocks before and now.
    fn starts(&mut self, ended: &Ended) -> Result<Vec<Started>> {
        let after = self.clocks(ended.clocks.len())?;
        let started = |((before, after), started): ((&ClockOffset, ClockOffset), &Nanos)| {
            let clock = ClockLine { before: *before, after: Some(after) }.at(ended.start);
            let start = AgentStart { offset_ns: clock.since(ended.start, *started), clock_error_ns: clock.error };
            Started { clock: *before, start }
        };
        Ok(ended.clocks.iter().zip(after).zip(&ended.started).map(started).collect())
    }

    /// The names, starts and results of the agents of an attempt that carried out parts.
    ///
    /// # Errors
    /// Where an agent does not answer, and where its results are damaged.
    pub(crate) fn results(&mut self, ended: &Ended) -> Result<Vec<(String, AgentStart, PartResult)>> {
        let starts = self.starts(ended)?;
        let of_agent = |(index, started): (usize, Started)| {
            let result = self.result(index, ended.attempt)?;
            Ok((self.agents[index].name.clone(), started.start, result))
        };
        starts.into_iter().enumerate().map(of_agent).collect()
    }

    fn result(&mut self, index: usize, attempt: Attempt) -> Result<PartResult> {
        let agent = self.agents[index].name.clone();
        let mut collected = Collected::default();
        let text = loop {
            let message = ToAgent::Fetch { attempt, offset_bytes: collected.offset_bytes() };
            let is_piece = |says: FromAgent| match says {
                FromAgent::Piece(piece) if piece.attempt == attempt => Some(piece),
                _ => None,
            };
            let piece = self.ask(index, &message, &is_piece)?;
            if let Some(text) = collected.take(&piece).map_err(|what| Error::new(format!("agent {agent}: {what}")))? {
                break text;
            }
        };
        self.delivered.push((agent.clone(), attempt));
        serde_json::from_str(&text)
            .map_err(|error| Error::new(format!("the results of agent {agent} cannot be read: {error}")))
    }

    /// The results that have arrived are in the record: agents need not keep them.
    pub(crate) fn release(&mut self) {
        for (agent, attempt) in std::mem::take(&mut self.delivered) {
            self.send(&agent, None, &ToAgent::Release { attempt });
        }
    }

    /// Goes on without the agents that were lost; returns their names.
    pub(crate) fn forget_lost(&mut self) -> Vec<String> {
        let lost = std::mem::take(&mut self.lost);
        self.agents.retain(|agent| !lost.contains(&agent.name));
        lost
    }

    /// Sends `message` to the agent at `index` until it gives the answer that `is_answer` selects.
    fn ask<T>(&mut self, index: usize, message: &ToAgent, is_answer: &dyn Fn(FromAgent) -> Option<T>) -> Result<T> {
        let agent = self.agents[index].name.clone();
        let (start, mut sent) = (clock::now(), None);
        while clock::now() - start < ANSWER_TIMEOUT.into() {
            if sent.is_none_or(|at: Nanos| clock::now() - at >= REPEAT) {
                let number = self.question();
                self.send(&agent, Some(number), message);
                sent = Some(clock::now());
            }
            if let Some(Received { agent: from, says, .. }) = self.receive(LOOK)?
                && from == agent
                && let Some(answer) = is_answer(says)
            {
                return Ok(answer);
            }
        }
        Err(self.silent(&agent, ANSWER_TIMEOUT))
    }

    /// The error of an agent that does not answer. It is lost.
    fn silent(&mut self, agent: &str, for_time: Duration) -> Error {
        self.lost.push(agent.to_owned());
        Error::new(format!("agent {agent} is lost: it has not answered for {} s", for_time.as_secs()))
    }

    /// Sends orders and takes answers until the attempt is over or all of the first `count` agents have given it up.
    fn drive(&mut self, barrier: &mut Barrier, count: usize, watch: &dyn FleetWatch) -> Result<()> {
        let mut sent: Vec<Option<(Order, Nanos)>> = vec![None; count];
        let mut heard = vec![clock::now(); count];
        let mut operations = vec![0; count];
        let (mut failed_at, mut is_prepared, mut has_begun, mut greeted) = (None, false, false, clock::now());
        loop {
            let now = clock::now();
            barrier.tick(now);
            // Also those that take no part in this attempt.
            if now - greeted >= GREETING_PERIOD.into() {
                greeted = now;
                self.greet();
                if has_begun {
                    self.tell(watch, &operations, &heard, now);
                }
            }
            if let BarrierPhase::Confirming { start } | BarrierPhase::Started { start } = *barrier.phase()
                && now + LEAD >= start
                && !std::mem::replace(&mut has_begun, true)
            {
                watch.begin();
            }
            if watch.is_interrupted() {
                barrier.give_up();
            }
            let orders = barrier.orders();
            let is_failed = matches!(barrier.phase(), BarrierPhase::Failed(_));
            failed_at = is_failed.then(|| failed_at.unwrap_or(now));
            // An agent that does not even give up has no influence on what is reported.
            let is_given_up = failed_at.is_some_and(|at: Nanos| orders.is_empty() || now - at > ANSWER_TIMEOUT.into());
            if is_given_up || matches!(barrier.phase(), BarrierPhase::Over { .. }) {
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
            // What takes its time is done before the start, after the agents were told of it.
            if let BarrierPhase::Confirming { .. } | BarrierPhase::Started { .. } = *barrier.phase()
                && !std::mem::replace(&mut is_prepared, true)
            {
                watch.prepare();
            }
            let look = if has_begun { LOOK_AT_WORK } else { LOOK };
            if let Some(received) = self.receive(look)?
                && let Some(index) = self.agents[..count].iter().position(|agent| agent.name == received.agent)
            {
                heard[index] = received.at;
                match received.says {
                    FromAgent::Answer(answer) => barrier.take(index, &answer, received.at),
                    FromAgent::Progress { attempt, operations: done } if attempt == barrier.attempt() => {
                        operations[index] = done;
                    }
                    _ => {}
                }
            }
            for index in (0..count).filter(|index| !is_failed && now > heard[*index] + SILENCE_MAX) {
                let agent = &self.agents[index].name;
                if !self.lost.contains(agent) {
                    barrier.lose(index, SILENCE_MAX);
                    watch.lost(agent, operations.iter().sum());
                    self.lost.push(agent.clone());
                }
            }
        }
    }

    /// Tells how far the agents are.
    fn tell(&self, watch: &dyn FleetWatch, operations: &[u64], heard: &[Nanos], now: Nanos) {
        let agents = self.agents.iter().zip(operations).zip(heard);
        let agents: Vec<AgentProgress<'_>> = agents
            .map(|((agent, operations), heard)| AgentProgress {
                agent: &agent.name,
                operations: *operations,
                silent: now.since(*heard),
            })
            .collect();
        watch.progress(&agents);
    }

    /// Lets all agents know that the fleet goes on, where nothing is asked of them for a time.
    pub(crate) fn greet(&self) {
        self.agents.iter().for_each(|agent| self.send(&agent.name, None, &ToAgent::Welcome));
    }

    /// Ends the fleet, and waits a little until the agents have left.
    pub fn dismiss(&mut self) {
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
            Some(Arrival::Connected) | None => return Ok(None),
        };
        let Some((agent, question)) = self.subjects.publisher(&subject) else { return Ok(None) };
        // The server says so where nobody receives a question: the agent is gone, or will be back.
        if payload.is_empty() {
            return Ok(None);
        }
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
pub(crate) fn mismatch(own: &Hello, hello: &Hello) -> Option<String> {
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
