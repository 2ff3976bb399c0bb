//! The threads that write files. A batch of rows is generated and compressed by one thread, and written by the same one
//! after all previous batches of its file. So files are in order, there are no queues, and the number of open files is
//! that of threads.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crc32fast::Hasher;
use record::Bytes;

use super::parquet_file::{Group, ParquetFile, encode};
use super::request::{Files, FilesError, FilesFormat, FilesProgress, FilesWritten};
use super::sink::Sink;
use crate::cards::Cards;
use crate::compression::Compressor;
use crate::layout::Layout;

/// Rows of a batch: about 1.3 MB of lines. Fixed, so that compressed files do not depend on the number of threads.
const BATCH_ROWS: u64 = 1 << 14;
/// Rows of a Parquet row group.
const GROUP_ROWS: u64 = 1 << 18;
/// Interval of checks for a stop.
const STOP_CHECK: Duration = Duration::from_millis(50);

pub(super) struct Workers<'a> {
    files: &'a Files,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(FilesProgress<'_>) + Sync),
    size: Bytes,
    outputs: Vec<Output>,
    batches: Mutex<Batches>,
    done_bytes: AtomicU64,
    /// Set with the first failure.
    failed: AtomicBool,
    failure: Mutex<Option<FilesError>>,
}

/// An output file.
struct Output {
    path: PathBuf,
    state: Mutex<OutputState>,
    /// Notified after each written batch.
    advanced: Condvar,
}

#[derive(Default)]
struct OutputState {
    /// Number of the next batch.
    next: u64,
    writer: Option<Writer>,
    hasher: Hasher,
    written_bytes: u64,
    is_complete: bool,
}

enum Writer {
    Lines(Sink),
    Parquet(Box<ParquetFile>),
}

/// Batches not started yet; the number of open files is that of threads.
struct Batches {
    open: VecDeque<Remaining>,
    waiting: VecDeque<Remaining>,
    open_max: usize,
    batch_rows: u64,
}

/// The remaining rows of a file.
struct Remaining {
    file: usize,
    number: u64,
    rows: Range<u64>,
}

/// A batch of rows.
struct Batch {
    file: usize,
    /// In its file, from 0.
    number: u64,
    rows: Range<u64>,
    is_last: bool,
}

/// Buffers of a thread, reused for each batch.
struct Buffers {
    compressor: Compressor,
    lines: Vec<u8>,
}

