//! The I/O engine io_uring, one ring per thread.

use std::io;

use io_uring::types::{Fd, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};
use record::{Nanos, RingOptions};

use super::io_engine::{IoEngine, IoEngineSettings, IoRequest, Operation};

/// Idle time after which the submission polling thread of the kernel sleeps.
const SUBMISSION_IDLE_MS: u32 = 1_000;
/// FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE of linux/falloc.h.
const PUNCH_HOLE: i32 = 0x01 | 0x02;
/// `RWF_DSYNC` of linux/fs.h: the write is durable when it completes.
const WRITE_DSYNC: i32 = 0x02;
/// Completion work runs only in the thread that waits for completions.
const DEFERRED: &str = "DEFER_TASKRUN";
/// Marks the first of the two completions of a commit.
const FIRST: u64 = 1 << 32;

/// A ring, and the requested features that the kernel granted.
pub(crate) struct Ring {
    ring: IoUring,
    settings: IoEngineSettings,
    fixed_buffers: bool,
    registered_files: bool,
    /// Submits NOPs only: measures the ring itself.
    idle: bool,
    /// Result of the write of a commit whose sync is in flight, by slot; none where the write succeeded silently.
    written: Vec<Option<i32>>,
    /// Suppresses the completion of a successful write of a commit, if the kernel supports that.
    quiet: squeue::Flags,
    /// Bytes of the commit in each slot; 0 for other operations.
    lengths: Vec<i32>,
    /// Completions, taken from the kernel all at once, and how many of them were reaped.
    completions: Vec<cqueue::Entry>,
    reaped: usize,
    granted: Grant,
}

/// The mode of a ring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Grant {
    /// `io_uring, registered files and buffers, DEFER_TASKRUN`.
    pub mode: String,
    /// Requested features that were refused, with the reason.
    pub refused: Vec<String>,
}

