//! One run: warm up, measure, read, check.

use std::sync::atomic::Ordering;
use std::sync::{OnceLock, PoisonError};
use std::time::SystemTime;

use engine::{Engine, Kind, Node};
use measure::{Broken, Course, Tally, Work, run_jobs};
use probe::{Form, Probe};
use record::evidence::{Answers, CommitCount};
use record::{
    Ceiling, EngineInventory, Evidence, Finding, HostInventory, Instrument, Layer, Nanos, NodeRun, Outcome, Pace, Plan,
    PlannedRun, Preset, Run, Rung, Sweep, Timestamp, Trace, Unit, Verdict,
};
use trace::Tracer;
use workload::{Job, Sizes, Stage, Test};

use crate::data_reads::PastPageCache;
use crate::io::ProbeGround;
use crate::lookout::Lookout;
use crate::loss::{Losses, gone};
use crate::meter::{Booked, Meter, Metered};
use crate::nodes::Nodes;
use crate::overdue::Overdue;
use crate::pacing::{self, Threads};
use crate::placing::Placing;
use crate::plan::Item;
use crate::sampler::{Sampler, Sources};
use crate::timing::Timing;
use crate::tracing::{is_traceable, tracer};
use crate::{Error, Event, Interrupt, Listener, Result, ceiling};

/// Late steps of an open loop are still begun for so long after the window.
const DRAIN_MAX: Nanos = Nanos(60_000_000_000);

/// The engine under measurement.
pub(crate) struct Subject<'a> {
    pub engine: &'a dyn Engine,
    pub nodes: &'a Nodes,
    pub inventory: EngineInventory,
    /// The trace of plain runs where traced repeats were asked for and cannot be made: it says why.
    pub untraced: Option<Box<Trace>>,
    /// The rung on which traced repeats are to be traced, if one was asked for.
    pub rung: Option<Rung>,
    /// Whether its data lie on the device that probes of storage measure.
    pub on_probed_device: bool,
}

/// What all runs of an invocation have in common.
pub(crate) struct Bench<'a> {
    pub plan: &'a Plan,
    pub sizes: &'a Sizes,
    pub subject: Option<&'a Subject<'a>>,
    pub sources: &'a Sources<'a>,
    pub instrument: &'a Instrument,
    pub host: &'a HostInventory,
    pub processors: Vec<u32>,
    /// Whether somebody looks at what sessions are doing while runs go on.
    pub looks: bool,
    /// The beginning of the invocation on the monotonic clock: readings count from it.
    pub origin: Nanos,
    pub interrupt: &'a Interrupt,
    pub listener: &'a dyn Listener,
}

impl<'a> Bench<'a> {
    /// The stage on which tests are set up; none where only probes are run.
    pub(crate) fn stage(&self) -> Option<Stage<'_>> {
        let stage = |subject: &Subject<'a>| Stage {
            engine: subject.engine,
            node: subject.nodes.first(),
            others: &[],
            sizes: self.sizes,
        };
        self.subject.map(stage)
    }

    /// Brings every node into the same state as before every other run. Of several nodes, one that does not answer is
    /// done without from now on.
    pub(crate) fn settle(&self) -> Result<()> {
        let Some(subject) = self.subject.filter(|_| !self.sources.nodes.is_empty()) else { return Ok(()) };
        for place in self.places() {
            let node = &self.sources.nodes[place];
            // Found anew each time: the one before may just have been lost.
            match node.settle(&self.sources.nodes[subject.nodes.first_place()]) {
                Err(error) if matches!(error.kind, Kind::Lost | Kind::Unreachable) && subject.nodes.counts().0 > 1 => {
                    subject.nodes.lose(place);
                    self.listener.hear(&Event::Note(&format!("{} is gone: {error}", node.called())));
                }
                result => result?,
            }
        }
        Ok(())
    }

    /// Has the kernel write what earlier runs, loads and other programs left in the page cache, so that it does not do so
    /// while a run is measured; not where nothing is claimed.
    pub(crate) fn write_back(&self) {
        if self.plan.preset != Preset::Smoke {
            self.sources.host.lock().unwrap_or_else(PoisonError::into_inner).write_back();
        }
    }

    /// The places of the nodes that answer.
    pub(crate) fn places(&self) -> Vec<usize> {
        self.subject
            .filter(|_| !self.sources.nodes.is_empty())
            .map_or(Vec::new(), |subject| subject.nodes.left().collect())
    }
}

