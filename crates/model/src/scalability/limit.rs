//! The limit of a fitted law, as far as its coefficients are significant.

use crate::statistics::Interval;

use super::fit::Fit;

/// From this share of a ceiling on, the ceiling counts as reached.
const REACHED: f64 = 0.98;

/// The highest rate by the fitted law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Coherency is significantly above 0: the rate has a peak.
    Peak(Peak),
    /// Only contention is: the rate approaches a ceiling.
    Ceiling(Ceiling),
    /// Not known.
    Unknown(UnknownLimit),
}

/// The peak of the fitted curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Its N.
    pub n: f64,
    /// The rate there.
    pub rate: f64,
    /// The knee: N at which linear scaling from one would reach the peak, N* = X_max/g, the corner of the asymptotic
    /// bounds (Denning and Buzen 1978). Below it the rate is bound by N, above it by the peak.
    pub knee_n: f64,
    /// Whether a larger N was measured, so that the decline is measured.
    pub is_measured: bool,
}

/// The ceiling g/s of Amdahl's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling {
    /// The rate, with its 95 % interval.
    pub rate: Interval,
    /// Whether the fitted rate at the largest measured N is next to it.
    pub is_reached: bool,
}

/// Why a limit is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownLimit {
    /// Fewer different N than test the law.
    FewDegrees,
    /// The law does not fit the points.
    Misfit,
    /// Neither contention nor coherency is significantly above 0.
    Insignificant,
}

/// The limit by `fit`, which fits; `run_width`: half of the relative 95 % interval of a run of weight 1.
pub(super) fn limit(fit: &Fit, run_width: f64) -> Limit {
    let Some([_, contention, coherency]) = fit.intervals(run_width) else {
        return Limit::Unknown(UnknownLimit::FewDegrees);
    };
    let last = fit.n_range.1;
    let peak = fit.peak_n().filter(|_| coherency.low > 0.0).map(|n| {
        let rate = fit.rate(n);
        Limit::Peak(Peak { n, rate, knee_n: rate / fit.per_unit, is_measured: n < last })
    });
    let ceiling = fit
        .ceiling(run_width)
        .filter(|_| contention.low > 0.0)
        .map(|rate| Limit::Ceiling(Ceiling { rate, is_reached: fit.rate(last) >= REACHED * rate.estimate }));
    peak.or(ceiling).unwrap_or(Limit::Unknown(UnknownLimit::Insignificant))
}
