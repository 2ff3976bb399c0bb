//! An io_uring of one thread.

use std::io;

use io_uring::types::{Fd, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, opcode, squeue};
use record::{Nanos, RingOptions};

use super::port::{Operation, Order, Port, PortSetting};

/// A kernel thread that polls for submissions falls asleep after so long without any.
const SUBMISSION_IDLE_MS: u32 = 1_000;
/// FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE of linux/falloc.h.
const PUNCH_HOLE: i32 = 0x01 | 0x02;
/// `RWF_DSYNC` of linux/fs.h: a write that is durable when it is done.
const WRITE_DSYNC: i32 = 0x02;
/// Completions are run by the thread that waits for them, and by nobody else.
const DEFERRED: &str = "DEFER_TASKRUN";
/// The first of the two completions of a commit.
const FIRST: u64 = 1 << 32;

/// A ring, and what the kernel granted of what was asked for.
pub(crate) struct Ring {
    ring: IoUring,
    setting: PortSetting,
    fixed_buffers: bool,
    registered_files: bool,
    /// Does nothing in the kernel: measures the ring itself.
    idle: bool,
    /// What came of the write of a commit whose sync is still on its way, by slot; none where it went as it should.
    written: Vec<Option<i32>>,
    /// The write of a commit that went well is not told, where the kernel can keep it to itself.
    quiet: squeue::Flags,
    /// Bytes of the commit in each slot; 0 for anything else.
    lengths: Vec<i32>,
    granted: Grant,
}

/// What a ring really is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Grant {
    /// `io_uring, registered files and buffers, DEFER_TASKRUN`.
    pub mode: String,
    /// What was asked for and refused, with the reason.
    pub refused: Vec<String>,
}

impl Ring {
    /// Opens a ring on the thread that will use it.
    ///
    /// # Errors
    /// Where the kernel gives none at all, or refuses polling, which is never left out silently.
    pub(crate) fn open(setting: PortSetting, options: &RingOptions, idle: bool) -> io::Result<Ring> {
        let mut words = vec!["io_uring".to_owned()];
        let mut refused = Vec::new();
        let (ring, tasks) = build(setting.entries, options)?;
        let mut ask = |wanted: bool, what: &str, result: &mut dyn FnMut() -> io::Result<()>| -> bool {
            match wanted.then(result) {
                Some(Ok(())) => {
                    words.push(what.to_owned());
                    true
                }
                Some(Err(error)) => {
                    refused.push(format!("{what}: {error}"));
                    false
                }
                None => false,
            }
        };
        let files = !setting.files.is_empty() && options.registered_files;
        let registered_files = ask(files, "registered files", &mut || ring.submitter().register_files(&setting.files));
        let memory = libc::iovec { iov_base: setting.memory.0.cast(), iov_len: setting.memory.1 };
        let fixed_buffers = ask(options.fixed_buffers && memory.iov_len > 0, "registered buffers", &mut || {
            // SAFETY: the memory outlives the ring: both belong to the same lane, which drops the ring first.
            unsafe { ring.submitter().register_buffers(&[memory]) }
        });
        // Linux 5.17 has it, and so does every kernel that defers.
        let quiet = if tasks == Some(DEFERRED) { squeue::Flags::SKIP_SUCCESS } else { squeue::Flags::empty() };
        words.extend(tasks.map(str::to_owned));
        if options.polled {
            words.push("polled completion".to_owned());
        }
        if options.submission_polled {
            words.push("polled submission".to_owned());
        }
        // Saves the kernel a look-up per call; a kernel that has it not (before 5.18) loses nothing else.
        let _ = ring.submitter().register_ring_fd();
        let written = vec![None; setting.depth as usize];
        let granted = Grant { mode: words.join(", "), refused };
        let lengths = vec![0; setting.depth as usize];
        Ok(Ring { ring, setting, fixed_buffers, registered_files, idle, written, quiet, lengths, granted })
    }

    /// What the kernel granted.
    pub(crate) fn granted(&self) -> &Grant {
        &self.granted
    }

    /// The entry of an order; `data_only` of a sync that follows a write as the second half of a commit.
    #[inline]
    fn entry(&self, order: &Order) -> squeue::Entry {
        if self.idle {
            return opcode::Nop::new().build();
        }
        let (memory, length, offset, file) = (order.memory, order.length, order.offset, self.file(order));
        let write_flags = if self.setting.write_dsync { WRITE_DSYNC } else { 0 };
        let entry = match (order.operation, self.fixed_buffers) {
            (Operation::Read, true) => opcode::ReadFixed::new(file, memory, length, 0).offset(offset).build(),
            (Operation::Read, false) => opcode::Read::new(file, memory, length).offset(offset).build(),
            (Operation::Write | Operation::Commit { .. }, true) => {
                opcode::WriteFixed::new(file, memory, length, 0).offset(offset).rw_flags(write_flags).build()
            }
            (Operation::Write | Operation::Commit { .. }, false) => {
                opcode::Write::new(file, memory, length).offset(offset).rw_flags(write_flags).build()
            }
            (Operation::Trim, _) => {
                opcode::Fallocate::new(file, u64::from(length)).offset(offset).mode(PUNCH_HOLE).build()
            }
            (Operation::Sync { data_only }, _) => return self.sync_entry(order, data_only),
        };
        entry.flags(self.file_flags())
    }

