//! The conditions of a run beside its platform: runs under different conditions are not comparable.

use std::collections::BTreeMap;
use std::mem::discriminant;

use record::{CacheFit, CacheState, IndexTime, Load, LoadBeside, LoopLocation, RandomBlocks, Run, StreamBackend};

use crate::load_input::input_word;

/// Sessions that fill the tables of random blocks; the tables do not depend on it.
const OF_THE_LOAD: &str = "load_parallel_degree";

/// A condition of a rate, beside platform, parameters and pace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Whether the cache of the engine was filled before a run of random rows outside of it.
    CacheFilled(bool),
    /// State of the caches before a run of random blocks.
    Caches(CacheState),
    /// Threads of dbdyno that its jobs shared; absent where each had its own.
    ClientThreads(Option<u32>),
    /// Where file streams keep their files.
    Files(StreamBackend),
    /// The loads beside the jobs; none where they were alone.
    LoadsBeside(Vec<LoadBeside>),
    /// When the indexes of a loaded table are built.
    Indexes(IndexTime),
    /// Source of the lines of a load: `generated`, `none` for uncompressed files, or the compression.
    Lines(String),
    /// Location of the loop of random blocks.
    Loop(LoopLocation),
    /// Operations per step of random blocks.
    OperationsPerStep(u64),
    /// Source of reads of tables outside the engine's cache.
    Reads {
        /// The device, not the page cache.
        from_device: bool,
    },
}

impl Condition {
    /// Whether `other` is a value of the same condition.
    pub fn is_alike(&self, other: &Condition) -> bool {
        discriminant(self) == discriminant(other)
    }
}

/// The parameters of `run` that its rate may depend on.
pub fn parameters(run: &Run) -> BTreeMap<String, i64> {
    let counted = run.parameters.iter().filter(|(name, _)| *name != OF_THE_LOAD);
    counted.map(|(name, number)| (name.clone(), *number)).collect()
}

/// The conditions of random blocks, file streams, loads, random rows outside the cache, jobs that share threads and loads beside
/// them; empty for other runs.
pub fn conditions(run: &Run) -> Vec<Condition> {
    let mut conditions = run.blocks.as_deref().map(of_blocks).unwrap_or_default();
    conditions.extend(run.streams.as_deref().map(|streams| Condition::Files(streams.backend)));
    conditions.extend(run.load.iter().flat_map(|load| of_load(load)));
    conditions.extend(cache_filled(run).map(Condition::CacheFilled));
    let beside = || run.loads_beside.iter().map(|of| of.load.clone()).collect();
    conditions.extend((!run.loads_beside.is_empty()).then(|| Condition::LoadsBeside(beside())));
    conditions.extend(run.client_threads.map(|client| Condition::ClientThreads(Some(client.threads))));
    conditions
}

/// Whether the cache was filled before `run`. Records without any settling do not say which rows are at random places: in those
/// it was filled before none.
fn cache_filled(run: &Run) -> Option<bool> {
    let is_outside = run.cache_fit == Some(CacheFit::Outside);
    match &run.settling {
        _ if !is_outside => None,
        Some(settling) => run.rows_at_random.then_some(settling.cache_fill.is_some()),
        None => Some(false),
    }
}

/// The conditions of a load beside the kind of table and the form, which are part of its code.
fn of_load(load: &Load) -> [Condition; 2] {
    [Condition::Indexes(load.indexes), Condition::Lines(input_word(load).to_owned())]
}

fn of_blocks(blocks: &RandomBlocks) -> Vec<Condition> {
    let operations = Condition::OperationsPerStep(blocks.operations_per_step);
    vec![Condition::Caches(blocks.caches), Condition::Loop(blocks.loop_location), operations]
}

#[cfg(test)]
mod tests {
    use record::{Bytes, CacheFilling, LoadModel, Nanos, Settling};

    use super::*;
    use crate::fixture::{blocks_run, run};
    use crate::load::fixture::Machine;

    #[test]
    fn conditions_of_blocks_are_caches_loop_and_operations() {
        assert_eq!(conditions(&run("T151", 1)), []);
        assert_eq!(
            conditions(&blocks_run(CacheState::Cold)),
            [
                Condition::Caches(CacheState::Cold),
                Condition::Loop(LoopLocation::Client),
                Condition::OperationsPerStep(1)
            ]
        );
    }

    #[test]
    fn conditions_of_a_load_are_source_and_indexes() {
        let load = |gzip| Machine::SMALL.run(LoadModel::default(), 1, gzip);
        let found = |indexes, lines: &str| [Condition::Indexes(indexes), Condition::Lines(lines.to_owned())];
        assert_eq!(conditions(&load(true)), found(IndexTime::None, "gzip"));
        let mut indexed = load(false);
        indexed.load.iter_mut().for_each(|load| load.indexes = IndexTime::Before);
        assert_eq!(conditions(&indexed), found(IndexTime::Before, "none"));
    }

    #[test]
    fn the_parallelism_of_filling_tables_is_no_condition() {
        let mut blocks = blocks_run(CacheState::Cold);
        blocks.parameters = [(OF_THE_LOAD, 12), ("work_unit", 64)].map(|(name, of)| (name.to_owned(), of)).into();
        assert_eq!(parameters(&blocks), BTreeMap::from([("work_unit".to_owned(), 64)]));
    }

    #[test]
    fn random_rows_find_a_cache_that_was_filled_or_one_that_earlier_runs_left() {
        let mut outside = run("T616", 1);
        (outside.cache_fit, outside.rows_at_random) = (Some(CacheFit::Outside), true);
        assert_eq!(conditions(&outside), [Condition::CacheFilled(false)], "of a record without settling");
        let filling = CacheFilling { rows: 1, bytes: Bytes(1), read_ns: Nanos(1) };
        outside.settling = Some(Settling { cache_fill: Some(filling), ..Settling::default() });
        assert_eq!(conditions(&outside), [Condition::CacheFilled(true)]);
        let scan = Run { rows_at_random: false, ..outside };
        assert_eq!(conditions(&scan), [], "a scan reads what is not cached");
    }
}
