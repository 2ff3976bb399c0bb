//! The plan of one invocation, decided before the first measurement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    IoPlan, LoadBeside, LoadInKind, Nanos, NetworkPath, Pace, PlanSubject, RunKind, Scripts, Until, Variation,
};

/// Presets of duration and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Checks that everything works; its figures are meaningless.
    Smoke,
    /// A first look, within five minutes.
    Quick,
    /// Figures to work with.
    Standard,
    /// Figures to publish.
    Publish,
    /// Long enough to see burst credits of disks and processors spent.
    Soak,
}

impl Preset {
    /// All of them, the shortest first.
    pub const ALL: [Preset; 5] = [Preset::Smoke, Preset::Quick, Preset::Standard, Preset::Publish, Preset::Soak];

    /// Lengths of warm-up and window of a run, where no others are asked for.
    pub fn windows(self) -> (Nanos, Nanos) {
        let milliseconds = |count: u64| Nanos(count * 1_000_000);
        match self {
            Preset::Smoke => (milliseconds(0), milliseconds(100)),
            Preset::Quick => (milliseconds(400), milliseconds(2_000)),
            Preset::Standard => (milliseconds(5_000), milliseconds(30_000)),
            Preset::Publish => (milliseconds(60_000), milliseconds(300_000)),
            Preset::Soak => (milliseconds(60_000), milliseconds(1_800_000)),
        }
    }
}

/// CPU pinning of the jobs and of a temporary server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// None: the kernel decides, and may migrate threads.
    #[default]
    Kernel,
    /// Job i on processor i, and its server process, if any, on the next processor.
    Spread,
    /// Job i on processor i, and its server process, if any, on the same one.
    Paired,
}

/// Degree of parallelism of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Dop {
    /// Nodes of the engine (#N), at least 1.
    pub nodes: u32,
    /// Concurrent sessions (#J), at least 1.
    pub jobs: u32,
    /// Parallelism inside one statement (#T), at least 1.
    pub threads: u32,
}

impl Dop {
    /// `jobs` sessions on one node, one thread each.
    pub fn jobs(jobs: u32) -> Dop {
        Dop { nodes: 1, jobs, threads: 1 }
    }
}

/// A planned run: one test at one degree of parallelism.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedRun {
    /// Position in the plan, counted from 1; its run has the same number.
    pub number: u32,
    /// The code of the test.
    pub test: String,
    /// Kind of run; absent for a test of an engine.
    #[serde(default, skip_serializing_if = "RunKind::is_test")]
    pub kind: RunKind,
    /// Degree of parallelism.
    pub dop: Dop,
    /// Number of the repeat of this test at this degree of parallelism, counted from 1.
    pub repeat: u32,
    /// Variation of the plain run of the test; absent for the plain run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variation: Option<Variation>,
}

impl PlannedRun {
    /// The first plain run of `test` at `dop`, not numbered yet.
    pub fn new(test: impl Into<String>, kind: RunKind, dop: Dop) -> PlannedRun {
        PlannedRun { number: 0, test: test.into(), kind, dop, repeat: 1, variation: None }
    }
}

/// The two sides of a comparison in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The base.
    A,
    /// The other one.
    B,
}

/// A record that is one side of a comparison in pairs: repeat r of a test at a degree of parallelism was run next to
/// repeat r on the other side, in randomized order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pairing {
    /// The side of this record.
    pub side: Side,
    /// The name of the record of the other side.
    pub other: String,
    /// The target of the other side, without a password.
    pub other_target: String,
    /// Hash of the common workload, fixed before the first pair and equal on both sides: `sha256:` and 64 hexadecimal
    /// digits. Absent in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<String>,
}

/// A requested test that is not run, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// The code of the test.
    pub test: String,
    /// Reason, as a clause: `this engine has no table compression`.
    pub reason: String,
}