    fn sync_entry(&self, order: &Order, data_only: bool) -> squeue::Entry {
        let flags = if data_only { FsyncFlags::DATASYNC } else { FsyncFlags::empty() };
        opcode::Fsync::new(self.file(order)).flags(flags).build().flags(self.file_flags())
    }

    /// A registered file is named by its place, any other by its descriptor.
    #[inline]
    fn file(&self, order: &Order) -> Fd {
        match self.registered_files {
            true => Fd(order.file as i32),
            false => Fd(self.setting.files[order.file as usize]),
        }
    }

    #[inline]
    fn file_flags(&self) -> squeue::Flags {
        if self.registered_files { squeue::Flags::FIXED_FILE } else { squeue::Flags::empty() }
    }

    #[inline]
    fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        // SAFETY: the memory of the entry belongs to its slot until the slot is reaped.
        unsafe { self.ring.submission().push(entry) }.map_err(|_| io::Error::other("the submission queue is full"))
    }
}

impl Port for Ring {
    #[inline]
    fn take(&mut self, slot: u32, order: &Order) -> io::Result<()> {
        let entry = self.entry(order).user_data(u64::from(slot));
        let data_only = match order.operation {
            Operation::Commit { data_only } if !self.idle => data_only,
            _ => {
                self.lengths[slot as usize] = 0;
                return self.push(&entry);
            }
        };
        let flags = self.file_flags() | squeue::Flags::IO_LINK | self.quiet;
        let first = entry.flags(flags).user_data(u64::from(slot) | FIRST);
        self.lengths[slot as usize] = order.length as i32;
        let second = self.sync_entry(order, data_only).user_data(u64::from(slot));
        self.push(&first)?;
        self.push(&second)
    }

    #[inline]
    fn submit(&mut self, least: u32, until: Option<Nanos>) -> io::Result<()> {
        let result = match until {
            None => self.ring.submit_and_wait(least as usize),
            Some(until) => {
                let left = until - measure::clock::now();
                let time = Timespec::new().sec(left.0 / 1_000_000_000).nsec((left.0 % 1_000_000_000) as u32);
                self.ring.submitter().submit_with_args(least as usize, &SubmitArgs::new().timespec(&time))
            }
        };
        match result.map_err(|error| (error.raw_os_error(), error)) {
            Ok(_) => Ok(()),
            // The time is over; a signal; the completion queue wants to be emptied first.
            Err((Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN), _)) => Ok(()),
            Err((_, error)) => Err(error),
        }
    }

    #[inline]
    fn reap(&mut self) -> Option<(u32, i32)> {
        loop {
            let entry = self.ring.completion().next()?;
            let (slot, result) = (entry.user_data() as u32, entry.result());
            let place = slot as usize;
            if entry.user_data() & FIRST != 0 {
                self.written[place] = Some(result);
                continue;
            }
            // Of a commit the write speaks where it failed or was cut short, its sync was cancelled then; where all
            // went well, it is the length that counts.
            let length = self.lengths[place];
            let result = match self.written[place].take().filter(|written| *written != length) {
                Some(written) => written,
                None if length > 0 && result >= 0 => length,
                None => result,
            };
            return Some((slot, result));
        }
    }
}

/// Whether the kernel gives a ring here at all.
///
/// # Errors
/// Its refusal: a kernel without io_uring, or a sandbox or a setting that forbids it.
pub fn ring_is_there() -> io::Result<()> {
    IoUring::new(2).map(drop)
}

/// A ring with the way of running completions that costs least, as far as the kernel has it; with its name.
///
/// `entries` orders may wait at a time.
fn build(entries: u32, options: &RingOptions) -> io::Result<(IoUring, Option<&'static str>)> {
    let entries = entries.max(1).next_power_of_two();
    let asked = |builder: &mut io_uring::Builder| {
        builder.setup_cqsize(entries * 2);
        if options.polled {
            builder.setup_iopoll();
        }
        if options.submission_polled {
            builder.setup_sqpoll(SUBMISSION_IDLE_MS);
            options.submission_processor.into_iter().for_each(|processor| {
                builder.setup_sqpoll_cpu(processor);
            });
        }
    };
    if !options.submission_polled {
        // Linux 6.1: completions are run by this thread when it waits, and by nobody else.
        let mut builder = IoUring::builder();
        asked(&mut builder);
        builder.setup_single_issuer().setup_defer_taskrun();
        if let Ok(ring) = builder.build(entries) {
            return Ok((ring, Some(DEFERRED)));
        }
        // Linux 5.19: without interrupting the thread.
        let mut builder = IoUring::builder();
        asked(&mut builder);
        builder.setup_coop_taskrun();
        if let Ok(ring) = builder.build(entries) {
            return Ok((ring, Some("COOP_TASKRUN")));
        }
    }
    let mut builder = IoUring::builder();
    asked(&mut builder);
    builder.build(entries).map(|ring| (ring, None))
}
