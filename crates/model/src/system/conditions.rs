//! The conditions of a run beside its platform: runs under different conditions are not comparable.

use std::collections::BTreeMap;

use record::{CacheState, FileStreams, IndexTime, Load, LoopPlace, RandomBlocks, Run, StreamBackend};

use super::facts::pace_words;
use crate::load::input_word;

/// Sessions that fill the tables of random blocks; the tables do not depend on it.
const OF_THE_LOAD: &str = "load_parallel_degree";

/// The parameters of `run` that its rate may depend on.
pub(super) fn parameters(run: &Run) -> BTreeMap<String, i64> {
    let counted = run.parameters.iter().filter(|(name, _)| *name != OF_THE_LOAD);
    counted.map(|(name, number)| (name.clone(), *number)).collect()
}

/// The conditions of `run`, by name and in words: pace, parameters, and what depends on its kind. Parameters of a probe
/// only control its length and are left out.
pub fn conditions(run: &Run) -> BTreeMap<String, String> {
    let numbers = parameters(run).into_iter().filter(|_| !run.kind.is_probe());
    let mut conditions = of_kind(run);
    conditions.extend(numbers.map(|(name, number)| (name, number.to_string())));
    conditions.insert("pace".to_owned(), pace_words(run.pace));
    conditions
}

/// The conditions of random blocks, file streams and loads; empty for other runs.
pub(super) fn of_kind(run: &Run) -> BTreeMap<String, String> {
    let mut conditions = run.blocks.as_deref().map(of_blocks).unwrap_or_default();
    conditions.extend(run.streams.as_deref().map(of_streams));
    conditions.extend(run.load.iter().flat_map(|load| of_load(load)));
    conditions
}

/// The conditions of a load beside the kind of table and the form, which are part of its code.
fn of_load(load: &Load) -> [(String, String); 2] {
    let source = match input_word(load) {
        "generated" => "generated".to_owned(),
        "none" => "uncompressed".to_owned(),
        compression => compression.to_owned(),
    };
    let indexes = match load.indexes {
        IndexTime::None => "none",
        IndexTime::Before => "built before the load",
        IndexTime::After => "built after the load",
    };
    [("lines".to_owned(), source), ("indexes".to_owned(), indexes.to_owned())]
}

/// The conditions of random blocks beside parameters: state of the caches, location of the loop, operations per step.
pub(super) fn of_blocks(blocks: &RandomBlocks) -> BTreeMap<String, String> {
    let caches = match blocks.caches {
        CacheState::Filled => "preloaded",
        CacheState::AsFound => "warm",
        CacheState::Cold => "cold",
    };
    let location = match blocks.place {
        LoopPlace::Client => "in the client",
        LoopPlace::Engine => "in the engine",
    };
    let operations = blocks.operations_per_step.to_string();
    let all = [("caches", caches.to_owned()), ("loop", location.to_owned()), ("operations per step", operations)];
    all.into_iter().map(|(name, words)| (name.to_owned(), words)).collect()
}

/// The conditions of file streams beside parameters: the backend.
fn of_streams(streams: &FileStreams) -> (String, String) {
    let backend = match streams.backend {
        StreamBackend::Engine => "engine",
        StreamBackend::FileSystemDirect => "file system, O_DIRECT",
        StreamBackend::FileSystemCached => "file system, buffered",
    };
    ("files".to_owned(), backend.to_owned())
}

#[cfg(test)]
mod tests {
    use record::{LoadModel, Pace};

    use super::*;
    use crate::fixture::{blocks_run, run};
    use crate::load::fixture::Machine;

    #[test]
    fn conditions_are_pace_parameters_and_for_blocks_caches_and_loop() {
        let mut paced = Run { pace: Pace::Rate { steps_per_second: 5.0 }, ..run("T151", 1) };
        paced.parameters.insert("n".to_owned(), 25);
        let words = |run: &Run| conditions(run).iter().map(|(name, word)| format!("{name} {word}")).collect::<Vec<_>>();
        assert_eq!(words(&paced), ["n 25", "pace 5 steps/s, fixed interval"]);
        paced.kind = record::RunKind::Probe;
        assert_eq!(words(&paced), ["pace 5 steps/s, fixed interval"]);
        assert_eq!(
            words(&blocks_run(CacheState::Cold)),
            ["caches cold", "loop in the client", "operations per step 1", "pace closed loop, unthrottled"]
        );
    }

    #[test]
    fn conditions_of_a_load_are_source_and_indexes() {
        let load = |gzip| Machine::SMALL.run(LoadModel::default(), 1, gzip);
        let words = |run: &Run| of_kind(run).into_values().collect::<Vec<_>>();
        assert_eq!(words(&load(true)), ["none", "gzip"]);
        let mut indexed = load(false);
        indexed.load.iter_mut().for_each(|load| load.indexes = IndexTime::Before);
        assert_eq!(words(&indexed), ["built before the load", "uncompressed"]);
    }

    #[test]
    fn the_parallelism_of_filling_tables_is_no_condition() {
        let mut blocks = blocks_run(CacheState::Cold);
        blocks.parameters = [(OF_THE_LOAD, 12), ("work_unit", 64)].map(|(name, of)| (name.to_owned(), of)).into();
        assert_eq!(parameters(&blocks), BTreeMap::from([("work_unit".to_owned(), 64)]));
        let conditions = conditions(&blocks);
        assert!(conditions.contains_key("work_unit") && !conditions.contains_key(OF_THE_LOAD), "{conditions:?}");
    }
}
