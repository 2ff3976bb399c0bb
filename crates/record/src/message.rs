//! Messages between the coordinator of a fleet and its agents.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    AgentStart, Bytes, CacheState, ForeignLoad, HostInventory, IoPhase, IoPlan, LoadForm, LoadModel, LoopLocation,
    Nanos, Plan, PlannedRun, Run, Scripts, Tool,
};

/// Version of the messages below; coordinator and agents must have the same.
pub const PROTOCOL_VERSION: u32 = 10;

/// What an agent needs to join a fleet. It contains a secret: it is handed over through a pipe, and never shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ticket {
    /// URL of the message server.
    pub url: String,
    /// The fleet, which is valid once.
    pub fleet: String,
    /// Name of the agent.
    pub agent: String,
    /// Its key, by which the message server knows it.
    pub seed: Seed,
    /// The key that it shares with its coordinator: what is not authenticated with it is not obeyed.
    pub message_key: Seed,
    /// What it may do on its host.
    pub permitted: Permitted,
}

/// What an agent may do on its host, as it is told when it is started: a part of a run that asks for more is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Permitted {
    /// The target of the measurement, without a password; absent where no engine is measured.
    pub target: Option<String>,
    /// Devices and existing files that may be read.
    pub devices: Vec<String>,
    /// Those of them that may be overwritten.
    pub destroy: Vec<String>,
    /// Files that may be loaded.
    pub files: Vec<String>,
}

/// The secret half of a key: never printed, not even by `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub String);

impl fmt::Debug for Seed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Seed(...)")
    }
}

/// The first message of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// [`PROTOCOL_VERSION`].
    pub protocol_version: u32,
    /// Version of the format of records.
    pub schema_version: u32,
    /// Checksum of the catalogue of tests.
    pub catalogue_crc32c: u32,
    /// The program.
    pub tool: Tool,
    /// The running kernel, which tells agents on one machine; absent if unknown.
    pub boot_id: Option<String>,
    /// Its machine.
    pub host: HostInventory,
}

/// A message to one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToAgent {
    /// It takes part.
    Welcome,
    /// It does not take part.
    TurnedAway {
        /// Why.
        reason: String,
    },
    /// A question for its clock.
    Time,
    /// The part of a run that the agent carries out when the attempt is ordered.
    Assign {
        /// The attempt.
        attempt: Attempt,
        /// The part.
        part: Box<Part>,
    },
    /// A step of a run.
    Order(Order),
    /// A question for a piece of the results of a run that has ended.
    Fetch {
        /// The attempt.
        attempt: Attempt,
        /// Where the piece begins.
        offset_bytes: u64,
    },
    /// The results have arrived, and need not be kept.
    Release {
        /// The attempt.
        attempt: Attempt,
    },
    /// The fleet has ended.
    Leave,
}

/// A message of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromAgent {
    /// It wants to take part.
    Hello(Box<Hello>),
    /// The answer of its clock.
    Time {
        /// When the question arrived.
        received_ns: Nanos,
        /// When the answer was sent.
        answered_ns: Nanos,
    },
    /// It has its part of the attempt.
    Assigned {
        /// The attempt.
        attempt: Attempt,
    },
    /// About a step of a run.
    Answer(Answer),
    /// It carries out a run.
    Progress {
        /// The attempt.
        attempt: Attempt,
        /// Operations of its jobs in the window so far.
        operations: u64,
    },
    /// A piece of the results.
    Piece(Piece),
    /// It leaves the fleet.
    Left,
}

/// A question to an agent that observes its host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToObserver {
    /// Which server to observe. It is found by its program, or by the port on which it listens.
    Watch {
        /// Program of its processes.
        program: Option<String>,
        /// The port.
        port: Option<u16>,
        /// Directory of its data; absent for the working directory of its first process.
        directory: Option<String>,
    },
    /// Which storage to observe: served by the kernel, or by a program.
    WatchStorage {
        /// Program of the processes that serve it; absent for the kernel.
        program: Option<String>,
        /// Directory of the data, or their device; without it no device is counted.
        directory: Option<String>,
    },
    /// A window is about to begin: processes are listed.
    Scan,
    /// The counters now.
    Read,
    /// The window is over: the load of other programs since the last [`ToObserver::Scan`].
    Load,
}

/// The answer to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromObserver {
    /// The first message, before any question.
    Hello(Box<Hello>),
    /// What is observed.
    Watching {
        /// Program of its processes; absent where the kernel serves.
        program: Option<String>,
        /// Directory of the data, or their device; absent if it is not known.
        directory: Option<String>,
        /// The machine, with file system and devices of the directory.
        host: Box<HostInventory>,
    },
    /// Processes are listed.
    Scanned,
    /// The counters, by the names of [`crate::name`].
    Counters(BTreeMap<String, u64>),
    /// The load of other programs.
    Load(ForeignLoad),
    /// It cannot be done.
    Refused {
        /// Why, with a hint.
        message: String,
    },
}

