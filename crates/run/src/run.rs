//! One run: described, announced, warmed up, measured, read, checked. Every run of every kind is made here.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use measure::{Broken, JobSettings, Observer, SharedThreads, Tally, Work, clock, run_jobs};
use record::{ClientThreads, Nanos, Outcome, Placement, PlannedRun, Run, Timestamp};
use trace::Tracer;

use crate::bench::{Bench, Subject};
use crate::companion::Companion;
use crate::hands::{Fleet, Release};
use crate::item::Item;
use crate::loss::Losses;
use crate::meter::{Meter, Metered};
use crate::observation::Observation;
use crate::pacing::{self, Threads};
use crate::recorder::{Recorder, timestamp};
use crate::session_job::{OnNode, SessionJob};
use crate::{Error, Event, Listener, Result, owed};

/// How long after the window late steps of an open loop are still started.
const DRAIN_MAX: Nanos = Nanos(60_000_000_000);

/// How long after the end of the window a run is reported as overdue.
const OVERDUE_AFTER: Nanos = Nanos(60_000_000_000);

/// An empty run of `planned`.
pub(crate) fn new(bench: &Bench<'_>, planned: &PlannedRun) -> Run {
    Run::new(planned, pacing::pace(bench, planned), timestamp())
}

/// The failed run of `planned`, whose test could not be set up.
pub(crate) fn not_started(bench: &Bench<'_>, planned: &PlannedRun, item: Item<'_>, error: &Error) -> Run {
    let mut run = new(bench, planned);
    run.title = item.title().to_owned();
    run.layer = item.layer();
    run.outcome = Outcome::Failed { message: error.to_string() };
    run
}

/// Carries out `run`, which is described, by `work`; `expected` is its expected length, 0 where unknown. A failed run
/// is recorded with what was counted until then.
pub(crate) fn measure(
    bench: &Bench<'_>,
    planned: &PlannedRun,
    mut run: Run,
    expected: Nanos,
    work: impl FnOnce(&mut Run) -> Result<()>,
) -> Result<Run> {
    announce(bench, planned, &run, expected);
    match work(&mut run) {
        Ok(()) if run.changes => run.owed = owed::pay(bench),
        Ok(()) => {}
        Err(error) => run.outcome = Outcome::Failed { message: error.to_string() },
    }
    conclude(bench, run)
}

/// Reports the start of `run`, which is `planned`.
pub(crate) fn announce(bench: &Bench<'_>, planned: &PlannedRun, run: &Run, expected: Nanos) {
    // What was seen before is not of this run.
    clock::take_difference_max();
    bench.listener.on_event(&Event::RunStarted { planned, title: &run.title, expected });
}

/// Ends `run`: adds the findings of the self-checks.
pub(crate) fn conclude(bench: &Bench<'_>, mut run: Run) -> Result<Run> {
    if bench.interrupt.is_raised() {
        return Err(Error::interrupted());
    }
    run.clock_difference_ns_max = clock::take_difference_max().filter(|_| run.agents.is_empty());
    let context = model::Context {
        engine: bench.subject.map(|subject| &subject.inventory),
        server_hosts: bench.server_hosts,
        storage_hosts: bench.storage_hosts,
        host_threads: bench.processors.len() as u32,
        makes_claims: bench.plan.preset != record::Preset::Smoke,
        instrument: bench.instrument,
        flush_probe: Some(Nanos(bench.sources.flush_probe_ns.load(Ordering::Relaxed))).filter(|probe| probe.0 > 0),
        write_cache: write_cache(bench, &run),
    };
    let findings = model::findings(&run, &context);
    run.findings.extend(findings);
    run.findings.extend(pacing::level_finding(bench, &run));
    Ok(run)
}

/// The write cache of the device of the data: on the hosts of the server where they are observed, if all are alike.
fn write_cache<'a>(bench: &Bench<'a>, run: &Run) -> Option<&'a str> {
    let observed = bench.server_hosts.iter().filter(|host| run.server_hosts.contains_key(&host.name));
    let own = run.server_hosts.is_empty().then_some(bench.host);
    let hosts = own.into_iter().chain(observed.map(|host| &host.host));
    let mut caches = hosts.map(|host| host.devices.first()?.write_cache.as_deref());
    let first = caches.next()?;
    first.filter(|_| caches.all(|other| other == first))
}

