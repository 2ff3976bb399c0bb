//! An agent of a fleet: it joins with a ticket and follows the orders of the coordinator.

use std::sync::Arc;
use std::time::{Duration, Instant};

use measure::clock;
use record::{AgentStart, Answer, Attempt, FromAgent, Hello, KeptPart, Part, Refusal, Says, Ticket, ToAgent};

use crate::barrier::{AgentBarrier, AgentPhase, Due};
use crate::clock::ClockOffset;
use crate::error::{Error, Result};
use crate::kept_parts::KeptParts;
use crate::link::{Arrival, Link, Message};
use crate::piece::Held;
use crate::subject::Subjects;
use crate::work::{PartWork, WAKE_UP, Work, wait_until};

/// How often an agent says hello until it is answered.
const HELLO_PERIOD: Duration = Duration::from_millis(500);

/// How long an agent waits for an answer to its hello.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(60);

/// How long an agent without its coordinator goes on waiting.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// The same where the way to it has ended.
const CUT_OFF_MAX: Duration = Duration::from_secs(3);

/// How long is waited for a message before the clock and the work are looked at again.
const LOOK: Duration = Duration::from_millis(100);

/// The same while jobs start or end.
const LOOK_CLOSELY: Duration = Duration::from_millis(20);

/// The same while jobs work: the processor time of an agent is that of the generator.
const LOOK_AT_WORK: Duration = Duration::from_millis(250);

/// How often an agent says how far it is.
const PROGRESS_PERIOD: Duration = Duration::from_secs(1);

