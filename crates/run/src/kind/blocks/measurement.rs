//! One run of random blocks.

use std::time::Instant;

use engine::Node;
use measure::{Broken, RunSeed, Tally};
use record::evidence::Answers;
use record::{
    BlockOperation, BlockOperations, Bytes, CacheFilling, CacheState, DataSet, Evidence, Finding, JobShare, Layer,
    LoopLocation, Nanos, Pace, PageCached, PartKind, PlannedRun, RandomBlocks, Run, Unit, Verdict,
};
use workload::TestContext;
use workload::blocks::{self, BlocksJob, BlocksLoading, BlocksSettings, Kind, Layout, Mode, Visit};

use super::extent::per_step;
use super::parameter::{device_probe, parameters, title};
use super::request::BlocksRequest;
use crate::bench::{Bench, Subject};
use crate::caches::drop_page_cache;
use crate::data_reads::{PageCacheBypass, PageCacheShare};
use crate::fleet::drive_fleet;
use crate::hands::Fleet;
use crate::pacing;
use crate::run::{self, Workers, drive};
use crate::{Error, Event, Result};

/// Cache space of a table, with index and inner pages, relative to its blocks.
const CACHED_SHARE: f64 = 1.15;

/// Loads the tables that do not exist yet, and checks answers.
pub(super) fn load(bench: &Bench<'_>, request: &BlocksRequest, layout: &Layout) -> Result<(Vec<DataSet>, Finding)> {
    let (context, _) = bench.engine()?;
    let server_cpu = || bench.server_cpu();
    let progress = |table: &str, rows_done: u64, rows: u64| {
        bench.listener.on_event(&Event::Loading { table, rows_done, rows });
    };
    let loading = BlocksLoading { stop: bench.interrupt.flag(), progress: &progress, server_cpu: &server_cpu };
    let loaded = blocks::ensure(&context, &request.settings, layout, &loading);
    if bench.interrupt.is_raised() {
        return Err(Error::interrupted());
    }
    let sets = loaded?;
    Ok((sets, check_answers(&context, request, layout)?))
}

/// Checks the answers of one session of each schema.
fn check_answers(context: &TestContext<'_>, request: &BlocksRequest, layout: &Layout) -> Result<Finding> {
    if !context.node.caps().answers {
        return Ok(Finding::new(Verdict::Unknown, Evidence::Answers(Answers::NotGiven)));
    }
    blocks::prepare(context, &request.settings, layout, request.mode)?;
    let one_each = one_of_each_schema(&request.settings);
    let mut jobs = blocks::jobs(
        context,
        &request.settings,
        layout,
        (request.mode, Visit::Anywhere),
        one_each,
        RunSeed { plan: request.setup.seed, run: 0 },
    )?;
    for job in &mut jobs {
        job.check(&request.settings).map_err(|Broken { message }| Error::environment(message))?;
    }
    Ok(Finding::new(Verdict::Pass, Evidence::Answers(Answers::RowsPerOperation)))
}

/// The jobs of which each schema has one.
fn one_of_each_schema(settings: &BlocksSettings) -> JobShare {
    let all = settings.sessions();
    JobShare { first: 0, count: settings.schemas.min(all), all }
}

/// Who prepared a run: its tables, and its caches.
#[derive(Clone, Copy)]
pub(in crate::kind) enum Preparation<'a> {
    /// This process, which found this out about the answers.
    Own { answers: &'a Finding },
    /// The coordinator of this agent, which left the caches like this.
    Coordinator { caches: CacheState },
}

