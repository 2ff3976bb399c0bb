//! Durability: acknowledged commits of an engine that dbdyno starts, with faults in between.
//!
//! The engine is opened once and shut down, so that its data are complete on the file system. For each crash they are, on rung
//! D1, on a volume that loses what was not synced: mounted over their directory, seen by this process and its children alone,
//! or told by an engine in this process. On rung D2 they are on a file system of a disk that loses what was not flushed, mounted
//! the same way. Nothing is written to the data themselves. A crash is a load by several clients, a
//! fault in one step, and a start on what is left; the engine that recovered from one crash is that of the next.
//! Controls that have to lose are tried the same way.

mod by_hand;
mod crash_run;
mod disk_log;
mod failover;
mod layer;
mod ledger;
mod resumption;
mod stand;
mod witness_file;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crash::{FileSystem, Syncs, can_mount, can_mount_disk};
use engine::{Durability, Failover, Target, Weakening, Workspace};
use measure::{RunSeed, clock};
use record::{
    Bytes, ClusterFault, CrashCluster, CrashCondition, CrashFileSystem, CrashRung, Dop, Layer, Nanos, Outcome, Plan,
    PlannedRun, Preset, ProofLoad, ProofPart, ProofPlace, ProofSubject, Run, RunKind, Unit,
};

pub use self::by_hand::{ByHandRequest, measure_by_hand};
use self::crash_run::{Crashes, Tried};
use self::ledger::CLIENTS;
pub use self::resumption::{resume_durability, target_as_given};
use self::stand::{START_MAX, START_OF_CONTROL_MAX, Stand};
use crate::directory::MeasuredDirectory;
use crate::invocation::{Kind, Measured, invoke};
use crate::nodes::Nodes;
use crate::platform::{Context, OpenOptions, Platform};
use crate::recorder::Recorder;
use crate::run::{self, keep};
use crate::{Error, Event, Result, Setup};

/// Crashes of one run, at most: a run is what an interrupted proof keeps.
const CRASHES_OF_RUN: u32 = 20;

/// Crashes of a control, at most.
const CRASHES_OF_CONTROL: u32 = 5;

/// Of so many syncs a graded control ignores one.
const GRADED_EVERY: [u32; 2] = [10, 100];

/// The name of the control that answers syncs and carries none out.
pub const LYING_STORAGE: &str = "lying-storage";

/// Buffer cache of the engine: its data are kept in memory, too.
const CACHE: Bytes = Bytes::MIB.times(32);

/// What the proof is asked for.
#[derive(Clone, Debug)]
pub struct DurabilityRequest {
    /// What every kind of run is asked for.
    pub setup: Setup,
    /// What faults take away.
    pub rung: CrashRung,
    /// The file system of the disk, on a rung with one.
    pub file_system: CrashFileSystem,
    /// Which of several nodes a fault takes; absent for the primary, or for all where there is none.
    pub fault: Option<ClusterFault>,
    /// Crashes of the engine as it is asked for.
    pub crashes: u32,
    /// States of each crash that the engine is started on: that of the fault, and those of earlier faults under the same load.
    pub states: u32,
    /// Controls by name; absent for all of the rung.
    pub controls: Option<Vec<String>>,
    /// Where the log of the disk of the first crash is written to, on rung D2.
    pub log_writes: Option<PathBuf>,
}

/// Crashes of a proof with `preset`.
pub fn crashes_of(preset: Preset) -> u32 {
    match preset {
        Preset::Smoke => 3,
        Preset::Quick => 60,
        Preset::Standard | Preset::Publish | Preset::Soak => 300,
    }
}

/// Proves what survives.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_durability(request: &DurabilityRequest, context: Context<'_>) -> Result<Measured> {
    let durability = context.engine.durability().ok_or_else(|| {
        Error::user(format!("{} has no proof of durability", context.engine.title()))
            .hint("give an embedded engine, or a temporary server such as local:NAME: `dbdyno prove durability --help` names them")
    })?;
    check_target(&context)?;
    let fault = chosen_fault(request.fault, durability, &context)?;
    let target = with_parameters(context.target, &parameters(durability, fault));
    let context = Context { target: &target, ..context };
    let mut kind = DurabilityKind { request, durability, fault, begun: BTreeMap::new(), data: Vec::new() };
    Ok(invoke(&mut kind, [context], None)?.measured(&request.setup.record))
}