/// Adds `run`, which has ended, to `record`; returns why it failed, if it did.
pub(crate) fn keep(bench: &Bench<'_>, record: &mut Recorder, run: Run) -> Result<Option<String>> {
    bench.listener.on_event(&Event::RunFinished(&run));
    let failure = match &run.outcome {
        Outcome::Failed { message } => Some(message.clone()),
        Outcome::Done => None,
    };
    let is_merged = !run.agents.is_empty();
    record.add_run(run)?;
    // Of a run that failed before its results were merged, agents keep them.
    bench.hands.fleet().filter(|_| is_merged).into_iter().for_each(Fleet::release);
    Ok(failure)
}

/// The jobs of a run, with what observes them.
#[derive(Default)]
pub(crate) struct Workers<'a> {
    pub works: Vec<Box<dyn Work + 'a>>,
    pub server_processes: Vec<Option<u32>>,
    pub cancellers: Vec<Box<dyn engine::Canceller>>,
    /// Indexes of the nodes that they work on, in the order of the streams of their tallies.
    pub node_indexes: Vec<usize>,
    /// Streams of each node.
    pub streams_per_node: usize,
    pub losses: Option<Losses<'a>>,
    pub tracer: Option<Tracer>,
    /// What goes on beside the jobs.
    pub companions: Vec<Box<dyn Companion + 'a>>,
    /// Processes of this host that the works speak to: they are no other programs.
    pub beside: Vec<u32>,
}

impl<'a> Workers<'a> {
    /// One worker for each of `jobs`, whose sessions are spread over the nodes at `node_indexes` in order.
    pub(crate) fn of_sessions<J: SessionJob + 'a>(
        bench: &'a Bench<'a>,
        subject: &'a Subject<'a>,
        node_indexes: Vec<usize>,
        mut jobs: Vec<J>,
    ) -> Workers<'a> {
        let first = bench.hands.share(jobs.len() as u32).first as usize;
        let of_jobs: Vec<usize> = (first..).take(jobs.len()).map(|job| job % node_indexes.len()).collect();
        let is_spread = node_indexes.len() > 1;
        let streams_per_node = jobs.iter().flat_map(Work::streams).max().map_or(1, |most| most + 1);
        let has_others = bench.hands.release().is_some() && (is_spread || bench.plan.database_per_agent);
        Workers {
            server_processes: jobs.iter_mut().map(SessionJob::server_process).collect(),
            cancellers: jobs.iter_mut().flat_map(SessionJob::cancellers).collect(),
            losses: Some(Losses::new(
                subject.nodes,
                of_jobs.iter().map(|index| node_indexes[*index]).collect(),
                has_others,
            )),
            works: jobs
                .into_iter()
                .zip(&of_jobs)
                .map(|(job, index)| {
                    let node = &bench.sources.nodes[node_indexes[*index]];
                    Box::new(OnNode { job, node, first_stream: index * streams_per_node, round_trips: 0 })
                        as Box<dyn Work + 'a>
                })
                .collect(),
            node_indexes,
            streams_per_node,
            tracer: None,
            companions: Vec::new(),
            beside: Vec::new(),
        }
    }
}

/// The window of `run`, and the time after it in which late steps are started.
pub(crate) fn window_and_drain(bench: &Bench<'_>, run: &Run) -> (Nanos, Nanos) {
    let window = pacing::window(bench.plan, &run.kind, run.variation, run.pace);
    (window, window.min(DRAIN_MAX))
}

