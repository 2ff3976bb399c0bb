//! Bulk load of flat files: a run for each model, form and degree of parallelism; and scans of what was loaded.

mod closing;
mod loaded;
mod measurement;
mod plan;
mod request;
mod scan_plan;
mod scanning;
mod space;
mod telling;

use std::path::{Path, PathBuf};

use record::{Nanos, Plan, PlannedRun, Preset, Record, Run, RunKind};
use workload::load::{self, Figures};

use self::closing::{GO_ON, can_go_on, close, failed};
use self::measurement::OneLoad;
use self::plan::{loads, plan};
use self::scan_plan::ScanContext;
use self::scanning::{Left, OneScan};
use crate::bench::Bench;
use crate::device::DeviceProbe;
use crate::directory::MeasuredDirectory;
use crate::invocation::{Context, Kind, Measured, invoke, survey};
use crate::item::Item;
use crate::kind::catalogue::run_group;
use crate::kind::io::{Offer, ProbeFiles};
use crate::platform::{OpenEngine, OpenOptions, Platform, is_elsewhere};
use crate::recorder::Recorder;
use crate::request::windows;
use crate::run::keep;
use crate::{Error, Event, Fault, Request, Result};

pub use self::plan::{LoadPlan, PlannedLoad};
pub use self::request::{LoadRequest, ScanRequest};
pub use self::scan_plan::PlannedScan;

/// Loads what `request` asks for.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_load(request: &LoadRequest, context: Context<'_>) -> Result<Measured> {
    let mut kind = Load::new(request, context);
    let measured = invoke(&mut kind, [context], None)?.measured(&request.record);
    let error = measured.error.map(|error| match error.fault {
        Fault::Interrupted if kind.is_single => error.hint(GO_ON),
        _ => error,
    });
    Ok(Measured { error, ..measured })
}

/// The loads of `request`, without carrying them out. The engine is opened to ask what it can do, and closed again.
///
/// # Errors
/// As for [`measure_load`].
pub fn dry_run_load(request: &LoadRequest, context: Context<'_>) -> Result<LoadPlan> {
    let mut kind = Load { stays_meanwhile: request.keep, checks_space: false, ..Load::new(request, context) };
    survey(&mut kind, [context])?;
    Ok(kind.loads)
}

struct Load<'r> {
    request: &'r LoadRequest,
    degrees: Vec<u32>,
    /// Whether the engine is a server of somebody else's, which keeps nothing in the directory.
    elsewhere: bool,
    /// Whether there is one load, which can be gone on with.
    is_single: bool,
    /// Whether the database has to outlive the invocation whatever happens: one that is killed cannot decide it any more.
    stays_meanwhile: bool,
    checks_space: bool,
    loads: LoadPlan,
}

impl<'r> Load<'r> {
    fn new(request: &'r LoadRequest, context: Context<'_>) -> Load<'r> {
        let degrees = request.degrees(host::cpus_allowed().len() as u32);
        let is_single = request.models.len() * request.forms.len() * degrees.len() == 1;
        Load {
            request,
            degrees,
            elsewhere: is_elsewhere(context.target),
            is_single,
            stays_meanwhile: request.keep || is_single,
            checks_space: true,
            loads: LoadPlan::default(),
        }
    }
}

