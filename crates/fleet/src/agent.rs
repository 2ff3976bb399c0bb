//! An agent of a fleet: it joins with a ticket and follows the orders of the coordinator.

use std::sync::Arc;
use std::time::Duration;

use nkeys::KeyPair;
use record::{
    AgentStart, Answer, Attempt, FromAgent, Hello, KeptPart, Nanos, Outcome, Part, PartResult, Permitted, Refusal,
    Says, Ticket, ToAgent,
};

use crate::barrier::{AgentBarrier, AgentPhase, Due};
use crate::clock::ClockOffset;
use crate::error::{Error, Result};
use crate::host_agent::INSTALL_TIMEOUT;
use crate::kept_parts::KeptParts;
use crate::link::Link;
use crate::part_writer::{PartWriter, PartWriterThread};
use crate::parts::{Parts, SaidEnd};
use crate::permission::refusal;
use crate::piece::Held;
use crate::signed::{Place, Sender, Signer, Verifier};
use crate::subject::Subjects;
use crate::wire::{Arrival, Message, Wire};
use crate::work::{PartWork, Threads, Undertaken, Undertaking, WAKE_UP};

/// How often an agent says hello until it is answered.
const HELLO_PERIOD: Duration = Duration::from_millis(500);

/// How long an agent waits for an answer to its hello, beyond the time that another host may take for the program: all are
/// welcomed together. One whose coordinator has ended knows by its input.
const WELCOME_TIMEOUT: Duration = INSTALL_TIMEOUT.saturating_add(Duration::from_secs(60));

/// How long an agent without its coordinator goes on waiting.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// How long is waited for a message before the clock and the work are looked at again.
const LOOK: Duration = Duration::from_millis(100);

/// The same while jobs start or end.
const LOOK_CLOSELY: Duration = Duration::from_millis(20);

/// The same while jobs work: the processor time of an agent is that of the generator.
const LOOK_AT_WORK: Duration = Duration::from_millis(250);

/// How often an agent says how far it is.
const PROGRESS_PERIOD: Duration = Duration::from_secs(1);

/// Whether an agent is a member of its fleet.
#[derive(Clone, Debug)]
enum Membership {
    /// It says this hello until it is welcomed.
    Joining {
        hello: Box<Hello>,
        since: Nanos,
        said: Option<Nanos>,
    },
    Joined,
    /// The fleet has ended: only work that has begun goes on.
    Dismissed,
}

/// An agent that takes part in a fleet.
pub struct Agent {
    wire: Box<dyn Wire>,
    subjects: Subjects,
    name: String,
    /// What no other process with this ticket is called.
    process: String,
    signer: Signer,
    verifier: Verifier,
    membership: Membership,
    barrier: AgentBarrier,
    /// What parts may ask of this host.
    permitted: Permitted,
    /// What the next attempt is about; without it, it is a start without work.
    assigned: Option<(Attempt, Part)>,
    /// What it carries out, and keeps until the coordinator has it in its record.
    parts: Parts,
    held: Option<Held>,
    /// The fleet, by its ticket.
    fleet: String,
    /// Whether the way to the coordinator has ended. It stays so: who answers at the same address later is somebody else.
    is_cut_off: bool,
    /// When the coordinator was heard of last.
    heard: Nanos,
    said_progress: Nanos,
    /// How long it waits without a message of its coordinator.
    pub(crate) silence_max: Duration,
}

impl Agent {
    /// Joins the fleet of `ticket`; parts of runs are carried out by `on`, and their results are `kept`.
    ///
    /// # Errors
    /// Where the server cannot be reached with this ticket, and where the coordinator turns the agent away.
    pub fn join(ticket: &Ticket, hello: &Hello, on: Arc<dyn PartWork>, kept: KeptParts) -> Result<Agent> {
        let subjects = Subjects::of(&ticket.fleet);
        let link = Link::connect(&ticket.url, &ticket.seed, subjects.of_agent(&ticket.agent))?;
        let process = KeyPair::new_user().public_key();
        let writer = Box::new(PartWriterThread::new(kept));
        let mut agent = Agent::at(Box::new(link), ticket, process, hello, Box::new(Threads(on)), writer);
        while matches!(agent.membership, Membership::Joining { .. }) {
            let arrival = agent.wire.receive(agent.patience());
            if let Some(Err(error)) = agent.turn(arrival) {
                return Err(error);
            }
        }
        Ok(agent)
    }

