//! Extrapolation of a set of points to a larger N, and its limits.

use crate::rules::RULES;
use crate::statistics::Interval;

use super::fit::{Fit, Form, LoadPoint, best, distinct, fit, usable};
use super::misfit::misfits;
use super::profile::{Profile, Scatter};
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

/// A coefficient of variation of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// In (0, 1).
    pub of_run: f64,
    /// Whether it was given or assumed, not estimated from the fit.
    pub is_assumed: bool,
}

/// The rate at a target N by extrapolation.
#[derive(Clone, Debug, PartialEq)]
pub struct Extrapolation {
    /// The target.
    pub n: f64,
    /// The fitted rate; absent where an estimate is refused. Between measured N it is given even with few points, which
    /// then are a reason against a claim.
    pub estimate: Option<f64>,
    /// The rates that the points do not exclude with 95 % confidence, capped at `linear` and at shared resources.
    pub interval: Interval,
    /// Rates above this are excluded, noise included; at least the best rate measured at a smaller N.
    pub excluded_from: f64,
    /// Linear scaling from the best point per unit: an upper bound, not an estimate.
    pub linear: f64,
    /// With fewer than three different N: the interval if all N up to the largest measured one had been measured and
    /// linear.
    pub granted: Option<Interval>,
    /// The interval at the horizon, the largest N with an estimate; absent where the target is nearer.
    pub at_horizon: Option<(f64, Interval)>,
    /// The noise behind the intervals.
    pub noise: Noise,
    /// Why an estimate is refused, or cannot support a claim; empty where neither.
    pub reasons: Vec<Reason>,
}

/// Extrapolates `points` to `n`, at least 1; None where no point is usable.
pub fn extrapolation(points: &[LoadPoint], n: f64, circumstances: &Circumstances) -> Option<Extrapolation> {
    let used = usable(points);
    let n_max = used.last()?.n;
    let fit = fit(points);
    let (noise, scatter) = noise(fit.as_ref(), circumstances);
    let linear = linear(&used, n);
    let (interval, excluded_from) = allowed(points, n, scatter, circumstances)?;
    let horizon = RULES.scale_horizon * n_max;
    let reasons = reasons(&used, fit.as_ref(), n, &interval, (noise, scatter), circumstances);
    let only_few = |reason: &Reason| matches!(reason, Reason::FewPoints { .. });
    let is_given = reasons.is_empty() || n <= n_max && reasons.iter().all(only_few);
    Some(Extrapolation {
        n,
        estimate: fit.as_ref().filter(|_| is_given).map(|fit| fit.rate(n).min(interval.high)),
        interval,
        excluded_from,
        linear,
        granted: granted(&used, n, noise, circumstances),
        at_horizon: (n > horizon)
            .then(|| allowed(points, horizon, scatter, circumstances))
            .flatten()
            .map(|(interval, _)| (horizon, interval)),
        noise,
        reasons,
    })
}

/// Linear scaling from the best point per unit.
fn linear(points: &[LoadPoint], n: f64) -> f64 {
    points.iter().map(|point| point.rate / point.n).fold(0.0, f64::max) * n
}

/// The noise of a run: given, estimated from the fit, or assumed where the fit has too few degrees of freedom.
fn noise(fit: Option<&Fit>, circumstances: &Circumstances) -> (Noise, Scatter) {
    let seen = fit.filter(|fit| fit.freedom() >= RULES.scale_freedom_min).and_then(|fit| Some((fit, fit.variance()?)));
    match (circumstances.noise, seen) {
        (None, Some((fit, variance))) => {
            // Lower bound for rounded or synthetic rates.
            let variance = variance.max(RULES.scale_noise_min.powi(2));
            let noise = Noise { of_run: variance.sqrt(), is_assumed: false };
            (noise, Scatter::Residual { variance, freedom: fit.freedom() })
        }
        (stated, _) => {
            let of_run = stated.unwrap_or(RULES.scale_noise_assumed);
            (Noise { of_run, is_assumed: true }, Scatter::Stated { noise: of_run })
        }
    }
}

