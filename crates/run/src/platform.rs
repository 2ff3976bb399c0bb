//! The platform under measurement: the machine, and the engine that is open on it. One for each side of a comparison in
//! pairs.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use engine::{Engine, Target, Workspace};
use record::{
    Bytes, EngineInventory, HostInventory, HostState, Instrument, LocalRoundTrips, Location, Nanos, ObservedHost,
    PartNode, Plan, Preset, Trace, TracerKind,
};
use workload::Sizes;

use crate::bench::{Bench, Subject};
use crate::capacities::Capacities;
use crate::directory::MeasuredDirectory;
use crate::durability_proof::DurabilityProofFile;
use crate::hands::{Fleet, Hands};
use crate::host_observer::{Observers, watch_servers};
use crate::network::Peer;
use crate::nodes::Nodes;
use crate::sampler::{SampledNode, Sources};
use crate::{Error, Event, Interrupt, Listener, Result, Setup, instrument};

/// The surroundings of an invocation, or of one side of it.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The engine that is measured where a test needs one.
    pub engine: &'a dyn Engine,
    /// The target of the engine.
    pub target: &'a Target,
    /// All engines: each cleans up what a killed invocation left.
    pub engines: &'a [&'a dyn Engine],
    /// Receives the events.
    pub listener: &'a dyn Listener,
    /// The interruption by the user.
    pub interrupt: &'a Interrupt,
    /// The agents that carry out the jobs of tests and probes; absent where this process does.
    pub fleet: Option<&'a dyn Fleet>,
    /// The agents on the hosts of server and storage; none where they are not observed.
    pub observers: Observers<'a>,
}

impl Context<'_> {
    /// Reports `plan`, whose runs take `each`, 0 where that is unknown; `record` is the path of its record.
    pub(crate) fn announce(&self, plan: &Plan, each: Nanos, record: &Path) {
        let runs = plan.runs.len();
        let expected = Nanos(each.0.saturating_mul(runs as u64));
        self.listener.on_event(&Event::Planned { runs, expected, skipped: &plan.skipped, records: &[record] });
    }
}

/// Sessions other than those of jobs: of the sampler, of set-up and of checks.
const SESSIONS_BESIDE_JOBS: u32 = 8;

/// The machine before the first run, with no engine open, and the overhead of dbdyno on it.
pub(crate) struct Machine {
    host: HostInventory,
    instrument: Instrument,
}

impl Machine {
    /// Inspects the machine; devices and file system are those of `directory`.
    pub(crate) fn inspect(directory: &Path) -> Result<Machine> {
        let processes = host::Processes::read();
        let mut counters = host::Counters::new(directory);
        let state = host::state(directory, None);
        let inventory = host::inventory(directory);
        let instrument = instrument::calibrate(&mut counters)?;
        let at_start = HostState { background_programs: Some(processes.background_programs()), ..state };
        Ok(Machine { host: HostInventory { at_start: Some(at_start), ..inventory }, instrument })
    }
}

/// Machine and engine of one side of an invocation.
pub(crate) struct Platform<'a> {
    pub context: Context<'a>,
    setup: Setup,
    /// The highest degree of parallelism of its runs.
    jobs_max: u32,
    /// The machine, as it was before the first run.
    pub host: HostInventory,
    /// The overhead of dbdyno on it.
    pub instrument: Instrument,
    /// Round trips between two threads on it, where the engine is reached over a socket of this host.
    pub local_round_trips: Option<LocalRoundTrips>,
    /// Absent if nothing needs an engine, and while it is closed.
    pub engine: Option<OpenEngine<'a>>,
    /// How it was opened.
    pub options: OpenOptions,
    /// Directory whose block device is sampled if no engine has its files on this host.
    pub watched: PathBuf,
    /// The trace of plain runs where traced repeats were requested and are impossible: it holds the reason.
    pub untraced: Option<Box<Trace>>,
    /// The tracer to use for traced repeats, if one was requested.
    pub tracer: Option<TracerKind>,
    /// The peer of the network probes.
    pub peer: Option<Peer>,
    /// The hosts of the server, where agents observe them: one for each node.
    pub server_hosts: Vec<ObservedHost>,
    /// The hosts of storage that agents observe.
    pub storage_hosts: Vec<ObservedHost>,
    /// Who carries out the jobs.
    pub hands: Hands<'a>,
    /// The record of its runs: [`record::Record::key`]; empty before there is one.
    pub record: String,
    /// The start of the invocation on the monotonic clock.
    origin: Nanos,
}

