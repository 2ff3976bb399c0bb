//! The side of an agent.

use record::{Answer, Attempt, Nanos, Order, Refusal, Says, Step};

/// Where an agent is in an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AgentPhase {
    /// Nothing is asked of it.
    #[default]
    Joined,
    /// It opens its sessions and warms them up.
    Preparing,
    /// All jobs are warm.
    Prepared,
    /// It starts at this moment of its clock, if that is confirmed before.
    Armed {
        /// The agreed start.
        start: Nanos,
        /// The error of what the coordinator knows of its clock.
        clock_error: Nanos,
        /// Whether all agents are armed.
        confirmed: bool,
    },
    /// It has started.
    Running {
        /// The agreed start.
        start: Nanos,
        /// The error of what the coordinator knows of its clock.
        clock_error: Nanos,
    },
    /// The run has ended.
    Held {
        /// The agreed start.
        start: Nanos,
        /// When it really started.
        started: Nanos,
        /// Why its part is not kept on its host; None where it is, and where there is none.
        not_kept: Option<String>,
    },
    /// The agreed start came without a confirmation.
    Disarmed,
    /// The run could not be prepared.
    Failed {
        /// Why.
        message: String,
    },
}

/// What an order leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Whether what the agent does for an earlier attempt, or for this one, is given up.
    pub gives_up: bool,
    /// Whether it begins to prepare the attempt.
    pub prepares: bool,
    /// What it answers at once.
    pub answer: Option<Answer>,
}

/// What an agent does at the agreed start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Start.
    Start,
    /// Do not start, and say so.
    Disarm,
}

/// The barrier as one agent sees it.
#[derive(Clone, Debug, Default)]
pub struct AgentBarrier {
    attempt: Option<Attempt>,
    phase: AgentPhase,
}

impl AgentBarrier {
    /// Where the agent is.
    pub fn phase(&self) -> &AgentPhase {
        &self.phase
    }

    /// The attempt that it takes part in.
    pub fn attempt(&self) -> Option<Attempt> {
        self.attempt
    }

    /// Follows `order`, which arrived at `now`.
    pub fn take(&mut self, order: &Order, now: Nanos) -> Taken {
        match self.attempt {
            Some(current) if order.attempt == current => self.step(order.step, now),
            Some(current) if order.attempt.epoch < current.epoch => {
                refused(order.attempt, Refusal::OlderEpoch { current: current.epoch })
            }
            // Two runs never share an epoch.
            Some(current) if order.attempt.epoch == current.epoch => refused(order.attempt, Refusal::OutOfOrder),
            _ => self.begin(order),
        }
    }

    /// The first order of a newer epoch.
    fn begin(&mut self, order: &Order) -> Taken {
        let gives_up = self.is_busy();
        match order.step {
            Step::Prepare => {
                (self.attempt, self.phase) = (Some(order.attempt), AgentPhase::Preparing);
                Taken { gives_up, prepares: true, answer: None }
            }
            Step::Abandon => {
                (self.attempt, self.phase) = (Some(order.attempt), AgentPhase::Joined);
                Taken { gives_up, prepares: false, answer: self.says(Says::Abandoned) }
            }
            // A message of an attempt whose first order is still on its way.
            Step::Arm { .. } | Step::Confirm => refused(order.attempt, Refusal::OutOfOrder),
        }
    }

    /// A step of the current attempt.
    fn step(&mut self, step: Step, now: Nanos) -> Taken {
        let says = match step {
            Step::Abandon => return self.abandon(),
            Step::Prepare => match &self.phase {
                AgentPhase::Preparing => None,
                AgentPhase::Joined => Some(Says::Abandoned),
                AgentPhase::Failed { message } => Some(Says::Refused(Refusal::Failed { message: message.clone() })),
                AgentPhase::Disarmed => Some(Says::Disarmed),
                _ => Some(Says::Ready),
            },
            Step::Arm { start_ns, clock_error_ns } => Some(self.arm(start_ns, clock_error_ns, now)),
            Step::Confirm => Some(self.confirm(now)),
        };
        Taken { answer: says.and_then(|says| self.says(says)), ..Taken::default() }
    }

