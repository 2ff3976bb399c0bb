//! One clone of a job: decides what comes next, stamps what is written, looks at what was read.

use std::sync::Arc;

use measure::{Begun, Broken, Done, Queue, Turn};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{BufferContent, Bytes, FailureKind, IoKind, IoMark, Nanos, OpenSync, Verification};

use super::address::{Address, Addresses};
use super::buffers::Buffers;
use super::choice::unit as draw;
use super::content::Found;
use super::ledger::{Account, Ledger, Page};
use super::port::{Operation, Order, Port};
use super::setting::LaneSetting;

/// So many failures in a row, and nothing more is tried.
const FAILURES_IN_A_ROW_MAX: u32 = 100;

/// A lane and the port that its I/O goes through; the port is dropped before the buffers.
pub(crate) struct Lane<P> {
    port: P,
    buffers: Buffers,
    addresses: Addresses,
    setting: Arc<LaneSetting>,
    random: Xoshiro256PlusPlus,
    slots: Vec<Slot>,
    /// The place of each kind of I/O among the streams of the lane.
    places: [u32; 5],
    limits: Limits,
    sync: SyncState,
    in_flight: u32,
    /// Numbers the writes of the lane.
    writes: u64,
    failures_in_a_row: u32,
    accounts: Vec<Account>,
    log: Vec<IoMark>,
    log_missed: u64,
    page: Page,
}

#[derive(Clone, Debug)]
struct Slot {
    address: Address,
    /// Whether the last I/O of the slot failed.
    failed: bool,
}

/// What is left to do.
#[derive(Clone, Copy, Debug)]
struct Limits {
    bytes: u64,
    ios: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct SyncState {
    writes_since: u32,
    /// A sync of this file has to come next.
    due: Option<u32>,
    /// Files that wait for the sync at the end; counted down.
    at_end: u32,
}

impl<P: Port> Lane<P> {
    /// A lane whose port is opened by `open` once its memory is there.
    ///
    /// # Errors
    /// Where memory or port are not to be had.
    pub(crate) fn new(
        setting: Arc<LaneSetting>,
        page: impl FnOnce(&P) -> Page,
        open: impl FnOnce(&LaneSetting, (*mut u8, usize)) -> std::io::Result<P>,
    ) -> std::io::Result<Lane<P>> {
        let job = &setting.job;
        let seed = setting.address_seed();
        let addresses = Addresses::new(job, &setting.regions, seed);
        let length_max = addresses.length_max(job) as usize;
        let depth = setting.job.slots() as usize;
        let buffers = Buffers::new(job, depth, length_max, setting.unit, (setting.writer, seed))?;
        let empty = Address { kind: IoKind::Read, file: 0, offset: 0, length: 0 };
        let slots = vec![Slot { address: empty, failed: false }; depth];
        let port = open(&setting, buffers.span())?;
        let page = page(&port);
        let mut places = [0; 5];
        for ((kind, _), place) in setting.streams.iter().zip(0..) {
            places[*kind as usize] = place;
        }
        let mut lane = Lane {
            port,
            buffers,
            addresses,
            random: Xoshiro256PlusPlus::seed_from_u64(seed ^ 1),
            slots,
            places,
            limits: Limits { bytes: 0, ios: 0 },
            sync: SyncState::default(),
            in_flight: 0,
            writes: 0,
            failures_in_a_row: 0,
            accounts: vec![Account::default(); setting.streams.len()],
            log: Vec::with_capacity(setting.log_room),
            log_missed: 0,
            page,
            setting,
        };
        lane.rewind();
        Ok(lane)
    }

    /// Forgets what was counted: the window begins.
    fn rewind(&mut self) {
        let setting = &self.setting;
        let bytes = setting.bytes_max.map_or(u64::MAX, |bytes| bytes.0);
        self.limits = Limits { bytes, ios: setting.ios_max() };
        self.sync = SyncState::default();
        if setting.job.end_sync {
            self.sync.at_end = setting.regions.len() as u32;
        }
        if !setting.job.time_based {
            // What a job does by amount is done from the beginning, not from where the warm-up came to.
            self.addresses = Addresses::new(&setting.job, &setting.regions, setting.address_seed());
        }
        self.accounts.iter_mut().for_each(|account| *account = Account::default());
        self.log.clear();
        self.log_missed = 0;
    }

