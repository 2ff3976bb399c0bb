//! The traced system calls and asynchronous I/O.

use record::OperationClass;

use crate::layout::{AIO_KIND, ONLY_FILES, REAPS, SUBMITS, URING_KIND};

/// A traced system call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub name: &'static str,
    /// Its number on this processor.
    pub number: u32,
    /// Its operation on a file.
    pub class: OperationClass,
}

impl Call {
    const fn new(name: &'static str, number: libc::c_long, class: OperationClass) -> Call {
        Call { name, number: number as u32, class }
    }

    /// Whether it returns the number of transferred bytes. Such calls count on files only, not on sockets and pipes.
    pub(crate) fn moves_bytes(&self) -> bool {
        !matches!(self.class, OperationClass::Sync) && self.number != libc::SYS_sync_file_range as u32
    }

    /// Its entry in the table of the programs, with histogram `kind`.
    pub(crate) fn entry(&self, kind: u32) -> u32 {
        (kind + 1) | if self.moves_bytes() { ONLY_FILES } else { 0 }
    }
}

/// All traced calls; the index is that of the histogram. `sync_file_range` only starts writeback and makes nothing
/// durable: it is a write. Asynchronous I/O is in [`ASYNC_IO`].
pub(crate) const CALLS: [Call; 14] = {
    use OperationClass::{Read, Sync, Write};
    [
        Call::new("read", libc::SYS_read, Read),
        Call::new("pread64", libc::SYS_pread64, Read),
        Call::new("readv", libc::SYS_readv, Read),
        Call::new("preadv", libc::SYS_preadv, Read),
        Call::new("preadv2", libc::SYS_preadv2, Read),
        Call::new("write", libc::SYS_write, Write),
        Call::new("pwrite64", libc::SYS_pwrite64, Write),
        Call::new("writev", libc::SYS_writev, Write),
        Call::new("pwritev", libc::SYS_pwritev, Write),
        Call::new("pwritev2", libc::SYS_pwritev2, Write),
        Call::new("sync_file_range", libc::SYS_sync_file_range, Write),
        Call::new("fsync", libc::SYS_fsync, Sync),
        Call::new("fdatasync", libc::SYS_fdatasync, Sync),
        Call::new("msync", libc::SYS_msync, Sync),
    ]
};

/// Asynchronous I/O: histogram, name, operation. An I/O of `io_submit` is timed from the start of that call to the end
/// of the `io_getevents` that returns it; an I/O of io_uring from its submission to its completion.
pub(crate) const ASYNC_IO: [(u32, &str, OperationClass); 6] = {
    use OperationClass::{Read, Sync, Write};
    [
        (AIO_KIND, "aio read", Read),
        (AIO_KIND + 1, "aio write", Write),
        (AIO_KIND + 2, "aio sync", Sync),
        (URING_KIND, "io_uring read", Read),
        (URING_KIND + 1, "io_uring write", Write),
        (URING_KIND + 2, "io_uring sync", Sync),
    ]
};

/// The table of the programs: number and entry of each traced call.
pub(crate) fn traced_calls() -> Vec<(u32, u32)> {
    let calls = CALLS.iter().zip(0..).map(|(call, kind)| (call.number, call.entry(kind)));
    let async_io = [(libc::SYS_io_submit, SUBMITS), (libc::SYS_io_getevents, REAPS)];
    calls.chain(async_io.map(|(number, entry)| (number as u32, entry))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{CALL_KINDS, CALL_NUMBERS};

    #[test]
    fn every_call_has_a_number_and_a_histogram_of_its_own() {
        for (kind, call) in CALLS.iter().enumerate() {
            assert!(call.number < CALL_NUMBERS && kind < AIO_KIND as usize, "{}", call.name);
            assert!(CALLS[..kind].iter().all(|other| other.number != call.number), "{}", call.name);
            assert_eq!(call.entry(kind as u32) & 0xff, kind as u32 + 1);
        }
        let numbers: Vec<u32> = traced_calls().iter().map(|(number, _)| *number).collect();
        assert!(numbers.iter().all(|number| *number < CALL_NUMBERS));
        assert_eq!(numbers.len(), CALLS.len() + 2);
        let kinds: Vec<u32> = ASYNC_IO.iter().map(|(kind, _, _)| *kind).collect();
        assert!(kinds.is_sorted_by(|one, next| one < next) && kinds.iter().all(|kind| *kind < CALL_KINDS));
    }

    #[test]
    fn calls_that_transfer_bytes_count_on_files_only() {
        let others = CALLS.iter().filter(|call| call.entry(0) & ONLY_FILES == 0);
        assert!(others.map(|call| call.name).eq(["sync_file_range", "fsync", "fdatasync", "msync"]));
    }
}
