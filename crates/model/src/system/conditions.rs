//! What the rate of a run depends on beside its platform: two runs that differ in it did not do the same.

use std::collections::BTreeMap;

use record::{CacheState, FileStreams, IndexTime, Load, LoopPlace, RandomBlocks, Run, StreamBackend};

use super::facts::pace_words;
use crate::load::input_word;

/// A parameter of random blocks that says how their tables were filled, before anything was measured: the tables are the
/// same however many sessions filled them.
const OF_THE_LOAD: &str = "load_parallel_degree";

/// The numbers of the test of `run` that its rate may depend on.
pub(super) fn parameters(run: &Run) -> BTreeMap<String, i64> {
    let counted = run.parameters.iter().filter(|(name, _)| *name != OF_THE_LOAD);
    counted.map(|(name, number)| (name.clone(), *number)).collect()
}

/// What `run` was run with, by name and in words: when its steps were due, the numbers of its test, and of random blocks
/// what `of_blocks` tells. The numbers of a probe only say how long it took to find its figure, and are left out.
pub fn conditions(run: &Run) -> BTreeMap<String, String> {
    let numbers = parameters(run).into_iter().filter(|_| !run.kind.is_probe());
    let mut conditions = of_kind(run);
    conditions.extend(numbers.map(|(name, number)| (name, number.to_string())));
    conditions.insert("pace".to_owned(), pace_words(run.pace));
    conditions
}

/// What `run` depends on by what it is: random blocks, file streams or a load; nothing of any other.
pub(super) fn of_kind(run: &Run) -> BTreeMap<String, String> {
    let mut conditions = run.blocks.as_deref().map(of_blocks).unwrap_or_default();
    conditions.extend(run.streams.as_deref().map(of_streams));
    conditions.extend(run.load.iter().flat_map(|load| of_load(load)));
    conditions
}

/// What a load depends on beside its code, which says how the table is stored and in which form lines are sent.
fn of_load(load: &Load) -> [(String, String); 2] {
    let source = match input_word(load) {
        "generated" => "generated".to_owned(),
        "none" => "not compressed".to_owned(),
        compression => format!("compressed by {compression}"),
    };
    let indexes = match load.indexes {
        IndexTime::None => "none",
        IndexTime::Before => "made before the load",
        IndexTime::After => "made after the load",
    };
    [("lines".to_owned(), source), ("indexes".to_owned(), indexes.to_owned())]
}

/// What a run of random blocks depends on beside its numbers: in what state the caches were, where the loop was, and how
/// many operations a step has.
pub(super) fn of_blocks(blocks: &RandomBlocks) -> BTreeMap<String, String> {
    let caches = match blocks.caches {
        CacheState::Filled => "filled with every block",
        CacheState::AsFound => "as found",
        CacheState::Cold => "cold",
    };
    let place = match blocks.place {
        LoopPlace::Client => "in the client",
        LoopPlace::Engine => "in the engine",
    };
    let operations = blocks.operations_per_step.to_string();
    let all = [("caches", caches.to_owned()), ("the loop", place.to_owned()), ("operations per step", operations)];
    all.into_iter().map(|(name, words)| (name.to_owned(), words)).collect()
}

/// What a run of file streams depends on beside its numbers: where files were kept.
fn of_streams(streams: &FileStreams) -> (String, String) {
    let kept = match streams.backend {
        StreamBackend::Engine => "in the engine",
        StreamBackend::FileSystemDirect => "on the file system, past the page cache",
        StreamBackend::FileSystemCached => "on the file system, through the page cache",
    };
    ("files".to_owned(), kept.to_owned())
}

#[cfg(test)]
mod tests {
    use record::{LoadModel, Pace};

    use super::*;
    use crate::fixture::{blocks_run, run};
    use crate::load::fixture::Machine;

    #[test]
    fn a_run_depends_on_its_pace_its_numbers_and_of_blocks_on_the_caches_and_the_loop() {
        let mut paced = Run { pace: Pace::Rate { steps_per_second: 5.0 }, ..run("T151", 1) };
        paced.parameters.insert("n".to_owned(), 25);
        let words = |run: &Run| conditions(run).iter().map(|(name, word)| format!("{name} {word}")).collect::<Vec<_>>();
        assert_eq!(words(&paced), ["n 25", "pace 5 steps/s at equal distances"]);
        paced.test = "P111".to_owned();
        assert_eq!(words(&paced), ["pace 5 steps/s at equal distances"]);
        assert_eq!(
            words(&blocks_run(CacheState::Cold)),
            ["caches cold", "operations per step 1", "pace as fast as possible", "the loop in the client"]
        );
    }

    #[test]
    fn a_load_depends_on_its_source_and_on_indexes() {
        let load = |gzip| Machine::SMALL.run(LoadModel::default(), 1, gzip);
        let words = |run: &Run| of_kind(run).into_values().collect::<Vec<_>>();
        assert_eq!(words(&load(true)), ["none", "compressed by gzip"]);
        let mut indexed = load(false);
        indexed.load.iter_mut().for_each(|load| load.indexes = IndexTime::Before);
        assert_eq!(words(&indexed), ["made before the load", "not compressed"]);
    }

    #[test]
    fn how_the_tables_of_blocks_were_filled_is_no_condition() {
        let mut blocks = blocks_run(CacheState::Cold);
        blocks.parameters = [(OF_THE_LOAD, 12), ("work_unit", 64)].map(|(name, of)| (name.to_owned(), of)).into();
        assert_eq!(parameters(&blocks), BTreeMap::from([("work_unit".to_owned(), 64)]));
        let conditions = conditions(&blocks);
        assert!(conditions.contains_key("work_unit") && !conditions.contains_key(OF_THE_LOAD), "{conditions:?}");
    }
}
