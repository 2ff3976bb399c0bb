//! Waiting by `epoll`: the kernel tells which sockets have input, and each job receives for itself. A timer is one of these
//! files, because `epoll_wait` rounds times to milliseconds.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use record::Nanos;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime};

/// Events that are taken at once.
const EVENTS_MAX: usize = 256;
/// Marks events of the timer.
const TIMER: u64 = u64::MAX;
const ZERO: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// An instance of one thread.
pub(crate) struct Epoll {
    instance: OwnedFd,
    timer: OwnedFd,
    /// Whether each waits.
    waits: Vec<bool>,
    events: Vec<Event>,
}

impl Epoll {
    pub(crate) fn open(jobs: u32) -> io::Result<Epoll> {
        let instance = epoll::create(CreateFlags::CLOEXEC)?;
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC.union(TimerfdFlags::NONBLOCK))?;
        // Each expiry is an event, which need not be read.
        epoll::add(&instance, &timer, EventData::new_u64(TIMER), EventFlags::IN | EventFlags::ET)?;
        let jobs = jobs as usize;
        let empty = Event { flags: EventFlags::empty(), data: EventData::new_u64(0) };
        Ok(Epoll { instance, timer, waits: vec![false; jobs], events: vec![empty; EVENTS_MAX] })
    }

    /// Has the kernel wake `job` when `socket` has input, or takes output.
    pub(crate) fn register(&mut self, job: u32, socket: BorrowedFd<'_>, output: bool) -> io::Result<()> {
        let wanted = if output { EventFlags::OUT } else { EventFlags::IN };
        let (flags, data) = (wanted | EventFlags::ET | EventFlags::ONESHOT, EventData::new_u64(job.into()));
        self.waits[job as usize] = true;
        // It tells at once what is there already. The number may be that of another socket than the last time.
        match epoll::modify(&self.instance, socket, data, flags) {
            Err(Errno::NOENT) => epoll::add(&self.instance, socket, data, flags)?,
            result => result?,
        }
        Ok(())
    }

    pub(crate) fn wait(&mut self, timeout: Option<Nanos>, woken: &mut Vec<(u32, i32)>) -> io::Result<()> {
        let at_once = timeout == Some(Nanos(0));
        if let Some(timeout) = timeout.filter(|_| !at_once) {
            let it_value =
                Timespec { tv_sec: (timeout.0 / 1_000_000_000) as i64, tv_nsec: (timeout.0 % 1_000_000_000) as i64 };
            let once = Itimerspec { it_interval: ZERO, it_value };
            timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once)?;
        }
        let limit = at_once.then_some(ZERO);
        let found = match epoll::wait(&self.instance, self.events.as_mut_slice(), limit.as_ref()) {
            Ok(found) => found,
            Err(Errno::INTR) => 0,
            Err(error) => return Err(error.into()),
        };
        for event in &self.events[..found] {
            let job = event.data.u64();
            if job == TIMER {
                continue;
            }
            let job = job as usize;
            if std::mem::replace(&mut self.waits[job], false) {
                woken.push((job as u32, 0));
            }
        }
        Ok(())
    }
}
