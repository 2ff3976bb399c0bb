//! Random blocks through the engine: a run for each size of the engine's cache.

mod extent;
mod measurement;
mod parameter;
mod request;
mod space;

use engine::Sparse;
use record::{Bytes, CacheState, Finding, Nanos, Plan, PlannedRun, Preset, Run};
use workload::blocks::{self, Layout, Mode};

use self::extent::{remark, steps};
use self::measurement::{Preparation, load, measure_one};
use crate::bench::Bench;
use crate::directory::MeasuredDirectory;
use crate::fleet::{add_agents, check_target};
use crate::invocation::{Kind, Measured, invoke};
use crate::kind::io::StorageSupport;
use crate::platform::{Context, OpenOptions, Platform};
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Event, Result, Setup};

pub use self::request::BlocksRequest;

/// Block size that is assumed before an engine is open.
pub(in crate::kind) const BLOCK_USUAL: Bytes = Bytes(8192);

/// Measures random blocks.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_blocks(request: &BlocksRequest, context: Context<'_>) -> Result<Measured> {
    Ok(invoke(&mut Blocks { request, keep: false }, [context], None)?.measured(&request.setup.record))
}

struct Blocks<'r> {
    request: &'r BlocksRequest,
    /// Whether the database is kept after the invocation.
    keep: bool,
}

/// The loaded tables.
pub(in crate::kind) struct Loaded {
    layout: Layout,
    answers: Finding,
}

impl Kind for Blocks<'_> {
    fn setup(&self) -> Setup {
        self.request.setup.clone()
    }

    fn jobs_max(&self) -> u32 {
        self.request.settings.sessions().max(self.request.settings.load_jobs)
    }

    fn check(&self, [context]: &[Context<'_>; 1]) -> Result<()> {
        check(self.request, context)?;
        steps(self.request).map(drop)
    }

    fn options(
        &self,
        directory: &MeasuredDirectory,
        _context: &Context<'_>,
        _opened: &[Platform<'_>],
    ) -> Result<OpenOptions> {
        let options = OpenOptions::of(directory);
        Ok(self.with_cache(OpenOptions { keep: options.keep || self.request.reopens(), ..options }, 0))
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        let request = self.request;
        self.keep = directory.keep();
        let is_ours = platform.engine.as_ref().is_some_and(|opened| opened.inventory.temporary);
        if (request.reopens() || !request.caches.is_empty()) && !is_ours {
            return Err(Error::user("dbdyno cannot empty or resize the cache of a server that it did not start")
                .hint("omit --cold and --cache, or use a temporary server, such as local:NAME"));
        }
        let (fleet, target) = (platform.context.fleet, platform.context.target);
        check_target(fleet, target, platform.engine.as_ref().map(|opened| &opened.nodes))?;
        let mut plan = request.plan(&target.to_string(), directory.path(), steps(request)?);
        add_agents(&mut plan, fleet);
        if request.probes {
            let (jobs, window) = (plan.runs.first().map_or(1, |run| run.dop.jobs), plan.window_ns);
            parameter::device_probe(&request.settings).add_to(
                &mut plan,
                &StorageSupport::detect(&directory.data(), Preset::Quick),
                jobs,
                window,
            );
        }
        Ok([plan])
    }

    /// A run for each size of the cache.
    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let plan = record.plan.clone();
        let layout = layout(platform, self.request)?;
        platform.with_bench(&plan, |bench| space::check(bench, self.request, &layout))?;
        self.announce(platform, &plan);
        let runs = parameter::device_probe(&self.request.settings).measure(platform, &plan, record)?;
        let mut loaded = None;
        for (planned, index) in runs.into_iter().zip(0..) {
            if index > 0 {
                self.reopen(platform, index)?;
            }
            let loaded = match loaded.take() {
                Some(existing) => loaded.insert(existing),
                None => {
                    let fresh = loaded.insert(Loaded::load(platform, &plan, record, self.request)?);
                    if self.request.cold {
                        self.reopen(platform, index)?;
                    }
                    fresh
                }
            };
            let failure = loaded.measure(platform, planned, record, self.request)?;
            if let Some(message) = failure {
                // A failure with one cache size would repeat with the others.
                return Err(Error::environment(message));
            }
        }
        Ok(())
    }
}

