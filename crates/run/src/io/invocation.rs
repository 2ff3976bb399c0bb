//! One invocation: from the request to the finished record, to which each run is appended.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use measure::clock;
use probe::storage::Ledger;
use record::{Dop, IoPlan, Nanos, Outcome, Pace, Placement, Plan, PlannedRun, Preset, Run};
use workload::Sizes;

use super::folder::Folder;
use super::ground::Ground;
use super::log::Log;
use super::phase::{Frame, Rig, measure_phase};
use super::precondition::{filling, precondition};
use super::preparation::hold;
use super::request::{Goal, IoRequest};
use super::{calibrate, until};
use crate::beginning::begun;
use crate::directory::MeasuredDirectory;
use crate::invocation::{Measured, Workplace};
use crate::measurement::Bench;
use crate::opening::Setting;
use crate::pacing::Capacities;
use crate::recorder::Recorder;
use crate::sampler::Sources;
use crate::{Error, Event, Result};

/// The folder of the files, beside what engines make.
const FOLDER: &str = "io";

/// Whether `request` can be carried out, without making anything; the bytes of files that it would make.
///
/// # Errors
/// As for [`measure_io`].
pub fn survey_io(request: &IoRequest) -> Result<record::Bytes> {
    goal_fits(request)?;
    if !request.directory.is_dir() {
        return Err(
            Error::user(format!("{} is not a directory", request.directory.display())).hint("give another --dir")
        );
    }
    Ok(survey(request, &request.directory)?.bytes_to_make())
}

/// What the plan works on; preconditioning writes wherever its jobs read.
fn survey(request: &IoRequest, data: &Path) -> Result<Ground> {
    let mut plan = request.plan.clone();
    if request.precondition.is_some() {
        plan.phases = plan.phases.iter().flat_map(|phase| [filling(phase), phase.clone()]).collect();
    }
    Ground::survey(&plan, data, &request.permission)
}

/// Carries out `request`.
///
/// # Errors
/// Only where there is no record yet; later errors stand in [`Measured::error`] beside the record so far.
pub fn measure_io(request: &IoRequest, workplace: &Workplace<'_>) -> Result<Measured> {
    // What cannot be is said before anything is made.
    survey_io(request)?;
    let origin = clock::now();
    let mut directory = MeasuredDirectory::claim(&request.directory, false)?;
    for line in directory.prepare(workplace.engines)? {
        workplace.listener.hear(&Event::Note(&line));
    }
    let folder = Folder::make(&directory.data(), FOLDER)?;
    let ground = survey(request, folder.path())?;
    let _held = hold(&ground)?;
    let log = request.log.as_deref().map(Log::create).transpose()?;
    let watched = watched(&ground, directory.path());
    let mut setting = Setting::find_out(directory.path())?;
    if watched != directory.path() {
        setting.look_at(&watched);
    }
    let plan = plan(request, directory.path());
    let record = begun(&request.record, (&request.version, request.build.as_ref()), plan, &setting, None);
    let record = Recorder::new(&request.record, record);
    carry_out(record, request, ground, &watched, log.as_ref(), &setting, origin, workplace)
}

fn goal_fits(request: &IoRequest) -> Result<()> {
    if request.plan.phases.iter().all(|phase| phase.jobs.is_empty()) {
        return Err(Error::user("there is no job").hint("give a job file, or --rw, --bs and --size"));
    }
    match &request.goal {
        Goal::Until(_) => until::check(&request.plan),
        _ => Ok(()),
    }
}

/// Where the counters of the block layer are read: the device that is named, or that below the directory.
fn watched(ground: &Ground, directory: &Path) -> std::path::PathBuf {
    let found = ground.files.values().find(|file| file.found);
    found.map_or_else(|| directory.to_owned(), |file| file.path.clone())
}

fn plan(request: &IoRequest, directory: &Path) -> Plan {
    let jobs = || request.plan.phases.iter().flat_map(|phase| &phase.jobs);
    let runs = request.plan.phases.iter().zip(1..).map(|(phase, number)| PlannedRun {
        number,
        test: phase.name.clone(),
        dop: Dop::jobs(phase.jobs.iter().map(|job| job.clones).sum()),
        repeat: 1,
        variation: None,
    });
    Plan {
        target: "storage".to_owned(),
        directory: directory.display().to_string(),
        preset: Preset::Standard,
        window_ns: jobs().filter_map(|job| job.run_time).max().unwrap_or_default(),
        warm_up_ns: jobs().map(|job| job.ramp_time).max().unwrap_or_default(),
        steps: None,
        seed: request.seed,
        placement: Placement::Kernel,
        pace: jobs().next().map_or(Pace::AsFastAsPossible, |job| job.pace),
        until: match &request.goal {
            Goal::Until(until) => Some(until.clone()),
            Goal::Measure | Goal::Calibrate { .. } => None,
        },
        one_thread_per_core: false,
        small_rows: 0,
        large_rows: 0,
        repeats: 1,
        paired: None,
        runs: runs.collect(),
        skipped: Vec::new(),
        test_files: Vec::new(),
        io: Some(request.plan.clone()),
    }
}

