//! Up to which rate a service level is kept, from runs that each kept it or did not.
//!
//! Near the limit two runs at the same rate need not agree. So the chance that a run misses the level is taken for a curve
//! over the logarithm of the rate: logistic (Berkson, "Application of the Logistic Function to Bio-Assay", Journal of the
//! American Statistical Association 39, 1944), above a share of runs that lapse, which miss the level whatever their rate is
//! (as observers do: Wichmann and Hill, "The psychometric function: I", Perception and Psychophysics 63, 2001). The limit is
//! the rate at which a run keeps the level as often as not. Its interval is that of the profile likelihood (Venzon and
//! Moolgavkar, Applied Statistics 37, 1988): all rates that the data do not contradict, whatever the width of the curve and
//! the share of lapses are. How long response times were counts only as kept or not: one run that stood still moves no line.
//!
//! It is the interval of a repeat: another search of as many runs finds a limit as uncertain as this one, so that the
//! difference of the two has twice the variance. Runs of one round that keep the level, or miss it, together more often than
//! chance has it (the platform drifted) make it wider by that excess.
//!
//! It lies where the platform changes for longer than a search takes: what another hour brings no search knows.

use crate::statistics::student_quantile;

/// Scales of the logistic curve that are tried, in the logarithm of the rate: from sharp to hardly any curve at all.
const SCALES: [f64; 8] = [0.01, 0.02, 0.035, 0.06, 0.1, 0.16, 0.25, 0.4];

/// Shares of runs that miss the level whatever their rate is that are tried.
const LAPSES: [f64; 4] = [0.01, 0.08, 0.2, 0.35];

/// The share of runs that keep the level by luck far above the limit.
const LUCKY: f64 = 0.01;

/// Candidates for the limit lie at most so far from each other, in the logarithm of the rate.
const GAP_MAX: f64 = 0.1;

/// A repeat is as uncertain as what it repeats.
const OF_A_REPEAT: f64 = 2.0;

/// Runs of one round may agree with each other by so many times chance, at most.
const EXCESS_MAX: f64 = 9.0;

/// Rounds that are taken together at most when it is looked for,
const BLOCK_MAX: usize = 4;

/// and blocks that have to be left.
const BLOCKS_MIN: usize = 3;

/// Halvings of a gap until the end of an interval is known well enough.
const HALVINGS: usize = 12;

/// Twice the logarithm of the likelihood may be so much lower on the top of the curve: where runs are told apart by one
/// rate, the top is flat.
const TOP: f64 = 0.02;

/// What one run told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// Steps per second that were due; above 0.
    pub rate: f64,
    /// Whether it kept the level.
    pub kept: bool,
    /// Runs of the same round were made one after the other.
    pub round: u32,
}

/// One end of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// Steps per second.
    pub rate: f64,
    /// Whether the runs say so; otherwise it is the outermost rate that was tried.
    pub is_told: bool,
}

/// The rate at which a level is kept as often as not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelLimit {
    /// Steps per second.
    pub estimate: f64,
    /// The lower end of the 95 % interval of a repeat.
    pub low: End,
    /// The upper end of it.
    pub high: End,
    /// The scale of the curve, in the logarithm of the rate: 1.1 times it above the limit, three quarters of the runs that
    /// do not lapse miss the level.
    pub scale: f64,
    /// Variance between rounds, in times of chance; at least 1.
    pub excess: f64,
}

impl LevelLimit {
    /// Half of the width of the interval, as a part of the rate.
    pub fn half(&self) -> f64 {
        (self.high.rate / self.low.rate).sqrt() - 1.0
    }

    /// Whether both ends are told, and not farther from each other than `goal` to both sides.
    pub fn is_within(&self, goal: f64) -> bool {
        self.low.is_told && self.high.is_told && self.half() <= goal
    }
}

/// What is told best at one candidate.
#[derive(Clone, Copy)]
struct Profile {
    log_likelihood: f64,
    scale: f64,
    lapses: f64,
}