impl Blocks<'_> {
    /// `options` with the cache of run `index`.
    fn with_cache(&self, options: OpenOptions, index: usize) -> OpenOptions {
        OpenOptions { cache: self.request.caches.get(index).copied(), ..options }
    }

    /// Restarts the engine: its cache is then empty, and has the size of run `index`. Its data are kept when it is
    /// closed, except for the last time.
    fn reopen(&self, platform: &mut Platform<'_>, index: usize) -> Result<()> {
        let is_last = index + 1 >= self.request.caches.len();
        let keep = self.keep || !is_last;
        let options = OpenOptions { keep, ..platform.options.clone() };
        platform.reopen(self.with_cache(options, index))
    }

    fn announce(&self, platform: &Platform<'_>, plan: &Plan) {
        let listener = platform.context.listener;
        for remark in self.request.settings.remarks().into_iter().chain(remark(self.request, plan.steps)) {
            listener.on_event(&Event::Note(&remark));
        }
        let each = if plan.steps.is_some() { Nanos(0) } else { plan.warm_up_ns + plan.window_ns };
        platform.context.announce(plan, each, &self.request.setup.record);
    }
}

impl Loaded {
    /// Loads the tables of `request` that do not exist yet.
    pub(in crate::kind) fn load(
        platform: &Platform<'_>,
        plan: &Plan,
        record: &mut Recorder,
        request: &BlocksRequest,
    ) -> Result<Loaded> {
        let layout = layout(platform, request)?;
        let (sets, answers) = platform.with_bench(plan, |bench| load(bench, request, &layout))?;
        sets.into_iter().try_for_each(|set| record.add_data_set(set))?;
        Ok(Loaded { layout, answers })
    }

    /// Carries out `planned`; the message of a run that failed.
    pub(in crate::kind) fn measure(
        &self,
        platform: &Platform<'_>,
        planned: &PlannedRun,
        record: &mut Recorder,
        request: &BlocksRequest,
    ) -> Result<Option<String>> {
        let plan = record.plan.clone();
        platform.with_bench(&plan, |bench| {
            let run = measure_one(bench, planned, request, &self.layout, Preparation::Own { answers: &self.answers })?;
            keep(bench, record, run)
        })
    }
}

/// Carries out the jobs of an agent in `planned`, as `request` of its coordinator says, which has loaded the tables and left
/// the caches like this.
pub(in crate::kind) fn measure_part(
    platform: &Platform<'_>,
    bench: &Bench<'_>,
    planned: &PlannedRun,
    (request, caches): (&BlocksRequest, CacheState),
) -> Result<Run> {
    let layout = layout(platform, request)?;
    measure_one(bench, planned, request, &layout, Preparation::Coordinator { caches })
}

/// The layout of the tables of `request` in the blocks of the engine.
fn layout(platform: &Platform<'_>, request: &BlocksRequest) -> Result<Layout> {
    let block = platform.engine.as_ref().and_then(|opened| opened.inventory.block_bytes);
    Ok(Layout::new(&request.settings, sparse(&platform.context, block)?, request.setup.seed))
}

/// Refuses what the engine cannot do, before anything is created.
pub(in crate::kind) fn check(request: &BlocksRequest, context: &Context<'_>) -> Result<()> {
    let settings = &request.settings;
    settings.check().map_err(|wrong| Error::user(wrong.message).hint(wrong.hint))?;
    sparse(context, None)?;
    check_cold(request)?;
    if request.mode == Mode::Client {
        return Ok(());
    }
    if let Some(missing) = blocks::missing_procedure(context.engine) {
        return Err(Error::user(format!("the loop cannot run in the engine: {missing}")).hint("give --mode client"));
    }
    let between = [("hot schema", settings.hot_schema().is_some()), ("think time", settings.think().is_some())];
    match between.iter().find(|(_, requested)| *requested) {
        Some((what, _)) => Err(Error::user(format!("a loop in the engine has no {what}"))
            .hint("give --mode client, where the client controls what is between two operations")),
        None => Ok(()),
    }
}

/// Refuses settings with which a cold run would visit a block twice.
fn check_cold(request: &BlocksRequest) -> Result<()> {
    let settings = &request.settings;
    let requested = [
        ("hot spot", "--hotspot (DO_HOTSPOT)", settings.hot_spot().is_some()),
        ("hot schema", "--hot-schema-frequency (HOT_SCHEMA_FREQUENCY)", settings.hot_schema().is_some()),
    ];
    match requested.iter().find(|(.., requested)| *requested && request.cold) {
        Some((what, option, _)) => {
            Err(Error::user(format!("a cold run visits no block twice, and a {what} is visited repeatedly"))
                .hint(format!("omit either --cold or {option}")))
        }
        None => Ok(()),
    }
}

/// How rows are spread over blocks of `block` bytes.
fn sparse(context: &Context<'_>, block: Option<Bytes>) -> Result<Sparse> {
    let engine = context.engine;
    (engine.dialect().sparse)(block.unwrap_or(BLOCK_USUAL)).map_err(|reason| {
        Error::user(format!("random blocks cannot be measured on {}: it {reason}", engine.title()))
            .hint("`dbdyno run --tests T421,T431` measures its scans")
    })
}
