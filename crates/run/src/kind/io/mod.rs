//! Storage without an engine: an I/O plan is carried out, a service level is searched, a device is calibrated. Each run
//! is recorded like any other.

mod calibrate;
mod file_set;
mod folder;
mod geometry;
mod log;
mod member;
mod permission;
mod phase;
mod precondition;
mod preparation;
mod probes;
mod proof;
mod request;
mod stall;
mod stream;
mod until;
mod verification;

use std::fs::File;
use std::path::{Path, PathBuf};

use probe::storage::Ledger;
use record::{Bytes, Dop, IoPhase, IoPlan, Nanos, Pace, Plan, PlannedRun, Preset, ProofSubject, Run, RunKind};

use self::log::Log;
use self::precondition::{filling, precondition};
use self::preparation::lock_devices;
use crate::bench::Bench;
use crate::directory::MeasuredDirectory;
use crate::invocation::{Kind, Measured, invoke};
use crate::network::{Peer, ReachedPeer, reach};
use crate::platform::{Context, Platform};
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Event, Result, Setup};

pub use self::calibrate::calibration_phases;
pub(in crate::kind) use self::file_set::FileSet;
pub(in crate::kind) use self::folder::Folder;
pub use self::permission::{Permission, is_foreign};
pub(in crate::kind) use self::phase::{PhaseContext, PhaseRun, measure_phase};
pub(crate) use self::probes::{ProbeFiles, StorageSupport, add_jobs, probe_context, same_device};
pub use self::proof::{ProofParts, ProofSizes};
pub use self::request::{Goal, IoRequest};

/// The folder of the files, separate from those of engines.
const FOLDER: &str = "io";

/// Carries out `request`.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_io(request: &IoRequest, context: Context<'_>) -> Result<Measured> {
    Ok(invoke(&mut Io { request, prepared: None, peer: None }, [context], None)?.measured(&request.setup.record))
}

/// Checks whether `request` can be carried out, without creating anything; returns the bytes of files that it would
/// create.
///
/// # Errors
/// As for [`measure_io`].
pub fn survey_io(request: &IoRequest) -> Result<Bytes> {
    check_goal(request)?;
    if !request.setup.directory.is_dir() {
        return Err(
            Error::user(format!("{} is not a directory", request.setup.directory.display())).hint("give another --dir")
        );
    }
    Ok(survey(request, &request.setup.directory)?.bytes_to_make())
}

/// The files of the plan; preconditioning writes where its jobs read.
fn survey(request: &IoRequest, data: &Path) -> Result<FileSet> {
    let mut plan = request.plan.clone();
    if request.precondition.is_some() {
        plan.phases = plan.phases.iter().flat_map(|phase| [filling(phase), phase.clone()]).collect();
    }
    FileSet::survey(&plan, data, &request.permission)
}

struct Io<'r> {
    request: &'r IoRequest,
    prepared: Option<Prepared>,
    /// The peer of the network probes, whose path is a ceiling of a fabric.
    peer: Option<ReachedPeer>,
}

/// What is prepared before the first run.
struct Prepared {
    file_set: FileSet,
    log: Option<Log>,
    /// Locks the devices and files.
    _locked: Vec<File>,
    /// Removed with its content.
    _folder: Folder,
}

impl Kind for Io<'_> {
    fn setup(&self) -> Setup {
        self.request.setup.clone()
    }

    /// No engine is opened.
    fn jobs_max(&self) -> u32 {
        0
    }

    fn records(&self) -> [PathBuf; 1] {
        [self.request.setup.record.clone()]
    }

    /// Impossible requests are refused before anything is created.
    fn check(&self, _contexts: &[Context<'_>; 1]) -> Result<()> {
        survey_io(self.request).map(drop)
    }

    fn needs_engine(&self) -> bool {
        false
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        let version = &self.request.setup.version;
        self.peer = self.request.network.as_ref().map(|peer| reach(peer, version)).transpose()?;
        let folder = Folder::make(&directory.data(), FOLDER)?;
        let file_set = survey(self.request, folder.path())?;
        let locked = lock_devices(&file_set)?;
        let log = self.request.log.as_deref().map(Log::create).transpose()?;
        let watched = match &self.request.goal {
            // The members are devices of their own; the platform is that of the volume.
            Goal::Prove { parts, .. } if parts.subject() == Some(ProofSubject::Volume) => directory.path().to_owned(),
            _ => watched(&file_set, directory.path()),
        };
        if watched != directory.path() {
            platform.watch(&watched);
        }
        platform.watched = watched;
        self.prepared = Some(Prepared { file_set, log, _locked: locked, _folder: folder });
        let mut plan = plan(self.request, directory.path());
        if let Some(peer) = &self.peer {
            plan.network = Some(peer.path.clone());
            plan.runs.splice(0..0, proof::network_runs());
            plan.number();
        }
        Ok([plan])
    }

    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let request = self.request;
        let Some(Prepared { file_set, log, .. }) = &mut self.prepared else { return Ok(()) };
        let plan = record.plan.clone();
        announce(request, &plan, &platform.context);
        platform.peer = self.peer.as_ref().map(Peer::of);
        let write_log = |run: &Run, ledger: &Ledger, origin: Nanos| -> Result<()> {
            let Some(log) = log.as_ref() else { return Ok(()) };
            match log.write(run, ledger, origin)? {
                0 => {}
                missed => {
                    let note = format!("{missed} I/Os exceeded the capacity of the log");
                    platform.context.listener.on_event(&Event::Note(&note));
                }
            }
            Ok(())
        };
        let mut context = PhaseContext {
            file_set: std::mem::take(file_set),
            writer: request.setup.seed,
            seed: request.setup.seed,
            log_room: log.as_ref().map_or(0, |_| Log::room(lanes(&request.plan))),
            log: &write_log,
        };
        platform.without_engine(&plan, |bench| match &request.goal {
            Goal::Measure => measure_all(bench, &mut context, request, record),
            Goal::Until(until) => match request.plan.phases.first() {
                Some(phase) => until::until(bench, &mut context, phase, until, record),
                None => Ok(()),
            },
            Goal::Prove { .. } => proof::prove(bench, &mut context, &request.plan, record),
            Goal::Calibrate { bound, disks } => {
                calibrate::calibrate(bench, &mut context, &request.plan, bound, *disks, record)
            }
        })
    }

    fn close(
        &mut self,
        _platform: &mut Platform<'_>,
        _directory: &mut MeasuredDirectory,
        _end: Option<(&record::Record, Option<&Error>)>,
    ) -> Result<()> {
        self.prepared = None;
        Ok(())
    }
}

