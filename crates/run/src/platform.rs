//! What is measured: the machine, and the engine that is open on it. One for each side of a comparison in pairs.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use engine::{Engine, Target, Workspace};
use record::{Bytes, EngineInventory, HostInventory, HostState, Instrument, Nanos, Plan, Preset, Rung, Trace};
use workload::Sizes;

use crate::bench::{Bench, Subject};
use crate::directory::MeasuredDirectory;
use crate::invocation::Context;
use crate::kind::io::same_device;
use crate::nodes::Nodes;
use crate::pacing::Capacities;
use crate::sampler::{Sources, Watched};
use crate::{Request, Result, instrument};

/// Sessions beside the jobs: the sampler's, those of set-up and checks.
const SESSIONS_BESIDE_JOBS: u32 = 8;

/// The machine before the first run, no engine open yet, and what dbdyno itself costs on it.
pub(crate) struct Machine {
    host: HostInventory,
    instrument: Instrument,
}

impl Machine {
    /// Inspects it; devices and file system are those of `directory`.
    ///
    /// # Errors
    /// Where the null engine cannot run its test: a defect.
    pub(crate) fn inspect(directory: &Path) -> Result<Machine> {
        let processes = host::Processes::look();
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
    request: Request,
    /// The machine, as it was before the first run.
    pub host: HostInventory,
    /// What dbdyno itself costs on it.
    pub instrument: Instrument,
    /// Absent where nothing that needs one is measured, and while it is closed.
    pub engine: Option<OpenEngine<'a>>,
    /// How it was opened.
    pub options: OpenOptions,
    /// Below which the counters of the block layer are read where no engine has its files on this host.
    pub watched: PathBuf,
    /// The trace of plain runs where traced repeats were asked for and cannot be made: it says why.
    pub untraced: Option<Box<Trace>>,
    /// The rung on which traced repeats are to be traced, if one was asked for.
    pub rung: Option<Rung>,
    /// The start of the invocation on the monotonic clock.
    origin: Nanos,
}

impl<'a> Platform<'a> {
    /// One side of an invocation on `machine`; no engine is open yet.
    pub(crate) fn new(
        context: Context<'a>,
        request: Request,
        directory: &MeasuredDirectory,
        machine: &Machine,
        origin: Nanos,
    ) -> Platform<'a> {
        Platform {
            context,
            request,
            host: machine.host.clone(),
            instrument: machine.instrument.clone(),
            engine: None,
            options: OpenOptions::of(directory),
            watched: directory.path().to_owned(),
            untraced: None,
            rung: None,
            origin,
        }
    }

    /// Opens the engine, and claims the schema where `is_claimed`; file system and devices are then those of its data.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn open(&mut self, options: OpenOptions, is_claimed: bool) -> Result<()> {
        self.options = options;
        let opened = OpenEngine::open(&self.request, &self.context, &self.options, is_claimed)?;
        if let Some(directory) = opened.nodes.first().data_directory() {
            self.watch(directory);
        }
        self.engine = Some(opened);
        Ok(())
    }

    /// Takes file system and devices of `directory` for those that are measured; the machine was what it was at the start.
    pub(crate) fn watch(&mut self, directory: &Path) {
        let at_start = self.host.at_start.take();
        self.host = HostInventory { at_start, ..host::inventory(directory) };
    }

    /// Closes the engine, if it is open.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn close(&mut self) -> Result<()> {
        Ok(self.engine.take().map_or(Ok(()), |opened| opened.nodes.close())?)
    }

    /// Closes the engine and opens it again with `options`: the caches of a server of our own are empty then.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn reopen(&mut self, options: OpenOptions) -> Result<()> {
        self.close()?;
        self.open(options, true)
    }

    /// How large the tables are: as asked for, or as preset and cache say.
    pub(crate) fn sizes(&self) -> Sizes {
        let cache = self.engine.as_ref().and_then(|opened| opened.inventory.cache_bytes);
        let derived = Sizes::derive(self.request.preset, cache, self.request.seed);
        derived.with_rows(self.request.small_rows, self.request.large_rows)
    }

    /// The engine as runs see it; probes of storage work in `directory`.
    pub(crate) fn subject(&self, directory: &Path) -> Option<Subject<'_>> {
        let opened = self.engine.as_ref()?;
        let data = opened.nodes.first().data_directory();
        Some(Subject {
            engine: opened.engine,
            nodes: &opened.nodes,
            inventory: opened.inventory.clone(),
            untraced: self.untraced.clone(),
            rung: self.rung,
            on_probed_device: data.is_some_and(|data| same_device(data, directory)),
        })
    }

    /// Where counters come from: of the device below the data of `subject`, or below [`Platform::watched`].
    ///
    /// # Errors
    /// Where the engine gives no session.
    pub(crate) fn sources<'s>(&self, subject: Option<&'s Subject<'s>>) -> Result<Sources<'s>> {
        let data = subject.and_then(|subject| subject.nodes.first().data_directory());
        let nodes = subject.map_or(Ok(Vec::new()), |subject| {
            let places = 0..subject.nodes.counts().0 as usize;
            places.map(|place| Watched::new(subject.nodes, place)).collect::<engine::Result<_>>()
        })?;
        Ok(Sources { nodes, device_is_engines: data.is_some(), ..Sources::of_host(data.unwrap_or(&self.watched)) })
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
            processors: host::cpus_allowed(),
            looks: self.request.looks,
            origin: self.origin,
            interrupt: self.context.interrupt,
            listener: self.context.listener,
        }
    }

    /// What `body` returns for a bench with the engine as it is open now.
    ///
    /// # Errors
    /// Where the engine gives no session, and those of `body`.
    pub(crate) fn with_bench<T>(&self, plan: &Plan, body: impl FnOnce(&Bench<'_>) -> Result<T>) -> Result<T> {
        let subject = self.subject(Path::new(&plan.directory));
        self.with_subject(plan, subject.as_ref(), body)
    }

    /// The same for a bench without an engine, open or not.
    ///
    /// # Errors
    /// Those of `body`.
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
        body(&self.bench(plan, &self.sizes(), subject, &sources))
    }
}

