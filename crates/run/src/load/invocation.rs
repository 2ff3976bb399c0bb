//! One invocation: from the request to the finished record, which is written after every run.

use std::path::Path;

use measure::clock;
use record::{Nanos, Outcome, Plan, PlannedRun, Record};
use workload::load::{self, Figures, Input};

use super::closing::{Closing, GO_ON, can_go_on, failed};
use super::measurement::OneLoad;
use super::plan::{LoadPlan, PlannedLoad, loads, plan};
use super::request::LoadRequest;
use crate::beginning::begun;
use crate::directory::MeasuredDirectory;
use crate::execution::{conclude, sources, subject};
use crate::invocation::{Measured, Workplace};
use crate::measurement::Bench;
use crate::opening::{Opened, Plot, Setting, claim, is_elsewhere, look, open, sizes};
use crate::{Error, Event, Fault, Result};

/// Loads what `request` asks for.
///
/// # Errors
/// Only where there is no record yet; later errors stand in [`Measured::error`] beside the record so far.
pub fn measure_load(request: &LoadRequest, workplace: &Workplace<'_>) -> Result<Measured> {
    let degrees = request.degrees(host::cpus_allowed().len() as u32);
    let is_single = request.models.len() * request.forms.len() == 1
        && (degrees.len() == 1 || !matches!(request.input, Input::Generated { .. }));
    let closing = Closing { request, workplace, is_single };
    let origin = clock::now();
    let plain = request.request(&degrees, closing.stays_meanwhile());
    // A server of somebody else's keeps nothing in the directory.
    let in_directory = plain.keep && !is_elsewhere(workplace.target);
    let mut directory = claim(&request.request(&degrees, in_directory), workplace)?;
    let opened = Setting::find_out(directory.path())
        .and_then(|setting| Ok((setting, open(&plain, workplace, &Plot::of(&directory))?)));
    let (mut setting, opened) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            directory.let_go();
            return Err(error);
        }
    };
    setting.look_where(Some(&opened));
    let loads = match loads(request, opened.nodes.first().caps(), &degrees) {
        Ok(loads) => loads,
        Err(error) => {
            // The first error is the one to tell.
            let _ = closing.close(opened, &mut directory, request.resume);
            return Err(error);
        }
    };
    let plan = plan(request, &loads, &workplace.target.to_string(), directory.path());
    let record = begun(&plain, plan, &setting, Some(&opened));
    let house = House { request, workplace, loads: &loads, is_single };
    Ok(house.carry_out(record, opened, &setting, origin, &closing, &mut directory))
}

/// The loads of `request`, without carrying them out. The engine is opened to ask what it can do, and closed again.
///
/// # Errors
/// As for [`measure_load`].
pub fn dry_run_load(request: &LoadRequest, workplace: &Workplace<'_>) -> Result<LoadPlan> {
    let degrees = request.degrees(host::cpus_allowed().len() as u32);
    let plain = request.request(&degrees, request.keep);
    let directory = claim(&plain, workplace)?;
    let opened = look(&plain, workplace, &Plot::of(&directory))?;
    let loads = loads(request, opened.nodes.first().caps(), &degrees);
    opened.nodes.close()?;
    loads
}

/// Where the loads of an invocation are carried out.
struct House<'a> {
    request: &'a LoadRequest,
    workplace: &'a Workplace<'a>,
    loads: &'a LoadPlan,
    is_single: bool,
}

impl House<'_> {
    /// Runs and writes; whatever happens, the record says how far it came.
    fn carry_out(
        &self,
        mut record: Record,
        opened: Opened<'_>,
        setting: &Setting,
        origin: Nanos,
        closing: &Closing<'_>,
        directory: &mut MeasuredDirectory,
    ) -> Measured {
        let path = self.request.record.as_path();
        let written = store::write(path, &record).map_err(Error::from);
        let error = written.and_then(|()| self.run_all(&mut record, &opened, setting, origin)).err();
        conclude(&mut record, error.as_ref());
        let closed = closing.close(opened, directory, can_go_on(&record, self.request, error.as_ref()));
        let written = store::write(path, &record).map_err(Error::from);
        if let (Some(_), Err(second)) = (&error, &closed) {
            self.workplace.listener.hear(&Event::Note(&format!("what was begun could not be ended: {second}")));
        }
        let error = error.or(written.err()).or(closed.err());
        let error = error.map(|error| match error.fault {
            Fault::Interrupted if self.is_single => error.hint(GO_ON),
            _ => error,
        });
        Measured { record, path: path.to_owned(), error }
    }

    /// One load after the other. What fails once would fail again.
    fn run_all(&self, record: &mut Record, opened: &Opened<'_>, setting: &Setting, origin: Nanos) -> Result<()> {
        let plan = record.plan.clone();
        self.announce(&plan);
        let directory = Path::new(&plan.directory);
        let subject = subject(opened, directory);
        let sources = sources(Some(&subject), directory)?;
        let sizes = sizes(&self.request.request(&[], false), Some(opened));
        let bench = Bench {
            plan: &plan,
            sizes: &sizes,
            subject: Some(&subject),
            sources: &sources,
            instrument: &setting.instrument,
            host: &setting.host,
            processors: setting.processors.clone(),
            looks: self.request.looks,
            origin,
            interrupt: self.workplace.interrupt,
            listener: self.workplace.listener,
        };
        let mut known: Option<Figures> = None;
        for (load, planned) in self.loads.loads.iter().zip(&plan.runs) {
            let figures = self.run_one(record, &bench, load, planned, known.as_ref())?;
            known = known.or(figures.filter(Figures::is_complete));
        }
        Ok(())
    }

    fn run_one(
        &self,
        record: &mut Record,
        bench: &Bench<'_>,
        load: &PlannedLoad,
        planned: &PlannedRun,
        known: Option<&Figures>,
    ) -> Result<Option<Figures>> {
        let rejects = (planned.number == 1).then_some(self.request.rejects.as_path());
        let one = OneLoad { request: self.request, load, piece: self.loads.piece, rejects, known };
        let (run, figures) = one.measure(bench, planned)?;
        bench.listener.hear(&Event::Ended(&run));
        let broken = match &run.outcome {
            Outcome::Failed { message } => Some(message.clone()),
            Outcome::Done => None,
        };
        record.runs.push(run);
        store::write(&self.request.record, record)?;
        if let Some(message) = broken {
            return Err(failed(&message, self.is_single));
        }
        if let Some(stage) = bench.stage().filter(|_| !self.request.keep) {
            load::forget(&stage, &load.table)?;
        }
        Ok(figures)
    }

    fn announce(&self, plan: &Plan) {
        let records: [&Path; 1] = [&self.request.record];
        let runs = plan.runs.len();
        self.workplace.listener.hear(&Event::Planned {
            runs,
            expected: Nanos(0),
            skipped: &plan.skipped,
            records: &records,
        });
    }
}