/// The jobs of a run that one agent carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobShare {
    /// The first of them, counted from 0 over all agents.
    pub first: u32,
    /// Their number.
    pub count: u32,
    /// Number of the jobs of all agents.
    pub all: u32,
}

impl JobShare {
    /// All of `jobs` jobs.
    pub fn whole(jobs: u32) -> JobShare {
        JobShare { first: 0, count: jobs, all: jobs }
    }

    /// `jobs` jobs, spread evenly over `agents` agents. An agent may have none.
    pub fn spread(jobs: u32, agents: u32) -> Vec<JobShare> {
        let agents = agents.max(1);
        let mut first = 0;
        let share = |agent: u32| {
            let count = jobs / agents + u32::from(agent < jobs % agents);
            let share = JobShare { first, count, all: jobs };
            first += count;
            share
        };
        (0..agents).map(share).collect()
    }
}

/// The part of a run that one agent carries out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The record that the run is for: [`crate::Record::key`]; empty for what prepares a run and is in no record.
    pub record: String,
    /// The nodes that it uses; none where no engine is needed. Job i of all agents is on node i modulo their number.
    pub nodes: Vec<PartNode>,
    /// The plan without its runs, with the pace of all jobs of this one.
    pub plan: Plan,
    /// The run; its jobs are those of this part.
    pub planned: PlannedRun,
    /// Which jobs.
    pub share: JobShare,
    /// What is carried out.
    pub kind: PartKind,
}

/// A node of an engine, for an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartNode {
    /// Its number at the coordinator, counted from 1.
    pub number: u32,
    /// The target as an agent reaches it, without a password.
    pub target: String,
}

/// What an agent carries out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PartKind {
    /// A test or a probe.
    Catalogue {
        /// The content of a test file; absent for a test of the catalogue.
        test_file: Option<String>,
        /// The scripts whose test it is; absent for another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scripts: Option<Scripts>,
    },
    /// Jobs of storage.
    Io(Box<IoPart>),
    /// Random blocks of an engine.
    Blocks {
        /// The settings of the method, as lines of `slob.conf`.
        settings: String,
        /// Where the loop is.
        loop_location: LoopLocation,
        /// How the coordinator left the caches; where they are cold, no block is visited twice.
        caches: CacheState,
    },
    /// A bulk load.
    Load(Box<LoadPart>),
}

/// The load that each agent carries out a share of: batch i of generated rows, or file i, is that of job i modulo the jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadPart {
    /// The source of the lines.
    pub source: LoadSource,
    /// The layout of the lines: the name of a known one, or TOML.
    pub layout: String,
    /// Whether the first line of a file is skipped unread where the layout has names there.
    pub header_unread: bool,
    /// Compression of the files; absent to detect it.
    pub compression: Option<String>,
    /// The table, which the coordinator has made.
    pub table: String,
    /// How it is stored.
    pub model: LoadModel,
    /// Ends of the ranges of dates of a partitioned table, in days since 1970-01-01.
    pub partition_ends: Vec<i32>,
    /// How rows reach the engine.
    pub form: LoadForm,
    /// Size of a batch, in bytes of flat file.
    pub batch_bytes: Bytes,
    /// Lines that each agent may reject.
    pub rejected_rows_max: u64,
}

/// Where lines come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LoadSource {
    /// They are generated.
    Generated {
        /// The seed.
        seed: u64,
        /// Number of rows.
        rows: u64,
    },
    /// Files, at the same paths on all hosts.
    Files(Vec<String>),
}

/// The I/O that each agent carries out in a run of storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IoPart {
    /// All phases of the invocation, which the sizes and layouts of files follow from.
    pub plan: IoPlan,
    /// The phase of this run, with its pace on one agent.
    pub phase: IoPhase,
    /// Identifies the invocation in what is written.
    pub writer: u64,
    /// The seed of jobs that have none of their own, the same for all agents.
    pub seed: u64,
    /// Existing devices and files of the agent's host that may be read.
    pub devices: Vec<String>,
    /// Those of them that may be overwritten.
    pub destroy: Vec<String>,
}

/// What an agent found out in its part of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartResult {
    /// Its jobs.
    pub run: Run,
    /// Hardware threads that its jobs may use.
    pub host_threads: u32,
}

/// The result of a part, as an agent keeps it until its coordinator has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptPart {
    /// The record that the run is for: [`crate::Record::key`].
    pub record: String,
    /// The fleet, because numbers of attempts begin anew in each.
    pub fleet: String,
    /// The attempt.
    pub attempt: Attempt,
    /// Name of the agent.
    pub agent: String,
    /// Its jobs.
    pub share: JobShare,
    /// When its window started, by what was known of its clock before.
    pub start: AgentStart,
    /// What it found out.
    pub result: PartResult,
}

