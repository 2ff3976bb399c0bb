//! One clone of a job: chooses the next I/O, stamps writes, verifies reads.

use std::sync::Arc;

use measure::{Broken, Done, NextOperation, Queue, StepStart};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{BufferContent, Bytes, FailureKind, IoKind, IoLogEntry, Nanos, OpenSync, Verification};

use super::address::{Address, Addresses};
use super::buffers::Buffers;
use super::choice::unit as draw;
use super::content::UnitState;
use super::generations::{Generations, Held};
use super::io_engine::{IoEngine, IoRequest, Operation};
use super::ledger::{Account, Ledger, Page};
use super::setting::LaneSetting;

/// Consecutive failures that abort the run.
const FAILURES_IN_A_ROW_MAX: u32 = 100;

/// A lane and its I/O engine, which is dropped before the buffers.
pub(crate) struct Lane<E> {
    engine: E,
    buffers: Buffers,
    addresses: Addresses,
    setting: Arc<LaneSetting>,
    random: Xoshiro256PlusPlus,
    slots: Vec<Slot>,
    /// Index of the stream of each kind of I/O.
    stream_of: [u32; 5],
    limits: Limits,
    sync: SyncState,
    in_flight: u32,
    /// Number of the last write of the lane.
    writes: u64,
    failures_in_a_row: u32,
    accounts: Vec<Account>,
    log: Vec<IoLogEntry>,
    log_missed: u64,
    page: Page,
}

#[derive(Clone, Debug)]
struct Slot {
    address: Address,
    /// What the units may have held when their read began.
    held: Vec<Held>,
    /// Whether the last I/O of the slot failed.
    failed: bool,
}

/// Remaining bytes and I/Os.
#[derive(Clone, Copy, Debug)]
struct Limits {
    bytes: u64,
    ios: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct SyncState {
    writes_since: u32,
    /// The file of the next operation, if that is a sync.
    pending: Option<u32>,
    /// Files left for the sync at the end.
    at_end: u32,
}

/// Units of one read by their state.
#[derive(Clone, Copy, Debug, Default)]
struct UnitStates {
    valid: u64,
    unknown: u64,
    stale: u64,
    corrupt: u64,
}

impl UnitStates {
    fn count(&mut self, state: UnitState) {
        match state {
            UnitState::Valid => self.valid += 1,
            UnitState::Unknown => self.unknown += 1,
            UnitState::Stale => self.stale += 1,
            UnitState::Corrupt | UnitState::Foreign => self.corrupt += 1,
        }
    }
}

/// The offsets of the units of `address`.
#[inline]
fn units(generations: &Generations, address: &Address) -> impl Iterator<Item = u64> + use<> {
    let end = address.offset + u64::from(address.length);
    (address.offset..end).step_by(generations.unit() as usize)
}

impl<E: IoEngine> Lane<E> {
    /// A lane whose I/O engine is opened by `open` after its memory is allocated.
    pub(crate) fn new(
        setting: Arc<LaneSetting>,
        page: impl FnOnce(&E) -> Page,
        open: impl FnOnce(&LaneSetting, (*mut u8, usize)) -> std::io::Result<E>,
    ) -> std::io::Result<Lane<E>> {
        let job = &setting.job;
        let seed = setting.address_seed();
        let addresses = Addresses::new(job, &setting.regions, seed);
        let length_max = addresses.length_max(job) as usize;
        let depth = setting.job.slots() as usize;
        let buffers = Buffers::new(job, depth, length_max, setting.unit, (setting.writer, seed))?;
        let empty = Address { kind: IoKind::Read, file: 0, offset: 0, length: 0 };
        let slots = vec![Slot { address: empty, held: Vec::new(), failed: false }; depth];
        let engine = open(&setting, buffers.span())?;
        let page = page(&engine);
        let mut stream_of = [0; 5];
        for ((kind, _), stream) in setting.streams.iter().zip(0..) {
            stream_of[*kind as usize] = stream;
        }
        let mut lane = Lane {
            engine,
            buffers,
            addresses,
            random: Xoshiro256PlusPlus::seed_from_u64(seed ^ 1),
            slots,
            stream_of,
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
        lane.reset();
        Ok(lane)
    }

    /// Resets all counts at the start of the window.
    fn reset(&mut self) {
        let setting = &self.setting;
        let bytes = setting.bytes_max.map_or(u64::MAX, |bytes| bytes.0);
        self.limits = Limits { bytes, ios: setting.ios_max() };
        self.sync = SyncState::default();
        if setting.job.end_sync {
            self.sync.at_end = setting.regions.len() as u32;
        }
        if !setting.job.time_based {
            // A job with an amount starts at the first address, not where the warm-up ended.
            self.addresses = Addresses::new(&setting.job, &setting.regions, setting.address_seed());
        }
        self.accounts.iter_mut().for_each(|account| *account = Account::default());
        self.log.clear();
        self.log_missed = 0;
    }

    /// Writes the report to the ledger, outside the window.
    pub(crate) fn report(&mut self, ledger: &Ledger) {
        let numbers = self.setting.streams.iter().map(|(_, number)| *number);
        let streams = numbers.zip(self.accounts.iter().cloned()).collect();
        let page = Page { streams, log: self.log.clone(), log_missed: self.log_missed, ..self.page.clone() };
        ledger.write(self.setting.lane, page);
        self.reset();
    }

    /// I/Os per submission where the job does not say. Few, so that a freed slot is submitted again promptly and the
    /// device has work while the next ones are prepared; where most I/Os are known to be done already the device is
    /// faster than this thread, and more of them in a system call save its time.
    #[inline]
    fn own_batch(&self) -> u32 {
        let slots = self.setting.job.slots();
        let is_behind = self.engine.found() > slots / 2;
        if is_behind { slots.div_ceil(4) } else { slots.div_ceil(4).min(slots.div_ceil(16).max(2)) }
    }

    fn refused(&self, what: &str, error: &std::io::Error) -> Broken {
        Broken { message: format!("job {}: {what}: {error}", self.setting.job.name) }
    }

    /// Queues a sync of `file` in `slot`.
    fn queue_sync(&mut self, slot: u32, file: u32, data_only: bool) -> Result<(), Broken> {
        let address = Address { kind: IoKind::Sync, file, offset: 0, length: 0 };
        self.slots[slot as usize].address = address;
        let operation = Operation::Sync { data_only };
        let request = IoRequest { operation, file, offset: 0, length: 0, memory: std::ptr::null_mut() };
        self.engine.queue(slot, &request).map_err(|error| self.refused("cannot queue a sync", &error))?;
        self.in_flight += 1;
        Ok(())
    }

    /// The operation of a write to `file`, and its kind of I/O.
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
                    (self.sync.writes_since, self.sync.pending) = (0, Some(file));
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
        if repeat {
            return;
        }
        match self.setting.generations(address.file) {
            Some(generations) => self.buffers.stamp(slot, address, |at| generations.begin(at)),
            None => self.buffers.stamp(slot, address, |_| self.writes),
        }
    }

