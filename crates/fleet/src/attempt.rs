//! One attempt at a run: orders to the agents, their answers, and who of them is lost.

use std::time::Duration;

use record::{Answer, FromAgent, Nanos, Order, Says};
use run::{AgentProgress, FleetWatch, NotKept};

use crate::barrier::{Barrier, BarrierPhase, Loss};
use crate::conversation::{ANSWER_TIMEOUT, Conversation, GREETING_PERIOD, LOOK, REPEAT, Received};
use crate::error::Result;
use crate::silence::Silence;
use crate::work::LEAD;

/// After so long without a message during a run an agent is lost.
pub(crate) const SILENCE_MAX: Nanos = Nanos(10_000_000_000);

/// How long is waited for agents that say that they are about to give their parts up. What they do meanwhile is done to what
/// the next run is made of; after that they are lost.
pub(crate) const GIVE_UP_MAX: Nanos = Nanos(60_000_000_000);

/// How long is waited for a message while the agents work: the processor time of the coordinator is that of the generator.
const LOOK_AT_WORK: Duration = Duration::from_millis(250);

/// A coordinator that has read its counters so long after the agreed start says so.
const LATE_MIN: Nanos = Nanos(100_000_000);

/// So does one that has not looked at its agents for so much longer than it should while they worked.
const PAUSE_TOLD_MIN: Nanos = Nanos(1_000_000_000);

/// An attempt that is under way.
pub(crate) struct AttemptDrive<'a> {
    conversation: &'a mut Conversation,
    /// Those that take part.
    agents: &'a [String],
    barrier: &'a mut Barrier,
    watch: &'a dyn FleetWatch,
    /// The agents that were lost.
    lost: &'a mut Vec<String>,
    /// Whether they carry out parts of a run.
    has_work: bool,
    silence: Silence,
    sent: Vec<Option<(Order, Nanos)>>,
    /// Those that were found lost in this attempt, and those that have said that they do not keep their part.
    found_lost: Vec<bool>,
    has_not_kept: Vec<bool>,
    /// What of the latter is not told yet.
    not_kept: Vec<NotKept>,
    operations: Vec<u64>,
    failed_at: Option<Nanos>,
    has_begun: bool,
    told: Nanos,
}

