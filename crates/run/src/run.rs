//! One run: described, announced, warmed up, measured, read, checked. The only place that makes one.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use measure::{Broken, Course, Tally, Work, run_jobs};
use record::evidence::CommitCount;
use record::{Evidence, Finding, Nanos, NodeRun, Outcome, PlannedRun, Run, Timestamp, Verdict};
use trace::Tracer;

use crate::bench::{Bench, Subject};
use crate::loss::Losses;
use crate::meter::{Meter, Metered};
use crate::overdue::Overdue;
use crate::pacing::{self, Threads};
use crate::placing::Placing;
use crate::recorder::Recorder;
use crate::sampler::Sampler;
use crate::session_job::{OnNode, SessionJob};
use crate::session_sampler::SessionSampler;
use crate::{Error, Event, Result};

/// Late steps of an open loop are still begun for so long after the window.
const DRAIN_MAX: Nanos = Nanos(60_000_000_000);

/// A run of `planned` in which nothing has happened yet.
pub(crate) fn new(bench: &Bench<'_>, planned: &PlannedRun) -> Run {
    Run::new(planned, pacing::pace(bench, planned), timestamp())
}

/// Carries out `run`, which is described, by `work`; `expected` is how long it should take, 0 where that is not known. A run
/// that fails is a run, with what was counted until then.
///
/// # Errors
/// Only where nothing more can be measured at all: interrupted by the user.
pub(crate) fn measure(
    bench: &Bench<'_>,
    planned: &PlannedRun,
    mut run: Run,
    expected: Nanos,
    work: impl FnOnce(&mut Run) -> Result<()>,
) -> Result<Run> {
    announce(bench, planned, &run, expected);
    if let Err(error) = work(&mut run) {
        run.outcome = Outcome::Failed { message: error.to_string() };
    }
    conclude(bench, run)
}

/// Tells that `run`, which is `planned`, begins.
pub(crate) fn announce(bench: &Bench<'_>, planned: &PlannedRun, run: &Run, expected: Nanos) {
    bench.listener.on_event(&Event::Began { planned, title: &run.title, expected });
}

/// Ends `run`: adds what the self-checks say.
///
/// # Errors
/// Where the user has interrupted it.
pub(crate) fn conclude(bench: &Bench<'_>, mut run: Run) -> Result<Run> {
    if bench.interrupt.is_raised() {
        return Err(Error::interrupted());
    }
    let context = model::Context {
        engine: bench.subject.map(|subject| &subject.inventory),
        host_threads: bench.processors.len() as u32,
        makes_claims: bench.plan.preset != record::Preset::Smoke,
        instrument: bench.instrument,
        flush_probe: Some(Nanos(bench.sources.flush_probe_ns.load(Ordering::Relaxed))).filter(|probe| probe.0 > 0),
        write_cache: bench.host.devices.first().and_then(|device| device.write_cache.as_deref()),
    };
    let findings = model::findings(&run, &context);
    run.findings.extend(findings);
    run.findings.extend(pacing::level(bench, &run));
    Ok(run)
}

/// Adds `run`, which is over, to `record`; why it failed, if it did.
///
/// # Errors
/// Where the record cannot be written.
pub(crate) fn keep(bench: &Bench<'_>, record: &mut Recorder, run: Run) -> Result<Option<String>> {
    bench.listener.on_event(&Event::Ended(&run));
    let failure = match &run.outcome {
        Outcome::Failed { message } => Some(message.clone()),
        Outcome::Done => None,
    };
    record.add_run(run)?;
    Ok(failure)
}

/// The jobs of a run, and what belongs to them.
#[derive(Default)]
pub(crate) struct Workers<'a> {
    pub works: Vec<Box<dyn Work + 'a>>,
    pub server_processes: Vec<Option<u32>>,
    pub cancellers: Vec<Box<dyn engine::Canceller>>,
    /// The places of the nodes that they work on, in the order of the streams of their tallies.
    pub places: Vec<usize>,
    pub losses: Option<Losses<'a>>,
    pub session_sampler: Option<SessionSampler<'a>>,
    pub tracer: Option<Tracer>,
}

impl<'a> Workers<'a> {
    /// One worker for each of `jobs`, whose sessions are spread over the nodes at `places` in their order.
    pub(crate) fn of_sessions<J: SessionJob + 'a>(
        bench: &'a Bench<'a>,
        subject: &'a Subject<'a>,
        places: Vec<usize>,
        mut jobs: Vec<J>,
    ) -> Workers<'a> {
        let of_jobs: Vec<usize> = (0..jobs.len()).map(|job| job % places.len()).collect();
        let is_spread = places.len() > 1;
        Workers {
            server_processes: jobs.iter_mut().map(SessionJob::server_process).collect(),
            cancellers: jobs.iter_mut().flat_map(SessionJob::cancellers).collect(),
            losses: Some(Losses::new(subject.nodes, of_jobs.iter().map(|index| places[*index]).collect())),
            session_sampler: SessionSampler::over(bench, &places),
            works: jobs
                .into_iter()
                .zip(&of_jobs)
                .map(|(job, index)| {
                    let node = &bench.sources.nodes[places[*index]];
                    Box::new(OnNode { job, node, stream: is_spread.then_some(*index) }) as Box<dyn Work + 'a>
                })
                .collect(),
            places,
            tracer: None,
        }
    }
}

