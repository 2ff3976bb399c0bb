//! The way of batches from the source to the sessions.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Duration;

use flat::{Cards, Lines, Parsed};
use record::{Bytes, LoadForm, LoadStage, LoadStageKind};

use super::figures::Figures;
use super::input::Input;
use super::loading::Loading;
use super::stages::{Spent, Stages, Watch};
use super::waiting::Waiting;

/// Who waits for the release of the jobs looks so often whether it comes at all.
const TICK: Duration = Duration::from_millis(20);

/// Whole lines on their way.
pub(super) struct Batch {
    /// Which file, from 0, and which batch of it, from 1.
    pub place: (u32, u64),
    /// Bytes of flat file.
    pub flat_bytes: u64,
    /// The number of its first line in the file, from 1.
    pub first_line: u64,
    pub content: Content,
}

pub(super) enum Content {
    /// As they were read.
    Lines(Lines),
    /// Parsed.
    Rows(Box<Rows>),
}

/// Parsed lines, and the figures over them.
pub(super) struct Rows {
    pub parsed: Parsed,
    pub figures: Figures,
}

/// The stages before the sessions, and what all of them count.
pub struct Pipeline<'a> {
    pub(super) loading: Loading<'a>,
    readers: u32,
    parsers: u32,
    room: u32,
    read: Waiting<Batch>,
    ready: Waiting<Batch>,
    pub(super) stages: Stages,
    /// Rows that are loaded,
    spare: Mutex<Vec<Rows>>,
    /// and lines that are: the memory of both is used again.
    spare_lines: Mutex<Vec<Vec<u8>>>,
    next: AtomicU64,
    released: Mutex<bool>,
    changed: Condvar,
    given_up: Arc<AtomicBool>,
    failure: Mutex<Option<String>>,
    compressions: Mutex<BTreeSet<&'static str>>,
    input_bytes: AtomicU64,
    pub(super) counts: Counts,
}

/// What was committed.
pub(super) struct Counts {
    pub batches: AtomicU64,
    pub flat_bytes: AtomicU64,
    pub rejected: AtomicU64,
    pub retried: AtomicU64,
    pub deferred: AtomicU64,
    pub figures: Mutex<Figures>,
}

impl<'a> Pipeline<'a> {
    /// The pipeline of `loading`; nothing moves before [`Pipeline::start`] and the release of the jobs.
    pub fn new(loading: Loading<'a>) -> Pipeline<'a> {
        let readers = loading.input.threads(loading.jobs);
        let parsers = if loading.form == LoadForm::Typed { loading.jobs } else { 0 };
        let room = loading.jobs.max(2);
        let givers = if parsers > 0 { parsers } else { readers };
        Pipeline {
            loading,
            readers,
            parsers,
            room,
            read: Waiting::new(room as usize, readers),
            ready: Waiting::new(room as usize, givers),
            stages: Stages::default(),
            spare: Mutex::default(),
            spare_lines: Mutex::default(),
            next: AtomicU64::new(0),
            released: Mutex::new(false),
            changed: Condvar::new(),
            given_up: Arc::default(),
            failure: Mutex::default(),
            compressions: Mutex::default(),
            input_bytes: AtomicU64::new(0),
            counts: Counts {
                batches: AtomicU64::new(0),
                flat_bytes: AtomicU64::new(0),
                rejected: AtomicU64::new(0),
                retried: AtomicU64::new(0),
                deferred: AtomicU64::new(0),
                figures: Mutex::new(Figures::none(loading.table.columns())),
            },
        }
    }

    /// Starts the threads of the stages before the sessions. They end when the source does, or with
    /// [`Pipeline::give_up`].
    pub fn start<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        for _ in 0..self.readers {
            scope.spawn(|| {
                let _leaves = Leaves(if self.parsers > 0 { &self.read } else { &self.ready });
                self.wait_for_release();
                if let Err(message) = self.read_all() {
                    self.fail(message);
                }
            });
        }
        for _ in 0..self.parsers {
            scope.spawn(|| {
                let _leaves = Leaves(&self.ready);
                while let Some(batch) = self.read.take(|| self.is_over()) {
                    if !self.ready.give(self.parsed(batch), || self.is_over()) {
                        break;
                    }
                }
            });
        }
    }

