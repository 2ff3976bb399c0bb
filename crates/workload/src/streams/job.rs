//! The job of one stream: opens its file, goes through it request by request, commits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Canceller, Error, ObjectAccess, Result};
use measure::{Broken, Done, Work};
use record::{Bytes, StreamDirection};

use super::backend::FileBackend;
use super::buffer::Buffer;
use super::content::Content;
use crate::test_context::broken;

/// A stream ends after this many failed steps without a commit: it would fail forever.
const FAILURES_MAX: u32 = 100;

/// First number of the files of warm-ups.
const TRIAL: u32 = 1 << 20;

/// What all streams of a run share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamShape {
    /// Read or write.
    pub direction: StreamDirection,
    /// Size of a request: a multiple of [`PAGE_BYTES`](super::PAGE_BYTES).
    pub request: Bytes,
    /// Requests per file, at least 1.
    pub requests: u64,
    /// Requests per transaction, at least 1; the last transaction of a file may have fewer.
    pub requests_per_commit: u64,
}

impl StreamShape {
    /// Size of a file.
    pub fn file(&self) -> Bytes {
        self.request.times(self.requests)
    }
}

/// The kinds of steps; each is a stream in the tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A transaction starts, and the file is opened or created.
    Opening,
    /// A request is written or read.
    Request,
    /// The transaction is committed.
    Commit,
}

/// The progress of a stream, for observers.
#[derive(Debug, Default)]
pub struct Progress {
    /// Committed requests of the file.
    committed: AtomicU64,
    /// Those of them that were committed after the last step.
    late: AtomicU64,
    /// Requests with a misplaced page.
    wrong: AtomicU64,
}

impl Progress {
    /// Committed requests of the file.
    pub fn committed(&self) -> u64 {
        self.committed.load(Ordering::Relaxed)
    }

    /// Those of them that were committed after the last step, because the window ended.
    pub fn late(&self) -> u64 {
        self.late.load(Ordering::Relaxed)
    }

    /// Records the end: the first `before` of `committed` requests were committed by steps.
    pub fn end(&self, before: u64, committed: u64) {
        self.late.store(committed - before, Ordering::Relaxed);
        self.committed.store(committed, Ordering::Relaxed);
    }

    /// Requests with a misplaced page.
    pub fn wrong(&self) -> u64 {
        self.wrong.load(Ordering::Relaxed)
    }
}

/// The job of one stream.
pub struct StreamJob {
    backend: Box<dyn FileBackend>,
    content: Content,
    /// Read buffer; empty for writes.
    into: Buffer,
    shape: StreamShape,
    number: u32,
    next: Step,
    /// Requests so far, including uncommitted ones.
    position: u64,
    progress: Arc<Progress>,
    is_warm: bool,
    failures: u32,
    /// Transactions that ended after the last step and are not tallied.
    beyond: u64,
}

impl StreamJob {
    /// Stream `number`, from 1, which is also the number of its file, with the bytes of `content`.
    pub fn new(backend: Box<dyn FileBackend>, content: Content, shape: StreamShape, number: u32) -> StreamJob {
        let is_reader = shape.direction == StreamDirection::Read;
        StreamJob {
            backend,
            content,
            into: Buffer::new(if is_reader { shape.request.0 as usize } else { 0 }),
            shape,
            number,
            next: Step::Opening,
            position: 0,
            progress: Arc::default(),
            is_warm: false,
            failures: 0,
            beyond: 0,
        }
    }

    /// Its progress, during the run and afterwards.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Cancels a request of this stream from another thread.
    pub fn canceller(&mut self) -> Option<Box<dyn Canceller>> {
        self.backend.canceller()
    }

    /// The process of the session of this stream, if it has one on this host.
    pub fn server_process(&mut self) -> Option<u32> {
        self.backend.server_process()
    }

