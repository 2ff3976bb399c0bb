//! The request, parsed.

use base::quantity::size_text;
use record::{Bytes, CacheState, Dop, LoopLocation, Nanos, PageCached, Plan, PlannedRun, Preset, RunKind};
use workload::blocks::{BlocksSettings, CODE, Mode, settings_of};

use crate::{Error, Result, Setup};

/// The longest default warm-up.
const WARM_UP_MAX: Nanos = Nanos(5_000_000_000);

/// A measurement of random blocks.
#[derive(Clone, Debug)]
pub struct BlocksRequest {
    /// What every kind of run is asked for.
    pub setup: Setup,
    /// The settings of the method.
    pub settings: BlocksSettings,
    /// Whether the loop runs in the client or in the engine.
    pub mode: Mode,
    /// Whether the run starts with empty caches and visits no block twice.
    pub cold: bool,
    /// Cache sizes of the engine, a run for each; empty for one run with its current cache.
    pub caches: Vec<Bytes>,
    /// What the page cache holds of the tables; none where only its reads of tables that the cache of the engine does not
    /// hold are kept from it.
    pub page_cached: Option<PageCached>,
    /// Length of the warm-up; none for a quarter of the run time, 5 s at most.
    pub warm_up: Option<Nanos>,
    /// Whether the device is probed first, if the run time is long enough.
    pub probes: bool,
}

impl BlocksRequest {
    /// Reads of `blocks` blocks for `window`, by `sessions` of one schema, for a kind of run of its own.
    pub(in crate::kind) fn reads(setup: Setup, blocks: u64, window: Nanos, sessions: u32) -> BlocksRequest {
        let mut settings = BlocksSettings::default();
        (settings.update_percent, settings.scan_blocks) = (0, 0);
        (settings.scale_blocks, settings.run_time, settings.threads_per_schema) = (blocks, window, sessions);
        BlocksRequest {
            setup,
            settings,
            mode: Mode::Client,
            cold: false,
            caches: Vec::new(),
            page_cached: None,
            warm_up: None,
            probes: false,
        }
    }

    /// What an agent is asked for by its coordinator, which has left the caches like this.
    pub(in crate::kind) fn of_agent(
        setup: Setup,
        settings: &str,
        loop_location: LoopLocation,
        left: CacheState,
    ) -> Result<BlocksRequest> {
        let settings = settings_of(settings).map_err(|wrong| Error::user(wrong.message).hint(wrong.hint))?;
        let mode = if loop_location == LoopLocation::Client { Mode::Client } else { Mode::Engine };
        let (cold, caches) = (left == CacheState::Cold, Vec::new());
        let (page_cached, warm_up, probes) = (None, None, false);
        Ok(BlocksRequest { setup, settings, mode, cold, caches, page_cached, warm_up, probes })
    }

    /// Whether the engine is restarted between the load and the end.
    pub(super) fn reopens(&self) -> bool {
        self.cold || self.caches.len() > 1
    }

    /// Warm-up and window.
    pub(super) fn windows(&self) -> (Nanos, Nanos) {
        let window = if self.settings.work_loop > 0 { Plan::OPEN_WINDOW_NS } else { self.settings.run_time };
        let usual = Nanos(self.settings.run_time.0 / 4).min(WARM_UP_MAX);
        // A warm-up would fill the caches.
        let warm_up = if self.cold { Nanos(0) } else { self.warm_up.unwrap_or(usual) };
        (warm_up, window)
    }

    /// Cache size of run `number`, if it varies.
    fn cache(&self, number: u32) -> Option<Bytes> {
        self.caches.get(number as usize - 1).copied().filter(|_| self.caches.len() > 1)
    }

    /// Kind of run `number`: runs with different caches are not repeats of each other.
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
            seed: self.setup.seed,
            placement: self.setup.placement,
            client_threads: self.setup.client_threads,
            runs: (1..=self.caches.len().max(1) as u32).map(run).collect(),
            ..Plan::new(target, directory.display().to_string(), Preset::Standard)
        }
    }
}
