//! Bulk load of flat files: a run for each model, form and degree of parallelism; and scans of what was loaded.

mod closing;
mod loaded;
mod measurement;
mod plan;
mod request;
mod scan_plan;
mod scanning;
mod space;

use std::path::Path;

use record::{LoadPart, Nanos, Plan, PlannedRun, Preset, Record, Run};
use workload::load::{self, Figures, Input, LoadTable, Unfit};

use self::closing::{RESUME_HINT, close, failed, is_resumable, mistake};
use self::measurement::OneLoad;
use self::plan::{loads, plan};
use self::scan_plan::ScanContext;
use self::scanning::{LoadedTable, OneScan};
use crate::bench::Bench;
use crate::directory::MeasuredDirectory;
use crate::fleet::{add_agents, check_target};
use crate::invocation::{Kind, Measured, invoke, survey};
use crate::kind::device::DeviceProbe;
use crate::kind::io::StorageSupport;
use crate::platform::{Context, OpenEngine, OpenOptions, Platform};
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Fault, Result, Setup};

pub use self::plan::{LoadPlan, PlannedLoad};
pub use self::request::{LoadRequest, ScanRequest};
pub use self::scan_plan::PlannedScan;

/// Loads the source of `request`.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_load(request: &LoadRequest, context: Context<'_>) -> Result<Measured> {
    let mut kind = Load::new(request, context);
    let measured = invoke(&mut kind, [context], None)?.measured(&request.setup.record);
    let error = measured.error.map(|error| match error.fault {
        Fault::Interrupted if kind.is_single => error.hint(RESUME_HINT),
        _ => error,
    });
    Ok(Measured { error, ..measured })
}

/// The loads of `request`, without carrying them out. The engine is opened to query its capabilities, and closed again.
///
/// # Errors
/// As for [`measure_load`].
pub fn dry_run_load(request: &LoadRequest, context: Context<'_>) -> Result<LoadPlan> {
    let mut kind = Load { stays_meanwhile: request.setup.keep, checks_space: false, ..Load::new(request, context) };
    survey(&mut kind, [context])?;
    Ok(kind.loads)
}

struct Load<'r> {
    request: &'r LoadRequest,
    degrees: Vec<u32>,
    /// Whether the engine is an external server, which keeps nothing in the directory.
    elsewhere: bool,
    /// Whether there is one load, which can be resumed.
    is_single: bool,
    /// Whether the database has to outlive the invocation in any case: a killed invocation cannot decide it later.
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
            elsewhere: context.target.is_external(),
            is_single,
            stays_meanwhile: request.setup.keep || is_single,
            checks_space: true,
            loads: LoadPlan::default(),
        }
    }
}

impl Kind for Load<'_> {
    fn setup(&self) -> Setup {
        Setup { keep: self.stays_meanwhile, ..self.request.setup.clone() }
    }

    fn jobs_max(&self) -> u32 {
        self.degrees.iter().copied().max().unwrap_or(0)
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
        // An engine that is reopened for each cold scan must keep its data when closed; the directory is removed with
        // its content.
        let options = OpenOptions::of(directory);
        let keep = options.keep || (self.checks_space && self.request.scans.is_some() && !self.elsewhere);
        Ok(OpenOptions { keep, ..options })
    }

    fn check(&self, [context]: &[Context<'_>; 1]) -> Result<()> {
        match (context.fleet, &self.request.input) {
            (Some(_), Input::Pipe) => {
                Err(Error::user("a pipe cannot be read by a fleet").hint("give files, or leave them out"))
            }
            _ => {
                let LoadRequest { input, layout, compression, .. } = self.request;
                input.check(layout, *compression).map_err(|message| mistake(&message))
            }
        }
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        let (fleet, target) = (platform.context.fleet, platform.context.target);
        let opened = platform.opened()?;
        check_target(fleet, target, Some(&opened.nodes))?;
        if fleet.is_some() && !opened.nodes.first().caps().answers {
            return Err(Error::user(format!("agents cannot load {target} together: it keeps no rows"))
                .hint("give the target of a server"));
        }
        self.loads = loads(self.request, opened.nodes.first().caps(), &self.degrees, &context(opened))?;
        let mut plan = plan(self.request, &self.loads, &platform.context.target.to_string(), directory.path());
        add_agents(&mut plan, fleet);
        if self.request.scans.as_ref().is_some_and(|scans| scans.probes) && !self.elsewhere {
            let support = StorageSupport::detect(&directory.data(), Preset::Quick);
            DeviceProbe::SEQUENTIAL.add_to(&mut plan, &support, 1, self.request.setup.preset.windows().1);
        }
        Ok([plan])
    }

    /// One load after the other; each table is scanned after its last load. A failure would repeat.
    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let request = self.request;
        let plan = record.plan.clone();
        platform.context.announce(&plan, Nanos(0), &request.setup.record);
        let runs = DeviceProbe::SEQUENTIAL.measure(platform, &plan, record)?;
        let mut runs = runs.into_iter();
        let mut known: Option<Figures> = None;
        for (load, number) in self.loads.loads.iter().zip(0..) {
            let Some(planned) = runs.next() else { return Ok(()) };
            let rejects = (number == 0).then_some(request.rejects.as_path());
            let one = OneLoad { request, load, batch: self.loads.batch, rejects, known: known.as_ref() };
            let (left, figures) = platform.with_bench(&plan, |bench| {
                let (run, figures) = one.measure(bench, planned)?;
                let left = figures.as_ref().map(|figures| loaded_table(&run, figures, known.as_ref()));
                check_outcome(keep(bench, record, run)?, |message| failed(message, self.is_single))?;
                Ok((left, figures))
            })?;
            known = known.or(figures.filter(Figures::is_complete));
            for (scan, planned) in load.scans.iter().zip(&mut runs) {
                let Some(left) = &left else { return Ok(()) };
                if scan.is_cold {
                    // Before a cold scan the engine is restarted.
                    platform.reopen(platform.options.clone())?;
                }
                let one = OneScan { scan, table: &load.table, left, preset: request.setup.preset };
                platform.with_bench(&plan, |bench| {
                    let run = one.measure(bench, planned)?;
                    check_outcome(keep(bench, record, run)?, |message| Error::environment(message))
                })?;
            }
            if !request.setup.keep {
                platform.with_bench(&plan, |bench| remove(bench, load))?;
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
            directory.reset_keep();
            return Ok(());
        }
        let is_resumable = match end {
            Some((record, error)) => is_resumable(record, self.request, error),
            None => self.request.resume,
        };
        close(self.request, self.is_single && is_resumable, self.is_single, platform, directory)
    }
}