fn check_target(context: &Context<'_>) -> Result<()> {
    if context.target.local || context.engine.about().is_in_process && !context.target.is_external() {
        return Ok(());
    }
    Err(Error::user(format!(
        "the durability of {} cannot be proved: dbdyno did not start it, and kills nothing that it did not start",
        context.target
    ))
    .hint("give a temporary server, such as local:NAME, or an embedded engine; with --witness FILE you cut its power yourself"))
}

/// Which nodes a fault takes; none where there is a single one.
fn chosen_fault(
    asked: Option<ClusterFault>,
    durability: &Durability,
    context: &Context<'_>,
) -> Result<Option<ClusterFault>> {
    let Some(cluster) = durability.cluster.filter(|cluster| (cluster.is_asked)(context.target)) else {
        return match asked {
            None => Ok(None),
            Some(fault) => {
                let (fault, target) = (fault.word(), context.target);
                Err(Error::user(format!("fault {fault} is one of several nodes, and {target} is a single one"))
                    .hint("leave --fault out, or give a cluster: `dbdyno prove durability --help` has examples"))
            }
        };
    };
    match (asked, cluster.failover) {
        (Some(ClusterFault::Primary), None) => {
            let message =
                format!("fault primary needs a replica to promote, and all nodes of {} take writes", context.target);
            Err(Error::user(message).hint("give --fault all-nodes"))
        }
        (Some(fault), _) => Ok(Some(fault)),
        (None, Some(_)) => Ok(Some(ClusterFault::Primary)),
        (None, None) => Ok(Some(ClusterFault::AllNodes)),
    }
}

/// Parameters of a target that a proof adds where the user gives none.
fn parameters(durability: &Durability, fault: Option<ClusterFault>) -> Vec<(&'static str, &'static str)> {
    let cluster = durability.cluster.filter(|_| fault.is_some());
    let failover = cluster.and_then(|cluster| cluster.failover).filter(|_| fault == Some(ClusterFault::Primary));
    let of_cluster = cluster.map_or(&[][..], |cluster| cluster.parameters);
    let of_failover = failover.map_or(&[][..], |failover| failover.parameters);
    [durability.parameters, of_cluster, of_failover].concat()
}

/// `target` with `parameters`, where it does not have them itself.
fn with_parameters(target: &Target, parameters: &[(&str, &str)]) -> Target {
    let mut target = target.clone();
    for (name, value) in parameters {
        if target.parameter(name).is_none() {
            target.parameters.push(((*name).to_owned(), (*value).to_owned()));
        }
    }
    target
}

/// Something that is tried.
#[derive(Clone, Debug)]
struct Condition {
    condition: CrashCondition,
    must_lose: bool,
    crashes: u32,
    syncs: Syncs,
    /// Whether faults are to tear pages.
    tears: bool,
    parameters: &'static [(&'static str, &'static str)],
}

impl Condition {
    fn asked(crashes: u32) -> Condition {
        let condition = CrashCondition::Asked;
        Condition { condition, must_lose: false, crashes, syncs: Syncs::Honest, tears: false, parameters: &[] }
    }

    fn lying(every: u32, crashes: u32) -> Condition {
        Condition {
            condition: CrashCondition::LyingStorage { every },
            must_lose: every == 1,
            syncs: Syncs::Lying { every: every.into() },
            ..Condition::asked(crashes)
        }
    }

    fn weakened(weakening: &'static Weakening, rung: CrashRung, crashes: u32) -> Condition {
        Condition {
            condition: CrashCondition::Settings { settings: settings(weakening) },
            must_lose: match rung {
                CrashRung::D0 => weakening.loses_on_kill,
                CrashRung::D1 | CrashRung::D2 | CrashRung::ByHand => {
                    weakening.loses_on_power_cut || weakening.keeps_torn_pages
                }
            },
            tears: weakening.keeps_torn_pages && rung != CrashRung::D0,
            parameters: weakening.parameters,
            ..Condition::asked(crashes)
        }
    }

