//! What lanes report besides their tallies.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use record::IoLogEntry;

use super::ring::Grant;

/// The reports of the lanes of one run, each written at the end of its lane.
#[derive(Debug, Default)]
pub struct Ledger {
    pages: Mutex<BTreeMap<u32, Page>>,
}

/// The report of one lane.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The I/O mode in effect: `io_uring, registered files and buffers`.
    pub mode: String,
    /// Requested features that the kernel refused.
    pub refused: Vec<String>,
    /// By the number of the stream.
    pub streams: BTreeMap<usize, Account>,
    /// The log of I/Os, if requested, up to its capacity.
    pub log: Vec<IoLogEntry>,
    /// I/Os beyond the capacity of the log.
    pub log_missed: u64,
}

/// Counts of a stream that its tally does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Short transfers; they count as failed.
    pub short: u64,
    /// Units that were read and found valid.
    pub verified: u64,
    /// Units with unexpected content.
    pub corrupt: u64,
    /// Units that hold what was there before a write of this invocation that succeeded.
    pub stale: u64,
    /// Units of this invocation of whose write it is not known whether it is the last one.
    pub unknown: u64,
    /// The first error as text, if there was one.
    pub first_failure: Option<String>,
}

impl Account {
    /// Adds the counts of another lane.
    pub fn add(&mut self, other: &Account) {
        self.short += other.short;
        self.verified += other.verified;
        self.corrupt += other.corrupt;
        self.stale += other.stale;
        self.unknown += other.unknown;
        if self.first_failure.is_none() {
            self.first_failure.clone_from(&other.first_failure);
        }
    }
}

impl Ledger {
    /// The reports so far, by the number of the lane. The report of a lane after its warm-up is replaced by that at its
    /// end.
    pub fn pages(&self) -> MutexGuard<'_, BTreeMap<u32, Page>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self, lane: u32, page: Page) {
        self.pages().insert(lane, page);
    }
}

impl Page {
    pub(crate) fn granted(grant: &Grant) -> Page {
        Page { mode: grant.mode.clone(), refused: grant.refused.clone(), ..Page::default() }
    }
}
