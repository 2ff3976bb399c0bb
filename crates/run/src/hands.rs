//! Who carries out the jobs of a run: this process, agents, or this process as one of them.

use measure::Broken;
use record::{AgentHost, AgentStart, JobShare, Nanos, Part, PartResult};

use crate::Result;

/// Agents that carry out the jobs of runs.
pub trait Fleet: Sync {
    /// Number of agents.
    fn agents(&self) -> u32;

    /// The agents on other hosts; none where they are on this machine.
    fn agent_hosts(&self) -> Vec<AgentHost> {
        Vec::new()
    }

    /// Processes of the agents on this machine: their processor time is that of the generator.
    fn local_processes(&self) -> Vec<u32>;

    /// Has the agents carry out `parts`, the first of them one each, all started together. Returns when the last one has
    /// ended.
    ///
    /// # Errors
    /// Where one cannot start, or is lost.
    fn carry_out(&self, parts: &[Part], watch: &dyn FleetWatch) -> Result<()>;

    /// Whether all agents can be asked for another run.
    ///
    /// # Errors
    /// Where one was lost.
    fn check(&self) -> Result<()>;

    /// The results that were delivered are in the record: their agents need not keep them.
    fn release(&self);

    /// The results of the parts that were carried out last, in their order.
    ///
    /// # Errors
    /// Where they do not arrive, and where the user does not wait for them.
    fn deliver(&self, is_interrupted: &dyn Fn() -> bool) -> Result<Vec<Delivered>>;
}

/// How far an agent is in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentProgress<'a> {
    /// Its name.
    pub agent: &'a str,
    /// What its jobs have done in the window so far.
    pub operations: u64,
    /// Since when nothing was heard of it.
    pub silent: Nanos,
}

/// An agent whose result is not kept on its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotKept {
    /// Its name.
    pub agent: String,
    /// Why.
    pub reason: String,
}

/// What follows a run of a fleet at the coordinator.
pub trait FleetWatch {
    /// All jobs are warm and wait: what takes its time is done beside the messages. Whether it is done; it is asked again until
    /// it is, and then a start is agreed on.
    fn prepare(&self) -> bool {
        true
    }

    /// All agents start in a moment.
    fn begin(&self) {}

    /// How far the agents are; once a second.
    fn progress(&self, agents: &[AgentProgress<'_>]) {
        let _ = agents;
    }

    /// Nothing is heard of `agent`; until now all agents together have done so many operations in the window.
    fn lost(&self, agent: &str, operations: u64) {
        let _ = (agent, operations);
    }

    /// What [`FleetWatch::begin`] does was done so long after the agreed start.
    fn late(&self, by: Nanos) {
        let _ = by;
    }

    /// For so long the coordinator has not looked at its agents while they worked: it was stopped, or got no processor.
    fn paused(&self, by: Nanos) {
        let _ = by;
    }

    /// The results of these agents are not kept on their hosts: until the run is in the record, the agents alone have them.
    /// Those of a second are told together.
    fn not_kept(&self, agents: &[NotKept]) {
        let _ = agents;
    }

    /// Whether the user has interrupted the run.
    fn is_interrupted(&self) -> bool;
}

/// The result of one part.
#[derive(Clone, Debug)]
pub struct Delivered {
    /// Name of the agent.
    pub agent: String,
    /// When its window started.
    pub start: AgentStart,
    /// What it found out.
    pub result: PartResult,
}

/// What releases the jobs of an agent.
pub trait Release: Sync {
    /// All jobs are warm: waits until all agents are, and then until shortly before the agreed start.
    ///
    /// # Errors
    /// Where the run is given up.
    fn ready(&self) -> std::result::Result<(), Broken>;

    /// Waits for the agreed start.
    fn wait(&self);

    /// The jobs have done so many operations in the window.
    fn progress(&self, operations: u64);
}

/// Who carries out the jobs of a run.
#[derive(Clone, Copy, Default)]
pub(crate) enum Hands<'a> {
    /// This process, all of them.
    #[default]
    Own,
    /// Agents.
    Fleet(&'a dyn Fleet),
    /// This process, as an agent: these of them, when it is released.
    Agent { share: JobShare, release: &'a dyn Release },
}

impl<'a> Hands<'a> {
    /// The agents.
    pub(crate) fn fleet(self) -> Option<&'a dyn Fleet> {
        if let Hands::Fleet(fleet) = self { Some(fleet) } else { None }
    }

    /// What releases the jobs of this agent.
    pub(crate) fn release(self) -> Option<&'a dyn Release> {
        if let Hands::Agent { release, .. } = self { Some(release) } else { None }
    }

    /// The jobs of this process in a run of `jobs`; those of an agent are told by its share.
    pub(crate) fn share(self, jobs: u32) -> JobShare {
        if let Hands::Agent { share, .. } = self { share } else { JobShare::whole(jobs) }
    }
}
