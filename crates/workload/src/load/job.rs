//! A loading session: a step is a batch, in a transaction of its own.

use std::ops::Range;
use std::sync::atomic::Ordering;

use engine::{Canceller, Error, Result, Session};
use flat::{Lines, Parsed};
use measure::{Broken, Done, Work};
use record::{LoadStageKind, Nanos};

use super::figures::Figures;
use super::pipeline::{Batch, Content, Pipeline, Rows};
use super::progress::ProgressWriter;
use super::refusal::{Refusal, refused_rows, rejected_row};
use super::reject_files::Rejected;
use super::rows::BatchRows;
use super::stages::{Spent, Watch};
use crate::test_context::{TestContext, broken};

/// The most attempts for a batch after conflicts with other sessions.
const ATTEMPTS_MAX: u32 = 10;

/// A session that loads batches of a pipeline.
pub struct LoadJob<'a> {
    pub(super) pipeline: &'a Pipeline<'a>,
    pub(super) session: Box<dyn Session>,
    pub(super) progress: ProgressWriter,
    /// Whether the window has started: there is nothing to warm up with.
    released: bool,
    /// A batch to be retried.
    retry_batch: Option<Batch>,
    attempts: u32,
    /// Whether commits of this session may not be on stable storage yet.
    pub(super) has_deferred_commits: bool,
    /// Transactions of this session that load nothing.
    pub(super) own_transactions: u64,
}

/// Why a batch was not loaded.
enum Stopped {
    Retry(Error, record::FailureKind),
    Broken(Broken),
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Stopped {
        match refusal {
            Refusal::Retry(kind, error) => Stopped::Retry(error, kind),
            Refusal::Data(error) | Refusal::Fatal(error) => Stopped::Broken(broken(&error)),
        }
    }
}

/// One job for each session of the load of `pipeline`.
///
/// # Errors
/// Errors of the engine.
pub fn jobs<'a>(context: &TestContext<'_>, pipeline: &'a Pipeline<'a>) -> Result<Vec<LoadJob<'a>>> {
    (0..pipeline.loading.share.count)
        .map(|_| {
            let mut session = context.node.connect()?;
            let progress = ProgressWriter::prepare(context, session.as_mut())?;
            Ok(LoadJob {
                pipeline,
                session,
                progress,
                released: false,
                retry_batch: None,
                attempts: 0,
                has_deferred_commits: false,
                own_transactions: 0,
            })
        })
        .collect()
}

