//! The system calls that are traced, and the I/O that is handed over and not waited for in the call.

use record::OperationClass;

use crate::layout::{AIO_KIND, ONLY_FILES, REAPS, SUBMITS, URING_KIND};

/// A system call that is timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub name: &'static str,
    /// Its number on this processor.
    pub number: u32,
    /// What it does to a file.
    pub class: OperationClass,
}

impl Call {
    const fn new(name: &'static str, number: libc::c_long, class: OperationClass) -> Call {
        Call { name, number: number as u32, class }
    }

    /// Whether it says how many bytes it moved. Such calls are made on sockets and pipes as well, which do not count.
    pub(crate) fn moves_bytes(&self) -> bool {
        !matches!(self.class, OperationClass::Sync) && self.number != libc::SYS_sync_file_range as u32
    }

    /// How the programs are told to count it in the histogram at `place`.
    pub(crate) fn wanted(&self, place: u32) -> u32 {
        (place + 1) | if self.moves_bytes() { ONLY_FILES } else { 0 }
    }
}

/// All of them; the place in this list is that of their histogram. `sync_file_range` only begins to write and makes
/// nothing durable: it is a write. What calls hand over and do not wait for is in [`HANDED`].
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

/// I/O that is handed over: its histogram, its name, what it does. Of `io_submit` it is timed from the call that hands it
/// over to the end of the `io_getevents` that brings it back; how long a thread waited in there for whatever comes is no
/// time of an I/O. Of io_uring it is timed from the submission of the request to its completion.
pub(crate) const HANDED: [(u32, &str, OperationClass); 6] = {
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

/// All calls by their numbers, as the programs are told of them.
pub(crate) fn wanted() -> Vec<(u32, u32)> {
    let calls = CALLS.iter().zip(0..).map(|(call, place)| (call.number, call.wanted(place)));
    let handing = [(libc::SYS_io_submit, SUBMITS), (libc::SYS_io_getevents, REAPS)];
    calls.chain(handing.map(|(number, how)| (number as u32, how))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{CALL_KINDS, CALL_NUMBERS};

    #[test]
    fn every_call_has_a_number_of_its_own_and_a_place() {
        for (place, call) in CALLS.iter().enumerate() {
            assert!(call.number < CALL_NUMBERS && place < AIO_KIND as usize, "{}", call.name);
            assert!(CALLS[..place].iter().all(|other| other.number != call.number), "{}", call.name);
            assert_eq!(call.wanted(place as u32) & 0xff, place as u32 + 1);
        }
        let numbers: Vec<u32> = wanted().iter().map(|(number, _)| *number).collect();
        assert!(numbers.iter().all(|number| *number < CALL_NUMBERS));
        assert_eq!(numbers.len(), CALLS.len() + 2);
        let kinds: Vec<u32> = HANDED.iter().map(|(kind, _, _)| *kind).collect();
        assert!(kinds.is_sorted_by(|one, next| one < next) && kinds.iter().all(|kind| *kind < CALL_KINDS));
    }

    #[test]
    fn only_what_moves_bytes_is_asked_for_a_file() {
        let asked = CALLS.iter().filter(|call| call.wanted(0) & ONLY_FILES == 0);
        assert!(asked.map(|call| call.name).eq(["sync_file_range", "fsync", "fdatasync", "msync"]));
    }
}
