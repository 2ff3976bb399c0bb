//! The highest rate that meets a service level, estimated from runs that each met or missed it.
//!
//! Near the limit, runs at the same rate may disagree. The probability of a miss is modelled as a curve over the
//! logarithm of the rate: logistic (Berkson, "Application of the Logistic Function to Bio-Assay", Journal of the
//! American Statistical Association 39, 1944), above a lapse rate of runs that miss the level at any rate (as in
//! psychometrics: Wichmann and Hill, "The psychometric function: I", Perception and Psychophysics 63, 2001). The limit
//! is the rate at which half of the runs meet the level. Its interval is that of the profile likelihood (Venzon and
//! Moolgavkar, Applied Statistics 37, 1988): all rates compatible with the data for any width and lapse rate. Response
//! times only count as met or missed, so that one stalled run has little influence.
//!
//! It is a prediction interval for another search of the same length, so that it has twice the variance. It is widened
//! by the excess variance between rounds, which indicates drift of the platform.
//!
//! It does not cover changes of the platform that are slower than a search.

use crate::statistics::student_quantile;

/// Candidate scales of the logistic curve, in the logarithm of the rate: from sharp to almost flat.
const SCALES: [f64; 8] = [0.01, 0.02, 0.035, 0.06, 0.1, 0.16, 0.25, 0.4];

/// Candidate lapse rates.
const LAPSES: [f64; 4] = [0.01, 0.08, 0.2, 0.35];

/// Share of runs that meet the level by chance far above the limit.
const LUCKY: f64 = 0.01;

/// Maximum distance between candidates for the limit, in the logarithm of the rate.
const GAP_MAX: f64 = 0.1;

/// Variance factor of a prediction interval for a repeat.
const OF_A_REPEAT: f64 = 2.0;

/// Upper limit of the excess variance between rounds.
const EXCESS_MAX: f64 = 9.0;

/// Maximum number of rounds per block for its estimate.
const BLOCK_MAX: usize = 4;

/// Minimum number of blocks.
const BLOCKS_MIN: usize = 3;

/// Bisection steps for the end of an interval.
const HALVINGS: usize = 12;

/// Tolerance of twice the log-likelihood at the maximum, which is flat where one rate separates the runs.
const TOP: f64 = 0.02;

/// The result of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// Target steps per second; above 0.
    pub rate: f64,
    /// Whether it met the level.
    pub kept: bool,
    /// Its round, whose runs are consecutive.
    pub round: u32,
}

/// One end of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// Steps per second.
    pub rate: f64,
    /// Whether the data bound it; otherwise it is the outermost measured rate.
    pub is_told: bool,
}

/// The rate at which half of the runs meet the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelLimit {
    /// Steps per second.
    pub estimate: f64,
    /// The lower end of the 95 % prediction interval.
    pub low: End,
    /// The upper end of the 95 % prediction interval.
    pub high: End,
    /// The scale of the curve, in the logarithm of the rate: 1.1 times it above the limit, three quarters of the runs
    /// without a lapse miss the level.
    pub scale: f64,
    /// Variance between rounds over that of independent runs; at least 1.
    pub excess: f64,
}

impl LevelLimit {
    /// Half-width of the interval, as a ratio.
    pub fn half(&self) -> f64 {
        (self.high.rate / self.low.rate).sqrt() - 1.0
    }

    /// Whether both ends are bounded and the half-width is at most `goal`.
    pub fn is_within(&self, goal: f64) -> bool {
        self.low.is_told && self.high.is_told && self.half() <= goal
    }
}

/// The best fit for one candidate.
#[derive(Clone, Copy)]
struct Profile {
    log_likelihood: f64,
    scale: f64,
    lapses: f64,
}

/// The limit by the runs `trials`, in any order. None where all runs met the level or all missed it.
pub fn level_limit(trials: &[Told]) -> Option<LevelLimit> {
    let mut runs: Vec<(f64, bool)> = trials.iter().map(|trial| (trial.rate.ln(), trial.kept)).collect();
    runs.retain(|(rate, _)| rate.is_finite());
    runs.sort_by(|one, other| one.0.total_cmp(&other.0));
    if runs.iter().all(|run| run.1) || runs.iter().all(|run| !run.1) {
        return None;
    }
    let rates = candidates(&runs);
    let profiles: Vec<Profile> = rates.iter().map(|rate| profile(&runs, *rate)).collect();
    let best = (0..rates.len())
        .max_by(|one, other| profiles[*one].log_likelihood.total_cmp(&profiles[*other].log_likelihood))?;
    let top = profiles[best].log_likelihood;
    let ends = |drop: f64| {
        let inside = |profile: &Profile| 2.0 * (top - profile.log_likelihood) <= drop;
        let end = |inner: usize, outer: Option<usize>| match outer {
            None => (rates[inner], false),
            Some(outer) => (crossing(&runs, rates[inner], rates[outer], top - drop / 2.0), true),
        };
        let first = profiles.iter().position(inside).unwrap_or(best);
        let last = profiles.iter().rposition(inside).unwrap_or(best);
        (end(first, first.checked_sub(1)), end(last, Some(last + 1).filter(|next| *next < rates.len())))
    };
    let (left, right) = ends(TOP);
    let estimate = (left.0 + right.0) / 2.0;
    let excess = excess(trials, estimate, profiles[best]);
    let freedom = (runs.len() as f64 - 2.0).max(1.0);
    let (low, high) = ends(OF_A_REPEAT * excess * student_quantile(0.975, freedom).powi(2));
    let of = |(rate, is_told): (f64, bool)| End { rate: rate.exp(), is_told };
    Some(LevelLimit { estimate: estimate.exp(), low: of(low), high: of(high), scale: profiles[best].scale, excess })
}