impl Kind for Load<'_> {
    fn request(&self) -> Request {
        self.request.request(&self.degrees, self.stays_meanwhile)
    }

    fn records(&self) -> [PathBuf; 1] {
        [self.request.record.clone()]
    }

    fn keeps_directory(&self) -> bool {
        self.stays_meanwhile && !self.elsewhere
    }

    fn options(
        &self,
        directory: &MeasuredDirectory,
        _context: &Context<'_>,
        _opened: &[Platform<'_>],
    ) -> Result<OpenOptions> {
        if self.checks_space && !self.elsewhere {
            space::check(self.request, self.request.models.len(), &directory.data())?;
        }
        // What is opened again for each cold scan must not go when it is closed; the directory goes with all that is in it.
        let options = OpenOptions::of(directory);
        let keep = options.keep || (self.checks_space && self.request.scans.is_some() && !self.elsewhere);
        Ok(OpenOptions { keep, ..options })
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        let opened = open(platform)?;
        self.loads = loads(self.request, opened.nodes.first().caps(), &self.degrees, &context(opened))?;
        let mut plan = plan(self.request, &self.loads, &platform.context.target.to_string(), directory.path());
        if self.request.scans.as_ref().is_some_and(|scans| scans.probes) && !self.elsewhere {
            let offer = Offer::look(&directory.data(), Preset::Quick);
            DeviceProbe::SEQUENTIAL.add_to(&mut plan, &offer, 1, windows(self.request.preset).1);
        }
        Ok([plan])
    }

    /// One load after the other, each table read after its last one. What fails once would fail again.
    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let request = self.request;
        let plan = record.plan.clone();
        self.announce(platform, &plan);
        let (probes, runs): (Vec<&PlannedRun>, Vec<&PlannedRun>) =
            plan.runs.iter().partition(|planned| planned.kind == RunKind::Probe);
        for planned in probes {
            // What the device gives, before anything of the engine's lies on it.
            let Some(probe) = DeviceProbe::SEQUENTIAL.probe() else { continue };
            platform.with_bench(&plan, |bench| {
                let group = std::slice::from_ref(planned);
                run_group(bench, record, Item::Probe(probe), group, &mut ProbeFiles::default())
            })?;
        }
        let mut runs = runs.into_iter();
        let mut known: Option<Figures> = None;
        for (load, place) in self.loads.loads.iter().zip(0..) {
            let Some(planned) = runs.next() else { return Ok(()) };
            let rejects = (place == 0).then_some(request.rejects.as_path());
            let one = OneLoad { request, load, batch: self.loads.batch, rejects, known: known.as_ref() };
            let (left, figures) = platform.with_bench(&plan, |bench| {
                let (run, figures) = one.measure(bench, planned)?;
                let left = figures.as_ref().map(|figures| left(&run, figures, known.as_ref()));
                ended(keep(bench, record, run)?, |message| failed(message, self.is_single))?;
                Ok((left, figures))
            })?;
            known = known.or(figures.filter(Figures::is_complete));
            for (scan, planned) in load.scans.iter().zip(&mut runs) {
                let Some(left) = &left else { return Ok(()) };
                if scan.is_cold {
                    // A cold one begins with the engine started anew.
                    platform.reopen(platform.options.clone())?;
                }
                let one = OneScan { scan, table: &load.table, left, preset: request.preset };
                platform.with_bench(&plan, |bench| {
                    let run = one.measure(bench, planned)?;
                    ended(keep(bench, record, run)?, |message| Error::environment(message))
                })?;
            }
            if !request.keep {
                platform.with_bench(&plan, |bench| forget(bench, load))?;
            }
        }
        Ok(())
    }

    fn close(
        &mut self,
        platform: &mut Platform<'_>,
        directory: &mut MeasuredDirectory,
        end: Option<(&Record, Option<&Error>)>,
    ) -> Result<()> {
        if platform.engine.is_none() && end.is_none() {
            directory.let_go();
            return Ok(());
        }
        let can_go_on = match end {
            Some((record, error)) => can_go_on(record, self.request, error),
            None => self.request.resume,
        };
        close(self.request, self.is_single && can_go_on, self.is_single, platform, directory)
    }
}

impl Load<'_> {
    fn announce(&self, platform: &Platform<'_>, plan: &Plan) {
        let (runs, records) = (plan.runs.len(), [self.request.record.as_path()]);
        let planned = Event::Planned { runs, expected: Nanos(0), skipped: &plan.skipped, records: &records };
        platform.context.listener.on_event(&planned);
    }
}

fn open<'p, 'a>(platform: &'p Platform<'a>) -> Result<&'p OpenEngine<'a>> {
    platform.engine.as_ref().ok_or_else(|| Error::user("a load needs an engine"))
}

/// A run that failed ends all, with what `refused` makes of its message.
fn ended(failure: Option<String>, refused: impl Fn(&str) -> Error) -> Result<()> {
    failure.map_or(Ok(()), |message| Err(refused(&message)))
}

fn forget(bench: &Bench<'_>, load: &PlannedLoad) -> Result<()> {
    Ok(bench.stage().map_or(Ok(()), |stage| load::forget(&stage, &load.table))?)
}

/// What the engine offers to scans, as it is open.
fn context(opened: &OpenEngine<'_>) -> ScanContext {
    let data = opened.nodes.first().data_directory();
    let in_memory = |data: &Path| host::place(data).is_ok_and(|place| place.medium.has_device() == Some(false));
    let never_cold = match data {
        _ if !opened.inventory.temporary => {
            Some("the caches of a server that dbdyno did not start cannot be emptied: what is read is read warm")
        }
        None => Some("where the engine keeps its files is not known: what is read is read warm"),
        Some(data) if in_memory(data) => Some("the engine's files lie in memory: what is read is read warm"),
        Some(_) => None,
    };
    ScanContext { processors: host::cpus_allowed().len() as u32, never_cold: never_cold.map(str::to_owned) }
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
