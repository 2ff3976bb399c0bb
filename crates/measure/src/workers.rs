//! The jobs of one run: one thread each, warmed up, released together by a barrier, joined.

use std::cell::RefCell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

use hdrhistogram::Histogram;
use multiplex::Shared;
use record::{JobShare, Nanos, Pace, WaitMethod};

use crate::drive::drive_shared;
use crate::pacer::SLEEP_MAX;
use crate::{Broken, Burst, Ended, Pacer, Purpose, RunSeed, Stop, Tally, Work, clock, drive, drive_queue};

/// Settings of the jobs of one run.
#[derive(Clone, Copy, Debug)]
pub struct JobSettings {
    /// Pace.
    pub pace: Pace,
    /// Length of the warm-up of each job before the window, at the pace of the window: what an unthrottled one leaves behind
    /// (pages to be written, logs to be flushed) would be done in the window.
    pub warm_up: Nanos,
    /// Whether each job does a step in the warm-up even where none is due in it: what a session does for the first time,
    /// such as planning a statement, is not measured.
    pub warm_up_step: bool,
    /// Length of the window.
    pub window: Nanos,
    /// Time after the window in which late steps are started.
    pub drain: Nanos,
    /// Maximum number of steps per job.
    pub steps: u64,
    /// Seed of random intended starts.
    pub seed: RunSeed,
    /// The number among all jobs of the run of the first one that these settings are for: each has a stream of its own.
    pub first_job: u32,
    /// Delay of the start of the job.
    pub delay: Nanos,
    /// Bursts; absent for continuous work.
    pub burst: Option<Burst>,
    /// Threads that all jobs share; absent for one each. Those of the first job are meant.
    pub threads: Option<u32>,
}

impl Default for JobSettings {
    /// No warm-up, no window, no limit.
    fn default() -> JobSettings {
        JobSettings {
            pace: Pace::Unthrottled,
            warm_up: Nanos(0),
            warm_up_step: true,
            window: Nanos(0),
            drain: Nanos(0),
            steps: u64::MAX,
            seed: RunSeed::default(),
            first_job: 0,
            delay: Nanos(0),
            burst: None,
            threads: None,
        }
    }
}

impl JobSettings {
    /// The pacer of job `job` of `jobs` of those that these settings are for, whose window begins at `start`.
    pub fn pacer(&self, (job, jobs): (u32, u32), start: Nanos) -> Pacer {
        self.pacer_for(Purpose::Arrivals, job, (self.pace, (job, jobs)), start)
    }

    /// The pacer of job `job`, which has a place among the jobs of its pace.
    fn pacer_for(&self, purpose: Purpose, job: u32, (pace, place): (Pace, (u32, u32)), start: Nanos) -> Pacer {
        let seed = self.seed.stream(purpose, self.first_job.wrapping_add(job));
        Pacer::new(pace, place.0, place.1, start, seed).in_bursts(start, self.burst)
    }
}

/// Hooks of the caller around the window.
pub trait Observer: Sync {
    /// On the thread `thread` of job `job` (both counted from 0), before its first step: CPU pinning.
    fn enter(&self, job: u32, thread: u32) {
        let _ = (job, thread);
    }

    /// All jobs are warm and waiting: reading of counters before the window.
    ///
    /// # Errors
    /// Where the window is not to begin; the jobs end then.
    fn begin(&self) -> Result<(), Broken> {
        Ok(())
    }

    /// Job `job` cannot continue, called on its thread: whether the run continues without it. Its steps count then, and
    /// the window is that of the others. By default the run ends.
    fn continues_without(&self, job: u32, broken: &Broken) -> bool {
        let _ = (job, broken);
        false
    }

    /// All jobs have finished.
    fn end(&self) {}
}

/// Result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Tally of all jobs and streams.
    pub tally: Tally,
    /// Tally of each stream, by its number.
    pub streams: Vec<Tally>,
    /// Start of the window.
    pub begun: Nanos,
    /// Whether jobs ended at different times: after a number of steps, after the end of a pass, or when their work was finished.
    pub ended_separately: bool,
    /// How the threads waited that the jobs shared; absent where each had its own.
    pub shared: Option<SharedThreads>,
    /// The error that aborted it.
    pub broken: Option<Broken>,
}