    /// Tells the ledger, outside the window.
    pub(crate) fn tell(&mut self, ledger: &Ledger) {
        let numbers = self.setting.streams.iter().map(|(_, number)| *number);
        let streams = numbers.zip(self.accounts.iter().cloned()).collect();
        let page = Page { streams, log: self.log.clone(), log_missed: self.log_missed, ..self.page.clone() };
        ledger.write(self.setting.lane, page);
        self.rewind();
    }

    fn refused(&self, what: &str, error: &std::io::Error) -> Broken {
        Broken { message: format!("job {}: {what}: {error}", self.setting.job.name) }
    }

    /// Takes a sync of `file` into `slot`.
    fn take_sync(&mut self, slot: u32, file: u32, data_only: bool) -> Result<(), Broken> {
        let address = Address { kind: IoKind::Sync, file, offset: 0, length: 0 };
        self.slots[slot as usize].address = address;
        let operation = Operation::Sync { data_only };
        let order = Order { operation, file, offset: 0, length: 0, memory: std::ptr::null_mut() };
        self.port.take(slot, &order).map_err(|error| self.refused("a sync was not taken", &error))?;
        self.in_flight += 1;
        Ok(())
    }

    /// What kind of operation the write at `address` is.
    #[inline]
    fn write(&mut self, file: u32) -> (Operation, IoKind) {
        let job = &self.setting.job;
        match (job.commit, job.sync_every) {
            (true, Some(sync)) => return (Operation::Commit { data_only: sync.data_only }, IoKind::Commit),
            (true, None) if job.open_sync != OpenSync::None => return (Operation::Write, IoKind::Commit),
            (_, None) => {}
            (false, Some(sync)) => {
                self.sync.writes_since += 1;
                if self.sync.writes_since >= sync.writes.max(1) {
                    (self.sync.writes_since, self.sync.due) = (0, Some(file));
                }
            }
        }
        (Operation::Write, IoKind::Write)
    }

    #[inline]
    fn stamp(&mut self, slot: u32, address: &Address) {
        self.writes += 1;
        let repeat = match self.setting.job.content {
            BufferContent::Repeated { share } => draw(&mut self.random) < share.0,
            _ => false,
        };
        if !repeat {
            self.buffers.stamp(slot, address, self.writes);
        }
    }

    /// Looks at what was read.
    fn check(&mut self, slot: u32, address: &Address, place: u32) -> bool {
        if self.setting.unit.is_none() {
            return true;
        }
        let account = &mut self.accounts[place as usize];
        let mut right = true;
        for found in self.buffers.look(slot, address) {
            match found {
                Found::Right => account.verified += 1,
                Found::Corrupt | Found::Stale | Found::Foreign => {
                    account.corrupt += 1;
                    right = false;
                }
            }
        }
        if !right && account.first_failure.is_none() {
            account.first_failure = Some(format!("the block at {} is not what was written there", address.offset));
        }
        right
    }

    /// What the order in `slot` came to.
    #[inline]
    fn look(&mut self, slot: u32, result: i32) -> Result<Done, Broken> {
        let address = self.slots[slot as usize].address;
        let place = self.places[address.kind as usize];
        // Of a trim the kernel says no bytes.
        let expected = if address.kind == IoKind::Trim { 0 } else { address.length as i32 };
        if result != expected && !self.setting.idle {
            return self.failed(place, &address, result);
        }
        self.failures_in_a_row = 0;
        let checked = address.kind == IoKind::Read && self.setting.job.verification == Verification::OnRead;
        if checked && !self.check(slot, &address, place) {
            return Ok(Done { stream: place, ..Done::failed(FailureKind::Other) });
        }
        Ok(Done { operations: 1, bytes: u64::from(address.length), stream: place, ..Done::default() })
    }

