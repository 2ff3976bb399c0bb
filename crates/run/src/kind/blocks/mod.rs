//! Random blocks through the engine: a run for each size of the engine's cache.

mod extent;
mod measurement;
mod parameter;
mod request;

use std::path::PathBuf;

use engine::Sparse;
use record::{Bytes, Finding, Nanos, Plan, PlannedRun, Preset, RunKind};
use workload::blocks::{self, Layout, Mode};

use self::extent::{remark, steps};
use self::measurement::{load, measure_one};
use crate::device::DeviceProbe;
use crate::directory::MeasuredDirectory;
use crate::invocation::{Context, Kind, Measured, invoke};
use crate::item::Item;
use crate::kind::catalogue::run_group;
use crate::kind::io::{Offer, ProbeFiles};
use crate::platform::{OpenOptions, Platform};
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Event, Request, Result};

pub use self::request::BlocksRequest;

/// The block that is asked about before an engine is open.
const BLOCK_USUAL: Bytes = Bytes(8192);

/// Measures random blocks.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_blocks(request: &BlocksRequest, context: Context<'_>) -> Result<Measured> {
    Ok(invoke(&mut Blocks { request, keep: false }, [context], None)?.measured(&request.record))
}

struct Blocks<'r> {
    request: &'r BlocksRequest,
    /// Whether the database stays when the invocation ends.
    keep: bool,
}

/// What the load left.
struct Loaded {
    layout: Layout,
    answers: Finding,
}

impl Kind for Blocks<'_> {
    fn request(&self) -> Request {
        self.request.request()
    }

    fn records(&self) -> [PathBuf; 1] {
        [self.request.record.clone()]
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
            return Err(Error::user(
                "the cache of a server that dbdyno did not start cannot be emptied, nor its size changed",
            )
            .hint("leave --cold and --cache away, or give a server of dbdyno's own, such as local:NAME"));
        }
        let mut plan = request.plan(&platform.context.target.to_string(), directory.path(), steps(request)?);
        if request.probes {
            let (jobs, window) = (plan.runs.first().map_or(1, |run| run.dop.jobs), plan.window_ns);
            DeviceProbe::RANDOM.add_to(&mut plan, &Offer::look(&directory.data(), Preset::Quick), jobs, window);
        }
        Ok([plan])
    }

    /// A run for each size of the cache.
    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let plan = record.plan.clone();
        self.announce(platform, &plan);
        let (probes, runs): (Vec<&PlannedRun>, Vec<&PlannedRun>) =
            plan.runs.iter().partition(|planned| planned.kind == RunKind::Probe);
        for planned in probes {
            // What the device gives, before anything of the engine's lies on it.
            let Some(probe) = DeviceProbe::RANDOM.probe() else { continue };
            platform.with_bench(&plan, |bench| {
                let group = std::slice::from_ref(planned);
                run_group(bench, record, Item::Probe(probe), group, &mut ProbeFiles::default())
            })?;
        }
        let mut loaded = None;
        for (planned, index) in runs.into_iter().zip(0..) {
            if index > 0 {
                self.reopen(platform, index)?;
            }
            let loaded = match loaded.take() {
                Some(there) => loaded.insert(there),
                None => {
                    let fresh = loaded.insert(self.load(platform, &plan, record)?);
                    if self.request.cold {
                        self.reopen(platform, index)?;
                    }
                    fresh
                }
            };
            let failure = platform.with_bench(&plan, |bench| {
                let run = measure_one(bench, planned, self.request, &loaded.layout, &loaded.answers)?;
                keep(bench, record, run)
            })?;
            if let Some(message) = failure {
                // What fails with one cache would fail with the others.
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

    /// Ends the engine and starts it again: its cache is empty then, and has the size of run `index`. Its data stay when it is
    /// closed, but for the last time.
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
        let runs = plan.runs.len();
        let expected = Nanos(each.0.saturating_mul(runs as u64));
        let records = [self.request.record.as_path()];
        listener.on_event(&Event::Planned { runs, expected, skipped: &plan.skipped, records: &records });
    }

    fn load(&self, platform: &Platform<'_>, plan: &Plan, record: &mut Recorder) -> Result<Loaded> {
        let block = platform.engine.as_ref().and_then(|opened| opened.inventory.block_bytes);
        let layout = Layout::new(&self.request.settings, sparse(&platform.context, block)?, self.request.seed);
        let (sets, answers) = platform.with_bench(plan, |bench| load(bench, self.request, &layout))?;
        sets.into_iter().try_for_each(|set| record.add_data_set(set))?;
        Ok(Loaded { layout, answers })
    }
}

/// Refuses what the engine cannot do, before anything is made.
fn check(request: &BlocksRequest, context: &Context<'_>) -> Result<()> {
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
    match between.iter().find(|(_, asked)| *asked) {
        Some((what, _)) => Err(Error::user(format!("a loop in the engine knows no {what}"))
            .hint("give --mode client: what lies between two operations is there")),
        None => Ok(()),
    }
}

/// Refuses what would visit blocks twice in a run that visits each once.
fn check_cold(request: &BlocksRequest) -> Result<()> {
    let settings = &request.settings;
    let asked = [
        ("hot spot", "--hotspot (DO_HOTSPOT)", settings.hot_spot().is_some()),
        ("hot schema", "--hot-schema-frequency (HOT_SCHEMA_FREQUENCY)", settings.hot_schema().is_some()),
    ];
    match asked.iter().find(|(.., asked)| *asked && request.cold) {
        Some((what, option, _)) => {
            Err(Error::user(format!("a cold run visits no block twice, and a {what} is visited again and again"))
                .hint(format!("leave either --cold or {option} away")))
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