impl Sources<'static> {
    /// The host's counters alone, of the device below `directory`.
    pub(crate) fn of_host(directory: &Path) -> Sources<'static> {
        Sources {
            host: Mutex::new(host::Counters::new(directory)),
            nodes: Vec::new(),
            device_is_engines: false,
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

/// Where an engine puts its files, and whether they stay.
#[derive(Clone, Debug)]
pub(crate) struct OpenOptions {
    pub directory: PathBuf,
    pub keep: bool,
    /// Size of the cache of a server of our own; absent for what the preset says.
    pub cache: Option<Bytes>,
}

impl OpenOptions {
    /// The data directory of `directory`.
    pub(crate) fn of(directory: &MeasuredDirectory) -> OpenOptions {
        OpenOptions { directory: directory.data(), keep: directory.keep(), cache: None }
    }
}

impl<'a> OpenEngine<'a> {
    /// Opens the engine of `context`, and claims its schema where `is_claimed`.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn open(
        request: &Request,
        context: &Context<'a>,
        options: &OpenOptions,
        is_claimed: bool,
    ) -> Result<OpenEngine<'a>> {
        let processors = host::cpus_allowed().len() as u32;
        let jobs_max = request.degrees.iter().flatten().copied().max().unwrap_or(0).max(2 * processors);
        let target = context.target;
        // What a directory keeps is what lies in it: a server of somebody else's is asked about at every invocation.
        let elsewhere = is_elsewhere(target);
        let workspace = Workspace {
            directory: options.directory.clone(),
            keep: if elsewhere { request.keep } else { options.keep },
            cache_bytes: Some(options.cache.unwrap_or_else(|| cache_bytes(request.preset))),
            sessions_max: jobs_max + SESSIONS_BESIDE_JOBS,
        };
        let nodes = Nodes::open(context.engine, target, &workspace)?;
        let claimed = if is_claimed { nodes.claim() } else { Ok(()) };
        match claimed.and_then(|()| nodes.first().inventory()) {
            Ok(inventory) => {
                // One address of a cluster says itself how many nodes the cluster has.
                let nodes_count = Some(nodes.counts().0).filter(|count| *count > 1).unwrap_or(inventory.nodes);
                let inventory = EngineInventory { nodes: nodes_count, ..inventory };
                Ok(OpenEngine { engine: context.engine, nodes, inventory })
            }
            Err(error) => {
                // The first error is the one to report.
                let _ = nodes.close();
                Err(error.into())
            }
        }
    }
}

/// Whether `target` is a server of somebody else's, and what lies in it is not below the measured directory.
pub(crate) fn is_elsewhere(target: &Target) -> bool {
    !target.local && (target.user.is_some() || target.database.is_some() || !target.addresses.is_empty())
}

/// The buffer cache that a server of our own gets: small in the small presets, so that a table larger than it is
/// loaded in seconds; a quarter of the memory in the others, as practice has it.
pub fn cache_bytes(preset: Preset) -> Bytes {
    let quarter = Bytes(host::memory_total().0 / 4);
    match preset {
        Preset::Smoke => Bytes::MIB.times(16),
        Preset::Quick => Bytes::MIB.times(128).min(quarter),
        Preset::Standard => Bytes::GIB.times(8).min(quarter),
        Preset::Publish => quarter,
    }
}
