//! One run: warm up, measure, read, check.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError};
use std::time::SystemTime;

use engine::{Engine, Node};
use measure::{Broken, Course, Done, Watch, Work, run_jobs};
use probe::{Form, Probe};
use record::{
    Ceiling, Check, EngineInventory, Finding, HostInventory, Instrument, Layer, Nanos, Outcome, Pace, Placement, Plan,
    PlannedRun, Run, Sweep, Timestamp, Unit, Verdict,
};
use workload::{Job, Sizes, Stage, Test};

use crate::io::ProbeGround;
use crate::plan::Item;
use crate::sampler::{Sampler, Sources};
use crate::{Error, Event, Interrupt, Listener, Result, ceiling};

/// Late steps of an open loop are still begun for so long after the window.
const DRAIN_MAX: Nanos = Nanos(60_000_000_000);

/// The engine under measurement.
pub(crate) struct Subject<'a> {
    pub engine: &'a dyn Engine,
    pub node: &'a dyn Node,
    pub inventory: EngineInventory,
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
    /// The beginning of the invocation on the monotonic clock: readings count from it.
    pub origin: Nanos,
    pub interrupt: &'a Interrupt,
    pub listener: &'a dyn Listener,
}

impl Bench<'_> {
    /// The stage on which tests work; none where only probes are run.
    pub(crate) fn stage(&self) -> Option<Stage<'_>> {
        self.subject.map(|subject| Stage { engine: subject.engine, node: subject.node, sizes: self.sizes })
    }

    /// Brings the node into the same state as before every other run.
    pub(crate) fn settle(&self) -> Result<()> {
        let Some(engine) = &self.sources.engine else { return Ok(()) };
        Ok(engine.lock().unwrap_or_else(PoisonError::into_inner).settle()?)
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
    let expected = bench.plan.warm_up_ns + bench.plan.window_ns;
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
    let sampler = Sampler::new(bench.sources, None);
    drive(bench, &mut run, u64::MAX, works, &[], sampler, Vec::new());
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
    if let Err(error) = try_test(bench, &mut run, test) {
        run.outcome = Outcome::Failed { message: error.to_string() };
    }
    finish(bench, run)
}

/// Whether the probe of `ceiling` bounds what the engine does: that of storage does not where the engine's data lie
/// elsewhere, and commits that wait for nothing have no bound.
fn bounds(bench: &Bench<'_>, ceiling: &Ceiling) -> bool {
    let of_storage = probe::probe(&ceiling.probe).is_some_and(|probe| probe.layer == Layer::Storage);
    let Some(subject) = bench.subject.filter(|_| of_storage) else { return true };
    let waits = ceiling.unit != Unit::Transaction || subject.inventory.durable != Some(false);
    subject.on_probed_device && waits
}

fn try_test(bench: &Bench<'_>, run: &mut Run, test: &Test) -> Result<()> {
    let (Some(stage), Some(subject)) = (bench.stage(), bench.subject) else {
        return Err(Error::user(format!("test {} needs an engine", test.code)));
    };
    bench.settle()?;
    let mut jobs = workload::jobs(test, &stage, run.dop)?;
    let answers = bench.subject.is_some_and(|subject| subject.node.caps().answers);
    let cancellers = |jobs: &[Job]| jobs.iter().filter_map(Job::canceller).collect::<Vec<_>>();
    if answers && !bench.interrupt.is_raised() {
        let first = cancellers(&jobs[..1]);
        bench.interrupt.during(first, || check_answers(&mut jobs[0], run))?;
    }
    let server_processes: Vec<Option<u32>> = jobs.iter().map(Job::server_process).collect();
    let cancellers = cancellers(&jobs);
    let commits = &bench.sources.bookkeeping_commits;
    let works = jobs.into_iter().map(|job| Box::new(Booked { job, commits }) as Box<dyn Work>).collect();
    let sampler = Sampler::new(bench.sources, Some(subject.node.processes()));
    let steps = bench.plan.steps.unwrap_or(u64::MAX);
    drive(bench, run, steps, works, &server_processes, sampler, cancellers);
    if workload::commits_counted(test, subject.node.caps()) {
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
    let finding = |verdict, detail: String| Finding { check: Check::Answers, verdict, detail };
    match job.check() {
        Ok(()) => {
            run.findings.push(finding(Verdict::Pass, "the answers are right".to_owned()));
            Ok(())
        }
        Err(broken) => {
            run.findings.push(finding(Verdict::Fail, broken.message.clone()));
            Err(Error::environment(broken.message))
        }
    }
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
        pace: bench.plan.pace,
        ceiling: None,
        cache_fit: None,
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
        storage: None,
        findings: Vec::new(),
    }
}