/// An agent that takes part in a fleet.
pub struct Agent {
    link: Link,
    subjects: Subjects,
    name: String,
    barrier: AgentBarrier,
    on: Arc<dyn PartWork>,
    /// What the next attempt is about; without it, it is a start without work.
    assigned: Option<(Attempt, Part)>,
    work: Option<Work>,
    held: Option<Held>,
    /// The fleet, by its ticket.
    fleet: String,
    /// Where results are until the coordinator has them in its record.
    kept: KeptParts,
    /// Since when there is no way to the coordinator.
    cut_off: Option<Instant>,
    /// Whether the fleet has ended: only work that has begun goes on.
    is_dismissed: bool,
    said_progress: Instant,
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
        let (name, barrier, said_progress) = (ticket.agent.clone(), AgentBarrier::default(), Instant::now());
        let mut agent = Agent {
            link,
            subjects,
            name,
            barrier,
            on,
            assigned: None,
            work: None,
            held: None,
            fleet: ticket.fleet.clone(),
            kept,
            cut_off: None,
            is_dismissed: false,
            said_progress,
            silence_max: SILENCE_MAX,
        };
        let start = Instant::now();
        while start.elapsed() < WELCOME_TIMEOUT {
            agent.send(agent.subjects.hello(&agent.name), &FromAgent::Hello(Box::new(hello.clone())));
            match agent.receive(HELLO_PERIOD)? {
                Some((ToAgent::Welcome, _)) => return Ok(agent),
                Some((ToAgent::TurnedAway { reason }, _)) => {
                    return Err(Error::new(format!("turned away: {reason}")).hint("use the same program everywhere"));
                }
                _ => {}
            }
        }
        Err(Error::new(format!("no coordinator answers within {} s", WELCOME_TIMEOUT.as_secs())))
    }

    /// Follows orders until the coordinator ends the fleet.
    ///
    /// # Errors
    /// Where the coordinator is gone.
    pub fn follow(&mut self) -> Result<()> {
        let followed = self.follow_orders();
        self.give_up();
        followed
    }

    fn follow_orders(&mut self) -> Result<()> {
        let mut heard = Instant::now();
        loop {
            let arrived = self.receive(self.patience())?;
            if let Some((message, arrival)) = arrived {
                heard = Instant::now();
                if message == ToAgent::Leave {
                    let _ = arrival.reply.map(|reply| self.send(reply, &FromAgent::Left));
                    self.is_dismissed = true;
                } else {
                    self.take(message, &arrival);
                }
            }
            self.look_at_the_work();
            self.look_at_the_clock();
            if self.works_on() {
                continue;
            }
            if self.is_dismissed {
                return Ok(());
            }
            let is_cut_off = self.cut_off.is_some_and(|since| since.elapsed() > CUT_OFF_MAX);
            if is_cut_off || heard.elapsed() > self.silence_max {
                return Err(self.is_alone());
            }
        }
    }

    /// Whether a part has started and is under way: it goes on without a coordinator, which may have lost this agent.
    fn works_on(&self) -> bool {
        match (&self.work, self.barrier.phase()) {
            (Some(work), AgentPhase::Running { start, .. }) => clock::now() < *start + work.alone_max,
            _ => false,
        }
    }

    fn is_alone(&self) -> Error {
        let alone = match self.cut_off {
            Some(_) => "the connection to the coordinator has ended".to_owned(),
            None => format!("no coordinator for {:.0} s", self.silence_max.as_secs_f64()),
        };
        match &self.held {
            None => Error::new(alone),
            Some(held) => {
                let (run, folder) = (held.attempt().run, self.kept.folder().display());
                Error::new(format!("{alone}; the part of run {run} is kept in {folder}"))
                    .hint("`dbdyno fleet collect` completes the record with it")
            }
        }
    }

    fn take(&mut self, message: ToAgent, arrival: &Message) {
        let answer = match message {
            ToAgent::Time => Some(FromAgent::Time { received_ns: arrival.at, answered_ns: clock::now() }),
            ToAgent::Assign { attempt, part } => {
                self.assigned = Some((attempt, *part));
                Some(FromAgent::Assigned { attempt })
            }
            ToAgent::Order(order) => {
                let taken = self.barrier.take(&order, clock::now());
                if taken.gives_up {
                    self.give_up();
                }
                let prepared = if taken.prepares { self.prepare(order.attempt) } else { None };
                taken.answer.or(prepared).map(FromAgent::Answer)
            }
            ToAgent::Fetch { attempt, offset_bytes } => {
                let held = self.held.as_ref().filter(|held| held.attempt() == attempt);
                held.and_then(|held| held.piece(offset_bytes)).map(FromAgent::Piece)
            }
            ToAgent::Release { attempt } => {
                self.held.take_if(|held| held.attempt() == attempt);
                self.kept.remove(&self.fleet, attempt, &self.name);
                None
            }
            ToAgent::Welcome | ToAgent::TurnedAway { .. } | ToAgent::Leave => None,
        };
        if let (Some(answer), Some(reply)) = (answer, arrival.reply.clone()) {
            self.send(reply, &answer);
        }
    }

    /// Begins to prepare `attempt`. A start without work needs no preparation.
    fn prepare(&mut self, attempt: Attempt) -> Option<Answer> {
        let Some((_, part)) = self.assigned.take_if(|(assigned, _)| *assigned == attempt) else {
            return self.barrier.prepared(attempt, None);
        };
        match Work::begin(attempt, part, &self.on) {
            Ok(work) => {
                self.work = Some(work);
                None
            }
            Err(error) => self.barrier.prepared(attempt, Some(error.message)),
        }
    }

    /// Says how far the work is: ready, under way, ended.
    fn look_at_the_work(&mut self) {
        let Some(work) = &self.work else { return };
        let attempt = work.attempt;
        if work.has_ended() {
            let answer = self.end();
            return self.tell(answer);
        }
        if self.said_progress.elapsed() >= PROGRESS_PERIOD {
            self.said_progress = Instant::now();
            let operations = work.operations();
            self.send(self.subjects.reply(&self.name, 0), &FromAgent::Progress { attempt, operations });
        }
        match *self.barrier.phase() {
            AgentPhase::Preparing if work.is_ready() => {
                let answer = self.barrier.prepared(attempt, None);
                self.tell(answer);
            }
            AgentPhase::Armed { start, confirmed: true, .. } => work.release_at(start),
            _ => {}
        }
    }

    /// The work has ended: its results are held, or it could not be carried out.
    fn end(&mut self) -> Option<Answer> {
        let work = self.work.take()?;
        let (attempt, share, record) = (work.attempt, work.share, work.record.clone());
        // The clock may not have been looked at since the start.
        let _ = self.barrier.due(clock::now());
        match work.end() {
            (Ok(result), started) => {
                let text = serde_json::to_string(&result).expect("results are plain data");
                self.held = Some(Held::new(attempt, text));
                if let AgentPhase::Running { start, clock_error } = *self.barrier.phase() {
                    let offset_ns = ClockOffset::default().since(start, started);
                    let start = AgentStart { offset_ns, clock_error_ns: clock_error };
                    let (fleet, agent) = (self.fleet.clone(), self.name.clone());
                    let part = KeptPart { record, fleet, attempt, agent, share, start, result };
                    // Where it cannot be written, it is delivered all the same, and only a loss costs it.
                    let _ = self.kept.keep(&part);
                }
                self.barrier.ended(started)
            }
            (Err(error), _) => {
                let message = error.to_string();
                let failed = self.barrier.prepared(attempt, Some(message.clone()));
                failed.or_else(|| self.barrier.says(Says::Refused(Refusal::Failed { message })))
            }
        }
    }

    fn give_up(&mut self) {
        self.work.take().into_iter().for_each(Work::give_up);
    }

    /// Starts at the agreed moment, or disarms.
    fn look_at_the_clock(&mut self) {
        let has_work = self.work.is_some();
        if let AgentPhase::Armed { start, confirmed: true, .. } = *self.barrier.phase()
            && clock::now() + WAKE_UP >= start
            && !has_work
        {
            wait_until(start);
        }
        let now = clock::now();
        let answer = match self.barrier.due(now) {
            Some(Due::Start) if has_work => None,
            Some(Due::Start) => self.barrier.ended(now),
            Some(Due::Disarm) => {
                self.give_up();
                self.barrier.says(Says::Disarmed)
            }
            None => None,
        };
        self.tell(answer);
    }

    /// Gives an answer to no question: the next one is answered the same.
    fn tell(&self, answer: Option<Answer>) {
        if let Some(answer) = answer {
            self.send(self.subjects.reply(&self.name, 0), &FromAgent::Answer(answer));
        }
    }

    /// How long to wait for a message: not beyond the agreed start.
    fn patience(&self) -> Duration {
        let Some(work) = &self.work else { return LOOK };
        match self.barrier.phase() {
            AgentPhase::Armed { start, .. } => LOOK_CLOSELY.min(Duration::from(*start - WAKE_UP - clock::now())),
            AgentPhase::Running { start, .. } => {
                let left = Duration::from(*start + work.window - clock::now());
                left.clamp(LOOK_CLOSELY, LOOK_AT_WORK)
            }
            _ => LOOK_CLOSELY,
        }
    }

    fn send(&self, subject: String, message: &FromAgent) {
        let payload = serde_json::to_vec(message).expect("messages are plain data");
        self.link.send(subject, None, payload);
    }

    /// The next message of the coordinator, with its arrival; None if there is none within `timeout`.
    fn receive(&mut self, timeout: Duration) -> Result<Option<(ToAgent, Message)>> {
        let message = match self.link.receive(timeout)? {
            Some(Arrival::Message(message)) => message,
            Some(Arrival::Refused(reason)) => return Err(Error::new(format!("the message server refuses: {reason}"))),
            // The link reaches for the server again for a time.
            Some(Arrival::Disconnected) => {
                self.cut_off.get_or_insert_with(Instant::now);
                return Ok(None);
            }
            // Messages from before the end of the way may still arrive after it.
            Some(Arrival::Connected) => {
                self.cut_off = None;
                return Ok(None);
            }
            None => return Ok(None),
        };
        let said = serde_json::from_slice(&message.payload)
            .map_err(|error| Error::new(format!("a message of the coordinator cannot be read: {error}")))?;
        Ok(Some((said, message)))
    }
}