impl<'a> Platform<'a> {
    /// One side of an invocation on `machine`, with no engine open.
    pub(crate) fn new(
        context: Context<'a>,
        setup: Setup,
        jobs_max: u32,
        directory: &MeasuredDirectory,
        machine: &Machine,
        origin: Nanos,
    ) -> Platform<'a> {
        Platform {
            context,
            setup,
            jobs_max,
            host: machine.host.clone(),
            instrument: machine.instrument.clone(),
            local_round_trips: None,
            engine: None,
            options: OpenOptions::of(directory),
            watched: directory.path().to_owned(),
            untraced: None,
            tracer: None,
            peer: None,
            server_hosts: Vec::new(),
            storage_hosts: Vec::new(),
            hands: context.fleet.map_or(Hands::Own, Hands::Fleet),
            record: String::new(),
            origin,
        }
    }

    /// Has the hosts of storage observed, if there are agents on them.
    pub(crate) fn watch_storage(&mut self) -> Result<()> {
        let watched = self.context.observers.storage.iter().map(|observer| observer.watch_storage());
        self.storage_hosts = watched.collect::<Result<_>>()?;
        Ok(())
    }

    /// Opens the engine; file system and devices are then those of its data.
    pub(crate) fn open(&mut self, options: OpenOptions, access: Access<'_>) -> Result<()> {
        self.options = options;
        let opened = OpenEngine::open(&self.setup, self.jobs_max, &self.context, &self.options, access)?;
        if let Some(directory) = opened.nodes.first().data_directory() {
            self.watch(directory);
        }
        self.server_hosts = match watch_servers(self.context.observers.servers, &opened.nodes) {
            Ok(found) => found,
            Err(error) => {
                // The first error is the one that is reported.
                let _ = opened.nodes.close();
                return Err(error);
            }
        };
        self.engine = Some(opened);
        Ok(())
    }

    /// The open engine.
    pub(crate) fn opened(&self) -> Result<&OpenEngine<'a>> {
        self.engine.as_ref().ok_or_else(|| Error::user("the run needs an engine"))
    }

    /// Sets the measured file system and devices to those of `directory`; the state at the start is kept.
    pub(crate) fn watch(&mut self, directory: &Path) {
        let at_start = self.host.at_start.take();
        self.host = HostInventory { at_start, ..host::inventory(directory) };
    }

    /// Closes the engine, if it is open.
    pub(crate) fn close(&mut self) -> Result<()> {
        Ok(self.engine.take().map_or(Ok(()), |opened| opened.nodes.close())?)
    }

    /// Closes the engine and opens it again with `options`: a temporary server then has empty caches.
    pub(crate) fn reopen(&mut self, options: OpenOptions) -> Result<()> {
        self.close()?;
        self.open(options, Access::Claim)
    }

    /// Sizes of the tables: as requested, or derived from preset and cache.
    pub(crate) fn sizes(&self, small_rows: Option<u64>, large_rows: Option<u64>) -> Sizes {
        let cache = self.engine.as_ref().and_then(|opened| opened.inventory.cache_bytes);
        let derived = Sizes::derive(self.setup.preset, cache, self.setup.seed);
        derived.with_rows(small_rows, large_rows)
    }

    /// The engine under measurement; storage probes work in `directory`.
    pub(crate) fn subject(&self, directory: &Path) -> Option<Subject<'_>> {
        let opened = self.engine.as_ref()?;
        let data = opened.nodes.first().data_directory();
        Some(Subject {
            engine: opened.engine,
            nodes: &opened.nodes,
            inventory: opened.inventory.clone(),
            untraced: self.untraced.clone(),
            tracer: self.tracer,
            on_probed_device: data.is_some_and(|data| host::is_same_device(data, directory)),
        })
    }

    /// Sources of counters: of the device of the data of `subject`, or of [`Platform::watched`].
    pub(crate) fn sources<'s>(&'s self, subject: Option<&'s Subject<'s>>) -> Result<Sources<'s>> {
        let data = subject.and_then(|subject| subject.nodes.first().data_directory());
        let nodes = subject.map_or(Ok(Vec::new()), |subject| {
            let places = 0..subject.nodes.counts().0 as usize;
            places.map(|place| SampledNode::new(subject.nodes, place)).collect::<engine::Result<_>>()
        })?;
        let clients = self.hands.fleet().map_or(Vec::new(), Fleet::local_processes);
        let host = host::Counters::new(data.unwrap_or(&self.watched)).with_clients(&clients);
        let interface = self.peer.as_ref().and_then(|peer| peer.interface.as_deref());
        let host = match interface {
            Some(interface) => host.with_interface(interface),
            None => host,
        };
        let Observers { servers, storage } = self.context.observers;
        let observers = Observers { servers: subject.map_or(&[], |_| servers), storage };
        Ok(Sources { nodes, device_is_engines: data.is_some(), observers, ..Sources::of(host) })
    }

    /// Enters what `proof` has shown of the engine.
    ///
    /// # Errors
    /// Where it says nothing of this engine with these settings.
    pub(crate) fn show_durability(&mut self, proof: Option<&DurabilityProofFile>) -> Result<()> {
        match proof {
            Some(proof) => proof.show(self.engine.as_mut().map(|opened| &mut opened.inventory)),
            None => Ok(()),
        }
    }

    /// Measures round trips between two threads of this host, where the engine is reached over a socket of this host by
    /// jobs of this process.
    pub(crate) fn measure_local_round_trips(&mut self) {
        let location = self.engine.as_ref().map(|opened| opened.inventory.location);
        let is_local = matches!(location, Some(Location::UnixSocket | Location::LocalTcp));
        if !is_local || self.context.fleet.is_some() {
            return;
        }
        let (found, missing) = probe::local_round_trips(&host::cpus_allowed(), self.setup.preset);
        missing.iter().for_each(|reason| self.context.listener.on_event(&Event::Note(reason)));
        self.local_round_trips = Some(found);
    }

    /// What the runs of `plan` have in common.
    pub(crate) fn bench<'s>(
        &'s self,
        plan: &'s Plan,
        sizes: &'s Sizes,
        subject: Option<&'s Subject<'s>>,
        sources: &'s Sources<'s>,
    ) -> Bench<'s> {
        Bench {
            plan,
            sizes,
            subject,
            sources,
            instrument: &self.instrument,
            host: &self.host,
            record: &self.record,
            server_hosts: &self.server_hosts,
            storage_hosts: &self.storage_hosts,
            processors: host::cpus_allowed(),
            samples_sessions: self.setup.sample_sessions,
            script_log: self.setup.script_log.as_ref(),
            loads_beside: &[],
            peer: self.peer.as_ref(),
            hands: self.hands,
            target: self.context.target,
            origin: self.origin,
            interrupt: self.context.interrupt,
            listener: self.context.listener,
        }
    }

    /// Runs `body` with a bench of the engine as it is open now.
    pub(crate) fn with_bench<T>(&self, plan: &Plan, body: impl FnOnce(&Bench<'_>) -> Result<T>) -> Result<T> {
        let subject = self.subject(Path::new(&plan.directory));
        self.with_subject(plan, subject.as_ref(), body)
    }

    /// Runs `body` with a bench without an engine, whether one is open or not.
    pub(crate) fn without_engine<T>(&self, plan: &Plan, body: impl FnOnce(&Bench<'_>) -> Result<T>) -> Result<T> {
        self.with_subject(plan, None, body)
    }

    fn with_subject<T>(
        &self,
        plan: &Plan,
        subject: Option<&Subject<'_>>,
        body: impl FnOnce(&Bench<'_>) -> Result<T>,
    ) -> Result<T> {
        let sources = self.sources(subject)?;
        // A plan without tests of the catalogue has no tables.
        let [small_rows, large_rows] =
            [plan.small_rows, plan.large_rows].map(|rows| Some(rows).filter(|rows| *rows > 0));
        let sizes = self.sizes(small_rows, large_rows).with_warehouses(plan.warehouses);
        body(&self.bench(plan, &sizes, subject, &sources))
    }
}

impl Sources<'static> {
    /// The host's counters alone, of the device below `directory`.
    pub(crate) fn of_host(directory: &Path) -> Sources<'static> {
        Sources::of(host::Counters::new(directory))
    }

    fn of(host: host::Counters) -> Sources<'static> {
        Sources {
            host: Mutex::new(host),
            nodes: Vec::new(),
            device_is_engines: false,
            observers: Observers::default(),
            flush_probe_ns: AtomicU64::new(0),
            capacities: Capacities::default(),
        }
    }
}