/// Carries out `planned`. A run that fails is a run, with what was counted until then.
///
/// # Errors
/// Only where nothing more can be measured at all: broken off by the user.
pub(crate) fn measure_one(
    bench: &Bench<'_>,
    planned: &PlannedRun,
    item: Item<'_>,
    storage: &mut ProbeGround,
) -> Result<Run> {
    if let Item::Probe(probe @ Probe { form: Form::Io(_), .. }) = item {
        return storage.measure(bench, planned, probe);
    }
    let expected = bench.plan.warm_up_ns + pacing::window(bench.plan, planned.variation, pacing::pace(bench, planned));
    bench.listener.hear(&Event::Began { planned, title: item.title(), expected });
    let run = match item {
        Item::Probe(probe) => measure_probe(bench, planned, probe),
        Item::Test(test) => measure_test(bench, planned, test),
    };
    if bench.interrupt.is_raised() {
        return Err(Error::interrupted());
    }
    Ok(run)
}

fn measure_probe(bench: &Bench<'_>, planned: &PlannedRun, probe: &Probe) -> Run {
    let mut run = blank(bench, planned);
    run.title = probe.title.to_owned();
    (run.layer, run.unit) = (probe.layer, probe.unit);
    // A ceiling is what there is at most: no pace and no count of steps bounds it.
    run.pace = Pace::AsFastAsPossible;
    let context = ceiling::context(bench.plan, bench.host.memory.available_bytes, planned.dop);
    run.parameters = (probe.parameters)(&context);
    let works = match probe.form {
        Form::Steps(build) => build(&context),
        Form::Io(_) => Vec::new(),
    };
    let sampler = Sampler::new(bench.sources, bench.places(), None);
    drive(bench, &mut run, u64::MAX, Cast { works, ..Cast::default() }, sampler);
    finish(bench, run)
}

fn measure_test(bench: &Bench<'_>, planned: &PlannedRun, test: &Test) -> Run {
    let mut run = blank(bench, planned);
    run.title.clone_from(&test.summary);
    (run.layer, run.unit, run.sweep) = (test.layer, test.unit, test.sweep);
    run.ceiling = test.ceiling.clone().filter(|ceiling| bounds(bench, ceiling));
    run.cache_fit = test.cache_fit();
    run.parameters = test.parameters(bench.plan.preset);
    run.changes = test.changes();
    run.data_bytes = test.data_bytes(bench.sizes);
    if is_traceable(test) {
        run.trace = bench.subject.and_then(|subject| subject.untraced.clone());
    }
    if let Err(error) = try_test(bench, &mut run, test) {
        run.outcome = Outcome::Failed { message: error.to_string() };
    }
    finish(bench, run)
}

/// Whether the probe of `ceiling` bounds what the engine does: that of storage does not where the engine's data lie
/// elsewhere, and commits that wait for nothing have no bound.
pub(crate) fn bounds(bench: &Bench<'_>, ceiling: &Ceiling) -> bool {
    let of_storage = probe::probe(&ceiling.probe).is_some_and(|probe| probe.layer == Layer::Storage);
    let Some(subject) = bench.subject.filter(|_| of_storage) else { return true };
    let waits = ceiling.unit != Unit::Transaction || subject.inventory.durable != Some(false);
    subject.on_probed_device && waits
}

