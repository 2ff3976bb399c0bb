//! Network file system: one export, mounted with different numbers of connections.
//!
//! An export is mounted anew for each number of connections, since all mounts of a server share those of the first one. The
//! mounts are seen by this process alone and end with it. Numbers are tried in rounds, in random order.

use std::path::Path;

use host::PrivateMount;
use record::{Nanos, Plan, PlannedRun, Preset, ProofPlace, Run};
use sha2::{Digest, Sha256};

use crate::directory::MeasuredDirectory;
use crate::invocation::{Kind, Measured, invoke};
use crate::kind::io::{FileSet, Folder, Permission, PhaseContext, PhaseRun, ProofParts, ProofSizes, measure_phase};
use crate::platform::{Context, Platform};
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Result, Setup};

/// The mount point, in the measured directory.
const MOUNT_POINT: &str = "export";

/// What the proof is asked for.
#[derive(Clone, Debug)]
pub struct NfsRequest {
    /// What every kind of run is asked for.
    pub setup: Setup,
    /// The export, as `mount` takes it: `server:/path`.
    pub export: String,
    /// Version of the protocol, as `mount` takes it.
    pub version: String,
    /// Numbers of connections, the smallest first.
    pub connections: Vec<u32>,
    /// How each is loaded.
    pub sizes: ProofSizes,
    /// How often each is measured.
    pub rounds: u32,
}

/// Measures the export.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_nfs(request: &NfsRequest, context: Context<'_>) -> Result<Measured> {
    let parts = ProofParts::nfs(&request.connections, request.sizes);
    Ok(invoke(&mut Nfs { request, parts }, [context], None)?.measured(&request.setup.record))
}

struct Nfs<'r> {
    request: &'r NfsRequest,
    parts: ProofParts,
}

impl Kind for Nfs<'_> {
    fn setup(&self) -> Setup {
        self.request.setup.clone()
    }

    /// No engine is opened.
    fn jobs_max(&self) -> u32 {
        0
    }

    fn needs_engine(&self) -> bool {
        false
    }

    /// The record is of the mount, which is tried once.
    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        host::separate_mounts().map_err(|error| {
            Error::environment(error.to_string())
                .hint("run as root; what is mounted already is measured by `dbdyno io --dir`")
        })?;
        let mount_point = directory.data().join(MOUNT_POINT);
        std::fs::create_dir_all(&mount_point)
            .map_err(|error| Error::environment(format!("{}: {error}", mount_point.display())))?;
        let request = self.request;
        let first = request.connections.first().copied().unwrap_or(1);
        let mounted = self.mount(first, &mount_point)?;
        platform.watch(&mount_point);
        platform.watched = mount_point;
        drop(mounted);
        let mut plan = Plan {
            window_ns: request.sizes.window,
            warm_up_ns: Nanos(request.sizes.window.0 / 10),
            seed: request.setup.seed,
            repeats: request.rounds,
            runs: self.parts.runs_of_mounts(request.rounds, request.setup.seed),
            io: Some(self.parts.plan.clone()),
            ..Plan::new(request.export.clone(), directory.path().display().to_string(), Preset::Standard)
        };
        plan.number();
        Ok([plan])
    }

    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let plan = record.plan.clone();
        let each = Nanos(plan.warm_up_ns.0 + plan.window_ns.0);
        platform.context.announce(&plan, each, &self.request.setup.record);
        for runs in plan.runs.chunk_by(|one, other| place(one) == place(other) && one.repeat == other.repeat) {
            let Some(ProofPlace::Connections { count }) = runs.first().and_then(place) else { continue };
            let mounted = self.mount(*count, &platform.watched)?;
            check_connections(*count, &self.request.export, &platform.watched)?;
            let is_complete = self.measure_mount(platform, record, &plan, runs)?;
            drop(mounted);
            if !is_complete {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Nfs<'_> {
    fn mount(&self, connections: u32, mount_point: &Path) -> Result<PrivateMount> {
        let options = format!("vers={},proto=tcp,nconnect={connections}", self.request.version);
        PrivateMount::nfs(&self.request.export, &options, mount_point).map_err(|error| {
            Error::environment(error.to_string())
                .hint("`showmount -e SERVER` lists exports; mount.nfs is in nfs-common")
        })
    }

    /// Carries out `runs` on what is mounted; whether none of them failed.
    fn measure_mount(
        &self,
        platform: &Platform<'_>,
        record: &mut Recorder,
        plan: &Plan,
        runs: &[PlannedRun],
    ) -> Result<bool> {
        let host_name = platform.host.host_name.as_deref().unwrap_or("host");
        // Other hosts may use the same export at the same time.
        let identity = host_identity();
        let mark = format!("{MARK_TEXT}\n{identity}\n");
        let folder = Folder::make_marked(
            &platform.watched,
            &format!("dbdyno-proof-{host_name}-{}", &identity[..IDENTITY_LETTERS]),
            &mark,
        )?;
        let phases = self.parts.plan.phases.iter().filter(|phase| runs.iter().any(|run| run.test == phase.name));
        let of_mount = record::IoPlan { phases: phases.cloned().collect(), ..self.parts.plan.clone() };
        let seed = self.request.setup.seed;
        let mut context = PhaseContext {
            file_set: FileSet::survey(&of_mount, folder.path(), &Permission::default())?,
            writer: seed,
            seed,
            of_agents: None,
            log_room: 0,
            log: &|_: &Run, _, _| Ok(()),
        };
        platform.without_engine(plan, |bench| {
            for planned in runs {
                let Some(phase) = of_mount.phases.iter().find(|phase| phase.name == planned.test) else { continue };
                let phase_run = PhaseRun { kind: planned.kind.clone(), ..PhaseRun::of(phase) };
                let run = measure_phase(bench, &mut context, phase, planned.number, phase_run)?;
                if keep(bench, record, run)?.is_some() {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}

/// What the mark of a folder on an export says first.
const MARK_TEXT: &str = "this directory was made by dbdyno and is removed by it";

/// Letters of the identity of a host that are part of a name.
const IDENTITY_LETTERS: usize = 8;

/// What tells this host from others of its name, without telling the identifier itself, which is not meant for a network.
fn host_identity() -> String {
    let machine = host::machine_id().or_else(host::boot_id).unwrap_or_default();
    let digest = Sha256::digest(format!("dbdyno proof {machine}"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn place(planned: &PlannedRun) -> Option<&ProofPlace> {
    planned.kind.proof().map(|part| &part.place)
}

/// Whether the mount has the connections that were asked for.
fn check_connections(asked: u32, export: &str, mount_point: &Path) -> Result<()> {
    let found =
        host::inventory(mount_point).file_system.and_then(|file_system| file_system.network?.connections.into());
    match found {
        Some(found) if found != asked => Err(Error::environment(format!(
            "{export} has {found} connections where {asked} were asked for: mounts of one server share them"
        ))
        .hint("unmount what else is mounted from this server")),
        _ => Ok(()),
    }
}