    #[cold]
    fn failed(&mut self, place: u32, address: &Address, result: i32) -> Result<Done, Broken> {
        let account = &mut self.accounts[place as usize];
        let what = if result < 0 {
            std::io::Error::from_raw_os_error(-result).to_string()
        } else {
            account.short += 1;
            format!("{result} bytes of {} at {}", address.length, address.offset)
        };
        self.failures_in_a_row += 1;
        if account.first_failure.is_none() {
            account.first_failure = Some(what.clone());
        }
        if self.failures_in_a_row >= FAILURES_IN_A_ROW_MAX {
            if self.setting.job.ring.polled && result == -libc::EOPNOTSUPP {
                let name = &self.setting.job.name;
                let message = format!("job {name}: polled completion is not to be had: the device has no poll queues");
                return Err(Broken { message });
            }
            let message = format!(
                "job {}: {FAILURES_IN_A_ROW_MAX} I/Os in a row failed, the last one at {} ({what})",
                self.setting.job.name, address.offset
            );
            return Err(Broken { message });
        }
        Ok(Done { stream: place, ..Done::failed(FailureKind::Other) })
    }
}

impl<P: Port> Queue for Lane<P> {
    fn depth(&self) -> u32 {
        self.setting.job.slots()
    }

    /// The sync at the end, one per file.
    fn end(&mut self, slot: u32) -> Result<Begun, Broken> {
        if self.sync.at_end == 0 {
            return Ok(Begun::Over);
        }
        if self.in_flight > 0 {
            return Ok(Begun::Blocked);
        }
        self.sync.at_end -= 1;
        self.take_sync(slot, self.sync.at_end, false)?;
        Ok(Begun::Beside)
    }

    fn batch(&self) -> u32 {
        match self.setting.job.batch_submit {
            // A quarter: few calls, and the device has something to do while the rest is being made.
            0 => self.setting.job.slots().div_ceil(4),
            batch => batch,
        }
    }

    fn least(&self) -> u32 {
        self.setting.job.batch_complete_min.max(1)
    }

    #[inline]
    fn begin(&mut self, slot: u32) -> Result<Begun, Broken> {
        if let Some(file) = self.sync.due.take() {
            let data_only = self.setting.job.sync_every.is_some_and(|sync| sync.data_only);
            self.take_sync(slot, file, data_only)?;
            return Ok(Begun::Beside);
        }
        if self.limits.bytes == 0 || self.limits.ios == 0 {
            return self.end(slot);
        }
        let mut address = self.addresses.next();
        if u64::from(address.length) > self.limits.bytes && self.limits.ios < self.setting.ios_max() {
            // What is left is less than a block: no more of it.
            self.limits.bytes = 0;
            return self.end(slot);
        }
        let (operation, memory) = match address.kind {
            IoKind::Write => {
                self.stamp(slot, &address);
                let (operation, kind) = self.write(address.file);
                address.kind = kind;
                (operation, self.buffers.writing(slot, address.length))
            }
            IoKind::Trim => (Operation::Trim, std::ptr::null_mut()),
            _ => (Operation::Read, self.buffers.reading(slot, address.length)),
        };
        self.slots[slot as usize].address = address;
        let (file, offset, length) = (address.file, address.offset, address.length);
        let order = Order { operation, file, offset, length, memory };
        self.port.take(slot, &order).map_err(|error| self.refused("an I/O was not taken", &error))?;
        self.in_flight += 1;
        self.limits.bytes = self.limits.bytes.saturating_sub(u64::from(length));
        self.limits.ios -= 1;
        Ok(Begun::Step)
    }

    #[inline]
    fn submit(&mut self, least: u32, until: Option<Nanos>) -> Result<(), Broken> {
        self.port.submit(least, until).map_err(|error| self.refused("I/O was not handed over", &error))
    }

    #[inline]
    fn reap(&mut self) -> Result<Option<(u32, Done)>, Broken> {
        let Some((slot, result)) = self.port.reap() else { return Ok(None) };
        self.in_flight -= 1;
        let done = self.look(slot, result)?;
        self.slots[slot as usize].failed = done.failure.is_some();
        Ok(Some((slot, done)))
    }

    #[inline]
    fn log(&mut self, slot: u32, turn: &Turn, ended: Nanos) {
        if self.setting.log_room == 0 {
            return;
        }
        if self.log.len() == self.setting.log_room {
            self.log_missed += 1;
            return;
        }
        let address = &self.slots[slot as usize].address;
        let stream = self.setting.streams[self.places[address.kind as usize] as usize].1 as u32;
        self.log.push(IoMark {
            stream,
            due_ns: turn.due,
            start_ns: turn.begun,
            end_ns: ended,
            offset: address.offset,
            size_bytes: Bytes(u64::from(address.length)),
            failed: self.slots[slot as usize].failed,
        });
    }
}