    /// The name of a control.
    fn name(&self) -> String {
        match &self.condition {
            CrashCondition::Asked => String::new(),
            CrashCondition::LyingStorage { every: 1 } => LYING_STORAGE.to_owned(),
            CrashCondition::LyingStorage { every } => format!("{LYING_STORAGE}-{every}"),
            CrashCondition::Settings { settings } => settings.clone(),
        }
    }
}

fn settings(weakening: &Weakening) -> String {
    weakening.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

/// All controls of an engine on `rung`, with so many crashes; those that need not lose come last, with as many as `graded`.
fn controls(
    durability: &'static Durability,
    rung: CrashRung,
    is_in_process: bool,
    failover: Option<&'static Failover>,
    crashes: u32,
    graded: u32,
) -> Vec<Condition> {
    if let Some(failover) = failover {
        // Whatever is lost of the storage of the primary, a replica has what was sent to it.
        return failover.weakenings.iter().map(|weakening| Condition::weakened(weakening, rung, crashes)).collect();
    }
    // The files of a server are not on a layer where its processes alone are killed.
    let has_layer = rung != CrashRung::D0 || is_in_process;
    let lying = has_layer.then(|| Condition::lying(1, crashes));
    let graded = GRADED_EVERY.into_iter().filter(|_| has_layer).map(|every| Condition::lying(every, graded));
    let weakened = durability.weakenings.iter().map(|weakening| Condition::weakened(weakening, rung, crashes));
    let mut all: Vec<Condition> = lying.into_iter().chain(weakened).chain(graded).collect();
    all.sort_by_key(|condition| !condition.must_lose);
    all
}

struct DurabilityKind<'r> {
    request: &'r DurabilityRequest,
    durability: &'static Durability,
    /// Which of several nodes a fault takes.
    fault: Option<ClusterFault>,
    /// By number, runs that an interrupted invocation has begun.
    begun: BTreeMap<u32, Run>,
    /// Directories of the data of each node.
    data: Vec<PathBuf>,
}

impl DurabilityKind<'_> {
    /// All controls that there are.
    fn controls(&self, context: &Context<'_>) -> Vec<Condition> {
        let of_control = CRASHES_OF_CONTROL.min(self.request.crashes.max(2));
        let is_in_process = context.engine.about().is_in_process;
        let failover = self.durability.cluster.and_then(|cluster| cluster.failover.as_ref());
        let failover = failover.filter(|_| self.fault == Some(ClusterFault::Primary));
        // A share that is held against what the crashes exclude is of as many, where it is asked for.
        let request = self.request;
        let graded = if request.controls.is_some() { request.crashes } else { request.crashes.min(CRASHES_OF_RUN) };
        controls(self.durability, request.rung, is_in_process, failover, of_control, graded)
    }

    /// What is tried: what is asked for, then the controls.
    fn choose(&self, context: &Context<'_>) -> Result<Vec<Condition>> {
        let request = self.request;
        let known = self.controls(context);
        let mut chosen = vec![Condition::asked(request.crashes)];
        match &request.controls {
            None => {
                let is_thorough = request.crashes >= crashes_of(Preset::Standard);
                chosen.extend(known.into_iter().filter(|control| control.must_lose || is_thorough));
            }
            Some(names) => {
                for name in names {
                    let found = known.iter().find(|control| control.name() == *name);
                    chosen.push(found.cloned().ok_or_else(|| {
                        let all: Vec<String> = known.iter().map(Condition::name).collect();
                        let (title, rung) = (context.engine.title(), request.rung.word());
                        Error::user(format!("{title} has no control {name} on {rung}"))
                            .hint(format!("known are {}", all.join(", ")))
                    })?);
                }
            }
        }
        Ok(chosen)
    }
}