/// Threads that several jobs shared.
#[derive(Clone, Debug)]
pub struct SharedThreads {
    /// Their number.
    pub threads: u32,
    /// How they waited.
    pub method: WaitMethod,
    /// Upper bounds of the time for which an answer that had come was not seen, nanoseconds.
    pub unseen_ns: Histogram<u64>,
}

/// One job: its work and settings.
pub struct Worker<'a> {
    /// The work of every step.
    pub work: &'a mut dyn Work,
    /// Settings.
    pub settings: JobSettings,
    /// Its index among the jobs that share its pace, and their number.
    pub place: (u32, u32),
    /// Shows the number of completed operations of a queue in the window.
    pub meter: Option<&'a AtomicU64>,
}

/// Runs `works`, one thread each, which are the jobs of `share`. All are warmed up first, then released together;
/// `interrupt` ends them early.
///
/// In a closed loop the window ends with the last step. With a pace it has the planned length, or more if late steps
/// were still running.
pub fn run_jobs(
    works: &mut [Box<dyn Work + '_>],
    share: JobShare,
    settings: &JobSettings,
    observer: &dyn Observer,
    interrupt: &AtomicBool,
) -> Outcome {
    let workers = works.iter_mut().zip(share.first..);
    let workers = workers.map(|(work, job)| Worker {
        work: work.as_mut(),
        settings: *settings,
        place: (job, share.all),
        meter: None,
    });
    run_workers(workers.collect(), observer, interrupt)
}

/// The same for jobs with different settings.
pub fn run_workers(workers: Vec<Worker<'_>>, observer: &dyn Observer, interrupt: &AtomicBool) -> Outcome {
    run_workers_by(multiplex::run, workers, observer, interrupt)
}

/// Runs the jobs of a thread, as [`multiplex::run`] does.
type RunJobs = for<'a> fn(Vec<Box<dyn FnOnce() + 'a>>, bool) -> io::Result<Shared>;

