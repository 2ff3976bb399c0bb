//! The threads that make files. Rows are handed out in pieces; a piece is made and compressed by one thread, and written
//! by the same one when all pieces before it in its file are. So files are in order, no queue grows, and as many files
//! are open as there are threads.

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
use super::sink::Sink;
use super::{Files, FilesError, FilesFormat, FilesProgress, FilesWritten};
use crate::cards::Cards;
use crate::compression::Packer;
use crate::layout::Layout;

/// Rows of a piece: about 1.3 MB of lines. Fixed, so that compressed files do not depend on the number of threads.
const PIECE_ROWS: u64 = 1 << 14;
/// Those of a group of rows of Parquet.
const GROUP_ROWS: u64 = 1 << 18;
/// Between two looks at whether to stop.
const LOOK: Duration = Duration::from_millis(50);

pub(super) struct Workers<'a> {
    files: &'a Files,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(FilesProgress<'_>) + Sync),
    size: Bytes,
    places: Vec<Place>,
    pieces: Mutex<Pieces>,
    done_bytes: AtomicU64,
    /// Set by the first error, which is kept.
    failed: AtomicBool,
    failure: Mutex<Option<FilesError>>,
}

/// A file that is being written, and how far it is.
struct Place {
    path: PathBuf,
    state: Mutex<State>,
    /// A piece was written.
    advanced: Condvar,
}

#[derive(Default)]
struct State {
    /// The piece whose turn it is.
    turn: u64,
    writer: Option<Writer>,
    hasher: Hasher,
    written_bytes: u64,
    is_whole: bool,
}

enum Writer {
    Lines(Sink),
    Parquet(Box<ParquetFile>),
}

/// Pieces that are still to be made, of as many files at a time as there are threads.
struct Pieces {
    open: VecDeque<Rest>,
    waiting: VecDeque<Rest>,
    open_max: usize,
    piece_rows: u64,
}

/// What is left of a file.
struct Rest {
    file: usize,
    number: u64,
    rows: Range<u64>,
}

/// Rows that one thread makes.
struct Piece {
    file: usize,
    /// In its file, from 0.
    number: u64,
    rows: Range<u64>,
    is_last: bool,
}

/// What a thread keeps from piece to piece.
struct Desk {
    packer: Packer,
    lines: Vec<u8>,
}

