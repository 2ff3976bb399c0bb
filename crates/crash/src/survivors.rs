//! What a power cut leaves of a log of changes.
//!
//! The rule is that of file systems with a journal (ext4 in its default mode, XFS): names, sizes and owners are kept in order,
//! and a sync of any object makes all of them durable that were changed before. Bytes of a file are durable once that file
//! was synced; others were in the page cache, of which the kernel may have written any page at any moment. POSIX alone promises
//! less: there the name of a new file is durable only once its directory was synced.

use std::collections::BTreeMap;

use crate::change::{Change, Entry, Log};
use crate::image::Image;
use crate::lot::lot_to;

/// Which of the changes that were not synced survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Policy {
    /// All: a process was killed, and the operating system goes on.
    All,
    /// None.
    AllLost,
    /// Those up to a moment.
    Prefix,
    /// By lot for each page of 4 KiB: it is as it was at some moment since the last sync.
    Subset,
    /// The same for each sector of 512 bytes, so that pages are torn.
    Torn,
    /// The same, but for the pages of a disk that begin with a superblock: ext4 takes the two sectors of its own as written at once,
    /// and what it reads before its journal cannot be repaired from that.
    TornDisk,
}

impl Policy {
    /// Those of a power cut.
    pub const OF_POWER_CUT: [Policy; 4] = [Policy::AllLost, Policy::Prefix, Policy::Subset, Policy::Torn];

    /// The bytes of a file that survive together, where that is by lot.
    fn unit_bytes(self) -> Option<u64> {
        match self {
            Policy::Subset => Some(PAGE_BYTES),
            Policy::Torn | Policy::TornDisk => Some(SECTOR_BYTES),
            Policy::All | Policy::AllLost | Policy::Prefix => None,
        }
    }
}

/// Bytes of a page, and of a sector.
const PAGE_BYTES: u64 = 4096;
const SECTOR_BYTES: u64 = 512;

/// Where superblocks are: those of ext4 and XFS, and that of btrfs.
const SUPERBLOCKS: [u64; 2] = [0, 64 << 10];

/// What was not synced at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// Writes.
    pub writes: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Changes of names, sizes and owners.
    pub names: u64,
}

/// How far a log is synced.
struct Synced {
    /// By object, the number of its last sync.
    objects: BTreeMap<u64, u64>,
    /// The number of the last sync of any.
    last: u64,
}

impl Synced {
    fn of(entries: &[Entry]) -> Synced {
        let mut synced = Synced { objects: BTreeMap::new(), last: 0 };
        for entry in entries {
            if let Change::Sync { object } = entry.change {
                synced.objects.insert(object, entry.seq);
                synced.last = entry.seq;
            }
        }
        synced
    }

    fn covers(&self, entry: &Entry) -> bool {
        let until = match &entry.change {
            Change::Write { object, .. } => self.objects.get(object).copied().unwrap_or(0),
            _ => self.last,
        };
        entry.seq <= until
    }
}

/// What of the first `at` changes of `log` was not synced.
pub fn pending(log: &Log, at: u64) -> Pending {
    let entries = log.until(at);
    let synced = Synced::of(entries);
    entries.iter().filter(|entry| !synced.covers(entry)).fold(Pending::default(), |sum, entry| match &entry.change {
        Change::Write { data, .. } => Pending { writes: sum.writes + 1, bytes: sum.bytes + data.len() as u64, ..sum },
        _ => Pending { names: sum.names + 1, ..sum },
    })
}

/// What is there after a fault when the first `at` changes of `log` had been made to `base`, which was on stable storage.
/// The same arguments always give the same image.
pub fn survivors(base: &Image, log: &Log, at: u64, policy: Policy, seed: u64) -> Image {
    let entries = log.until(at);
    let synced = Synced::of(entries);
    let open: Vec<&Entry> = entries.iter().filter(|entry| !synced.covers(entry)).collect();
    let fate = Fate::drawn(&open, policy, seed);
    let mut image = base.clone();
    let mut seen = BTreeMap::new();
    for entry in entries {
        if synced.covers(entry) {
            image.apply(&entry.change);
            continue;
        }
        match (&entry.change, &fate) {
            (change, Fate::Until(last)) => {
                if entry.seq <= *last {
                    image.apply(change);
                }
            }
            (Change::Write { object, offset, data }, Fate::ByUnit { unit, kept, .. }) => {
                for (index, from, part) in units(*offset, data, *unit, policy) {
                    let number = seen.entry((*object, index)).or_insert(0u64);
                    *number += 1;
                    if *number <= kept.get(&(*object, index)).copied().unwrap_or(0) {
                        image.write(*object, from, part);
                    }
                }
            }
            (change, Fate::ByUnit { names_until, .. }) => {
                if entry.seq <= *names_until {
                    image.apply(change);
                }
            }
        }
    }
    image.forget_unnamed();
    image
}

/// What becomes of changes that were not synced.
enum Fate {
    /// Those up to this number survive.
    Until(u64),
    /// By unit of a file the number of writes that survive, the earlier ones first; names up to a number.
    ByUnit { unit: u64, kept: BTreeMap<(u64, u64), u64>, names_until: u64 },
}

impl Fate {
    fn drawn(open: &[&Entry], policy: Policy, seed: u64) -> Fate {
        // The number of the last of `candidates` that survives, by lot: from none to all.
        let until = |candidates: &[u64], purpose: u64| {
            let count = lot_to(seed, &[purpose], candidates.len() as u64) as usize;
            count.checked_sub(1).and_then(|last| candidates.get(last)).copied().unwrap_or(0)
        };
        let Some(unit) = policy.unit_bytes() else {
            return Fate::Until(match policy {
                Policy::All => u64::MAX,
                Policy::Prefix => until(&open.iter().map(|entry| entry.seq).collect::<Vec<u64>>(), 1),
                _ => 0,
            });
        };
        let mut counts: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for entry in open {
            if let Change::Write { object, offset, data } = &entry.change {
                for (index, ..) in units(*offset, data, unit, policy) {
                    *counts.entry((*object, index)).or_default() += 1;
                }
            }
        }
        let kept = counts
            .into_iter()
            .map(|((object, index), count)| ((object, index), lot_to(seed, &[2, object, index], count)));
        let names: Vec<u64> = open.iter().filter(|entry| entry.change.is_of_names()).map(|entry| entry.seq).collect();
        Fate::ByUnit { unit, kept: kept.collect(), names_until: until(&names, 3) }
    }
}

/// The parts of a write in units of a file: index of the unit, position of the first byte, bytes.
fn units(offset: u64, data: &[u8], unit: u64, policy: Policy) -> impl Iterator<Item = (u64, u64, &[u8])> {
    let mut rest = data;
    let mut from = offset;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let page = from - from % PAGE_BYTES;
        let is_whole = policy == Policy::TornDisk && SUPERBLOCKS.contains(&page);
        let (start, end) = match is_whole {
            true => (page, page + PAGE_BYTES),
            false => (from - from % unit, from - from % unit + unit),
        };
        let room = usize::try_from(end - from).unwrap_or(usize::MAX);
        let (part, others) = rest.split_at(room.min(rest.len()));
        let found = (start / unit, from, part);
        (rest, from) = (others, from + part.len() as u64);
        Some(found)
    })
}

#[cfg(test)]
mod tests;
