//! The noise of a run: one figure behind all intervals of a set of points.

use crate::rules::RULES;
use crate::statistics::{Interval, mean};

use super::fit::{Fit, LoadPoint, distinct, normal_end, student_end, usable};

/// Different N from which on residuals say something of the noise: one more than the law has coefficients.
pub(super) const TESTED_FROM: usize = 4;

/// A coefficient of variation of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Of a run of weight 1, as a share.
    pub of_run: f64,
    /// Where it is from.
    pub basis: NoiseBasis,
}

/// The source of a noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoiseBasis {
    /// Given or assumed.
    Stated,
    /// Residuals of the fit.
    Residuals {
        /// Degrees of freedom, at least 1.
        freedom: usize,
    },
    /// Repeats around their mean, of all N together.
    Repeats {
        /// Degrees of freedom, at least 1: repeats less the number of N that have some.
        freedom: usize,
    },
}

impl Noise {
    /// A given or assumed noise.
    pub fn stated(of_run: f64) -> Noise {
        Noise { of_run, basis: NoiseBasis::Stated }
    }

    /// The noise that the residuals of `fit` show, 0 where they are; None without degrees of freedom.
    pub fn of_residuals(fit: &Fit) -> Option<Noise> {
        let of_run = fit.variance()?.sqrt();
        Some(Noise { of_run, basis: NoiseBasis::Residuals { freedom: fit.freedom() } })
    }

    /// The noise that repeats show, pooled over all N, at least that of rounded rates; None without repeats.
    pub fn of_repeats(points: &[LoadPoint]) -> Option<Noise> {
        let (mut squares, mut freedom) = (0.0, 0);
        for same in usable(points).chunk_by(|one, other| one.n == other.n).filter(|same| same.len() > 1) {
            let middle = mean(&same.iter().map(|point| point.rate).collect::<Vec<f64>>())?;
            squares += same.iter().map(|point| point.weight * (point.rate / middle - 1.0).powi(2)).sum::<f64>();
            freedom += same.len() - 1;
        }
        let of_run = (squares / freedom as f64).sqrt().max(RULES.scale_noise_min);
        (freedom > 0).then_some(Noise { of_run, basis: NoiseBasis::Repeats { freedom } })
    }

    /// Half of the relative 95 % interval of a run of weight 1: by Student's t with the degrees of freedom, by the normal
    /// quantile where stated.
    pub fn half_width(self) -> f64 {
        let errors = match self.basis {
            NoiseBasis::Stated => normal_end(),
            NoiseBasis::Residuals { freedom } | NoiseBasis::Repeats { freedom } => student_end(freedom),
        };
        errors * self.of_run
    }
}

/// The noise behind what the law says of `points`: that given; otherwise that of the repeats; otherwise the larger one of
/// the residuals' and the assumed one, by the intervals that follow from them. Few repeats count together with the
/// residuals, where the law fits. `lawful`: the fit, where the law fits.
pub(super) fn noise(points: &[LoadPoint], lawful: Option<&Fit>, stated: Option<f64>) -> Noise {
    if let Some(stated) = stated {
        return Noise::stated(stated);
    }
    let assumed = Noise::stated(RULES.scale_noise_assumed);
    let residuals = lawful.filter(|_| distinct(points) >= TESTED_FROM).and_then(Noise::of_residuals);
    match (Noise::of_repeats(points), residuals) {
        (Some(repeats), residuals) if residuals.is_none() || is_of_many(repeats) => repeats,
        (_, Some(residuals)) if residuals.half_width() > assumed.half_width() => residuals,
        _ => assumed,
    }
}

/// Whether a noise of repeats is of enough of them to stand alone.
fn is_of_many(repeats: Noise) -> bool {
    matches!(repeats.basis, NoiseBasis::Repeats { freedom } if freedom >= RULES.scale_freedom_min)
}

/// What was measured at one N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// The mean rate of the runs, in the unit of the points.
    pub rate: f64,
    /// Half of its 95 % interval, as a share of `rate`.
    pub half_width: f64,
    /// Runs, at least 1.
    pub runs: usize,
    /// The noise of a run behind the interval.
    pub noise: Noise,
}

impl Measurement {
    /// The rate with its 95 % interval.
    pub fn interval(&self) -> Interval {
        let half = self.rate * self.half_width;
        Interval { estimate: self.rate, low: (self.rate - half).max(0.0), high: self.rate + half }
    }
}

/// The measurement at `n`; None where that was not measured. It depends on no fit and its weights: the noise is that
/// given, otherwise that of the repeats, where there are enough or some at `n`, otherwise the assumed one.
pub(super) fn measurement(points: &[LoadPoint], n: f64, stated: Option<f64>) -> Option<Measurement> {
    let used = usable(points);
    let rates: Vec<f64> = used.iter().filter(|point| point.n == n).map(|point| point.rate).collect();
    let rate = mean(&rates)?;
    let plain: Vec<LoadPoint> = used.iter().map(|point| LoadPoint { weight: 1.0, ..*point }).collect();
    let repeats = Noise::of_repeats(&plain).filter(|repeats| rates.len() > 1 || is_of_many(*repeats));
    let noise = match (stated, repeats) {
        (None, Some(repeats)) => repeats,
        (stated, _) => Noise::stated(stated.unwrap_or(RULES.scale_noise_assumed)),
    };
    let half_width = noise.half_width() / (rates.len() as f64).sqrt();
    Some(Measurement { rate, half_width, runs: rates.len(), noise })
}