fn run_workers_by(
    run_jobs: RunJobs,
    workers: Vec<Worker<'_>>,
    observer: &dyn Observer,
    interrupt: &AtomicBool,
) -> Outcome {
    let settings: Vec<JobSettings> = workers.iter().map(|worker| worker.settings).collect();
    let streams: Vec<Vec<usize>> = workers.iter().map(|worker| worker.work.streams()).collect();
    let has_passes = workers.iter().any(|worker| worker.work.pass() > 1);
    let gate = Gate::default();
    let abort = AtomicBool::new(false);
    let signals = [interrupt, &abort];
    let jobs = workers.len();
    let asked = settings.first().and_then(|settings| settings.threads).map(|threads| threads.max(1) as usize);
    let shared_by = asked.filter(|threads| *threads < jobs);
    let room = settings.iter().map(seconds_max).max().unwrap_or(1);
    let count = streams.iter().flatten().max().map_or(0, |most| most + 1);
    let results: Vec<OnceLock<JobResult>> = workers.iter().map(|_| OnceLock::new()).collect();
    let (begun, shared, refused) = std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(shared_by.unwrap_or(jobs));
        let mut refused = None;
        let mut of_threads: Vec<Vec<Body<'_>>> = Vec::new();
        of_threads.resize_with(shared_by.unwrap_or(jobs), Vec::new);
        for ((mut worker, job), result) in workers.into_iter().zip(0_u32..).zip(&results) {
            let (gate, abort) = (&gate, &abort);
            let thread = job as usize % of_threads.len();
            // Dropped last: jobs released by it see that the run is aborted.
            let mut ticket = gate.ticket();
            of_threads[thread].push(Box::new(move |shared| {
                let done = unwinding(|| {
                    observer.enter(job, thread as u32);
                    let goes_on = |broken: &Broken| observer.continues_without(job, broken);
                    Ok(one_job(&mut worker, &mut ticket, signals, shared, &goes_on))
                });
                let done = done.unwrap_or_else(|broken| (Vec::new(), Some(broken), Ended::Work));
                abort.fetch_or(done.1.is_some(), Ordering::Relaxed);
                let _ = result.set(done);
                drop(ticket);
            }));
        }
        for (bodies, thread) in of_threads.into_iter().zip(0..) {
            let abort = &abort;
            let body = move || match shared_by {
                Some(_) => {
                    let shared = share(run_jobs, bodies, count, room);
                    // What the other threads do is not counted without the jobs of this one.
                    abort.fetch_or(shared.is_err(), Ordering::Relaxed);
                    shared.map(Some)
                }
                None => {
                    bodies.into_iter().for_each(|body| body(None));
                    Ok(None)
                }
            };
            match std::thread::Builder::new().spawn_scoped(scope, body) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    abort.store(true, Ordering::Relaxed);
                    refused = Some(Broken { message: format!("job {thread} of {jobs} cannot be started: {error}") });
                    break;
                }
            }
        }
        gate.wait_for(jobs);
        if let Err(broken) = unwinding(|| observer.begin()) {
            abort.store(true, Ordering::Relaxed);
            refused = refused.or(Some(broken));
        }
        let begun = gate.open();
        let joined = threads.into_iter().map(|thread| thread.join());
        let ended: Vec<_> = joined.map(|job| job.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect();
        let (mut shared, mut tallies): (Option<SharedThreads>, Vec<Vec<Tally>>) = (None, Vec::new());
        for ended in ended {
            match ended {
                Ok(None) => {}
                Ok(Some((one, counted))) => {
                    add_thread(&mut shared, one);
                    tallies.push(counted);
                }
                Err(error) => {
                    let message = format!("no thread for several sessions: {error}");
                    refused = refused.or(Some(Broken { message }));
                }
            }
        }
        (begun, shared.map(|shared| (shared, tallies)), refused)
    });
    let results =
        results.into_iter().map(|result| result.into_inner().unwrap_or_else(|| (Vec::new(), None, Ended::Work)));
    let results: Vec<JobResult> = results.collect();
    observer.end();
    let (shared, of_threads) = shared.unzip();
    let mut outcome = Outcome {
        tally: Tally::new(begun, room),
        streams: vec![Tally::new(begun, room); count],
        begun,
        ended_separately: has_passes,
        shared,
        broken: refused,
    };
    let first_broken = results.iter().find_map(|(_, broken, _)| broken.clone());
    outcome.broken = outcome.broken.or(first_broken);
    let aborted = outcome.broken.is_some() || interrupt.load(Ordering::Relaxed);
    let mut planned_end = begun;
    for ((tallies, _, ended), (settings, numbers)) in results.into_iter().zip(settings.iter().zip(&streams)) {
        let own_end = ended == Ended::Work || settings.steps != u64::MAX;
        outcome.ended_separately |= own_end;
        let early = aborted || own_end;
        let end =
            if settings.pace != Pace::Unthrottled && !early { begun + settings.delay + settings.window } else { begun };
        planned_end = planned_end.max(end);
        for (mut tally, number) in tallies.into_iter().zip(numbers) {
            tally.extend_to(end);
            outcome.tally.merge(&tally);
            outcome.streams[*number].merge(&tally);
        }
    }
    for (mut tally, number) in of_threads.into_iter().flatten().flat_map(|tallies| tallies.into_iter().zip(0..)) {
        tally.extend_to(planned_end);
        outcome.tally.merge(&tally);
        outcome.streams[number].merge(&tally);
    }
    outcome
}

/// A job, which is given the tallies of all jobs of its thread where it has others.
type Body<'a> = Box<dyn FnOnce(Option<&RefCell<Vec<Tally>>>) + Send + 'a>;

/// Runs the jobs `bodies` on this thread, with one tally of up to `room` seconds for each of `count` streams: a tally of each job
/// would have its histograms in other places of memory, and reaching them would cost more than a step.
fn share(run_jobs: RunJobs, bodies: Vec<Body<'_>>, count: usize, room: usize) -> io::Result<(Shared, Vec<Tally>)> {
    let tallies = RefCell::new(vec![Tally::new(clock::now(), room); count]);
    let job = |body| -> Box<dyn FnOnce() + '_> {
        let (body, tallies): (Body<'_>, _) = (body, &tallies);
        Box::new(move || body(Some(tallies)))
    };
    let shared = run_jobs(bodies.into_iter().map(job).collect(), true)?;
    Ok((shared, tallies.into_inner()))
}

/// Where the steps of a job are counted.
enum Tallies<'a> {
    /// In its own tallies, one for each of its streams.
    Own(Vec<Tally>),
    /// In those of all jobs of its thread: stream i at place `places[i]`.
    Shared { all: &'a RefCell<Vec<Tally>>, places: Vec<usize> },
}