impl<'a> Workers<'a> {
    pub(super) fn new(
        files: &'a Files,
        stop: &'a AtomicBool,
        progress: &'a (dyn Fn(FilesProgress<'_>) + Sync),
    ) -> Workers<'a> {
        let output = |path| Output { path, state: Mutex::default(), advanced: Condvar::new() };
        let remaining = |(file, rows)| Remaining { file, number: 0, rows };
        let batch_rows = if files.format == FilesFormat::Parquet { GROUP_ROWS } else { BATCH_ROWS };
        Workers {
            files,
            stop,
            progress,
            size: Cards::bytes_of(files.cards.rows(), files.format.style()),
            outputs: files.paths().into_iter().map(output).collect(),
            batches: Mutex::new(Batches {
                open: VecDeque::new(),
                waiting: files.rows().enumerate().map(remaining).collect(),
                open_max: files.threads.max(1),
                batch_rows,
            }),
            done_bytes: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// Writes all files.
    pub(super) fn work(self) -> Result<FilesWritten, FilesError> {
        thread::scope(|scope| {
            for _ in 0..self.files.threads.max(1) {
                let worker = || self.write_batches().unwrap_or_else(|failure| self.fail(failure));
                if let Err(cause) = thread::Builder::new().spawn_scoped(scope, worker) {
                    self.fail(self.error(0, cause));
                }
            }
        });
        let mut written = FilesWritten {
            rows: self.files.cards.rows(),
            flat: Bytes(self.done_bytes.into_inner()),
            written: Bytes(0),
            crc32: 0,
            paths: Vec::new(),
        };
        let mut hasher = Hasher::new();
        let failure = self.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        for output in self.outputs {
            let state = output.state.into_inner().unwrap_or_else(PoisonError::into_inner);
            hasher.combine(&state.hasher);
            written.written.0 += state.written_bytes;
            written.paths.extend(state.is_complete.then_some(output.path));
        }
        written.crc32 = hasher.finalize();
        match failure {
            Some(FilesError::Stopped { .. }) => Err(FilesError::Stopped { whole: written.paths.len() }),
            Some(failure) => Err(failure),
            None => Ok(written),
        }
    }

    fn write_batches(&self) -> Result<(), FilesError> {
        let compressor = Compressor::new(self.files.packing).map_err(|cause| self.error(0, cause))?;
        let mut buffers = Buffers { compressor, lines: Vec::new() };
        while let Some(batch) = self.next_batch() {
            self.write_batch(&batch, &mut buffers)?;
        }
        Ok(())
    }

    fn next_batch(&self) -> Option<Batch> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    fn write_batch(&self, batch: &Batch, buffers: &mut Buffers) -> Result<(), FilesError> {
        let style = self.files.format.style();
        buffers.lines.clear();
        if self.files.format == FilesFormat::Commas && batch.number == 0 {
            buffers.lines.extend(Layout::cards_csv().header_line().unwrap_or_default());
        }
        self.files.cards.write_as(style, batch.rows.clone(), &mut buffers.lines);
        let mut hasher = Hasher::new();
        hasher.update(&buffers.lines);
        let failed = |cause| self.error(batch.file, cause);
        let mut state = match self.files.format {
            FilesFormat::Parquet => {
                let group = encode(&self.files.cards, batch.rows.clone(), self.files.packing).map_err(failed)?;
                let mut state = self.wait_for_turn(batch)?;
                state.append_group(self, batch, group).map_err(failed)?;
                state
            }
            FilesFormat::Bars | FilesFormat::Commas => {
                let compressed = buffers.compressor.compress(&buffers.lines).map_err(failed)?;
                let mut state = self.wait_for_turn(batch)?;
                state.append(self, batch, compressed).map_err(failed)?;
                state
            }
        };
        state.hasher.combine(&hasher);
        if batch.is_last {
            state.finish().map_err(failed)?;
        }
        state.next += 1;
        drop(state);
        let output = &self.outputs[batch.file];
        output.advanced.notify_all();
        let bytes = buffers.lines.len() as u64;
        let done = Bytes(self.done_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes);
        (self.progress)(FilesProgress { file: &output.path, done, size: self.size.max(done) });
        Ok(())
    }

    /// Waits until all previous batches of the file are written.
    fn wait_for_turn(&self, batch: &Batch) -> Result<MutexGuard<'_, OutputState>, FilesError> {
        let output = &self.outputs[batch.file];
        let mut state = output.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed) {
                return Err(FilesError::Stopped { whole: 0 });
            }
            if state.next == batch.number {
                return Ok(state);
            }
            state = output.advanced.wait_timeout(state, STOP_CHECK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn error(&self, file: usize, cause: io::Error) -> FilesError {
        FilesError::Write { path: self.outputs[file].path.clone(), cause }
    }

    /// Records the first failure.
    fn fail(&self, failure: FilesError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.failed.store(true, Ordering::Relaxed);
    }
}

impl Batches {
    /// The next batch, round robin over the open files, so that threads seldom wait for each other.
    fn next(&mut self) -> Option<Batch> {
        if self.open.len() < self.open_max {
            self.open.extend(self.waiting.pop_front());
        }
        let mut file = self.open.pop_front()?;
        let end = file.rows.end.min(file.rows.start.saturating_add(self.batch_rows));
        let batch =
            Batch { file: file.file, number: file.number, rows: file.rows.start..end, is_last: end == file.rows.end };
        file.rows.start = end;
        file.number += 1;
        if !batch.is_last {
            self.open.push_back(file);
        }
        Some(batch)
    }
}

impl OutputState {
    fn append(&mut self, workers: &Workers<'_>, batch: &Batch, bytes: &[u8]) -> io::Result<()> {
        if self.writer.is_none() {
            self.writer = Some(Writer::Lines(Sink::open(workers.files, &workers.outputs[batch.file].path)?));
        }
        match &mut self.writer {
            Some(Writer::Lines(sink)) => sink.write_all(bytes),
            _ => Ok(()),
        }
    }

    fn append_group(&mut self, workers: &Workers<'_>, batch: &Batch, group: Group) -> io::Result<()> {
        if self.writer.is_none() {
            let sink = Sink::open(workers.files, &workers.outputs[batch.file].path)?;
            self.writer = Some(Writer::Parquet(Box::new(ParquetFile::start(sink, workers.files.packing)?)));
        }
        match &mut self.writer {
            Some(Writer::Parquet(file)) => file.append(group),
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        let sink = match self.writer.take() {
            Some(Writer::Lines(sink)) => sink,
            Some(Writer::Parquet(file)) => file.finish()?,
            None => return Ok(()),
        };
        self.written_bytes = sink.bytes();
        sink.finish()?;
        self.is_complete = true;
        Ok(())
    }
}
