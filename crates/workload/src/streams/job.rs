//! One stream at work: opens its file, goes through it request by request, commits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Canceller, Error, ObjectAccess, Result};
use measure::{Broken, Done, Work};
use record::{Bytes, StreamDirection};

use super::buffer::Buffer;
use super::content::Content;
use super::place::Place;
use crate::job::broken;

/// Failed steps without a commit between them that end a stream: it would fail for ever.
const FAILURES_MAX: u32 = 100;

/// Files of this number and above are tried out while a stream warms up.
const TRIAL: u32 = 1 << 20;

/// What all streams of a run have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamShape {
    /// Which way bytes go.
    pub direction: StreamDirection,
    /// Size of a request: a multiple of [`PAGE_BYTES`](super::PAGE_BYTES).
    pub request: Bytes,
    /// Requests of a file, at least 1.
    pub requests: u64,
    /// Requests of a transaction, at least 1; the last one of a file may have fewer.
    pub requests_per_commit: u64,
}

impl StreamShape {
    /// Size of a file.
    pub fn file(&self) -> Bytes {
        self.request.times(self.requests)
    }
}

/// The kinds of steps; each is a stream of its own in the tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A transaction begins, and the file is opened or created.
    Opening,
    /// A piece is written or read.
    Request,
    /// What was done is committed.
    Commit,
}

/// How many kinds of steps there are, in the order opening, request, commit.
pub fn steps() -> Vec<usize> {
    vec![Step::Opening as usize, Step::Request as usize, Step::Commit as usize]
}

/// How far a stream came, seen from outside.
#[derive(Debug, Default)]
pub struct Progress {
    /// Requests of the file that are committed.
    committed: AtomicU64,
    /// Those of them that were committed after the last step.
    late: AtomicU64,
    /// Requests in which a page was not the one that belongs there.
    wrong: AtomicU64,
}

impl Progress {
    /// Requests of the file that are committed.
    pub fn committed(&self) -> u64 {
        self.committed.load(Ordering::Relaxed)
    }

    /// Those of them that were committed after the last step: the time cut them off.
    pub fn late(&self) -> u64 {
        self.late.load(Ordering::Relaxed)
    }

    /// Notes that the first `before` of `committed` requests were committed by steps.
    pub fn end(&self, before: u64, committed: u64) {
        self.late.store(committed - before, Ordering::Relaxed);
        self.committed.store(committed, Ordering::Relaxed);
    }

    /// Requests in which a page was not the one that belongs there.
    pub fn wrong(&self) -> u64 {
        self.wrong.load(Ordering::Relaxed)
    }
}

/// One stream at work.
pub struct StreamJob {
    place: Box<dyn Place>,
    content: Content,
    /// What is read goes here; empty where nothing is read.
    into: Buffer,
    shape: StreamShape,
    number: u32,
    next: Step,
    /// Requests so far, those that are not committed included.
    position: u64,
    progress: Arc<Progress>,
    is_warm: bool,
    failures: u32,
    /// Transactions that ended after the last step, and stand in no tally.
    beyond: u64,
}

impl StreamJob {
    /// The stream `number`, counted from 1, which is also the number of its file, with the bytes of `content`.
    pub fn new(place: Box<dyn Place>, content: Content, shape: StreamShape, number: u32) -> StreamJob {
        let is_reader = shape.direction == StreamDirection::Read;
        StreamJob {
            place,
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

    /// How far it came, to be looked at while it works and afterwards.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Something that can break off a request of this stream from another thread.
    pub fn canceller(&mut self) -> Option<Box<dyn Canceller>> {
        self.place.canceller()
    }

    /// The process that serves this stream, where it is one of its own on this host.
    pub fn server_process(&mut self) -> Option<u32> {
        self.place.server_process()
    }

    /// Makes what the stream did visible in the counters of its node; how many transactions the engine counts beside
    /// those of its steps.
    ///
    /// # Errors
    /// What the engine says.
    pub fn publish_counters(&mut self) -> Result<u64> {
        Ok(self.place.publish_counters()? + std::mem::take(&mut self.beyond))
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

    /// Does once what the steps do, to no effect: a writer on a file that is given up again.
    fn try_out(&mut self) -> Result<Done> {
        self.place.begin()?;
        match self.shape.direction {
            StreamDirection::Write => {
                self.place.create(TRIAL + self.number, self.shape.request)?;
                self.place.write(0, self.content.at(0))?;
                self.place.give_up()?;
            }
            StreamDirection::Read => {
                self.place.open(self.number, ObjectAccess::Read)?;
                self.place.read(0, self.into.bytes_mut())?;
                self.place.commit()?;
            }
        }
        Ok(Done::default())
    }

    fn open(&mut self) -> Result<Done> {
        self.place.begin()?;
        match self.shape.direction {
            StreamDirection::Write if self.position == 0 => self.place.create(self.number, self.shape.file())?,
            StreamDirection::Write => self.place.open(self.number, ObjectAccess::Write)?,
            StreamDirection::Read => self.place.open(self.number, ObjectAccess::Read)?,
        }
        self.next = Step::Request;
        Ok(Done { stream: Step::Opening as u32, ..Done::default() })
    }

    fn request(&mut self) -> Result<Done> {
        let StreamShape { direction, request, requests, requests_per_commit } = self.shape;
        let at = self.position * request.0;
        match direction {
            StreamDirection::Write => self.place.write(at, self.content.at(at))?,
            StreamDirection::Read => {
                self.place.read(at, self.into.bytes_mut())?;
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
        self.place.commit()?;
        self.progress.committed.store(self.position, Ordering::Relaxed);
        (self.next, self.failures) = (Step::Opening, 0);
        Ok(Done { transactions: 1, stream: Step::Commit as u32, ..Done::default() })
    }

    /// What a failed step means: the file is as long as it was committed, and the stream goes on from there.
    #[cold]
    fn failed(&mut self, error: &Error) -> std::result::Result<Done, Broken> {
        // Its locks must not outlive the step; where the session is gone, so are they.
        let given_up = self.place.give_up();
        let Some(kind) = error.failure() else { return Err(broken(error)) };
        given_up.map_err(|error| broken(&error))?;
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

    /// After the warm-up the file begins; after the last step, what the time cut off is committed as far as it came. Where
    /// nothing came there is no commit, which an engine might not count, and no file.
    fn finish(&mut self) -> std::result::Result<(), Broken> {
        let is_open = self.is_warm && self.next != Step::Opening;
        if is_open && self.position == self.progress.committed() {
            self.place.give_up().map_err(|error| broken(&error))?;
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
        steps()
    }
}

#[cfg(test)]
mod tests;
