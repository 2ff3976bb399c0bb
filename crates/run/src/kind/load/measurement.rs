//! One load: the whole source into a table of its own.

use std::path::Path;

use engine::Session;
use record::evidence::Answers;
use record::{
    Bytes, Evidence, Finding, IndexTime, Layer, Load, LoadCheck, LoadForm, Nanos, Outcome, PlannedRun, Run, Unit,
    Verdict,
};
use workload::Stage;
use workload::load::{self, Before, Figures, LoadJob, Loading, Pipeline, Rejects};

use super::loaded::{first_query, make_indexes, sizes};
use super::plan::PlannedLoad;
use super::request::LoadRequest;
use super::telling::Telling;
use crate::bench::Bench;
use crate::run::{self, Workers, drive};
use crate::{Error, Result};

/// One of the loads of an invocation.
pub(super) struct OneLoad<'a> {
    pub request: &'a LoadRequest,
    pub load: &'a PlannedLoad,
    /// Size of a batch.
    pub batch: Bytes,
    /// Where rejected lines go; those of the first run are enough.
    pub rejects: Option<&'a Path>,
    /// Figures of the whole source, where another run has counted them.
    pub known: Option<&'a Figures>,
}

impl OneLoad<'_> {
    /// Carries out `planned`: the run, and the figures of the rows that are in the table. A run that fails is a run, with
    /// what was loaded until then.
    ///
    /// # Errors
    /// Where there is nothing to go on with, where rejected lines cannot be written, and broken off by the user.
    pub(super) fn measure(&self, bench: &Bench<'_>, planned: &PlannedRun) -> Result<(Run, Option<Figures>)> {
        let mut run = run::new(bench, planned);
        run.title = title(self.load);
        (run.layer, run.unit, run.changes) = (Layer::Database, Unit::Row, true);
        run.parameters.insert("batch_bytes".to_owned(), i64::try_from(self.batch.0).unwrap_or(i64::MAX));
        run::announce(bench, planned, &run, Nanos(0));
        let figures = self.load_all(bench, &mut run)?;
        Ok((run::conclude(bench, run)?, figures))
    }

    fn load_all(&self, bench: &Bench<'_>, run: &mut Run) -> Result<Option<Figures>> {
        let (Some(stage), Some(subject)) = (bench.stage(), bench.subject) else {
            return Err(Error::user("a load needs an engine"));
        };
        bench.settle()?;
        let places = subject.nodes.choose(true, 1)?;
        let stage = Stage { node: subject.nodes.at(places[0]), ..stage };
        let before = self.prepare(bench, &stage)?;
        let rejects = self.rejects(&before)?;
        let LoadRequest { layout, input, compression, .. } = self.request;
        let pipeline = Pipeline::new(Loading {
            table: &self.load.table,
            layout,
            input,
            compression: *compression,
            form: self.load.form,
            batch: self.batch,
            jobs: self.load.jobs,
            before: &before,
            rejects: &rejects,
            stop: bench.interrupt.flag(),
        });
        let jobs = load::jobs(&stage, &pipeline)?;
        self.drive(bench, run, &pipeline, jobs, places);
        if let (Some(message), Outcome::Done) = (pipeline.failure(), &run.outcome) {
            run.outcome = Outcome::Failed { message };
        }
        run.commits_expected = Some(run.totals.transactions);
        run.data_bytes = Some(pipeline.flat_bytes());
        let mut figures = before.figures.clone();
        figures.add(&pipeline.figures());
        let mut load = self.load(&pipeline, &before);
        if !bench.interrupt.is_raised() {
            self.look_after(bench, &stage, run, &mut load, &figures);
        }
        run.load = Some(Box::new(load));
        Ok((run.outcome == Outcome::Done).then_some(figures))
    }

    /// The table, empty, or as the load that is gone on with left it.
    fn prepare(&self, bench: &Bench<'_>, stage: &Stage<'_>) -> Result<Before> {
        let LoadRequest { input, layout, indexes, resume, .. } = self.request;
        let table = &self.load.table;
        let described = input.described(layout, self.batch, table.model());
        let before = match resume {
            true => load::resume(stage, table, &described)?,
            false => load::begin(stage, table, &described)?,
        };
        if *indexes == IndexTime::Before {
            // Also of a load that is gone on with: it may have been broken off before it had them.
            let mut session = stage.node.connect()?;
            let cancellers = session.canceller().into_iter().collect();
            bench.interrupt.during(cancellers, || make_indexes(stage, session.as_mut(), table))?;
        }
        Ok(before)
    }

    fn rejects(&self, before: &Before) -> Result<Rejects> {
        let most = self.request.max_errors;
        let Some(path) = self.rejects else { return Ok(Rejects::counted(most, before.rejected)) };
        let written = Rejects::written(most, before.rejected, path, &self.request.layout);
        written.map_err(|message| Error::environment(message).hint("give another place as --rejects"))
    }

    /// Runs the pipeline until the source ends, or something breaks.
    fn drive(
        &self,
        bench: &Bench<'_>,
        run: &mut Run,
        pipeline: &Pipeline<'_>,
        jobs: Vec<LoadJob<'_>>,
        places: Vec<usize>,
    ) {
        let Some(subject) = bench.subject else { return };
        let telling = Telling { listener: bench.listener, pipeline, of: self.request.input.size() };
        let bench = &Bench { listener: &telling, ..bench.clone() };
        let workers = Workers::of_sessions(bench, subject, places, jobs);
        std::thread::scope(|scope| {
            let _ends = GivesUp(pipeline);
            pipeline.start(scope);
            drive(bench, run, u64::MAX, workers);
        });
    }

    /// What the pipeline did.
    fn load(&self, pipeline: &Pipeline<'_>, before: &Before) -> Load {
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
            stages: pipeline.stages(),
            table_bytes: None,
            index_bytes: None,
            indexes: self.request.indexes,
            index_build_ns: None,
            first_query_ns: None,
            checked: Vec::new(),
        }
    }

    /// Makes what is made after the load, and holds the table against what was counted. Of a load that failed, the table
    /// holds whole batches all the same: that is looked at as far as the engine still answers.
    fn look_after(&self, bench: &Bench<'_>, stage: &Stage<'_>, run: &mut Run, load: &mut Load, figures: &Figures) {
        let is_done = run.outcome == Outcome::Done;
        let looked = self.try_look_after(bench, stage, is_done, load, figures);
        if let (Err(error), true) = (looked, is_done) {
            run.outcome = Outcome::Failed { message: format!("the table was loaded, and then: {}", error.message) };
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

    fn try_look_after(
        &self,
        bench: &Bench<'_>,
        stage: &Stage<'_>,
        is_done: bool,
        load: &mut Load,
        figures: &Figures,
    ) -> Result<()> {
        let mut session = stage.node.connect()?;
        let cancellers = session.canceller().into_iter().collect();
        let go_on = || if is_done && bench.interrupt.is_raised() { Err(Error::interrupted()) } else { Ok(()) };
        bench.interrupt.during(cancellers, || {
            if is_done && load.indexes == IndexTime::After {
                load.index_build_ns = Some(make_indexes(stage, session.as_mut(), &self.load.table)?);
            }
            go_on()?;
            self.ask(stage, session.as_mut(), load, figures, is_done)?;
            go_on()
        })
    }

    /// Asks the table for what it holds, and for its size where the load is done.
    fn ask(
        &self,
        stage: &Stage<'_>,
        session: &mut dyn Session,
        load: &mut Load,
        figures: &Figures,
        is_done: bool,
    ) -> Result<()> {
        let table = &self.load.table;
        // What lines that were sent as they are hold, another run over the same source may have counted.
        let known = self.known.filter(|known| !figures.is_complete() && known.rows == figures.rows);
        let (took, checked) = first_query(stage, session, table, known.unwrap_or(figures))?;
        load.checked = checked;
        if is_done {
            load.first_query_ns = Some(took);
            (load.table_bytes, load.index_bytes) = sizes(stage, session, table)?;
        }
        Ok(())
    }
}

fn title(load: &PlannedLoad) -> String {
    let form = if load.form == LoadForm::AsIs { ", lines as they are" } else { "" };
    format!("bulk load of a flat file, {} table{form}", load.model().word())
}

/// Ends the threads of a pipeline, whatever happens.
struct GivesUp<'a>(&'a Pipeline<'a>);

impl Drop for GivesUp<'_> {
    fn drop(&mut self) {
        self.0.give_up();
    }
}