    fn arm(&mut self, asked: Nanos, clock_error: Nanos, now: Nanos) -> Says {
        match &self.phase {
            AgentPhase::Prepared if now >= asked => Says::Refused(Refusal::TooLate { by_ns: now - asked }),
            AgentPhase::Prepared => {
                self.phase = AgentPhase::Armed { start: asked, clock_error, confirmed: false };
                Says::Armed
            }
            AgentPhase::Armed { start, .. } | AgentPhase::Running { start, .. } | AgentPhase::Held { start, .. }
                if *start == asked =>
            {
                Says::Armed
            }
            AgentPhase::Disarmed => Says::Disarmed,
            _ => Says::Refused(Refusal::OutOfOrder),
        }
    }

    fn confirm(&mut self, now: Nanos) -> Says {
        match &mut self.phase {
            AgentPhase::Armed { start, confirmed: false, .. } if now >= *start => {
                let by_ns = now - *start;
                self.phase = AgentPhase::Disarmed;
                Says::Refused(Refusal::TooLate { by_ns })
            }
            AgentPhase::Armed { confirmed, .. } => {
                *confirmed = true;
                Says::Confirmed
            }
            AgentPhase::Running { .. } => Says::Confirmed,
            AgentPhase::Held { started, not_kept, .. } => {
                Says::Held { started_ns: *started, not_kept: not_kept.clone() }
            }
            AgentPhase::Disarmed => Says::Disarmed,
            _ => Says::Refused(Refusal::OutOfOrder),
        }
    }

    fn abandon(&mut self) -> Taken {
        let gives_up = self.is_busy();
        self.phase = AgentPhase::Joined;
        Taken { gives_up, prepares: false, answer: self.says(Says::Abandoned) }
    }

    /// All jobs of `attempt` are warm, or `failure` says why not. The answer; None for another attempt than the current
    /// one.
    pub fn prepared(&mut self, attempt: Attempt, failure: Option<String>) -> Option<Answer> {
        if self.attempt != Some(attempt) || self.phase != AgentPhase::Preparing {
            return None;
        }
        match failure {
            None => {
                self.phase = AgentPhase::Prepared;
                self.says(Says::Ready)
            }
            Some(message) => {
                self.phase = AgentPhase::Failed { message: message.clone() };
                self.says(Says::Refused(Refusal::Failed { message }))
            }
        }
    }

    /// What to do at `now`; None before the agreed start, and where there is none.
    pub fn due(&mut self, now: Nanos) -> Option<Due> {
        let AgentPhase::Armed { start, clock_error, confirmed } = self.phase else { return None };
        if now < start {
            return None;
        }
        let (phase, due) = match confirmed {
            true => (AgentPhase::Running { start, clock_error }, Due::Start),
            false => (AgentPhase::Disarmed, Due::Disarm),
        };
        self.phase = phase;
        Some(due)
    }

    /// The run of the current attempt has ended, which really started at `started`; `not_kept` is why its part is not
    /// kept on this host, if it is not.
    pub fn ended(&mut self, started: Nanos, not_kept: Option<String>) -> Option<Answer> {
        let AgentPhase::Running { start, .. } = self.phase else { return None };
        self.phase = AgentPhase::Held { start, started, not_kept: not_kept.clone() };
        self.says(Says::Held { started_ns: started, not_kept })
    }

    /// An answer about the current attempt.
    pub fn says(&self, says: Says) -> Option<Answer> {
        self.attempt.map(|attempt| Answer { attempt, says })
    }

    /// Whether it does something for its attempt that can be given up.
    fn is_busy(&self) -> bool {
        !matches!(self.phase, AgentPhase::Joined | AgentPhase::Held { .. } | AgentPhase::Failed { .. })
    }
}

fn refused(attempt: Attempt, refusal: Refusal) -> Taken {
    Taken { answer: Some(Answer { attempt, says: Says::Refused(refusal) }), ..Taken::default() }
}