impl Ring {
    /// Opens a ring on the thread that uses it.
    pub(crate) fn open(settings: IoEngineSettings, options: &RingOptions, idle: bool) -> io::Result<Ring> {
        let mut words = vec!["io_uring".to_owned()];
        let mut refused = Vec::new();
        let (ring, tasks) = build(settings.entries, options)?;
        let mut request = |is_requested: bool, what: &str, result: &mut dyn FnMut() -> io::Result<()>| -> bool {
            match is_requested.then(result) {
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
        let files = !settings.files.is_empty() && options.registered_files;
        let registered_files =
            request(files, "registered files", &mut || ring.submitter().register_files(&settings.files));
        let memory = libc::iovec { iov_base: settings.memory.0.cast(), iov_len: settings.memory.1 };
        let fixed_buffers = request(options.fixed_buffers && memory.iov_len > 0, "registered buffers", &mut || {
            // SAFETY: the memory outlives the ring: both belong to the same lane, which drops the ring first.
            unsafe { ring.submitter().register_buffers(&[memory]) }
        });
        // Since Linux 5.17, so that every kernel with DEFER_TASKRUN has it.
        let quiet = if tasks == Some(DEFERRED) { squeue::Flags::SKIP_SUCCESS } else { squeue::Flags::empty() };
        words.extend(tasks.map(str::to_owned));
        if options.polled {
            words.push("polled completion".to_owned());
        }
        if options.submission_polled {
            words.push("polled submission".to_owned());
        }
        let written = vec![None; settings.depth as usize];
        let granted = Grant { mode: words.join(", "), refused };
        let lengths = vec![0; settings.depth as usize];
        let completions = Vec::with_capacity(2 * settings.entries as usize);
        Ok(Ring {
            ring,
            settings,
            fixed_buffers,
            registered_files,
            idle,
            written,
            quiet,
            lengths,
            completions,
            reaped: 0,
            granted,
        })
    }

    /// The mode of the ring.
    pub(crate) fn granted(&self) -> &Grant {
        &self.granted
    }

    /// The submission queue entry of a request; of a commit, that of its write.
    #[inline]
    fn entry(&self, request: &IoRequest) -> squeue::Entry {
        if self.idle {
            return opcode::Nop::new().build();
        }
        let (memory, length, offset, file) = (request.memory, request.length, request.offset, self.file(request));
        let write_flags = if self.settings.write_dsync { WRITE_DSYNC } else { 0 };
        let entry = match (request.operation, self.fixed_buffers) {
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
            (Operation::Sync { data_only }, _) => return self.sync_entry(request, data_only),
        };
        entry.flags(self.file_flags())
    }

    fn sync_entry(&self, request: &IoRequest, data_only: bool) -> squeue::Entry {
        let flags = if data_only { FsyncFlags::DATASYNC } else { FsyncFlags::empty() };
        opcode::Fsync::new(self.file(request)).flags(flags).build().flags(self.file_flags())
    }

    /// Index of a registered file, otherwise the descriptor.
    #[inline]
    fn file(&self, request: &IoRequest) -> Fd {
        match self.registered_files {
            true => Fd(request.file as i32),
            false => Fd(self.settings.files[request.file as usize]),
        }
    }

    #[inline]
    fn file_flags(&self) -> squeue::Flags {
        if self.registered_files { squeue::Flags::FIXED_FILE } else { squeue::Flags::empty() }
    }

    #[inline]
    fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        // SAFETY: the memory of the entry belongs to its slot until the completion is reaped.
        unsafe { self.ring.submission().push(entry) }.map_err(|_| io::Error::other("the submission queue is full"))
    }
}

impl IoEngine for Ring {
    #[inline]
    fn queue(&mut self, slot: u32, request: &IoRequest) -> io::Result<()> {
        let mut entry = self.entry(request);
        entry.set_user_data(u64::from(slot));
        let data_only = match request.operation {
            Operation::Commit { data_only } if !self.idle => data_only,
            _ => {
                self.lengths[slot as usize] = 0;
                return self.push(&entry);
            }
        };
        let flags = self.file_flags() | squeue::Flags::IO_LINK | self.quiet;
        let first = entry.flags(flags).user_data(u64::from(slot) | FIRST);
        self.lengths[slot as usize] = request.length as i32;
        let second = self.sync_entry(request, data_only).user_data(u64::from(slot));
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
            Ok(_) => {}
            // Timeout; signal; the completion queue has to be emptied first.
            Err((Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN), _)) => {}
            Err((_, error)) => return Err(error),
        }
        self.completions.drain(..self.reaped);
        self.reaped = 0;
        self.completions.extend(self.ring.completion());
        Ok(())
    }

    #[inline]
    fn found(&self) -> u32 {
        (self.completions.len() - self.reaped) as u32
    }

    #[inline]
    fn reap(&mut self) -> Option<(u32, i32)> {
        loop {
            let entry = self.completions.get(self.reaped)?;
            self.reaped += 1;
            let (slot, result) = (entry.user_data() as u32, entry.result());
            let index = slot as usize;
            if entry.user_data() & FIRST != 0 {
                // Where success is not told, this write failed or was short, and nothing is told of its sync, which the kernel
                // has cancelled.
                if !self.quiet.is_empty() {
                    return Some((slot, result));
                }
                self.written[index] = Some(result);
                continue;
            }
            // The result of a commit is that of its write where that failed or was short, where its sync is cancelled, and the
            // length where both succeeded.
            let length = self.lengths[index];
            let result = match self.written[index].take().filter(|written| *written != length) {
                Some(written) => written,
                None if length > 0 && result >= 0 => length,
                None => result,
            };
            return Some((slot, result));
        }
    }
}

/// Whether io_uring is available.
///
/// # Errors
/// The error of the kernel: no io_uring, or forbidden by a sandbox or a setting.
pub fn io_uring_available() -> io::Result<()> {
    IoUring::new(2).map(drop)
}

/// A ring of `entries` with the cheapest mode of completion work that the kernel supports, and the name of the mode.
fn build(entries: u32, options: &RingOptions) -> io::Result<(IoUring, Option<&'static str>)> {
    let entries = entries.max(1).next_power_of_two();
    let requested = |builder: &mut io_uring::Builder| {
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
        // Since Linux 6.1.
        let mut builder = IoUring::builder();
        requested(&mut builder);
        builder.setup_single_issuer().setup_defer_taskrun();
        if let Ok(ring) = builder.build(entries) {
            return Ok((ring, Some(DEFERRED)));
        }
        // Since Linux 5.19: without inter-processor interrupts.
        let mut builder = IoUring::builder();
        requested(&mut builder);
        builder.setup_coop_taskrun();
        if let Ok(ring) = builder.build(entries) {
            return Ok((ring, Some("COOP_TASKRUN")));
        }
    }
    let mut builder = IoUring::builder();
    requested(&mut builder);
    builder.build(entries).map(|ring| (ring, None))
}