/// Carries out `planned`. A failed run is recorded with what was counted until then.
pub(in crate::kind) fn measure_one(
    bench: &Bench<'_>,
    planned: &PlannedRun,
    request: &BlocksRequest,
    layout: &Layout,
    preparation: Preparation<'_>,
) -> Result<Run> {
    let settings = &request.settings;
    let mut run = run::new(bench, planned);
    let of_cache = request.caches.len() > 1;
    let cache = bench.subject.and_then(|subject| subject.inventory.cache_bytes).filter(|_| of_cache);
    run.title = title(settings, cache);
    (run.layer, run.unit) = (Layer::Storage, Unit::Statement);
    run.parameters = parameters(settings).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    run.changes = settings.update_percent == 100;
    run.ceiling = Some(device_probe(settings).ceiling()).filter(|ceiling| bench.is_bounded_by(ceiling));
    run.data_bytes = Some(layout.data_bytes(settings));
    if let Preparation::Own { answers } = preparation {
        run.findings.push(answers.clone());
    }
    let expected = if bench.plan.steps.is_some() { Nanos(0) } else { bench.plan.warm_up_ns + bench.plan.window_ns };
    run::measure(bench, planned, run, expected, |run| try_one(bench, run, request, layout, preparation))
}

fn try_one(
    bench: &Bench<'_>,
    run: &mut Run,
    request: &BlocksRequest,
    layout: &Layout,
    preparation: Preparation<'_>,
) -> Result<()> {
    let (context, subject) = bench.engine()?;
    let settings = &request.settings;
    let is_own = matches!(preparation, Preparation::Own { .. });
    if is_own {
        run.settling = bench.settle()?;
    }
    let node_indexes = bench.choose_nodes(subject, settings.changes(), 1)?;
    let node = subject.nodes.at(node_indexes[0]);
    let context = TestContext { node, ..context };
    if is_own {
        blocks::prepare(&context, settings, layout, request.mode)?;
    }
    // A coordinator fills the caches only.
    let share = match bench.hands.fleet() {
        Some(_) => one_of_each_schema(settings),
        None => bench.hands.share(run.dop.jobs),
    };
    let visit = if request.cold { Visit::Once } else { Visit::Anywhere };
    let mut jobs =
        blocks::jobs(&context, settings, layout, (request.mode, visit), share, pacing::run_seed(bench.plan.seed, run))?;
    let (cache_bytes, block_bytes) = (subject.inventory.cache_bytes, subject.inventory.block_bytes);
    let (caches, page_cached) = match preparation {
        Preparation::Coordinator { caches } => (caches, None),
        Preparation::Own { .. } if request.cold => (CacheState::Cold, node.data_directory().and_then(drop_page_cache)),
        Preparation::Own { .. } => {
            let (caches, filling) = fill(bench, &context, request, layout, &mut jobs, cache_bytes.zip(block_bytes))?;
            run.settling.get_or_insert_default().cache_fill = filling;
            (caches, None)
        }
    };
    let reads_device = is_own && caches != CacheState::Preloaded && request.page_cached.is_none();
    let _page_cache_bypass = reads_device.then(|| PageCacheBypass::on(bench, run, vec![node]));
    let _page_cache_share = request.page_cached.map(|held| hold(node, held)).transpose()?;
    let operations = match bench.hands.fleet() {
        Some(fleet) => {
            drop(jobs);
            drive_agents(bench, run, fleet, (node, &node_indexes), request, caches)?
        }
        None => drive_jobs(bench, run, subject, node_indexes, jobs),
    };
    if let Some(think) = settings.think() {
        let mean_ns = (think.least_ns.0 + think.most_ns.0) / 2 / think.frequency;
        run.pace = Pace::ThinkTime { think_ns: Nanos(mean_ns) };
    }
    run.blocks = Some(Box::new(RandomBlocks {
        loop_location: loop_location(request.mode),
        operations_per_step: per_step(request),
        caches,
        cache_bytes,
        block_bytes,
        page_cached,
        blocks_per_schema: settings.scale_blocks,
        work_unit: settings.work_unit,
        operations,
    }));
    Ok(())
}

