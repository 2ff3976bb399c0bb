//! Storage without an engine: an I/O plan is carried out, a service level is searched, a device is calibrated. Each run
//! is recorded like any other.

mod agent_files;
mod agent_parts;
mod calibrate;
mod file_set;
mod folder;
mod geometry;
mod log;
mod member;
mod permission;
mod phase;
mod phase_context;
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
use std::time::{SystemTime, UNIX_EPOCH};

use probe::storage::Ledger;
use record::{Bytes, Dop, IoPhase, IoPlan, Nanos, Pace, Plan, PlannedRun, Preset, ProofSubject, Run, RunKind};

use self::agent_files::FOLDER;
use self::log::Log;
use self::phase_context::{FilesWanted, clones};
use self::precondition::{filling, precondition};
use self::preparation::lock_devices;
use crate::bench::Bench;
use crate::directory::MeasuredDirectory;
use crate::fleet::add_agents;
use crate::hands::Fleet;
use crate::invocation::{Kind, Measured, invoke};
use crate::network::{Peer, ReachedPeer, reach};
use crate::order::in_rounds;
use crate::platform::{Context, Platform};
use crate::recorder::Recorder;
use crate::request::jobs_of_agents;
use crate::run::keep;
use crate::{Error, Event, Result, Setup};

pub(in crate::kind) use self::agent_files::AgentFiles;
pub use self::calibrate::calibration_phases;
pub(in crate::kind) use self::file_set::FileSet;
pub(in crate::kind) use self::folder::Folder;
pub use self::permission::{Permission, is_foreign, not_found};
pub(in crate::kind) use self::phase::measure_phase;
pub(in crate::kind) use self::phase_context::{PhaseContext, PhaseRun};
pub(crate) use self::probes::{ProbeFiles, StorageSupport, add_jobs};
pub use self::proof::{ProofParts, ProofSizes};
pub use self::request::{Goal, IoRequest};

/// Carries out `request`.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_io(request: &IoRequest, context: Context<'_>) -> Result<Measured> {
    Ok(invoke(&mut Io::new(request), [context], None)?.measured(&request.setup.record))
}

/// Checks whether `request` can be carried out by `agents` on this machine, or by this process as one, without creating
/// anything; returns the bytes of files that each would create.
///
/// # Errors
/// As for [`measure_io`].
pub fn survey_io(request: &IoRequest, agents: u32) -> Result<Bytes> {
    check_goal(request)?;
    if !request.setup.directory.is_dir() {
        return Err(
            Error::user(format!("{} is not a directory", request.setup.directory.display())).hint("give another --dir")
        );
    }
    let FilesWanted { plan, permission } = files_wanted(request);
    let file_set = FileSet::survey(&plan, &request.setup.directory, &permission)?;
    file_set.check_space(agents)?;
    Ok(file_set.bytes_to_make())
}

/// What the files of `request` follow from: preconditioning writes where its jobs read.
fn files_wanted(request: &IoRequest) -> FilesWanted {
    let mut plan = request.plan.clone();
    if request.precondition.is_some() {
        plan.phases = plan.phases.iter().flat_map(|phase| [filling(phase), phase.clone()]).collect();
    }
    FilesWanted { plan, permission: request.permission.clone() }
}

struct Io<'r> {
    request: &'r IoRequest,
    /// What the files follow from, preconditioning included.
    wanted: FilesWanted,
    prepared: Option<Prepared>,
    /// The peer of the network probes, whose path is a ceiling of a fabric.
    peer: Option<ReachedPeer>,
}

/// What is prepared before the first run: nothing where agents do it.
#[derive(Default)]
struct Prepared {
    file_set: FileSet,
    log: Option<Log>,
    /// Locks the devices and files.
    _locked: Vec<File>,
    /// Removed with its content.
    _folder: Option<Folder>,
}

impl<'r> Io<'r> {
    fn new(request: &'r IoRequest) -> Io<'r> {
        Io { request, wanted: files_wanted(request), prepared: None, peer: None }
    }

    /// Finds out what the jobs work on, and locks it.
    fn prepare(&self, directory: &MeasuredDirectory) -> Result<Prepared> {
        let folder = Folder::make(&directory.data(), FOLDER)?;
        let file_set = FileSet::survey(&self.wanted.plan, folder.path(), &self.wanted.permission)?;
        let locked = lock_devices(&file_set)?;
        let log = self.request.log.as_deref().map(Log::create).transpose()?;
        Ok(Prepared { file_set, log, _locked: locked, _folder: Some(folder) })
    }

    /// Path whose block device is sampled at the coordinator of `fleet`: that of its agents on this machine.
    fn watched_by_agents(&self, fleet: &dyn Fleet, directory: &Path) -> PathBuf {
        let named = self.request.permission.devices.first().filter(|_| fleet.agent_hosts().is_empty());
        named.map_or_else(|| directory.to_owned(), PathBuf::clone)
    }
}

impl Kind for Io<'_> {
    fn setup(&self) -> Setup {
        self.request.setup.clone()
    }

