//! The jobs of one run: one thread each, warmed up, released together by a barrier, joined.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

use record::{JobShare, Nanos, Pace};

use crate::pacer::SLEEP_MAX;
use crate::{Broken, Burst, Ended, Pacer, Stop, Tally, Work, clock, drive, drive_queue};

/// Settings of the jobs of one run.
#[derive(Clone, Copy, Debug)]
pub struct JobSettings {
    /// Pace.
    pub pace: Pace,
    /// Length of the warm-up of each job before the window, unthrottled; at least one step.
    pub warm_up: Nanos,
    /// Length of the window.
    pub window: Nanos,
    /// Time after the window in which late steps are started.
    pub drain: Nanos,
    /// Maximum number of steps per job.
    pub steps: u64,
    /// Seed of random intended starts.
    pub seed: u64,
    /// Whether the warm-up has the pace of the window; otherwise it is unthrottled.
    pub warm_up_paced: bool,
    /// Delay of the start of the job.
    pub delay: Nanos,
    /// Bursts; absent for continuous work.
    pub burst: Option<Burst>,
}

impl Default for JobSettings {
    /// No warm-up, no window, no limit.
    fn default() -> JobSettings {
        JobSettings {
            pace: Pace::Unthrottled,
            warm_up: Nanos(0),
            window: Nanos(0),
            drain: Nanos(0),
            steps: u64::MAX,
            seed: 0,
            warm_up_paced: false,
            delay: Nanos(0),
            burst: None,
        }
    }
}

/// Hooks of the caller around the window.
pub trait Observer: Sync {
    /// On the thread of job `job` (counted from 0), before its first step: CPU pinning.
    fn enter(&self, job: u32) {
        let _ = job;
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
    /// Whether jobs ended at different times: after a number of steps, or when their work was finished.
    pub ended_separately: bool,
    /// The error that aborted it.
    pub broken: Option<Broken>,
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
    let settings: Vec<JobSettings> = workers.iter().map(|worker| worker.settings).collect();
    let streams: Vec<Vec<usize>> = workers.iter().map(|worker| worker.work.streams()).collect();
    let gate = Gate::default();
    let abort = AtomicBool::new(false);
    let signals = [interrupt, &abort];
    let (begun, results, refused) = std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(workers.len());
        let mut refused = None;
        let jobs = workers.len();
        for (mut worker, job) in workers.into_iter().zip(0..) {
            let (gate, abort) = (&gate, &abort);
            let body = move || {
                // Dropped last: jobs released by it see that the run is aborted.
                let mut ticket = gate.ticket();
                let result = unwinding(|| {
                    observer.enter(job);
                    let goes_on = |broken: &Broken| observer.continues_without(job, broken);
                    Ok(one_job(&mut worker, &mut ticket, signals, &goes_on))
                });
                let result = result.unwrap_or_else(|broken| (Vec::new(), Some(broken), Ended::Work));
                abort.fetch_or(result.1.is_some(), Ordering::Relaxed);
                result
            };
            match std::thread::Builder::new().spawn_scoped(scope, body) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    abort.store(true, Ordering::Relaxed);
                    refused = Some(Broken { message: format!("job {job} of {jobs} cannot be started: {error}") });
                    break;
                }
            }
        }
        gate.wait_for(threads.len());
        if let Err(broken) = unwinding(|| observer.begin()) {
            abort.store(true, Ordering::Relaxed);
            refused = refused.or(Some(broken));
        }
        let begun = gate.open();
        let joined = threads.into_iter().map(|thread| thread.join());
        let results: Vec<_> = joined.map(|job| job.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect();
        (begun, results, refused)
    });
    observer.end();
    let room = settings.iter().map(seconds_max).max().unwrap_or(1);
    let count = streams.iter().flatten().max().map_or(0, |most| most + 1);
    let mut outcome = Outcome {
        tally: Tally::new(begun, room),
        streams: vec![Tally::new(begun, room); count],
        begun,
        ended_separately: false,
        broken: refused,
    };
    let first_broken = results.iter().find_map(|(_, broken, _)| broken.clone());
    outcome.broken = outcome.broken.or(first_broken);
    let aborted = outcome.broken.is_some() || interrupt.load(Ordering::Relaxed);
    for ((tallies, _, ended), (settings, numbers)) in results.into_iter().zip(settings.iter().zip(&streams)) {
        let own_end = ended == Ended::Work || settings.steps != u64::MAX;
        outcome.ended_separately |= own_end;
        let early = aborted || own_end;
        for (mut tally, number) in tallies.into_iter().zip(numbers) {
            if settings.pace != Pace::Unthrottled && !early {
                tally.extend_to(begun + settings.delay + settings.window);
            }
            outcome.tally.merge(&tally);
            outcome.streams[*number].merge(&tally);
        }
    }
    outcome
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
    goes_on: &dyn Fn(&Broken) -> bool,
) -> (Vec<Tally>, Option<Broken>, Ended) {
    clock::sharpen_timer();
    let Worker { work, settings, place: (job, jobs), meter } = worker;
    let (job, jobs) = (*job, *jobs);
    let mut tallies = vec![Tally::new(clock::now(), seconds_max(settings)); work.streams().len().max(1)];
    let warmed = unwinding(|| warm_up(*work, settings, (job, jobs), signals, &mut tallies)).map_err(|broken| {
        let broken = Some(broken).filter(|broken| !goes_on(broken));
        signals[1].fetch_or(broken.is_some(), Ordering::Relaxed);
        broken
    });
    let begun = ticket.wait();
    tallies.iter_mut().for_each(|tally| tally.begin_again(begun));
    if let Err(broken) = warmed {
        work.aborted();
        return (tallies, broken, Ended::Work);
    }
    let deadline = begun + settings.delay + settings.window;
    let stop = Stop { deadline, drained: deadline + settings.drain, steps: settings.steps, signals };
    // A closed loop starts when this thread is awake, an open one at the start of the window.
    let start = if is_open(settings.pace) { begun } else { clock::now() } + settings.delay;
    let mut pacer = Pacer::new(settings.pace, job, jobs, start, settings.seed).in_bursts(start, settings.burst);
    let result = unwinding(|| run_loop(*work, &mut pacer, &stop, &mut tallies, start, *meter));
    if matches!(result, Ok(Ended::Stop)) {
        count_unfinished(*work, pacer, &stop, &mut tallies);
    }
    if result.is_err() {
        work.aborted();
    }
    match result.and_then(|ended| unwinding(|| work.finish()).map(|()| ended)) {
        Ok(ended) => (tallies, None, ended),
        Err(broken) => (tallies, Some(broken).filter(|broken| !goes_on(broken)), Ended::Work),
    }
}

