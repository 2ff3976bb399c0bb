//! Judges a claim: by the measurement at its N, or by the law where it gives an estimate there.

use crate::rules::RULES;

use super::extrapolation::{Circumstances, Extrapolation, extrapolation};
use super::fit::{LoadPoint, distinct, usable};
use super::information::{NeededN, needed_n, sweep};

/// A claimed rate at some N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// N, at least 1.
    pub n: f64,
    /// The claimed minimum rate, in the unit of the points; above 0.
    pub rate: f64,
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClaimVerdict {
    /// The measured rate, or the estimate, is at least the claim, and its 95 % interval excludes a clearly lower rate.
    Supported,
    /// The data are compatible with it, but do not show it.
    Unsupported,
    /// The 95 % interval of the measurement, or of the estimate, ends below it; without an estimate it exceeds linear
    /// scaling; or it exceeds a known capacity of a shared resource.
    Contradicted,
}

/// The judgement of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The claim.
    pub claim: Claim,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// The extrapolation to its N.
    pub extrapolation: Extrapolation,
    /// The claim as a share of linear scaling.
    pub efficiency: f64,
    /// The N to measure up to before such an efficiency can be supported, beyond the measured range.
    pub needed: NeededN,
    /// The same for 90 % of linear scaling; absent where already measured.
    pub needed_for_ninety: Option<NeededN>,
    /// The missing N to measure.
    pub sweep: Vec<u64>,
    /// The largest measured N.
    pub n_max: f64,
    /// The measured N nearest to that of the claim, by ratio.
    pub nearest_n: f64,
    /// The mean rate there, in the unit of the points.
    pub nearest_rate: f64,
}

impl Judgement {
    /// Whether more measurements may support the claim.
    pub fn is_open(&self) -> bool {
        self.verdict == ClaimVerdict::Unsupported && self.claim.n > self.n_max
    }
}

/// Judges `claim` by `points`; None where no point is usable or the claim is not a rate at an N of at least 1.
///
/// Where the N of the claim was measured, the mean of its runs and their 95 % interval decide; elsewhere the estimate by
/// the law with its set, unless there is a reason against it. SUPPORTED: the rate is at least the claim, and all of the
/// interval at least 0.9 of it. CONTRADICTED: the interval ends below the claim; or there is no such rate and the claim is
/// above linear scaling, noise included; or it is above a known capacity of a shared resource. UNSUPPORTED: otherwise.
pub fn judge(points: &[LoadPoint], claim: Claim, circumstances: &Circumstances) -> Option<Judgement> {
    if !(claim.n >= 1.0 && claim.n.is_finite() && claim.rate > 0.0 && claim.rate.is_finite()) {
        return None;
    }
    let found = extrapolation(points, claim.n, circumstances)?;
    let efficiency = claim.rate / found.linear;
    // A mean of runs is rounded.
    let is_reached = |rate: f64| rate >= claim.rate * (1.0 - 1e-9);
    let is_shown = || {
        let low = found.interval().map_or(0.0, |interval| interval.low);
        found.estimate.is_some_and(is_reached) && low >= RULES.scale_claim_share_min * claim.rate
    };
    let verdict = match () {
        () if claim.rate > found.excluded_from => ClaimVerdict::Contradicted,
        () if found.reasons.is_empty() && is_shown() => ClaimVerdict::Supported,
        () => ClaimVerdict::Unsupported,
    };
    let used = usable(points);
    let needed = beyond(needed_n(claim.n, efficiency, RULES.scale_precision), &used, claim.n);
    let ninety = needed_n(claim.n, 0.9, RULES.scale_precision);
    let n_max = used.last().map_or(1.0, |point| point.n);
    let nearest_n = nearest(&used, claim.n);
    Some(Judgement {
        claim,
        verdict,
        efficiency,
        needed,
        needed_for_ninety: (ninety.coherency as f64 > n_max).then_some(ninety),
        sweep: unmeasured(&used, needed.coherency),
        n_max,
        nearest_n,
        nearest_rate: mean_at(&used, nearest_n),
        extrapolation: found,
    })
}

/// `needed` where it is beyond the measured range, otherwise the target.
fn beyond(needed: NeededN, points: &[LoadPoint], target: f64) -> NeededN {
    let n_max = points.last().map_or(1.0, |point| point.n);
    let or_target = |n: u64| if n as f64 > n_max { n } else { target.ceil() as u64 };
    NeededN { contention_only: or_target(needed.contention_only), coherency: or_target(needed.coherency) }
}

/// The sweep up to `n_max` without measured N and, where a curve is known, only beyond its end.
fn unmeasured(points: &[LoadPoint], n_max: u64) -> Vec<u64> {
    let last = points.last().map_or(1.0, |point| point.n);
    let is_curve = distinct(points) >= 3;
    let is_missing = |n: &u64| {
        let n = *n as f64;
        (n > last || !is_curve) && points.iter().all(|point| point.n != n)
    };
    sweep(n_max).into_iter().filter(is_missing).collect()
}

/// The measured N nearest to `n` by ratio.
fn nearest(points: &[LoadPoint], n: f64) -> f64 {
    let distance = |point: &&LoadPoint| (point.n / n).ln().abs();
    let nearest = points.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)));
    nearest.map_or(1.0, |point| point.n)
}

/// The mean rate at `n`.
fn mean_at(points: &[LoadPoint], n: f64) -> f64 {
    let rates: Vec<f64> = points.iter().filter(|point| point.n == n).map(|point| point.rate).collect();
    crate::statistics::mean(&rates).unwrap_or(0.0)
}
