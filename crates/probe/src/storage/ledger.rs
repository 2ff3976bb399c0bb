//! What lanes have to tell beside their tallies.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use record::IoMark;

use super::ring::Grant;

/// What the lanes of one run told, each when it ended.
#[derive(Debug, Default)]
pub struct Ledger {
    pages: Mutex<BTreeMap<u32, Page>>,
}

/// What one lane told.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// How its I/O really went: `io_uring, registered files and buffers`.
    pub mode: String,
    /// What was asked for and refused.
    pub refused: Vec<String>,
    /// By the number of the stream.
    pub streams: BTreeMap<usize, Account>,
    /// Every I/O, where it was asked for and as far as there was room.
    pub log: Vec<IoMark>,
    /// I/Os that had no room in the log.
    pub log_missed: u64,
}

/// What a tally does not hold of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// I/Os that transferred less than they should; they count as failed.
    pub short: u64,
    /// Units that were read and recognised.
    pub verified: u64,
    /// Units that were not what was written there.
    pub corrupt: u64,
    /// The first error in words; absent where there was none.
    pub first_failure: Option<String>,
}

impl Account {
    /// Counts what another lane counted.
    pub fn add(&mut self, other: &Account) {
        self.short += other.short;
        self.verified += other.verified;
        self.corrupt += other.corrupt;
        if self.first_failure.is_none() {
            self.first_failure.clone_from(&other.first_failure);
        }
    }
}

impl Ledger {
    /// The pages so far, by the number of the lane. What a lane told after its warm-up is replaced by what it tells
    /// at the end.
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