fn check_goal(request: &IoRequest) -> Result<()> {
    if request.plan.phases.iter().all(|phase| phase.jobs.is_empty()) {
        return Err(Error::user("there is no job").hint("give a job file, or --rw, --bs and --size"));
    }
    match &request.goal {
        Goal::Until(_) => until::check(&request.plan),
        _ => Ok(()),
    }
}

/// Path whose block device is sampled: the device that is named, or the directory.
fn watched(file_set: &FileSet, directory: &Path) -> std::path::PathBuf {
    let found = file_set.files.values().find(|file| file.found);
    found.map_or_else(|| directory.to_owned(), |file| file.path.clone())
}

fn plan(request: &IoRequest, directory: &Path) -> Plan {
    let jobs = || request.plan.phases.iter().flat_map(|phase| &phase.jobs);
    let planned = |phase: &IoPhase| {
        let clones = phase.jobs.iter().map(|job| job.clones).sum();
        PlannedRun::new(phase.name.clone(), RunKind::Io, Dop::jobs(clones))
    };
    let runs = match &request.goal {
        Goal::Prove { parts, rounds } => parts.runs(*rounds, request.setup.seed),
        _ => request.plan.phases.iter().map(planned).collect(),
    };
    let mut plan = Plan {
        window_ns: jobs().filter_map(|job| job.run_time).max().unwrap_or_default(),
        warm_up_ns: jobs().map(|job| job.ramp_time).max().unwrap_or_default(),
        seed: request.setup.seed,
        pace: jobs().next().map_or(Pace::Unthrottled, |job| job.pace),
        until: match &request.goal {
            Goal::Until(until) => Some(until.clone()),
            Goal::Measure | Goal::Calibrate { .. } | Goal::Prove { .. } => None,
        },
        runs,
        io: Some(request.plan.clone()),
        ..Plan::new("storage", directory.display().to_string(), Preset::Standard)
    };
    plan.number();
    plan
}

/// The largest number of lanes of a phase.
fn lanes(plan: &IoPlan) -> u32 {
    let clones = plan.phases.iter().map(|phase| phase.jobs.iter().map(|job| job.clones).sum::<u32>());
    clones.max().unwrap_or(1)
}

fn announce(request: &IoRequest, plan: &Plan, context: &Context<'_>) {
    if !matches!(request.goal, Goal::Measure | Goal::Prove { .. }) {
        // The number of measurements of a search is not known in advance.
        let note = format!("searching; record {}", request.setup.record.display());
        return context.listener.on_event(&Event::Note(&note));
    }
    let length = |phase: &IoPhase| {
        let jobs = phase.jobs.iter().map(|job| job.ramp_time.0 + job.run_time.unwrap_or_default().0);
        jobs.max().unwrap_or(0)
    };
    let rounds = if let Goal::Prove { rounds, .. } = request.goal { u64::from(rounds.max(1)) } else { 1 };
    let once = request.plan.phases.iter().map(length).fold(0, u64::saturating_add);
    context.listener.on_event(&Event::Planned {
        runs: plan.runs.len(),
        expected: Nanos(once.saturating_mul(rounds)),
        skipped: &[],
        records: &[&request.setup.record],
    });
}

fn measure_all(
    bench: &Bench<'_>,
    context: &mut PhaseContext<'_>,
    request: &IoRequest,
    record: &mut Recorder,
) -> Result<()> {
    for (phase, number) in request.plan.phases.iter().zip(1..) {
        let rounds = match request.precondition {
            Some(length) => precondition(bench, context, phase, number, length)?,
            None => Vec::new(),
        };
        let phase_run = PhaseRun { rounds, ..PhaseRun::of(phase) };
        let run = measure_phase(bench, context, phase, number, phase_run)?;
        if keep(bench, record, run)?.is_some() {
            // The next phase would find the same device; the record keeps what was measured.
            return Ok(());
        }
    }
    Ok(())
}
