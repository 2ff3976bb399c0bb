//! The coordinator of a fleet: its server, its agents, their clocks, and starts of all of them.

use std::time::Duration;

use nkeys::KeyPair;
use record::{AgentStart, Attempt, FromAgent, Hello, Nanos, Part, PartResult, Permitted, Says, Seed, Ticket, ToAgent};
use run::FleetWatch;

use crate::attempt::{AttemptDrive, GIVE_UP_MAX};
use crate::barrier::{Barrier, BarrierFailure, BarrierPhase, Loss, Member};
use crate::clock::{ClockLine, ClockOffset};
use crate::conversation::{ANSWER_TIMEOUT, Conversation, LOOK, Received, TRANSFER_TIMEOUT};
use crate::error::{Error, Result};
use crate::link::Link;
use crate::nats_server::{MESSAGE_BYTES_MAX, NatsServer, User};
use crate::piece::Collected;
use crate::signed::HEAD_BYTES;
use crate::silence::Silence;
use crate::subject::{Subjects, is_agent_name};
use crate::wire::Wire;

/// How long agents may take to leave.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(2);

/// What a message has beside the part that it holds, at most.
const ENVELOPE_BYTES_MAX: usize = (1 << 10) + HEAD_BYTES;

/// A start that is further from the agreed one was none: the seconds of all agents are put beside each other.
const START_OFFSET_MAX: Nanos = Nanos(600_000_000_000);

/// How many agents are asked for their results at once: all of them would send more than one connection takes.
const RESULTS_AT_ONCE: usize = 16;

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

