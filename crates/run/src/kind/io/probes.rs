//! Storage probes: I/O jobs of the catalogue, on one file that is created before the first of them and removed after
//! the last one, before any table is loaded.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use probe::storage::{Ledger, io_uring_available};
use probe::{Context, Form, Probe};
use record::{Bytes, HostInventory, IoMode, IoPhase, IoPlan, Nanos, Plan, PlannedRun, Preset, Run};

use super::file_set::FileSet;
use super::folder::Folder;
use super::permission::Permission;
use super::phase::measure_phase;
use super::phase_context::{PhaseContext, PhaseRun};
use crate::bench::Bench;
use crate::hands::Hands;
use crate::item::{Item, probe_context};
use crate::run::not_started;
use crate::sampler::Sources;
use crate::{Error, Result};

/// The folder of their file, separate from those of engines.
const FOLDER: &str = "probes";

/// What directory and kernel support.
pub(crate) struct StorageSupport {
    /// Length of their file, or why there is none.
    region: std::result::Result<Bytes, String>,
    /// Whether io_uring is available, or why not.
    ring: std::result::Result<(), String>,
}

impl StorageSupport {
    /// Checks `data`, the directory of the files of engines.
    pub(crate) fn detect(data: &Path, preset: Preset) -> StorageSupport {
        let ring = io_uring_available().map_err(|error| format!("io_uring is not available here: {error}"));
        StorageSupport { region: region(data, preset), ring }
    }

    /// The job of `probe`, or why it is impossible; none for a probe without I/O.
    fn phase(&self, probe: &Probe, plan: &Plan, planned: &PlannedRun) -> Option<std::result::Result<IoPhase, String>> {
        let Form::Io(make) = probe.form else { return None };
        let context = |region| Context { region_bytes: region, ..probe_context(plan, None, planned) };
        Some(self.region.clone().and_then(|region| {
            let job = make(&context(region));
            if job.mode == IoMode::Ring {
                self.ring.clone()?;
            }
            Ok(IoPhase { name: probe.title.to_owned(), jobs: vec![job] })
        }))
    }
}

fn region(data: &Path, preset: Preset) -> std::result::Result<Bytes, String> {
    let shown = data.display();
    if host::place(data).is_ok_and(|place| place.medium.has_device() == Some(false)) {
        return Err(format!("{shown} is in memory or on another host: there is no local device to measure"));
    }
    direct(data).map_err(|error| format!("{shown} does not support direct I/O: {error}"))?;
    let free = host::free_bytes(data).ok_or_else(|| format!("the free space of {shown} is unknown"))?;
    probe::region_bytes(preset, free)
        .ok_or_else(|| format!("{shown} has too little space: {} MiB available", free.0 / Bytes::MIB.0))
}

/// Checks that a file in `data` can be opened with `O_DIRECT`.
fn direct(data: &Path) -> std::io::Result<()> {
    let trial = data.join("trial");
    File::create(&trial)?;
    let opened = OpenOptions::new().write(true).custom_flags(libc::O_DIRECT).open(&trial);
    fs::remove_file(&trial)?;
    opened.map(drop)
}

/// Removes the impossible runs of storage probes from `plan`, with the reason, and adds the jobs of the others. The
/// runs are not numbered yet.
pub(crate) fn add_jobs(plan: &mut Plan, items: &[Item<'_>], support: &StorageSupport) {
    let mut io = IoPlan::default();
    let mut skipped = Vec::new();
    let requested = plan.clone();
    plan.runs.retain(|planned| {
        let probe = items.iter().find_map(|item| match item {
            Item::Probe(probe) if probe.code == planned.test => Some(*probe),
            _ => None,
        });
        match probe.and_then(|probe| support.phase(probe, &requested, planned)) {
            None => true,
            Some(Ok(phase)) => {
                io.phases.push(phase);
                true
            }
            Some(Err(reason)) => {
                skipped.push(record::Skipped { test: planned.test.clone(), reason });
                false
            }
        }
    });
    skipped.dedup();
    plan.skipped.splice(0..0, skipped);
    plan.io = Some(io).filter(|io| !io.phases.is_empty());
}

/// The job of `planned` among those of `plan`.
fn phase<'a>(plan: &'a Plan, planned: &PlannedRun) -> Option<&'a IoPhase> {
    plan.io.iter().flat_map(|io| &io.phases).find(|phase| match phase.jobs.as_slice() {
        [job] => job.name == planned.test && job.clones == planned.dop.jobs,
        _ => false,
    })
}

/// The files of storage probes; nothing before the first of them.
#[derive(Default)]
pub(crate) struct ProbeFiles {
    workspace: Option<ProbeWorkspace>,
}

struct ProbeWorkspace {
    folder: Folder,
    file_set: FileSet,
    host: HostInventory,
}

impl ProbeWorkspace {
    /// Creates the folder; the first run lays out the file.
    fn new(plan: &Plan) -> Result<ProbeWorkspace> {
        let directory = Path::new(&plan.directory);
        let folder = Folder::make(&directory.join("data"), FOLDER)?;
        let io = plan.io.clone().unwrap_or_default();
        let file_set = FileSet::survey(&io, folder.path(), &Permission::default())?;
        Ok(ProbeWorkspace { folder, file_set, host: host::inventory(directory) })
    }
}