/// Runs and writes; whatever happens, the record says how far it came.
#[expect(clippy::too_many_arguments, reason = "the parts of one invocation, each of them used once")]
fn carry_out(
    mut record: Recorder,
    request: &IoRequest,
    ground: Ground,
    watched: &Path,
    log: Option<&Log>,
    setting: &Setting,
    origin: Nanos,
    workplace: &Workplace<'_>,
) -> Result<Measured> {
    record.begin()?;
    let sources = Sources {
        host: Mutex::new(host::Counters::new(watched)),
        nodes: Vec::new(),
        device_is_engines: true,
        flush_probe_ns: AtomicU64::new(0),
        capacities: Capacities::default(),
    };
    let plan = record.plan.clone();
    let sizes = Sizes::derive(Preset::Smoke, None, request.seed);
    let bench = Bench {
        plan: &plan,
        sizes: &sizes,
        subject: None,
        sources: &sources,
        instrument: &setting.instrument,
        host: &setting.host,
        processors: setting.processors.clone(),
        looks: false,
        origin,
        interrupt: workplace.interrupt,
        listener: workplace.listener,
    };
    let lanes = |plan: &IoPlan| {
        let clones = plan.phases.iter().map(|phase| phase.jobs.iter().map(|job| job.clones).sum::<u32>());
        clones.max().unwrap_or(1)
    };
    let write_log = |run: &Run, ledger: &Ledger, origin: Nanos| -> Result<()> {
        let Some(log) = log else { return Ok(()) };
        match log.write(run, ledger, origin)? {
            0 => {}
            missed => workplace.listener.hear(&Event::Note(&format!("{missed} I/Os had no room in the log"))),
        }
        Ok(())
    };
    let mut rig = Rig {
        ground,
        writer: request.seed,
        seed: request.seed,
        log_room: log.map_or(0, |_| Log::room(lanes(&request.plan))),
        log: &write_log,
    };
    announce(request, &plan, workplace);
    let mut keep = |run: Run| {
        workplace.listener.hear(&Event::Ended(&run));
        record.add_run(run)
    };
    let result = go(&bench, &mut rig, request, &mut keep);
    let error = result.err();
    record.conclude(error.as_ref());
    let written = record.end();
    Ok(Measured { record: record.into_record(), path: request.record.clone(), error: error.or(written.err()) })
}

fn announce(request: &IoRequest, plan: &Plan, workplace: &Workplace<'_>) {
    if request.goal != Goal::Measure {
        // How many measurements a search takes is known at its end.
        let note = format!("searching; record {}", request.record.display());
        return workplace.listener.hear(&Event::Note(&note));
    }
    let length = |phase: &record::IoPhase| {
        let jobs = phase.jobs.iter().map(|job| job.ramp_time.0 + job.run_time.unwrap_or_default().0);
        jobs.max().unwrap_or(0)
    };
    workplace.listener.hear(&Event::Planned {
        runs: plan.runs.len(),
        expected: Nanos(request.plan.phases.iter().map(length).fold(0, u64::saturating_add)),
        skipped: &[],
        records: &[&request.record],
    });
}

fn go(
    bench: &Bench<'_>,
    rig: &mut Rig<'_>,
    request: &IoRequest,
    keep: &mut dyn FnMut(Run) -> Result<()>,
) -> Result<()> {
    match &request.goal {
        Goal::Measure => measure_all(bench, rig, request, keep),
        Goal::Until(wish) => {
            if let Some(phase) = request.plan.phases.first() {
                until::until(bench, rig, phase, wish, keep)?;
            }
            Ok(())
        }
        Goal::Calibrate { bound, disks } => calibrate::calibrate(bench, rig, &request.plan, bound, *disks, keep),
    }
}

fn measure_all(
    bench: &Bench<'_>,
    rig: &mut Rig<'_>,
    request: &IoRequest,
    keep: &mut dyn FnMut(Run) -> Result<()>,
) -> Result<()> {
    for (phase, number) in request.plan.phases.iter().zip(1..) {
        let rounds = match request.precondition {
            Some(length) => precondition(bench, rig, phase, number, length)?,
            None => Vec::new(),
        };
        let frame = Frame { test: phase.name.clone(), rounds, ..Frame::default() };
        let run = measure_phase(bench, rig, phase, number, frame)?;
        let failed = run.outcome != Outcome::Done;
        keep(run)?;
        if failed {
            // The next phase would find the same device; what was measured is in the record.
            return Ok(());
        }
    }
    Ok(())
}
