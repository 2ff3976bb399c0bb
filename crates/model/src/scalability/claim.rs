//! The verdict on a claim about an N that was not measured.

use std::fmt;

use crate::rules::RULES;

use super::extrapolation::{Circumstances, Extrapolation, extrapolation};
use super::fit::{LoadPoint, distinct, usable};
use super::information::{NeededN, needed_n, sweep};
use super::reason::Reason;

/// That so many give so much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// How many; at least 1.
    pub n: f64,
    /// What they are said to give at least, in the unit of the points; above 0.
    pub rate: f64,
}

/// What is said of a claim. A closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClaimVerdict {
    /// The data exclude that less is reached and the law describes them; or no reason speaks against a number there, and
    /// they exclude that clearly less is reached.
    Supported,
    /// The data are compatible with it, and with much else.
    Unsupported,
    /// The data exclude it with 95 % confidence, and the law describes them; or what is shared ends before.
    Contradicted,
}

impl ClaimVerdict {
    /// As it is printed.
    pub fn word(self) -> &'static str {
        match self {
            ClaimVerdict::Supported => "SUPPORTED",
            ClaimVerdict::Unsupported => "UNSUPPORTED",
            ClaimVerdict::Contradicted => "CONTRADICTED",
        }
    }
}

impl fmt::Display for ClaimVerdict {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.pad(self.word())
    }
}

/// A claim, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The claim.
    pub claim: Claim,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// What the points say there.
    pub extrapolation: Extrapolation,
    /// The claim as a share of linear scaling; above 1 where it is more.
    pub efficiency: f64,
    /// How far has to be measured before such an efficiency can be supported: beyond what was measured where the claim
    /// is, since what there is did not do.
    pub needed: NeededN,
    /// The same for 90 % of linear scaling; absent where so much was measured.
    pub needed_for_ninety: Option<NeededN>,
    /// What is to be measured to test it, without what was.
    pub sweep: Vec<u64>,
    /// All of it in words.
    pub sentence: String,
}

/// Judges `claim` by `points`; none where not one point is usable or the claim is no rate at an N of at least 1.
///
/// SUPPORTED: every rate of the 95 % set is at least the claim, the law describes the points and the target alike, and
/// nothing shared of unknown capacity may end above what was measured and below the claim; or nothing speaks against a
/// number at that N, and the set reaches from 0.9 of the claim or more. CONTRADICTED: the claim lies above that set and
/// the law describes the points and the target alike, or it lies above a known capacity of something shared.
/// UNSUPPORTED: everything else.
pub fn judge(points: &[LoadPoint], claim: Claim, circumstances: &Circumstances) -> Option<Judgement> {
    if !(claim.n >= 1.0 && claim.n.is_finite() && claim.rate > 0.0 && claim.rate.is_finite()) {
        return None;
    }
    let found = extrapolation(points, claim.n, circumstances)?;
    let efficiency = claim.rate / found.linear;
    let shared = circumstances.ceilings.iter().filter_map(|ceiling| ceiling.capacity).fold(f64::INFINITY, f64::min);
    // A set that is made of a law says nothing where the law does not hold.
    let is_lawful = !found.reasons.iter().any(|reason| matches!(reason, Reason::Misfit(_) | Reason::Differs(_)));
    let used = usable(points);
    let reached = used.iter().map(|point| point.rate).fold(0.0, f64::max);
    let may_end = claim.rate > reached && found.reasons.iter().any(|why| matches!(why, Reason::UnverifiedCeilings(_)));
    // What the set has to reach from.
    let least = match () {
        () if found.reasons.is_empty() => RULES.scale_claim_share_min * claim.rate,
        () if is_lawful && !may_end => claim.rate,
        () => f64::INFINITY,
    };
    let verdict = match () {
        () if claim.rate > shared || is_lawful && claim.rate > found.excluded_from => ClaimVerdict::Contradicted,
        () if found.interval.low >= least => ClaimVerdict::Supported,
        () => ClaimVerdict::Unsupported,
    };
    let needed = beyond(needed_n(claim.n, efficiency, RULES.scale_precision), &used, claim.n);
    let ninety = needed_n(claim.n, 0.9, RULES.scale_precision);
    let n_max = used.last().map_or(1.0, |point| point.n);
    let mut judgement = Judgement {
        claim,
        verdict,
        efficiency,
        needed,
        needed_for_ninety: (ninety.coherency as f64 > n_max).then_some(ninety),
        sweep: unmeasured(&used, needed.coherency),
        extrapolation: found,
        sentence: String::new(),
    };
    judgement.sentence = sentence(&used, &judgement, circumstances);
    Some(judgement)
}

