//! The side of the coordinator.

use std::fmt;

use record::{Answer, Attempt, Nanos, Order, Refusal, Says, Step};

use crate::{ClockLine, ClockOffset};

/// The agreed start lies at least so far ahead.
const LEAD_MIN: Nanos = Nanos(2_000_000_000);

/// And so many round trips of the agent that is furthest away.
const LEAD_ROUND_TRIPS: u64 = 10;

/// An agent that takes part in an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// What is known of its clock.
    pub clock: ClockOffset,
}

impl Member {
    fn round_trip(&self) -> Nanos {
        self.clock.error + self.clock.error
    }
}

/// Where an attempt is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BarrierPhase {
    /// Not all agents are ready.
    Preparing,
    /// All agents are ready. The coordinator has not agreed on a start, because it may have to prepare itself.
    Ready,
    /// Not all agents are armed.
    Arming {
        /// The agreed start, by the clock of the coordinator.
        start: Nanos,
    },
    /// All agents are armed, and are told so.
    Confirming {
        /// The agreed start.
        start: Nanos,
    },
    /// The agreed start has passed.
    Started {
        /// The agreed start.
        start: Nanos,
    },
    /// Every agent has ended the run.
    Over {
        /// The agreed start.
        start: Nanos,
    },
    /// The attempt is given up.
    Failed(BarrierFailure),
}

/// Why an attempt is given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BarrierFailure {
    /// Agents did not say in time that they are ready.
    NotReady {
        /// Which.
        agents: Vec<String>,
        /// The time that they had.
        within: Nanos,
    },
    /// Agents did not say before the agreed start that they are armed.
    NotArmed {
        /// Which.
        agents: Vec<String>,
    },
    /// An agent disarmed, because no confirmation reached it before the agreed start.
    Disarmed {
        /// Which.
        agent: String,
    },
    /// The user has interrupted it.
    Interrupted,
    /// An agent is lost.
    Lost {
        /// Which.
        agent: String,
        /// Why.
        loss: Loss,
    },
    /// An agent did not follow an order.
    Refused {
        /// Which.
        agent: String,
        /// Why.
        refusal: Refusal,
    },
}

/// Why an agent counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Nothing was heard of it for so long.
    Silent(Nanos),
    /// It says what cannot be read.
    Unreadable,
    /// Another process has begun with its ticket.
    BegunAgain,
    /// No exchange of timestamps with it is possible.
    Backwards,
}

impl fmt::Display for Loss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Silent(silent) => write!(formatter, "nothing was heard of it for {:.0} s", silent.seconds()),
            Loss::Unreadable => formatter.write_str("a message of it cannot be read"),
            Loss::Backwards => formatter.write_str("its clock runs backwards"),
            Loss::BegunAgain => formatter.write_str("another process has begun with its ticket"),
        }
    }
}

impl fmt::Display for BarrierFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BarrierFailure::NotReady { agents, within } => {
                write!(formatter, "not ready within {:.0} s: agents {}", within.seconds(), agents.join(", "))
            }
            BarrierFailure::NotArmed { agents } => {
                write!(formatter, "not armed before the agreed start: agents {}", agents.join(", "))
            }
            BarrierFailure::Disarmed { agent } => {
                write!(formatter, "agent {agent} did not start: no confirmation reached it before the agreed start")
            }
            BarrierFailure::Interrupted => formatter.write_str("interrupted"),
            BarrierFailure::Lost { agent, loss } => write!(formatter, "agent {agent} is lost: {loss}"),
            BarrierFailure::Refused { agent, refusal } => match refusal {
                Refusal::OlderEpoch { current } => {
                    write!(formatter, "agent {agent} takes part in a newer attempt ({current})")
                }
                Refusal::OutOfOrder => write!(formatter, "agent {agent} had an order out of turn"),
                Refusal::TooLate { by_ns } => {
                    write!(formatter, "an order reached agent {agent} {:.3} s after the agreed start", by_ns.seconds())
                }
                Refusal::Failed { message } => write!(formatter, "agent {agent}: {message}"),
            },
        }
    }
}

impl std::error::Error for BarrierFailure {}

