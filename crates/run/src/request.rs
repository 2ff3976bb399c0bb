//! The request of the user, parsed and not yet planned.

use std::path::Path;

use record::{LoadBeside, LoadInKind, Nanos, Pace, Plan, Preset, Scripts, TracerKind, Until, Variation};

use crate::{NetworkPeer, Setup};

/// A test that is to be a load beside those that are measured.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadBesideRequest {
    /// Its code, or the path of its test file.
    pub test: String,
    /// Its jobs; at least 1.
    pub jobs: u32,
    /// Steps per second of all of them together; absent in a closed loop.
    pub rate: Option<f64>,
}

impl LoadBesideRequest {
    /// What asks for `load`.
    pub(crate) fn of(load: &LoadBeside) -> LoadBesideRequest {
        let LoadBeside { test, test_file, jobs, rate } = load;
        LoadBesideRequest { test: test_file.clone().unwrap_or_else(|| test.clone()), jobs: *jobs, rate: *rate }
    }
}

/// The selected tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Codes (`T611`), layers (`cpu`), `probes`, `all`, or paths of test files; empty for all.
    pub words: Vec<String>,
}

/// Which tests with I/O or commits are repeated once with a kernel trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracing {
    /// No test.
    None,
    /// Each at its lowest degree of parallelism.
    One,
    /// Each at every degree of parallelism, in every round.
    All,
}

/// A request: what it fixes of the plan. `None` leaves the choice to the preset.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What every kind of run is asked for.
    pub setup: Setup,
    /// Which tests.
    pub tests: Selection,
    /// Scripts of pgbench, which are measured as one more test; without selected tests it is the only one.
    pub scripts: Option<Scripts>,
    /// A production load in kind, which is measured as one more test; without selected tests it is the only one.
    pub in_kind: Option<LoadInKind>,
    /// Loads that work beside each run of a test; none in a comparison in pairs, where each side has its own.
    pub loads_beside: Vec<LoadBesideRequest>,
    /// Degrees of parallelism, each at least 1, for sweeps of jobs and of threads.
    pub degrees: Option<Vec<u32>>,
    /// Numbers of nodes that jobs are spread over, each at least 1.
    pub nodes: Option<Vec<u32>>,
    /// Length of each window.
    pub window: Option<Nanos>,
    /// Length of each warm-up.
    pub warm_up: Option<Nanos>,
    /// Steps of each job, at most.
    pub steps: Option<u64>,
    /// Repeats of each test at each degree of parallelism.
    pub repeats: Option<u32>,
    /// Pace of plain runs.
    pub pace: Pace,
    /// Variations of the plain runs of each test: other paces, shares of the capacity.
    pub variations: Vec<Variation>,
    /// The service level for which the highest rate is searched, in place of everything else.
    pub until: Option<Until>,
    /// Whether jobs, and a temporary server, use one hardware thread of each core only.
    pub one_thread_per_core: bool,
    /// Rows of the small table.
    pub small_rows: Option<u64>,
    /// Rows of the large table.
    pub large_rows: Option<u64>,
    /// Warehouses of the tests that have any.
    pub warehouses: Option<u64>,
    /// Which tests are repeated with a kernel trace.
    pub trace: Option<Tracing>,
    /// The tracer to use; absent for the best one available.
    pub tracer: Option<TracerKind>,
    /// Whether the limit of each test is proved by runs with less of it.
    pub prove: bool,
    /// Jobs of each agent of a fleet, which is used as far as there are jobs; absent where jobs are spread over all.
    pub jobs_per_agent: Option<u32>,
    /// The peer of the network probes, which are measured in addition to the selected tests; absent for none.
    pub network: Option<NetworkPeer>,
}

impl Request {
    /// The highest degree of parallelism that is asked for; 0 for the default.
    pub(crate) fn jobs_max(&self) -> u32 {
        self.degrees.iter().flatten().copied().max().unwrap_or(0)
    }

