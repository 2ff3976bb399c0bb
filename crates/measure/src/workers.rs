//! All jobs of one run: one thread each, warmed up, released together, joined.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

use record::{Nanos, Pace};

use crate::pacer::DEAF;
use crate::{Broken, Burst, Ended, Pacer, Stop, Tally, Work, clock, drive, drive_queue};

/// How the jobs of one run are driven.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// When steps are due.
    pub pace: Pace,
    /// How long each job works before the window, as fast as possible; at least one step.
    pub warm_up: Nanos,
    /// Length of the window.
    pub window: Nanos,
    /// How long after the window late steps are still begun.
    pub drain: Nanos,
    /// Steps of each job, at most.
    pub steps: u64,
    /// What random due times are drawn from.
    pub seed: u64,
    /// Whether the warm-up keeps the pace of the window; otherwise it goes as fast as possible.
    pub warm_up_paced: bool,
    /// The job begins so long after the others.
    pub delay: Nanos,
    /// Work in bursts; absent for always.
    pub burst: Option<Burst>,
}

impl Default for Course {
    /// No warm-up, no window, no limit: to be filled in.
    fn default() -> Course {
        Course {
            pace: Pace::AsFastAsPossible,
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

/// What the caller does around the window.
pub trait Watch: Sync {
    /// On the thread of job `job` (counted from 0), before its first step: processor placement.
    fn enter(&self, job: u32) {
        let _ = job;
    }

    /// All jobs are warm and waiting: the last reading of counters before the window.
    fn begin(&self) {}

    /// Job `job` cannot go on, on its own thread: whether the run goes on without it. What it did counts then, and the
    /// window is that of the others. Ends the run unless somebody says otherwise.
    fn goes_on_without(&self, job: u32, broken: &Broken) -> bool {
        let _ = (job, broken);
        false
    }

    /// All jobs have done their last step, and have finished.
    fn end(&self) {}
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// All jobs and streams together.
    pub tally: Tally,
    /// Each stream that a work named, by its number.
    pub streams: Vec<Tally>,
    /// When the jobs were released.
    pub begun: Nanos,
    /// Whether jobs had ends of their own: a number of steps, or work that was done.
    pub ended_apart: bool,
    /// What stopped it, if it could not go on.
    pub broken: Option<Broken>,
}

/// One job of a workers: its work, and how it is driven.
pub struct Member<'a> {
    /// The work that is done in every step.
    pub work: &'a mut dyn Work,
    /// Pace, warm-up, window and what ends the job.
    pub course: Course,
    /// Its number among those that share its pace, from 0, and how many they are.
    pub place: (u32, u32),
    /// Shows how many operations of a queue are done in the window.
    pub meter: Option<&'a AtomicU64>,
}

/// Drives `works`, one thread each. All are warmed up first, then released together; `interrupt` ends them early.
///
/// Where steps follow each other without a pause, the window ends with the last one. Where they are paced, it is as
/// long as it should be, or longer where late steps were still being done.
pub fn run_jobs(
    works: &mut [Box<dyn Work + '_>],
    course: &Course,
    watch: &dyn Watch,
    interrupt: &AtomicBool,
) -> Outcome {
    let jobs = works.len() as u32;
    let members = works.iter_mut().zip(0..);
    let members =
        members.map(|(work, job)| Member { work: work.as_mut(), course: *course, place: (job, jobs), meter: None });
    run_workers(members.collect(), watch, interrupt)
}

/// The same for jobs that differ in how they are driven.
pub fn run_workers(members: Vec<Member<'_>>, watch: &dyn Watch, interrupt: &AtomicBool) -> Outcome {
    let courses: Vec<Course> = members.iter().map(|member| member.course).collect();
    let streams: Vec<Vec<usize>> = members.iter().map(|member| member.work.streams()).collect();
    let gate = Gate::default();
    let abort = AtomicBool::new(false);
    let signals = [interrupt, &abort];
    let (begun, results, refused) = std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(members.len());
        let mut refused = None;
        let jobs = members.len();
        for (mut member, job) in members.into_iter().zip(0..) {
            let (gate, abort) = (&gate, &abort);
            let body = move || {
                // Dropped last: whoever is released by it sees that the run is aborted.
                let mut place = gate.place();
                let result = unwinding(|| {
                    watch.enter(job);
                    let goes_on = |broken: &Broken| watch.goes_on_without(job, broken);
                    Ok(one_job(&mut member, &mut place, signals, &goes_on))
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
        let started = unwinding(|| {
            watch.begin();
            Ok(())
        });
        if let Err(broken) = started {
            abort.store(true, Ordering::Relaxed);
            refused = refused.or(Some(broken));
        }
        let begun = gate.open();
        let joined = threads.into_iter().map(|thread| thread.join());
        let results: Vec<_> = joined.map(|job| job.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect();
        (begun, results, refused)
    });
    watch.end();
    let room = courses.iter().map(seconds_max).max().unwrap_or(1);
    let count = streams.iter().flatten().max().map_or(0, |most| most + 1);
    let mut outcome = Outcome {
        tally: Tally::new(begun, room),
        streams: vec![Tally::new(begun, room); count],
        begun,
        ended_apart: false,
        broken: refused,
    };
    let first_broken = results.iter().find_map(|(_, broken, _)| broken.clone());
    outcome.broken = outcome.broken.or(first_broken);
    let aborted = outcome.broken.is_some() || interrupt.load(Ordering::Relaxed);
    for ((tallies, _, ended), (course, numbers)) in results.into_iter().zip(courses.iter().zip(&streams)) {
        let own_end = ended == Ended::Work || course.steps != u64::MAX;
        outcome.ended_apart |= own_end;
        let early = aborted || own_end;
        for (mut tally, number) in tallies.into_iter().zip(numbers) {
            if course.pace != Pace::AsFastAsPossible && !early {
                tally.last_until(begun + course.delay + course.window);
            }
            outcome.tally.merge(&tally);
            outcome.streams[*number].merge(&tally);
        }
    }
    outcome
}

/// Where jobs wait until all of them are warm.
#[derive(Default)]
struct Gate {
    waiting: Mutex<usize>,
    changed: Condvar,
    begun: OnceLock<Nanos>,
}

impl Gate {
    /// The place of one job, which it takes when it is warm.
    fn place(&self) -> GatePlace<'_> {
        GatePlace { gate: self, taken: false }
    }

    /// Returns when the gate is open, and says when it opened.
    fn wait(&self) -> Nanos {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(begun) = self.begun.get() {
                return *begun;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns when so many jobs wait.
    fn wait_for(&self, jobs: usize) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(waiting, |waiting| *waiting < jobs).unwrap_or_else(PoisonError::into_inner));
    }

    /// Releases all jobs that wait, and says when.
    fn open(&self) -> Nanos {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = *self.begun.get_or_init(clock::now);
        drop(waiting);
        self.changed.notify_all();
        begun
    }
}

/// The place of one job at the gate. It is taken when it is dropped at the latest: one that panics on its way there
/// holds up nobody.
struct GatePlace<'a> {
    gate: &'a Gate,
    taken: bool,
}

impl GatePlace<'_> {
    /// The job is warm: waits until the gate opens, and says when it did.
    fn wait(&mut self) -> Nanos {
        self.take();
        self.gate.wait()
    }

    fn take(&mut self) {
        if !std::mem::replace(&mut self.taken, true) {
            *self.gate.waiting.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            self.gate.changed.notify_all();
        }
    }
}

impl Drop for GatePlace<'_> {
    fn drop(&mut self) {
        self.take();
    }
}

/// One job from its warm-up to its end. Of work that cannot go on while `goes_on` says that the others do, only what it
/// did is told.
fn one_job(
    member: &mut Member<'_>,
    gate_place: &mut GatePlace<'_>,
    signals: [&AtomicBool; 2],
    goes_on: &dyn Fn(&Broken) -> bool,
) -> (Vec<Tally>, Option<Broken>, Ended) {
    clock::sharpen_timer();
    let Member { work, course, place: (job, jobs), meter } = member;
    let (job, jobs) = (*job, *jobs);
    let mut tallies = vec![Tally::new(clock::now(), seconds_max(course)); work.streams().len().max(1)];
    let warmed = unwinding(|| warm_up(*work, course, (job, jobs), signals, &mut tallies)).map_err(|broken| {
        let broken = Some(broken).filter(|broken| !goes_on(broken));
        signals[1].fetch_or(broken.is_some(), Ordering::Relaxed);
        broken
    });
    let begun = gate_place.wait();
    tallies.iter_mut().for_each(|tally| tally.begin_again(begun));
    if let Err(broken) = warmed {
        work.aborted();
        return (tallies, broken, Ended::Work);
    }
    let deadline = begun + course.delay + course.window;
    let stop = Stop { deadline, drained: deadline + course.drain, steps: course.steps, signals };
    // A closed loop begins when this thread is really awake, an open one when it should.
    let start = if is_open(course.pace) { begun } else { clock::now() } + course.delay;
    let mut pacer = Pacer::new(course.pace, job, jobs, start, course.seed).in_bursts(start, course.burst);
    let result = unwinding(|| go(*work, &mut pacer, &stop, &mut tallies, start, *meter));
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

/// Counts the steps that were due and never begun.
fn count_unfinished(work: &dyn Work, pacer: Pacer, stop: &Stop<'_>, tallies: &mut [Tally]) {
    let steps: u64 = tallies.iter().map(|tally| tally.totals().steps).sum();
    let (now, left) = (clock::now(), stop.steps.saturating_sub(steps));
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    let unfinished = pacer.unfinished(stop.deadline).take(left).take_while(|_| !stop.signalled());
    for (due, number) in unfinished.zip(0..) {
        tallies[work.stream_of_unfinished(number)].record_unfinished(due, now);
    }
}

/// The loop that fits the work.
fn go(
    work: &mut dyn Work,
    pacer: &mut Pacer,
    stop: &Stop<'_>,
    tallies: &mut [Tally],
    start: Nanos,
    meter: Option<&AtomicU64>,
) -> Result<Ended, Broken> {
    while clock::now() < start && !stop.signalled() {
        clock::sleep_until(start.min(clock::now() + DEAF));
    }
    match work.queue() {
        Some(queue) => drive_queue(queue, pacer, stop, tallies, meter),
        None => drive(work, pacer, stop, tallies).map(|()| Ended::Stop),
    }
}

fn is_open(pace: Pace) -> bool {
    matches!(pace, Pace::Rate { .. } | Pace::Poisson { .. })
}

/// A panic of the work ends the run and not the process: the others wait at a barrier, a server waits to be stopped.
fn unwinding<T>(body: impl FnOnce() -> Result<T, Broken>) -> Result<T, Broken> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(Broken { message: format!("a job panicked: {}", words.unwrap_or("no message")) })
    })
}

/// What it counts is worth nothing but the memory that the tallies take for it.
fn warm_up(
    work: &mut dyn Work,
    course: &Course,
    place: (u32, u32),
    signals: [&AtomicBool; 2],
    tallies: &mut [Tally],
) -> Result<(), Broken> {
    let begun = clock::now();
    let deadline = begun + course.warm_up;
    let stop = Stop { deadline, drained: deadline, steps: u64::MAX, signals };
    let pace = if course.warm_up_paced { course.pace } else { Pace::AsFastAsPossible };
    let mut pacer = Pacer::new(pace, place.0, place.1, begun, course.seed);
    go(work, &mut pacer, &stop, tallies, begun, None)?;
    work.finish()
}

/// Room for the window, the drain and a last long step: a day at most, because a week of seconds is no series that
/// anybody reads and every job holds one.
fn seconds_max(course: &Course) -> usize {
    ((course.window + course.drain).seconds() as usize + 3_600).min(86_400)
}

#[cfg(test)]
mod tests;
