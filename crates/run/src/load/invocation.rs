//! One invocation: from the request to the finished record, to which each run is appended.

use std::path::Path;

use measure::clock;
use record::{Nanos, Outcome, Plan, PlannedRun, Preset, Run};
use workload::load::{self, Figures};

use super::closing::{Closing, GO_ON, can_go_on, failed};
use super::measurement::OneLoad;
use super::plan::{LoadPlan, PlannedLoad, loads, plan};
use super::request::LoadRequest;
use super::scan_plan::{PlannedScan, ScanGround};
use super::scanning::{Left, OneScan};
use super::space;
use crate::beginning::begun;
use crate::device::DeviceProbe;
use crate::directory::MeasuredDirectory;
use crate::execution::run_group;
use crate::invocation::{Measured, Workplace};
use crate::io::{Offer, ProbeGround};
use crate::opening::{Opened, Plot, Setting, claim, is_elsewhere, look, open, sizes};
use crate::plan::{Item, windows};
use crate::premises::Premises;
use crate::recorder::Recorder;
use crate::{Error, Event, Fault, Request, Result};

/// Loads what `request` asks for.
///
/// # Errors
/// Only where there is no record yet; later errors stand in [`Measured::error`] beside the record so far.
pub fn measure_load(request: &LoadRequest, workplace: &Workplace<'_>) -> Result<Measured> {
    let degrees = request.degrees(host::cpus_allowed().len() as u32);
    let is_single = request.models.len() * request.forms.len() * degrees.len() == 1;
    let closing = Closing { request, workplace, is_single };
    let origin = clock::now();
    let plain = request.request(&degrees, closing.stays_meanwhile());
    // A server of somebody else's keeps nothing in the directory.
    let elsewhere = is_elsewhere(workplace.target);
    let mut directory = claim(&request.request(&degrees, plain.keep && !elsewhere), workplace)?;
    let tables = request.models.len();
    let has_room = if elsewhere { Ok(()) } else { space::check(request, tables, &directory.data()) };
    let plot = Plot::of(&directory);
    // What is opened again for each cold scan must not go when it is closed; the directory goes with all that is in it.
    let plot = Plot { keep: plot.keep || (request.scans.is_some() && !elsewhere), ..plot };
    let opened = has_room
        .and_then(|()| Setting::find_out(directory.path()))
        .and_then(|setting| Ok((setting, open(&plain, workplace, &plot)?)));
    let (mut setting, opened) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            directory.let_go();
            return Err(error);
        }
    };
    setting.look_where(Some(&opened));
    let loads = match loads(request, opened.nodes.first().caps(), &degrees, &ground(&opened)) {
        Ok(loads) => loads,
        Err(error) => {
            // The first error is the one to tell.
            let _ = closing.close(Some(opened), &mut directory, request.resume);
            return Err(error);
        }
    };
    let mut plan = plan(request, &loads, &workplace.target.to_string(), directory.path());
    if request.scans.as_ref().is_some_and(|scans| scans.probes) && !elsewhere {
        let offer = Offer::look(&directory.data(), Preset::Quick);
        DeviceProbe::SEQUENTIAL.add_to(&mut plan, &offer, 1, windows(request.preset).1);
    }
    let record = begun(&plain.record, plain.author(), plan, &setting, Some(&opened));
    let record = Recorder::new(&plain.record, record);
    let house = House { request, workplace, loads: &loads, is_single, plain: &plain, plot, setting: &setting, origin };
    Ok(house.carry_out(record, opened, &closing, &mut directory))
}

/// What the engine offers to scans, as it is open.
fn ground(opened: &Opened<'_>) -> ScanGround {
    let data = opened.nodes.first().data_directory();
    let in_memory = |data: &Path| host::place(data).is_ok_and(|place| place.medium.has_device() == Some(false));
    let never_cold = match data {
        _ if !opened.inventory.throwaway => {
            Some("the caches of a server that dbdyno did not start cannot be emptied: what is read is read warm")
        }
        None => Some("where the engine keeps its files is not known: what is read is read warm"),
        Some(data) if in_memory(data) => Some("the engine's files lie in memory: what is read is read warm"),
        Some(_) => None,
    };
    ScanGround { processors: host::cpus_allowed().len() as u32, never_cold: never_cold.map(str::to_owned) }
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
    let loads = loads(request, opened.nodes.first().caps(), &degrees, &ground(&opened));
    opened.nodes.close()?;
    loads
}

/// Where the loads of an invocation are carried out, and the scans of their tables.
struct House<'a> {
    request: &'a LoadRequest,
    workplace: &'a Workplace<'a>,
    loads: &'a LoadPlan,
    is_single: bool,
    /// How the engine is opened, and where.
    plain: &'a Request,
    plot: Plot,
    setting: &'a Setting,
    origin: Nanos,
}

