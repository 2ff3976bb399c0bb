//! What the rate of a run depends on beside its platform: two runs that differ in it did not do the same.

use std::collections::BTreeMap;

use record::{CacheState, LoopPlace, RandomBlocks, Run};

use super::facts::pace_words;
use crate::checks::has_probe_code;

/// What `run` was run with, by name and in words: when its steps were due, the numbers of its test, and of random blocks
/// what `of_blocks` tells. The numbers of a probe only say how long it took to find its figure, and are left out.
pub fn conditions(run: &Run) -> BTreeMap<String, String> {
    let numbers = run.parameters.iter().filter(|_| !has_probe_code(&run.test));
    let mut conditions = run.blocks.as_deref().map(of_blocks).unwrap_or_default();
    conditions.extend(numbers.map(|(name, number)| (name.clone(), number.to_string())));
    conditions.insert("pace".to_owned(), pace_words(run.pace));
    conditions
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

#[cfg(test)]
mod tests {
    use record::Pace;

    use super::*;
    use crate::fixture::{blocks_run, run};

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
}