impl Tallies<'_> {
    /// Starts them at `begun`, once.
    fn begin_again(&mut self, begun: Nanos) {
        match self {
            Tallies::Own(tallies) => tallies.iter_mut().for_each(|tally| tally.begin_again(begun)),
            Tallies::Shared { all, .. } => {
                let mut all = all.borrow_mut();
                // Another job of the thread may have done so.
                let old = all.iter_mut().filter(|tally| tally.start() != begun);
                old.for_each(|tally| tally.begin_again(begun));
            }
        }
    }

    fn record_unfinished(&mut self, stream: usize, due: Nanos, now: Nanos) {
        match self {
            Tallies::Own(tallies) => tallies[stream].record_unfinished(due, now),
            Tallies::Shared { all, places } => all.borrow_mut()[places[stream]].record_unfinished(due, now),
        }
    }

    /// The job's own.
    fn into_own(self) -> Vec<Tally> {
        if let Tallies::Own(tallies) = self { tallies } else { Vec::new() }
    }
}

/// What a job has counted, why it could not continue, and why its loop ended.
type JobResult = (Vec<Tally>, Option<Broken>, Ended);

/// Adds a thread to `all`.
fn add_thread(all: &mut Option<SharedThreads>, one: Shared) {
    let Shared { method, unseen_ns } = one;
    match all {
        None => *all = Some(SharedThreads { threads: 1, method, unseen_ns }),
        Some(all) => {
            all.threads += 1;
            // The weaker one is told.
            all.method = all.method.max(method);
            // They have the same buckets, as many as are needed.
            let _ = all.unseen_ns.add(&unseen_ns);
        }
    }
}

/// Barrier at which jobs wait until all of them are warm.
#[derive(Default)]
struct Gate {
    waiting: Mutex<usize>,
    changed: Condvar,
    begun: OnceLock<Nanos>,
}

impl Gate {
    /// The ticket of one job, which arrives when it is warm.
    fn ticket(&self) -> Ticket<'_> {
        Ticket { gate: self, arrived: false }
    }

    /// Waits until the gate is open; returns when it opened.
    fn wait(&self) -> Nanos {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(begun) = self.begun.get() {
                return *begun;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until so many jobs have arrived.
    fn wait_for(&self, jobs: usize) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(waiting, |waiting| *waiting < jobs).unwrap_or_else(PoisonError::into_inner));
    }

    /// Releases all jobs; returns when.
    fn open(&self) -> Nanos {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = *self.begun.get_or_init(clock::now);
        drop(waiting);
        self.changed.notify_all();
        begun
    }
}

/// The ticket of one job at the gate. It arrives at the latest when dropped, so that a panicking job does not block the
/// others.
struct Ticket<'a> {
    gate: &'a Gate,
    arrived: bool,
}

impl Ticket<'_> {
    /// Arrives and waits until the gate opens; returns when it opened.
    fn wait(&mut self) -> Nanos {
        self.arrive();
        // A thread of several jobs waits when all of them do.
        multiplex::wait_together(&|| {
            self.gate.wait();
        });
        self.gate.wait()
    }

    fn arrive(&mut self) {
        if !std::mem::replace(&mut self.arrived, true) {
            *self.gate.waiting.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            self.gate.changed.notify_all();
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.arrive();
    }
}

