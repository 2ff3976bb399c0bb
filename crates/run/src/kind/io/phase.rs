//! One phase of an I/O plan: one run.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use measure::{Broken, Burst, JobSettings, Observer, Outcome, Purpose, RunSeed, Tally, Work, Worker, run_workers};
use probe::storage::{Account, LaneSetting, Ledger, generator_per_second, work};
use record::{
    Amount, Bytes, Dop, IoJob, IoPhase, Layer, Nanos, Outcome as RunOutcome, Pace, Plan, PlannedRun, Rate, Run,
    Storage, Sweep, Timestamp, Unit,
};

use super::agent_parts::drive_agents;
use super::file_set::FileSet;
use super::geometry::names;
use super::member::Members;
use super::phase_context::{PhaseContext, PhaseRun, clones};
use super::preparation::{file_names, generations, inspect_files, make, open, sample_content, unwritten_now};
use super::stall::Stall;
use super::stream::Streams;
use super::verification::check_content;
use crate::bench::Bench;
use crate::hands::{Hands, Release};
use crate::recorder::timestamp;
use crate::run;
use crate::sampler::Sampler;
use crate::{Event, Result};

/// How long after the window late I/Os of an open loop are still started.
const DRAIN_MAX: Nanos = Nanos(5_000_000_000);

/// Carries out `phase`. A failed run is recorded with what was counted until then.
pub(crate) fn measure_phase(
    bench: &Bench<'_>,
    context: &mut PhaseContext<'_>,
    phase: &IoPhase,
    number: u32,
    phase_run: PhaseRun,
) -> Result<Run> {
    let fleet = bench.hands.fleet();
    if fleet.is_none() {
        make(&mut context.file_set, phase, context.writer, bench.interrupt, bench.listener)?;
    }
    let agents = fleet.map_or(1, |fleet| phase_run.agents.unwrap_or_else(|| fleet.agents()));
    let each = clones(phase);
    let jobs = each.saturating_mul(agents);
    let planned =
        PlannedRun { number, ..PlannedRun::new(phase_run.test.clone(), phase_run.kind.clone(), Dop::jobs(jobs)) };
    let mut run = run::new(bench, &planned);
    run.title.clone_from(&phase.name);
    (run.layer, run.unit) = (Layer::Storage, Unit::Operation);
    run.pace = phase_run.pace.unwrap_or_else(|| pace(phase).times(agents.into()));
    if !matches!(bench.hands, Hands::Own) {
        run.sweep = Sweep::Agents { jobs_each: each };
    }
    let expected = phase.jobs.iter().map(|job| job.ramp_time + job.start_delay + window(job)).max();
    let expected = expected.filter(|expected| *expected < Plan::OPEN_WINDOW_NS).unwrap_or_default();
    run::announce(bench, &planned, &run, expected);
    match fleet {
        Some(fleet) => drive_agents(bench, &mut run, fleet, context, phase, phase_run),
        None => measure_here(bench, &mut run, context, phase, phase_run)?,
    }
    run::conclude(bench, run)
}