    /// No engine is opened.
    fn jobs_max(&self) -> u32 {
        0
    }

    /// Impossible requests are refused before anything is created.
    fn check(&self, [context]: &[Context<'_>; 1]) -> Result<()> {
        let Some(_) = context.fleet else { return survey_io(self.request, 1).map(drop) };
        // What is on the hosts of agents is surveyed by them.
        check_goal(self.request)?;
        let refused = |what: &str| Err(Error::user(format!("{what} is not supported by a fleet")));
        match (&self.request.goal, &self.request.log) {
            (_, Some(_)) => refused("a log of every I/O (--log)"),
            (Goal::Calibrate { .. }, _) => refused("a calibration"),
            (Goal::Prove { .. }, _) => refused("a proof"),
            (Goal::Measure | Goal::Until(_), None) => Ok(()),
        }
    }

    fn needs_engine(&self) -> bool {
        false
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        let version = &self.request.setup.version;
        self.peer = self.request.network.as_ref().map(|peer| reach(peer, version)).transpose()?;
        let fleet = platform.context.fleet;
        let prepared = if fleet.is_none() { self.prepare(directory)? } else { Prepared::default() };
        let watched = match (fleet, &self.request.goal) {
            (Some(fleet), _) => self.watched_by_agents(fleet, directory.path()),
            // The members are devices of their own; the platform is that of the volume.
            (None, Goal::Prove { parts, .. }) if parts.subject() == Some(ProofSubject::Volume) => {
                directory.path().to_owned()
            }
            (None, _) => prepared.file_set.watched(directory.path()),
        };
        if watched != directory.path() {
            platform.watch(&watched);
        }
        platform.watched = watched;
        self.prepared = Some(prepared);
        let mut plan = plan(self.request, directory.path(), fleet);
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
            writer: writer(request.setup.seed),
            seed: request.setup.seed,
            of_agents: Some(&self.wanted),
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

/// The number of an invocation in what it writes. Another invocation with the same seed has another one: on a device, what
/// that one wrote would be taken for what this one did.
fn writer(seed: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    seed ^ (now.as_nanos() as u64).rotate_left(17) ^ (u64::from(std::process::id()) << 48)
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

fn plan(request: &IoRequest, directory: &Path, fleet: Option<&dyn Fleet>) -> Plan {
    let jobs = || request.plan.phases.iter().flat_map(|phase| &phase.jobs);
    let agents = fleet.map_or_else(|| vec![1], |fleet| agent_counts(request, fleet));
    let planned = |phase: &IoPhase| {
        let run = |agents: &u32| PlannedRun::new(phase.name.clone(), RunKind::Io, Dop::jobs(clones(phase) * agents));
        let once: Vec<PlannedRun> = agents.iter().map(run).collect();
        in_rounds(&once, request.repeats, request.setup.seed)
    };
    let runs = match &request.goal {
        Goal::Prove { parts, rounds } => parts.runs(*rounds, request.setup.seed),
        _ => request.plan.phases.iter().flat_map(planned).collect(),
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
    add_agents(&mut plan, fleet);
    plan.number();
    plan
}

/// With how many agents each phase is measured.
fn agent_counts(request: &IoRequest, fleet: &dyn Fleet) -> Vec<u32> {
    let sweeps = request.sweeps_agents && request.goal == Goal::Measure;
    if sweeps { jobs_of_agents(1, fleet.agents()) } else { vec![fleet.agents()] }
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
    // As many runs of each phase.
    let each = bench.plan.runs.len() / request.plan.phases.len().max(1);
    for (phase, runs) in request.plan.phases.iter().zip(bench.plan.runs.chunks(each.max(1))) {
        let Some(first) = runs.first() else { continue };
        let rounds = match request.precondition {
            Some(length) => precondition(bench, context, phase, first.number, length)?,
            None => Vec::new(),
        };
        for planned in runs {
            let agents = Some(planned.dop.jobs / clones(phase).max(1));
            let phase_run = PhaseRun { rounds: rounds.clone(), agents, ..PhaseRun::of(phase) };
            let run = measure_phase(bench, context, phase, planned.number, phase_run)?;
            if keep(bench, record, run)?.is_some() {
                // The next phase would find the same device; the record keeps what was measured.
                return Ok(());
            }
        }
    }
    Ok(())
}
