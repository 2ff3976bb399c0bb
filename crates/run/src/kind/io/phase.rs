//! One phase of a plan of I/O: one run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use measure::{Broken, Burst, Course, Member, Outcome, Tally, Watch, Work, run_workers};
use probe::storage::{Account, LaneSetting, Ledger, generator_per_second, work};
use record::{
    Amount, Bytes, Dop, IoJob, IoMode, IoPhase, Layer, Nanos, Outcome as RunOutcome, Pace, Plan, PlannedRun, Rate, Run,
    RunKind, Storage, Timestamp, Unit,
};

use super::file_set::FileSet;
use super::geometry::names;
use super::preparation::{all_names, look, look_inside, make, open};
use super::stall::Stall;
use super::stream::Streams;
use super::verification::check_content;
use crate::bench::Bench;
use crate::run::{self, timestamp};
use crate::sampler::Sampler;
use crate::{Event, Result};

/// Between the seeds of two runs: odd, with bits all over.
const SEED_STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Late I/O of an open loop is still begun for so long after the window.
const DRAIN_MAX: Nanos = Nanos(5_000_000_000);

/// What all phases of an invocation have in common.
pub(crate) struct PhaseContext<'a> {
    pub file_set: FileSet,
    /// Identifies the invocation in what is written.
    pub writer: u64,
    /// What is drawn, where a job has no seed of its own.
    pub seed: u64,
    /// I/Os that the raw log of each lane has room for; 0 for none.
    pub log_room: usize,
    /// Hears every I/O of a run, where a log is written.
    pub log: &'a dyn Fn(&Run, &Ledger, Nanos) -> Result<()>,
}

/// What a phase is besides its jobs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The code of its runs.
    pub test: String,
    /// Their kind.
    pub kind: RunKind,
    /// The service level that a search holds it against.
    pub bound: Option<String>,
    /// Rounds that went before.
    pub rounds: Vec<record::Round>,
    /// Whether it is a part of the preparation: its I/O is in no log.
    pub preparing: bool,
}

impl Frame {
    /// That of `phase` as it stands in a job file.
    pub(crate) fn of(phase: &IoPhase) -> Frame {
        Frame { test: phase.name.clone(), kind: RunKind::Io, ..Frame::default() }
    }
}

/// Carries out `phase`. A run that fails is a run, with what was counted until then.
///
/// # Errors
/// Where the files cannot be made or opened, and after Ctrl-C.
pub(crate) fn measure_phase(
    bench: &Bench<'_>,
    context: &mut PhaseContext<'_>,
    phase: &IoPhase,
    number: u32,
    frame: Frame,
) -> Result<Run> {
    make(&mut context.file_set, phase, context.writer, bench.interrupt, bench.listener)?;
    let clones = phase.jobs.iter().map(|job| job.clones).sum();
    let planned = PlannedRun { number, ..PlannedRun::new(frame.test, frame.kind, Dop::jobs(clones)) };
    let mut run = run::new(bench, &planned);
    run.title.clone_from(&phase.name);
    (run.layer, run.unit) = (Layer::Storage, Unit::Operation);
    run.pace = pace(phase);
    let expected = phase.jobs.iter().map(|job| job.ramp_time + job.start_delay + window(job)).max();
    let expected = expected.filter(|expected| *expected < Plan::OPEN_WINDOW_NS).unwrap_or_default();
    run::announce(bench, &planned, &run, expected);
    settle(&context.file_set, phase);
    let files = look(&context.file_set, phase);
    let generator = phase.jobs.iter().filter_map(generator_per_second).map(|rate| rate.0).reduce(f64::min);
    run.storage = Some(Box::new(Storage {
        generator_per_second: generator.map(Rate),
        files,
        bound: frame.bound,
        rounds: frame.rounds,
        ..Storage::default()
    }));
    let streams = Streams::of(phase);
    let ledger = Arc::new(Ledger::default());
    // Other arrivals and other addresses than in the run before: a repeat is none where caches remember it.
    let seed = context.seed.wrapping_add(u64::from(number).wrapping_mul(SEED_STEP));
    let lanes = lanes(context, phase, &streams, &ledger, seed)?;
    drive(bench, &mut run, phase, &streams, lanes, &ledger);
    if let Some(storage) = &mut run.storage {
        look_inside(&context.file_set, phase, context.seed, &mut storage.files);
    }
    if !frame.preparing {
        (context.log)(&run, &ledger, bench.origin)?;
    }
    check_content(bench, context, phase, &mut run)?;
    run::conclude(bench, run)
}

/// The pace of a run whose jobs agree; as fast as possible where they do not.
fn pace(phase: &IoPhase) -> Pace {
    match phase.jobs.as_slice() {
        [job] => job.pace,
        [first, rest @ ..] if rest.iter().all(|job| job.pace == first.pace) => first.pace,
        _ => Pace::AsFastAsPossible,
    }
}

/// Nothing of our own files is in the page cache when buffered I/O begins.
fn settle(file_set: &FileSet, phase: &IoPhase) {
    for name in all_names(phase) {
        let own = file_set.file(&name).filter(|file| !file.found && file.made);
        if let Some(file) = own
            && let Ok(open) = std::fs::File::open(&file.path)
        {
            // What stays is seen by the check of the page cache.
            let _ = host::drop_cache(&open, 0, file.size.0);
        }
    }
}