/// Carries out `phase`, whose files have been made, in this process; fills in what was counted.
fn measure_here(
    bench: &Bench<'_>,
    run: &mut Run,
    context: &PhaseContext<'_>,
    phase: &IoPhase,
    phase_run: PhaseRun,
) -> Result<()> {
    settle(&context.file_set, phase);
    let files = inspect_files(&context.file_set, phase);
    let generator = phase.jobs.iter().filter_map(generator_per_second).map(|rate| rate.0).reduce(f64::min);
    run.storage = Some(Box::new(Storage {
        generator_per_second: generator.map(Rate),
        files: files.clone(),
        bound: phase_run.bound,
        rounds: phase_run.rounds,
        ..Storage::default()
    }));
    let streams = Streams::of(phase);
    let ledger = Arc::new(Ledger::default());
    // Other arrivals and addresses than in the previous run, and than on other agents: the same ones could be served from
    // caches. Who gives a seed wants the same ones.
    let seed =
        |job: &IoJob| job.seed.map_or(RunSeed { plan: context.seed, run: run.number }, |plan| RunSeed { plan, run: 0 });
    let lanes = lanes(context, phase, &streams, &ledger, (&seed, bench.hands.share(run.dop.jobs).first))?;
    let unwritten = OnceLock::new();
    let is_warmed_up = phase.jobs.iter().any(|job| job.ramp_time.0 > 0);
    let file_set = &context.file_set;
    let at_begin = || {
        if is_warmed_up {
            unwritten.get_or_init(|| unwritten_now(file_set, phase, &files));
        }
    };
    let watched = Watched { path: measured(file_set, phase), at_begin: &at_begin };
    drive(bench, run, phase, &watched, &streams, lanes, &ledger);
    if let (Some(storage), Some(unwritten)) = (&mut run.storage, unwritten.into_inner()) {
        for (path, (holes, reserved)) in unwritten {
            if let Some(file) = storage.files.iter_mut().find(|file| file.path == path) {
                (file.hole_bytes, file.unwritten_bytes) = (holes, reserved);
            }
        }
    }
    if let Some(storage) = &mut run.storage {
        sample_content(&context.file_set, phase, context.seed, &mut storage.files);
    }
    if !phase_run.preparing {
        (context.log)(run, &ledger, bench.origin)?;
    }
    check_content(bench, &context.file_set, context.writer, phase, run)
}

/// The pace of a run, if its jobs have the same; otherwise unthrottled.
fn pace(phase: &IoPhase) -> Pace {
    match phase.jobs.as_slice() {
        [job] => job.pace,
        [first, rest @ ..] if rest.iter().all(|job| job.pace == first.pace) => first.pace,
        _ => Pace::Unthrottled,
    }
}

/// Drops our files from the page cache before buffered I/O starts.
fn settle(file_set: &FileSet, phase: &IoPhase) {
    for name in file_names(phase) {
        let own = file_set.file(&name).filter(|file| !file.found && file.made);
        if let Some(file) = own
            && let Ok(open) = std::fs::File::open(&file.path)
        {
            // What stays cached is seen by the page cache check.
            let _ = host::drop_cache(&open, 0, file.size.0);
        }
    }
}

/// The file or device that the I/O of `phase` is on; none where it is on several devices.
fn measured(file_set: &FileSet, phase: &IoPhase) -> Option<PathBuf> {
    let names = file_names(phase);
    let files: Vec<_> = names.iter().filter_map(|name| file_set.file(name)).collect();
    let is_one = files.len() == 1 || files.iter().all(|file| !file.found);
    files.first().filter(|_| is_one).map(|file| file.path.clone())
}

fn window(job: &IoJob) -> Nanos {
    job.run_time.unwrap_or(Plan::OPEN_WINDOW_NS)
}

/// The work of a clone, with its settings, and its number among the clones of the job.
struct Lane {
    work: Box<dyn Work>,
    settings: JobSettings,
    place: (u32, u32),
    processors: Vec<u32>,
}

fn lanes(
    context: &PhaseContext<'_>,
    phase: &IoPhase,
    streams: &Streams,
    ledger: &Arc<Ledger>,
    (seed, first): (&dyn Fn(&IoJob) -> RunSeed, u32),
) -> Result<Vec<Lane>> {
    let mut lanes: Vec<Lane> = Vec::new();
    // The longest warm-up of all jobs: all are warm when the window starts.
    let warm_up = phase.jobs.iter().map(|job| job.ramp_time).max().unwrap_or_default();
    for (job, place) in phase.jobs.iter().zip(0..) {
        let shared = Arc::new(job.clone());
        let settings = JobSettings { first_job: first + lanes.len() as u32, ..settings(job, warm_up, seed(job)) };
        for clone in 0..job.clones {
            let (files, regions) = open(&context.file_set, job, clone)?;
            let unit = job.files.first().and_then(|_| {
                let name = names(job, clone).into_iter().next()?;
                context.file_set.file(&name)?.unit
            });
            let area = Bytes(regions.iter().map(|region| region.length).sum());
            let setting = LaneSetting {
                job: Arc::clone(&shared),
                lane: lanes.len() as u32,
                files,
                bytes_max: bytes_max(job, area),
                regions,
                unit,
                generations: generations(&context.file_set, job, clone),
                writer: context.writer,
                seed: seed(job).stream(Purpose::Addresses, first + lanes.len() as u32),
                streams: streams.numbers(job, place, clone),
                log_room: context.log_room,
                idle: false,
            };
            lanes.push(Lane {
                work: work(setting, Arc::clone(ledger)),
                settings,
                place: (clone, job.clones),
                processors: processors(job, clone),
            });
        }
    }
    Ok(lanes)
}