    /// The write in `slot` has ended with all its bytes, or failed.
    #[inline]
    fn written(&self, address: &Address, succeeded: bool) {
        if let Some(generations) = self.setting.generations(address.file) {
            units(generations, address).for_each(|at| generations.end(at, succeeded));
        }
    }

    /// A read of `address` in `slot` begins: what is there already has to be found.
    #[inline]
    fn reads(&mut self, slot: u32, address: &Address) {
        if self.setting.job.verification != Verification::OnRead {
            return;
        }
        if let Some(generations) = self.setting.generations(address.file) {
            let held = &mut self.slots[slot as usize].held;
            held.clear();
            held.extend(units(generations, address).map(|at| generations.held(at)));
        }
    }

    /// Whether the data read in `slot` are valid.
    fn verify(&mut self, slot: u32, address: &Address, stream: u32) -> bool {
        if self.setting.unit.is_none() {
            return true;
        }
        let mut states = UnitStates::default();
        let generations = self.setting.generations(address.file);
        let mut before = self.slots[slot as usize].held.iter();
        let held_of = |at: u64| match (generations, before.next()) {
            (Some(generations), Some(before)) => (*before, generations.held(at)),
            _ => (Held::UNKNOWN, Held::UNKNOWN),
        };
        self.buffers.verify(slot, address, held_of).into_iter().for_each(|state| states.count(state));
        let account = &mut self.accounts[stream as usize];
        account.verified += states.valid;
        account.unknown += states.unknown;
        account.stale += states.stale;
        account.corrupt += states.corrupt;
        let valid = states.stale + states.corrupt == 0;
        if !valid && account.first_failure.is_none() {
            let what = if states.corrupt == 0 { "stale: a write of it was lost" } else { "not what was written" };
            account.first_failure = Some(format!("verification failed for the block at {}: {what}", address.offset));
        }
        valid
    }

    /// Writes the outcome of the request in `slot` to `done`.
    #[inline]
    fn conclude(&mut self, slot: u32, result: i32, done: &mut Done) -> Result<(), Broken> {
        let address = self.slots[slot as usize].address;
        let stream = self.stream_of[address.kind as usize];
        // A trim completes with 0 bytes.
        let expected = if address.kind == IoKind::Trim { 0 } else { address.length as i32 };
        if matches!(address.kind, IoKind::Write | IoKind::Commit) {
            self.written(&address, result == expected);
        }
        if result != expected && !self.setting.idle {
            *done = self.failed(stream, &address, result)?;
            return Ok(());
        }
        self.failures_in_a_row = 0;
        let checked = address.kind == IoKind::Read && self.setting.job.verification == Verification::OnRead;
        *done = match checked && !self.verify(slot, &address, stream) {
            true => Done { stream, ..Done::failed(FailureKind::Other) },
            false => Done { operations: 1, bytes: u64::from(address.length), stream, ..Done::default() },
        };
        Ok(())
    }