    /// The agent of `ticket` at this end of the messages, which has said nothing yet; no other `process` with this ticket is
    /// called so.
    pub(crate) fn at(
        wire: Box<dyn Wire>,
        ticket: &Ticket,
        process: String,
        hello: &Hello,
        on: Box<dyn Undertaking>,
        writer: Box<dyn PartWriter>,
    ) -> Agent {
        let now = wire.now();
        Agent {
            wire,
            subjects: Subjects::of(&ticket.fleet),
            name: ticket.agent.clone(),
            process,
            signer: Signer::new(&ticket.message_key, Sender::Agent),
            verifier: Verifier::new(&ticket.message_key, Sender::Coordinator),
            membership: Membership::Joining { hello: Box::new(hello.clone()), since: now, said: None },
            barrier: AgentBarrier::default(),
            permitted: ticket.permitted.clone(),
            assigned: None,
            parts: Parts::new(on, writer),
            held: None,
            fleet: ticket.fleet.clone(),
            is_cut_off: false,
            heard: now,
            said_progress: now,
            silence_max: SILENCE_MAX,
        }
    }

    /// Follows orders until the coordinator ends the fleet.
    ///
    /// # Errors
    /// Where the coordinator is gone.
    pub fn follow(&mut self) -> Result<()> {
        loop {
            let arrival = self.wire.receive(self.patience());
            if let Some(followed) = self.turn(arrival) {
                // Nobody waits for an answer any more.
                self.parts.finish();
                return followed;
            }
        }
    }

    /// Takes what has arrived, and does what is due; Some when the agent ends.
    pub(crate) fn turn(&mut self, arrival: Option<Arrival>) -> Option<Result<()>> {
        let taken = match arrival {
            Some(Arrival::Message(message)) => self.hear(message),
            // A member is not told by a server what it may do; one that joins may have no valid ticket.
            Some(Arrival::Refused(reason)) if matches!(self.membership, Membership::Joining { .. }) => {
                Err(Error::new(format!("the message server refuses: {reason}")))
            }
            Some(Arrival::Over) => {
                self.is_cut_off = true;
                Ok(())
            }
            Some(Arrival::Refused(_)) | None => Ok(()),
        };
        if let Err(error) = taken.and_then(|()| self.say_hello()) {
            return Some(Err(error));
        }
        self.look_at_the_work();
        self.look_at_the_clock();
        if self.works_on() {
            return None;
        }
        let silent = self.wire.now() - self.heard;
        match self.membership {
            Membership::Dismissed => Some(Ok(())),
            _ if self.is_cut_off => Some(Err(self.is_alone())),
            Membership::Joined if silent > self.silence_max.into() => Some(Err(self.is_alone())),
            Membership::Joined | Membership::Joining { .. } => None,
        }
    }

    /// Says hello, again and again until it is answered.
    fn say_hello(&mut self) -> Result<()> {
        let now = self.wire.now();
        let Membership::Joining { hello, since, said } = &mut self.membership else { return Ok(()) };
        if now - *since > WELCOME_TIMEOUT.into() {
            return Err(Error::new(format!("no coordinator answers within {} s", WELCOME_TIMEOUT.as_secs())));
        }
        if said.is_none_or(|said| now - said >= HELLO_PERIOD.into()) {
            *said = Some(now);
            let content = serde_json::to_vec(&FromAgent::Hello(hello.clone())).expect("messages are plain data");
            self.say(self.subjects.hello(&self.name), Some(self.process.clone()), &content);
        }
        Ok(())
    }

    /// Takes a message of the coordinator. What is not of it is dropped, whatever it says.
    fn hear(&mut self, message: Message) -> Result<()> {
        let is_joining = matches!(self.membership, Membership::Joining { .. });
        // What was said to another process with this ticket has its number and its code, and could be repeated.
        if is_joining && message.reply.as_ref() != Some(&self.process) {
            return Ok(());
        }
        let place = Place { subject: &message.subject, reply: message.reply.as_deref() };
        let Some(content) = self.verifier.verify(place, &message.payload) else { return Ok(()) };
        let said = serde_json::from_slice(content)
            .map_err(|error| Error::new(format!("a message of the coordinator cannot be read: {error}")))?;
        self.heard = self.wire.now();
        match said {
            ToAgent::TurnedAway { reason } if is_joining => {
                return Err(Error::new(format!("turned away: {reason}")).hint("use the same program everywhere"));
            }
            ToAgent::Leave => {
                message.reply.into_iter().for_each(|reply| self.send(reply, &FromAgent::Left));
                self.membership = Membership::Dismissed;
            }
            said => {
                // What else answers its hello is its welcome.
                if is_joining {
                    self.membership = Membership::Joined;
                }
                self.take(said, &message);
            }
        }
        Ok(())
    }