fn try_test(bench: &Bench<'_>, run: &mut Run, test: &Test) -> Result<()> {
    let (Some(stage), Some(subject)) = (bench.stage(), bench.subject) else {
        return Err(Error::user(format!("test {} needs an engine", test.code)));
    };
    pacing::is_known(bench, run)?;
    bench.settle()?;
    let places = subject.nodes.choose(run.changes, run.dop.nodes)?;
    let gone = gone(subject.nodes);
    let others: Vec<&dyn Node> = places[1..].iter().map(|place| subject.nodes.at(*place)).collect();
    let stage = Stage { node: subject.nodes.at(places[0]), others: &others, ..stage };
    let keys = pacing::run_seed(bench.plan.seed, run);
    let mut jobs = workload::jobs_drawing(test, &stage, run.dop, keys)?;
    if stage.node.caps().answers && !bench.interrupt.is_raised() {
        let first = jobs[0].canceller().into_iter().collect();
        bench.interrupt.during(first, || check_answers(&mut jobs[0], run))?;
    }
    let of_job: Vec<usize> = (0..jobs.len()).map(|job| job % places.len()).collect();
    let cast = Cast {
        server_processes: jobs.iter().map(Job::server_process).collect(),
        cancellers: jobs.iter().filter_map(Job::canceller).collect(),
        losses: Some(Losses::new(subject.nodes, of_job.iter().map(|index| places[*index]).collect())),
        works: jobs
            .into_iter()
            .zip(&of_job)
            .map(|(job, index)| {
                let node = &bench.sources.nodes[places[*index]];
                Box::new(Booked::new(job, node, *index)) as Box<dyn Work>
            })
            .collect(),
        places: places.clone(),
        lookout: Lookout::over(bench, &places),
        tracer: tracer(run, subject.nodes, subject.rung),
    };
    let _timing = Timing::begin(run, subject.nodes, &places);
    let nodes = places.iter().map(|place| subject.nodes.at(*place)).collect();
    let _past_page_cache = PastPageCache::begin(bench, run, nodes);
    let sampler = Sampler::new(bench.sources, places, Some(subject.nodes.processes()));
    drive(bench, run, bench.plan.steps.unwrap_or(u64::MAX), cast, sampler);
    run.events.splice(..0, gone);
    if workload::commits_counted(test, subject.nodes.first().caps()) {
        run.commits_expected = Some(run.totals.transactions);
    }
    Ok(())
}

/// The run that `planned` would have been, had its test been set up.
pub(crate) fn not_begun(bench: &Bench<'_>, planned: &PlannedRun, item: Item<'_>, error: &Error) -> Run {
    let mut run = blank(bench, planned);
    run.title = item.title().to_owned();
    run.layer = item.layer();
    run.outcome = Outcome::Failed { message: error.to_string() };
    run
}

/// Compares the answers of a job with what the data must give.
fn check_answers(job: &mut Job, run: &mut Run) -> Result<()> {
    let checked = job.check();
    let (verdict, answers) = match &checked {
        Ok(()) => (Verdict::Pass, Answers::Right),
        Err(broken) => (Verdict::Fail, Answers::Wrong { message: broken.message.clone() }),
    };
    run.findings.push(Finding::new(verdict, Evidence::Answers(answers)));
    checked.map_err(|broken| Error::environment(broken.message))
}

/// A run of `planned` in which nothing has happened yet.
pub(crate) fn blank(bench: &Bench<'_>, planned: &PlannedRun) -> Run {
    Run {
        number: planned.number,
        test: planned.test.clone(),
        title: String::new(),
        layer: record::Layer::Cpu,
        unit: record::Unit::Operation,
        sweep: Sweep::Jobs,
        dop: planned.dop,
        variation: planned.variation,
        pace: pacing::pace(bench, planned),
        ceiling: None,
        cache_fit: None,
        data_reads: None,
        data_bytes: None,
        commits_expected: None,
        changes: false,
        parameters: Default::default(),
        begun_at: timestamp(),
        window_ns: Nanos(0),
        outcome: Outcome::Done,
        totals: Default::default(),
        service: Default::default(),
        response: Default::default(),
        seconds: Vec::new(),
        slices: None,
        readings: Vec::new(),
        jobs_ended_apart: false,
        foreign_load: None,
        nodes: Vec::new(),
        events: Vec::new(),
        storage: None,
        activity: None,
        trace: None,
        blocks: None,
        load: None,
        streams: None,
        findings: Vec::new(),
    }
}

