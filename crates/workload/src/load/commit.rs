//! How a session commits what it loads: each batch with a note of its own, and the last commit waits for all.

use std::sync::atomic::Ordering;

use engine::Error;
use measure::Broken;
use record::LoadStageKind;

use super::figures::Figures;
use super::job::LoadJob;
use super::pipeline::lock;
use super::refusal::Refusal;
use super::rejects::Rejected;
use super::stages::Watch;
use crate::job::broken;

impl LoadJob<'_> {
    /// Writes down what was loaded, and commits.
    pub(super) fn committed(
        &mut self,
        place: (u32, u64),
        figures: &Figures,
        rejected: &[Rejected],
        flat_bytes: u64,
    ) -> std::result::Result<(), Refusal> {
        let watch = Watch::start();
        let counts = (figures.rows, rejected.len() as u64);
        let (session, table) = (self.session.as_mut(), self.pipeline.loading.table.name());
        let written = self.notes.write(session, table, place, counts, &figures.written());
        // A line in the log for each batch to wait for would leave the server idle between batches; a load is lost as a
        // whole or gone on with, and either way its last commit waits for all.
        let deferred = written.and_then(|()| session.defer_durability());
        let is_deferred = deferred.as_ref().is_ok_and(|deferred| *deferred);
        self.unsettled |= is_deferred;
        let result = deferred.and_then(|_| session.commit());
        self.pipeline.stages.add(LoadStageKind::Commit, watch.spent(), flat_bytes);
        result.map_err(|error| match self.rolled_back(error) {
            // These are lines of our own: no row is to blame.
            Refusal::Data(error) => Refusal::Gone(error),
            refusal => refusal,
        })?;
        let of_all = &self.pipeline.counts;
        of_all.batches.fetch_add(1, Ordering::Relaxed);
        of_all.deferred.fetch_add(u64::from(is_deferred), Ordering::Relaxed);
        of_all.flat_bytes.fetch_add(flat_bytes, Ordering::Relaxed);
        of_all.rejected.fetch_add(rejected.len() as u64, Ordering::Relaxed);
        lock(&of_all.figures).add(figures);
        Ok(())
    }

    /// Waits until all that this session has committed is on stable storage.
    pub(super) fn settle(&mut self) -> std::result::Result<(), Broken> {
        if !std::mem::take(&mut self.unsettled) {
            return Ok(());
        }
        let watch = Watch::start();
        let table = self.pipeline.loading.table.name();
        let session = self.session.as_mut();
        let settled = session.begin().and_then(|()| self.notes.touch(session, table)).and_then(|()| session.commit());
        self.pipeline.stages.add(LoadStageKind::Commit, watch.spent(), 0);
        self.own_transactions += 1;
        settled.map_err(|error| broken(&error))
    }

    pub(super) fn rolled_back(&mut self, error: Error) -> Refusal {
        let refusal = Refusal::from(error);
        match (refusal, self.session.rollback()) {
            // Where nothing goes any more, the first error is the one to tell.
            (Refusal::Gone(error), _) => Refusal::Gone(error),
            (_, Err(second)) => Refusal::Gone(second),
            (refusal, Ok(())) => refusal,
        }
    }
}
