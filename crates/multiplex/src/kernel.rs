//! The submission and completion queues, in one place. In tests it answers in place of the kernel, as one does that is short of
//! memory.

use std::io;

use io_uring::IoUring;
use io_uring::squeue::Entry;
use rustix::io::Errno;

#[cfg(test)]
use crate::fault::Faults;

/// `IORING_ENTER_GETEVENTS`: what was deferred to this thread is done.
pub(crate) const GETEVENTS: u32 = 1;

/// The queues of one thread.
pub(crate) struct Kernel {
    ring: IoUring,
    /// The data of the entries that were pushed last, each at its number modulo the size of the queue.
    pushed: Box<[u64]>,
    /// Number of all of them.
    pushed_count: usize,
    #[cfg(test)]
    pub faults: Faults,
}

impl Kernel {
    /// Queues for so many entries and completions, used by this thread only.
    pub(crate) fn open(entries: u32, completions: u32) -> io::Result<Kernel> {
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
        let pushed = vec![0; ring.params().sq_entries() as usize].into_boxed_slice();
        Ok(Kernel {
            ring,
            pushed,
            pushed_count: 0,
            #[cfg(test)]
            faults: Faults::default(),
        })
    }

    /// Prepares `entry` for the kernel; false where the queue is full.
    ///
    /// # Safety
    /// What it refers to stays as it is until its completion.
    pub(crate) unsafe fn push(&mut self, entry: &Entry) -> bool {
        #[cfg(test)]
        if self.faults.complete(entry.get_user_data()) {
            return true;
        }
        // SAFETY: as the caller says.
        let is_pushed = unsafe { self.ring.submission().push(entry) }.is_ok();
        if is_pushed {
            let place = self.pushed_count % self.pushed.len();
            self.pushed[place] = entry.get_user_data();
            self.pushed_count = self.pushed_count.wrapping_add(1);
        }
        is_pushed
    }

    /// Number of entries that the kernel has not taken.
    pub(crate) fn prepared(&mut self) -> u32 {
        self.ring.submission().len() as u32
    }

    /// The data of these entries.
    pub(crate) fn prepared_data(&mut self) -> Vec<u64> {
        let count = self.prepared() as usize;
        (1..=count).rev().map(|back| self.pushed[self.pushed_count.wrapping_sub(back) % self.pushed.len()]).collect()
    }

    /// Has the kernel take what was prepared, or a part of it, and waits for so many completions.
    pub(crate) fn enter(&mut self, wanted: u32, flags: u32) -> io::Result<()> {
        let prepared = self.prepared();
        #[cfg(test)]
        let (prepared, wanted) = self.faults.enter(prepared, wanted)?;
        // SAFETY: it has no argument, and the entries are as `push` demands.
        let taken = unsafe { self.ring.submitter().enter::<u64>(prepared, wanted, flags, None) }?;
        if taken == 0 && self.prepared() > 0 { Err(Errno::AGAIN.into()) } else { Ok(()) }
    }

    /// Has the kernel do what it has deferred to this thread, and take nothing.
    pub(crate) fn catch_up(&mut self) -> io::Result<()> {
        // SAFETY: it has no argument and takes no entries.
        unsafe { self.ring.submitter().enter::<u64>(0, 0, GETEVENTS, None) }.map(drop)
    }

    /// Calls `each` with data and result of every completion.
    #[inline]
    pub(crate) fn take(&mut self, mut each: impl FnMut(u64, i32)) {
        #[cfg(test)]
        self.faults.take(&mut each);
        for completion in self.ring.completion() {
            each(completion.user_data(), completion.result());
        }
    }
}
