//! Extrapolation of a set of points to a larger N, and its limits.

use crate::rules::RULES;
use crate::statistics::Interval;

use super::fit::{Fit, Form, LoadPoint, best, distinct, fit, usable};
use super::misfit::{Misfit, misfits};
use super::noise::{Measurement, Noise, measurement, noise};
use super::profile::Profile;
use super::reason::Reason;

/// A shared resource that may saturate: a switch, an array, a metadata service.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedCeiling {
    /// Its name.
    pub name: String,
    /// The rate at which it saturates, in the unit of the points; absent where not measured.
    pub capacity: Option<f64>,
}

/// Known circumstances of the points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Circumstances {
    /// Coefficient of variation of one run; estimated from the points where absent.
    pub noise: Option<f64>,
    /// Shared resources.
    pub ceilings: Vec<SharedCeiling>,
    /// Differences between the target and the measured setup: replication factor, network, data per host.
    pub differences: Vec<String>,
}

/// The rate at a target N: measured there, or by extrapolation.
#[derive(Clone, Debug, PartialEq)]
pub struct Extrapolation {
    /// The target.
    pub n: f64,
    /// What was measured there; absent where nothing was.
    pub measured: Option<Measurement>,
    /// The measured rate, otherwise the fitted one; absent where an estimate is refused. Between measured N it is given
    /// even with few points, which then are a reason against a claim.
    pub estimate: Option<f64>,
    /// The rates that law and points do not exclude with 95 % confidence, capped at `linear` and at shared resources;
    /// absent where the law does not fit.
    pub by_law: Option<Interval>,
    /// Rates above this are excluded, noise included: by the measurement; by the law where it gives an estimate without a
    /// reason against it, then at least the best rate measured at a smaller N; otherwise by linear scaling.
    pub excluded_from: f64,
    /// Linear scaling from the best point per unit: an upper bound, not an estimate.
    pub linear: f64,
    /// With fewer than three different N: the interval if all N up to the largest measured one had been measured and
    /// linear.
    pub granted: Option<Interval>,
    /// The interval at the horizon, the largest N with an estimate; absent where the target is nearer, or the law does not
    /// fit.
    pub at_horizon: Option<(f64, Interval)>,
    /// The noise behind the intervals by the law.
    pub noise: Noise,
    /// Why an estimate is refused, or cannot support a claim; empty where neither.
    pub reasons: Vec<Reason>,
}

impl Extrapolation {
    /// The 95 % interval of the rate: that of the measurement, otherwise that by the law.
    pub fn interval(&self) -> Option<Interval> {
        self.measured.map(|measured| measured.interval()).or(self.by_law)
    }

    /// The noise behind it.
    pub fn interval_noise(&self) -> Noise {
        self.measured.map_or(self.noise, |measured| measured.noise)
    }
}

/// Extrapolates `points` to `n`, at least 1; None where no point is usable.
pub fn extrapolation(points: &[LoadPoint], n: f64, circumstances: &Circumstances) -> Option<Extrapolation> {
    let used = usable(points);
    let n_max = used.last().filter(|_| n >= 1.0 && n.is_finite())?.n;
    let fit = fit(points);
    let misfits = fit.as_ref().map(|fit| misfits(points, fit, circumstances.noise)).unwrap_or_default();
    let is_lawful = misfits.is_empty();
    let noise = noise(points, fit.as_ref().filter(|_| is_lawful), circumstances.noise);
    let measured = measurement(&used, n, circumstances.noise);
    let allowed_at = |n: f64| allowed(points, n, noise, circumstances).filter(|_| is_lawful);
    let by_law = allowed_at(n);
    let reasons = match measured {
        Some(_) => differs(circumstances).into_iter().collect(),
        None => reasons(&used, fit.as_ref(), n, by_law, misfits, noise, circumstances),
    };
    let only_few = |reason: &Reason| matches!(reason, Reason::FewPoints { .. });
    let is_given = reasons.is_empty() || n <= n_max && reasons.iter().all(only_few);
    let fitted = || Some(fit.as_ref()?.rate(n).min(by_law?.high));
    let estimate = match measured {
        Some(measured) => Some(measured.rate),
        None => fitted(),
    };
    let horizon = RULES.scale_horizon * n_max;
    let is_far = measured.is_none() && n > horizon;
    Some(Extrapolation {
        n,
        measured,
        estimate: estimate.filter(|_| is_given),
        by_law,
        excluded_from: excluded_from(&used, n, measured, by_law, &reasons, circumstances),
        linear: linear(&used, n),
        granted: granted(&used, n, noise, circumstances).filter(|_| measured.is_none()),
        at_horizon: is_far.then(|| Some((horizon, allowed_at(horizon)?))).flatten(),
        noise,
        reasons,
    })
}

/// Linear scaling from the best point per unit.
fn linear(points: &[LoadPoint], n: f64) -> f64 {
    best_per_unit(points).map_or(0.0, |best| best.rate / best.n * n)
}

/// The point with the highest rate per unit.
fn best_per_unit(points: &[LoadPoint]) -> Option<LoadPoint> {
    points.iter().copied().max_by(|one, other| (one.rate / one.n).total_cmp(&(other.rate / other.n)))
}