    /// Ends all threads: the jobs have ended, whatever is still on its way.
    pub fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
        self.release();
    }

    /// Bytes between the source and the end of the way at most: a batch in each thread and in each place of a line. What
    /// rows of a batch take beside its lines, is about as much again.
    pub fn in_flight_max(&self) -> Bytes {
        let lines = if self.parsers > 0 { 2 * self.room } else { self.room };
        self.loading.batch.times(u64::from(self.readers + self.parsers + self.loading.jobs + lines))
    }

    /// What each stage has done so far.
    pub fn stages(&self) -> Vec<LoadStage> {
        let (readers, parsers, jobs) = (self.readers, self.parsers, self.loading.jobs);
        self.stages.done(|kind| match kind {
            LoadStageKind::Generate | LoadStageKind::Read | LoadStageKind::Decompress => readers,
            // Of batches that could not be sent as they are, sessions do it themselves.
            LoadStageKind::Parse if parsers == 0 => jobs,
            LoadStageKind::Parse => parsers,
            _ => jobs,
        })
    }

    /// Why the source could not be read to its end, if it could not.
    pub fn failure(&self) -> Option<String> {
        lock(&self.failure).clone()
    }

    /// Figures of the rows that were committed so far.
    pub fn figures(&self) -> Figures {
        lock(&self.counts.figures).clone()
    }

    /// Bytes of flat file that were committed so far.
    pub fn flat_bytes(&self) -> Bytes {
        Bytes(self.counts.flat_bytes.load(Ordering::Relaxed))
    }

    /// Bytes that were read, compressed where they are.
    pub fn input_bytes(&self) -> Bytes {
        Bytes(self.input_bytes.load(Ordering::Relaxed))
    }

    /// Batches that were committed, those of them whose commit did not wait for stable storage, lines that were rejected,
    /// and batches that were sent as they are in vain.
    pub fn counts(&self) -> [u64; 4] {
        let Counts { batches, deferred, rejected, retried, .. } = &self.counts;
        [batches, deferred, rejected, retried].map(|count| count.load(Ordering::Relaxed))
    }

    /// What the source was compressed with, by name.
    pub fn compression(&self) -> String {
        let names: Vec<&str> = lock(&self.compressions).iter().copied().collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// The next batch, as soon as there is one; none at the end. The first call releases the stages before the sessions.
    pub(super) fn take(&self) -> Option<Batch> {
        self.release();
        self.ready.take(|| self.is_over())
    }

    /// Whether no batch is left to be taken.
    pub(super) fn is_drained(&self) -> bool {
        self.ready.is_drained()
    }

    /// Whether nothing more is to be done, whatever is still on its way.
    pub(super) fn is_over(&self) -> bool {
        self.given_up.load(Ordering::Relaxed) || self.loading.stop.load(Ordering::Relaxed)
    }

    /// The lines of a batch, parsed, with the memory of one that is done.
    pub(super) fn parse(&self, lines: Lines) -> Box<Rows> {
        let flat_bytes = lines.bytes.len() as u64;
        let columns = self.loading.table.columns();
        let spare = lock(&self.spare).pop();
        let watch = Watch::start();
        let mut rows = spare.unwrap_or_else(|| Rows { parsed: Parsed::default(), figures: Figures::none(columns) });
        // A batch with more than that is not loaded, nor is anything after it.
        let before = rows.parsed.parse(self.loading.layout, lines, self.loading.rejects.most());
        rows.figures = Figures::of(columns, &rows.parsed, &[]);
        self.stages.add(LoadStageKind::Parse, watch.spent(), flat_bytes);
        if before.capacity() > 0 {
            lock(&self.spare_lines).push(before);
        }
        Box::new(rows)
    }

    /// Takes the memory of what is loaded.
    pub(super) fn give_back(&self, content: Content) {
        match content {
            Content::Lines(lines) => lock(&self.spare_lines).push(lines.bytes),
            Content::Rows(rows) => lock(&self.spare).push(*rows),
        }
    }

    /// Memory for lines, with whatever it holds.
    fn memory(&self) -> Vec<u8> {
        lock(&self.spare_lines).pop().unwrap_or_default()
    }

    fn parsed(&self, batch: Batch) -> Batch {
        match batch.content {
            Content::Lines(lines) => Batch { content: Content::Rows(self.parse(lines)), ..batch },
            Content::Rows(_) => batch,
        }
    }

    fn read_all(&self) -> Result<(), String> {
        match self.loading.input {
            Input::Generated { seed, rows } => self.generate(&Cards::new(*seed, *rows)),
            Input::Files(files) => {
                while let Ok(file) = u32::try_from(self.next.fetch_add(1, Ordering::Relaxed)) {
                    if file as usize >= files.len() || self.is_over() {
                        break;
                    }
                    self.read_file(file)?;
                }
            }
            Input::Pipe => self.read_file(0)?,
        }
        Ok(())
    }

    /// Generates batches that nobody has taken yet.
    fn generate(&self, cards: &Cards) {
        let rows_of_batch = Cards::rows_for(self.loading.batch).max(1);
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let first = number.saturating_mul(rows_of_batch);
            if first >= cards.rows() {
                break;
            }
            if self.loading.before.has(0, number + 1) {
                continue;
            }
            let watch = Watch::start();
            let mut bytes = self.memory();
            bytes.clear();
            bytes.reserve(self.loading.batch.0 as usize + (1 << 16));
            cards.write(first..cards.rows().min(first + rows_of_batch), &mut bytes);
            self.stages.add(LoadStageKind::Generate, watch.spent(), bytes.len() as u64);
            if !self.hand_on((0, number + 1), Lines { bytes, first_line: first + 1, cut: false }) {
                break;
            }
        }
    }

    fn read_file(&self, file: u32) -> Result<(), String> {
        let Loading { input, compression, batch, before, .. } = self.loading;
        let said = |error: std::io::Error| format!("{} cannot be read: {error}", input.name(file));
        let mut reading = input.open(file, compression, batch, &self.given_up).map_err(said)?;
        if reading.compression != flat::Compression::Plain {
            lock(&self.compressions).insert(reading.compression.name());
        }
        let mut counted = 0;
        for number in 1.. {
            // Batches that are there already are handed to nobody who would say so.
            if self.is_over() {
                break;
            }
            let next = reading.next_in(self.memory());
            self.input_bytes.fetch_add(reading.input_bytes() - counted, Ordering::Relaxed);
            counted = reading.input_bytes();
            let Some((lines, read, decompress)) = next.map_err(said)? else { break };
            let flat_bytes = lines.bytes.len() as u64;
            self.stages.add(LoadStageKind::Read, read, flat_bytes);
            if decompress != Spent::default() {
                self.stages.add(LoadStageKind::Decompress, decompress, flat_bytes);
            }
            if before.has(file, number) {
                self.give_back(Content::Lines(lines));
            } else if !self.hand_on((file, number), lines) {
                break;
            }
        }
        Ok(())
    }

    /// Hands lines to the next stage; whether it goes on.
    fn hand_on(&self, place: (u32, u64), lines: Lines) -> bool {
        let (flat_bytes, first_line) = (lines.bytes.len() as u64, lines.first_line);
        let batch = Batch { place, flat_bytes, first_line, content: Content::Lines(lines) };
        let next = if self.parsers > 0 { &self.read } else { &self.ready };
        next.give(batch, || self.is_over())
    }

    fn fail(&self, message: String) {
        lock(&self.failure).get_or_insert(message);
    }

    fn release(&self) {
        let mut released = lock(&self.released);
        if !*released {
            *released = true;
            self.changed.notify_all();
        }
    }

    fn wait_for_release(&self) {
        let mut released = lock(&self.released);
        while !*released && !self.is_over() {
            released = self.changed.wait_timeout(released, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A thread that gives batches to the next stage; whatever ends it, nobody waits for it any more.
struct Leaves<'a>(&'a Waiting<Batch>);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