/// One attempt at a run.
#[derive(Clone, Debug)]
pub struct Barrier {
    attempt: Attempt,
    members: Vec<Member>,
    /// The last thing that each member said.
    said: Vec<Option<Says>>,
    /// Why each member that was lost after the start is: the others go on.
    missing: Vec<Option<Loss>>,
    phase: BarrierPhase,
    ready_until: Nanos,
    ready_within: Nanos,
}

impl Barrier {
    /// An attempt that begins `now`; all `members` have to be ready `within` this time.
    pub fn new(attempt: Attempt, members: Vec<Member>, now: Nanos, within: Nanos) -> Barrier {
        let (said, missing) = (vec![None; members.len()], vec![None; members.len()]);
        let phase = BarrierPhase::Preparing;
        Barrier { attempt, members, said, missing, phase, ready_until: now + within, ready_within: within }
    }

    /// Where the attempt is.
    pub fn phase(&self) -> &BarrierPhase {
        &self.phase
    }

    /// What has to be sent, now and again until it is answered, by index of the member.
    pub fn orders(&self) -> Vec<(usize, Order)> {
        let order = |(index, member): (usize, &Member)| {
            let said = self.said[index].as_ref();
            let step = match &self.phase {
                BarrierPhase::Preparing => (said != Some(&Says::Ready)).then_some(Step::Prepare),
                BarrierPhase::Ready => None,
                BarrierPhase::Arming { start } => (said != Some(&Says::Armed)).then(|| {
                    let clock = ClockLine { before: member.clock, after: None }.at(*start);
                    Step::Arm { start_ns: member.clock.to_agent(*start), clock_error_ns: clock.error }
                }),
                BarrierPhase::Confirming { .. } => (said != Some(&Says::Confirmed)).then_some(Step::Confirm),
                // After the agreed start the order only asks: an agent that has started says so, or that it is done.
                BarrierPhase::Started { .. } => (!matches!(said, Some(Says::Held { .. }))).then_some(Step::Confirm),
                BarrierPhase::Over { .. } => None,
                BarrierPhase::Failed(_) => (said != Some(&Says::Abandoned)).then_some(Step::Abandon),
            };
            step.map(|step| (index, Order { attempt: self.attempt, step }))
        };
        // A member that is missing works on, if it lives: its part may be collected later.
        let is_there = |(index, _): &(usize, &Member)| self.missing[*index].is_none();
        self.members.iter().enumerate().filter(is_there).filter_map(order).collect()
    }

    /// Notes what the member at `index` said; an answer about another attempt counts for nothing.
    pub fn take(&mut self, index: usize, answer: &Answer, now: Nanos) {
        let Some(member) = self.members.get(index).filter(|_| answer.attempt == self.attempt) else { return };
        let (agent, says) = (member.name.clone(), &answer.says);
        if let BarrierPhase::Failed(_) = self.phase {
            if *says == Says::Abandoned {
                self.said[index] = Some(Says::Abandoned);
            }
            return;
        }
        match says {
            Says::Refused(refusal) => return self.fail(BarrierFailure::Refused { agent, refusal: refusal.clone() }),
            Says::Disarmed => return self.fail(BarrierFailure::Disarmed { agent }),
            Says::Abandoned => {
                return self.fail(BarrierFailure::Refused { agent, refusal: Refusal::OutOfOrder });
            }
            Says::Ready | Says::Armed | Says::Confirmed | Says::Held { .. } => {}
        }
        // An answer that was overtaken by a later one.
        if rank(says) > self.said[index].as_ref().map_or(0, rank) {
            self.said[index] = Some(says.clone());
        }
        self.go_on(now);
    }

    /// The coordinator is prepared, too: where all agents are ready, their start is agreed on.
    pub fn arm(&mut self, now: Nanos) {
        if self.phase == BarrierPhase::Ready {
            self.phase = BarrierPhase::Arming { start: now + self.lead() };
        }
    }

    /// The coordinator itself did nothing for this time: agents have that much longer to be ready.
    pub fn pause(&mut self, for_time: Nanos) {
        self.ready_until = self.ready_until + for_time;
    }