/// Everything that is decided before the first measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The target as given, without a password.
    pub target: String,
    /// The measured directory, absolute.
    pub directory: String,
    /// The preset.
    pub preset: Preset,
    /// Length of the window of each run; a started step is finished. [`Plan::OPEN_WINDOW_NS`], a week, if an
    /// amount of work ends the runs.
    pub window_ns: Nanos,
    /// Length of the window of each run of a probe; absent if it is `window_ns`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_window_ns: Option<Nanos>,
    /// Length of the warm-up before each window.
    pub warm_up_ns: Nanos,
    /// Maximum number of steps per job; absent if only the window ends a run.
    pub steps: Option<u64>,
    /// Seed of all pseudo-random data and keys.
    pub seed: u64,
    /// CPU pinning.
    pub placement: Placement,
    /// Pace of plain runs; a closed loop in a sweep of paces.
    pub pace: Pace,
    /// The search for the highest rate that meets a service level; absent without a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Whether jobs and a temporary server use only one hardware thread per core, in every run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_thread_per_core: bool,
    /// Rows of the table that fits the buffer cache.
    pub small_rows: u64,
    /// Rows of the table that does not fit it.
    pub large_rows: u64,
    /// Warehouses of the tests that have any; absent where the preset decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warehouses: Option<u64>,
    /// Repeats of each test at each degree of parallelism; at least 1.
    pub repeats: u32,
    /// The side of a comparison in pairs; absent without another side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired: Option<Pairing>,
    /// All runs in order of execution: with repeats, randomized by the seed, so that drift is not taken for a property
    /// of a test.
    pub runs: Vec<PlannedRun>,
    /// Requested tests that are not run.
    pub skipped: Vec<Skipped>,
    /// Test files of the user, by path; their codes are in `runs`.
    pub test_files: Vec<String>,
    /// Scripts of pgbench, with their texts; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripts: Option<Scripts>,
    /// The load in kind that is measured as one of the tests; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_kind: Option<LoadInKind>,
    /// Loads that work beside each run of a test of an engine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads_beside: Vec<LoadBeside>,
    /// I/O jobs, those of each agent in a fleet; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io: Option<IoPlan>,
    /// The peer of the network probes, and the way to it; absent where the network is not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkPath>,
    /// Threads that the jobs of a run share where they are more; absent for the default: as many as processors, where the
    /// engine allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_threads: Option<u32>,
    /// Number of the agents that carry out the jobs; absent where one process does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<u32>,
    /// Names of the agents on other hosts; empty where all are on the machine of the coordinator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agent_hosts: Vec<String>,
    /// Jobs of each agent: agents are added as jobs are; absent where the jobs of each run are spread over all agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs_per_agent: Option<u32>,
    /// Whether each agent uses a database of its own: agent i the node i of the target.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub database_per_agent: bool,
}

impl Plan {
    /// The window of runs that an amount of work ends: a week, after which they are aborted.
    pub const OPEN_WINDOW_NS: Nanos = Nanos(7 * 86_400 * 1_000_000_000);

    /// A plan without runs: one repeat, closed loop, no warm-up, no CPU pinning.
    pub fn new(target: impl Into<String>, directory: impl Into<String>, preset: Preset) -> Plan {
        Plan {
            target: target.into(),
            directory: directory.into(),
            preset,
            window_ns: Nanos(0),
            probe_window_ns: None,
            warm_up_ns: Nanos(0),
            steps: None,
            seed: 0,
            placement: Placement::Kernel,
            pace: Pace::Unthrottled,
            until: None,
            one_thread_per_core: false,
            small_rows: 0,
            large_rows: 0,
            warehouses: None,
            repeats: 1,
            paired: None,
            runs: Vec::new(),
            skipped: Vec::new(),
            test_files: Vec::new(),
            scripts: None,
            in_kind: None,
            loads_beside: Vec::new(),
            io: None,
            network: None,
            client_threads: None,
            agents: None,
            agent_hosts: Vec::new(),
            jobs_per_agent: None,
            database_per_agent: false,
        }
    }

    /// Length of the window of a run of `kind`.
    pub fn window_of(&self, kind: &RunKind) -> Nanos {
        self.probe_window_ns.filter(|_| kind.is_probe()).unwrap_or(self.window_ns)
    }

    /// Length of the warm-ups and windows of `runs` together.
    pub fn length(&self, runs: &[PlannedRun]) -> Nanos {
        let each = |run: &PlannedRun| (self.warm_up_ns + self.window_of(&run.kind)).0;
        Nanos(runs.iter().map(each).fold(0, u64::saturating_add))
    }

    /// Numbers the runs in order.
    pub fn number(&mut self) {
        self.runs.iter_mut().zip(1..).for_each(|(run, number)| run.number = number);
    }

    /// The subject of the invocation, by the kind of its first run that is not a probe.
    pub fn subject(&self) -> PlanSubject {
        let first = self.runs.iter().map(|run| &run.kind).find(|kind| !kind.is_probe());
        first.map_or(PlanSubject::Catalogue, RunKind::subject)
    }
}
