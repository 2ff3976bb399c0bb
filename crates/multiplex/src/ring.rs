//! Waiting by io_uring: one system call tells the kernel what several jobs send and wait for, and returns what has come.
//!
//! What the kernel refuses to take for a moment (`EAGAIN`, `EBUSY`) is told to it again; where it has refused for
//! [`PATIENCE`], it is told nothing any more.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

use clock::now;
use io_uring::opcode;
use io_uring::squeue::{Entry, Flags};
use io_uring::types::{Fd, TimeoutFlags, Timespec};
use record::Nanos;
use rustix::io::Errno;

use crate::found::{Found, Unsent};
use crate::kernel::{GETEVENTS, Kernel};
use crate::timers::{Setting, Sleepers, TIMERS, Timers};

/// `IORING_RECVSEND_POLL_FIRST` of linux/io_uring.h: an answer is not there yet when it is asked for.
const POLL_FIRST: u16 = 1;
/// `MSG_NOSIGNAL` and `MSG_WAITALL` of the kernel.
const SEND_FLAGS: i32 = 0x4000 | 0x100;
/// What is at most sent together with others; the socket has room for it where everything before was answered.
const STATEMENT_BYTES_MAX: usize = 4096;
/// Marks completions of sends, which there are only of those that failed or were cut short.
pub(crate) const SEND: u64 = 1 << 32;
/// Marks completions of timers, and of setting one to another moment.
const TIMER: u64 = 1 << 33;
const TIMER_SET: u64 = 1 << 34;
/// `POLLIN` and `POLLOUT` of poll.h.
const POLL_IN: u32 = 1;
const POLL_OUT: u32 = 4;
/// Entries of the largest ring.
const ENTRIES_MAX: u32 = 4096;
/// For how long the kernel may refuse to take anything, as where it has no memory.
const PATIENCE: Nanos = Nanos(10_000_000_000);
/// Pause after it has refused.
const REFUSED_PAUSE: Duration = Duration::from_millis(1);

/// A ring of one thread.
pub(crate) struct Ring {
    pub(crate) kernel: Kernel,
    jobs: Vec<Output>,
    timers: Timers,
    /// Their moments for the kernel, which reads them with the entries.
    timespecs: Box<[Timespec; TIMERS]>,
    /// What has come while something was told to the kernel.
    found: Found,
    /// Since when the kernel takes nothing.
    refused_since: Option<Nanos>,
    /// For how long it may.
    pub(crate) patience: Nanos,
    /// The error number with which it has refused for too long, or that is none of a moment.
    refused: Option<i32>,
}

impl Drop for Ring {
    /// A statement for which its socket has no room yet may still be sent, until the kernel has taken the ring apart, which it does
    /// later. Where nothing was received since, it is not known to have left: its memory stays.
    fn drop(&mut self) {
        for output in self.jobs.iter_mut().filter(|output| output.is_unanswered) {
            std::mem::forget(std::mem::take(&mut output.bytes));
        }
    }
}

/// What a job has sent that need not have left.
struct Output {
    /// The statement; it stays where it is until the kernel has taken it.
    bytes: Vec<u8>,
    /// On which socket.
    socket: RawFd,
    /// Whether nothing was received since.
    is_unanswered: bool,
}

impl Ring {
    /// A ring for `jobs` jobs, used by this thread only.
    pub(crate) fn open(jobs: u32) -> io::Result<Ring> {
        let entries = jobs.saturating_mul(2).clamp(8, ENTRIES_MAX).next_power_of_two();
        let completions = jobs.saturating_mul(4).max(2 * entries).next_power_of_two().min(1 << 16);
        Ring::with_queues(jobs, entries, completions)
    }

    /// The same with queues of so many entries and completions.
    pub(crate) fn with_queues(jobs: u32, entries: u32, completions: u32) -> io::Result<Ring> {
        let kernel = Kernel::open(entries, completions)?;
        let output = |_| Output { bytes: vec![0; STATEMENT_BYTES_MAX], socket: -1, is_unanswered: false };
        Ok(Ring {
            kernel,
            jobs: (0..jobs).map(output).collect(),
            timers: Timers::default(),
            timespecs: Box::default(),
            found: Found::default(),
            refused_since: None,
            patience: PATIENCE,
            refused: None,
        })
    }

    fn push(&mut self, entry: &Entry) -> io::Result<()> {
        loop {
            // SAFETY: what it refers to belongs to a job that waits for the completion, or is in `jobs` or `timespecs`.
            if unsafe { self.kernel.push(entry) } {
                return Ok(());
            }
            self.flush()?;
        }
    }

    /// Has the kernel wake `job` when `socket` has bytes, which are in `into` then.
    pub(crate) fn receive(&mut self, job: u32, socket: BorrowedFd<'_>, into: &mut [u8]) -> io::Result<()> {
        let length = u32::try_from(into.len()).unwrap_or(u32::MAX);
        let entry = opcode::Recv::new(Fd(socket.as_raw_fd()), into.as_mut_ptr(), length).ioprio(POLL_FIRST).build();
        self.push(&entry.user_data(job.into()))
    }

    /// `job` has received an answer.
    pub(crate) fn answered(&mut self, job: u32) {
        self.jobs[job as usize].is_unanswered = false;
    }

