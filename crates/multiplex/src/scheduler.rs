//! The jobs of one thread, and which of them goes on next.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use clock::now;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use hdrhistogram::Histogram;
use record::{Nanos, WaitMethod};
use rustix::io::Errno;

use crate::found::{Found, Unsent};
use crate::state::{Backend, Failure, JobState, Scheduler, Wait};
use crate::timers::Sleepers;
use crate::waiting;

/// Stack of a job. Only what is touched has memory.
const STACK_BYTES: usize = 256 * 1024;
/// So many jobs go on before what they want to send is told to the kernel: a job's statement is sent soon after its start.
const BATCH: usize = 8;
/// Time in which the jobs must be woken whose sockets were shut down because the kernel takes nothing any more.
const GIVEN_UP: Nanos = Nanos(10_000_000_000);
/// Pause before it is looked for them again.
const GIVEN_UP_PAUSE: Duration = Duration::from_millis(1);
/// Bounds above a minute are one of a minute.
const UNSEEN_NS_MAX: u64 = 60_000_000_000;

/// What is known of the jobs of a thread when all have ended.
#[derive(Debug)]
pub struct Shared {
    /// How it waited.
    pub method: WaitMethod,
    /// Upper bounds of the time for which an answer that had come was not seen, because the thread was at work for other
    /// jobs, nanoseconds.
    pub unseen_ns: Histogram<u64>,
}

/// What a job panicked with.
type Panic = Box<dyn Any + Send>;

/// Runs `jobs` on this thread until all have returned; by io_uring, or without `with_ring` by `epoll`.
///
/// # Errors
/// Where the kernel gives neither a ring nor an epoll instance, or no memory for stacks; no job has started then.
///
/// # Panics
/// If called by a job, and, when all have ended, if one of them did.
pub fn run<'a>(jobs: Vec<Box<dyn FnOnce() + 'a>>, with_ring: bool) -> io::Result<Shared> {
    assert!(!waiting::is_shared(), "jobs of a job");
    let backend = Backend::open(jobs.len() as u32, with_ring)?;
    run_on(backend, jobs)
}

/// The same by `backend`.
fn run_on<'a>(backend: Backend, jobs: Vec<Box<dyn FnOnce() + 'a>>) -> io::Result<Shared> {
    let count = jobs.len() as u32;
    let method = backend.method();
    let scheduler = Scheduler {
        backend: RefCell::new(backend),
        jobs: (0..count).map(|_| JobState::new()).collect(),
        running: Cell::new(0),
    };
    let stacks = (0..count).map(|_| DefaultStack::new(STACK_BYTES)).collect::<io::Result<Vec<DefaultStack>>>()?;
    let coroutine = |((job, stack), state)| {
        // SAFETY: the scheduler and what the job refers to outlive the coroutine: `Turns::run` returns when all have ended, and
        // a job that cannot end aborts the process.
        unsafe { coroutine(job, stack, state) }
    };
    let coroutines = jobs.into_iter().zip(stacks).zip(&scheduler.jobs).map(coroutine).collect();
    let mut turns = Turns {
        scheduler: &scheduler,
        coroutines: Coroutines(coroutines),
        ready: (0..count).map(|job| Woken { job, result: 0, since: None }).collect(),
        sleepers: Sleepers::new(),
        together: Vec::new(),
        limits: vec![None; count as usize],
        in_kernel: 0,
        found: Found::default(),
        unfinished: count,
        panic: None,
        seen: now(),
        unseen_ns: Histogram::new_with_max(UNSEEN_NS_MAX, 2).unwrap_or_else(|_| unreachable!("two digits, a minute")),
    };
    let _entered = waiting::enter(&scheduler);
    turns.run();
    if let Some(panic) = turns.panic {
        resume_unwind(panic);
    }
    Ok(Shared { method, unseen_ns: turns.unseen_ns })
}

