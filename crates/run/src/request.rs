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

/// The lengths of warm-up and window that `preset` stands for.
pub fn windows(preset: Preset) -> (Nanos, Nanos) {
    let milliseconds = |count: u64| Nanos(count * 1_000_000);
    match preset {
        Preset::Smoke => (milliseconds(0), milliseconds(100)),
        Preset::Quick => (milliseconds(400), milliseconds(2_000)),
        Preset::Standard => (milliseconds(5_000), milliseconds(30_000)),
        Preset::Publish => (milliseconds(60_000), milliseconds(300_000)),
    }
}

/// The warm-up and the window of `request`: as asked for, or as its preset says. A window of its own brings a
/// warm-up of a quarter, at most that of the preset.
pub fn window(request: &Request) -> (Nanos, Nanos) {
    let (warm_up, window) = windows(request.preset);
    let window = request.window.unwrap_or(window);
    (request.warm_up.unwrap_or(warm_up.min(Nanos(window.0 / 4))), window)
}

/// How often `preset` measures each test at each degree of parallelism: figures to publish need repetitions, because
/// only they tell what another run would bring; six are the least from which a comparison can be significant.
pub fn repeats(preset: Preset) -> u32 {
    match preset {
        Preset::Smoke | Preset::Quick | Preset::Standard => 1,
        Preset::Publish => 6,
    }
}

/// 1, 2, 4, ... up to twice the processors.
pub(crate) fn degrees(processors: u32) -> Vec<u32> {
    std::iter::successors(Some(1u32), |degree| degree.checked_mul(2))
        .take_while(|degree| *degree <= processors.max(1) * 2)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_double_up_to_twice_the_processors() {
        assert_eq!(degrees(1), [1, 2]);
        assert_eq!(degrees(2), [1, 2, 4]);
        assert_eq!(degrees(6), [1, 2, 4, 8]);
        assert_eq!(degrees(0), [1, 2]);
    }
}
