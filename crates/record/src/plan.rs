//! What one invocation was asked to do, decided before the first measurement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{IoPlan, Nanos, RunKind, Until, Variation};

/// How long and how large: the named sizes of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Proves that everything works; its figures mean nothing.
    Smoke,
    /// A first look, within five minutes.
    Quick,
    /// Figures to work with.
    Standard,
    /// Figures to publish.
    Publish,
}

/// Where the kernel may put the jobs (and a server that dbdyno started).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// The kernel decides, and may change its mind in mid-run.
    #[default]
    Kernel,
    /// Job i on processor i, and its server process, where there is one, on the next processor.
    Spread,
    /// Job i on processor i, and its server process, where there is one, on the same one.
    Paired,
}

/// When the steps of a run are due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Each step as soon as the one before it is done (a closed loop).
    #[default]
    AsFastAsPossible,
    /// Steps at equal distances; all jobs together this many per second.
    Rate {
        /// Steps per second of all jobs together.
        steps_per_second: f64,
    },
    /// Steps at exponentially distributed distances; all jobs together this many per second.
    Poisson {
        /// Steps per second of all jobs together.
        steps_per_second: f64,
    },
    /// Each job waits this long between two steps.
    ThinkTime {
        /// The wait.
        think_ns: Nanos,
    },
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

/// One line of the plan: one test at one degree of parallelism.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedRun {
    /// Position in the plan, counted from 1; the run that carries it out bears the same number.
    pub number: u32,
    /// The code of the test.
    pub test: String,
    /// What kind of run it is; a test of an engine where it is absent.
    #[serde(default, skip_serializing_if = "RunKind::is_test")]
    pub kind: RunKind,
    /// At which degree of parallelism.
    pub dop: Dop,
    /// Which repetition of this test at this degree of parallelism it is, counted from 1.
    pub repeat: u32,
    /// In what it differs from the plain run of the test; absent where it is the plain one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variation: Option<Variation>,
}

impl PlannedRun {
    /// A plain run of `test` at `dop`, the first of its repetitions; not numbered yet.
    pub fn new(test: impl Into<String>, kind: RunKind, dop: Dop) -> PlannedRun {
        PlannedRun { number: 0, test: test.into(), kind, dop, repeat: 1, variation: None }
    }
}

/// The two sides of a comparison in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The first, which the other is held against.
    A,
    /// The second.
    B,
}

/// That a record is one side of a comparison in pairs: the run of repetition r of a test at a degree of parallelism
/// was carried out next to the one of repetition r of the same on the other side, which of the two first by lot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pairing {
    /// Which side this record is.
    pub side: Side,
    /// The name of the record of the other side.
    pub other: String,
    /// The target of the other side, without a password.
    pub other_target: String,
    /// Hash of what both sides were asked, fixed before the first pair and equal on both: `sha256:` and 64 hexadecimal
    /// digits. Absent in a record of a version that did not make one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<String>,
}

/// A test that was asked for and is not run, with the reason in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// The code of the test.
    pub test: String,
    /// Why, as a clause: `this engine has no table compression`.
    pub reason: String,
}

/// Everything that was decided before the first measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The target as the user wrote it, without a password.
    pub target: String,
    /// The measured directory, absolute.
    pub directory: String,
    /// The named size.
    pub preset: Preset,
    /// Length of the measured window of each run; a step that has begun is finished. [`Plan::OPEN_WINDOW_NS`] where an
    /// amount ends the runs.
    pub window_ns: Nanos,
    /// Length of the warm-up before each window.
    pub warm_up_ns: Nanos,
    /// Steps of each job, at most; absent where only the window ends a run.
    pub steps: Option<u64>,
    /// What all pseudo-random data and keys are drawn from.
    pub seed: u64,
    /// Where jobs run.
    pub placement: Placement,
    /// When steps are due in plain runs; in a sweep of paces they are as fast as possible.
    pub pace: Pace,
    /// The service level whose highest rate is searched for at each plain run; absent where nothing is searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Whether jobs, and a server that dbdyno started, use one hardware thread of each core only, in every run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_thread_per_core: bool,
    /// Rows of the table that fits the buffer cache.
    pub small_rows: u64,
    /// Rows of the table that should not fit it.
    pub large_rows: u64,
    /// How often each test is measured at each degree of parallelism; at least 1.
    pub repeats: u32,
    /// Which side of a comparison in pairs this is; absent where there is no other side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired: Option<Pairing>,
    /// All runs, in the order in which they are carried out: where tests are repeated, one that was drawn by lot from
    /// the seed, so that what drifts meanwhile does not look like a property of a test.
    pub runs: Vec<PlannedRun>,
    /// What was asked for and is not run.
    pub skipped: Vec<Skipped>,
    /// Test files of the user's own, by path; their codes stand in `runs`.
    pub test_files: Vec<String>,
    /// What is done to storage without an engine; absent where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io: Option<IoPlan>,
}

impl Plan {
    /// The window of runs that an amount of work ends and no time: a week, after which they are given up.
    pub const OPEN_WINDOW_NS: Nanos = Nanos(7 * 86_400 * 1_000_000_000);

    /// A plan without runs: each of them once, as fast as possible, without a warm-up, on any processor.
    pub fn new(target: impl Into<String>, directory: impl Into<String>, preset: Preset) -> Plan {
        Plan {
            target: target.into(),
            directory: directory.into(),
            preset,
            window_ns: Nanos(0),
            warm_up_ns: Nanos(0),
            steps: None,
            seed: 0,
            placement: Placement::Kernel,
            pace: Pace::AsFastAsPossible,
            until: None,
            one_thread_per_core: false,
            small_rows: 0,
            large_rows: 0,
            repeats: 1,
            paired: None,
            runs: Vec::new(),
            skipped: Vec::new(),
            test_files: Vec::new(),
            io: None,
        }
    }

    /// Numbers the runs in the order in which they stand.
    pub fn number(&mut self) {
        self.runs.iter_mut().zip(1..).for_each(|(run, number)| run.number = number);
    }

    /// What the invocation measures, by the kinds of its runs; probes may go before any of them.
    pub fn subject(&self) -> PlanSubject {
        let first = self.runs.iter().map(|run| &run.kind).find(|kind| !matches!(kind, RunKind::Probe));
        match first {
            None | Some(RunKind::Test | RunKind::Probe) => PlanSubject::Catalogue,
            Some(RunKind::Io) => PlanSubject::Io,
            Some(RunKind::Blocks { .. }) => PlanSubject::Blocks,
            Some(RunKind::Load { .. } | RunKind::Scan(_)) => PlanSubject::Load,
            Some(RunKind::Streams { .. }) => PlanSubject::Streams,
        }
    }
}

/// What an invocation measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanSubject {
    /// Tests and probes of the catalogue, tests of the user's own.
    Catalogue,
    /// Jobs of I/O.
    Io,
    /// Random blocks.
    Blocks,
    /// Loads of flat files, and scans of what was loaded.
    Load,
    /// File streams.
    Streams,
}