/// An engine that is open.
pub(crate) struct OpenEngine<'a> {
    pub engine: &'a dyn Engine,
    pub nodes: Nodes,
    pub inventory: EngineInventory,
}

/// What an engine is opened for.
#[derive(Clone, Copy)]
pub(crate) enum Access<'a> {
    /// What it is able to do; nothing is created.
    Survey,
    /// Measurements: the schema is claimed.
    Claim,
    /// Measurements on these nodes, on which another process has claimed the schema.
    Join(&'a [PartNode]),
}

/// The directory of the files of an engine, and whether they stay.
#[derive(Clone, Debug)]
pub(crate) struct OpenOptions {
    pub directory: PathBuf,
    pub keep: bool,
    /// Whether files of all nodes stay, and not those of the first alone, if files stay.
    pub keeps_each_node: bool,
    /// Cache size of a temporary server; absent for that of the preset.
    pub cache: Option<Bytes>,
}

impl OpenOptions {
    /// The data directory of `directory`.
    pub(crate) fn of(directory: &MeasuredDirectory) -> OpenOptions {
        OpenOptions { directory: directory.data(), keep: directory.keep(), keeps_each_node: false, cache: None }
    }
}

impl<'a> OpenEngine<'a> {
    /// Opens the engine of `context`.
    pub(crate) fn open(
        setup: &Setup,
        jobs_max: u32,
        context: &Context<'a>,
        options: &OpenOptions,
        access: Access<'_>,
    ) -> Result<OpenEngine<'a>> {
        let processors = host::cpus_allowed().len() as u32;
        let target = context.target;
        if setup.client_threads.is_some() && !context.engine.about().shares_threads {
            return Err(Error::user(format!("sessions of {} have a thread each", context.engine.title()))
                .hint("leave --client-threads out: sessions share threads where a server is reached over a socket"));
        }
        // `options.keep` is about files in the directory; for an external server the request decides each time.
        let elsewhere = target.is_external();
        let workspace = Workspace {
            directory: options.directory.clone(),
            keep: if elsewhere { setup.keep } else { options.keep },
            cache_bytes: Some(options.cache.unwrap_or_else(|| cache_bytes(setup.preset))),
            sessions_max: jobs_max.max(2 * processors) + SESSIONS_BESIDE_JOBS,
        };
        let nodes = match access {
            Access::Join(nodes) => Nodes::join(context.engine, nodes, &workspace)?,
            Access::Survey | Access::Claim => {
                let opened = match options.keeps_each_node {
                    true => context.engine.open_cluster(target, &workspace)?,
                    false => context.engine.open_all(target, &workspace)?,
                };
                Nodes::of(opened, target, setup.database_per_agent)?
            }
        };
        let claimed = match access {
            Access::Claim => check_apart(&nodes, context).and_then(|()| Ok(nodes.claim()?)),
            Access::Survey => check_apart(&nodes, context),
            Access::Join(_) => Ok(()),
        };
        match claimed.and_then(|()| Ok(nodes.first().inventory()?)) {
            Ok(inventory) => {
                // The address of a cluster may stand for several nodes.
                let nodes_count = Some(nodes.counts().0).filter(|count| *count > 1).unwrap_or(inventory.nodes);
                let inventory = EngineInventory { nodes: nodes_count, ..inventory };
                Ok(OpenEngine { engine: context.engine, nodes, inventory })
            }
            Err(error) => {
                // The first error is the one that is reported.
                let _ = nodes.close();
                Err(error)
            }
        }
    }
}