/// The rate above which all are excluded at `n`, as [`Extrapolation::excluded_from`] has it.
fn excluded_from(
    points: &[LoadPoint],
    n: f64,
    measured: Option<Measurement>,
    by_law: Option<Interval>,
    reasons: &[Reason],
    circumstances: &Circumstances,
) -> f64 {
    let shared = shared(circumstances);
    if reasons.iter().any(|reason| matches!(reason, Reason::Differs(_))) {
        return shared;
    }
    // Linear scaling bounds only N above the smallest measured one.
    let is_bounded = points.first().is_some_and(|first| first.n <= n);
    let bound = match (measured, by_law.filter(|_| reasons.is_empty())) {
        (Some(measured), _) => measured.interval().high,
        (None, Some(by_law)) => {
            // A rate measured at a smaller N is never excluded.
            let reached = points.iter().filter(|point| point.n < n).map(|point| point.rate).fold(0.0, f64::max);
            by_law.high.max(reached)
        }
        (None, None) if is_bounded => {
            let best = best_per_unit(points).and_then(|best| measurement(points, best.n, circumstances.noise));
            linear(points, n) * (1.0 + best.map_or(0.0, |best| best.half_width))
        }
        (None, None) => f64::INFINITY,
    };
    bound.min(shared)
}

/// The least known capacity of a shared resource.
fn shared(circumstances: &Circumstances) -> f64 {
    circumstances.ceilings.iter().filter_map(|ceiling| ceiling.capacity).fold(f64::INFINITY, f64::min)
}

/// The 95 % set at `n` by the law, with its caps.
fn allowed(points: &[LoadPoint], n: f64, noise: Noise, circumstances: &Circumstances) -> Option<Interval> {
    let (low, high) = Profile::new(points, n, noise.half_width())?.interval();
    let used = usable(points);
    // Linear scaling bounds only N above the smallest measured one.
    let is_bounded = used.first().is_some_and(|first| first.n <= n);
    let cap = high.min(shared(circumstances)).min(if is_bounded { linear(&used, n) } else { f64::INFINITY });
    let estimate = best(points, Form::Universal)?.rate(n).min(cap);
    Some(Interval { estimate, low: low.min(cap), high: cap })
}

/// The interval from linear points at 1, 2, 4, ... up to the largest measured N.
fn granted(points: &[LoadPoint], n: f64, noise: Noise, circumstances: &Circumstances) -> Option<Interval> {
    let n_max = points.last()?.n;
    if distinct(points) >= 3 || n_max < 3.0 || n <= n_max {
        return None;
    }
    let per_unit = linear(points, 1.0);
    let points: Vec<LoadPoint> = super::information::sweep(n_max as u64)
        .into_iter()
        .map(|n| LoadPoint::new(n as f64, per_unit * n as f64))
        .collect();
    allowed(&points, n, noise, circumstances)
}

/// Why the law gives no estimate at `n`, which was not measured, or one that supports no claim.
fn reasons(
    points: &[LoadPoint],
    fit: Option<&Fit>,
    n: f64,
    by_law: Option<Interval>,
    misfits: Vec<Misfit>,
    noise: Noise,
    circumstances: &Circumstances,
) -> Vec<Reason> {
    let n_max = points.last().map_or(1.0, |point| point.n);
    let beyond = n > n_max;
    let distinct = distinct(points);
    let fewest = points.chunk_by(|one, other| one.n == other.n).map(<[LoadPoint]>::len).min().unwrap_or(0);
    let is_few = distinct < RULES.scale_distinct_min || fewest < RULES.scale_repeats_min;
    let few = is_few.then_some(Reason::FewPoints { distinct, repeats: fewest });
    let far = (n > RULES.scale_horizon * n_max).then_some(Reason::Far { n_max, factor: n / n_max });
    let factor = by_law.map(|found| (found.high / found.estimate).max(found.estimate / found.low));
    let wide = factor.filter(|factor| *factor > RULES.scale_interval_factor_max).map(|factor| Reason::Wide { factor });
    let lawful = fit.filter(|_| beyond && misfits.is_empty());
    let open = lawful.and_then(|fit| open_coherency(fit, n, noise));
    let unverified: Vec<String> = circumstances
        .ceilings
        .iter()
        .filter(|ceiling| ceiling.capacity.is_none())
        .map(|ceiling| ceiling.name.clone())
        .collect();
    let unverified = (beyond && !unverified.is_empty()).then_some(Reason::UnverifiedCeilings(unverified));
    let flat = lawful.filter(|fit| {
        points.iter().all(|point| point.rate / (point.n * fit.per_unit) > RULES.scale_uninformative_efficiency)
    });
    let reasons = few.into_iter().chain(far).chain(wide).chain(misfits.into_iter().map(Reason::Misfit)).chain(open);
    let reasons = reasons.chain(unverified).chain(differs(circumstances));
    reasons.chain(flat.map(|_| Reason::Uninformative)).collect()
}

fn differs(circumstances: &Circumstances) -> Option<Reason> {
    (!circumstances.differences.is_empty()).then(|| Reason::Differs(circumstances.differences.clone()))
}

/// Coherency that is not significantly above 0 and would matter at `n`.
fn open_coherency(fit: &Fit, n: f64, noise: Noise) -> Option<Reason> {
    let interval = fit.intervals(noise.half_width())?[2];
    let adds = n * (n - 1.0) * interval.high;
    (interval.low <= 0.0 && adds > RULES.scale_open_coherency_max)
        .then_some(Reason::OpenCoherency { coherency_high: interval.high, adds })
}
