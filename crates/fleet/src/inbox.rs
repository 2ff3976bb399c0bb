//! What has arrived and waits to be taken. It is bounded: a sender that floods loses its own messages, and nobody else's.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::subject::agent_of;
use crate::wire::{Arrival, Message};

/// Messages of one agent that wait, at most. An agent says one thing a second, and answers one question at a time.
pub(crate) const MESSAGES_MAX: usize = 256;

/// Bytes of messages of, or to, one agent that wait, at most: the part of a run may have half of it.
const BYTES_MAX: usize = 16 << 20;

/// Bytes of all messages that wait, at most.
const ALL_BYTES_MAX: usize = 256 << 20;

/// Refusals of the server that wait, at most.
const REFUSALS_MAX: usize = 64;

/// What waits.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    arrivals: VecDeque<Arrival>,
    /// Messages and bytes of each agent that has some.
    of_agents: BTreeMap<String, (usize, usize)>,
    bytes: usize,
    refusals: usize,
    is_over: bool,
    /// The most messages of one agent that have waited.
    #[cfg(test)]
    most_of_one: usize,
}

impl Waiting {
    /// The most messages of one agent that have waited.
    #[cfg(test)]
    pub(crate) fn most_of_one(&self) -> usize {
        self.most_of_one
    }

    /// Adds `message`, unless there are too many of its agent; returns whether it was added. What is dropped is asked for
    /// again by whoever needs it.
    pub(crate) fn add(&mut self, message: Message) -> bool {
        let size = message.payload.len();
        let (count, bytes) = self.of_agents.get(agent_of(&message.subject)).copied().unwrap_or_default();
        let is_full = count >= MESSAGES_MAX || bytes + size > BYTES_MAX || self.bytes + size > ALL_BYTES_MAX;
        if is_full || self.is_over {
            return false;
        }
        self.of_agents.insert(agent_of(&message.subject).to_owned(), (count + 1, bytes + size));
        self.bytes += size;
        #[cfg(test)]
        (self.most_of_one = self.most_of_one.max(count + 1));
        self.arrivals.push_back(Arrival::Message(message));
        true
    }

    fn refuse(&mut self, reason: String) {
        if self.refusals < REFUSALS_MAX && !self.is_over {
            self.refusals += 1;
            self.arrivals.push_back(Arrival::Refused(reason));
        }
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.arrivals.push_back(Arrival::Over);
        }
    }

    /// The next arrival.
    pub(crate) fn take(&mut self) -> Option<Arrival> {
        let arrival = self.arrivals.pop_front()?;
        match &arrival {
            Arrival::Message(message) => {
                let agent = agent_of(&message.subject);
                self.bytes -= message.payload.len();
                if let Some((count, bytes)) = self.of_agents.get_mut(agent) {
                    (*count, *bytes) = (*count - 1, *bytes - message.payload.len());
                    if *count == 0 {
                        self.of_agents.remove(agent);
                    }
                }
            }
            Arrival::Refused(_) => self.refusals -= 1,
            Arrival::Over => {}
        }
        Some(arrival)
    }
}

/// What waits, for the thread that receives and the one that takes.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    waiting: Mutex<Waiting>,
    added: Condvar,
}

impl Inbox {
    /// Adds a message, unless there are too many of its agent.
    pub(crate) fn add(&self, message: Message) {
        self.lock().add(message);
        self.added.notify_one();
    }

    /// Adds a refusal of the server.
    pub(crate) fn refuse(&self, reason: String) {
        self.lock().refuse(reason);
        self.added.notify_one();
    }

    /// Nothing arrives any more.
    pub(crate) fn end(&self) {
        self.lock().end();
        self.added.notify_one();
    }

    /// The next arrival; None if there is none within `timeout`.
    pub(crate) fn take(&self, timeout: Duration) -> Option<Arrival> {
        let start = Instant::now();
        let mut waiting = self.lock();
        loop {
            if let Some(arrival) = waiting.take() {
                return Some(arrival);
            }
            let left = timeout.checked_sub(start.elapsed()).filter(|left| !left.is_zero())?;
            waiting = self.added.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use record::Nanos;

    use super::*;

    fn message(agent: &str, size: usize) -> Message {
        Message { subject: format!("dbd.f.r.{agent}.1"), reply: None, payload: vec![0; size], at: Nanos(0) }
    }

    #[test]
    fn an_agent_that_floods_loses_its_own_messages() {
        let mut waiting = Waiting::default();
        let taken = (0..10 * MESSAGES_MAX).filter(|_| waiting.add(message("a", 1))).count();
        assert_eq!(taken, MESSAGES_MAX);
        assert!(waiting.add(message("b", 1)), "the others are heard");
        assert!(!waiting.add(message("a", 1)));
        assert!(matches!(waiting.take(), Some(Arrival::Message(_))));
        assert!(waiting.add(message("a", 1)), "there is room again");
        while waiting.take().is_some() {}
        assert_eq!((waiting.bytes, waiting.of_agents.len()), (0, 0));
    }

    #[test]
    fn bytes_are_bounded_for_one_agent_and_for_all() {
        let mut waiting = Waiting::default();
        let size = 1 << 20;
        assert_eq!((0..99).filter(|_| waiting.add(message("a", size))).count(), BYTES_MAX / size);
        for agent in 0..99 {
            while waiting.add(message(&format!("b{agent}"), size)) {}
        }
        assert_eq!(waiting.bytes, ALL_BYTES_MAX);
        let refused = (0..9_999).map(|_| waiting.refuse("no".to_owned())).count();
        assert_eq!((refused, waiting.refusals), (9_999, REFUSALS_MAX));
    }

    #[test]
    fn the_end_is_told_once_after_what_arrived_before() {
        let inbox = Inbox::default();
        inbox.add(message("a", 1));
        inbox.end();
        inbox.add(message("a", 1));
        inbox.end();
        assert!(matches!(inbox.take(Duration::ZERO), Some(Arrival::Message(_))));
        assert_eq!(inbox.take(Duration::ZERO), Some(Arrival::Over));
        assert_eq!(inbox.take(Duration::from_millis(1)), None);
    }
}