/// Who works in a run.
#[derive(Default)]
pub(crate) struct Cast<'a> {
    pub works: Vec<Box<dyn Work + 'a>>,
    pub server_processes: Vec<Option<u32>>,
    pub cancellers: Vec<Box<dyn engine::Canceller>>,
    /// The places of the nodes that they work on, in the order of the streams of their tallies.
    pub places: Vec<usize>,
    pub losses: Option<Losses<'a>>,
    pub lookout: Option<Lookout<'a>>,
    pub tracer: Option<Tracer>,
}

/// Warms up, measures and reads; fills in what was counted. What each stream of the works came to.
pub(crate) fn drive<'a>(
    bench: &Bench<'_>,
    run: &mut Run,
    steps: u64,
    cast: Cast<'a>,
    sampler: Sampler<'a>,
) -> Vec<Tally> {
    bench.write_back();
    let meters: Vec<Meter> = cast.works.iter().map(|_| Meter::default()).collect();
    let mut works: Vec<Box<dyn Work + '_>> = cast
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
    let begun_at = OnceLock::new();
    let threads = Threads::of(bench, run);
    let placing = Placing {
        bench,
        threads: &threads,
        server_processes: &cast.server_processes,
        sampler: &sampler,
        begun_at: &begun_at,
        losses: cast.losses.as_ref(),
        lookout: cast.lookout.as_ref(),
        tracer: cast.tracer.as_ref(),
    };
    let operations = || meters.iter().map(Meter::operations).sum();
    let overdue = Overdue::new(course.window + course.drain, bench.listener);
    let look = || {
        cast.losses.iter().for_each(Losses::look);
        overdue.look();
    };
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| sampler.watch(bench.listener, &operations, &look));
        cast.lookout.iter().for_each(|lookout| drop(scope.spawn(|| lookout.watch())));
        let interrupt = bench.interrupt;
        let outcome = interrupt.during(cast.cancellers, || run_jobs(&mut works, &course, &placing, interrupt.flag()));
        sampler.give_up();
        cast.lookout.iter().for_each(Lookout::give_up);
        outcome
    });
    run.begun_at = begun_at.into_inner().unwrap_or_else(timestamp);
    run.jobs_ended_apart = outcome.ended_apart;
    run.window_ns = outcome.tally.window();
    run.totals = outcome.tally.totals();
    run.service = outcome.tally.service().latency();
    run.response = outcome.tally.response().latency();
    run.seconds = outcome.tally.seconds().to_vec();
    run.slices = outcome.tally.slices();
    run.activity = cast.lookout.map(Lookout::into_activity);
    if let Some(tracer) = cast.tracer {
        run.trace = Some(Box::new(tracer.finish()));
    }
    run.events = cast.losses.map_or(Vec::new(), |losses| losses.into_events(outcome.begun));
    let read = sampler.into_read(bench.origin);
    if cast.places.len() > 1 {
        let jobs = works.len();
        let parts = cast.places.iter().zip(&outcome.streams).zip(read.of_nodes).enumerate();
        run.nodes = parts
            .map(|(index, ((place, tally), readings))| NodeRun {
                node: *place as u32 + 1,
                jobs: (0..jobs).filter(|job| job % cast.places.len() == index).count() as u32,
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

/// Adds what the self-checks say.
pub(crate) fn finish(bench: &Bench<'_>, mut run: Run) -> Run {
    let context = model::Context {
        engine: bench.subject.map(|subject| &subject.inventory),
        host_threads: bench.processors.len() as u32,
        makes_claims: bench.plan.preset != Preset::Smoke,
        instrument: bench.instrument,
        flush_probe: Some(Nanos(bench.sources.flush_probe_ns.load(Ordering::Relaxed))).filter(|probe| probe.0 > 0),
        write_cache: bench.host.devices.first().and_then(|device| device.write_cache.as_deref()),
    };
    let findings = model::findings(&run, &context);
    run.findings.extend(findings);
    run.findings.extend(pacing::level(bench, &run));
    run
}

/// Now, as the calendar has it.
pub(crate) fn timestamp() -> Timestamp {
    Timestamp(humantime::format_rfc3339_millis(SystemTime::now()).to_string())
}
