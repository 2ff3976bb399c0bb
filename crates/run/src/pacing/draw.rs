//! What the keys and the random due times of a run are drawn from.

use record::{Run, Variation};

/// Between the seeds of two runs: odd, with bits all over.
const SEED_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The seed of the keys and the arrivals of `run` in a plan with `seed`. Plain runs have that of the plan. Each run of a
/// sweep or a search has one of its own, so that a rate that is measured again meets with other keys and other arrivals: a
/// confirmation that repeats the same draw, or finds the blocks of the run before cached, confirms nothing. It follows
/// from the number of the run alone, so that a plan that is resumed goes on with the same figures.
pub(crate) fn run_seed(seed: u64, run: &Run) -> u64 {
    match run.variation {
        Some(Variation::Paced { .. } | Variation::ShareOfCapacity { .. }) => {
            seed.wrapping_add(u64::from(run.number).wrapping_mul(SEED_STEP))
        }
        _ => seed,
    }
}

#[cfg(test)]
mod tests {
    use record::Pace;

    use super::*;
    use crate::pacing::sweep::tests::finished;

    fn seed_of(number: u32, variation: Option<Variation>) -> u64 {
        run_seed(7, &Run { number, variation, ..finished("T611", 4, 100) })
    }

    #[test]
    fn a_rate_that_is_measured_again_meets_with_other_arrivals() {
        let pace = Pace::Poisson { steps_per_second: 500.0 };
        let paced = Some(Variation::Paced { pace, one_thread_per_core: false });
        let share = Some(Variation::ShareOfCapacity { share: 0.5 });
        assert_ne!(seed_of(2, paced), seed_of(3, paced));
        assert_ne!(seed_of(2, share), seed_of(3, share));
        assert_eq!(seed_of(2, paced), seed_of(2, paced), "a resumed search draws the same");
    }

    #[test]
    fn plain_runs_and_those_that_repeat_them_draw_from_the_seed_of_the_plan() {
        assert_eq!((seed_of(2, None), seed_of(3, None)), (7, 7));
        assert_eq!(seed_of(3, Some(Variation::Traced)), 7);
    }
}