impl<'a> House<'a> {
    /// Runs and writes; whatever happens, the record says how far it came.
    fn carry_out(
        &self,
        mut record: Recorder,
        opened: Opened<'a>,
        closing: &Closing<'_>,
        directory: &mut MeasuredDirectory,
    ) -> Measured {
        let path = self.request.record.as_path();
        let mut opened = Some(opened);
        let error = record.begin().and_then(|()| self.run_all(&mut record, &mut opened)).err();
        record.conclude(error.as_ref());
        let closed = closing.close(opened, directory, can_go_on(&record, self.request, error.as_ref()));
        let written = record.end();
        if let (Some(_), Err(second)) = (&error, &closed) {
            self.workplace.listener.hear(&Event::Note(&format!("what was begun could not be ended: {second}")));
        }
        let error = error.or(written.err()).or(closed.err());
        let error = error.map(|error| match error.fault {
            Fault::Interrupted if self.is_single => error.hint(GO_ON),
            _ => error,
        });
        Measured { record: record.into_record(), path: path.to_owned(), error }
    }

    /// One load after the other, each table read after its last one. What fails once would fail again. `opened` is the
    /// engine as it stands, for the caller to close.
    fn run_all(&self, record: &mut Recorder, opened: &mut Option<Opened<'a>>) -> Result<()> {
        let plan = record.plan.clone();
        self.announce(&plan);
        let sizes = sizes(&self.request.request(&[], false), opened.as_ref());
        let Self { workplace, setting, origin, request, .. } = *self;
        let premises = Premises { workplace, setting, plan: &plan, sizes: &sizes, looks: request.looks, origin };
        let (probes, runs): (Vec<&PlannedRun>, Vec<&PlannedRun>) =
            plan.runs.iter().partition(|planned| planned.test == DeviceProbe::SEQUENTIAL.code);
        for planned in probes {
            self.probe(record, &premises, opened.as_ref(), planned)?;
        }
        let mut runs = runs.into_iter();
        let mut known: Option<Figures> = None;
        for (load, is_first) in self.loads.loads.iter().zip([true].into_iter().chain(std::iter::repeat(false))) {
            let (Some(there), Some(planned)) = (opened.as_ref(), runs.next()) else { return Ok(()) };
            let rejects = is_first.then_some(request.rejects.as_path());
            let one = OneLoad { request, load, piece: self.loads.piece, rejects, known: known.as_ref() };
            let (run, figures) = premises.with_bench(there, |bench| one.measure(bench, planned))?;
            let left = figures.as_ref().map(|figures| left(&run, figures, known.as_ref()));
            self.note(record, run, |message| failed(message, self.is_single))?;
            known = known.or(figures.filter(Figures::is_complete));
            for (scan, planned) in load.scans.iter().zip(&mut runs) {
                let Some(left) = &left else { return Ok(()) };
                self.scan(record, &premises, opened, (load, scan, left), planned)?;
            }
            if let Some(there) = opened.as_ref().filter(|_| !request.keep) {
                premises.with_bench(there, |bench| self.forget(bench.stage(), load))?;
            }
        }
        Ok(())
    }

    /// What the device gives, before anything of the engine's lies on it.
    fn probe(
        &self,
        record: &mut Recorder,
        premises: &Premises<'_>,
        opened: Option<&Opened<'_>>,
        planned: &PlannedRun,
    ) -> Result<()> {
        let (Some(opened), Some(probe)) = (opened, DeviceProbe::SEQUENTIAL.probe()) else { return Ok(()) };
        let group = std::slice::from_ref(planned);
        premises.with_bench(opened, |bench| {
            run_group(bench, record, Item::Probe(probe), group, &mut ProbeGround::default())
        })
    }

    /// One scan. A cold one begins with the engine started anew.
    fn scan(
        &self,
        record: &mut Recorder,
        premises: &Premises<'_>,
        opened: &mut Option<Opened<'a>>,
        (load, scan, left): (&PlannedLoad, &PlannedScan, &Left),
        planned: &PlannedRun,
    ) -> Result<()> {
        if scan.is_cold {
            opened.take().map_or(Ok(()), |before| before.nodes.close())?;
            *opened = Some(open(self.plain, self.workplace, &self.plot)?);
        }
        let Some(there) = opened.as_ref() else { return Ok(()) };
        let one = OneScan { scan, table: &load.table, left, preset: self.request.preset };
        let run = premises.with_bench(there, |bench| one.measure(bench, planned))?;
        self.note(record, run, |message| Error::environment(message))
    }

    /// Adds `run` to the record; one that failed ends all, with what `refused` makes of its message.
    fn note(&self, record: &mut Recorder, run: Run, refused: impl Fn(&str) -> Error) -> Result<()> {
        self.workplace.listener.hear(&Event::Ended(&run));
        let broken = match &run.outcome {
            Outcome::Failed { message } => Some(refused(message)),
            Outcome::Done => None,
        };
        record.add_run(run)?;
        broken.map_or(Ok(()), Err)
    }

    fn forget(&self, stage: Option<workload::Stage<'_>>, load: &PlannedLoad) -> Result<()> {
        Ok(stage.map_or(Ok(()), |stage| load::forget(&stage, &load.table))?)
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

/// What `run`, a load, left in its table, of which `figures` are known; what lines that were sent as they are hold, another
/// run over the same source may have counted.
fn left(run: &Run, figures: &Figures, known: Option<&Figures>) -> Left {
    let known = known.filter(|known| !figures.is_complete() && known.rows == figures.rows);
    let load = run.load.as_deref();
    Left {
        figures: known.unwrap_or(figures).clone(),
        table_bytes: load.and_then(|load| load.table_bytes),
        flat_bytes: run.data_bytes.filter(|_| load.is_some_and(|load| !load.is_rest())),
    }
}