impl LoadJob<'_> {
    /// Publishes what the session did in the counters of its node; the number of transactions that this costs.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn publish_counters(&mut self) -> Result<u64> {
        Ok(self.session.publish_counters()? + std::mem::take(&mut self.own_transactions))
    }

    /// Cancels a statement of this job from another thread.
    pub fn canceller(&self) -> Option<Box<dyn Canceller>> {
        self.session.canceller()
    }

    /// The process of this job's session, where it has a process of its own on this host.
    pub fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }

    /// Stops the whole load: a job that waits for a blocked source would not notice otherwise.
    fn abort(&self, broken: Broken) -> Broken {
        self.pipeline.stop();
        broken
    }

    /// Loads `batch`, by parsed rows if the engine refuses its lines.
    fn load(&mut self, batch: &mut Batch) -> std::result::Result<u64, Stopped> {
        if let Content::Lines(lines) = &mut batch.content {
            match self.load_lines(batch.position, lines) {
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

    /// Sends unparsed lines.
    fn load_lines(&mut self, position: (u32, u64), lines: &Lines) -> std::result::Result<u64, Refusal> {
        let layout = self.pipeline.loading.layout;
        let of_header = layout.has_header() && lines.first_line == 1;
        let begin =
            if of_header { lines.bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1) } else { 0 };
        let bytes = &lines.bytes[begin..];
        let refused = match () {
            () if lines.cut => Some("a line is too long to be sent unparsed"),
            // The engine would load the quotes as content.
            () if layout.refuses_quote_of(bytes) => Some("a field begins with a quote"),
            () => None,
        };
        if let Some(reason) = refused {
            return Err(Refusal::Data(Error::new(engine::Kind::Statement, reason)));
        }
        let table = self.pipeline.loading.table;
        let flat_bytes = lines.bytes.len() as u64;
        let rows = self.appended(flat_bytes, |session| session.append_lines(table.name(), table.form(), bytes))?;
        let figures = Figures::unread(rows);
        self.committed(position, &figures, &[], flat_bytes)?;
        Ok(rows)
    }

    /// Loads the rows of a batch; rows that the engine refuses are rejected.
    fn load_rows(&mut self, batch: &Batch, rows: &Rows) -> std::result::Result<u64, Stopped> {
        let (loading, parsed) = (&self.pipeline.loading, &rows.parsed);
        let of_parser = parsed.rejects().iter().map(|reject| Rejected {
            line: reject.line,
            reason: reject.reason.to_string(),
            text: reject.text.clone(),
        });
        let mut rejected: Vec<Rejected> = of_parser.collect();
        let mut left_out = Vec::new();
        if rejected.len() as u64 > loading.rejects.remaining() {
            self.reject(batch.position.0, &rejected)?;
        }
        loop {
            let error = match self.try_rows(batch, rows, &left_out, &rejected)? {
                Ok(rows) => return Ok(rows),
                Err(error) => error,
            };
            if !left_out.is_empty() {
                return Err(Stopped::Broken(broken(&error)));
            }
            let refused =
                refused_rows(parsed.rows(), loading.rejects.remaining(), |range| self.try_range(parsed, range))?;
            if refused.is_empty() {
                // Each row alone is accepted, but not all of them together.
                return Err(Stopped::Broken(broken(&error)));
            }
            for (row, error) in &refused {
                rejected.push(rejected_row(loading.layout, parsed, *row, error));
            }
            rejected.sort_by_key(|one| one.line);
            if rejected.len() as u64 > loading.rejects.remaining() {
                self.reject(batch.position.0, &rejected)?;
            }
            left_out = refused.into_iter().map(|(row, _)| row).collect();
        }
    }

    /// One attempt; returns the error of the engine about these rows, if any.
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
        if let Err(stopped) = self.reject(batch.position.0, rejected) {
            // The session may be lost as well: the error of the rejected lines is reported.
            let _ = self.session.rollback();
            return Err(stopped);
        }
        self.committed(batch.position, &figures, rejected, batch.flat_bytes).map_err(|refusal| {
            let loading = &self.pipeline.loading;
            loading.rejects.uncount(&loading.input.name(batch.position.0), rejected);
            Stopped::from(refusal)
        })?;
        Ok(Ok(figures.rows))
    }

    /// The error of the engine about a range of the rows of a batch. Nothing of the attempt stays.
    fn try_range(&mut self, parsed: &Parsed, range: Range<usize>) -> std::result::Result<Option<Error>, Refusal> {
        let table = self.pipeline.loading.table;
        let mut rows = BatchRows::new(table.columns(), parsed, range, &[]);
        match self.appended(0, |session| session.append(table.name(), &mut rows)) {
            Ok(_) => self.session.rollback().map(|()| None).map_err(Refusal::Fatal),
            Err(Refusal::Data(error)) => Ok(Some(error)),
            Err(refusal) => Err(refusal),
        }
    }

    fn reject(&self, file: u32, rejected: &[Rejected]) -> std::result::Result<(), Stopped> {
        let loading = &self.pipeline.loading;
        loading.rejects.add(&loading.input.name(file), rejected).map_err(|message| Stopped::Broken(Broken { message }))
    }

    /// Starts a transaction and appends to it; rolls back on failure.
    fn appended(
        &mut self,
        flat_bytes: u64,
        append: impl FnOnce(&mut dyn Session) -> Result<u64>,
    ) -> std::result::Result<u64, Refusal> {
        let watch = Watch::start();
        let session = self.session.as_mut();
        let started = session.begin();
        let (begin, sent_before) = (watch.spent(), session.sending_ns());
        let appended = started.and_then(|()| append(session));
        let all = watch.spent();
        let stages = &self.pipeline.stages;
        // A refused attempt takes time, but its bytes are counted when they are sent again.
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
        let Some(mut batch) = self.retry_batch.take().or_else(|| self.pipeline.next_batch()) else {
            return self.flush_commits().map(|()| Done::over());
        };
        match self.load(&mut batch) {
            Ok(rows) => {
                self.attempts = 0;
                let Batch { flat_bytes, content, .. } = batch;
                self.pipeline.recycle(content);
                if self.pipeline.is_drained() {
                    // Within the window: the rate is that of rows on stable storage.
                    self.flush_commits()?;
                }
                Ok(Done { operations: rows, rows, transactions: 1, bytes: flat_bytes, ..Done::default() })
            }
            Err(Stopped::Retry(error, _)) if self.attempts + 1 >= ATTEMPTS_MAX => Err(self.abort(broken(&error))),
            Err(Stopped::Retry(_, kind)) => {
                self.attempts += 1;
                self.retry_batch = Some(batch);
                Ok(Done::failed(kind))
            }
            Err(Stopped::Broken(broken)) => Err(self.abort(broken)),
        }
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        self.released = true;
        Ok(())
    }
}
