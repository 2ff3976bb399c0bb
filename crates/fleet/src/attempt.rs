//! One attempt at a run: orders to the agents, their answers, and who of them is lost.

use std::time::Duration;

use record::{Answer, FromAgent, Nanos, Order, Says};
use run::{AgentProgress, FleetWatch};

use crate::barrier::{Barrier, BarrierPhase, Loss};
use crate::conversation::{ANSWER_TIMEOUT, Conversation, GREETING_PERIOD, LOOK, REPEAT, Received};
use crate::error::Result;
use crate::silence::Silence;
use crate::work::LEAD;

/// After so long without a message during a run an agent is lost.
pub(crate) const SILENCE_MAX: Nanos = Nanos(10_000_000_000);

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
            operations: vec![0; count],
            failed_at: None,
            has_begun: false,
            told: now,
        }
    }

    /// Sends orders and takes answers until the attempt is over or all agents have given it up.
    ///
    /// # Errors
    /// Where the connection has ended.
    pub(crate) fn drive(mut self) -> Result<()> {
        loop {
            let now = self.conversation.now();
            let orders = self.barrier.orders();
            if self.is_done(&orders, now) {
                return Ok(());
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

    fn is_done(&mut self, orders: &[(usize, Order)], now: Nanos) -> bool {
        match self.barrier.phase() {
            BarrierPhase::Over { .. } => true,
            BarrierPhase::Failed(_) => {
                let failed_at = *self.failed_at.get_or_insert(now);
                // An agent that does not even give up has no influence on what is reported.
                orders.is_empty() || now - failed_at > ANSWER_TIMEOUT.into()
            }
            _ => false,
        }
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

    /// What takes its time here is done before a start is agreed on, while all jobs are warm and wait.
    fn prepare(&mut self) {
        if *self.barrier.phase() == BarrierPhase::Ready {
            self.watch.prepare();
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
                    self.tell_not_kept(index, &answer);
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

    /// Tells of a part that is not kept on its host, once and at once: whoever loses it later looks for it there.
    fn tell_not_kept(&mut self, index: usize, answer: &Answer) {
        if let Says::Held { not_kept: Some(why), .. } = &answer.says
            && answer.attempt == self.barrier.attempt()
            && !std::mem::replace(&mut self.has_not_kept[index], true)
        {
            self.watch.not_kept(&self.agents[index], why);
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
    }
}