/// The limit that `told` tells, in any order. None where all runs kept the level or all missed it.
pub fn level_limit(told: &[Told]) -> Option<LevelLimit> {
    let mut runs: Vec<(f64, bool)> = told.iter().map(|told| (told.rate.ln(), told.kept)).collect();
    runs.retain(|(place, _)| place.is_finite());
    runs.sort_by(|one, other| one.0.total_cmp(&other.0));
    if runs.iter().all(|run| run.1) || runs.iter().all(|run| !run.1) {
        return None;
    }
    let places = candidates(&runs);
    let profiles: Vec<Profile> = places.iter().map(|place| profile(&runs, *place)).collect();
    let best = (0..places.len())
        .max_by(|one, other| profiles[*one].log_likelihood.total_cmp(&profiles[*other].log_likelihood))?;
    let top = profiles[best].log_likelihood;
    let ends = |drop: f64| {
        let inside = |profile: &Profile| 2.0 * (top - profile.log_likelihood) <= drop;
        let end = |inner: usize, outer: Option<usize>| match outer {
            None => (places[inner], false),
            Some(outer) => (crossing(&runs, places[inner], places[outer], top - drop / 2.0), true),
        };
        let first = profiles.iter().position(inside).unwrap_or(best);
        let last = profiles.iter().rposition(inside).unwrap_or(best);
        (end(first, first.checked_sub(1)), end(last, Some(last + 1).filter(|next| *next < places.len())))
    };
    let (left, right) = ends(TOP);
    let estimate = (left.0 + right.0) / 2.0;
    let excess = excess(told, estimate, profiles[best]);
    let freedom = (runs.len() as f64 - 2.0).max(1.0);
    let (low, high) = ends(OF_A_REPEAT * excess * student_quantile(0.975, freedom).powi(2));
    let of = |(place, is_told): (f64, bool)| End { rate: place.exp(), is_told };
    Some(LevelLimit { estimate: estimate.exp(), low: of(low), high: of(high), scale: profiles[best].scale, excess })
}

/// Where the limit may lie: at every rate of `runs`, which are sorted, between them, and nowhere far from another candidate.
fn candidates(runs: &[(f64, bool)]) -> Vec<f64> {
    let mut places = vec![runs[0].0];
    for pair in runs.windows(2) {
        let (from, gap) = (pair[0].0, pair[1].0 - pair[0].0);
        let parts = (gap / GAP_MAX).ceil().max(2.0) as usize;
        if gap > 0.0 {
            places.extend((1..=parts).map(|part| from + gap * part as f64 / parts as f64));
        }
    }
    places
}

/// The chance that a run at `place` misses the level, where that at `limit` is one half.
fn chance_of_missing(place: f64, limit: f64, scale: f64, lapses: f64) -> f64 {
    let half = (0.5 - lapses) / (1.0 - lapses - LUCKY);
    let curve = 1.0 / (1.0 + (1.0 - half) / half * (-(place - limit) / scale).exp());
    lapses + (1.0 - lapses - LUCKY) * curve
}

/// The likelihood of a limit with the scale and the share of lapses that suit it best.
fn profile(runs: &[(f64, bool)], limit: f64) -> Profile {
    let mut best = Profile { log_likelihood: f64::MIN, scale: SCALES[0], lapses: LAPSES[0] };
    for scale in SCALES {
        for lapses in LAPSES {
            let of = |(place, kept): &(f64, bool)| {
                let missed = chance_of_missing(*place, limit, scale, lapses);
                if *kept { 1.0 - missed } else { missed }
            };
            let log_likelihood = log_of_product(runs.iter().map(of));
            if log_likelihood > best.log_likelihood {
                best = Profile { log_likelihood, scale, lapses };
            }
        }
    }
    best
}

/// The logarithm of the product of chances, none of which is below a hundredth: many of them have one logarithm.
fn log_of_product(chances: impl Iterator<Item = f64>) -> f64 {
    const SMALL: f64 = 1e-200;
    let (mut sum, mut product) = (0.0, 1.0f64);
    for chance in chances {
        product *= chance;
        if product < SMALL {
            sum += product.ln();
            product = 1.0;
        }
    }
    sum + product.ln()
}

/// Between `inner`, whose likelihood is above `level`, and `outer`, whose is not: where it falls below.
fn crossing(runs: &[(f64, bool)], mut inner: f64, mut outer: f64, level: f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = (inner + outer) / 2.0;
        match profile(runs, middle).log_likelihood >= level {
            true => inner = middle,
            false => outer = middle,
        }
    }
    (inner + outer) / 2.0
}