/// The 95 % set at `n` with its caps, and its upper end without them.
fn allowed(points: &[LoadPoint], n: f64, scatter: Scatter, circumstances: &Circumstances) -> Option<(Interval, f64)> {
    let (low, high) = Profile::new(points, n, scatter)?.interval();
    let known = circumstances.ceilings.iter().filter_map(|ceiling| ceiling.capacity);
    let shared = known.fold(f64::INFINITY, f64::min);
    // A rate measured at a smaller N is never excluded.
    let used = usable(points);
    let reached = used.iter().filter(|point| point.n < n).map(|point| point.rate).fold(0.0, f64::max);
    let excluded_from = high.max(reached).min(shared);
    // Linear scaling bounds only N above the smallest measured one.
    let is_bounded = used.first().is_some_and(|first| first.n <= n);
    let cap = high.min(shared).min(if is_bounded { linear(&used, n) } else { f64::INFINITY });
    let estimate = best(points, Form::Universal)?.rate(n).min(cap);
    Some((Interval { estimate, low: low.min(cap), high: cap }, excluded_from))
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
    allowed(&points, n, Scatter::Stated { noise: noise.of_run }, circumstances).map(|(interval, _)| interval)
}

fn reasons(
    points: &[LoadPoint],
    fit: Option<&Fit>,
    n: f64,
    interval: &Interval,
    (noise, scatter): (Noise, Scatter),
    circumstances: &Circumstances,
) -> Vec<Reason> {
    let n_max = points.last().map_or(1.0, |point| point.n);
    let beyond = n > n_max;
    let distinct = distinct(points);
    let fewest = points.chunk_by(|one, other| one.n == other.n).map(<[LoadPoint]>::len).min().unwrap_or(0);
    let is_few = distinct < RULES.scale_distinct_min || fewest < RULES.scale_repeats_min;
    let is_measured = points.iter().any(|point| point.n == n);
    let few = (!is_measured && is_few).then_some(Reason::FewPoints { distinct, repeats: fewest });
    let far = (n > RULES.scale_horizon * n_max).then_some(Reason::Far { n_max, factor: n / n_max });
    let factor = (interval.high / interval.estimate).max(interval.estimate / interval.low);
    let wide = (factor > RULES.scale_interval_factor_max).then_some(Reason::Wide { factor });
    let misfit = fit.map(|fit| misfits(points, fit, scatter)).unwrap_or_default();
    let open = fit.filter(|_| beyond).and_then(|fit| open_coherency(fit, n, noise));
    let unverified: Vec<String> = circumstances
        .ceilings
        .iter()
        .filter(|ceiling| ceiling.capacity.is_none())
        .map(|ceiling| ceiling.name.clone())
        .collect();
    let unverified = (beyond && !unverified.is_empty()).then_some(Reason::UnverifiedCeilings(unverified));
    let differs = (!circumstances.differences.is_empty()).then(|| Reason::Differs(circumstances.differences.clone()));
    let flat = fit.filter(|fit| {
        beyond
            && points.iter().all(|point| point.rate / (point.n * fit.per_unit) > RULES.scale_uninformative_efficiency)
    });
    let reasons = few.into_iter().chain(far).chain(wide).chain(misfit.into_iter().map(Reason::Misfit)).chain(open);
    reasons.chain(unverified).chain(differs).chain(flat.map(|_| Reason::Uninformative)).collect()
}

/// Coherency that is not significantly above 0 and would matter at `n`.
fn open_coherency(fit: &Fit, n: f64, noise: Noise) -> Option<Reason> {
    let interval = match noise.is_assumed {
        true => fit.coherency_interval(noise.of_run)?,
        false => fit.intervals()?[2],
    };
    let adds = n * (n - 1.0) * interval.high;
    (interval.low <= 0.0 && adds > RULES.scale_open_coherency_max)
        .then_some(Reason::OpenCoherency { coherency_high: interval.high, adds })
}