    /// Notes that it is `now`.
    pub fn tick(&mut self, now: Nanos) {
        match self.phase {
            BarrierPhase::Preparing if now >= self.ready_until => {
                let (agents, within) = (self.behind(&Says::Ready), self.ready_within);
                self.fail(BarrierFailure::NotReady { agents, within });
            }
            BarrierPhase::Arming { start } if now + self.longest_way() >= start => {
                let agents = self.behind(&Says::Armed);
                self.fail(BarrierFailure::NotArmed { agents });
            }
            BarrierPhase::Confirming { start } if now >= start => self.phase = BarrierPhase::Started { start },
            _ => {}
        }
        self.go_on(now);
    }

    fn go_on(&mut self, now: Nanos) {
        match self.phase {
            BarrierPhase::Preparing if self.behind(&Says::Ready).is_empty() => self.phase = BarrierPhase::Ready,
            BarrierPhase::Arming { start } if self.behind(&Says::Armed).is_empty() => {
                match now + self.longest_way() < start {
                    true => self.phase = BarrierPhase::Confirming { start },
                    false => self.fail(BarrierFailure::NotArmed { agents: Vec::new() }),
                }
            }
            BarrierPhase::Started { start } => {
                let is_held = |said: &Option<Says>| matches!(said, Some(Says::Held { .. }));
                let mut left = self.said.iter().zip(&self.missing);
                if left.all(|(said, missing)| is_held(said) || missing.is_some()) {
                    let mut missing = self.missing.iter().enumerate();
                    match missing.find_map(|(index, loss)| Some((index, (*loss)?))) {
                        Some((index, loss)) => self.fail(self.failure_of(index, loss)),
                        None => self.phase = BarrierPhase::Over { start },
                    }
                }
            }
            _ => {}
        }
    }

    /// The attempt.
    pub fn attempt(&self) -> Attempt {
        self.attempt
    }

    /// Gives the attempt up because the user wants it.
    pub fn give_up(&mut self) {
        if !matches!(self.phase, BarrierPhase::Failed(_)) {
            self.fail(BarrierFailure::Interrupted);
        }
    }

    /// Notes that the member at `index` is lost. After the start the others end the run before the attempt is given up;
    /// before it, it is given up at once.
    pub fn lose(&mut self, index: usize, loss: Loss) {
        match self.phase {
            BarrierPhase::Failed(_) | BarrierPhase::Over { .. } => {}
            BarrierPhase::Started { .. } => {
                self.missing[index].get_or_insert(loss);
            }
            _ => {
                self.missing[index] = Some(loss);
                self.fail(self.failure_of(index, loss));
            }
        }
    }

    fn failure_of(&self, index: usize, loss: Loss) -> BarrierFailure {
        BarrierFailure::Lost { agent: self.members[index].name.clone(), loss }
    }

    /// Gives the attempt up.
    fn fail(&mut self, failure: BarrierFailure) {
        self.phase = BarrierPhase::Failed(failure);
        self.said.fill(None);
    }

    /// The agents that take part.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// What the member at `index` said last.
    pub fn said(&self, index: usize) -> Option<&Says> {
        self.said.get(index)?.as_ref()
    }

    /// Names of the members that have not said `what`, nor anything later.
    pub fn behind(&self, what: &Says) -> Vec<String> {
        let is_behind = |said: &Option<Says>| said.as_ref().map_or(0, rank) < rank(what);
        let behind = self.members.iter().zip(&self.said).filter(|(_, said)| is_behind(said));
        behind.map(|(member, _)| member.name.clone()).collect()
    }

    fn longest_way(&self) -> Nanos {
        self.members.iter().map(Member::round_trip).max().unwrap_or_default()
    }

    /// How far ahead the start is agreed upon.
    fn lead(&self) -> Nanos {
        LEAD_MIN.max(Nanos(self.longest_way().0.saturating_mul(LEAD_ROUND_TRIPS)))
    }
}

/// The order of what a member says in an attempt.
fn rank(says: &Says) -> u8 {
    match says {
        Says::Ready => 1,
        Says::Armed => 2,
        Says::Confirmed => 3,
        Says::Held { .. } => 4,
        Says::Disarmed | Says::Abandoned | Says::Refused(_) => 0,
    }
}
