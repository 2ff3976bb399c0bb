//! What the jobs of a thread have in common, and what each of them says of itself.

use std::cell::{Cell, RefCell};
use std::io;

use corosensei::Yielder;
use record::Nanos;

use crate::epoll::Epoll;
use crate::ring::Ring;
use crate::timers::Sleepers;

/// Why a job waits.
pub(crate) enum Wait {
    /// For what it told the kernel.
    Kernel,
    /// For a moment.
    Until(Nanos),
    /// For an event outside of the thread, which `block` waits for, once no other job can go on.
    Together { block: *const (dyn Fn() + 'static) },
    /// It does not: the others have their turn.
    Turn,
}

/// What all jobs of a thread have in common, reached from each of them.
pub(crate) struct Scheduler {
    pub backend: RefCell<Backend>,
    pub jobs: Box<[JobState]>,
    /// The job that runs.
    pub running: Cell<u32>,
}

/// A job as the others see it.
pub(crate) struct JobState {
    /// What leaves its stack; set when it starts.
    pub yielder: Cell<*const Yielder<i32, Wait>>,
    /// Whether it has waited since it last let others go on.
    pub has_waited: Cell<bool>,
}

/// How the thread waits.
pub(crate) enum Backend {
    Ring(Box<Ring>),
    Epoll(Epoll),
}

impl Backend {
    pub fn open(jobs: u32, with_ring: bool) -> io::Result<Backend> {
        if with_ring && let Ok(ring) = Ring::open(jobs) {
            return Ok(Backend::Ring(Box::new(ring)));
        }
        Epoll::open(jobs).map(Backend::Epoll)
    }

    /// Tells the kernel what was prepared.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Backend::Ring(ring) => ring.flush(),
            Backend::Epoll(_) => Ok(()),
        }
    }

    /// Takes the events that there are, as [`Backend::wait`] does.
    pub fn look(&mut self, woken: &mut Vec<(u32, i32)>) -> io::Result<()> {
        match self {
            Backend::Ring(ring) => ring.look(woken),
            Backend::Epoll(epoll) => epoll.look(woken),
        }
    }

    /// Waits for events, or until the first of `sleepers` wakes; adds the jobs that go on to `woken`, with what they get.
    pub fn wait(&mut self, sleepers: &Sleepers, woken: &mut Vec<(u32, i32)>) -> io::Result<()> {
        match self {
            Backend::Ring(ring) => ring.wait(sleepers, woken),
            Backend::Epoll(epoll) => epoll.wait(sleepers, woken),
        }
    }
}

impl Scheduler {
    /// The job that runs waits; returns what it is woken with.
    #[inline]
    pub fn wait(&self, wait: Wait) -> i32 {
        let job = &self.jobs[self.running.get() as usize];
        job.has_waited.set(true);
        // SAFETY: the job that runs has set it, and its stack is the one that this is on.
        unsafe { &*job.yielder.get() }.suspend(wait)
    }
}