    /// Publishes what the stream did in the counters of its node; the number of transactions that the engine counts
    /// beyond those of its steps.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn publish_counters(&mut self) -> Result<u64> {
        Ok(self.backend.publish_counters()? + std::mem::take(&mut self.beyond))
    }

    fn try_step(&mut self) -> Result<Done> {
        match self.next {
            _ if !self.is_warm => self.try_out(),
            Step::Opening if self.position == self.shape.requests => Ok(Done::over()),
            Step::Opening => self.open(),
            Step::Request => self.request(),
            Step::Commit => self.commit(),
        }
    }

    /// Does each step once without effect: a writer uses a file that is rolled back.
    fn try_out(&mut self) -> Result<Done> {
        self.backend.begin()?;
        match self.shape.direction {
            StreamDirection::Write => {
                self.backend.create(TRIAL + self.number, self.shape.request)?;
                self.backend.write(0, self.content.at(0))?;
                self.backend.abort()?;
            }
            StreamDirection::Read => {
                self.backend.open(self.number, ObjectAccess::Read)?;
                self.backend.read(0, self.into.bytes_mut())?;
                self.backend.commit()?;
            }
        }
        Ok(Done::default())
    }

    fn open(&mut self) -> Result<Done> {
        self.backend.begin()?;
        match self.shape.direction {
            StreamDirection::Write if self.position == 0 => self.backend.create(self.number, self.shape.file())?,
            StreamDirection::Write => self.backend.open(self.number, ObjectAccess::Write)?,
            StreamDirection::Read => self.backend.open(self.number, ObjectAccess::Read)?,
        }
        self.next = Step::Request;
        Ok(Done { stream: Step::Opening as u32, ..Done::default() })
    }

    fn request(&mut self) -> Result<Done> {
        let StreamShape { direction, request, requests, requests_per_commit } = self.shape;
        let at = self.position * request.0;
        match direction {
            StreamDirection::Write => self.backend.write(at, self.content.at(at))?,
            StreamDirection::Read => {
                self.backend.read(at, self.into.bytes_mut())?;
                if !self.content.belongs(self.into.bytes(), at) {
                    self.progress.wrong.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        self.position += 1;
        if self.position == requests || self.position.is_multiple_of(requests_per_commit) {
            self.next = Step::Commit;
        }
        Ok(Done { operations: 1, bytes: request.0, stream: Step::Request as u32, ..Done::default() })
    }

    fn commit(&mut self) -> Result<Done> {
        self.backend.commit()?;
        self.progress.committed.store(self.position, Ordering::Relaxed);
        (self.next, self.failures) = (Step::Opening, 0);
        Ok(Done { transactions: 1, stream: Step::Commit as u32, ..Done::default() })
    }

    /// Handles a failed step: the file keeps what was committed, and the stream continues from there.
    #[cold]
    fn failed(&mut self, error: &Error) -> std::result::Result<Done, Broken> {
        // Its locks must not outlive the step; a lost session has none.
        let aborted = self.backend.abort();
        let Some(kind) = error.failure() else { return Err(broken(error)) };
        aborted.map_err(|error| broken(&error))?;
        self.failures += 1;
        if self.failures > FAILURES_MAX {
            let message = format!("stream {} failed {FAILURES_MAX} times without a commit: {error}", self.number);
            return Err(Broken { message });
        }
        self.position = self.progress.committed();
        let stream = self.next as u32;
        self.next = Step::Opening;
        Ok(Done { stream, ..Done::failed(kind) })
    }
}

impl Work for StreamJob {
    fn step(&mut self, _number: u64) -> std::result::Result<Done, Broken> {
        match self.try_step() {
            Ok(done) => Ok(done),
            Err(error) => self.failed(&error),
        }
    }

    /// After the warm-up the file starts; after the last step, uncommitted requests are committed. Without requests
    /// there is no commit, which an engine might not count, and no file.
    fn finish(&mut self) -> std::result::Result<(), Broken> {
        let is_open = self.is_warm && self.next != Step::Opening;
        if is_open && self.position == self.progress.committed() {
            self.backend.abort().map_err(|error| broken(&error))?;
        } else if is_open {
            let before = self.progress.committed();
            self.commit().map_err(|error| broken(&error))?;
            self.progress.end(before, self.position);
            self.beyond += 1;
        }
        (self.is_warm, self.next) = (true, Step::Opening);
        Ok(())
    }

    fn streams(&self) -> Vec<usize> {
        vec![Step::Opening as usize, Step::Request as usize, Step::Commit as usize]
    }
}

#[cfg(test)]
mod tests;