    /// Whether a part has started and is under way, or its result is being written: it goes on without a coordinator, which may
    /// have lost this agent.
    fn works_on(&self) -> bool {
        match (self.parts.current(), self.barrier.phase()) {
            (Some(work), AgentPhase::Running { start, .. }) => self.wire.now() < *start + work.alone_max,
            _ => self.parts.are_being_written(),
        }
    }

    fn is_alone(&self) -> Error {
        let alone = match self.is_cut_off {
            true => "the connection to the coordinator has ended".to_owned(),
            false => format!("no coordinator for {:.0} s", self.silence_max.as_secs_f64()),
        };
        match &self.held {
            None => Error::new(alone),
            Some(held) if self.parts.has_kept(held.attempt()) => {
                let (run, folder) = (held.attempt().run, self.parts.folder());
                Error::new(format!("{alone}; the part of run {run} is kept in {folder}"))
                    .hint("`dbdyno fleet collect` completes the record with it")
            }
            Some(held) => Error::new(format!("{alone}; the part of run {} could not be kept", held.attempt().run)),
        }
    }

    fn take(&mut self, said: ToAgent, message: &Message) {
        let answer = match said {
            ToAgent::Time => Some(FromAgent::Time { received_ns: message.at, answered_ns: self.wire.now() }),
            ToAgent::Assign { attempt, part } => {
                self.assigned = Some((attempt, *part));
                Some(FromAgent::Assigned { attempt })
            }
            ToAgent::Order(order) => {
                let taken = self.barrier.take(&order, self.wire.now());
                if taken.gives_up {
                    self.give_up();
                }
                let prepared = if taken.prepares { self.prepare(order.attempt) } else { None };
                // That it is given up is said when nothing of it is under way any more.
                let is_true = |answer: &Answer| answer.says != Says::Abandoned || !self.parts.are_ending();
                taken.answer.or(prepared).filter(is_true).map(FromAgent::Answer)
            }
            ToAgent::Fetch { attempt, offset_bytes } => {
                let held = self.held.as_ref().filter(|held| held.attempt() == attempt);
                held.and_then(|held| held.piece(offset_bytes)).map(FromAgent::Piece)
            }
            ToAgent::Release { attempt } => {
                self.held.take_if(|held| held.attempt() == attempt);
                self.parts.remove(&self.fleet, attempt, &self.name);
                None
            }
            ToAgent::Welcome | ToAgent::TurnedAway { .. } | ToAgent::Leave => None,
        };
        if let (Some(answer), Some(reply)) = (answer, message.reply.clone()) {
            self.send(reply, &answer);
        }
    }

    /// Begins to prepare `attempt`. A start without work needs no preparation.
    fn prepare(&mut self, attempt: Attempt) -> Option<Answer> {
        let Some((_, part)) = self.assigned.take_if(|(assigned, _)| *assigned == attempt) else {
            return self.barrier.prepared(attempt, None);
        };
        if let Some(reason) = refusal(&part, &self.permitted) {
            return self.barrier.prepared(attempt, Some(reason));
        }
        self.parts.ask(attempt, part);
        self.begin()
    }

    /// Begins with the part that waits, if it may; the answer where it cannot be begun.
    fn begin(&mut self) -> Option<Answer> {
        let (attempt, error) = self.parts.begin()?;
        self.barrier.prepared(attempt, Some(error.message))
    }

    /// Says how far the work is: ready, under way, ended and kept, given up and ended.
    fn look_at_the_work(&mut self) {
        let were_ending = self.parts.are_ending();
        if let Some(SaidEnd { started, not_kept }) = self.parts.look(self.wire.now()) {
            let answer = self.barrier.ended(started, not_kept);
            self.tell(answer);
        }
        if were_ending && !self.parts.are_ending() && *self.barrier.phase() == AgentPhase::Joined {
            let answer = self.barrier.says(Says::Abandoned);
            self.tell(answer);
        }
        if let Some(ended) = self.parts.take_ended() {
            let answer = self.end(ended);
            self.tell(answer);
        }
        let failed = self.begin();
        self.tell(failed);
        self.say_progress();
        let Some(work) = self.parts.current() else { return };
        match *self.barrier.phase() {
            AgentPhase::Preparing if work.on.is_ready() => {
                let answer = self.barrier.prepared(work.attempt, None);
                self.tell(answer);
            }
            AgentPhase::Armed { start, confirmed: true, .. } => work.on.release_at(start),
            _ => {}
        }
    }

