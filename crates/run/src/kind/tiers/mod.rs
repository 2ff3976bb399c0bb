//! Tiers: the buffer cache of an engine, the page cache below it, and the device.
//!
//! Random blocks of one table are read by one session, in working sets that fit the buffer cache or do not, while the page
//! cache holds all, half or nothing of the table. Points are measured in rounds, in random order, without a restart of the
//! engine.

use std::path::Path;

use record::{
    Bytes, Dop, Nanos, PageCached, Plan, PlannedRun, Preset, ProofLoad, ProofPart, ProofPlace, ProofSubject, RunKind,
};
use workload::blocks::{BlocksSettings, CODE};

use crate::directory::MeasuredDirectory;
use crate::invocation::{Kind, Measured, invoke};
use crate::kind::blocks::{self, BLOCK_USUAL, BlocksRequest, Loaded};
use crate::platform::{Context, OpenEngine, OpenOptions, Platform};
use crate::recorder::Recorder;
use crate::{Error, Result, Setup, space};

/// The table, in sizes of the buffer cache.
const TABLE: f64 = 4.0;

/// Space of the table with its log, in sizes of the table.
const TIMES_TABLE: f64 = 2.0;

/// The points: what is visited, in sizes of the buffer cache, and what the page cache holds.
const POINTS: [(f64, PageCached); 4] =
    [(0.5, PageCached::All), (TABLE, PageCached::All), (TABLE, PageCached::Nothing), (2.0, PageCached::Half)];

/// What the proof is asked for.
#[derive(Clone, Debug)]
pub struct TiersRequest {
    /// What every kind of run is asked for.
    pub setup: Setup,
    /// Size of the buffer cache of the engine.
    pub cache: Bytes,
    /// Length of each measurement.
    pub window: Nanos,
    /// How often each point is measured.
    pub rounds: u32,
}

/// Measures the tiers below the engine of `context`.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure_tiers(request: &TiersRequest, context: Context<'_>) -> Result<Measured> {
    Ok(invoke(&mut Tiers { request, block: BLOCK_USUAL }, [context], None)?.measured(&request.setup.record))
}

struct Tiers<'r> {
    request: &'r TiersRequest,
    /// Block size of the engine, once it is open.
    block: Bytes,
}

impl Kind for Tiers<'_> {
    fn setup(&self) -> Setup {
        self.request.setup.clone()
    }

    fn jobs_max(&self) -> u32 {
        BlocksSettings::default().load_jobs
    }

    fn check(&self, [context]: &[Context<'_>; 1]) -> Result<()> {
        blocks::check(&self.reads(self.request.cache, None), context)
    }

    fn options(
        &self,
        directory: &MeasuredDirectory,
        _context: &Context<'_>,
        _opened: &[Platform<'_>],
    ) -> Result<OpenOptions> {
        Ok(OpenOptions { cache: Some(self.request.cache), ..OpenOptions::of(directory) })
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        let opened = platform.engine.as_ref().ok_or_else(|| Error::user("a proof of tiers needs an engine"))?;
        let (cache, block) = sizes(opened)?;
        self.block = block;
        check_space(cache, &directory.data())?;
        let runs: Vec<PlannedRun> = POINTS.iter().map(|point| run(*point, cache, block)).collect();
        let mut plan = Plan {
            window_ns: self.request.window,
            // Random reads of the device replace what the point before has left in the buffer cache.
            warm_up_ns: self.request.window,
            seed: self.request.setup.seed,
            repeats: self.request.rounds,
            runs: crate::order::in_rounds(&runs, self.request.rounds, self.request.setup.seed),
            ..Plan::new(platform.context.target.to_string(), directory.path().display().to_string(), Preset::Quick)
        };
        plan.number();
        Ok([plan])
    }

    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let plan = record.plan.clone();
        platform.context.announce(&plan, plan.warm_up_ns + plan.window_ns, &self.request.setup.record);
        let largest = plan.runs.iter().filter_map(working_set).map(|(size, _)| size).max().unwrap_or_default();
        let loaded = Loaded::load(platform, &plan, record, &self.reads(largest, None))?;
        for planned in &plan.runs {
            let Some((size, page_cached)) = working_set(planned) else { continue };
            let request = self.reads(size, Some(page_cached));
            if let Some(message) = loaded.measure(platform, planned, record, &request)? {
                return Err(Error::environment(message));
            }
        }
        Ok(())
    }
}

impl Tiers<'_> {
    /// Reads of one session in the first blocks of the table, of `size`.
    fn reads(&self, size: Bytes, page_cached: Option<PageCached>) -> BlocksRequest {
        let blocks = size.0 / self.block.0.max(1);
        BlocksRequest { page_cached, ..BlocksRequest::reads(self.setup(), blocks, self.request.window, 1) }
    }
}

fn check_space(cache: Bytes, directory: &Path) -> Result<()> {
    let needed = Bytes((cache.0 as f64 * TABLE * TIMES_TABLE) as u64);
    let content = format!("a table of {TABLE} times the buffer cache and its log");
    space::check(directory, needed, &content, "give a smaller --cache, or another --dir")
}

/// Buffer cache and block of the engine.
fn sizes(opened: &OpenEngine<'_>) -> Result<(Bytes, Bytes)> {
    let (inventory, title) = (&opened.inventory, opened.engine.title());
    let hint = "give a --target whose engine dbdyno starts and that reads through the page cache: `dbdyno prove tiers \
                --help` names them";
    if !inventory.temporary {
        return Err(Error::user(format!(
            "the tiers below this {title} cannot be proved: dbdyno did not start it, and drops only files of its own \
             from the page cache"
        ))
        .hint(hint));
    }
    if inventory.direct_reads == Some(true) {
        return Err(Error::user(format!(
            "there is no tier between {title} and the device: it opens its files with O_DIRECT"
        ))
        .hint(hint));
    }
    inventory.cache_bytes.zip(inventory.block_bytes).ok_or_else(|| {
        Error::user(format!(
            "the tiers below {title} cannot be proved: it does not tell its buffer cache and its block size"
        ))
        .hint(hint)
    })
}

fn run((caches, page_cache): (f64, PageCached), cache: Bytes, block: Bytes) -> PlannedRun {
    let blocks = (cache.0 as f64 * caches) as u64 / block.0.max(1);
    let place = ProofPlace::WorkingSet { size_bytes: Bytes(blocks * block.0), page_cache };
    let part = ProofPart { subject: ProofSubject::Tiers, place, load: ProofLoad::BlockReads };
    PlannedRun::new(CODE, RunKind::Proof(part), Dop::jobs(1))
}

fn working_set(planned: &PlannedRun) -> Option<(Bytes, PageCached)> {
    match planned.kind.proof()?.place {
        ProofPlace::WorkingSet { size_bytes, page_cache } => Some((size_bytes, page_cache)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_point_fits_the_buffer_cache_and_one_is_of_another_size_than_those_that_do_not() {
        let runs = POINTS.map(|point| run(point, Bytes::MIB.times(32), Bytes(8_192)));
        let sizes: Vec<u64> = runs.iter().filter_map(working_set).map(|(size, _)| size.0 >> 20).collect();
        assert_eq!(sizes, [16, 128, 128, 64]);
    }
}
