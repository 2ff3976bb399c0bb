//! The pipeline of batches from the source to the sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Duration;

use flat::{Cards, Compression, Layout, Lines, Parsed};
use record::{Bytes, JobShare, LoadForm, LoadNote, LoadNoteKind, LoadStage, LoadStageKind};

use super::figures::Figures;
use super::input::{Input, Reading, SourceError};
use super::progress::ResumePoint;
use super::queue::BatchQueue;
use super::rejects::Rejects;
use super::stages::{Spent, Stages, Watch};
use super::table::LoadTable;

/// Interval at which a thread that waits for the release of the jobs checks the stop flag.
const TICK: Duration = Duration::from_millis(20);

/// The parameters of a load.
#[derive(Clone, Copy)]
pub struct Loading<'a> {
    /// The table.
    pub table: &'a LoadTable,
    /// The layout of the lines.
    pub layout: &'a Layout,
    /// The source.
    pub input: &'a Input,
    /// Compression of the source; absent to detect it from the first bytes.
    pub compression: Option<Compression>,
    /// How rows reach the engine.
    pub form: LoadForm,
    /// Size of a batch, in bytes of flat file: at most this, unless one line is longer.
    pub batch: Bytes,
    /// Sessions that load here, at least 1, of those of all agents. Batch i of generated rows, or file i, is that of
    /// session i modulo all.
    pub share: JobShare,
    /// What earlier invocations loaded.
    pub before: &'a ResumePoint,
    /// The rejected lines.
    pub rejects: &'a Rejects,
    /// The load is aborted when it is set.
    pub stop: &'a AtomicBool,
}

/// A batch of whole lines.
pub(super) struct Batch {
    /// File, from 0, and batch of it, from 1.
    pub position: (u32, u64),
    /// Bytes of flat file.
    pub flat_bytes: u64,
    pub content: Content,
}

pub(super) enum Content {
    /// Unparsed.
    Lines(Lines),
    /// Parsed.
    Rows(Box<Rows>),
}

/// Parsed lines, and the figures over them.
pub(super) struct Rows {
    pub parsed: Parsed,
    pub figures: Figures,
}

/// The stages before the sessions, and their common counts.
pub struct Pipeline<'a> {
    pub(super) loading: Loading<'a>,
    readers: u32,
    parsers: u32,
    queue_capacity: u32,
    read: BatchQueue<Batch>,
    ready: BatchQueue<Batch>,
    pub(super) stages: Stages,
    /// Buffers of loaded rows and lines, for reuse.
    spare_rows: Mutex<Vec<Rows>>,
    spare_lines: Mutex<Vec<Vec<u8>>>,
    next: AtomicU64,
    released: Mutex<bool>,
    changed: Condvar,
    stopped: Arc<AtomicBool>,
    failure: Mutex<Option<SourceError>>,
    notes: Mutex<BTreeMap<LoadNoteKind, Noted>>,
    compressions: Mutex<BTreeSet<&'static str>>,
    input_bytes: AtomicU64,
    pub(super) counts: Counts,
}

/// What was left out of files, of one kind.
struct Noted {
    first: u32,
    files: u64,
    bytes: Option<Bytes>,
}

/// Counts of committed work.
pub(super) struct Counts {
    pub batches: AtomicU64,
    pub flat_bytes: AtomicU64,
    pub rejected: AtomicU64,
    pub retried: AtomicU64,
    pub deferred: AtomicU64,
    pub figures: Mutex<Figures>,
}