/// Runs the jobs in this process; returns their operations.
fn drive_jobs(
    bench: &Bench<'_>,
    run: &mut Run,
    subject: &Subject<'_>,
    node_indexes: Vec<usize>,
    jobs: Vec<BlocksJob>,
) -> Vec<BlockOperations> {
    let counts_reads = subject.nodes.at(node_indexes[0]).caps().counts_read_commits;
    let workers = Workers::of_sessions(bench, subject, node_indexes, jobs);
    let streams = drive(bench, run, bench.plan.steps.unwrap_or(u64::MAX), workers);
    run.commits_expected = match counts_reads {
        true => Some(run.totals.transactions),
        false => streams.get(Kind::Update as usize).map(|tally| tally.totals().transactions),
    };
    operations(&streams)
}

/// Has the agents of `fleet` run the jobs on `node`; returns their operations.
fn drive_agents(
    bench: &Bench<'_>,
    run: &mut Run,
    fleet: &dyn Fleet,
    (node, node_indexes): (&dyn Node, &[usize]),
    request: &BlocksRequest,
    caches: CacheState,
) -> Result<Vec<BlockOperations>> {
    let loop_location = loop_location(request.mode);
    let kind = PartKind::Blocks { settings: request.settings.conf(), loop_location, caches };
    let commits = drive_fleet(bench, run, fleet, node_indexes, &kind, Vec::new())?;
    run.commits_expected = commits.filter(|_| node.counts_commits_of_others());
    Ok(run.blocks.take().map_or_else(Vec::new, |blocks| blocks.operations))
}

fn loop_location(mode: Mode) -> LoopLocation {
    match mode {
        Mode::Client => LoopLocation::Client,
        Mode::Engine => LoopLocation::Engine,
    }
}

/// Holds a part of the files of `node` in the page cache.
fn hold(node: &dyn Node, held: PageCached) -> Result<PageCacheShare> {
    let directory = node.data_directory().ok_or_else(|| Error::environment("the files of the engine are not known"))?;
    PageCacheShare::hold(directory, held)
        .map_err(|error| Error::environment(format!("the page cache cannot hold {}: {error}", directory.display())))
}

/// Fills the cache of the engine: with all blocks if they fit, otherwise with as many as do, so that a run does not measure how
/// the cache fills.
fn fill(
    bench: &Bench<'_>,
    context: &TestContext<'_>,
    request: &BlocksRequest,
    layout: &Layout,
    jobs: &mut [BlocksJob],
    sizes: Option<(Bytes, Bytes)>,
) -> Result<(CacheState, Option<CacheFilling>)> {
    let Some((Bytes(cache), Bytes(block))) = sizes else { return Ok((CacheState::Warm, None)) };
    let settings = &request.settings;
    // Separate caches of sessions are each for one schema, or two.
    let shared = if settings.hot_schema_frequency > 0 { 2 } else { 1 };
    let is_per_session = context.node.has_cache_per_session();
    let schemas = if is_per_session { settings.schemas.min(shared) } else { settings.schemas };
    let blocks = layout.blocks_in_all(settings) / u64::from(settings.schemas) * u64::from(schemas);
    let wanted = (cache as f64 / (blocks as f64 * block as f64 * CACHED_SHARE)).min(1.0);
    let start = Instant::now();
    let cancellers = jobs.iter().flat_map(BlocksJob::cancellers).collect();
    bench.interrupt.during(cancellers, || blocks::preload(context, settings, layout, jobs, wanted))?;
    let rows = (blocks as f64 * wanted) as u64;
    let filling = CacheFilling { rows, bytes: Bytes(block).times(rows), read_ns: Nanos::from(start.elapsed()) };
    Ok((if wanted < 1.0 { CacheState::Warm } else { CacheState::Preloaded }, Some(filling)))
}

/// The operations of each stream; streams without operations are left out.
fn operations(streams: &[Tally]) -> Vec<BlockOperations> {
    let kinds = [BlockOperation::Read, BlockOperation::Scan, BlockOperation::Update, BlockOperation::Batch];
    let of = |(operation, tally): (BlockOperation, &Tally)| {
        let service = tally.service().latency();
        (service.count > 0).then(|| BlockOperations {
            operation,
            steps: service.count,
            rows: tally.totals().rows,
            service,
        })
    };
    kinds.into_iter().zip(streams).filter_map(of).collect()
}