/// `needed` where it lies beyond what was measured; otherwise, what was measured did not do, and only the target does.
fn beyond(needed: NeededN, points: &[LoadPoint], target: f64) -> NeededN {
    let n_max = points.last().map_or(1.0, |point| point.n);
    let or_target = |n: u64| if n as f64 > n_max { n } else { target.ceil() as u64 };
    NeededN { contention_only: or_target(needed.contention_only), coherency: or_target(needed.coherency) }
}

/// The sweep up to `n_max` without what was measured; where a curve is known, without what lies below its end.
fn unmeasured(points: &[LoadPoint], n_max: u64) -> Vec<u64> {
    let last = points.last().map_or(1.0, |point| point.n);
    let is_curve = distinct(points) >= 3;
    let is_missing = |n: &u64| {
        let n = *n as f64;
        (n > last || !is_curve) && points.iter().all(|point| point.n != n)
    };
    sweep(n_max).into_iter().filter(is_missing).collect()
}

fn sentence(points: &[LoadPoint], judgement: &Judgement, circumstances: &Circumstances) -> String {
    let (found, noun) = (&judgement.extrapolation, &circumstances.noun);
    let (n, n_max) = (found.n, points.last().map_or(1.0, |point| point.n));
    let mut parts = Vec::new();
    if n > n_max {
        parts.push("Linear extrapolation is the upper bound of what the data allow, not an estimate.".to_owned());
    }
    let nearest = nearest(points, n);
    parts.push(format!("Measured: {} at N = {nearest}.", short(mean_at(points, nearest))));
    if let Some((horizon, interval)) = found.at_horizon {
        let (low, high) = (short(interval.low), short(interval.high));
        parts.push(format!("At N = {horizon} the data allow {low} to {high}, {}.", found.noise.basis()));
    }
    let (low, high) = (short(found.interval.low), short(found.interval.high));
    parts.push(format!("At N = {n} the data are compatible with {low} to {high}, {}.", found.noise.basis()));
    if let Some(granted) = found.granted {
        let (low, high) = (short(granted.low), short(granted.high));
        let granting =
            format!("Even if everything up to N = {n_max} had been measured and had been linear, it would be");
        parts.push(format!("{granting} {low} to {high}."));
    }
    let share = judgement.efficiency * 100.0;
    let claimed = format!("{} at N = {n}, {share:.0} % of linear", short(judgement.claim.rate));
    parts.push(format!("The claim of {claimed}: {}.", judgement.verdict));
    if judgement.verdict == ClaimVerdict::Unsupported && n > n_max {
        parts.push(test_of(judgement, noun));
    }
    parts.join(" ")
}

/// What would have to be measured.
fn test_of(judgement: &Judgement, noun: &str) -> String {
    let needed = judgement.needed.coherency;
    let sweep: Vec<String> = judgement.sweep.iter().map(u64::to_string).collect();
    let test = format!("To test it: measure at least {} {noun} with 3 repeats", sweep.join(", "));
    let ninety = judgement.needed_for_ninety.map(|ninety| ninety.coherency).filter(|ninety| *ninety < needed);
    let less = ninety.map(|ninety| format!(" (up to {ninety} would do for 90 % of linear)")).unwrap_or_default();
    format!("{test}{less}, and verify what they share: network, controllers, metadata.")
}

/// The measured N that lies nearest to `n`, in factors.
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

/// `950`, `48.0K`, `7.04M`: three significant digits with a decimal prefix.
fn short(value: f64) -> String {
    let prefixes = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")];
    // What rounds to the next thousand belongs to it.
    let (scale, prefix) = prefixes.into_iter().find(|(scale, _)| value >= scale * 0.9995).unwrap_or((1.0, ""));
    let digits = match value / scale {
        scaled if scaled >= 99.95 => 0,
        scaled if scaled >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{:.digits$}", value / scale);
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{prefix}")
}