impl Kind for DurabilityKind<'_> {
    fn setup(&self) -> Setup {
        self.request.setup.clone()
    }

    fn jobs_max(&self) -> u32 {
        CLIENTS
    }

    fn check(&self, [context]: &[Context<'_>; 1]) -> Result<()> {
        let is_in_process = context.engine.about().is_in_process;
        self.choose(context)?;
        let rung = self.request.rung;
        if self.request.states > 1 && rung == CrashRung::D0 && !is_in_process {
            return Err(Error::user(format!(
                "{} states of a crash cannot be had on rung D0: killed processes leave one",
                self.request.states
            ))
            .hint("give --rung D1 or D2, which log what the engine writes"));
        }
        if let Some(path) = &self.request.log_writes {
            disk_log::check(path, rung)?;
        }
        why_out(rung, is_in_process, self.request.file_system).map_or(Ok(()), |reason| {
            let what = if rung == CrashRung::D1 { " for a server" } else { "" };
            Err(Error::environment(format!("rung {} is out{what} on this machine: {reason}", rung.word()))
                .hint("run as root where /dev/fuse is, or give --rung auto, or an embedded engine"))
        })
    }

    /// Data that are kept are complete, and synced, when the engine was shut down.
    fn options(
        &self,
        directory: &MeasuredDirectory,
        _context: &Context<'_>,
        _opened: &[Platform<'_>],
    ) -> Result<OpenOptions> {
        Ok(OpenOptions { cache: Some(CACHE), keep: true, keeps_each_node: true, ..OpenOptions::of(directory) })
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        let opened = platform.opened()?;
        let nodes = opened.nodes.counts().0;
        let cluster = self.fault.map(|fault| CrashCluster { nodes, fault });
        if self.request.states > 1 && nodes > 1 {
            return Err(Error::user(format!("{nodes} nodes have no common log that could give states of a crash"))
                .hint("give --states 1, or a target with one node"));
        }
        let conditions = self.choose(&platform.context)?;
        let request = self.request;
        let runs = conditions.iter().flat_map(|condition| {
            let starts = (0..condition.crashes).step_by(CRASHES_OF_RUN as usize);
            let durability = self.durability;
            starts.map(move |start| {
                let count = CRASHES_OF_RUN.min(condition.crashes - start);
                planned(condition, request, durability, cluster, count)
            })
        });
        let mut plan = Plan {
            seed: request.setup.seed,
            repeats: 1,
            runs: runs.collect(),
            ..Plan::new(
                platform.context.target.to_string(),
                directory.path().display().to_string(),
                request.setup.preset,
            )
        };
        plan.number();
        Ok([plan])
    }

    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let plan = record.plan.clone();
        self.data = data_directories(&platform.opened()?.nodes)?;
        platform.context.announce(&plan, Nanos(0), &self.request.setup.record);
        let workspace = Workspace {
            directory: platform.options.directory.clone(),
            keep: true,
            cache_bytes: Some(CACHE),
            sessions_max: CLIENTS + 8,
        };
        platform.close()?;
        if needs_mounts(self.request.rung, platform.context.engine.about().is_in_process) {
            host::separate_mounts().map_err(|error| {
                Error::environment(error.to_string()).hint("run as root, or give --rung D0, or an embedded engine")
            })?;
        }
        let done: Vec<u32> = record.runs.iter().map(|run| run.number).collect();
        let mut left = plan.runs.iter().filter(|planned| !done.contains(&planned.number));
        let tried = left.try_for_each(|planned| self.measure_run(platform, record, &plan, planned, &workspace));
        if !platform.context.engine.about().is_in_process {
            return tried.and(stand::remove_servers(&self.data, &workspace.directory));
        }
        // Opened once more, its data are removed as by every invocation.
        let options = OpenOptions { keep: false, ..platform.options.clone() };
        tried.and(platform.reopen(options))
    }
}