impl ProbeFiles {
    /// Carries out `planned`. A failed run is recorded.
    pub(crate) fn measure(&mut self, bench: &Bench<'_>, planned: &PlannedRun, probe: &Probe) -> Result<Run> {
        let run = self.try_measure(bench, planned);
        let mut run = match run {
            Err(_) if bench.interrupt.is_raised() => return Err(Error::interrupted()),
            Err(error) => not_started(bench, planned, Item::Probe(probe), &error),
            Ok(run) => run,
        };
        run.unit = probe.unit;
        let region = phase(bench.plan, planned).and_then(|phase| phase.jobs.first()?.file_size).unwrap_or_default();
        let context = probe_context(bench.plan, None, planned);
        run.parameters = (probe.parameters)(&Context { region_bytes: region, ..context });
        Ok(run)
    }

    fn try_measure(&mut self, bench: &Bench<'_>, planned: &PlannedRun) -> Result<Run> {
        let phase = phase(bench.plan, planned)
            .ok_or_else(|| Error::user(format!("the plan has no job of {} at J{}", planned.test, planned.dop.jobs)))?;
        let workspace = match self.workspace.take() {
            Some(workspace) => self.workspace.insert(workspace),
            None => self.workspace.insert(ProbeWorkspace::new(bench.plan)?),
        };
        // The engine may be on another device: these counters are of the device of the file.
        let sources = Sources::of_host(workspace.folder.path());
        // Agents of a fleet have no part in it: it is about the device here.
        let hands = Hands::Own;
        let own = Bench { subject: None, sources: &sources, host: &workspace.host, hands, ..bench.clone() };
        let mut context = PhaseContext {
            file_set: std::mem::take(&mut workspace.file_set),
            writer: bench.plan.seed,
            seed: bench.plan.seed,
            of_agents: None,
            log_room: 0,
            log: &without_log,
        };
        let phase_run = PhaseRun { test: planned.test.clone(), kind: planned.kind.clone(), ..PhaseRun::of(phase) };
        let run = measure_phase(&own, &mut context, phase, planned.number, phase_run);
        workspace.file_set = context.file_set;
        run
    }

    /// Removes the file, if there is one.
    pub(crate) fn clear(&mut self) {
        self.workspace = None;
    }
}

fn without_log(_run: &Run, _ledger: &Ledger, _origin: Nanos) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use record::{Dop, Layer, RunKind};

    use super::*;

    fn plan(runs: &[(&str, u32)]) -> Plan {
        let run = |(test, jobs): &(&str, u32)| PlannedRun::new(*test, RunKind::Probe, Dop::jobs(*jobs));
        Plan {
            window_ns: Nanos(100_000_000),
            seed: 1,
            runs: runs.iter().map(run).collect(),
            ..Plan::new("example", "/tmp", Preset::Smoke)
        }
    }

    fn items() -> Vec<Item<'static>> {
        probe::probes().iter().map(Item::Probe).collect()
    }

    fn support(region: std::result::Result<Bytes, String>, ring: std::result::Result<(), String>) -> StorageSupport {
        StorageSupport { region, ring }
    }

    #[test]
    fn every_run_of_a_probe_of_storage_has_its_job_in_the_plan() {
        let mut plan = plan(&[("C11", 1), ("S21", 1), ("S21", 4), ("S31", 2), ("T611", 1)]);
        add_jobs(&mut plan, &items(), &support(Ok(Bytes::MIB.times(16)), Ok(())));
        assert_eq!((plan.runs.len(), plan.skipped.len()), (5, 0));
        assert_eq!(plan.io.as_ref().map(|io| io.phases.len()), Some(3));
        for planned in &plan.runs {
            let found = phase(&plan, planned).map(|phase| (phase.jobs[0].name.clone(), phase.jobs[0].clones));
            let wanted = probe::probe(&planned.test).filter(|probe| probe.layer == Layer::Storage);
            assert_eq!(found, wanted.map(|probe| (probe.code.to_owned(), planned.dop.jobs)));
        }
    }

    #[test]
    fn without_io_uring_its_probes_are_skipped_with_one_reason() {
        let mut plan = plan(&[("S21", 1), ("S21", 4), ("S31", 1)]);
        add_jobs(&mut plan, &items(), &support(Ok(Bytes::MIB.times(16)), Err("no ring".to_owned())));
        assert_eq!(plan.runs.iter().map(|run| run.test.as_str()).collect::<Vec<_>>(), ["S31"]);
        assert_eq!(plan.skipped, [record::Skipped { test: "S21".to_owned(), reason: "no ring".to_owned() }]);
    }

    #[test]
    fn without_space_no_storage_probe_is_run() {
        let mut plan = plan(&[("C11", 1), ("S21", 1), ("S31", 1)]);
        add_jobs(&mut plan, &items(), &support(Err("too little space".to_owned()), Ok(())));
        assert_eq!(plan.runs.iter().map(|run| run.test.as_str()).collect::<Vec<_>>(), ["C11"]);
        assert_eq!((plan.skipped.len(), plan.io), (2, None));
    }

    #[test]
    fn memory_is_not_a_device() {
        let memory = Path::new("/dev/shm");
        if host::place(memory).is_ok_and(|place| place.medium.has_device() == Some(false)) {
            assert!(region(memory, Preset::Smoke).unwrap_err().contains("there is no local device to measure"));
        }
    }
}