    #[cold]
    fn failed(&mut self, stream: u32, address: &Address, result: i32) -> Result<Done, Broken> {
        let account = &mut self.accounts[stream as usize];
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
                let message = format!("job {name}: polled completion is not available: the device has no poll queues");
                return Err(Broken { message });
            }
            let message = format!(
                "job {}: {FAILURES_IN_A_ROW_MAX} consecutive I/Os failed, the last one at {} ({what})",
                self.setting.job.name, address.offset
            );
            return Err(Broken { message });
        }
        Ok(Done { stream, ..Done::failed(FailureKind::Other) })
    }
}

impl<E: IoEngine> Queue for Lane<E> {
    fn depth(&self) -> u32 {
        self.setting.job.slots()
    }

    /// The sync at the end, one per file.
    fn end(&mut self, slot: u32) -> Result<NextOperation, Broken> {
        if self.sync.at_end == 0 {
            return Ok(NextOperation::Finished);
        }
        if self.in_flight > 0 {
            return Ok(NextOperation::Blocked);
        }
        self.sync.at_end -= 1;
        self.queue_sync(slot, self.sync.at_end, false)?;
        Ok(NextOperation::Extra)
    }

    fn given_up(&mut self, _in_flight: u32) {
        self.buffers.keep();
    }

    fn batch(&self) -> u32 {
        match self.setting.job.batch_submit {
            0 => self.own_batch(),
            batch => batch,
        }
    }

    #[inline]
    fn reaped_at_once(&self) -> u32 {
        match (self.setting.job.batch_submit, self.setting.job.batch_complete_min) {
            (0, 0 | 1) => self.own_batch(),
            _ => u32::MAX,
        }
    }

    #[inline]
    fn found(&self) -> u32 {
        self.engine.found()
    }

    fn least(&self) -> u32 {
        self.setting.job.batch_complete_min.max(1)
    }

    #[inline]
    fn begin(&mut self, slot: u32) -> Result<NextOperation, Broken> {
        if let Some(file) = self.sync.pending.take() {
            let data_only = self.setting.job.sync_every.is_some_and(|sync| sync.data_only);
            self.queue_sync(slot, file, data_only)?;
            return Ok(NextOperation::Extra);
        }
        if self.limits.bytes == 0 || self.limits.ios == 0 {
            return self.end(slot);
        }
        let mut address = self.addresses.next();
        if u64::from(address.length) > self.limits.bytes && self.limits.ios < self.setting.ios_max() {
            // Less than a block is left.
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
            _ => {
                self.reads(slot, &address);
                (Operation::Read, self.buffers.reading(slot, address.length))
            }
        };
        self.slots[slot as usize].address = address;
        let (file, offset, length) = (address.file, address.offset, address.length);
        let request = IoRequest { operation, file, offset, length, memory };
        self.engine.queue(slot, &request).map_err(|error| self.refused("cannot queue an I/O", &error))?;
        self.in_flight += 1;
        self.limits.bytes = self.limits.bytes.saturating_sub(u64::from(length));
        self.limits.ios -= 1;
        Ok(NextOperation::Step)
    }

    #[inline]
    fn submit(&mut self, least: u32, until: Option<Nanos>) -> Result<(), Broken> {
        self.engine.submit(least, until).map_err(|error| self.refused("cannot submit I/O", &error))
    }

    #[inline]
    fn reap(&mut self, done: &mut Done) -> Result<Option<u32>, Broken> {
        let Some((slot, result)) = self.engine.reap() else { return Ok(None) };
        self.in_flight -= 1;
        self.conclude(slot, result, done)?;
        self.slots[slot as usize].failed = done.failure.is_some();
        Ok(Some(slot))
    }

    #[inline]
    fn log(&mut self, slot: u32, turn: &StepStart, end: Nanos) {
        if self.setting.log_room == 0 {
            return;
        }
        if self.log.len() == self.setting.log_room {
            self.log_missed += 1;
            return;
        }
        let address = &self.slots[slot as usize].address;
        let stream = self.setting.streams[self.stream_of[address.kind as usize] as usize].1 as u32;
        self.log.push(IoLogEntry {
            stream,
            due_ns: turn.due,
            start_ns: turn.begun,
            end_ns: end,
            offset: address.offset,
            size_bytes: Bytes(u64::from(address.length)),
            failed: self.slots[slot as usize].failed,
        });
    }
}
