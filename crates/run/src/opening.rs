//! What stands before the first run: the directory, what the machine is, the engine, how large the tables are.

use std::path::{Path, PathBuf};

use engine::{Engine, Site, Target};
use record::{Bytes, EngineInventory, HostInventory, HostState, Instrument, Preset};
use workload::Sizes;

use crate::directory::MeasuredDirectory;
use crate::invocation::Workplace;
use crate::nodes::Nodes;
use crate::{Event, Request, Result, clean_up_tracing, instrument};

/// Sessions beside the jobs: the sampler's, those of set-up and checks.
const SESSIONS_BESIDE_JOBS: u32 = 8;

/// Makes the measured directory, or takes it over, and tells what was cleaned up.
///
/// # Errors
/// Where it is not to be had.
pub(crate) fn claim(request: &Request, workplace: &Workplace<'_>) -> Result<MeasuredDirectory> {
    let mut directory = MeasuredDirectory::claim(&request.directory, request.keep)?;
    for line in directory.prepare(workplace.engines)? {
        workplace.listener.hear(&Event::Note(&line));
    }
    for line in host::remove_left_groups().into_iter().chain(clean_up_tracing()) {
        workplace.listener.hear(&Event::Note(&line));
    }
    Ok(directory)
}

/// What was found out about the machine before the first run.
#[derive(Clone)]
pub(crate) struct Setting {
    pub host: HostInventory,
    pub instrument: Instrument,
    pub processors: Vec<u32>,
}

impl Setting {
    /// Looks, and measures what dbdyno itself costs.
    pub(crate) fn find_out(directory: &Path) -> Result<Setting> {
        let processes = host::Processes::look();
        let mut counters = host::Counters::new(directory);
        let state = host::state(directory, None);
        let inventory = host::inventory(directory);
        let instrument = instrument::calibrate(&mut counters)?;
        let at_start = HostState { bystanders: Some(processes.bystanders()), ..state };
        Ok(Setting {
            host: HostInventory { at_start: Some(at_start), ..inventory },
            instrument,
            processors: host::cpus_allowed(),
        })
    }

    /// Looks again where the engine keeps its data, if that is on this host: file system and devices are those that
    /// are measured.
    pub(crate) fn look_where(&mut self, opened: Option<&Opened<'_>>) {
        if let Some(directory) = opened.and_then(|opened| opened.nodes.first().data_directory()) {
            self.look_at(directory);
        }
    }

    /// Looks again at `directory`; the machine was what it was at the start.
    pub(crate) fn look_at(&mut self, directory: &Path) {
        let at_start = self.host.at_start.take();
        self.host = HostInventory { at_start, ..host::inventory(directory) };
    }
}

/// The engine, open and claimed.
pub(crate) struct Opened<'a> {
    pub engine: &'a dyn Engine,
    pub nodes: Nodes,
    pub inventory: EngineInventory,
}

/// Where an engine puts its files, and whether they stay.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub directory: PathBuf,
    pub keep: bool,
    /// Size of the cache of a server of our own; absent for what the preset says.
    pub cache: Option<Bytes>,
}

impl Plot {
    /// The one of the whole of `directory`.
    pub(crate) fn of(directory: &MeasuredDirectory) -> Plot {
        Plot { directory: directory.data(), keep: directory.keep(), cache: None }
    }
}

/// Opens and claims the engine.
///
/// # Errors
/// What the engine says.
pub(crate) fn open<'a>(request: &Request, workplace: &Workplace<'a>, plot: &Plot) -> Result<Opened<'a>> {
    reach(request, workplace, plot, Nodes::claim)
}

/// Opens the engine and creates nothing in it.
///
/// # Errors
/// What the engine says.
pub(crate) fn look<'a>(request: &Request, workplace: &Workplace<'a>, plot: &Plot) -> Result<Opened<'a>> {
    reach(request, workplace, plot, |_nodes| Ok(()))
}

fn reach<'a>(
    request: &Request,
    workplace: &Workplace<'a>,
    plot: &Plot,
    claim: impl FnOnce(&Nodes) -> engine::Result<()>,
) -> Result<Opened<'a>> {
    let processors = host::cpus_allowed().len() as u32;
    let jobs_max = request.degrees.iter().flatten().copied().max().unwrap_or(0).max(2 * processors);
    let target = workplace.target;
    // What a directory keeps is what lies in it: a server of somebody else's is asked about at every invocation.
    let elsewhere = is_elsewhere(target);
    let site = Site {
        directory: plot.directory.clone(),
        keep: if elsewhere { request.keep } else { plot.keep },
        cache_bytes: Some(plot.cache.unwrap_or_else(|| cache_bytes(request.preset))),
        sessions_max: jobs_max + SESSIONS_BESIDE_JOBS,
    };
    let nodes = Nodes::open(workplace.engine, target, &site)?;
    let known = claim(&nodes).and_then(|()| nodes.first().inventory());
    match known {
        Ok(inventory) => {
            // One address of a cluster says itself how many nodes the cluster has.
            let nodes_count = Some(nodes.counts().0).filter(|count| *count > 1).unwrap_or(inventory.nodes);
            let inventory = EngineInventory { nodes: nodes_count, ..inventory };
            Ok(Opened { engine: workplace.engine, nodes, inventory })
        }
        Err(error) => {
            // The first error is the one to tell.
            let _ = nodes.close();
            Err(error.into())
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

/// How large the tables are: as asked for, or as preset and cache say.
pub(crate) fn sizes(request: &Request, subject: Option<&Opened<'_>>) -> Sizes {
    let cache = subject.and_then(|subject| subject.inventory.cache_bytes);
    let derived = Sizes::derive(request.preset, cache, request.seed);
    derived.with_rows(request.small_rows, request.large_rows)
}