/// The variance of what rounds say of the limit, in times of what independent runs would say; at least 1. A drift may be as
/// long as several rounds: so many neighbours are taken together as make it largest.
fn excess(told: &[Told], limit: f64, best: Profile) -> f64 {
    let mut rounds: Vec<u32> = told.iter().map(|told| told.round).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let (mut scores, mut information) = (vec![0.0; rounds.len()], 0.0);
    for told in told {
        let missed = chance_of_missing(told.rate.ln(), limit, best.scale, best.lapses);
        let curve = (missed - best.lapses) / (1.0 - best.lapses - LUCKY);
        let slope = (1.0 - best.lapses - LUCKY) * curve * (1.0 - curve) / best.scale;
        let of_one = slope / (missed * (1.0 - missed));
        let beside = if told.kept { -missed } else { 1.0 - missed };
        scores[rounds.partition_point(|round| *round < told.round)] += beside * of_one;
        information += slope * of_one;
    }
    let of_blocks = |size: usize| {
        let sums = scores.chunks(size).map(|part| part.iter().sum::<f64>());
        let count = rounds.len().div_ceil(size) as f64;
        sums.map(|sum| sum * sum).sum::<f64>() / information * count / (count - 1.0)
    };
    let sizes = (1..=BLOCK_MAX).filter(|size| rounds.len() >= BLOCKS_MIN * size || *size == 1);
    let excess = sizes.map(of_blocks).fold(1.0, f64::max);
    if excess.is_finite() { excess.min(EXCESS_MAX) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simulation::Simulation;

    fn told(runs: &[(f64, bool)]) -> Vec<Told> {
        let round = |at: usize| at as u32 / 5;
        runs.iter().enumerate().map(|(at, (rate, kept))| Told { rate: *rate, kept: *kept, round: round(at) }).collect()
    }

    #[test]
    fn runs_that_one_rate_tells_apart_have_their_limit_between() {
        let runs: Vec<(f64, bool)> = (0..20).map(|at| 90.5 + f64::from(at)).map(|rate| (rate, rate < 100.0)).collect();
        let found = level_limit(&told(&runs)).unwrap();
        assert!((found.estimate - 100.0).abs() < 0.2, "{found:?}");
        assert!(found.is_within(0.1) && found.low.rate < 99.5 && found.high.rate > 100.5, "{found:?}");
    }

    #[test]
    fn a_side_that_runs_do_not_bound_is_the_outermost_rate_that_was_tried() {
        let found = level_limit(&told(&[(100.0, true), (200.0, false)])).unwrap();
        assert_eq!((found.low.is_told, found.high.is_told), (false, false));
        assert!((found.low.rate - 100.0).abs() < 1e-9 && (found.high.rate - 200.0).abs() < 1e-9, "{found:?}");
        assert!(!found.is_within(10.0));
        let many: Vec<(f64, bool)> = (0..12).map(|at| (50.0 + f64::from(at), true)).chain([(200.0, false)]).collect();
        let found = level_limit(&told(&many)).unwrap();
        assert!(found.low.is_told && !found.high.is_told, "{found:?}");
    }

    #[test]
    fn runs_that_all_say_the_same_tell_no_limit() {
        assert_eq!(level_limit(&[]), None);
        assert_eq!(level_limit(&told(&[(100.0, true), (200.0, true)])), None);
        assert_eq!(level_limit(&told(&[(100.0, false)])), None);
    }

    #[test]
    fn one_run_that_lapsed_far_below_the_limit_moves_it_little() {
        let runs: Vec<(f64, bool)> =
            (0..20).map(|at| 81.0 + 2.0 * f64::from(at)).map(|rate| (rate, rate < 100.0)).collect();
        let clean = level_limit(&told(&runs)).unwrap();
        let spoilt = level_limit(&told(&[&runs[..], &[(40.0, false)]].concat())).unwrap();
        assert!((spoilt.estimate / clean.estimate - 1.0).abs() < 0.03, "{clean:?} {spoilt:?}");
        assert!(spoilt.is_within(0.12), "{spoilt:?}");
    }

    #[test]
    fn rounds_that_agree_among_themselves_make_it_wider() {
        let rates = [90.0, 95.0, 100.0, 105.0, 110.0];
        // The limit is 93 in three rounds and 107 in three others, or in turn from run to run.
        let by = |low: &dyn Fn(usize, usize) -> bool| {
            let of = |round: usize| {
                rates
                    .iter()
                    .enumerate()
                    .map(move |(at, rate)| (*rate, *rate < if low(round, at) { 93.0 } else { 107.0 }))
            };
            level_limit(&told(&(0..8).flat_map(of).collect::<Vec<_>>())).unwrap()
        };
        let (drifting, mixed) = (by(&|round, _| round < 4), by(&|round, at| (round + at) % 2 == 0));
        assert!(drifting.excess > 2.0 && mixed.excess < drifting.excess, "{drifting:?} {mixed:?}");
        assert!(mixed.low.is_told && mixed.high.is_told && !drifting.low.is_told, "{drifting:?} {mixed:?}");
    }

    #[test]
    fn the_chance_at_the_limit_is_one_half() {
        for scale in SCALES {
            for lapses in LAPSES {
                assert!((chance_of_missing(3.0, 3.0, scale, lapses) - 0.5).abs() < 1e-12);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn the_estimate_lies_in_its_interval_and_the_interval_in_what_was_tried(seed: u64, count in 2usize..40) {
            let mut simulation = Simulation::new(seed);
            let runs: Vec<(f64, bool)> =
                (0..count).map(|_| ((simulation.normal()).exp() * 100.0, simulation.uniform() < 0.5)).collect();
            if let Some(found) = level_limit(&told(&runs)) {
                prop_assert!(found.low.rate <= found.estimate * 1.000_001, "{found:?}");
                prop_assert!(found.estimate <= found.high.rate * 1.000_001, "{found:?}");
                let least = runs.iter().map(|run| run.0).fold(f64::MAX, f64::min);
                let most = runs.iter().map(|run| run.0).fold(0.0, f64::max);
                prop_assert!(found.low.rate >= least * 0.999_999 && found.high.rate <= most * 1.000_001);
                prop_assert!(found.excess >= 1.0);
            }
        }
    }
}
