//! One session that loads: a step is a batch, in a transaction of its own.

use std::ops::Range;
use std::sync::atomic::Ordering;

use engine::{Canceller, Error, Result, Session};
use flat::{Lines, Parsed};
use measure::{Broken, Done, Work};
use record::{LoadStageKind, Nanos};

use super::figures::Figures;
use super::pipeline::{Batch, Content, Pipeline, Rows};
use super::progress::Notes;
use super::refusal::{Refusal, refused_rows, rejected_row};
use super::rejects::Rejected;
use super::rows::BatchRows;
use super::stages::{Spent, Watch};
use crate::job::broken;
use crate::stage::Stage;

/// A batch that others were in the way of is tried so often, one time after the other.
const ATTEMPTS_MAX: u32 = 10;

/// A session that loads batches of a pipeline.
pub struct LoadJob<'a> {
    pub(super) pipeline: &'a Pipeline<'a>,
    pub(super) session: Box<dyn Session>,
    pub(super) notes: Notes,
    /// Whether the window has begun: there is nothing that could be loaded to warm up.
    released: bool,
    /// A batch that is to be tried again.
    in_hand: Option<Batch>,
    attempts: u32,
    /// Whether commits of this session may not be on stable storage yet.
    pub(super) unsettled: bool,
    /// Transactions of this session that load nothing.
    pub(super) own_transactions: u64,
}

/// Why a batch is not loaded.
enum Stopped {
    Again(Error, record::FailureKind),
    Broken(Broken),
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Stopped {
        match refusal {
            Refusal::Again(kind, error) => Stopped::Again(error, kind),
            Refusal::Data(error) | Refusal::Gone(error) => Stopped::Broken(broken(&error)),
        }
    }
}

/// One job for each session of the load of `pipeline`.
///
/// # Errors
/// What the engine says.
pub fn jobs<'a>(stage: &Stage<'_>, pipeline: &'a Pipeline<'a>) -> Result<Vec<LoadJob<'a>>> {
    (0..pipeline.loading.jobs)
        .map(|_| {
            let mut session = stage.node.connect()?;
            let notes = Notes::prepare(stage, session.as_mut())?;
            Ok(LoadJob {
                pipeline,
                session,
                notes,
                released: false,
                in_hand: None,
                attempts: 0,
                unsettled: false,
                own_transactions: 0,
            })
        })
        .collect()
}

