//! What stands before the first run: the directory, what the machine is, the engine, how large the tables are.

use std::path::Path;

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
}

/// The engine, open and claimed.
pub(crate) struct Opened<'a> {
    pub engine: &'a dyn Engine,
    pub node: Box<dyn Node>,
    pub inventory: EngineInventory,
}

/// Opens and claims the engine, if one is needed.
///
/// # Errors
/// What the engine says.
pub(crate) fn open<'a>(
    request: &Request,
    workplace: &Workplace<'a>,
    directory: &mut MeasuredDirectory,
    needed: bool,
) -> Result<Option<Opened<'a>>> {
    if !needed {
        return Ok(None);
    }
    let processors = host::cpus_allowed().len() as u32;
    let jobs_max = request.degrees.iter().flatten().copied().max().unwrap_or(0).max(2 * processors);
    let site = Site {
        directory: directory.data(),
        keep: directory.keep(),
        cache_bytes: Some(cache_bytes(request.preset)),
        sessions_max: jobs_max + SESSIONS_BESIDE_JOBS,
    };
    let node = workplace.engine.open(workplace.target, &site)?;
    let claimed = node.claim().and_then(|()| node.inventory());
    match claimed {
        Ok(inventory) => Ok(Some(Opened { engine: workplace.engine, node, inventory })),
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
