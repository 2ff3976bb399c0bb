//! Waiting by `epoll`: the kernel tells which sockets have input, and each job receives for itself. Timers are such files,
//! because `epoll_wait` rounds times to milliseconds.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime};

use crate::found::Found;
use crate::timers::{Setting, Sleepers, TIMERS, Timers};

/// Events that are taken at once.
const EVENTS_MAX: usize = 256;
/// Marks events of timers.
const TIMER: u64 = 1 << 32;
const ZERO: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// An instance of one thread.
pub(crate) struct Epoll {
    instance: OwnedFd,
    timers: Timers,
    timer_files: [OwnedFd; TIMERS],
    /// Whether each waits.
    waits: Vec<bool>,
    events: Vec<Event>,
}

impl Epoll {
    pub(crate) fn open(jobs: u32) -> io::Result<Epoll> {
        let instance = epoll::create(CreateFlags::CLOEXEC)?;
        let flags = TimerfdFlags::CLOEXEC.union(TimerfdFlags::NONBLOCK);
        let timer_files =
            [timerfd_create(TimerfdClockId::Monotonic, flags)?, timerfd_create(TimerfdClockId::Monotonic, flags)?];
        for (timer, file) in (0..).zip(&timer_files) {
            // Each expiry is an event, which need not be read.
            epoll::add(&instance, file, EventData::new_u64(TIMER | timer), EventFlags::IN | EventFlags::ET)?;
        }
        let jobs = jobs as usize;
        let empty = Event { flags: EventFlags::empty(), data: EventData::new_u64(0) };
        Ok(Epoll {
            instance,
            timers: Timers::default(),
            timer_files,
            waits: vec![false; jobs],
            events: vec![empty; EVENTS_MAX],
        })
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

    /// Takes the events that there are.
    pub(crate) fn look(&mut self, found: &mut Found) -> io::Result<()> {
        self.take(Some(ZERO), found)
    }

    /// Waits for events, or until the first of `sleepers` wakes.
    pub(crate) fn wait(&mut self, sleepers: &Sleepers, found: &mut Found) -> io::Result<()> {
        for Setting { timer, moment, .. } in self.timers.set_for(sleepers).into_iter().flatten() {
            let it_value =
                Timespec { tv_sec: (moment.0 / 1_000_000_000) as i64, tv_nsec: (moment.0 % 1_000_000_000) as i64 };
            let once = Itimerspec { it_interval: ZERO, it_value };
            timerfd_settime(&self.timer_files[timer], TimerfdTimerFlags::ABSTIME, &once)?;
        }
        self.take(None, found)
    }

    fn take(&mut self, limit: Option<Timespec>, found: &mut Found) -> io::Result<()> {
        let count = match epoll::wait(&self.instance, self.events.as_mut_slice(), limit.as_ref()) {
            Ok(count) => count,
            Err(Errno::INTR) => 0,
            Err(error) => return Err(error.into()),
        };
        for event in &self.events[..count] {
            let job = event.data.u64();
            if job & TIMER != 0 {
                self.timers.expired((job & !TIMER) as usize);
                continue;
            }
            let job = job as usize;
            if std::mem::replace(&mut self.waits[job], false) {
                found.woken.push((job as u32, 0));
            }
        }
        Ok(())
    }

    /// Nothing is waited for any more: adds the jobs that do to `found`, with the error number `code`.
    pub(crate) fn abandon(&mut self, code: i32, found: &mut Found) {
        for (is_waiting, job) in self.waits.iter_mut().zip(0..) {
            if std::mem::replace(is_waiting, false) {
                found.woken.push((job, -code));
            }
        }
    }
}