/// `job` on a stack of its own; it returns what it panicked with: other jobs end first, because what waits for the kernel cannot
/// be given up.
///
/// # Safety
/// The coroutine must end before `state`, and before anything that the job refers to.
unsafe fn coroutine<'a>(job: Box<dyn FnOnce() + 'a>, stack: DefaultStack, state: &JobState) -> JobCoroutine {
    // SAFETY: as the caller says.
    let job = unsafe { std::mem::transmute::<Box<dyn FnOnce() + 'a>, Box<dyn FnOnce() + 'static>>(job) };
    let state = std::ptr::from_ref(state);
    Coroutine::with_stack(stack, move |yielder: &Yielder<i32, Wait>, _: i32| {
        // SAFETY: as the caller says.
        unsafe { &*state }.yielder.set(yielder);
        catch_unwind(AssertUnwindSafe(job)).err()
    })
}

/// A job on its stack.
type JobCoroutine = Coroutine<i32, Wait, Option<Panic>>;

/// All jobs of a thread. One that has not ended waits for bytes that the kernel writes to its stack: where it would be taken away,
/// the process ends.
struct Coroutines(Vec<JobCoroutine>);

impl Drop for Coroutines {
    fn drop(&mut self) {
        if self.0.iter().any(|job| job.started() && !job.done()) {
            abort("it ended before its sessions");
        }
    }
}

/// A job that can go on.
struct Woken {
    job: u32,
    /// What it gets.
    result: i32,
    /// Since when that may have been there; none where it waited for nothing of the kernel.
    since: Option<Nanos>,
}