/// Candidates for the limit: the rates of the sorted `runs`, and points between them at most `GAP_MAX` apart.
fn candidates(runs: &[(f64, bool)]) -> Vec<f64> {
    let mut rates = vec![runs[0].0];
    for pair in runs.windows(2) {
        let (from, gap) = (pair[0].0, pair[1].0 - pair[0].0);
        let parts = (gap / GAP_MAX).ceil().max(2.0) as usize;
        if gap > 0.0 {
            rates.extend((1..=parts).map(|part| from + gap * part as f64 / parts as f64));
        }
    }
    rates
}

/// Probability that a run at `rate` misses the level, where it is one half at `limit`; both are logarithms.
fn chance_of_missing(rate: f64, limit: f64, scale: f64, lapses: f64) -> f64 {
    let half = (0.5 - lapses) / (1.0 - lapses - LUCKY);
    let curve = 1.0 / (1.0 + (1.0 - half) / half * (-(rate - limit) / scale).exp());
    lapses + (1.0 - lapses - LUCKY) * curve
}

/// The profile likelihood of a limit, maximised over scale and lapse rate.
fn profile(runs: &[(f64, bool)], limit: f64) -> Profile {
    let mut best = Profile { log_likelihood: f64::MIN, scale: SCALES[0], lapses: LAPSES[0] };
    for scale in SCALES {
        for lapses in LAPSES {
            let of = |(rate, kept): &(f64, bool)| {
                let missed = chance_of_missing(*rate, limit, scale, lapses);
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

/// The logarithm of a product of probabilities of at least 0.01, with few calls of `ln`.
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

/// Bisects between `inner`, whose likelihood is above `level`, and `outer`, whose is not.
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

/// The variance of the scores of rounds over that of independent runs; at least 1. The maximum over blocks of
/// neighbouring rounds, since a drift may last several rounds.
fn excess(trials: &[Told], limit: f64, best: Profile) -> f64 {
    let mut rounds: Vec<u32> = trials.iter().map(|trial| trial.round).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let (mut scores, mut information) = (vec![0.0; rounds.len()], 0.0);
    for trial in trials {
        let missed = chance_of_missing(trial.rate.ln(), limit, best.scale, best.lapses);
        let curve = (missed - best.lapses) / (1.0 - best.lapses - LUCKY);
        let slope = (1.0 - best.lapses - LUCKY) * curve * (1.0 - curve) / best.scale;
        let of_one = slope / (missed * (1.0 - missed));
        let beside = if trial.kept { -missed } else { 1.0 - missed };
        scores[rounds.partition_point(|round| *round < trial.round)] += beside * of_one;
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

    fn trials(runs: &[(f64, bool)]) -> Vec<Told> {
        let round = |at: usize| at as u32 / 5;
        runs.iter().enumerate().map(|(at, (rate, kept))| Told { rate: *rate, kept: *kept, round: round(at) }).collect()
    }

    #[test]
    fn the_limit_lies_between_separated_runs() {
        let runs: Vec<(f64, bool)> = (0..20).map(|at| 90.5 + f64::from(at)).map(|rate| (rate, rate < 100.0)).collect();
        let found = level_limit(&trials(&runs)).unwrap();
        assert!((found.estimate - 100.0).abs() < 0.2, "{found:?}");
        assert!(found.is_within(0.1) && found.low.rate < 99.5 && found.high.rate > 100.5, "{found:?}");
    }

    #[test]
    fn an_unbounded_side_ends_at_the_outermost_rate() {
        let found = level_limit(&trials(&[(100.0, true), (200.0, false)])).unwrap();
        assert_eq!((found.low.is_told, found.high.is_told), (false, false));
        assert!((found.low.rate - 100.0).abs() < 1e-9 && (found.high.rate - 200.0).abs() < 1e-9, "{found:?}");
        assert!(!found.is_within(10.0));
        let many: Vec<(f64, bool)> = (0..12).map(|at| (50.0 + f64::from(at), true)).chain([(200.0, false)]).collect();
        let found = level_limit(&trials(&many)).unwrap();
        assert!(found.low.is_told && !found.high.is_told, "{found:?}");
    }

    #[test]
    fn runs_that_all_agree_have_no_limit() {
        assert_eq!(level_limit(&[]), None);
        assert_eq!(level_limit(&trials(&[(100.0, true), (200.0, true)])), None);
        assert_eq!(level_limit(&trials(&[(100.0, false)])), None);
    }

    #[test]
    fn one_run_that_lapsed_far_below_the_limit_moves_it_little() {
        let runs: Vec<(f64, bool)> =
            (0..20).map(|at| 81.0 + 2.0 * f64::from(at)).map(|rate| (rate, rate < 100.0)).collect();
        let clean = level_limit(&trials(&runs)).unwrap();
        let spoilt = level_limit(&trials(&[&runs[..], &[(40.0, false)]].concat())).unwrap();
        assert!((spoilt.estimate / clean.estimate - 1.0).abs() < 0.03, "{clean:?} {spoilt:?}");
        assert!(spoilt.is_within(0.12), "{spoilt:?}");
    }

    #[test]
    fn drift_between_rounds_widens_the_interval() {
        let rates = [90.0, 95.0, 100.0, 105.0, 110.0];
        // The limit is 93 in four rounds and 107 in the others, or alternating.
        let by = |low: &dyn Fn(usize, usize) -> bool| {
            let of = |round: usize| {
                rates
                    .iter()
                    .enumerate()
                    .map(move |(at, rate)| (*rate, *rate < if low(round, at) { 93.0 } else { 107.0 }))
            };
            level_limit(&trials(&(0..8).flat_map(of).collect::<Vec<_>>())).unwrap()
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
            if let Some(found) = level_limit(&trials(&runs)) {
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