/// Counts the steps that were not started.
fn count_unfinished(work: &dyn Work, pacer: Pacer, stop: &Stop<'_>, tallies: &mut [Tally]) {
    let steps: u64 = tallies.iter().map(|tally| tally.totals().steps).sum();
    let (now, left) = (clock::now(), stop.steps.saturating_sub(steps));
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    let unfinished = pacer.unfinished(stop.deadline).take(left).take_while(|_| !stop.signalled());
    for (due, number) in unfinished.zip(0..) {
        tallies[work.stream_of_unfinished(number)].record_unfinished(due, now);
    }
}

/// Runs the loop that fits the work.
fn run_loop(
    work: &mut dyn Work,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    tallies: &mut [Tally],
    start: Nanos,
    meter: Option<&AtomicU64>,
) -> Result<Ended, Broken> {
    while clock::now() < start && !stop.signalled() {
        clock::sleep_until(start.min(clock::now() + SLEEP_MAX));
    }
    match work.queue() {
        Some(queue) => drive_queue(queue, pacer, stop, tallies, meter),
        None => drive(work, pacer, stop, tallies).map(|()| Ended::Stop),
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
    tallies: &mut [Tally],
) -> Result<(), Broken> {
    let begun = clock::now();
    let deadline = begun + settings.warm_up;
    let stop = Stop { deadline, drained: deadline, steps: u64::MAX, signals };
    let pace = if settings.warm_up_paced { settings.pace } else { Pace::Unthrottled };
    let mut pacer = Pacer::new(pace, place.0, place.1, begun, settings.seed);
    run_loop(work, &mut pacer, &stop, tallies, begun, None)?;
    work.finish()
}

/// Maximum number of seconds for window, drain and a last long step: a day at most, because every job holds a series.
fn seconds_max(settings: &JobSettings) -> usize {
    ((settings.window + settings.drain).seconds() as usize + 3_600).min(86_400)
}

#[cfg(test)]
mod tests;