impl DurabilityKind<'_> {
    fn measure_run(
        &self,
        platform: &Platform<'_>,
        record: &mut Recorder,
        plan: &Plan,
        planned: &PlannedRun,
        workspace: &Workspace,
    ) -> Result<()> {
        let Some(ProofPart { place: ProofPlace::Crashes { rung, condition, count, states, .. }, .. }) =
            planned.kind.proof()
        else {
            return Ok(());
        };
        let context = &platform.context;
        let known = [Condition::asked(*count)].into_iter().chain(self.controls(context));
        let Some(tried) = known.into_iter().find(|one| one.condition == *condition) else {
            return Err(Error::user(format!("{} has no condition {condition:?}", context.engine.title()))
                .hint("start a new record"));
        };
        let mut target = context.target.clone();
        target
            .parameters
            .extend(tried.parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let stand = Stand {
            engine: context.engine,
            target,
            workspace: workspace.clone(),
            rung: *rung,
            file_system: on_disk(self.request.file_system),
            syncs: tried.syncs,
            data: self.data.clone(),
            fault: self.fault.unwrap_or(ClusterFault::AllNodes),
            start_max: start_max(self.data.len() as u32, condition),
        };
        let pristine = stand.pristine()?;
        let witness = workspace.directory.join("witness");
        let seed = RunSeed { plan: plan.seed, run: planned.number };
        let of_crashes = Tried {
            rung: *rung,
            condition: condition.clone(),
            states: *states,
            tears: tried.tears,
            is_failover: self.fault == Some(ClusterFault::Primary),
            has_volume: pristine.is_some(),
            has_log_switch: self.durability.log_switch.is_some(),
        };
        let mut crashes = Crashes::new(stand, self.durability, of_crashes, pristine.clone(), witness, seed);
        let is_first = plan.runs.first().is_some_and(|first| first.number == planned.number);
        crashes.log_writes = self.request.log_writes.clone().filter(|_| is_first);
        let failure = platform.without_engine(plan, |bench| {
            let mut run = run::new(bench, planned);
            run.title = title(&tried.condition);
            (run.layer, run.unit) = (Layer::Database, Unit::Transaction);
            let begun = self.begun.get(&planned.number);
            if let Some(begun) = begun {
                (run.totals, run.crashes) = (begun.totals.clone(), begun.crashes.clone());
            }
            let before_ns = begun.map_or(0, |begun| begun.window_ns.0);
            let first = run.crashes.last().map_or(0, |crash| crash.number) + 1;
            let run = run::measure(bench, planned, run, Nanos(0), |run| {
                let start = clock::now();
                let carried_out = (first..=*count).try_for_each(|number| {
                    if context.interrupt.is_raised() {
                        return Err(Error::interrupted());
                    }
                    let states = crashes.crash(number, &|| context.interrupt.is_raised())?;
                    // The fault itself, which comes first, has all commits of the load.
                    let acknowledged = states.first().map_or(0, |crash| crash.acknowledged);
                    run.totals.operations += acknowledged;
                    run.totals.transactions += acknowledged;
                    run.crashes.extend(states);
                    run.window_ns = Nanos(before_ns + clock::now().since(start).0);
                    record.add_run(so_far(run, *count))?;
                    let elapsed = clock::now().since(start);
                    context.listener.on_event(&Event::Progress { elapsed, operations: run.totals.operations });
                    Ok(())
                });
                let stopped = crashes.stop();
                run.window_ns = Nanos(before_ns + clock::now().since(start).0);
                keep_one_timeline(&mut run.crashes);
                carried_out.and(stopped)
            })?;
            keep(bench, record, run)
        })?;
        let is_told = context.engine.about().is_in_process && *rung != CrashRung::D2;
        if let Some(images) = pristine.filter(|_| is_told) {
            // What an engine in this process left in its directory is replaced by what was there.
            self.data.iter().zip(&images).try_for_each(|(data, image)| stand::replace_files(data, image))?;
        }
        failure.map_or(Ok(()), |message| Err(Error::environment(message)))
    }
}

/// A run that has not ended, as it is kept: if it is interrupted, its crashes are not carried out again.
fn so_far(run: &Run, count: u32) -> Run {
    let done = run.crashes.last().map_or(0, |crash| crash.number);
    let message = format!("{done} of {count} crashes are done");
    let mut run = Run { outcome: Outcome::Failed { message }, ..run.clone() };
    keep_one_timeline(&mut run.crashes);
    run
}

