//! Waiting by io_uring: one system call tells the kernel what several jobs send and wait for, and returns what has come.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use io_uring::squeue::{Entry, Flags};
use io_uring::types::{Fd, TimeoutFlags, Timespec};
use io_uring::{IoUring, opcode};

use crate::timers::{Setting, Sleepers, TIMERS, Timers};

/// `IORING_RECVSEND_POLL_FIRST` of linux/io_uring.h: an answer is not there yet when it is asked for.
const POLL_FIRST: u16 = 1;
/// `MSG_NOSIGNAL` and `MSG_WAITALL` of the kernel.
const SEND_FLAGS: i32 = 0x4000 | 0x100;
/// What is at most sent together with others; the socket has room for it where everything before was answered.
const STATEMENT_BYTES_MAX: usize = 4096;
/// Marks completions of sends that failed: their job learns of it where it waits for the answer.
const SEND: u64 = 1 << 32;
/// Marks completions of timers, and of setting one to another moment.
const TIMER: u64 = 1 << 33;
const TIMER_SET: u64 = 1 << 34;
/// `IORING_ENTER_GETEVENTS`: what was deferred to this thread is done.
const ENTER_GETEVENTS: u32 = 1;
/// `POLLIN` and `POLLOUT` of poll.h.
const POLL_IN: u32 = 1;
const POLL_OUT: u32 = 4;
/// Entries of the largest ring.
const ENTRIES_MAX: u32 = 4096;

/// A ring of one thread.
pub(crate) struct Ring {
    ring: IoUring,
    jobs: Vec<Output>,
    timers: Timers,
    /// Their moments for the kernel, which reads them with the entries.
    timespecs: Box<[Timespec; TIMERS]>,
}

/// What a job has sent that need not have left.
#[derive(Default)]
struct Output {
    /// The statement; it stays where it is until the kernel has taken it.
    bytes: Vec<u8>,
    /// Whether nothing was received since.
    is_unanswered: bool,
}

impl Ring {
    /// A ring for `jobs` jobs, used by this thread only.
    pub(crate) fn open(jobs: u32) -> io::Result<Ring> {
        let entries = jobs.saturating_mul(2).clamp(8, ENTRIES_MAX).next_power_of_two();
        let completions = jobs.saturating_mul(4).max(2 * entries).next_power_of_two().min(1 << 16);
        let mut builder = IoUring::builder();
        builder.setup_cqsize(completions).setup_single_issuer().setup_defer_taskrun();
        let ring = builder.build(entries).or_else(|_| {
            // Before Linux 6.1.
            let mut builder = IoUring::builder();
            builder.setup_cqsize(completions).setup_coop_taskrun();
            builder.build(entries)
        })?;
        if !ring.params().is_feature_skip_cqe_on_success() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let jobs = (0..jobs).map(|_| Output { bytes: vec![0; STATEMENT_BYTES_MAX], is_unanswered: false }).collect();
        Ok(Ring { ring, jobs, timers: Timers::default(), timespecs: Box::default() })
    }

    fn push(&mut self, entry: &Entry) -> io::Result<()> {
        loop {
            // SAFETY: what it refers to belongs to a job that waits for the completion, or is in `jobs` or `timespecs`.
            if unsafe { self.ring.submission().push(entry) }.is_ok() {
                return Ok(());
            }
            self.flush()?;
        }
    }

    /// Has the kernel wake `job` when `socket` has bytes, which are in `into` then.
    pub(crate) fn receive(&mut self, job: u32, socket: BorrowedFd<'_>, into: &mut [u8]) -> io::Result<()> {
        self.jobs[job as usize].is_unanswered = false;
        let length = u32::try_from(into.len()).unwrap_or(u32::MAX);
        let entry = opcode::Recv::new(Fd(socket.as_raw_fd()), into.as_mut_ptr(), length).ioprio(POLL_FIRST).build();
        self.push(&entry.user_data(job.into()))
    }