    /// Prepares to send `bytes` for `job`; false where it has to send them itself, after everything before.
    pub(crate) fn send(&mut self, job: u32, socket: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<bool> {
        let output = &mut self.jobs[job as usize];
        if std::mem::replace(&mut output.is_unanswered, true) || bytes.len() > STATEMENT_BYTES_MAX {
            self.flush()?;
            return Ok(false);
        }
        output.bytes[..bytes.len()].copy_from_slice(bytes);
        output.socket = socket.as_raw_fd();
        let entry = opcode::Send::new(Fd(output.socket), output.bytes.as_ptr(), bytes.len() as u32);
        let entry = entry.flags(SEND_FLAGS).build().flags(Flags::SKIP_SUCCESS).user_data(SEND | u64::from(job));
        self.push(&entry)?;
        Ok(true)
    }

    /// Has the kernel wake `job` when `socket` has input, or takes output.
    pub(crate) fn poll(&mut self, job: u32, socket: BorrowedFd<'_>, output: bool) -> io::Result<()> {
        let events = if output { POLL_OUT } else { POLL_IN };
        self.push(&opcode::PollAdd::new(Fd(socket.as_raw_fd()), events).build().user_data(job.into()))
    }

    /// Tells the kernel all that was prepared.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let mut flags = 0;
        while self.kernel.prepared() > 0 {
            self.enter(0, flags)?;
            // Where it has taken a part, completions that it holds back may have no room.
            flags = GETEVENTS;
        }
        Ok(())
    }

    /// Tells the kernel what was prepared, and takes what has come.
    pub(crate) fn look(&mut self, found: &mut Found) -> io::Result<()> {
        self.enter(0, GETEVENTS)?;
        self.take();
        found.append(&mut self.found);
        Ok(())
    }

    /// Tells the kernel what was prepared, and waits until something has come, or until the first of `sleepers` wakes.
    pub(crate) fn wait(&mut self, sleepers: &Sleepers, found: &mut Found) -> io::Result<()> {
        for setting in self.timers.set_for(sleepers).into_iter().flatten() {
            self.set(&setting)?;
        }
        if self.found.is_empty() {
            self.enter(1, GETEVENTS)?;
        }
        self.take();
        found.append(&mut self.found);
        Ok(())
    }

    fn set(&mut self, Setting { timer, moment, is_set }: &Setting) -> io::Result<()> {
        let timespec = &mut self.timespecs[*timer];
        *timespec = Duration::from(*moment).into();
        let (timespec, user_data) = (&raw const *timespec, TIMER | *timer as u64);
        let entry = if *is_set {
            // Where it has just expired, it is set again after that is seen.
            let entry = opcode::TimeoutUpdate::new(user_data, timespec).flags(TimeoutFlags::ABS).build();
            entry.flags(Flags::SKIP_SUCCESS).user_data(TIMER_SET | *timer as u64)
        } else {
            opcode::Timeout::new(timespec).flags(TimeoutFlags::ABS).build().user_data(user_data)
        };
        self.push(&entry)
    }

    /// Tells the kernel what was prepared, of which it may take a part; it need not have waited.
    fn enter(&mut self, wanted: u32, flags: u32) -> io::Result<()> {
        if let Some(code) = self.refused {
            return Err(io::Error::from_raw_os_error(code));
        }
        let Err(error) = self.kernel.enter(wanted, flags) else {
            self.refused_since = None;
            return Ok(());
        };
        match error.kind() {
            io::ErrorKind::Interrupted => return Ok(()),
            io::ErrorKind::ResourceBusy | io::ErrorKind::WouldBlock => {
                let since = *self.refused_since.get_or_insert_with(now);
                if now().since(since) < self.patience {
                    // Completions that are taken make room.
                    let before = self.found.woken.len();
                    self.take();
                    if self.found.woken.len() == before {
                        std::thread::sleep(REFUSED_PAUSE);
                    }
                    return Ok(());
                }
            }
            _ => {}
        }
        self.refused = Some(error.raw_os_error().unwrap_or_else(|| Errno::IO.raw_os_error()));
        Err(error)
    }

    #[inline]
    fn take(&mut self) {
        let Ring { kernel, jobs, timers, found, .. } = self;
        kernel.take(|data, result| {
            let low = data as u32;
            if let Ok(job) = u32::try_from(data) {
                found.woken.push((job, result));
            } else if data & SEND != 0 {
                found.unsent.push(Unsent { job: low, socket: jobs[low as usize].socket, result });
            } else if data & TIMER != 0 || !is_expired(result) {
                // A timer that could not be set to another moment gets a new one.
                timers.expired(low as usize);
            }
        });
    }

    /// The kernel is told nothing any more: adds the jobs to `found` whose requests it has never seen.
    pub(crate) fn abandon(&mut self, code: i32, found: &mut Found) {
        self.refused = Some(code);
        for data in self.kernel.prepared_data() {
            if let Ok(job) = u32::try_from(data) {
                found.woken.push((job, -code));
            }
        }
        found.append(&mut self.found);
    }

    /// Takes what has come of requests that the kernel has taken before.
    pub(crate) fn catch_up(&mut self, found: &mut Found) {
        // Nothing is taken that way, and it need not succeed: it is called until all has come.
        let _ = self.kernel.catch_up();
        self.take();
        found.append(&mut self.found);
    }
}

/// Whether the timer that was to be set to another moment has just expired, which is seen by itself.
fn is_expired(result: i32) -> bool {
    [Errno::NOENT, Errno::ALREADY].iter().any(|error| result == -error.raw_os_error())
}
