//! Steadiness of the rate of a run, and its steady seconds: the counted window.
//!
//! No single test suffices. Change points detect a beginning at another level and permanent changes; a truncation rule
//! detects a gradual beginning; the confidence interval of a regression line gives the drift that cannot be excluded,
//! and whether the run was long enough. The steps:
//!
//! 1. Fewer than 60 s: too short. More than 360 s are averaged to about 360 values.
//! 2. Levels, see `segment`; the last one reaches back over segments within 2 % of it.
//! 3. If MSER-5 (see [`mser5`]) proposes a longer cut, whose mean is not within 2 % of the rest, it is used. Less than half
//!    of the seconds left: not steady.
//! 4. A line through the means of 20 batches: drift that is significant and more than 2 %: drifting. Drift of up to 10 %
//!    is the limit of SNIA, applied here to its upper confidence limit: otherwise inconclusive.
//! 5. A period needs three cycles, and so do checkpoints (four checkpoints); the effective sample size of the counted
//!    seconds has to be at least 20.
//!
//! A cut whose mean is within 2 % of the rest, or within its noise, is a disturbance and neither a warm-up nor a
//! slowdown. The figures of a run are always of its whole window.
//!
//! The engine's counters are read only at the edges of the window, so that the times of checkpoints are unknown. After
//! a cut, the rest is assumed to have its share of them by time.
//!
//! Below some 300 s of correlated seconds, a slow change that takes a quarter of the run or more is sometimes accepted:
//! the drift that cannot be excluded is part of the result.

mod drift;
mod mser;
mod period;

use std::ops::Range;

use record::{Nanos, Ratio, Run, SteadyClass, SteadyReason, SteadyUncertainty, SteadyVerdict};

pub use mser::mser5;

use crate::delta::delta;
use crate::rules::RULES;
use crate::segment::{last_level, segments};
use crate::statistics::{Interval, batch_means, mean, mean_interval, variance};
use drift::{Drift, drift};
use period::period;

/// Limit of empty seconds at the end of a run, beside as many as before, for damaged records.
const SILENCE_SECONDS_MAX: usize = 3_600;
/// A counter of the engine whose name ends in this counts its checkpoints.
const CHECKPOINTS: &str = "checkpoint_count";

/// The steadiness of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Steadiness {
    /// The verdict.
    pub verdict: SteadyVerdict,
    /// The class of its beginning.
    pub class: SteadyClass,
    /// The judged seconds, from 0: the counted window where steady. All seconds where the verdict is TOO_SHORT, or
    /// NOT_STEADY because the last level is short.
    pub counted: Range<usize>,
    /// Mean of the counted seconds, operations per second.
    pub rate: f64,
    /// Interval of the rate within this run, not between runs; absent where it would be too narrow.
    pub interval: Option<Interval>,
    /// Effective sample size of the counted seconds.
    pub effective_samples: f64,
    /// Upper confidence bound of the drift over the counted seconds, as a share of the rate; absent where not computed.
    pub detectable_drift: Option<f64>,
    /// The period of the rate in seconds, where one was found.
    pub period_seconds: Option<usize>,
    /// Checkpoints of the engine within the window, where it counts them.
    pub checkpoints: Option<u64>,
    /// The reason.
    pub reason: SteadyReason,
}

/// The steadiness of the operations per second of `run`: whole seconds of the window; empty ones count as 0. Also for
/// invalid runs.
pub fn steadiness(run: &Run) -> Steadiness {
    let checkpoints = checkpoints(run).filter(|_| run.changes);
    judge(&rates(run), checkpoints)
}

/// The steadiness of a series of rates, one per second.
pub fn steadiness_of(rates: &[f64]) -> Steadiness {
    judge(rates, None)
}