/// Carries out the jobs of an agent in `planned`, into the table that its coordinator has made.
pub(in crate::kind) fn measure_part(
    platform: &Platform<'_>,
    bench: &Bench<'_>,
    planned: &PlannedRun,
    (setup, part): (Setup, &LoadPart),
) -> Result<Run> {
    let request = LoadRequest::of_agent(setup, part)?;
    let caps = platform.opened()?.nodes.first().caps();
    let table = LoadTable::new(&part.table, &request.layout, part.model, &request.months, caps);
    let table = table.map_err(|Unfit(reason)| Error::user(format!("table {} {reason}", part.table)))?;
    let load = PlannedLoad { form: part.form, jobs: planned.dop.jobs, table, scans: Vec::new() };
    let one = OneLoad { request: &request, load: &load, batch: part.batch_bytes, rejects: None, known: None };
    Ok(one.measure(bench, planned)?.0)
}

/// A failed run ends the invocation, with the error that `refused` makes of its message.
fn check_outcome(failure: Option<String>, refused: impl Fn(&str) -> Error) -> Result<()> {
    failure.map_or(Ok(()), |message| Err(refused(&message)))
}

fn remove(bench: &Bench<'_>, load: &PlannedLoad) -> Result<()> {
    Ok(bench.test_context().map_or(Ok(()), |context| load::remove(&context, &load.table))?)
}

/// What scans can use of the open engine.
fn context(opened: &OpenEngine<'_>) -> ScanContext {
    let data = opened.nodes.first().data_directory();
    let in_memory = |data: &Path| host::place(data).is_ok_and(|place| place.medium == host::Medium::Memory);
    let never_cold = match data {
        _ if !opened.inventory.temporary => {
            Some("dbdyno cannot empty the caches of a server that it did not start: all scans are warm")
        }
        None => Some("the location of the files of the engine is unknown: all scans are warm"),
        Some(data) if in_memory(data) => Some("the files of the engine are in memory: all scans are warm"),
        Some(_) => None,
    };
    ScanContext { processors: host::cpus_allowed().len() as u32, never_cold: never_cold.map(str::to_owned) }
}

/// The table that `run`, a load, left, with its known `figures`; the content of lines that were sent unparsed may be
/// known from another run over the same source.
fn loaded_table(run: &Run, figures: &Figures, known: Option<&Figures>) -> LoadedTable {
    let known = known.filter(|known| !figures.is_complete() && known.rows == figures.rows);
    let load = run.load.as_deref();
    LoadedTable {
        figures: known.unwrap_or(figures).clone(),
        table_bytes: load.and_then(|load| load.table_bytes),
        flat_bytes: run.data_bytes.filter(|_| load.is_some_and(|load| !load.is_resumed())),
    }
}

#[cfg(test)]
mod tests;