/// Warms up, measures and reads; fills in what was counted.
fn drive(
    bench: &Bench<'_>,
    run: &mut Run,
    steps: u64,
    works: Vec<Box<dyn Work + '_>>,
    server_processes: &[Option<u32>],
    sampler: Sampler<'_>,
    cancellers: Vec<Box<dyn engine::Canceller>>,
) {
    let meters: Vec<Meter> = works.iter().map(|_| Meter::default()).collect();
    let mut works: Vec<Box<dyn Work + '_>> = works
        .into_iter()
        .zip(&meters)
        .map(|(work, meter)| Box::new(Metered { work, meter, operations: 0 }) as Box<dyn Work>)
        .collect();
    let course = Course {
        pace: run.pace,
        warm_up: bench.plan.warm_up_ns,
        window: bench.plan.window_ns,
        drain: bench.plan.window_ns.min(DRAIN_MAX),
        steps,
        seed: bench.plan.seed,
        ..Course::default()
    };
    let begun_at = OnceLock::new();
    let placing = Placing { bench, server_processes, sampler: &sampler, begun_at: &begun_at };
    let operations = || meters.iter().map(|meter| meter.operations.load(Ordering::Relaxed)).sum();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| sampler.watch(bench.listener, &operations));
        let interrupt = bench.interrupt;
        let outcome = interrupt.during(cancellers, || run_jobs(&mut works, &course, &placing, interrupt.flag()));
        sampler.give_up();
        outcome
    });
    run.begun_at = begun_at.into_inner().unwrap_or_else(timestamp);
    run.window_ns = outcome.tally.window();
    run.totals = outcome.tally.totals();
    run.service = outcome.tally.service().latency();
    run.response = outcome.tally.response().latency();
    run.seconds = outcome.tally.seconds().to_vec();
    run.slices = outcome.tally.slices();
    let (readings, failure) = sampler.into_readings(bench.origin);
    run.readings = readings;
    if let Some(error) = failure {
        let detail = format!("the engine's counters could not be read: {}", error.message);
        run.findings.push(Finding { check: Check::CommitCount, verdict: Verdict::Unknown, detail });
    }
    if let Some(Broken { message }) = outcome.broken {
        run.outcome = Outcome::Failed { message };
    }
}

/// Adds what the self-checks say.
pub(crate) fn finish(bench: &Bench<'_>, mut run: Run) -> Run {
    let context = model::Context {
        engine: bench.subject.map(|subject| &subject.inventory),
        host_threads: bench.processors.len() as u32,
        instrument: bench.instrument,
        flush_probe: Some(Nanos(bench.sources.flush_probe_ns.load(Ordering::Relaxed))).filter(|probe| probe.0 > 0),
        write_cache: bench.host.devices.first().and_then(|device| device.write_cache.as_deref()),
    };
    let findings = model::findings(&run, &context);
    run.findings.extend(findings);
    run
}

/// Now, as the calendar has it.
pub(crate) fn timestamp() -> Timestamp {
    Timestamp(humantime::format_rfc3339_millis(SystemTime::now()).to_string())
}

/// Operations of one job so far: a cache line of its own, so that counting disturbs nobody.
#[derive(Default)]
#[repr(align(128))]
struct Meter {
    operations: AtomicU64,
}

/// Work whose operations can be watched while it runs.
struct Metered<'a> {
    work: Box<dyn Work + 'a>,
    meter: &'a Meter,
    operations: u64,
}

impl Work for Metered<'_> {
    fn step(&mut self, number: u64) -> std::result::Result<Done, Broken> {
        let done = self.work.step(number)?;
        self.operations += done.operations;
        self.meter.operations.store(self.operations, Ordering::Relaxed);
        Ok(done)
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        // Called after the warm-up as well: the window begins at zero.
        self.operations = 0;
        self.meter.operations.store(0, Ordering::Relaxed);
        self.work.finish()
    }
}

/// A job that publishes its counters after its last step, and books the transactions that this costs.
struct Booked<'a> {
    job: Job,
    commits: &'a AtomicU64,
}

impl Work for Booked<'_> {
    fn step(&mut self, number: u64) -> std::result::Result<Done, Broken> {
        self.job.step(number)
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        let own = self.job.publish_counters().map_err(|error| Broken { message: error.to_string() })?;
        self.commits.fetch_add(own, Ordering::Relaxed);
        Ok(())
    }
}

/// Puts jobs and their servers where the plan wants them, and reads counters at the edges.
struct Placing<'a, 'b, 'c> {
    bench: &'a Bench<'b>,
    server_processes: &'a [Option<u32>],
    sampler: &'a Sampler<'c>,
    begun_at: &'a OnceLock<Timestamp>,
}

impl Watch for Placing<'_, '_, '_> {
    fn enter(&self, job: u32) {
        let processors = &self.bench.processors;
        let at = |place: usize| processors[place % processors.len()];
        let apart = match self.bench.plan.placement {
            Placement::Kernel => return,
            Placement::Spread => 1,
            Placement::Paired => 0,
        };
        // A refusal leaves the job where the kernel puts it: worth a word, no reason to stop.
        if let Err(error) = host::pin_this_thread(at(job as usize)) {
            self.bench.listener.hear(&Event::Note(&format!("job {job} could not be placed: {error}")));
        }
        if let Some(process) = self.server_processes.get(job as usize).copied().flatten()
            && let Err(error) = host::pin_process(process, at(job as usize + apart))
        {
            self.bench.listener.hear(&Event::Note(&format!("server process {process} could not be placed: {error}")));
        }
    }

    fn begin(&self) {
        self.sampler.begin();
        self.begun_at.get_or_init(timestamp);
    }

    fn end(&self) {
        self.sampler.end();
    }
}