fn processors(job: &IoJob, clone: u32) -> Vec<u32> {
    match (job.cpus_split, job.cpus_allowed.as_slice()) {
        (true, allowed) if !allowed.is_empty() => vec![allowed[clone as usize % allowed.len()]],
        (_, allowed) => allowed.to_vec(),
    }
}

/// Bytes that a clone reads and writes; none if only the time limits it.
fn bytes_max(job: &IoJob, area: Bytes) -> Option<Bytes> {
    if job.time_based {
        return None;
    }
    let once = match job.io_bytes {
        None => area,
        Some(Amount::Bytes(bytes)) => bytes,
        Some(Amount::Share(share)) => Bytes((area.0 as f64 * share.0) as u64),
    };
    Some(Bytes(once.0.saturating_mul(u64::from(job.loops.max(1)))))
}

fn settings(job: &IoJob, warm_up: Nanos, seed: RunSeed) -> JobSettings {
    let window = window(job);
    JobSettings {
        pace: job.pace,
        warm_up,
        window,
        drain: window.min(DRAIN_MAX),
        steps: u64::MAX,
        seed,
        // Blocks of a file are written and read by what its jobs ask for alone.
        warm_up_step: false,
        delay: job.start_delay,
        threads: None,
        burst: job
            .burst
            .map(|(share, cycle)| Burst { cycle, length: Nanos(((cycle.0 as f64 * share.0) as u64).max(1)) }),
        ..JobSettings::default()
    }
}

/// What is looked at beside the I/O.
struct Watched<'a> {
    /// The file or device that the I/O is on.
    path: Option<PathBuf>,
    /// Called before the window begins, while no job runs.
    at_begin: &'a (dyn Fn() + Sync),
}

/// Warms up, measures and reads; fills in what was counted.
fn drive(
    bench: &Bench<'_>,
    run: &mut Run,
    phase: &IoPhase,
    watched: &Watched<'_>,
    streams: &Streams,
    mut lanes: Vec<Lane>,
    ledger: &Ledger,
) {
    bench.write_back();
    let meters: Vec<AtomicU64> = lanes.iter().map(|_| AtomicU64::new(0)).collect();
    let sampler = Sampler::new(bench.sources, Vec::new(), None);
    let stall = Stall::default();
    let started_at = OnceLock::new();
    let allowed: Vec<Vec<u32>> = lanes.iter().map(|lane| lane.processors.clone()).collect();
    let workers = lanes.iter_mut().zip(&meters);
    let workers = workers
        .map(|(lane, meter)| Worker {
            work: lane.work.as_mut(),
            settings: lane.settings,
            place: lane.place,
            meter: Some(meter),
        })
        .collect();
    let operations = || {
        let operations = meters.iter().map(|meter| meter.load(Ordering::Relaxed)).sum();
        bench.hands.release().iter().for_each(|release| release.progress(operations));
        operations
    };
    let members = Members::below(watched.path.as_deref());
    let edges = Edges {
        bench,
        sampler: &sampler,
        stall: &stall,
        allowed: &allowed,
        started_at: &started_at,
        members: &members,
        at_begin: watched.at_begin,
    };
    let outcome = std::thread::scope(|scope| {
        // If a thread cannot be started, the run has fewer readings.
        let watcher = || std::thread::Builder::new();
        let _ = watcher().spawn_scoped(scope, || sampler.watch(bench.listener, &operations, &|| ()));
        let _ = watcher().spawn_scoped(scope, || stall.watch());
        let outcome = run_workers(workers, &edges, bench.interrupt.flag());
        sampler.stop();
        stall.end();
        outcome
    });
    run.started_at = started_at.into_inner().unwrap_or_else(timestamp);
    // No engine is asked.
    let _ = sampler.into_read(bench.origin).add_hosts_to(run);
    fill(run, phase, streams, &outcome, ledger, stall.late_max());
    if let Some(storage) = &mut run.storage {
        storage.members = members.during();
        storage.cache = members.cache_during(run.window_ns);
    }
    if let Some(Broken { message }) = outcome.broken {
        run.outcome = RunOutcome::Failed { message };
    }
}