    /// Says what is under way: who says nothing is lost.
    fn say_progress(&mut self) {
        let now = self.wire.now();
        if now - self.said_progress >= PROGRESS_PERIOD.into()
            && let Some((attempt, operations)) = self.parts.progress()
        {
            self.said_progress = now;
            self.send(self.subjects.reply(&self.name, 0), &FromAgent::Progress { attempt, operations });
        }
    }

    /// The work has ended: its results are held and begin to be kept, or it could not be carried out.
    fn end(&mut self, ended: Undertaken) -> Option<Answer> {
        let Undertaken { attempt, record, share, on, .. } = ended;
        // The clock may not have been looked at since the start.
        let _ = self.barrier.due(self.wire.now());
        let operations = on.operations();
        let (result, started) = on.end();
        match (result, self.barrier.phase()) {
            (Ok(result), AgentPhase::Running { start, clock_error }) => {
                let text = serde_json::to_string(&result).expect("results are plain data");
                self.held = Some(Held::new(attempt, text));
                let offset_ns = ClockOffset::default().since(*start, started);
                let start = AgentStart { offset_ns, clock_error_ns: *clock_error };
                let (fleet, agent) = (self.fleet.clone(), self.name.clone());
                let part = KeptPart { record, fleet, attempt, agent, share, start, result };
                self.parts.keep(part, started, operations, self.wire.now());
                None
            }
            (Ok(result), _) => self.failed(attempt, ended_early(&result)),
            (Err(error), _) => self.failed(attempt, error.to_string()),
        }
    }

    /// The answer of a part that could not be carried out.
    fn failed(&mut self, attempt: Attempt, message: String) -> Option<Answer> {
        let failed = self.barrier.prepared(attempt, Some(message.clone()));
        failed.or_else(|| self.barrier.says(Says::Refused(Refusal::Failed { message })))
    }

    /// Gives the work up that is under way, which then ends beside the messages.
    pub(crate) fn give_up(&mut self) {
        self.parts.give_up();
    }

    /// Starts at the agreed moment, or disarms.
    fn look_at_the_clock(&mut self) {
        let has_work = self.parts.has_work();
        if let AgentPhase::Armed { start, confirmed: true, .. } = *self.barrier.phase()
            && self.wire.now() + WAKE_UP >= start
            && !has_work
        {
            self.wire.wait_until(start);
        }
        let now = self.wire.now();
        let answer = match self.barrier.due(now) {
            Some(Due::Start) if has_work => None,
            Some(Due::Start) => self.barrier.ended(now, None),
            Some(Due::Disarm) => {
                self.give_up();
                self.barrier.says(Says::Disarmed)
            }
            None => None,
        };
        self.tell(answer);
    }

    /// Gives an answer to no question: the next one is answered the same.
    fn tell(&mut self, answer: Option<Answer>) {
        if let Some(answer) = answer {
            self.send(self.subjects.reply(&self.name, 0), &FromAgent::Answer(answer));
        }
    }

    /// How long to wait for a message: not beyond the agreed start.
    pub(crate) fn patience(&self) -> Duration {
        let Some(work) = self.parts.current() else {
            return if self.parts.has_work() || self.parts.are_ending() { LOOK_CLOSELY } else { LOOK };
        };
        let now = self.wire.now();
        match self.barrier.phase() {
            AgentPhase::Armed { start, .. } => LOOK_CLOSELY.min(Duration::from(*start - WAKE_UP - now)),
            AgentPhase::Running { start, .. } => {
                Duration::from(*start + work.window - now).clamp(LOOK_CLOSELY, LOOK_AT_WORK)
            }
            _ => LOOK_CLOSELY,
        }
    }

    fn send(&mut self, subject: String, message: &FromAgent) {
        let content = serde_json::to_vec(message).expect("messages are plain data");
        self.say(subject, None, &content);
    }

    /// Sends `content`, whatever it is.
    pub(crate) fn say(&mut self, subject: String, reply: Option<String>, content: &[u8]) {
        let payload = self.signer.sign(Place { subject: &subject, reply: reply.as_deref() }, content);
        self.wire.send(subject, reply, payload);
    }

    /// The time of its clock.
    #[cfg(test)]
    pub(crate) fn now(&self) -> Nanos {
        self.wire.now()
    }
}

/// Why a part has ended before its start: what failed is in its result.
fn ended_early(result: &PartResult) -> String {
    match &result.run.outcome {
        Outcome::Failed { message } => message.clone(),
        _ => "it ended before its start".to_owned(),
    }
}