/// What tells a kept part from all others, and its content from what may stand in its place later.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartKey {
    /// The fleet.
    pub fleet: String,
    /// The attempt.
    pub attempt: Attempt,
    /// Name of the agent.
    pub agent: String,
    /// SHA-256 of the file that it was read from, hexadecimal.
    pub sha256: String,
}

/// A kept part as its keeper gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenPart {
    /// SHA-256 of the file that it was read from, hexadecimal.
    pub sha256: String,
    /// The part.
    pub part: KeptPart,
}

impl GivenPart {
    /// By what its keeper finds it again.
    pub fn key(&self) -> PartKey {
        let KeptPart { fleet, attempt, agent, .. } = &self.part;
        PartKey { fleet: fleet.clone(), attempt: *attempt, agent: agent.clone(), sha256: self.sha256.clone() }
    }
}

/// A question to the keeper of parts on a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToKeeper {
    /// The next part of this record that was not given yet.
    Next {
        /// [`crate::Record::key`].
        record: String,
    },
    /// These parts, which were given, are not needed any more.
    Remove {
        /// Which ones.
        parts: Vec<PartKey>,
    },
}

/// The answer to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromKeeper {
    /// A part.
    Part(Box<GivenPart>),
    /// Something that stands where parts are, and is none that can be given.
    PassedOver {
        /// What, and why.
        message: String,
    },
    /// There are no more.
    NoMore,
    /// The parts are removed.
    Removed,
    /// It cannot be done.
    Refused {
        /// Why.
        message: String,
    },
}

/// A piece of a [`PartResult`], which is sent as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// The attempt.
    pub attempt: Attempt,
    /// Where it begins.
    pub offset_bytes: u64,
    /// Length of the whole text.
    pub total_bytes: u64,
    /// SHA-256 of the whole text, hexadecimal.
    pub sha256: String,
    /// The piece.
    pub text: String,
}

/// What an order or an answer is about. An epoch is one attempt at a run; a higher one ends all lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// The attempt, counted over all runs of the fleet.
    pub epoch: u64,
    /// Number of the run in the plan.
    pub run: u32,
}

/// An order of the coordinator to one agent. The same order twice has the effect of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The attempt.
    pub attempt: Attempt,
    /// The step.
    pub step: Step,
}

/// Steps of an attempt, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Open the sessions of the run and warm them up.
    Prepare,
    /// Start at this moment of the agent's own clock, if that is confirmed before.
    Arm {
        /// The agreed start.
        start_ns: Nanos,
        /// The error of what the coordinator knows of that clock.
        clock_error_ns: Nanos,
    },
    /// All agents are armed.
    Confirm,
    /// Give the attempt up.
    Abandon,
}

/// An answer of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The attempt.
    pub attempt: Attempt,
    /// What the agent says.
    pub says: Says,
}

/// What an agent says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Says {
    /// All jobs are warm.
    Ready,
    /// It starts at the agreed moment, if that is confirmed.
    Armed,
    /// It starts.
    Confirmed,
    /// The agreed moment came without a confirmation: it does not start.
    Disarmed,
    /// The run has ended, and its part is kept.
    Held {
        /// When it really started, by the agent's own clock.
        started_ns: Nanos,
        /// Why its part is not kept on its host; absent where it is, and where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_kept: Option<String>,
    },
    /// The attempt was given up.
    Abandoned,
    /// An order was not followed.
    Refused(Refusal),
}

/// Why an order was not followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Refusal {
    /// It belongs to an older epoch.
    OlderEpoch {
        /// That of the agent.
        current: u64,
    },
    /// It does not follow the step before it.
    OutOfOrder,
    /// The agreed start has passed.
    TooLate {
        /// By how much.
        by_ns: Nanos,
    },
    /// The run cannot be carried out.
    Failed {
        /// Why, with a hint if there is one.
        message: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_consecutive_even_and_complete() {
        for (jobs, agents) in [(8, 3), (2, 3), (1, 1), (300, 7), (0, 2), (5, 0)] {
            let shares = JobShare::spread(jobs, agents);
            assert_eq!(shares.len() as u32, agents.max(1));
            let ends: Vec<u32> = shares.iter().map(|share| share.first + share.count).collect();
            let starts: Vec<u32> = shares.iter().map(|share| share.first).collect();
            assert_eq!((starts[0], *ends.last().unwrap()), (0, jobs));
            assert_eq!(starts[1..], ends[..ends.len() - 1]);
            let counts = || shares.iter().map(|share| share.count);
            assert!(counts().max().unwrap() - counts().min().unwrap() <= 1, "{shares:?}");
            assert!(shares.iter().all(|share| share.all == jobs));
        }
        assert_eq!(JobShare::spread(4, 1), [JobShare::whole(4)]);
    }
}
