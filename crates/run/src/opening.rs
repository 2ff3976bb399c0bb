//! What stands before the first run: the directory, what the machine is, the engine, how large the tables are.

use std::path::{Path, PathBuf};

use engine::{Engine, Node, Site};
use record::{Bytes, EngineInventory, HostInventory, Instrument, Preset};
use workload::Sizes;

use crate::directory::MeasuredDirectory;
use crate::invocation::Workplace;
use crate::{Event, Request, Result, instrument};

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
        let mut counters = host::Counters::new(directory);
        Ok(Setting {
            host: host::inventory(directory),
            instrument: instrument::calibrate(&mut counters)?,
            processors: host::cpus_allowed(),
        })
    }

    /// Looks again where the engine keeps its data, if that is on this host: file system and devices are those that
    /// are measured.
    pub(crate) fn look_where(&mut self, opened: Option<&Opened<'_>>) {
        if let Some(directory) = opened.and_then(|opened| opened.node.data_directory()) {
            self.host = host::inventory(directory);
        }
    }
}

/// The engine, open and claimed.
pub(crate) struct Opened<'a> {
    pub engine: &'a dyn Engine,
    pub node: Box<dyn Node>,
    pub inventory: EngineInventory,
}

/// Where an engine puts its files, and whether they stay.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub directory: PathBuf,
    pub keep: bool,
}

impl Plot {
    /// The one of the whole of `directory`.
    pub(crate) fn of(directory: &MeasuredDirectory) -> Plot {
        Plot { directory: directory.data(), keep: directory.keep() }
    }
}

/// Opens and claims the engine.
///
/// # Errors
/// What the engine says.
pub(crate) fn open<'a>(request: &Request, workplace: &Workplace<'a>, plot: &Plot) -> Result<Opened<'a>> {
    reach(request, workplace, plot, |node| node.claim())
}

/// Opens the engine and creates nothing in it.
///
/// # Errors
/// What the engine says.
pub(crate) fn look<'a>(request: &Request, workplace: &Workplace<'a>, plot: &Plot) -> Result<Opened<'a>> {
    reach(request, workplace, plot, |_node| Ok(()))
}

fn reach<'a>(
    request: &Request,
    workplace: &Workplace<'a>,
    plot: &Plot,
    claim: impl FnOnce(&dyn Node) -> engine::Result<()>,
) -> Result<Opened<'a>> {
    let processors = host::cpus_allowed().len() as u32;
    let jobs_max = request.degrees.iter().flatten().copied().max().unwrap_or(0).max(2 * processors);
    let target = workplace.target;
    // What a directory keeps is what lies in it: a server of somebody else's is asked about at every invocation.
    let elsewhere =
        !target.local && (target.user.is_some() || target.database.is_some() || !target.addresses.is_empty());
    let site = Site {
        directory: plot.directory.clone(),
        keep: if elsewhere { request.keep } else { plot.keep },
        cache_bytes: Some(cache_bytes(request.preset)),
        sessions_max: jobs_max + SESSIONS_BESIDE_JOBS,
    };
    let node = workplace.engine.open(target, &site)?;
    let known = claim(node.as_ref()).and_then(|()| node.inventory());
    match known {
        Ok(inventory) => Ok(Opened { engine: workplace.engine, node, inventory }),
        Err(error) => {
            // The first error is the one to tell.
            let _ = node.close();
            Err(error.into())
        }
    }
}

/// The buffer cache that a server of our own gets: small in the small presets, so that a table larger than it is
/// loaded in seconds; a quarter of the memory in the others, as practice has it.
fn cache_bytes(preset: Preset) -> Bytes {
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