/// The coordinator and its server. Both end when this is dropped.
pub struct Coordinator {
    // Dropped first: its last messages need the server.
    conversation: Conversation,
    /// None where the messages are simulated.
    server: Option<NatsServer>,
    expected: Vec<String>,
    agents: Vec<JoinedAgent>,
    /// The agents that were lost.
    lost: Vec<String>,
    /// Results that have arrived, and are still kept by their agents.
    delivered: Vec<(String, Attempt)>,
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
    /// Starts a server for a fleet of agents with these `names`, and makes a ticket for each, which permits nothing on its
    /// host.
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
        let ticket = |(name, (_, seed)): (&String, (String, Seed))| -> Result<Ticket> {
            let (_, message_key) = key()?;
            let (url, agent, permitted) = (server.url().to_owned(), name.clone(), Permitted::default());
            Ok(Ticket { url, fleet: fleet.clone(), agent, seed, message_key, permitted })
        };
        let tickets = names.iter().zip(keys).map(ticket).collect::<Result<Vec<Ticket>>>()?;
        let mut coordinator = Coordinator::with(Box::new(link), subjects, &tickets);
        coordinator.server = Some(server);
        Ok((coordinator, tickets))
    }

    /// The coordinator of the agents of `tickets` at this end of their messages.
    pub(crate) fn with(wire: Box<dyn Wire>, subjects: Subjects, tickets: &[Ticket]) -> Coordinator {
        let keys: Vec<(String, Seed)> =
            tickets.iter().map(|ticket| (ticket.agent.clone(), ticket.message_key.clone())).collect();
        Coordinator {
            conversation: Conversation::new(wire, subjects, &keys),
            server: None,
            expected: keys.into_iter().map(|(name, _)| name).collect(),
            agents: Vec::new(),
            lost: Vec::new(),
            delivered: Vec::new(),
            epoch: 0,
        }
    }

    /// Process of the message server; None where there is none.
    pub fn server_process(&self) -> Option<u32> {
        self.server.as_ref().map(NatsServer::process)
    }

    /// Address of the message server, on loopback; empty where there is none.
    pub(crate) fn server_address(&self) -> &str {
        self.server.as_ref().map_or("", NatsServer::address)
    }

    /// The agents that take part, in the order in which they were named.
    pub fn agents(&self) -> &[JoinedAgent] {
        &self.agents
    }

    /// The names of the first `count` agents.
    fn names(&self, count: usize) -> Vec<String> {
        self.agents.iter().take(count).map(|agent| agent.name.clone()).collect()
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
        let mut start = self.conversation.now();
        let mut own_pauses = Silence::new(0, start);
        loop {
            if is_interrupted() {
                return Err(Error::new("interrupted"));
            }
            let received = self.conversation.take(Duration::from_millis(50))?;
            let loss = |name: &String| Some((name.clone(), self.conversation.loss(name)?));
            if let Some((name, loss)) = self.expected.iter().find_map(loss) {
                let hint = match loss {
                    Loss::BegunAgain => "a ticket is for one process",
                    Loss::Unreadable | Loss::Backwards | Loss::Silent(_) => "use the same program everywhere",
                };
                return Err(Error::new(format!("agent {name} is lost: {loss}")).hint(hint));
            }
            for Received { agent, says, .. } in received {
                if let FromAgent::Hello(hello) = says {
                    self.welcome(own, agent, *hello)?;
                }
            }
            if self.agents.len() == self.expected.len() {
                break;
            }
            ended().map_or(Ok(()), Err)?;
            // Time in which the coordinator itself was stopped does not count.
            let now = self.conversation.now();
            start = start + own_pauses.look(now);
            if now - start > within.into() {
                return Err(self.not_joined(within));
            }
        }
        let place = |agent: &JoinedAgent| self.expected.iter().position(|name| *name == agent.name);
        self.agents.sort_by_key(place);
        Ok(())
    }

    /// The error of the agents that have not joined `within` this time.
    fn not_joined(&self, within: Duration) -> Error {
        let is_missing = |name: &&String| self.agents.iter().all(|agent| agent.name != **name);
        let missing: Vec<&str> = self.expected.iter().filter(is_missing).map(String::as_str).collect();
        Error::new(format!("not joined within {} s: agents {}", within.as_secs(), missing.join(", ")))
    }

    fn welcome(&mut self, own: &Hello, agent: String, hello: Hello) -> Result<()> {
        if let Some(reason) = mismatch(own, &hello) {
            self.conversation.answer_hello(&agent, &ToAgent::TurnedAway { reason: reason.clone() });
            return Err(Error::new(format!("agent {agent}: {reason}")).hint("use the same program everywhere"));
        }
        // To members this is said with each hello.
        if self.agents.iter().all(|known| known.name != agent) {
            self.conversation.answer_hello(&agent, &ToAgent::Welcome);
            self.agents.push(JoinedAgent { name: agent, hello });
            let names = self.names(self.agents.len());
            self.conversation.set_members(names);
        }
        Ok(())
    }

    /// The agents that were lost.
    pub(crate) fn lost(&self) -> &[String] {
        &self.lost
    }

    /// The clocks of the first `count` agents against that of the coordinator now.
    pub(crate) fn clocks(&mut self, count: usize, is_interrupted: &dyn Fn() -> bool) -> Result<Vec<ClockOffset>> {
        let names = self.names(count);
        let clocks = self.conversation.clocks(&names, is_interrupted)?;
        self.all_of(&names, clocks, ANSWER_TIMEOUT)
    }

    /// What all `agents` said; those that did not answer `within` this time are lost.
    fn all_of<T>(&mut self, agents: &[String], answers: Vec<Option<T>>, within: Duration) -> Result<Vec<T>> {
        let silent = agents.iter().zip(&answers).filter(|(_, answer)| answer.is_none());
        let silent: Vec<String> = silent.map(|(agent, _)| agent.clone()).collect();
        if silent.is_empty() {
            return Ok(answers.into_iter().flatten().collect());
        }
        let reason = |agent: &String| format!("agent {agent} is lost: {}", self.conversation.why_lost(agent, within));
        let message = silent.iter().map(reason).collect::<Vec<_>>().join("; ");
        self.lost.extend(silent);
        Err(Error::new(message))
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
        let names = self.names(count);
        let is_interrupted = || watch.is_interrupted();
        let clocks = self.clocks(count, &is_interrupted)?;
        self.epoch += 1;
        let attempt = Attempt { epoch: self.epoch, run };
        self.assign(&names, attempt, parts, &is_interrupted)?;
        let member = |(name, clock): (&String, &ClockOffset)| Member { name: name.clone(), clock: *clock };
        let members = names.iter().zip(&clocks).map(member).collect();
        let mut barrier = Barrier::new(attempt, members, self.conversation.now(), within);
        let drive =
            AttemptDrive::new(&mut self.conversation, &names, &mut barrier, watch, &mut self.lost, !parts.is_empty());
        let not_given_up = match drive.drive() {
            Ok(not_given_up) => not_given_up,
            Err(error) => {
                // Without a message server nothing is known of them: they may be at work, and keep their parts.
                self.lost = self.agents.iter().map(|agent| agent.name.clone()).collect();
                return Err(error);
            }
        };
        let start = self.outcome(&barrier, &names, not_given_up)?;
        let mut started = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let Some(Says::Held { started_ns, .. }) = barrier.said(index) else {
                return Err(Error::new(format!("agent {name} did not say when it started")));
            };
            started.push(*started_ns);
        }
        Ok(Ended { attempt, start, clocks, started })
    }

    /// Gives each of `agents` its part, if there are some.
    fn assign(
        &mut self,
        agents: &[String],
        attempt: Attempt,
        parts: &[Part],
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<()> {
        let asked = &agents[..agents.len().min(parts.len())];
        let message = |index: usize| ToAgent::Assign { attempt, part: Box::new(parts[index].clone()) };
        let mut is_answer = |_: usize, says: FromAgent| (says == FromAgent::Assigned { attempt }).then_some(());
        let answers = self.conversation.ask_all(asked, &message, &mut is_answer, is_interrupted)?;
        self.all_of(asked, answers, TRANSFER_TIMEOUT).map(drop)
    }

    /// The agreed start of an attempt that is over; those that have `not_given_up` one that failed are lost.
    fn outcome(&mut self, barrier: &Barrier, agents: &[String], not_given_up: Vec<String>) -> Result<Nanos> {
        match barrier.phase() {
            BarrierPhase::Over { start } => Ok(*start),
            BarrierPhase::Failed(failure) => {
                if !matches!(failure, BarrierFailure::Lost { .. }) {
                    // Nobody collects the parts of those that have ended already.
                    let whole = agents.iter().map(|agent| (agent.clone(), barrier.attempt()));
                    self.delivered.extend(whole);
                    self.release();
                }
                let lost = match not_given_up.as_slice() {
                    [] => String::new(),
                    names => format!(
                        "; lost, because they have not given their parts up within {:.0} s: agents {}",
                        GIVE_UP_MAX.seconds(),
                        names.join(", ")
                    ),
                };
                self.lost.extend(not_given_up);
                Err(Error::new(format!("{failure}{lost}")))
            }
            _ => Err(Error::new("interrupted")),
        }
    }

    /// The starts of the agents of an attempt, by their clocks before and now.
    fn starts(&mut self, ended: &Ended) -> Result<Vec<Started>> {
        let after = self.clocks(ended.clocks.len(), &|| false)?;
        let started = |((before, after), started): ((&ClockOffset, ClockOffset), &Nanos)| {
            let clock = ClockLine { before: *before, after: Some(after) }.at(ended.start);
            let start = AgentStart { offset_ns: clock.since(ended.start, *started), clock_error_ns: clock.error };
            Started { clock: *before, start }
        };
        let starts: Vec<Started> = ended.clocks.iter().zip(after).zip(&ended.started).map(started).collect();
        let is_far = |started: &Started| started.start.offset_ns.0.unsigned_abs() > START_OFFSET_MAX.0;
        match starts.iter().position(is_far) {
            Some(index) => {
                let name = self.agents[index].name.clone();
                Err(self.broken(&name, "it says that it started at quite another time than was agreed"))
            }
            None => Ok(starts),
        }
    }

    /// The names, starts and results of the agents of an attempt that carried out parts.
    pub(crate) fn results(
        &mut self,
        ended: &Ended,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<(String, AgentStart, PartResult)>> {
        let starts = self.starts(ended)?;
        let names = self.names(starts.len());
        let mut results = Vec::new();
        for some in names.chunks(RESULTS_AT_ONCE) {
            results.extend(self.results_of(some, ended.attempt, is_interrupted)?);
        }
        let of_agent = |((name, started), result): ((String, Started), PartResult)| (name, started.start, result);
        Ok(names.into_iter().zip(starts).zip(results).map(of_agent).collect())
    }

    /// The results of `agents`, piece by piece.
    fn results_of(
        &mut self,
        agents: &[String],
        attempt: Attempt,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<PartResult>> {
        let mut collected = vec![Collected::default(); agents.len()];
        let mut texts: Vec<Option<String>> = vec![None; agents.len()];
        loop {
            let left: Vec<usize> = (0..agents.len()).filter(|index| texts[*index].is_none()).collect();
            if left.is_empty() {
                break;
            }
            let asked: Vec<String> = left.iter().map(|index| agents[*index].clone()).collect();
            let offsets: Vec<u64> = left.iter().map(|index| collected[*index].offset_bytes()).collect();
            let message = |place: usize| ToAgent::Fetch { attempt, offset_bytes: offsets[place] };
            let mut is_piece = |place: usize, says: FromAgent| match says {
                FromAgent::Piece(piece) if piece.attempt == attempt && piece.offset_bytes == offsets[place] => {
                    Some(piece)
                }
                _ => None,
            };
            let pieces = self.conversation.ask_all(&asked, &message, &mut is_piece, is_interrupted)?;
            for (index, piece) in left.into_iter().zip(self.all_of(&asked, pieces, TRANSFER_TIMEOUT)?) {
                texts[index] = collected[index].take(&piece).map_err(|what| self.broken(&agents[index], what))?;
            }
        }
        self.delivered.extend(agents.iter().map(|agent| (agent.clone(), attempt)));
        let read = |(agent, text): (&String, Option<String>)| {
            serde_json::from_str(&text.unwrap_or_default())
                .map_err(|_| self.broken(agent, "its results cannot be read"))
        };
        agents.iter().zip(texts).map(read).collect()
    }

    /// The error of an agent whose results are none. It is lost, the others are not.
    fn broken(&mut self, agent: &str, what: &str) -> Error {
        self.lost.push(agent.to_owned());
        Error::new(format!("agent {agent}: {what}"))
    }

    /// The results that have arrived are in the record: agents need not keep them.
    pub(crate) fn release(&mut self) {
        for (agent, attempt) in std::mem::take(&mut self.delivered) {
            self.conversation.send(&agent, None, &ToAgent::Release { attempt });
        }
    }

    /// Goes on without the agents that were lost; returns their names.
    pub(crate) fn forget_lost(&mut self) -> Vec<String> {
        let lost = std::mem::take(&mut self.lost);
        self.agents.retain(|agent| !lost.contains(&agent.name));
        let names = self.names(self.agents.len());
        self.conversation.set_members(names);
        lost
    }

    /// Lets all agents know that the fleet goes on, where nothing is asked of them for a time.
    pub(crate) fn greet(&mut self) {
        self.conversation.greet();
    }

    /// Ends the fleet, and waits a little until the agents have left.
    pub fn dismiss(&mut self) {
        let mut staying = self.names(self.agents.len());
        for agent in &staying {
            self.conversation.ask(agent, &ToAgent::Leave);
        }
        // They are not told any more that it goes on.
        self.conversation.set_members(Vec::new());
        let start = self.conversation.now();
        while !staying.is_empty() && self.conversation.now() - start < LEAVE_TIMEOUT.into() {
            let Ok(received) = self.conversation.take(LOOK) else { return };
            for Received { agent, says, .. } in received {
                if says == FromAgent::Left {
                    staying.retain(|name| *name != agent);
                }
            }
        }
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
