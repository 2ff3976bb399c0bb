//! What the jobs of a thread have in common, and what each of them says of itself.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

use clock::now;
use corosensei::Yielder;
use record::{Nanos, WaitMethod};
use rustix::io::Errno;
use rustix::net::Shutdown;

use crate::epoll::Epoll;
use crate::found::Found;
use crate::ring::Ring;
use crate::timers::Sleepers;

/// Why a job waits.
pub(crate) enum Wait {
    /// For what it told the kernel, until a moment if there is a timeout.
    Kernel { until: Option<Nanos> },
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
    /// The socket that it waits for, which it has borrowed.
    pub waits_on: Cell<Option<RawFd>>,
    /// The socket on which nothing is sent or waited for any more, and why.
    pub failure: Cell<Option<(RawFd, Failure)>>,
}

impl JobState {
    pub fn new() -> JobState {
        JobState {
            yielder: Cell::new(std::ptr::null()),
            has_waited: Cell::new(true),
            waits_on: Cell::new(None),
            failure: Cell::new(None),
        }
    }

    /// Nothing is waited for on `socket` any more: where the job waits for it, it is woken by the kernel, which may have received
    /// something meanwhile. What the peer has sent before can still be received.
    pub fn fail(&self, socket: RawFd, failure: Failure) {
        self.failure.set(Some((socket, failure)));
        if self.waits_on.get() == Some(socket) {
            // SAFETY: the job waits and has borrowed it.
            shut_down(unsafe { BorrowedFd::borrow_raw(socket) });
        }
    }

    /// Why nothing is sent or waited for on `socket` any more.
    pub fn failure_on(&self, socket: BorrowedFd<'_>) -> Option<Failure> {
        self.failure.get().filter(|(failed, _)| *failed == socket.as_raw_fd()).map(|(_, failure)| failure)
    }
}

/// Ends all that waits for `socket`.
pub(crate) fn shut_down(socket: BorrowedFd<'_>) {
    // Where it is not connected any more, what waited has ended.
    let _ = rustix::net::shutdown(socket, Shutdown::Both);
}

/// Why nothing is sent or waited for on a socket any more.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Failure {
    /// Nothing has come within the timeout.
    TimedOut,
    /// A statement was not sent, by a negative error number, or only so many of its bytes were.
    Unsent(i32),
    /// The kernel is told nothing any more, since this error number.
    Refused(i32),
}

impl Failure {
    /// Whether the peer is gone: what it has said at last tells more.
    pub fn is_end(self) -> bool {
        let is = |code: i32, error: Errno| code == -error.raw_os_error();
        matches!(self, Failure::Unsent(code) if is(code, Errno::PIPE) || is(code, Errno::CONNRESET))
    }

    /// The kernel took no request, because of `error`.
    pub fn refused(error: &io::Error) -> Failure {
        Failure::Refused(error.raw_os_error().unwrap_or_else(|| Errno::IO.raw_os_error()))
    }

    pub fn error(self) -> io::Error {
        match self {
            Failure::TimedOut => io::ErrorKind::TimedOut.into(),
            Failure::Unsent(count @ 0..) => {
                let message = format!("of a statement {count} bytes were sent, the rest was not");
                io::Error::new(io::ErrorKind::WriteZero, message)
            }
            Failure::Unsent(code) => kernel_error("a statement was not sent", -code),
            Failure::Refused(code) => kernel_error("the kernel takes no requests", code),
        }
    }
}

/// The error with the number `code`, which says `what` where it is the kernel's and not the connection's.
pub(crate) fn kernel_error(what: &str, code: i32) -> io::Error {
    let error = io::Error::from_raw_os_error(code);
    let passing = [Errno::AGAIN, Errno::BUSY, Errno::CANCELED, Errno::INTR, Errno::NOBUFS, Errno::NOMEM];
    match passing.iter().any(|passing| passing.raw_os_error() == code) {
        true => io::Error::other(format!("{what}: {error}")),
        false => error,
    }
}

/// How the thread waits.
pub(crate) enum Backend {
    Ring(Box<Ring>),
    Epoll(Epoll),
    /// For moments only: the kernel took nothing, and this is the error number.
    Refused(i32),
}

impl Backend {
    pub fn open(jobs: u32, with_ring: bool) -> io::Result<Backend> {
        if with_ring && let Ok(ring) = Ring::open(jobs) {
            return Ok(Backend::Ring(Box::new(ring)));
        }
        Epoll::open(jobs).map(Backend::Epoll)
    }

    pub fn method(&self) -> WaitMethod {
        match self {
            Backend::Ring(_) => WaitMethod::IoUring,
            Backend::Epoll(_) | Backend::Refused(_) => WaitMethod::Epoll,
        }
    }

    /// Tells the kernel what was prepared.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Backend::Ring(ring) => ring.flush(),
            Backend::Epoll(_) | Backend::Refused(_) => Ok(()),
        }
    }

    /// Takes the events that there are, as [`Backend::wait`] does.
    pub fn look(&mut self, found: &mut Found) -> io::Result<()> {
        match self {
            Backend::Ring(ring) => ring.look(found),
            Backend::Epoll(epoll) => epoll.look(found),
            Backend::Refused(_) => Ok(()),
        }
    }

    /// Waits for events, or until the first of `sleepers` wakes; adds what has come to `found`.
    pub fn wait(&mut self, sleepers: &Sleepers, found: &mut Found) -> io::Result<()> {
        match self {
            Backend::Ring(ring) => ring.wait(sleepers, found),
            Backend::Epoll(epoll) => epoll.wait(sleepers, found),
            Backend::Refused(_) => {
                if let Some((moment, _)) = sleepers.first() {
                    std::thread::sleep(Duration::from(moment.since(now())));
                }
                Ok(())
            }
        }
    }

    /// The kernel is told nothing any more: adds the jobs to `found` of whose requests it knows nothing.
    pub fn abandon(&mut self, code: i32, found: &mut Found) {
        match self {
            Backend::Ring(ring) => ring.abandon(code, found),
            Backend::Epoll(epoll) => epoll.abandon(code, found),
            Backend::Refused(_) => {}
        }
    }

    /// Adds to `found` what has come of requests that the kernel knows.
    pub fn catch_up(&mut self, found: &mut Found) {
        if let Backend::Ring(ring) = self {
            ring.catch_up(found);
        }
    }
}

impl Scheduler {
    /// The job that runs.
    #[inline]
    pub fn job(&self) -> &JobState {
        &self.jobs[self.running.get() as usize]
    }

    /// The job that runs waits; returns what it is woken with.
    #[inline]
    pub fn wait(&self, wait: Wait) -> i32 {
        let job = self.job();
        job.has_waited.set(true);
        // SAFETY: the job that runs has set it, and its stack is the one that this is on.
        unsafe { &*job.yielder.get() }.suspend(wait)
    }

    /// The job that runs waits for what it has told the kernel of `socket`, until a moment if there is a timeout.
    #[inline]
    pub fn wait_on(&self, socket: BorrowedFd<'_>, until: Option<Nanos>) -> i32 {
        self.job().waits_on.set(Some(socket.as_raw_fd()));
        self.wait(Wait::Kernel { until })
    }
}
