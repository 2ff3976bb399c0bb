//! What the user asked for, already parsed and not yet planned.

use std::path::{Path, PathBuf};

use record::{Build, Nanos, Pace, Placement, Plan, Preset, Rung, Until, Variation};

use crate::Tracing;

/// Which tests are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Codes (`T611`), layers (`cpu`), `probes`, `all`, or paths of test files; empty for all.
    pub words: Vec<String>,
}

/// What the user asked for. `None` leaves the choice to the preset.
#[derive(Clone, Debug)]
pub struct Request {
    /// Which tests.
    pub tests: Selection,
    /// Directory below which the measured directory is made.
    pub directory: PathBuf,
    /// Degrees of parallelism, each at least 1; for tests that sweep jobs and for those that sweep threads.
    pub degrees: Option<Vec<u32>>,
    /// On how many nodes the jobs are spread, each number at least 1.
    pub nodes: Option<Vec<u32>>,
    /// How long and how large.
    pub preset: Preset,
    /// Length of each window.
    pub window: Option<Nanos>,
    /// Length of each warm-up.
    pub warm_up: Option<Nanos>,
    /// Steps of each job, at most.
    pub steps: Option<u64>,
    /// How often each test is measured at each degree of parallelism.
    pub repeats: Option<u32>,
    /// What all data and keys are drawn from, and the order of what is repeated.
    pub seed: u64,
    /// Where jobs run.
    pub placement: Placement,
    /// When steps of plain runs are due.
    pub pace: Pace,
    /// In what further runs of each test differ from the plain one: other paces, shares of the rate that it reaches.
    pub variations: Vec<Variation>,
    /// The service level whose highest rate is searched for, instead of everything else.
    pub until: Option<Until>,
    /// Whether jobs, and a server of dbdyno's own, use one hardware thread of each core only.
    pub one_thread_per_core: bool,
    /// Rows of the small table.
    pub small_rows: Option<u64>,
    /// Rows of the large table.
    pub large_rows: Option<u64>,
    /// Whether somebody looks at what the sessions of the engine are doing while runs go on.
    pub looks: bool,
    /// Which tests are repeated while the kernel is traced.
    pub trace: Option<Tracing>,
    /// The rung of the ladder on which it is traced; the best one that is to be had where nobody said.
    pub rung: Option<Rung>,
    /// Whether each test is run again with less of what limits it.
    pub prove: bool,
    /// Whether the database stays.
    pub keep: bool,
    /// Where the record goes.
    pub record: PathBuf,
    /// The version of the program, for the record.
    pub version: String,
    /// What the program was built from and with, for the record.
    pub build: Option<Build>,
}

impl Request {
    /// A request for no test of the catalogue: what opens directory and engine for measurements of another kind, which say
    /// the rest.
    pub(crate) fn bare(record: &Path, version: &str, build: Option<&Build>) -> Request {
        Request {
            tests: Selection::default(),
            directory: PathBuf::from("."),
            degrees: None,
            nodes: None,
            preset: Preset::Quick,
            window: None,
            warm_up: Some(Nanos(0)),
            steps: None,
            repeats: None,
            seed: 0,
            placement: Placement::Kernel,
            pace: Pace::AsFastAsPossible,
            variations: Vec::new(),
            until: None,
            one_thread_per_core: false,
            small_rows: None,
            large_rows: None,
            looks: true,
            prove: false,
            trace: None,
            rung: None,
            keep: false,
            record: record.to_owned(),
            version: version.to_owned(),
            build: build.cloned(),
        }
    }

    /// Version and build of the program, as a record has them.
    pub(crate) fn author(&self) -> (&str, Option<&Build>) {
        (&self.version, self.build.as_ref())
    }

    /// Takes everything that a plan has already decided from it.
    pub fn follow(&mut self, plan: &Plan) {
        // The plan holds the measured directory itself, which was made below the one that was asked for.
        if let Some(parent) = Path::new(&plan.directory).parent() {
            self.directory = parent.to_owned();
        }
        self.preset = plan.preset;
        self.window = Some(plan.window_ns);
        self.warm_up = Some(plan.warm_up_ns);
        self.steps = plan.steps;
        self.repeats = Some(plan.repeats);
        self.seed = plan.seed;
        self.placement = plan.placement;
        self.pace = plan.pace;
        self.until = plan.until.clone();
        self.one_thread_per_core = plan.one_thread_per_core;
        self.small_rows = Some(plan.small_rows);
        self.large_rows = Some(plan.large_rows);
        self.degrees = Some(plan.runs.iter().map(|run| run.dop.jobs.max(run.dop.threads)).collect());
    }
}