impl LoadJob<'_> {
    /// Makes what the session did visible in the counters of its node; how many transactions the engine counts for that.
    ///
    /// # Errors
    /// What the engine says.
    pub fn publish_counters(&mut self) -> Result<u64> {
        Ok(self.session.publish_counters()? + std::mem::take(&mut self.own_transactions))
    }

    /// Something that can break off a statement of this job from another thread.
    pub fn canceller(&self) -> Option<Box<dyn Canceller>> {
        self.session.canceller()
    }

    /// The process that serves this job's session, where it is one of its own on this host.
    pub fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }

    /// Ends the load for all: who waits for a source that has nothing to give would not hear of it.
    fn break_off(&self, broken: Broken) -> Broken {
        self.pipeline.give_up();
        broken
    }

    /// Loads `batch`, whatever it takes.
    fn load(&mut self, batch: &mut Batch) -> std::result::Result<u64, Stopped> {
        if let Content::Lines(lines) = &mut batch.content {
            match self.load_lines(batch.place, lines) {
                Ok(rows) => return Ok(rows),
                Err(Refusal::Data(_)) => {
                    self.pipeline.counts.retried.fetch_add(1, Ordering::Relaxed);
                    batch.content = Content::Rows(self.pipeline.parse(std::mem::take(lines)));
                }
                Err(refusal) => return Err(refusal.into()),
            }
        }
        match &batch.content {
            Content::Rows(rows) => self.load_rows(batch, rows),
            Content::Lines(_) => Ok(0),
        }
    }

    /// Sends lines as they are.
    fn load_lines(&mut self, place: (u32, u64), lines: &Lines) -> std::result::Result<u64, Refusal> {
        let layout = self.pipeline.loading.layout;
        let of_header = layout.header && lines.first_line == 1;
        let begin =
            if of_header { lines.bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1) } else { 0 };
        if lines.cut {
            let error = Error::new(engine::Kind::Statement, "a line is too long to be sent as it is");
            return Err(Refusal::Data(error));
        }
        let table = self.pipeline.loading.table;
        let bytes = &lines.bytes[begin..];
        let flat_bytes = lines.bytes.len() as u64;
        let rows = self.appended(flat_bytes, |session| session.append_lines(table.name(), table.form(), bytes))?;
        let figures = Figures::unseen(rows);
        self.committed(place, &figures, &[], flat_bytes)?;
        Ok(rows)
    }

    /// Hands over the rows of a batch; those that the engine refuses are rejected.
    fn load_rows(&mut self, batch: &Batch, rows: &Rows) -> std::result::Result<u64, Stopped> {
        let (loading, parsed) = (&self.pipeline.loading, &rows.parsed);
        let of_parser = parsed.rejects().iter().map(|reject| Rejected {
            line: reject.line,
            reason: reject.reason.to_string(),
            text: reject.text.clone(),
        });
        let mut rejected: Vec<Rejected> = of_parser.collect();
        let mut left_out = Vec::new();
        if rejected.len() as u64 > loading.rejects.room() {
            self.reject(batch.place.0, &rejected)?;
        }
        loop {
            let error = match self.try_rows(batch, rows, &left_out, &rejected)? {
                Ok(rows) => return Ok(rows),
                Err(error) => error,
            };
            if !left_out.is_empty() {
                return Err(Stopped::Broken(broken(&error)));
            }
            let refused = refused_rows(parsed.rows(), loading.rejects.room(), |range| self.try_range(parsed, range))?;
            if refused.is_empty() {
                // Each of them is taken, and all of them together are not.
                return Err(Stopped::Broken(broken(&error)));
            }
            for (row, error) in &refused {
                rejected.push(rejected_row(loading.layout, parsed, batch.first_line, *row, error));
            }
            rejected.sort_by_key(|one| one.line);
            if rejected.len() as u64 > loading.rejects.room() {
                self.reject(batch.place.0, &rejected)?;
            }
            left_out = refused.into_iter().map(|(row, _)| row).collect();
        }
    }

    /// One attempt; what the engine has against these rows, if anything.
    fn try_rows(
        &mut self,
        batch: &Batch,
        rows: &Rows,
        left_out: &[usize],
        rejected: &[Rejected],
    ) -> std::result::Result<std::result::Result<u64, Error>, Stopped> {
        let table = self.pipeline.loading.table;
        let parsed = &rows.parsed;
        let figures = match left_out.is_empty() {
            true => rows.figures.clone(),
            false => Figures::of(table.columns(), parsed, left_out),
        };
        let mut rows = BatchRows::new(table.columns(), parsed, 0..parsed.rows(), left_out);
        let is_empty = figures.rows == 0;
        let appended = self.appended(batch.flat_bytes, |session| match is_empty {
            true => Ok(0),
            false => session.append(table.name(), &mut rows),
        });
        match appended {
            Ok(_) => {}
            Err(Refusal::Data(error)) => return Ok(Err(error)),
            Err(refusal) => return Err(refusal.into()),
        }
        if let Err(stopped) = self.reject(batch.place.0, rejected) {
            // The session may be gone as well: the rejected lines are what is to be told.
            let _ = self.session.rollback();
            return Err(stopped);
        }
        self.committed(batch.place, &figures, rejected, batch.flat_bytes).map_err(|refusal| {
            let loading = &self.pipeline.loading;
            loading.rejects.take_back(&loading.input.name(batch.place.0), rejected);
            Stopped::from(refusal)
        })?;
        Ok(Ok(figures.rows))
    }

    /// What the engine has against a range of the rows of a batch. Nothing of what is tried stays.
    fn try_range(&mut self, parsed: &Parsed, range: Range<usize>) -> std::result::Result<Option<Error>, Refusal> {
        let table = self.pipeline.loading.table;
        let mut rows = BatchRows::new(table.columns(), parsed, range, &[]);
        match self.appended(0, |session| session.append(table.name(), &mut rows)) {
            Ok(_) => self.session.rollback().map(|()| None).map_err(Refusal::Gone),
            Err(Refusal::Data(error)) => Ok(Some(error)),
            Err(refusal) => Err(refusal),
        }
    }

    fn reject(&self, file: u32, rejected: &[Rejected]) -> std::result::Result<(), Stopped> {
        let loading = &self.pipeline.loading;
        loading.rejects.add(&loading.input.name(file), rejected).map_err(|message| Stopped::Broken(Broken { message }))
    }

    /// Begins a transaction and appends to it; rolled back where that fails.
    fn appended(
        &mut self,
        flat_bytes: u64,
        append: impl FnOnce(&mut dyn Session) -> Result<u64>,
    ) -> std::result::Result<u64, Refusal> {
        let watch = Watch::start();
        let session = self.session.as_mut();
        let begun = session.begin();
        let (begin, sent_before) = (watch.spent(), session.sending_ns());
        let appended = begun.and_then(|()| append(session));
        let all = watch.spent();
        let stages = &self.pipeline.stages;
        // What is refused takes time, and will be on its way once more.
        let flat_bytes = if appended.is_ok() { flat_bytes } else { 0 };
        match sent_before.zip(self.session.sending_ns()) {
            None => stages.add(LoadStageKind::Insert, all, flat_bytes),
            Some((before, after)) => {
                let sending = Nanos(after.saturating_sub(before));
                let sent = Spent { busy: begin.busy + sending, cpu: Nanos(0) };
                stages.add(LoadStageKind::Convert, all.without(sent), flat_bytes);
                stages.add(LoadStageKind::Send, sent, flat_bytes);
            }
        }
        appended.map_err(|error| self.rolled_back(error))
    }
}

impl Work for LoadJob<'_> {
    fn step(&mut self, _number: u64) -> std::result::Result<Done, Broken> {
        if !self.released {
            return Ok(Done::over());
        }
        let Some(mut batch) = self.in_hand.take().or_else(|| self.pipeline.take()) else {
            return self.settle().map(|()| Done::over());
        };
        match self.load(&mut batch) {
            Ok(rows) => {
                self.attempts = 0;
                let Batch { flat_bytes, content, .. } = batch;
                self.pipeline.give_back(content);
                if self.pipeline.is_drained() {
                    // Within the window: the rate is that of what is on stable storage.
                    self.settle()?;
                }
                Ok(Done { operations: rows, rows, transactions: 1, bytes: flat_bytes, ..Done::default() })
            }
            Err(Stopped::Again(error, _)) if self.attempts + 1 >= ATTEMPTS_MAX => Err(self.break_off(broken(&error))),
            Err(Stopped::Again(_, kind)) => {
                self.attempts += 1;
                self.in_hand = Some(batch);
                Ok(Done::failed(kind))
            }
            Err(Stopped::Broken(broken)) => Err(self.break_off(broken)),
        }
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        self.released = true;
        Ok(())
    }
}