/// Operations of the whole seconds of the window of `run`.
fn rates(run: &Run) -> Vec<f64> {
    let whole = usize::try_from(run.window_ns.0 / Nanos::SECOND.0).unwrap_or(usize::MAX);
    let mut rates: Vec<f64> = run.seconds.iter().take(whole).map(|second| second.operations as f64).collect();
    // The series ends with the last second in which a step ended.
    if !rates.is_empty() {
        rates.resize(whole.min(2 * rates.len() + SILENCE_SECONDS_MAX), 0.0);
    }
    rates
}

/// Checkpoints that the engine counted between the first reading and the last.
pub(crate) fn checkpoints(run: &Run) -> Option<u64> {
    let mut names = run.readings.first()?.values.keys().filter(|name| name.ends_with(CHECKPOINTS));
    names.find_map(|name| delta(run, name))
}

fn judge(rates: &[f64], checkpoints: Option<u64>) -> Steadiness {
    let count = rates.len();
    if count < RULES.steadiness_seconds_min {
        let seconds_min = RULES.steadiness_seconds_min as u64;
        let reason = SteadyReason::TooShort { seconds: count as u64, seconds_min };
        return described(rates, SteadyVerdict::TooShort, SteadyClass::Flat, 0..count, reason);
    }
    let begin = beginning(rates);
    let class = if is_chance(rates, begin) { SteadyClass::Flat } else { class(rates, begin) };
    let counted = begin..count;
    if ((count - begin) as f64) < count as f64 * RULES.counted_share_min {
        let reason = SteadyReason::LastLevelShort { from_second: begin as u64, to_second: count as u64 };
        return described(rates, SteadyVerdict::NotSteady, class, 0..count, reason);
    }
    let nothing = SteadyReason::NothingDone { seconds: counted.len() as u64, of_seconds: count as u64 };
    // A run that stopped was not steady; one that did nothing is inconclusive.
    let stopped = if begin > 0 { SteadyVerdict::NotSteady } else { SteadyVerdict::Inconclusive };
    let found = described(rates, stopped, class, counted.clone(), nothing);
    let Some(drift) = drift(&rates[counted.clone()]) else { return found };
    let found = Steadiness {
        detectable_drift: Some(drift.share + drift.half),
        period_seconds: period(&rates[counted]),
        checkpoints,
        ..found
    };
    let (verdict, reason) = verdict(&found, drift);
    Steadiness { verdict, reason, ..found }
}

/// The second from which on `rates` are at their last level.
fn beginning(rates: &[f64]) -> usize {
    let size = (rates.len() / RULES.steadiness_values_max).max(1);
    let over = rates.len() % size;
    let values = batch_means(rates, size);
    let segments = segments(&values, RULES.correlation_max);
    let Some((earlier, level)) = last_level(&segments, RULES.steadiness_margin) else {
        return 0;
    };
    let changed = if earlier.is_empty() { 0 } else { over + level.begin * size };
    // A cut needs a different level.
    let differs = |proposed: usize| class(&rates[changed..], proposed - changed) != SteadyClass::Flat;
    mser5(rates).filter(|proposed| *proposed > changed && differs(*proposed)).unwrap_or(changed)
}

/// The class of the first `count` of `rates` compared with the rest: flat where the means are within the margin.
fn class(rates: &[f64], count: usize) -> SteadyClass {
    let (first, rest) = rates.split_at(count);
    match (mean(first), mean(rest)) {
        (Some(first), Some(rest)) if first - rest > RULES.steadiness_margin * rest => SteadyClass::Slowdown,
        (Some(first), Some(rest)) if rest - first > RULES.steadiness_margin * rest => SteadyClass::Warmup,
        _ => SteadyClass::Flat,
    }
}