impl<'a> Workers<'a> {
    pub(super) fn new(
        files: &'a Files,
        stop: &'a AtomicBool,
        progress: &'a (dyn Fn(FilesProgress<'_>) + Sync),
    ) -> Workers<'a> {
        let place = |path| Place { path, state: Mutex::default(), advanced: Condvar::new() };
        let rest = |(file, rows)| Rest { file, number: 0, rows };
        let piece_rows = if files.format == FilesFormat::Parquet { GROUP_ROWS } else { PIECE_ROWS };
        Workers {
            files,
            stop,
            progress,
            size: Cards::bytes_of(files.cards.rows(), files.format.style()),
            places: files.paths().into_iter().map(place).collect(),
            pieces: Mutex::new(Pieces {
                open: VecDeque::new(),
                waiting: files.rows().enumerate().map(rest).collect(),
                open_max: files.threads.max(1),
                piece_rows,
            }),
            done_bytes: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// Writes all files, and says what was written.
    pub(super) fn work(self) -> Result<FilesWritten, FilesError> {
        thread::scope(|scope| {
            for _ in 0..self.files.threads.max(1) {
                let member = || {
                    let worked = self.make_pieces();
                    worked.unwrap_or_else(|failure| self.fail(failure));
                };
                if let Err(cause) = thread::Builder::new().spawn_scoped(scope, member) {
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
        for place in self.places {
            let state = place.state.into_inner().unwrap_or_else(PoisonError::into_inner);
            hasher.combine(&state.hasher);
            written.written.0 += state.written_bytes;
            written.paths.extend(state.is_whole.then_some(place.path));
        }
        written.crc32 = hasher.finalize();
        match failure {
            Some(FilesError::Stopped { .. }) => Err(FilesError::Stopped { whole: written.paths.len() }),
            Some(failure) => Err(failure),
            None => Ok(written),
        }
    }

    fn make_pieces(&self) -> Result<(), FilesError> {
        let packer = Packer::new(self.files.packing).map_err(|cause| self.error(0, cause))?;
        let mut desk = Desk { packer, lines: Vec::new() };
        while let Some(piece) = self.next_piece() {
            self.make_piece(&piece, &mut desk)?;
        }
        Ok(())
    }

    fn next_piece(&self) -> Option<Piece> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    fn make_piece(&self, piece: &Piece, desk: &mut Desk) -> Result<(), FilesError> {
        let style = self.files.format.style();
        desk.lines.clear();
        if self.files.format == FilesFormat::Commas && piece.number == 0 {
            desk.lines.extend(Layout::cards_csv().header_line().unwrap_or_default());
        }
        self.files.cards.write_as(style, piece.rows.clone(), &mut desk.lines);
        let mut hasher = Hasher::new();
        hasher.update(&desk.lines);
        let failed = |cause| self.error(piece.file, cause);
        let mut state = match self.files.format {
            FilesFormat::Parquet => {
                let group = encode(&self.files.cards, piece.rows.clone(), self.files.packing).map_err(failed)?;
                let mut state = self.turn_of(piece)?;
                state.append_group(self, piece, group).map_err(failed)?;
                state
            }
            FilesFormat::Bars | FilesFormat::Commas => {
                let packed = desk.packer.pack(&desk.lines).map_err(failed)?;
                let mut state = self.turn_of(piece)?;
                state.append(self, piece, packed).map_err(failed)?;
                state
            }
        };
        state.hasher.combine(&hasher);
        if piece.is_last {
            state.finish().map_err(failed)?;
        }
        state.turn += 1;
        drop(state);
        let place = &self.places[piece.file];
        place.advanced.notify_all();
        let bytes = desk.lines.len() as u64;
        let done = Bytes(self.done_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes);
        (self.progress)(FilesProgress { file: &place.path, done, size: self.size.max(done) });
        Ok(())
    }

    /// Waits until all pieces of the file before this one are written.
    fn turn_of(&self, piece: &Piece) -> Result<MutexGuard<'_, State>, FilesError> {
        let place = &self.places[piece.file];
        let mut state = place.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed) {
                return Err(FilesError::Stopped { whole: 0 });
            }
            if state.turn == piece.number {
                return Ok(state);
            }
            state = place.advanced.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn error(&self, file: usize, cause: io::Error) -> FilesError {
        FilesError::Write { path: self.places[file].path.clone(), cause }
    }

    /// Keeps the first failure; the others follow from it.
    fn fail(&self, failure: FilesError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.failed.store(true, Ordering::Relaxed);
    }
}

impl Pieces {
    /// The next piece; files take turns, so that threads seldom wait for one another.
    fn next(&mut self) -> Option<Piece> {
        if self.open.len() < self.open_max {
            self.open.extend(self.waiting.pop_front());
        }
        let mut rest = self.open.pop_front()?;
        let end = rest.rows.end.min(rest.rows.start.saturating_add(self.piece_rows));
        let piece =
            Piece { file: rest.file, number: rest.number, rows: rest.rows.start..end, is_last: end == rest.rows.end };
        rest.rows.start = end;
        rest.number += 1;
        if !piece.is_last {
            self.open.push_back(rest);
        }
        Some(piece)
    }
}

impl State {
    fn append(&mut self, workers: &Workers<'_>, piece: &Piece, bytes: &[u8]) -> io::Result<()> {
        if self.writer.is_none() {
            self.writer = Some(Writer::Lines(Sink::open(workers.files, &workers.places[piece.file].path)?));
        }
        match &mut self.writer {
            Some(Writer::Lines(sink)) => sink.write_all(bytes),
            _ => Ok(()),
        }
    }

    fn append_group(&mut self, workers: &Workers<'_>, piece: &Piece, group: Group) -> io::Result<()> {
        if self.writer.is_none() {
            let sink = Sink::open(workers.files, &workers.places[piece.file].path)?;
            self.writer = Some(Writer::Parquet(Box::new(ParquetFile::begin(sink, workers.files.packing)?)));
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
        self.is_whole = true;
        Ok(())
    }
}