fn window(job: &IoJob) -> Nanos {
    job.run_time.unwrap_or(Plan::OPEN_WINDOW_NS)
}

/// One work per clone, with its course and the clone's place among those of its job.
struct Lane {
    work: Box<dyn Work>,
    course: Course,
    place: (u32, u32),
    processors: Vec<u32>,
}

fn lanes(
    context: &PhaseContext<'_>,
    phase: &IoPhase,
    streams: &Streams,
    ledger: &Arc<Ledger>,
    seed: u64,
) -> Result<Vec<Lane>> {
    let mut lanes = Vec::new();
    // All jobs are warm when the window begins: none waits for another with empty hands.
    let warm_up = phase.jobs.iter().map(|job| job.ramp_time).max().unwrap_or_default();
    for (job, place) in phase.jobs.iter().zip(0..) {
        let shared = Arc::new(job.clone());
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
                writer: context.writer,
                seed: job.seed.unwrap_or(seed).wrapping_add(place as u64),
                streams: streams.numbers(job, place, clone),
                log_room: context.log_room,
                idle: false,
            };
            lanes.push(Lane {
                work: work(setting, Arc::clone(ledger)),
                course: course(job, warm_up, seed),
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

/// How much a clone reads and writes; none where time alone ends it.
fn bytes_max(job: &IoJob, area: Bytes) -> Option<Bytes> {
    if job.time_based || job.mode == IoMode::Null && job.run_time.is_some() {
        return None;
    }
    let once = match job.io_bytes {
        None => area,
        Some(Amount::Bytes(bytes)) => bytes,
        Some(Amount::Share(share)) => Bytes((area.0 as f64 * share.0) as u64),
    };
    Some(Bytes(once.0.saturating_mul(u64::from(job.loops.max(1)))))
}

fn course(job: &IoJob, warm_up: Nanos, seed: u64) -> Course {
    let window = window(job);
    Course {
        pace: job.pace,
        warm_up,
        window,
        drain: window.min(DRAIN_MAX),
        steps: u64::MAX,
        seed: job.seed.unwrap_or(seed),
        warm_up_paced: true,
        delay: job.start_delay,
        burst: job
            .burst
            .map(|(share, cycle)| Burst { cycle, length: Nanos(((cycle.0 as f64 * share.0) as u64).max(1)) }),
    }
}

/// Warms up, measures and reads; fills in what was counted.
fn drive(bench: &Bench<'_>, run: &mut Run, phase: &IoPhase, streams: &Streams, mut lanes: Vec<Lane>, ledger: &Ledger) {
    bench.write_back();
    let meters: Vec<AtomicU64> = lanes.iter().map(|_| AtomicU64::new(0)).collect();
    let sampler = Sampler::new(bench.sources, Vec::new(), None);
    let stall = Stall::default();
    let started_at = OnceLock::new();
    let allowed: Vec<Vec<u32>> = lanes.iter().map(|lane| lane.processors.clone()).collect();
    let members = lanes.iter_mut().zip(&meters);
    let members = members
        .map(|(lane, meter)| Member {
            work: lane.work.as_mut(),
            course: lane.course,
            place: lane.place,
            meter: Some(meter),
        })
        .collect();
    let operations = || meters.iter().map(|meter| meter.load(Ordering::Relaxed)).sum();
    let edges = Edges { bench, sampler: &sampler, stall: &stall, allowed: &allowed, started_at: &started_at };
    let outcome = std::thread::scope(|scope| {
        // Without them the run is measured all the same, with fewer readings.
        let watcher = || std::thread::Builder::new();
        let _ = watcher().spawn_scoped(scope, || sampler.watch(bench.listener, &operations, &|| ()));
        let _ = watcher().spawn_scoped(scope, || stall.watch());
        let outcome = run_workers(members, &edges, bench.interrupt.flag());
        sampler.give_up();
        stall.end();
        outcome
    });
    run.started_at = started_at.into_inner().unwrap_or_else(timestamp);
    let read = sampler.into_read(bench.origin);
    (run.readings, run.foreign_load) = (read.readings, read.foreign_load.map(Box::new));
    fill(run, phase, streams, &outcome, ledger, stall.late_max());
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
    storage.stall_ns_max = Some(late);
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

/// Puts lanes where their jobs want them, and reads counters at the edges.
struct Edges<'a, 'b, 'c> {
    bench: &'a Bench<'b>,
    sampler: &'a Sampler<'c>,
    stall: &'a Stall,
    allowed: &'a [Vec<u32>],
    started_at: &'a OnceLock<Timestamp>,
}

impl Watch for Edges<'_, '_, '_> {
    fn enter(&self, job: u32) {
        let Some(allowed) = self.allowed.get(job as usize).filter(|allowed| !allowed.is_empty()) else { return };
        // A refusal leaves the lane where the kernel puts it: worth a word, no reason to stop.
        if let Err(error) = host::keep_this_thread_on(allowed) {
            self.bench.listener.on_event(&Event::Note(&format!("job {job} could not be placed: {error}")));
        }
    }

    fn begin(&self) {
        self.sampler.begin();
        self.started_at.get_or_init(timestamp);
        self.stall.begin();
    }

    fn end(&self) {
        self.stall.end();
        self.sampler.end();
    }
}