/// Checks that there is a database for each agent, if each has its own.
fn check_apart(nodes: &Nodes, context: &Context<'_>) -> Result<()> {
    if !nodes.are_apart() {
        return Ok(());
    }
    let agents = context.fleet.map_or(1, Fleet::agents);
    let (databases, writing) = nodes.counts();
    let refused = |message: String, hint: &str| Err(Error::user(message).hint(hint));
    match () {
        () if databases != agents => refused(
            format!("{agents} agents need {agents} databases, and the target has {databases}"),
            "give as many addresses in the target as there are agents",
        ),
        () if writing < databases => refused(
            format!("{} of {databases} databases take no writes: they are replicas of others", databases - writing),
            "leave --database-per-agent out: the nodes of one database are used by all agents",
        ),
        () => Ok(()),
    }
}

/// Buffer cache of a temporary server: small in the small presets, so that a larger table is loaded in seconds; a
/// quarter of the memory in the others, which is common practice.
pub fn cache_bytes(preset: Preset) -> Bytes {
    let quarter = Bytes(host::memory_total().0 / 4);
    match preset {
        Preset::Smoke => Bytes::MIB.times(16),
        Preset::Quick => Bytes::MIB.times(128).min(quarter),
        Preset::Standard | Preset::Soak => Bytes::GIB.times(8).min(quarter),
        Preset::Publish => quarter,
    }
}