/// Warms up, measures and reads; fills in what was counted. Returns the tally of each stream.
pub(crate) fn drive<'a>(bench: &'a Bench<'_>, run: &mut Run, steps: u64, workers: Workers<'a>) -> Vec<Tally> {
    let Workers {
        works,
        server_processes,
        cancellers,
        node_indexes,
        streams_per_node,
        losses,
        tracer,
        companions,
        beside,
    } = workers;
    let all_share = works.iter().all(|work| work.shares_threads());
    let threads = bench.client_threads(works.len() as u32).filter(|_| all_share);
    let seed = pacing::run_seed(bench.plan.seed, run);
    let observation = Observation::new(bench, run, node_indexes, &beside, companions);
    bench.write_back();
    let has_passes = works.iter().any(|work| work.pass() > 1);
    let meters: Vec<Meter> = works.iter().map(|_| Meter::default()).collect();
    let mut works: Vec<Box<dyn Work + '_>> = works
        .into_iter()
        .zip(&meters)
        .map(|(work, meter)| Box::new(Metered::new(work, meter)) as Box<dyn Work>)
        .collect();
    let (window, drain) = window_and_drain(bench, run);
    let settings = JobSettings {
        threads,
        pace: run.pace,
        warm_up: bench.plan.warm_up_ns,
        window,
        drain,
        steps,
        seed,
        ..JobSettings::default()
    };
    let started_at = OnceLock::new();
    let allowed = Threads::of(bench, run);
    let watch = RunObserver {
        bench,
        threads: &allowed,
        server_processes: &server_processes,
        observation: &observation,
        started_at: &started_at,
        losses: losses.as_ref(),
        tracer: tracer.as_ref(),
    };
    let operations = || {
        let operations = meters.iter().map(Meter::operations).sum();
        bench.hands.release().iter().for_each(|release| release.progress(operations));
        operations
    };
    // How long a pass takes is not known before.
    let longest = if has_passes { Nanos(u64::MAX) } else { settings.window + settings.drain };
    let overdue = Overdue::new(longest, bench.listener);
    let check = || {
        losses.iter().for_each(Losses::check_servers);
        overdue.check();
    };
    let share = bench.hands.share(works.len() as u32);
    let outcome = observation.during(bench, &operations, &check, || {
        let interrupt = bench.interrupt;
        interrupt.during(cancellers, || run_jobs(&mut works, share, &settings, &watch, interrupt.flag()))
    });
    run.client_threads = outcome.shared.as_ref().map(client_threads);
    run.started_at = started_at.into_inner().unwrap_or_else(timestamp);
    run.jobs_ended_separately = outcome.ended_separately;
    run.window_ns = outcome.tally.window();
    run.totals = outcome.tally.totals();
    run.service = outcome.tally.service().latency();
    run.response = outcome.tally.response().latency();
    run.start_lag = outcome.tally.start_lag().map(|lag| Box::new(lag.latency()));
    run.seconds = outcome.tally.seconds().to_vec();
    run.slices = outcome.tally.slices();
    if let Some(tracer) = tracer {
        run.trace = Some(Box::new(tracer.finish()));
    }
    run.events = losses.map_or(Vec::new(), |losses| losses.into_events(outcome.begun));
    let of_nodes: Vec<Tally> = outcome.streams.chunks(streams_per_node.max(1)).filter_map(together).collect();
    observation.add_to(bench, run, &of_nodes, share);
    if let Some(Broken { message }) = outcome.broken {
        run.outcome = Outcome::Failed { message };
    }
    outcome.streams
}

/// The tally of all `tallies`, which are of one window; none of none.
pub(crate) fn together(tallies: &[Tally]) -> Option<Tally> {
    let (first, others) = tallies.split_first()?;
    let mut all = first.clone();
    others.iter().for_each(|tally| all.merge(tally));
    Some(all)
}

/// The threads that the jobs shared, as the record has them.
fn client_threads(shared: &SharedThreads) -> ClientThreads {
    let at = |quantile: f64| Nanos(shared.unseen_ns.value_at_quantile(quantile));
    ClientThreads {
        threads: shared.threads,
        method: shared.method,
        unseen_ns_p50: at(0.5),
        unseen_ns_p99: at(0.99),
        unseen_ns_max: Nanos(shared.unseen_ns.max()),
    }
}