impl<'a> Pipeline<'a> {
    /// The pipeline of `loading`; nothing runs before [`Pipeline::start`] and the release of the jobs.
    pub fn new(loading: Loading<'a>) -> Pipeline<'a> {
        let readers = loading.input.threads(loading.share.count);
        let parsers = if loading.form == LoadForm::Typed { loading.share.count } else { 0 };
        let queue_capacity = loading.share.count.max(2);
        let producers = if parsers > 0 { parsers } else { readers };
        Pipeline {
            loading,
            readers,
            parsers,
            queue_capacity,
            read: BatchQueue::new(queue_capacity as usize, readers),
            ready: BatchQueue::new(queue_capacity as usize, producers),
            stages: Stages::default(),
            spare_rows: Mutex::default(),
            spare_lines: Mutex::default(),
            next: AtomicU64::new(0),
            released: Mutex::new(false),
            changed: Condvar::new(),
            stopped: Arc::default(),
            failure: Mutex::default(),
            notes: Mutex::default(),
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
    /// [`Pipeline::stop`].
    pub fn start<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        for _ in 0..self.readers {
            scope.spawn(|| {
                let _guard = ProducerGuard(if self.parsers > 0 { &self.read } else { &self.ready });
                self.wait_for_release();
                if let Err(error) = self.read_all() {
                    lock(&self.failure).get_or_insert(error);
                }
            });
        }
        for _ in 0..self.parsers {
            scope.spawn(|| {
                let _guard = ProducerGuard(&self.ready);
                while let Some(batch) = self.read.pop(|| self.is_over()) {
                    if !self.ready.push(self.parsed(batch), || self.is_over()) {
                        break;
                    }
                }
            });
        }
    }

    /// Stops all threads: the jobs have ended, whatever is still queued.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.release();
    }

    /// The most bytes in flight: a batch in each thread and in each queue slot. The parsed rows of a batch take about
    /// as much again.
    pub fn in_flight_max(&self) -> Bytes {
        let lines = if self.parsers > 0 { 2 * self.queue_capacity } else { self.queue_capacity };
        self.loading.batch.times(u64::from(self.readers + self.parsers + self.loading.share.count + lines))
    }

    /// The work of each stage so far.
    pub fn stages(&self) -> Vec<LoadStage> {
        let (readers, parsers, jobs) = (self.readers, self.parsers, self.loading.share.count);
        self.stages.done(|kind| match kind {
            LoadStageKind::Generate | LoadStageKind::Read | LoadStageKind::Decompress => readers,
            // Sessions parse the batches that could not be sent unparsed.
            LoadStageKind::Parse if parsers == 0 => jobs,
            LoadStageKind::Parse => parsers,
            _ => jobs,
        })
    }

    /// Why the source could not be read to its end, if it could not.
    pub fn failure(&self) -> Option<SourceError> {
        lock(&self.failure).clone()
    }

    /// What was left out of the files that were read to their ends.
    pub fn notes(&self) -> Vec<LoadNote> {
        let note = |(kind, noted): (&LoadNoteKind, &Noted)| LoadNote {
            kind: *kind,
            files: noted.files,
            first: self.loading.input.name(noted.first),
            bytes: noted.bytes,
        };
        lock(&self.notes).iter().map(note).collect()
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

    /// Committed batches, those of them with a deferred commit, rejected lines, and batches that could not be sent
    /// unparsed.
    pub fn counts(&self) -> [u64; 4] {
        let Counts { batches, deferred, rejected, retried, .. } = &self.counts;
        [batches, deferred, rejected, retried].map(|count| count.load(Ordering::Relaxed))
    }

    /// The compressions of the source, by name.
    pub fn compression(&self) -> String {
        let names: Vec<&str> = lock(&self.compressions).iter().copied().collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// The next batch, waiting for it; none at the end. The first call releases the stages before the sessions.
    pub(super) fn next_batch(&self) -> Option<Batch> {
        self.release();
        self.ready.pop(|| self.is_over())
    }

    /// Whether no batch is left.
    pub(super) fn is_drained(&self) -> bool {
        self.ready.is_drained()
    }

    /// Whether the load is to end, whatever is still queued.
    pub(super) fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.loading.stop.load(Ordering::Relaxed)
    }

    /// Parses the lines of a batch, in the buffers of a loaded one.
    pub(super) fn parse(&self, lines: Lines) -> Box<Rows> {
        let flat_bytes = lines.bytes.len() as u64;
        let columns = self.loading.table.columns();
        let spare_rows = lock(&self.spare_rows).pop();
        let watch = Watch::start();
        let mut rows =
            spare_rows.unwrap_or_else(|| Rows { parsed: Parsed::default(), figures: Figures::none(columns) });
        // More rejects than that end the load.
        let before = rows.parsed.parse(self.loading.layout, lines, self.loading.rejects.limit());
        rows.figures = Figures::of(columns, &rows.parsed, &[]);
        self.stages.add(LoadStageKind::Parse, watch.spent(), flat_bytes);
        if before.capacity() > 0 {
            lock(&self.spare_lines).push(before);
        }
        Box::new(rows)
    }

    /// Keeps the buffers of a loaded batch.
    pub(super) fn recycle(&self, content: Content) {
        match content {
            Content::Lines(lines) => lock(&self.spare_lines).push(lines.bytes),
            Content::Rows(rows) => lock(&self.spare_rows).push(*rows),
        }
    }

    /// A buffer for lines, with any content.
    fn memory(&self) -> Vec<u8> {
        lock(&self.spare_lines).pop().unwrap_or_default()
    }

    fn parsed(&self, batch: Batch) -> Batch {
        match batch.content {
            Content::Lines(lines) => Batch { content: Content::Rows(self.parse(lines)), ..batch },
            Content::Rows(_) => batch,
        }
    }

    fn read_all(&self) -> Result<(), SourceError> {
        match self.loading.input {
            Input::Generated { seed, rows } => self.generate(&Cards::new(*seed, *rows)),
            Input::Files(files) => {
                while let Ok(file) = u32::try_from(self.next.fetch_add(1, Ordering::Relaxed)) {
                    if file as usize >= files.len() || self.is_over() {
                        break;
                    }
                    if self.is_ours(file.into()) {
                        self.read_file(file)?;
                    }
                }
            }
            Input::Pipe => self.read_file(0)?,
        }
        Ok(())
    }

    /// Whether batch or file `number`, from 0, is that of a session here.
    fn is_ours(&self, number: u64) -> bool {
        let JobShare { first, count, all } = self.loading.share;
        let session = number % u64::from(all.max(1));
        (u64::from(first)..u64::from(first) + u64::from(count)).contains(&session)
    }

    /// Generates batches that are not taken yet.
    fn generate(&self, cards: &Cards) {
        let rows_of_batch = Cards::rows_for(self.loading.batch).max(1);
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let first = number.saturating_mul(rows_of_batch);
            if first >= cards.rows() {
                break;
            }
            if !self.is_ours(number) || self.loading.before.contains(0, number + 1) {
                continue;
            }
            let watch = Watch::start();
            let mut bytes = self.memory();
            bytes.clear();
            bytes.reserve(self.loading.batch.0 as usize + (1 << 16));
            cards.write(first..cards.rows().min(first + rows_of_batch), &mut bytes);
            self.stages.add(LoadStageKind::Generate, watch.spent(), bytes.len() as u64);
            if !self.forward((0, number + 1), Lines { bytes, first_line: first + 1, cut: false }) {
                break;
            }
        }
    }

    fn read_file(&self, file: u32) -> Result<(), SourceError> {
        let Loading { input, compression, batch, before, layout, .. } = self.loading;
        let failed = |error: std::io::Error| input.refused(file, &error);
        let mut reading = input.open(file, compression, batch, layout, &self.stopped).map_err(failed)?;
        if reading.compression != Compression::Plain {
            lock(&self.compressions).insert(reading.compression.name());
        }
        let mut counted = 0;
        for number in 1.. {
            // Batches that are already loaded reach no job that would check it.
            if self.is_over() {
                break;
            }
            let next = reading.next_in(self.memory());
            self.input_bytes.fetch_add(reading.input_bytes() - counted, Ordering::Relaxed);
            counted = reading.input_bytes();
            let Some((lines, read, decompress)) = next.map_err(failed)? else {
                self.note(file, &reading);
                break;
            };
            let flat_bytes = lines.bytes.len() as u64;
            self.stages.add(LoadStageKind::Read, read, flat_bytes);
            if decompress != Spent::default() {
                self.stages.add(LoadStageKind::Decompress, decompress, flat_bytes);
            }
            if before.contains(file, number) {
                self.recycle(Content::Lines(lines));
            } else if !self.forward((file, number), lines) {
                break;
            }
        }
        Ok(())
    }

    /// Notes what was left out of `file`, which was read to its end.
    fn note(&self, file: u32, reading: &Reading) {
        let mut notes = lock(&self.notes);
        for (kind, bytes) in reading.notes() {
            let noted = notes.entry(kind).or_insert(Noted { first: file, files: 0, bytes: bytes.map(|_| Bytes(0)) });
            noted.first = noted.first.min(file);
            noted.files += 1;
            noted.bytes = noted.bytes.zip(bytes).map(|(one, other)| Bytes(one.0 + other.0));
        }
    }

    /// Passes lines to the next stage; false if the load is to end.
    fn forward(&self, position: (u32, u64), lines: Lines) -> bool {
        let flat_bytes = lines.bytes.len() as u64;
        let batch = Batch { position, flat_bytes, content: Content::Lines(lines) };
        let next = if self.parsers > 0 { &self.read } else { &self.ready };
        next.push(batch, || self.is_over())
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

/// A producer of a queue; unregisters from the queue when dropped.
struct ProducerGuard<'a>(&'a BatchQueue<Batch>);

impl Drop for ProducerGuard<'_> {
    fn drop(&mut self) {
        self.0.close_producer();
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