/// One job from its warm-up to its end. If it cannot continue, but `goes_on` lets the others continue, only its tallies
/// are returned.
fn one_job(
    worker: &mut Worker<'_>,
    ticket: &mut Ticket<'_>,
    signals: [&AtomicBool; 2],
    shared: Option<&RefCell<Vec<Tally>>>,
    goes_on: &dyn Fn(&Broken) -> bool,
) -> JobResult {
    clock::sharpen_timer();
    let Worker { work, settings, place: (job, jobs), meter } = worker;
    let (job, jobs) = (*job, *jobs);
    let mut tallies = match shared {
        None => Tallies::Own(vec![Tally::new(clock::now(), seconds_max(settings)); work.streams().len().max(1)]),
        Some(all) => Tallies::Shared { all, places: work.streams() },
    };
    let warmed = unwinding(|| warm_up(*work, settings, (job, jobs), signals, &mut tallies)).map_err(|broken| {
        let broken = Some(broken).filter(|broken| !goes_on(broken));
        signals[1].fetch_or(broken.is_some(), Ordering::Relaxed);
        broken
    });
    let begun = ticket.wait();
    tallies.begin_again(begun);
    if let Err(broken) = warmed {
        work.aborted();
        return (tallies.into_own(), broken, Ended::Work);
    }
    let deadline = begun + settings.delay + settings.window;
    let stop = Stop { deadline, drained: deadline + settings.drain, steps: settings.steps, signals };
    // A closed loop starts when this thread is awake, an open one at the start of the window.
    let pace = work.own_pace().unwrap_or((settings.pace, (job, jobs)));
    let start = if is_open(pace.0) { begun } else { clock::now() } + settings.delay;
    let mut pacer = settings.pacer_for(Purpose::Arrivals, job, pace, start).in_passes(work.pass());
    let result = unwinding(|| run_loop(*work, &mut pacer, &stop, &mut tallies, start, *meter));
    if matches!(result, Ok(Ended::Stop)) {
        count_unfinished(*work, pacer, &stop, &mut tallies);
    }
    if result.is_err() {
        work.aborted();
    }
    match result.and_then(|ended| unwinding(|| work.finish()).map(|()| ended)) {
        Ok(ended) => (tallies.into_own(), None, ended),
        Err(broken) => (tallies.into_own(), Some(broken).filter(|broken| !goes_on(broken)), Ended::Work),
    }
}

/// Counts the steps that were not started.
fn count_unfinished(work: &dyn Work, pacer: Pacer, stop: &Stop<'_>, tallies: &mut Tallies<'_>) {
    let (now, left) = (clock::now(), stop.steps.saturating_sub(pacer.started()));
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    let unfinished = pacer.unfinished(stop.deadline).take(left).take_while(|_| !stop.signalled());
    for (due, number) in unfinished.zip(0..) {
        tallies.record_unfinished(work.stream_of_unfinished(number), due, now);
    }
}

/// Runs the loop that fits the work.
fn run_loop(
    work: &mut dyn Work,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    tallies: &mut Tallies<'_>,
    start: Nanos,
    meter: Option<&AtomicU64>,
) -> Result<Ended, Broken> {
    while clock::now() < start && !stop.signalled() {
        clock::sleep_until(start.min(clock::now() + SLEEP_MAX));
    }
    match tallies {
        Tallies::Own(tallies) => match work.queue() {
            Some(queue) => drive_queue(queue, pacer, stop, tallies, meter),
            None => drive(work, pacer, stop, tallies).map(|()| Ended::Stop),
        },
        Tallies::Shared { all, places } => drive_shared(work, pacer, stop, all, places).map(|()| Ended::Stop),
    }
}

fn is_open(pace: Pace) -> bool {
    matches!(pace, Pace::Rate { .. } | Pace::Poisson { .. })
}

/// Turns a panic of the work into an error of the run: other jobs wait at the barrier, and a server must be stopped.
fn unwinding<T>(body: impl FnOnce() -> Result<T, Broken>) -> Result<T, Broken> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(Broken { message: format!("a job panicked: {}", words.unwrap_or("no message")) })
    })
}

/// The warm-up. Its counts are discarded, but the memory of the tallies is kept.
fn warm_up(
    work: &mut dyn Work,
    settings: &JobSettings,
    place: (u32, u32),
    signals: [&AtomicBool; 2],
    tallies: &mut Tallies<'_>,
) -> Result<(), Broken> {
    let begun = clock::now();
    let deadline = begun + settings.warm_up;
    let stop = Stop { deadline, drained: deadline, steps: u64::MAX, signals };
    let pace = work.own_pace().unwrap_or((settings.pace, place));
    let mut pacer = settings.pacer_for(Purpose::WarmUpArrivals, place.0, pace, begun);
    run_loop(work, &mut pacer, &stop, tallies, begun, None)?;
    if settings.warm_up_step && pacer.started() == 0 {
        let mut unthrottled = Pacer::new(Pace::Unthrottled, place.0, place.1, begun, 0);
        run_loop(work, &mut unthrottled, &Stop { steps: 1, ..stop }, tallies, begun, None)?;
    }
    work.finish()
}

/// Maximum number of seconds for window, drain and a last long step: a day at most, because every job holds a series.
fn seconds_max(settings: &JobSettings) -> usize {
    ((settings.window + settings.drain).seconds() as usize + 3_600).min(86_400)
}

#[cfg(test)]
mod tests;