/// Places jobs and their server processes as planned, and reads counters at the edges of the window.
struct RunObserver<'a, 'b, 'c> {
    bench: &'a Bench<'b>,
    /// The hardware threads that may be used.
    threads: &'a Threads<'a>,
    server_processes: &'a [Option<u32>],
    observation: &'a Observation<'c>,
    started_at: &'a OnceLock<Timestamp>,
    losses: Option<&'a Losses<'c>>,
    /// Traces the kernel during the window.
    tracer: Option<&'a Tracer>,
}

impl RunObserver<'_, '_, '_> {
    /// Restricts a job to the hardware threads that may be used, if these are not all.
    fn pin_job(&self, job: u32) {
        if self.threads.is_narrowed()
            && let Err(error) = host::pin_this_thread_to(&self.threads.cpus)
        {
            self.bench.listener.on_event(&Event::Note(&format!("job {job} could not be pinned: {error}")));
        }
    }
}

impl Observer for RunObserver<'_, '_, '_> {
    fn enter(&self, job: u32, thread: u32) {
        let processors = &self.threads.cpus;
        let at = |position: usize| processors[position % processors.len()];
        let apart = match self.bench.plan.placement {
            Placement::Kernel => return self.pin_job(job),
            Placement::Spread => 1,
            Placement::Paired => 0,
        };
        // A failure leaves the placement to the kernel: it is reported and does not end the run.
        if let Err(error) = host::pin_this_thread(at(thread as usize)) {
            self.bench.listener.on_event(&Event::Note(&format!("job {job} could not be pinned: {error}")));
        }
        if let Some(process) = self.server_processes.get(job as usize).copied().flatten()
            && let Err(error) = host::pin_process(process, at(thread as usize + apart))
        {
            self.bench
                .listener
                .on_event(&Event::Note(&format!("server process {process} could not be pinned: {error}")));
        }
    }

    fn continues_without(&self, job: u32, broken: &Broken) -> bool {
        let goes_on = self.losses.is_some_and(|losses| losses.continues_without(job, broken));
        if goes_on {
            self.bench
                .listener
                .on_event(&Event::Note(&format!("job {job} ended because its node is lost: {}", broken.message)));
        }
        goes_on
    }

    fn begin(&self) -> std::result::Result<(), Broken> {
        let release = self.bench.hands.release();
        release.map_or(Ok(()), Release::ready)?;
        self.observation.ready()?;
        self.observation.begin();
        self.started_at.get_or_init(timestamp);
        // Started last and ended first: the counter reads of dbdyno are not traced.
        self.tracer.iter().for_each(|tracer| tracer.begin());
        release.iter().for_each(|release| release.wait());
        Ok(())
    }

    fn end(&self) {
        self.tracer.iter().for_each(|tracer| tracer.end());
        self.observation.end_after(|| ());
    }
}

/// Reports a run that does not end: an engine without an answer for this long may wait for something that never comes,
/// such as a replica. A started step is always finished, so this is only reported. Checked once a second.
pub(crate) struct Overdue<'a> {
    longest: Nanos,
    listener: &'a dyn Listener,
    start: OnceLock<Nanos>,
    reported: AtomicBool,
}

impl<'a> Overdue<'a> {
    /// For a run whose last step should start within `longest`.
    pub(crate) fn new(longest: Nanos, listener: &'a dyn Listener) -> Overdue<'a> {
        Overdue { longest, listener, start: OnceLock::new(), reported: AtomicBool::new(false) }
    }

    /// Reports it once if the run is overdue.
    pub(crate) fn check(&self) {
        let elapsed = clock::now().since(*self.start.get_or_init(clock::now));
        if elapsed > self.longest + OVERDUE_AFTER && !self.reported.swap(true, Ordering::Relaxed) {
            self.listener.on_event(&Event::Note(&format!(
                "the run is overdue by {:.0} s, and a statement is still unanswered; Ctrl-C aborts it",
                elapsed.since(self.longest).seconds()
            )));
        }
    }
}