/// Whose turn it is.
struct Turns<'a> {
    scheduler: &'a Scheduler,
    coroutines: Coroutines,
    /// Jobs that can go on.
    ready: VecDeque<Woken>,
    sleepers: Sleepers,
    /// Jobs that wait for an event outside.
    together: Vec<(u32, *const (dyn Fn() + 'static))>,
    /// Until when each job waits for the kernel at most: a sleeper by then.
    limits: Vec<Option<Nanos>>,
    /// Number of jobs that wait for the kernel, and what has come from it.
    in_kernel: usize,
    found: Found,
    unfinished: u32,
    /// The first panic of a job.
    panic: Option<Panic>,
    /// Until when what had come was seen.
    seen: Nanos,
    unseen_ns: Histogram<u64>,
}

impl Turns<'_> {
    fn run(&mut self) {
        while self.unfinished > 0 {
            // Those that have their turn again in this round have it in the next one.
            for index in 0..self.ready.len() {
                let Some(woken) = self.ready.pop_front() else { break };
                self.resume(woken);
                if index % BATCH == BATCH - 1 {
                    self.flush();
                }
            }
            if self.unfinished == 0 {
                break;
            }
            if self.ready.is_empty() && self.together.len() == self.unfinished as usize {
                self.wait_together();
                continue;
            }
            self.look();
        }
        // A job may have ended with something that needs no answer.
        self.flush();
    }

    fn resume(&mut self, Woken { job, result, since }: Woken) {
        self.scheduler.running.set(job);
        if let Some(since) = since {
            self.unseen_ns.saturating_record(now().since(since).0.max(1));
        }
        match self.coroutines.0[job as usize].resume(result) {
            CoroutineResult::Return(panic) => {
                self.unfinished -= 1;
                self.panic = self.panic.take().or(panic);
            }
            CoroutineResult::Yield(Wait::Kernel { until }) => {
                self.in_kernel += 1;
                if let Some(until) = until {
                    self.limits[job as usize] = Some(until);
                    self.sleepers.insert((until, job));
                }
            }
            CoroutineResult::Yield(Wait::Until(moment)) => {
                self.sleepers.insert((moment, job));
            }
            CoroutineResult::Yield(Wait::Together { block }) => self.together.push((job, block)),
            CoroutineResult::Yield(Wait::Turn) => self.ready.push_back(Woken { job, result: 0, since: None }),
        }
    }

    fn flush(&mut self) {
        let flushed = self.scheduler.backend.borrow_mut().flush();
        flushed.unwrap_or_else(|error| self.give_up(&error));
    }

    /// Looks for what has come, and waits for it where no job can go on.
    fn look(&mut self) {
        if !self.sleepers.is_empty() {
            self.wake_sleepers();
        }
        if self.in_kernel == 0 && !self.ready.is_empty() {
            return;
        }
        // What is there now may have come at any time since it was looked for last; what is waited for is seen as it comes.
        let mut since = self.seen;
        let mut looked = self.scheduler.backend.borrow_mut().look(&mut self.found);
        if looked.is_ok() && self.found.is_empty() && self.ready.is_empty() {
            looked = self.scheduler.backend.borrow_mut().wait(&self.sleepers, &mut self.found);
            since = now();
        }
        looked.unwrap_or_else(|error| self.give_up(&error));
        self.wake_found(since);
        self.seen = now();
    }

    /// The jobs go on whose moment has come. What has not come by then for one that waits for the kernel is waited for no more.
    fn wake_sleepers(&mut self) {
        let now = now();
        let mut overdue = Vec::new();
        while self.sleepers.first().is_some_and(|(moment, _)| *moment <= now)
            && let Some((_, job)) = self.sleepers.pop_first()
        {
            match self.limits[job as usize] {
                Some(_) => overdue.push(job),
                None => self.ready.push_back(Woken { job, result: 0, since: None }),
            }
        }
        if overdue.is_empty() {
            return;
        }
        // Where the thread was at work for other jobs, it may have come in time.
        let looked = self.scheduler.backend.borrow_mut().look(&mut self.found);
        looked.unwrap_or_else(|error| self.give_up(&error));
        self.wake_found(self.seen);
        for job in overdue {
            let state = &self.scheduler.jobs[job as usize];
            if let Some(socket) = self.limits[job as usize].take().and(state.waits_on.get()) {
                state.fail(socket, Failure::TimedOut);
            }
        }
    }

    /// The jobs go on for which something has come, at `since` or later.
    fn wake_found(&mut self, since: Nanos) {
        let since = Some(since);
        self.in_kernel -= self.found.woken.len();
        for (job, result) in self.found.woken.drain(..) {
            self.scheduler.jobs[job as usize].waits_on.set(None);
            if let Some(until) = self.limits[job as usize].take() {
                self.sleepers.remove(&(until, job));
            }
            self.ready.push_back(Woken { job, result, since });
        }
        for Unsent { job, socket, result } in self.found.unsent.drain(..) {
            self.scheduler.jobs[job as usize].fail(socket, Failure::Unsent(result));
        }
    }

    /// The kernel is told nothing any more, because of `error`: every job that waits for it gets that, and whatever one asks of it
    /// from now on.
    fn give_up(&mut self, error: &io::Error) {
        let code = error.raw_os_error().unwrap_or_else(|| Errno::IO.raw_os_error());
        let mut backend = self.scheduler.backend.borrow_mut();
        backend.abandon(code, &mut self.found);
        for (job, result) in &self.found.woken {
            let state = &self.scheduler.jobs[*job as usize];
            if let Some(socket) = state.waits_on.take()
                && *result == -code
            {
                state.failure.set(Some((socket, Failure::Refused(code))));
            }
        }
        // The kernel writes to the stacks of the others until it has ended what they wait for.
        for job in &self.scheduler.jobs {
            if let Some(socket) = job.waits_on.get() {
                job.fail(socket, Failure::Refused(code));
            }
        }
        let deadline = now() + GIVEN_UP;
        while self.found.woken.len() < self.in_kernel {
            if now() > deadline {
                abort(&error.to_string());
            }
            backend.catch_up(&mut self.found);
            std::thread::sleep(GIVEN_UP_PAUSE);
        }
        *backend = Backend::Refused(code);
    }

    /// All jobs wait for an event outside: the thread does so for them.
    fn wait_together(&mut self) {
        self.flush();
        if let Some((_, block)) = self.together.first() {
            // It is called by none of the jobs, and has no stack to leave.
            let outside = waiting::leave();
            // SAFETY: the closure is on the stack of a job that waits until this function has woken it.
            let waited = catch_unwind(AssertUnwindSafe(|| unsafe { (**block)() }));
            drop(outside);
            self.panic = self.panic.take().or(waited.err());
        }
        self.ready.extend(self.together.drain(..).map(|(job, _)| Woken { job, result: 0, since: None }));
        self.seen = now();
    }
}

/// Ends the process: no job could end any more, and their stacks cannot be taken away from under them.
fn abort(error: &str) -> ! {
    let _ = io::Write::write_all(&mut io::stderr(), format!("the thread of several sessions: {error}\n").as_bytes());
    std::process::abort()
}

#[cfg(test)]
mod tests;
