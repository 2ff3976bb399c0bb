//! Commits of a load: each batch with a progress row, and the last commit of a session waits for all.

use std::sync::atomic::Ordering;

use engine::Error;
use measure::Broken;
use record::LoadStageKind;

use super::figures::Figures;
use super::job::LoadJob;
use super::pipeline::lock;
use super::refusal::Refusal;
use super::reject_files::Rejected;
use super::stages::Watch;
use crate::test_context::broken;

impl LoadJob<'_> {
    /// Writes the progress row of a batch, and commits.
    pub(super) fn committed(
        &mut self,
        position: (u32, u64),
        figures: &Figures,
        rejected: &[Rejected],
        flat_bytes: u64,
    ) -> std::result::Result<(), Refusal> {
        let watch = Watch::start();
        let counts = (figures.rows, rejected.len() as u64);
        let (session, table) = (self.session.as_mut(), self.pipeline.loading.table.name());
        let written = self.progress.write(session, table, position, counts, &figures.written());
        // Waiting for the log at each batch would leave the server idle in between; a load is lost as a whole or
        // resumed, and in either case its last commit waits for all.
        let deferred = written.and_then(|()| session.defer_durability());
        let is_deferred = deferred.as_ref().is_ok_and(|deferred| *deferred);
        self.has_deferred_commits |= is_deferred;
        let result = deferred.and_then(|_| session.commit());
        self.pipeline.stages.add(LoadStageKind::Commit, watch.spent(), flat_bytes);
        result.map_err(|error| match self.rolled_back(error) {
            // The progress row is ours: no loaded row is at fault.
            Refusal::Data(error) => Refusal::Fatal(error),
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

    /// Waits until all commits of this session are on stable storage.
    pub(super) fn flush_commits(&mut self) -> std::result::Result<(), Broken> {
        if !std::mem::take(&mut self.has_deferred_commits) {
            return Ok(());
        }
        let watch = Watch::start();
        let table = self.pipeline.loading.table.name();
        let session = self.session.as_mut();
        let settled =
            session.begin().and_then(|()| self.progress.touch(session, table)).and_then(|()| session.commit());
        self.pipeline.stages.add(LoadStageKind::Commit, watch.spent(), 0);
        self.own_transactions += 1;
        settled.map_err(|error| broken(&error))
    }

    pub(super) fn rolled_back(&mut self, error: Error) -> Refusal {
        let refusal = Refusal::from(error);
        match (refusal, self.session.rollback()) {
            // After a fatal error, that error is reported.
            (Refusal::Fatal(error), _) => Refusal::Fatal(error),
            (_, Err(second)) => Refusal::Fatal(second),
            (refusal, Ok(())) => refusal,
        }
    }
}