/// Keeps the events of the first crash with a damage, or of the first one.
fn keep_one_timeline(crashes: &mut [record::Crash]) {
    use model::durability::CrashVerdict;
    let is_damaged = |crash: &record::Crash| CrashVerdict::of(crash) != CrashVerdict::Survived;
    let has_events = |crash: &record::Crash| crash.timeline.len() > 1;
    let damaged = crashes.iter().position(|crash| is_damaged(crash) && has_events(crash));
    let kept = damaged.or_else(|| crashes.iter().position(has_events));
    let others = crashes.iter_mut().enumerate().filter(|(index, _)| Some(*index) != kept);
    others.for_each(|(_, crash)| crash.timeline.clear());
}

/// Whether faults of `rung` need mounts: of an engine in this process calls are told on the lower ones.
fn needs_mounts(rung: CrashRung, is_in_process: bool) -> bool {
    match rung {
        CrashRung::D0 | CrashRung::ByHand => false,
        CrashRung::D1 => !is_in_process,
        CrashRung::D2 => true,
    }
}

/// Why `rung` is not to be had on this machine, if it is not.
pub fn why_out(rung: CrashRung, is_in_process: bool, file_system: CrashFileSystem) -> Option<String> {
    if !needs_mounts(rung, is_in_process) {
        return None;
    }
    let can = if rung == CrashRung::D2 { can_mount_disk(on_disk(file_system)) } else { can_mount() };
    can.err().map(|error| error.to_string())
}

fn on_disk(file_system: CrashFileSystem) -> FileSystem {
    match file_system {
        CrashFileSystem::Ext4 => FileSystem::Ext4,
        CrashFileSystem::Xfs => FileSystem::Xfs,
        CrashFileSystem::Btrfs => FileSystem::Btrfs,
    }
}

/// How long a start of `nodes` may take. Several are started one after the other, and wait for each other.
fn start_max(nodes: u32, condition: &CrashCondition) -> Duration {
    let of_node = if *condition == CrashCondition::Asked { START_MAX } else { START_OF_CONTROL_MAX };
    if nodes > 1 { 2 * nodes * of_node } else { of_node }
}

/// Directories of the data of all nodes; the first takes writes.
fn data_directories(nodes: &Nodes) -> Result<Vec<PathBuf>> {
    let of_node = |index: usize| nodes.at(index).data_directory().map(ToOwned::to_owned);
    let all: Option<Vec<PathBuf>> = (0..nodes.counts().0 as usize).map(of_node).collect();
    all.ok_or_else(|| Error::user("the engine has no data directory on this host"))
}

fn planned(
    condition: &Condition,
    request: &DurabilityRequest,
    durability: &Durability,
    cluster: Option<CrashCluster>,
    count: u32,
) -> PlannedRun {
    let rung = request.rung;
    let is_asked = condition.condition == CrashCondition::Asked;
    let protections = durability.protections.iter().filter(|_| is_asked);
    let place = ProofPlace::Crashes {
        rung,
        file_system: (rung == CrashRung::D2).then_some(request.file_system),
        cluster,
        condition: condition.condition.clone(),
        must_lose: condition.must_lose,
        count,
        // A control that loses in the state of its fault would lose in several.
        states: if condition.must_lose { 1 } else { request.states },
        protections: protections.map(|name| (*name).to_owned()).collect(),
    };
    let part = ProofPart { subject: ProofSubject::Durability, place, load: ProofLoad::Ledger };
    let name = condition.name();
    let fault = cluster.map_or(String::new(), |cluster| format!(",{}", cluster.fault.word()));
    let name = if name.is_empty() { name } else { format!(",{name}") };
    let code = format!("{}{fault}{name}", rung.word());
    PlannedRun::new(code, RunKind::Proof(part), Dop::jobs(CLIENTS))
}

fn title(condition: &CrashCondition) -> String {
    match condition {
        CrashCondition::Asked => "commits and faults".to_owned(),
        CrashCondition::LyingStorage { every: 1 } => "control: storage that ignores syncs".to_owned(),
        CrashCondition::LyingStorage { every } => format!("storage that ignores one of {every} syncs"),
        CrashCondition::Settings { settings } => format!("control: {settings}"),
    }
}
