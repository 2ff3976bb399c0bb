//! How I/O gets to the kernel and back.

use std::io;
use std::os::fd::RawFd;

use record::Nanos;

/// What is to be done in one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Write,
    /// Gives the blocks back.
    Trim,
    /// fdatasync where `data_only`, fsync otherwise.
    Sync {
        data_only: bool,
    },
    /// A write and, after it, the sync that makes it durable.
    Commit {
        data_only: bool,
    },
}

/// One operation on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub operation: Operation,
    /// The place of the file in the list that the port was opened with.
    pub file: u32,
    pub offset: u64,
    pub length: u32,
    /// Where the data come from or go to; belongs to the slot alone until the order is done.
    pub memory: *mut u8,
}

/// What a port is opened with.
#[derive(Clone, Debug)]
pub(crate) struct PortSetting {
    pub depth: u32,
    /// Orders that may wait to be handed over; a commit is two.
    pub entries: u32,
    pub files: Vec<RawFd>,
    /// All memory of all slots, for registration.
    pub memory: (*mut u8, usize),
    pub write_dsync: bool,
}

/// Takes orders, one per slot at a time.
pub(crate) trait Port {
    /// Takes an order; it may begin at once or wait for [`Port::submit`].
    fn take(&mut self, slot: u32, order: &Order) -> io::Result<()>;

    /// Hands over everything taken, and waits for `least` to be done, or until `until`.
    fn submit(&mut self, least: u32, until: Option<Nanos>) -> io::Result<()>;

    /// A slot whose order is done, and what came of it: bytes, or the negative number of the error.
    fn reap(&mut self) -> Option<(u32, i32)>;
}
