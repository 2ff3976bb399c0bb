//! One load: the whole source into a table of its own.

use std::path::Path;

use engine::Session;
use record::evidence::Answers;
use record::{
    Bytes, Evidence, Finding, IndexTime, Layer, Load, LoadCheck, LoadForm, LoadStageKind, Nanos, Outcome, PartKind,
    PlannedRun, Run, Unit, Verdict,
};
use workload::TestContext;
use workload::load::{self, Figures, LoadJob, Loading, Pipeline, Rejects, ResumePoint, SourceError};

use super::closing::mistake;
use super::loaded::{first_query, make_indexes, sizes};
use super::plan::PlannedLoad;
use super::request::LoadRequest;
use crate::bench::Bench;
use crate::fleet::drive_fleet;
use crate::hands::Fleet;
use crate::run::{self, Workers, drive};
use crate::{Error, Event, Listener, Result, owed};

/// One of the loads of an invocation.
pub(super) struct OneLoad<'a> {
    pub request: &'a LoadRequest,
    pub load: &'a PlannedLoad,
    /// Size of a batch.
    pub batch: Bytes,
    /// Path of rejected lines, for the first run only.
    pub rejects: Option<&'a Path>,
    /// Figures of the whole source, if another run has counted them.
    pub known: Option<&'a Figures>,
}

