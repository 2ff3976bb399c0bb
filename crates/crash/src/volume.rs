//! A volume that loses what was not synced: its files as programs see them, and the log of what was done to them.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::change::{Change, Log};
use crate::image::{Image, ROOT};
use crate::log_writes;
use crate::survivors::{Pending, Policy, pending, survivors};

/// Bytes that the writes of a log may take in memory.
const LOG_BYTES_MAX: u64 = 2 << 30;

/// Which syncs the volume carries out; all of them are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syncs {
    /// All.
    #[default]
    Honest,
    /// Every one but each `every`-th, of which nothing becomes durable; with 1 none is carried out.
    Lying {
        /// At least 1.
        every: u64,
    },
}

/// The volume has no more answers: the power is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frozen;

/// Files and the log of their changes since they were all on stable storage.
#[derive(Debug)]
pub struct Volume {
    base: Image,
    live: Image,
    log: Log,
    syncs: Syncs,
    sync_count: u64,
    /// By object, bytes that were written since its last sync.
    unsynced_bytes: BTreeMap<u64, u64>,
    trip_bytes: Option<u64>,
    has_tripped: bool,
    is_frozen: bool,
    is_released: bool,
}

/// A volume that several threads use.
#[derive(Clone, Debug)]
pub struct SharedVolume(Arc<(Mutex<Volume>, Condvar)>);

impl Volume {
    /// All of `base` is on stable storage.
    pub fn new(base: Image, syncs: Syncs) -> Volume {
        let live = base.clone();
        Volume {
            base,
            live,
            log: Log::default(),
            syncs,
            sync_count: 0,
            unsynced_bytes: BTreeMap::new(),
            trip_bytes: None,
            has_tripped: false,
            is_frozen: false,
            is_released: false,
        }
    }

    /// The files as programs see them.
    pub fn live(&self) -> &Image {
        &self.live
    }

    /// A number for a new object.
    pub fn fresh(&mut self) -> u64 {
        self.live.fresh()
    }

    /// Carries out a change and logs it. A sync of a lying volume may be answered without being one.
    ///
    /// # Errors
    /// Once the volume is frozen, or its log full.
    pub fn change(&mut self, change: Change) -> Result<(), Frozen> {
        if self.is_frozen || self.is_full() {
            return Err(Frozen);
        }
        if let Change::Sync { object } = change {
            let unsynced_bytes = self.unsynced_bytes.remove(&object).unwrap_or(0);
            if self.trip_bytes.is_some_and(|least| unsynced_bytes >= least) {
                (self.is_frozen, self.has_tripped) = (true, true);
                return Err(Frozen);
            }
            self.sync_count += 1;
            if matches!(self.syncs, Syncs::Lying { every } if self.sync_count.is_multiple_of(every.max(1))) {
                return Ok(());
            }
        }
        if let Change::Write { object, data, .. } = &change {
            *self.unsynced_bytes.entry(*object).or_default() += data.len() as u64;
        }
        self.live.apply(&change);
        self.log.append(change);
        Ok(())
    }

    /// Puts all of it on stable storage, as `sync` does: the log begins anew.
    pub fn rebase(&mut self) {
        self.base = self.live.clone();
        self.log = Log::default();
        self.sync_count = 0;
        self.unsynced_bytes.clear();
    }

    /// The power goes off when a sync is asked for that would put at least so many bytes on stable storage: before it does.
    pub fn trip_at(&mut self, bytes: u64) {
        self.trip_bytes = Some(bytes);
    }

    /// Whether the power went off at a sync, by itself.
    pub fn has_tripped(&self) -> bool {
        self.has_tripped
    }

    /// The number of the last change.
    pub fn seq(&self) -> u64 {
        self.log.last()
    }

    /// Syncs that were asked for.
    pub fn sync_count(&self) -> u64 {
        self.sync_count
    }

    /// Whether the log has taken the memory that it may take.
    pub fn is_full(&self) -> bool {
        self.log.data_bytes() >= LOG_BYTES_MAX
    }

    /// Whether it has no more answers.
    pub fn is_frozen(&self) -> bool {
        self.is_frozen
    }

    /// The number of the last change before the first sync after number `at`, when most is not synced.
    pub fn before_sync(&self, at: u64) -> u64 {
        self.log.before_sync(at)
    }

    /// What was not synced after the change with number `at`.
    pub fn pending(&self, at: u64) -> Pending {
        pending(&self.log, at)
    }

    /// Writes the log in the format of dm-log-writes, after what was there before it; the number of entries. For a volume whose only
    /// file is a disk.
    ///
    /// # Errors
    /// Where it cannot be written, and where the volume is none with a disk alone.
    pub fn export_log_writes(&self, to: &mut (impl io::Write + io::Seek)) -> io::Result<u64> {
        let disk = self.base.entries(ROOT).next().map(|(_, object)| object);
        let found = disk.and_then(|object| Some((object, self.base.data(object)?)));
        let (object, base) = found.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        log_writes::export(base, object, self.log.until(self.seq()).iter().map(|entry| &entry.change), to)
    }

    /// What is there after a fault now.
    pub fn survivors(&self, policy: Policy, seed: u64) -> Image {
        self.survivors_at(self.seq(), policy, seed)
    }

    /// What would have been there after a fault when the change with number `at` had been made, and no later one.
    pub fn survivors_at(&self, at: u64, policy: Policy, seed: u64) -> Image {
        survivors(&self.base, &self.log, at, policy, seed)
    }
}

impl SharedVolume {
    /// Shares a volume.
    pub fn new(volume: Volume) -> SharedVolume {
        SharedVolume(Arc::new((Mutex::new(volume), Condvar::new())))
    }

    /// The volume, for this thread alone. What a thread that panicked left is whole: changes are made after they were logged.
    pub fn lock(&self) -> MutexGuard<'_, Volume> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Turns the power off, in one step: no change is made and nothing answered from now on. Returns the number of the last
    /// change.
    pub fn freeze(&self) -> u64 {
        let mut volume = self.lock();
        volume.is_frozen = true;
        volume.seq()
    }

    /// Turns the power of all `volumes` off, in one step: all are held, then all are frozen. Whoever uses one of them alone may hold it
    /// meanwhile, nobody two.
    pub fn freeze_all(volumes: &[SharedVolume]) {
        let mut held: Vec<MutexGuard<'_, Volume>> = volumes.iter().map(SharedVolume::lock).collect();
        held.iter_mut().for_each(|volume| volume.is_frozen = true);
    }

    /// Lets those go that wait for an answer of a frozen volume: they get an error.
    pub fn release(&self) {
        self.lock().is_released = true;
        self.0.1.notify_all();
    }

    /// The volume while the power is on; else waits until it is released, and is none.
    pub(crate) fn powered(&self) -> Option<MutexGuard<'_, Volume>> {
        let mut volume = self.lock();
        while volume.is_frozen {
            if volume.is_released {
                return None;
            }
            volume = self.0.1.wait(volume).unwrap_or_else(PoisonError::into_inner);
        }
        Some(volume)
    }
}