    /// The request of a record that is resumed: `plan` has decided everything but what is the user's here. Every option holds
    /// beside `--resume` or is refused there.
    pub(crate) fn resuming(self, plan: &Plan) -> Request {
        let Request { setup, tests, scripts, tracer, prove, .. } = self;
        let Setup { directory, sample_sessions, keep, record, version, build, .. } = setup;
        let setup = Setup {
            // The plan holds the measured directory, which is below the requested one.
            directory: Path::new(&plan.directory).parent().map_or(directory, Path::to_owned),
            preset: plan.preset,
            seed: plan.seed,
            placement: plan.placement,
            client_threads: plan.client_threads,
            durability: None,
            database_per_agent: plan.database_per_agent,
            sample_sessions,
            script_log: None,
            keep,
            record,
            version,
            build,
        };
        // Without `..`: a new field is decided here.
        Request {
            setup,
            tests,
            scripts,
            in_kind: plan.in_kind.clone(),
            loads_beside: plan.loads_beside.iter().map(LoadBesideRequest::of).collect(),
            tracer,
            prove,
            degrees: Some(plan.runs.iter().map(|run| run.dop.jobs.max(run.dop.threads)).collect()),
            window: Some(plan.window_ns),
            warm_up: Some(plan.warm_up_ns),
            steps: plan.steps,
            repeats: Some(plan.repeats),
            pace: plan.pace,
            until: plan.until.clone(),
            one_thread_per_core: plan.one_thread_per_core,
            small_rows: Some(plan.small_rows),
            large_rows: Some(plan.large_rows),
            warehouses: plan.warehouses,
            jobs_per_agent: plan.jobs_per_agent,
            network: plan.network.as_ref().map(NetworkPeer::of),
            // What follows from these is in the runs of the plan.
            nodes: None,
            variations: Vec::new(),
            trace: None,
        }
    }
}

/// Warm-up and window of `request`: as requested, or of its preset. A requested window has a warm-up of a quarter, at
/// most that of the preset.
pub fn window(request: &Request) -> (Nanos, Nanos) {
    let (warm_up, window) = request.setup.preset.windows();
    let window = request.window.unwrap_or(window);
    (request.warm_up.unwrap_or(warm_up.min(Nanos(window.0 / 4))), window)
}

/// The window of probes, where it is not [`window`]: a probe has thousands of equal steps in a second, and a first sheet
/// should not take long.
pub(crate) fn probe_window(request: &Request) -> Option<Nanos> {
    let is_default = request.setup.preset == Preset::Quick && request.window.is_none();
    is_default.then_some(Nanos(1_000_000_000))
}

/// Repeats of `preset`: figures to publish need repeats, because only they show the variation between runs; a
/// comparison needs at least six to be significant.
pub fn repeats(preset: Preset) -> u32 {
    match preset {
        Preset::Smoke | Preset::Quick | Preset::Standard | Preset::Soak => 1,
        Preset::Publish => 6,
    }
}

/// The jobs of 1, 2, 4, ... and of all `agents`, with as many each.
pub fn jobs_of_agents(jobs_each: u32, agents: u32) -> Vec<u32> {
    let doubled = std::iter::successors(Some(1u32), |count| count.checked_mul(2)).take_while(|count| *count < agents);
    doubled.chain([agents]).map(|count| count.saturating_mul(jobs_each)).collect()
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
    fn a_record_that_is_resumed_decides_everything_but_what_is_the_users() {
        let plan = Plan {
            window_ns: Nanos(7),
            client_threads: Some(3),
            placement: record::Placement::Spread,
            database_per_agent: true,
            ..Plan::new("null", "/data/dbdyno-data", Preset::Standard)
        };
        let users = Request { prove: true, setup: Setup { keep: true, ..Setup::smoke() }, ..Request::default() };
        let decided = Request {
            setup: Setup { directory: "/tmp".into(), client_threads: Some(9), seed: 7, ..users.setup.clone() },
            degrees: Some(vec![5]),
            nodes: Some(vec![2]),
            window: Some(Nanos(1)),
            steps: Some(1),
            repeats: Some(9),
            trace: Some(Tracing::All),
            one_thread_per_core: true,
            jobs_per_agent: Some(4),
            network: Some(NetworkPeer::Own),
            ..users.clone()
        };
        let [one, other] = [users, decided].map(|request| request.resuming(&plan));
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
        assert_eq!((one.setup.directory.as_path(), one.setup.client_threads), (Path::new("/data"), Some(3)));
        assert!(one.prove && one.setup.keep);
    }

    #[test]
    fn agents_double_up_to_all_of_them() {
        assert_eq!(jobs_of_agents(4, 1), [4]);
        assert_eq!(jobs_of_agents(1, 4), [1, 2, 4]);
        assert_eq!(jobs_of_agents(3, 6), [3, 6, 12, 18]);
    }

    #[test]
    fn degrees_double_up_to_twice_the_processors() {
        assert_eq!(degrees(1), [1, 2]);
        assert_eq!(degrees(2), [1, 2, 4]);
        assert_eq!(degrees(6), [1, 2, 4, 8]);
        assert_eq!(degrees(0), [1, 2]);
    }
}