    /// Prepares to send `bytes` for `job`; false where it has to send them itself, after everything before.
    pub(crate) fn send(&mut self, job: u32, socket: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<bool> {
        let output = &mut self.jobs[job as usize];
        if std::mem::replace(&mut output.is_unanswered, true) || bytes.len() > STATEMENT_BYTES_MAX {
            self.flush()?;
            return Ok(false);
        }
        output.bytes[..bytes.len()].copy_from_slice(bytes);
        let entry = opcode::Send::new(Fd(socket.as_raw_fd()), output.bytes.as_ptr(), bytes.len() as u32);
        let entry = entry.flags(SEND_FLAGS).build().flags(Flags::SKIP_SUCCESS).user_data(SEND | u64::from(job));
        self.push(&entry)?;
        Ok(true)
    }

    /// Has the kernel wake `job` when `socket` has input, or takes output.
    pub(crate) fn poll(&mut self, job: u32, socket: BorrowedFd<'_>, output: bool) -> io::Result<()> {
        let events = if output { POLL_OUT } else { POLL_IN };
        self.push(&opcode::PollAdd::new(Fd(socket.as_raw_fd()), events).build().user_data(job.into()))
    }

    /// Tells the kernel what was prepared.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.ring.submission().is_empty() {
            return Ok(());
        }
        match self.ring.submit() {
            // The kernel has no room for completions: they are taken, and it is asked again.
            Err(error) if is_passing(&error) => Ok(()),
            result => result.map(drop),
        }
    }

    /// Tells the kernel what was prepared, and takes what has come.
    pub(crate) fn look(&mut self, woken: &mut Vec<(u32, i32)>) -> io::Result<()> {
        let prepared = self.ring.submission().len() as u32;
        // SAFETY: without an argument, and the entries are as in `push`.
        let looked = unsafe { self.ring.submitter().enter::<u64>(prepared, 0, ENTER_GETEVENTS, None) };
        match looked {
            Err(error) if !is_passing(&error) => return Err(error),
            _ => {}
        }
        self.take(woken);
        Ok(())
    }

    /// Tells the kernel what was prepared, and waits until something has come, or until the first of `sleepers` wakes.
    pub(crate) fn wait(&mut self, sleepers: &Sleepers, woken: &mut Vec<(u32, i32)>) -> io::Result<()> {
        for setting in self.timers.set_for(sleepers).into_iter().flatten() {
            self.set(&setting)?;
        }
        match self.ring.submit_and_wait(1) {
            Err(error) if !is_passing(&error) => return Err(error),
            _ => {}
        }
        self.take(woken);
        Ok(())
    }

    fn set(&mut self, Setting { timer, moment, is_set }: &Setting) -> io::Result<()> {
        let timespec = &mut self.timespecs[*timer];
        *timespec = Duration::from(*moment).into();
        let (timespec, user_data) = (&raw const *timespec, TIMER | *timer as u64);
        let entry = if *is_set {
            // Where it has just expired, it is set again after that is seen.
            let entry = opcode::TimeoutUpdate::new(user_data, timespec).flags(TimeoutFlags::ABS).build();
            entry.flags(Flags::SKIP_SUCCESS).user_data(TIMER_SET)
        } else {
            opcode::Timeout::new(timespec).flags(TimeoutFlags::ABS).build().user_data(user_data)
        };
        self.push(&entry)
    }

    fn take(&mut self, woken: &mut Vec<(u32, i32)>) {
        for completion in self.ring.completion() {
            let user_data = completion.user_data();
            if let Ok(job) = u32::try_from(user_data) {
                woken.push((job, completion.result()));
            } else if user_data & TIMER != 0 {
                self.timers.expired((user_data & !TIMER) as usize);
            }
            // The others are failures: of a send, which shows in the answer that does not come, and of setting a timer.
        }
    }
}

/// Whether the call ended early, and is repeated as a matter of course.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ResourceBusy | io::ErrorKind::Interrupted)
}