/// Warms up, measures and reads; fills in what was counted. What each stream of the works came to.
pub(crate) fn drive<'a>(bench: &'a Bench<'_>, run: &mut Run, steps: u64, workers: Workers<'a>) -> Vec<Tally> {
    let processes = bench.subject.filter(|_| !workers.places.is_empty()).map(|subject| subject.nodes.processes());
    let sampler = Sampler::new(bench.sources, workers.places.clone(), processes);
    bench.write_back();
    let meters: Vec<Meter> = workers.works.iter().map(|_| Meter::default()).collect();
    let mut works: Vec<Box<dyn Work + '_>> = workers
        .works
        .into_iter()
        .zip(&meters)
        .map(|(work, meter)| Box::new(Metered::new(work, meter)) as Box<dyn Work>)
        .collect();
    let window = pacing::window(bench.plan, run.variation, run.pace);
    let course = Course {
        pace: run.pace,
        warm_up: bench.plan.warm_up_ns,
        window,
        drain: window.min(DRAIN_MAX),
        steps,
        seed: pacing::run_seed(bench.plan.seed, run),
        ..Course::default()
    };
    let started_at = OnceLock::new();
    let threads = Threads::of(bench, run);
    let placing = Placing {
        bench,
        threads: &threads,
        server_processes: &workers.server_processes,
        sampler: &sampler,
        started_at: &started_at,
        losses: workers.losses.as_ref(),
        session_sampler: workers.session_sampler.as_ref(),
        tracer: workers.tracer.as_ref(),
    };
    let operations = || meters.iter().map(Meter::operations).sum();
    let overdue = Overdue::new(course.window + course.drain, bench.listener);
    let look = || {
        workers.losses.iter().for_each(Losses::look);
        overdue.look();
    };
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| sampler.watch(bench.listener, &operations, &look));
        workers.session_sampler.iter().for_each(|session_sampler| drop(scope.spawn(|| session_sampler.watch())));
        let interrupt = bench.interrupt;
        let outcome =
            interrupt.during(workers.cancellers, || run_jobs(&mut works, &course, &placing, interrupt.flag()));
        sampler.give_up();
        workers.session_sampler.iter().for_each(SessionSampler::give_up);
        outcome
    });
    run.started_at = started_at.into_inner().unwrap_or_else(timestamp);
    run.jobs_ended_apart = outcome.ended_apart;
    run.window_ns = outcome.tally.window();
    run.totals = outcome.tally.totals();
    run.service = outcome.tally.service().latency();
    run.response = outcome.tally.response().latency();
    run.seconds = outcome.tally.seconds().to_vec();
    run.slices = outcome.tally.slices();
    run.activity = workers.session_sampler.map(SessionSampler::into_activity);
    if let Some(tracer) = workers.tracer {
        run.trace = Some(Box::new(tracer.finish()));
    }
    run.events = workers.losses.map_or(Vec::new(), |losses| losses.into_events(outcome.begun));
    let read = sampler.into_read(bench.origin);
    if workers.places.len() > 1 {
        let jobs = works.len();
        let parts = workers.places.iter().zip(&outcome.streams).zip(read.of_nodes).enumerate();
        run.nodes = parts
            .map(|(index, ((place, tally), readings))| NodeRun {
                node: *place as u32 + 1,
                jobs: (0..jobs).filter(|job| job % workers.places.len() == index).count() as u32,
                totals: tally.totals(),
                service: tally.service().latency(),
                response: tally.response().latency(),
                seconds: tally.seconds().to_vec(),
                readings,
            })
            .collect();
    }
    (run.readings, run.foreign_load) = (read.readings, read.foreign_load.map(Box::new));
    if let Some(error) = read.failure {
        let not_read = CommitCount::NotRead { message: error.message };
        run.findings.push(Finding::new(Verdict::Unknown, Evidence::CommitCount(not_read)));
    }
    if let Some(Broken { message }) = outcome.broken {
        run.outcome = Outcome::Failed { message };
    }
    outcome.streams
}

/// Now, as the calendar has it.
pub(crate) fn timestamp() -> Timestamp {
    Timestamp(humantime::format_rfc3339_millis(SystemTime::now()).to_string())
}
