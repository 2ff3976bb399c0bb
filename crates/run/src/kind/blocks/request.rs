//! What is asked for, already parsed.

use std::path::PathBuf;

use base::quantity::size_text;
use record::{Build, Bytes, Dop, Nanos, Placement, Plan, PlannedRun, Preset, RunKind};
use workload::blocks::{BlocksSettings, CODE, Mode};

use crate::Request;

/// The longest warm-up that is not asked for.
const WARM_UP_MAX: Nanos = Nanos(5_000_000_000);

/// A measurement of random blocks.
#[derive(Clone, Debug)]
pub struct BlocksRequest {
    /// The settings of the method.
    pub settings: BlocksSettings,
    /// Where the loop runs.
    pub mode: Mode,
    /// Whether it begins with empty caches and visits no block twice.
    pub cold: bool,
    /// Sizes of the engine's cache, a run for each; empty for one run with the cache that the engine has.
    pub caches: Vec<Bytes>,
    /// Length of the warm-up; none for a quarter of the run time, 5 s at most.
    pub warm_up: Option<Nanos>,
    /// Directory below which the measured directory is made.
    pub directory: PathBuf,
    /// Whether the database stays.
    pub keep: bool,
    /// What all data and keys are drawn from.
    pub seed: u64,
    /// Where jobs run.
    pub placement: Placement,
    /// Whether somebody looks at what the sessions of the engine are doing.
    pub looks: bool,
    /// Whether the device is probed first, where the run time is long enough for it.
    pub probes: bool,
    /// Where the record goes.
    pub record: PathBuf,
    /// The version of the program, for the record.
    pub version: String,
    /// What the program was built from and with, for the record.
    pub build: Option<Build>,
}

impl BlocksRequest {
    /// Whether the engine is started anew between the load and the end.
    pub(super) fn reopens(&self) -> bool {
        self.cold || self.caches.len() > 1
    }

    /// Warm-up and window.
    pub(super) fn windows(&self) -> (Nanos, Nanos) {
        let window = if self.settings.work_loop > 0 { Plan::OPEN_WINDOW_NS } else { self.settings.run_time };
        let usual = Nanos(self.settings.run_time.0 / 4).min(WARM_UP_MAX);
        // What is warmed up is not cold any more.
        let warm_up = if self.cold { Nanos(0) } else { self.warm_up.unwrap_or(usual) };
        (warm_up, window)
    }

    /// As one would ask for tests of the catalogue: what opens directory and engine needs.
    pub(super) fn request(&self) -> Request {
        let (warm_up, window) = self.windows();
        Request {
            directory: self.directory.clone(),
            degrees: Some(vec![self.settings.sessions().max(self.settings.load_jobs)]),
            window: Some(window),
            warm_up: Some(warm_up),
            seed: self.seed,
            placement: self.placement,
            looks: self.looks,
            keep: self.keep,
            ..Request::bare(&self.record, &self.version, self.build.as_ref())
        }
    }

    /// The size of the cache of run `number`, where it is varied.
    fn cache(&self, number: u32) -> Option<Bytes> {
        self.caches.get(number as usize - 1).copied().filter(|_| self.caches.len() > 1)
    }

    /// The kind of run `number`: runs with other caches are not repetitions of each other.
    fn kind(&self, number: u32) -> RunKind {
        RunKind::Blocks { cache_bytes: self.cache(number) }
    }

    fn code(&self, number: u32) -> String {
        self.cache(number).map_or(CODE.to_owned(), |Bytes(cache)| format!("{CODE}@{}", size_text(cache)))
    }

    /// The plan: the same run for each size of the cache.
    pub(super) fn plan(&self, target: &str, directory: &std::path::Path, steps: Option<u64>) -> Plan {
        let (warm_up_ns, window_ns) = self.windows();
        let run = |number: u32| PlannedRun {
            number,
            ..PlannedRun::new(self.code(number), self.kind(number), Dop::jobs(self.settings.sessions()))
        };
        Plan {
            window_ns,
            warm_up_ns,
            steps,
            seed: self.seed,
            placement: self.placement,
            runs: (1..=self.caches.len().max(1) as u32).map(run).collect(),
            ..Plan::new(target, directory.display().to_string(), Preset::Standard)
        }
    }
}