impl OneLoad<'_> {
    /// Carries out `planned`: returns the run, and the figures of the rows in the table. A failed run is recorded with
    /// what was loaded until then.
    pub(super) fn measure(&self, bench: &Bench<'_>, planned: &PlannedRun) -> Result<(Run, Option<Figures>)> {
        let mut run = run::new(bench, planned);
        run.title = title(self.load);
        (run.layer, run.unit, run.changes) = (Layer::Database, Unit::Row, true);
        run.parameters.insert("batch_bytes".to_owned(), i64::try_from(self.batch.0).unwrap_or(i64::MAX));
        run::announce(bench, planned, &run, Nanos(0));
        let figures = match self.load_all(bench, &mut run) {
            // Other agents may have loaded their share.
            Err(error) if bench.hands.fleet().is_some() => {
                run.outcome = Outcome::Failed { message: error.to_string() };
                None
            }
            loaded => loaded?,
        };
        Ok((run::conclude(bench, run)?, figures))
    }

    fn load_all(&self, bench: &Bench<'_>, run: &mut Run) -> Result<Option<Figures>> {
        let (context, subject) = bench.engine()?;
        // The coordinator does for agents what is done once.
        let is_agent = bench.hands.release().is_some();
        if !is_agent {
            run.settling = bench.settle()?;
        }
        let node_indexes = bench.choose_nodes(subject, true, 1)?;
        let context = TestContext { node: subject.nodes.at(node_indexes[0]), ..context };
        let before = if is_agent { self.loaded(&context)? } else { self.prepare(bench, &context)? };
        let (mut load, figures) = match bench.hands.fleet() {
            Some(fleet) => self.load_by(fleet, bench, &context, run, &node_indexes)?,
            None => self.load_here(bench, &context, run, node_indexes, &before)?,
        };
        run.data_bytes = Some(load.flat_bytes);
        // Before the verification, which reads the table.
        run.owed = owed::pay(bench);
        if !is_agent && !bench.interrupt.is_raised() {
            self.verify(bench, &context, run, &mut load, &figures);
        }
        run.load = Some(Box::new(load));
        Ok((run.outcome == Outcome::Done).then_some(figures))
    }

    /// Loads the share of this process; returns the load, and the figures of all rows that are in the table then.
    fn load_here(
        &self,
        bench: &Bench<'_>,
        context: &TestContext<'_>,
        run: &mut Run,
        node_indexes: Vec<usize>,
        before: &ResumePoint,
    ) -> Result<(Load, Figures)> {
        let rejects = self.rejects(before)?;
        let LoadRequest { layout, input, compression, .. } = self.request;
        let pipeline = Pipeline::new(Loading {
            table: &self.load.table,
            layout,
            input,
            compression: *compression,
            form: self.load.form,
            batch: self.batch,
            share: bench.hands.share(self.load.jobs),
            before,
            rejects: &rejects,
            stop: bench.interrupt.flag(),
        });
        let jobs = load::jobs(context, &pipeline)?;
        self.drive(bench, run, &pipeline, jobs, node_indexes);
        match pipeline.failure() {
            // Of a file that has changed since it was checked, or of a pipe, which can be read once.
            Some(SourceError { message, is_mistake: true }) => return Err(mistake(&message)),
            Some(SourceError { message, .. }) if run.outcome == Outcome::Done => {
                run.outcome = Outcome::Failed { message };
            }
            _ => {}
        }
        run.commits_expected = Some(run.totals.transactions);
        let mut figures = before.figures.clone();
        figures.add(&pipeline.figures());
        Ok((self.load(&pipeline, before), figures))
    }

    /// Has the agents of `fleet` load; the figures are those that the table of progress has of their batches.
    fn load_by(
        &self,
        fleet: &dyn Fleet,
        bench: &Bench<'_>,
        context: &TestContext<'_>,
        run: &mut Run,
        node_indexes: &[usize],
    ) -> Result<(Load, Figures)> {
        let part = self.request.part(&self.load.table, self.load.form, self.batch)?;
        let commits = drive_fleet(bench, run, fleet, node_indexes, &PartKind::Load(Box::new(part)), Vec::new())?;
        run.commits_expected = commits.filter(|_| context.node.counts_commits_of_others());
        let load = run.load.take().ok_or_else(|| Error::environment("no agent has loaded anything"))?;
        Ok((Load { indexes: self.request.indexes, ..*load }, self.loaded(context)?.figures))
    }

    /// What was loaded until now.
    fn loaded(&self, context: &TestContext<'_>) -> Result<ResumePoint> {
        let LoadRequest { input, layout, .. } = self.request;
        let table = &self.load.table;
        Ok(load::resume(context, table, &input.described(layout, self.batch, table.model()))?)
    }

    /// The table, empty, or as the resumed load left it.
    fn prepare(&self, bench: &Bench<'_>, context: &TestContext<'_>) -> Result<ResumePoint> {
        let LoadRequest { input, layout, indexes, resume, .. } = self.request;
        let table = &self.load.table;
        let before = match resume {
            true => self.loaded(context)?,
            false => load::begin(context, table, &input.described(layout, self.batch, table.model()))?,
        };
        if *indexes == IndexTime::Before {
            // Also for a resumed load: it may have been aborted before the indexes were created.
            let mut session = context.node.connect()?;
            let cancellers = session.canceller().into_iter().collect();
            bench.interrupt.during(cancellers, || make_indexes(context, session.as_mut(), table))?;
        }
        Ok(before)
    }

    fn rejects(&self, before: &ResumePoint) -> Result<Rejects> {
        let most = self.request.max_errors;
        let Some(path) = self.rejects else { return Ok(Rejects::counted(most, before.rejected)) };
        let written = Rejects::written(most, before.rejected, path, &self.request.layout);
        written.map_err(|message| Error::environment(message).hint("give another path as --rejects"))
    }

    /// Runs the pipeline until the source ends, or an error.
    fn drive(
        &self,
        bench: &Bench<'_>,
        run: &mut Run,
        pipeline: &Pipeline<'_>,
        jobs: Vec<LoadJob<'_>>,
        node_indexes: Vec<usize>,
    ) {
        let Some(subject) = bench.subject else { return };
        let progress = LoadProgress { listener: bench.listener, pipeline, of: self.request.input.size() };
        let bench = &Bench { listener: &progress, ..bench.clone() };
        let workers = Workers::of_sessions(bench, subject, node_indexes, jobs);
        std::thread::scope(|scope| {
            let _ends = StopOnDrop(pipeline);
            pipeline.start(scope);
            drive(bench, run, u64::MAX, workers);
        });
    }

    /// The load, from the counts of the pipeline.
    fn load(&self, pipeline: &Pipeline<'_>, before: &ResumePoint) -> Load {
        let [batches, deferred_batches, rejected_rows, retried_batches] = pipeline.counts();
        Load {
            model: self.load.model(),
            form: self.load.form,
            source: self.request.input.source(),
            compression: pipeline.compression(),
            layout: self.request.layout.name.clone(),
            input_bytes: pipeline.input_bytes(),
            flat_bytes: pipeline.flat_bytes(),
            batch_bytes: self.batch,
            batches,
            rows: pipeline.figures().rows,
            rejected_rows,
            resumed_rows: before.figures.rows,
            retried_batches,
            deferred_batches,
            in_flight_bytes_max: pipeline.in_flight_max(),
            notes: pipeline.notes(),
            stages: pipeline.stages(),
            table_bytes: None,
            index_bytes: None,
            indexes: self.request.indexes,
            index_build_ns: None,
            first_query_ns: None,
            checked: Vec::new(),
        }
    }

    /// Creates the indexes that are created after the load, and compares the table with what was counted. After a
    /// failed load the table holds whole batches: that is checked as far as the engine still answers.
    fn verify(&self, bench: &Bench<'_>, context: &TestContext<'_>, run: &mut Run, load: &mut Load, figures: &Figures) {
        let is_done = run.outcome == Outcome::Done;
        let verified = self.try_verify(bench, context, is_done, load, figures);
        if let (Err(error), true) = (verified, is_done) {
            run.outcome =
                Outcome::Failed { message: format!("the table was loaded, but its check failed: {}", error.message) };
        }
        if !bench.subject.is_some_and(|subject| subject.nodes.first().caps().answers) {
            run.findings.push(Finding::new(Verdict::Unknown, Evidence::Answers(Answers::NotGiven)));
            return;
        }
        let wrong = load.checked.iter().find(|check| check.found.as_ref() != Some(&check.expected));
        let (verdict, answers) = match wrong {
            _ if load.checked.is_empty() => (Verdict::Unknown, Answers::NotQueried),
            None => {
                let compared = load.checked.iter().map(|check| check.what.clone()).collect();
                (Verdict::Pass, Answers::Loaded { compared })
            }
            Some(LoadCheck { what, found, expected }) => {
                let (what, found, expected) = (what.clone(), found.clone(), expected.clone());
                (Verdict::Fail, Answers::LoadDiffers { what, found, expected })
            }
        };
        run.findings.push(Finding::new(verdict, Evidence::Answers(answers)));
    }

    fn try_verify(
        &self,
        bench: &Bench<'_>,
        context: &TestContext<'_>,
        is_done: bool,
        load: &mut Load,
        figures: &Figures,
    ) -> Result<()> {
        let mut session = context.node.connect()?;
        let cancellers = session.canceller().into_iter().collect();
        let check_interrupt =
            || if is_done && bench.interrupt.is_raised() { Err(Error::interrupted()) } else { Ok(()) };
        bench.interrupt.during(cancellers, || {
            if is_done && load.indexes == IndexTime::After {
                load.index_build_ns = Some(make_indexes(context, session.as_mut(), &self.load.table)?);
            }
            check_interrupt()?;
            self.query_table(context, session.as_mut(), load, figures, is_done)?;
            check_interrupt()
        })
    }

    /// Queries what the table holds, and its size if the load is done.
    fn query_table(
        &self,
        context: &TestContext<'_>,
        session: &mut dyn Session,
        load: &mut Load,
        figures: &Figures,
        is_done: bool,
    ) -> Result<()> {
        let table = &self.load.table;
        // The content of lines that were sent unparsed may be known from another run over the same source.
        let known = self.known.filter(|known| !figures.is_complete() && known.rows == figures.rows);
        let (took, checked) = first_query(context, session, table, known.unwrap_or(figures))?;
        load.checked = checked;
        if is_done {
            load.first_query_ns = Some(took);
            (load.table_bytes, load.index_bytes) = sizes(context, session, table)?;
        }
        Ok(())
    }
}

