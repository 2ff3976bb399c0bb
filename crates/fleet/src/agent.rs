//! An agent of a fleet: it joins with a ticket and follows the orders of the coordinator.

use std::time::{Duration, Instant};

use measure::clock;
use record::{FromAgent, Hello, Nanos, Says, Ticket, ToAgent};

use crate::barrier::{AgentBarrier, AgentPhase, Due};
use crate::error::{Error, Result};
use crate::link::{Arrival, Link, Message};
use crate::subject::Subjects;

/// How often an agent says hello until it is answered.
const HELLO_PERIOD: Duration = Duration::from_millis(500);

/// How long an agent waits for an answer to its hello.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(60);

/// How long an agent without its coordinator goes on waiting.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// How long before the agreed start a thread stops sleeping.
const WAKE_UP: Nanos = Nanos(2_000_000);

/// How long is waited for a message before the clock is looked at again.
const LOOK: Duration = Duration::from_millis(100);

/// An agent that takes part in a fleet.
pub struct Agent {
    link: Link,
    subjects: Subjects,
    name: String,
    barrier: AgentBarrier,
}

impl Agent {
    /// Joins the fleet of `ticket`.
    ///
    /// # Errors
    /// Where the server cannot be reached with this ticket, and where the coordinator turns the agent away.
    pub fn join(ticket: &Ticket, hello: &Hello) -> Result<Agent> {
        let subjects = Subjects::of(&ticket.fleet);
        let link = Link::connect(&ticket.url, &ticket.seed, subjects.of_agent(&ticket.agent))?;
        let agent = Agent { link, subjects, name: ticket.agent.clone(), barrier: AgentBarrier::default() };
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
        let mut heard = Instant::now();
        loop {
            let arrived = self.receive(self.patience())?;
            if let Some((message, arrival)) = arrived {
                heard = Instant::now();
                if message == ToAgent::Leave {
                    let _ = arrival.reply.map(|reply| self.send(reply, &FromAgent::Left));
                    return Ok(());
                }
                self.take(message, &arrival);
            }
            self.look_at_the_clock();
            if heard.elapsed() > SILENCE_MAX {
                return Err(Error::new(format!("no coordinator for {} s", SILENCE_MAX.as_secs())));
            }
        }
    }

    fn take(&mut self, message: ToAgent, arrival: &Message) {
        let answer = match message {
            ToAgent::Time => Some(FromAgent::Time { received_ns: arrival.at, answered_ns: clock::now() }),
            ToAgent::Order(order) => {
                let taken = self.barrier.take(&order, clock::now());
                // A start without work needs no preparation.
                let ready = taken.prepares.then(|| self.barrier.prepared(order.attempt, None)).flatten();
                taken.answer.or(ready).map(FromAgent::Answer)
            }
            ToAgent::Welcome | ToAgent::TurnedAway { .. } | ToAgent::Leave => None,
        };
        if let (Some(answer), Some(reply)) = (answer, arrival.reply.clone()) {
            self.send(reply, &answer);
        }
    }

    /// Starts at the agreed moment, or disarms.
    fn look_at_the_clock(&mut self) {
        if let AgentPhase::Armed { start, confirmed: true } = *self.barrier.phase()
            && clock::now() + WAKE_UP >= start
        {
            while clock::now() < start {
                std::hint::spin_loop();
            }
        }
        let now = clock::now();
        let said = match self.barrier.due(now) {
            Some(Due::Start) => self.barrier.ended(now),
            Some(Due::Disarm) => self.barrier.says(Says::Disarmed),
            None => None,
        };
        // The answer to no question: the next one is answered the same.
        if let Some(answer) = said {
            self.send(self.subjects.reply(&self.name, 0), &FromAgent::Answer(answer));
        }
    }

    /// How long to wait for a message: not beyond the agreed start.
    fn patience(&self) -> Duration {
        match self.barrier.phase() {
            AgentPhase::Armed { start, .. } => LOOK.min(Duration::from(*start - WAKE_UP - clock::now())),
            _ => LOOK,
        }
    }

    fn send(&self, subject: String, message: &FromAgent) {
        let payload = serde_json::to_vec(message).expect("messages are plain data");
        self.link.send(subject, None, payload);
    }

    /// The next message of the coordinator, with its arrival; None if there is none within `timeout`.
    fn receive(&self, timeout: Duration) -> Result<Option<(ToAgent, Message)>> {
        let message = match self.link.receive(timeout)? {
            Some(Arrival::Message(message)) => message,
            Some(Arrival::Refused(reason)) => return Err(Error::new(format!("the message server refuses: {reason}"))),
            // The link reaches for the server again; how long, the silence decides.
            Some(Arrival::Disconnected) | None => return Ok(None),
        };
        let said = serde_json::from_slice(&message.payload)
            .map_err(|error| Error::new(format!("a message of the coordinator cannot be read: {error}")))?;
        Ok(Some((said, message)))
    }
}