impl<'a> AttemptDrive<'a> {
    pub(crate) fn new(
        conversation: &'a mut Conversation,
        agents: &'a [String],
        barrier: &'a mut Barrier,
        watch: &'a dyn FleetWatch,
        lost: &'a mut Vec<String>,
        has_work: bool,
    ) -> AttemptDrive<'a> {
        let (count, now) = (agents.len(), conversation.now());
        AttemptDrive {
            conversation,
            agents,
            barrier,
            watch,
            lost,
            has_work,
            silence: Silence::new(count, now),
            sent: vec![None; count],
            found_lost: vec![false; count],
            has_not_kept: vec![false; count],
            not_kept: Vec::new(),
            operations: vec![0; count],
            failed_at: None,
            has_begun: false,
            told: now,
        }
    }

    /// Sends orders and takes answers until the attempt is over or all agents have given it up. Returns those that are lost
    /// because they have not, though they are there.
    pub(crate) fn drive(mut self) -> Result<Vec<String>> {
        let driven = self.drive_to_the_end();
        self.tell_not_kept();
        driven
    }

    fn drive_to_the_end(&mut self) -> Result<Vec<String>> {
        loop {
            let now = self.conversation.now();
            let orders = self.barrier.orders();
            if let Some(not_given_up) = self.done(&orders, now) {
                return Ok(not_given_up);
            }
            self.order(orders, now);
            self.prepare();
            self.begin();
            self.hear()?;
            let now = self.conversation.now();
            // Only after everything was taken that has arrived.
            self.judge(now);
            self.barrier.tick(now);
            if self.watch.is_interrupted() {
                self.barrier.give_up();
            }
            self.tell(now);
        }
    }

    /// Some when nothing more is to be done, with the agents that are there and have not given up.
    fn done(&mut self, orders: &[(usize, Order)], now: Nanos) -> Option<Vec<String>> {
        match self.barrier.phase() {
            BarrierPhase::Over { .. } => return Some(Vec::new()),
            BarrierPhase::Failed(_) => {}
            _ => return None,
        }
        let waited = now - *self.failed_at.get_or_insert(now);
        let is_there = |index: &usize| {
            self.silence.of(*index) <= ANSWER_TIMEOUT.into() && self.conversation.loss(&self.agents[*index]).is_none()
        };
        // One that says nothing has no influence on what is reported: the next question finds it.
        let there: Vec<usize> = orders.iter().map(|(index, _)| *index).filter(is_there).collect();
        let is_over = orders.is_empty()
            || waited > ANSWER_TIMEOUT.into() && (there.is_empty() || self.watch.is_interrupted())
            || waited > GIVE_UP_MAX;
        is_over.then(|| match waited > GIVE_UP_MAX {
            true => there.into_iter().map(|index| self.agents[index].clone()).collect(),
            false => Vec::new(),
        })
    }

    fn order(&mut self, orders: Vec<(usize, Order)>, now: Nanos) {
        for (index, order) in orders {
            let is_new = |(last, at): &(Order, Nanos)| *last != order || now - *at >= REPEAT;
            if self.sent[index].as_ref().is_none_or(is_new) {
                self.conversation.ask(&self.agents[index], &record::ToAgent::Order(order.clone()));
                self.sent[index] = Some((order, now));
            }
        }
    }

    /// What takes its time here is done before a start is agreed on, while all jobs are warm and wait. Agents are talked to
    /// meanwhile, and the user is heard.
    fn prepare(&mut self) {
        if *self.barrier.phase() == BarrierPhase::Ready && self.watch.prepare() {
            self.barrier.arm(self.conversation.now());
        }
    }

    fn begin(&mut self) {
        if let BarrierPhase::Confirming { start } | BarrierPhase::Started { start } = *self.barrier.phase()
            && self.conversation.now() + LEAD >= start
            && !std::mem::replace(&mut self.has_begun, true)
        {
            self.watch.begin();
            let now = self.conversation.now();
            // What it takes is told as such, and is no pause of the window.
            self.barrier.pause(self.silence.look(now));
            if now - start >= LATE_MIN {
                self.watch.late(now - start);
            }
        }
    }

    /// Takes all that has arrived.
    fn hear(&mut self) -> Result<()> {
        let look = if self.has_begun { LOOK_AT_WORK } else { LOOK };
        let received = self.conversation.take(look)?;
        let now = self.conversation.now();
        for Received { agent, says, at, .. } in received {
            let Some(index) = self.agents.iter().position(|known| *known == agent) else { continue };
            self.silence.hear(index, at);
            match says {
                FromAgent::Answer(answer) => {
                    self.note_not_kept(index, &answer);
                    // What waited while the coordinator paused is news now: the start is agreed on from here.
                    self.barrier.take(index, &answer, now);
                }
                FromAgent::Progress { attempt, operations } if attempt == self.barrier.attempt() => {
                    self.operations[index] = operations;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes a part that is not kept on its host, once.
    fn note_not_kept(&mut self, index: usize, answer: &Answer) {
        if let Says::Held { not_kept: Some(why), .. } = &answer.says
            && answer.attempt == self.barrier.attempt()
            && !std::mem::replace(&mut self.has_not_kept[index], true)
        {
            self.not_kept.push(NotKept { agent: self.agents[index].clone(), reason: why.clone() });
        }
    }

    /// Tells of the parts that are not kept, soon and together: whoever loses one later looks for it on its host.
    fn tell_not_kept(&mut self) {
        let not_kept = std::mem::take(&mut self.not_kept);
        if !not_kept.is_empty() {
            self.watch.not_kept(&not_kept);
        }
    }

    /// Finds out who is lost.
    fn judge(&mut self, now: Nanos) {
        let paused = self.silence.look(now);
        self.barrier.pause(paused);
        if self.has_begun && paused >= PAUSE_TOLD_MIN {
            self.watch.paused(paused);
        }
        if matches!(self.barrier.phase(), BarrierPhase::Failed(_)) {
            return;
        }
        if !self.has_work && *self.barrier.phase() == BarrierPhase::Preparing {
            // Without work there is no progress to tell: one that is ready says so once, and waits for the others.
            let is_ready = |index: &usize| matches!(self.barrier.said(*index), Some(Says::Ready));
            (0..self.agents.len()).filter(is_ready).for_each(|index| self.silence.hear(index, now));
        }
        for (index, agent) in self.agents.iter().enumerate() {
            let loss = match self.conversation.loss(agent) {
                Some(loss) => loss,
                None if self.silence_of(index) > SILENCE_MAX => Loss::Silent(SILENCE_MAX),
                None => continue,
            };
            if !std::mem::replace(&mut self.found_lost[index], true) {
                self.barrier.lose(index, loss);
                self.watch.lost(agent, self.operations.iter().fold(0, |all, one| all.saturating_add(*one)));
                self.lost.push(agent.clone());
            }
        }
    }

    /// For how long nothing was heard of an agent that has something to say: one that has ended says so once, and waits to
    /// be asked for its results.
    fn silence_of(&self, index: usize) -> Nanos {
        match self.barrier.said(index) {
            Some(Says::Held { .. }) => Nanos(0),
            _ => self.silence.of(index),
        }
    }

    /// Tells how far the agents are.
    fn tell(&mut self, now: Nanos) {
        if !self.has_begun || now - self.told < GREETING_PERIOD.into() {
            return;
        }
        self.told = now;
        let progress = |(index, agent): (usize, &'a String)| AgentProgress {
            agent,
            operations: self.operations[index],
            silent: self.silence_of(index),
        };
        let agents: Vec<AgentProgress<'_>> = self.agents.iter().enumerate().map(progress).collect();
        self.watch.progress(&agents);
        self.tell_not_kept();
    }
}