fn fill(run: &mut Run, phase: &IoPhase, streams: &Streams, outcome: &Outcome, ledger: &Ledger, late: Nanos) {
    let mut whole: Option<Tally> = None;
    for number in (0..streams.count()).filter(|number| streams.counts(*number)) {
        match &mut whole {
            Some(whole) => whole.merge(&outcome.streams[number]),
            None => whole = outcome.streams.get(number).cloned(),
        }
    }
    let whole = whole.as_ref().unwrap_or(&outcome.tally);
    run.window_ns = whole.window();
    run.totals = whole.totals();
    run.service = whole.service().latency();
    run.response = whole.response().latency();
    run.seconds = whole.seconds().to_vec();
    run.slices = whole.slices();
    let Some(storage) = &mut run.storage else { return };
    storage.scheduling_delay_ns_max = Some(late);
    let pages = ledger.pages();
    let mut accounts = vec![Account::default(); streams.count()];
    for page in pages.values() {
        if !storage.modes.contains(&page.mode) {
            storage.modes.push(page.mode.clone());
        }
        storage
            .refused
            .extend(page.refused.iter().filter(|word| !storage.refused.contains(word)).cloned().collect::<Vec<_>>());
        for (number, account) in &page.streams {
            accounts[*number].add(account);
        }
    }
    let outcomes = accounts
        .iter()
        .zip(0..)
        .filter_map(|(account, number)| Some(streams.outcome(number, phase, outcome.streams.get(number)?, account)));
    storage.streams = outcomes.collect();
}

/// Pins lanes to the processors of their jobs, and reads counters at the edges of the window.
struct Edges<'a, 'b, 'c> {
    bench: &'a Bench<'b>,
    sampler: &'a Sampler<'c>,
    stall: &'a Stall,
    allowed: &'a [Vec<u32>],
    started_at: &'a OnceLock<Timestamp>,
    members: &'a Members,
    at_begin: &'a (dyn Fn() + Sync),
}

impl Observer for Edges<'_, '_, '_> {
    fn enter(&self, job: u32, _thread: u32) {
        let Some(allowed) = self.allowed.get(job as usize).filter(|allowed| !allowed.is_empty()) else { return };
        // A failure leaves the placement to the kernel: it is reported and does not end the run.
        if let Err(error) = host::pin_this_thread_to(allowed) {
            self.bench.listener.on_event(&Event::Note(&format!("job {job} could not be pinned: {error}")));
        }
    }

    fn begin(&self) -> std::result::Result<(), Broken> {
        let release = self.bench.hands.release();
        (self.at_begin)();
        release.map_or(Ok(()), Release::ready)?;
        self.members.begin();
        self.sampler.begin();
        self.started_at.get_or_init(timestamp);
        self.stall.begin();
        release.iter().for_each(|release| release.wait());
        Ok(())
    }

    fn end(&self) {
        self.stall.end();
        self.sampler.end();
        self.members.end();
    }
}