fn title(load: &PlannedLoad) -> String {
    let form = if load.form == LoadForm::AsIs { ", unparsed lines" } else { "" };
    format!("bulk load of a flat file, {} table{form}", load.model().word())
}

/// Stops the threads of a pipeline in any case.
struct StopOnDrop<'a>(&'a Pipeline<'a>);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A listener that reports the progress of a load.
struct LoadProgress<'a> {
    listener: &'a dyn Listener,
    pipeline: &'a Pipeline<'a>,
    /// Bytes to load, if known.
    of: Option<Bytes>,
}

impl Listener for LoadProgress<'_> {
    fn on_event(&self, event: &Event<'_>) {
        match event {
            Event::Progress { elapsed, .. } => self.listener.on_event(&Event::LoadProgress {
                elapsed: *elapsed,
                loaded: self.pipeline.flat_bytes(),
                input: self.pipeline.input_bytes(),
                of: self.of,
                slowest: self.slowest(),
            }),
            other => self.listener.on_event(other),
        }
    }
}

impl LoadProgress<'_> {
    /// The busiest stage so far.
    fn slowest(&self) -> Option<LoadStageKind> {
        let busiest = self
            .pipeline
            .stages()
            .into_iter()
            .max_by_key(|context| context.busy_ns.0 / u64::from(context.threads.max(1)));
        busiest.map(|context| context.kind)
    }
}