fn verdict(found: &Steadiness, drift: Drift) -> (SteadyVerdict, SteadyReason) {
    let seconds = found.counted.len() as u64;
    let margin = RULES.steadiness_margin;
    if drift.share - drift.half > margin {
        let (drift_min, margin) = (Ratio(drift.share - drift.half), Ratio(margin));
        let (rises, drift) = (drift.rises, Ratio(drift.share));
        return (SteadyVerdict::Drifting, SteadyReason::Drifting { rises, drift, drift_min, seconds, margin });
    }
    let drift_max = Ratio(drift.share + drift.half);
    let doubts = doubts(found, drift_max);
    if !doubts.is_empty() {
        return (SteadyVerdict::Inconclusive, SteadyReason::Inconclusive { doubts });
    }
    let verdict = match found.class {
        SteadyClass::Flat => SteadyVerdict::Steady,
        SteadyClass::Warmup => SteadyVerdict::WarmupCut,
        SteadyClass::Slowdown => SteadyVerdict::Slowdown,
    };
    let (class, checkpoints) = (found.class, found.checkpoints);
    let cut_seconds = found.counted.start as u64;
    (verdict, SteadyReason::Steady { cut_seconds, class, drift_max, seconds, checkpoints })
}

/// The reasons why the window is inconclusive.
fn doubts(found: &Steadiness, drift_max: Ratio) -> Vec<SteadyUncertainty> {
    let seconds = found.counted.len() as u64;
    let limit = Ratio(RULES.drift_max);
    let cycles_min = RULES.cycles_min;
    let few_cycles = |period: usize| {
        let period_seconds = period as u64;
        let is_few = seconds < cycles_min * period_seconds;
        is_few.then_some(SteadyUncertainty::FewCycles { period_seconds, seconds, cycles_min })
    };
    let independent_seconds_min = RULES.steadiness_effective_samples_min;
    let independent_seconds = found.effective_samples;
    let doubts = [
        (drift_max > limit).then_some(SteadyUncertainty::WideDrift { drift_max, limit }),
        found.period_seconds.and_then(few_cycles),
        few_checkpoints(found),
        (independent_seconds < independent_seconds_min).then_some(SteadyUncertainty::FewIndependentSeconds {
            seconds,
            independent_seconds,
            independent_seconds_min,
        }),
    ];
    doubts.into_iter().flatten().collect()
}

/// Whether the difference between the mean of the first `count` of `rates` and that of the rest is within noise,
/// estimated from the rest. The critical value accounts for the choice of the cut.
fn is_chance(rates: &[f64], count: usize) -> bool {
    let (first, rest) = rates.split_at(count);
    let Some((cut, kept)) = mean(first).zip(mean_interval(rest)) else { return true };
    let of_one = variance(rest) * kept.correlation_time;
    let of_both = of_one / count as f64 + of_one / rest.len() as f64;
    (cut - kept.mean).powi(2) <= RULES.cut_distance_max * of_both
}

/// The reason where there are checkpoints in the window, but too few.
fn few_checkpoints(found: &Steadiness) -> Option<SteadyUncertainty> {
    let checkpoints = found.checkpoints.filter(|count| *count > 0)?;
    let (seconds, all) = (found.counted.len(), found.counted.end);
    let kept = checkpoints as f64 * seconds as f64 / all as f64;
    (kept < RULES.checkpoints_min as f64).then_some(SteadyUncertainty::FewCheckpoints {
        checkpoints,
        cut_seconds: found.counted.start as u64,
        of_seconds: all as u64,
        checkpoints_min: RULES.checkpoints_min,
    })
}

/// The steadiness with the figures that do not depend on the verdict.
fn described(
    rates: &[f64],
    verdict: SteadyVerdict,
    class: SteadyClass,
    counted: Range<usize>,
    reason: SteadyReason,
) -> Steadiness {
    let seconds = &rates[counted.clone()];
    let rate = mean(seconds).unwrap_or(0.0);
    let found = mean_interval(seconds);
    Steadiness {
        verdict,
        class,
        rate,
        interval: found.and_then(|found| found.interval),
        effective_samples: found.map_or(0.0, |found| found.effective_samples),
        detectable_drift: None,
        period_seconds: None,
        checkpoints: None,
        counted,
        reason,
    }
}

#[cfg(test)]
mod tests;
