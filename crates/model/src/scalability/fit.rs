//! The fit of the Universal Scalability Law to measured rates.

use crate::rules::RULES;
use crate::statistics::{Interval, normal_quantile, student_quantile};

use super::face::{Face, Minimum, Observation, dot, inverse, minimum, normal_equations, squares, terms};

/// A rate at a degree of parallelism. A repetition is a point of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadPoint {
    /// N: hosts, nodes, jobs or threads; at least 1. A fit never mixes them.
    pub n: f64,
    /// The rate, in any unit per second; above 0.
    pub rate: f64,
    /// Weight of the squared relative error, above 0: 1 for a repetition, 1/CV² for a mean with that coefficient of
    /// variation, the square of the rate for a fit of absolute errors.
    pub weight: f64,
}

impl LoadPoint {
    /// A run of weight 1.
    pub fn new(n: f64, rate: f64) -> LoadPoint {
        LoadPoint { n, rate, weight: 1.0 }
    }

    fn is_usable(&self) -> bool {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        self.n >= 1.0 && self.n.is_finite() && positive(self.rate) && positive(self.weight)
    }
}

/// Which errors a fit weighs alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// Errors as a share of the rate: every N counts alike. Noise in throughput is multiplicative.
    #[default]
    Relative,
    /// Errors in the unit of the rate: high rates count most. The fit of most other tools, and of published coefficients.
    Absolute,
}

/// `points` of runs with the weights of a fit by `weights`. Weights of absolute errors have a mean of 1, so that the
/// noise of a run of weight 1 is a share of the root mean square of the rates.
pub fn weighted(points: &[LoadPoint], weights: Weights) -> Vec<LoadPoint> {
    let used = usable(points);
    let square = used.iter().map(|point| point.rate * point.rate).sum::<f64>() / used.len().max(1) as f64;
    let weigh = |point: &LoadPoint| match weights {
        Weights::Relative => LoadPoint { weight: 1.0, ..*point },
        Weights::Absolute => LoadPoint { weight: point.rate * point.rate / square, ..*point },
    };
    points.iter().map(weigh).collect()
}

/// The terms of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// s = k = 0: linear scaling.
    Linear,
    /// k = 0 (Amdahl): a serial part, so that the rate has a ceiling.
    Amdahl,
    /// k > 0 (Gunther): crosstalk between all pairs, so that the rate has a peak.
    Universal,
}

/// A fit with negative contention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Superlinear {
    /// The fitted contention, below zero.
    pub contention: f64,
    /// Whether its 95 % interval excludes zero; absent where the noise is not known.
    pub significant: Option<bool>,
}

/// The Universal Scalability Law (Gunther 1993, 2007) fitted to a set of points:
/// X(N) = g N / (1 + s (N - 1) + k N (N - 1)) with g > 0, 0 <= s <= 1, k >= 0.
///
/// Noise in throughput is multiplicative, so that the sum of squares of relative residuals (y - X)/y is minimised,
/// where y is the geometric mean of repeats. The law is smooth, and wrong where a bottleneck appears at some N (a
/// second socket, another memory node).
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// g: the rate of one.
    pub per_unit: f64,
    /// s: the serial part, in [0, 1].
    pub contention: f64,
    /// k: the cost per pair; at least 0.
    pub coherency: f64,
    /// The non-zero terms.
    pub form: Form,
    /// Weighted sum of squares of the relative residuals, with those of the logarithms of repeats.
    pub squares: f64,
    /// Points used.
    pub points: usize,
    /// Smallest and largest N among them.
    pub n_range: (f64, f64),
    /// The fit with negative contention: the first point was too slow, for instance because the working set per unit
    /// moved to another cache level with N. Absent where unconstrained contention is not negative.
    pub superlinear: Option<Superlinear>,
    /// (Jᵀ W J)⁻¹ over g, s, k; absent where the points do not determine them.
    scatter: Option<[[f64; 3]; 3]>,
}

/// The points in the terms of the law.
pub(super) struct Observed {
    /// One for each N.
    pub(super) observations: Vec<Observation>,
    /// Sum of squares of the repeats around their mean, independent of the law.
    pub(super) within: f64,
}

/// The points in the terms of the law, without unusable ones.
///
/// Repeats of one N are combined: their sum of squares of ln y - ln X is that of ln y around its mean, a constant, plus
/// the sum of their weights times the squared difference of that mean and ln X. Relative residuals of single repeats
/// would bias the law downwards; for the mean they are equivalent and allow solving on faces. The cost is linear in the
/// number of different N.
pub(super) fn observed(points: &[LoadPoint]) -> Observed {
    let mut within = 0.0;
    let same = |same: &[LoadPoint]| {
        let n = same[0].n;
        let rate = middle(same);
        within += same.iter().map(|point| point.weight * (point.rate / rate).ln().powi(2)).sum::<f64>();
        Observation { terms: terms(n), measured: n / rate, weight: same.iter().map(|point| point.weight).sum() }
    };
    let observations = usable(points).chunk_by(|one, other| one.n == other.n).map(same).collect();
    Observed { observations, within }
}

/// The weighted geometric mean of the rates of repeats; exact for one.
pub(super) fn middle(same: &[LoadPoint]) -> f64 {
    let first = same.first().map_or(1.0, |point| point.rate);
    let weight: f64 = same.iter().map(|point| point.weight).sum();
    let sum: f64 = same.iter().map(|point| point.weight * (point.rate / first).ln()).sum();
    first * (sum / weight).exp()
}

/// The usable points, in ascending order of N.
pub(super) fn usable(points: &[LoadPoint]) -> Vec<LoadPoint> {
    let mut usable: Vec<LoadPoint> = points.iter().copied().filter(LoadPoint::is_usable).collect();
    usable.sort_by(|one, other| one.n.total_cmp(&other.n));
    usable
}

/// The number of different N.
pub(super) fn distinct(points: &[LoadPoint]) -> usize {
    let mut found: Vec<f64> = usable(points).iter().map(|point| point.n).collect();
    found.dedup();
    found.len()
}

/// Fits the law to `points`; None with fewer than three different N, which three coefficients need. Points whose N is
/// below 1 or whose rate or weight is not above 0 are ignored.
pub fn fit(points: &[LoadPoint]) -> Option<Fit> {
    fit_of(points, Form::Universal)
}

/// The same with at most the terms of `form`: Amdahl's law needs two different N, a line one.
pub fn fit_of(points: &[LoadPoint], form: Form) -> Option<Fit> {
    let needed = match form {
        Form::Linear => 1,
        Form::Amdahl => 2,
        Form::Universal => 3,
    };
    (distinct(points) >= needed).then(|| best(points, form)).flatten()
}

/// Edges of the feasible set: linear, serial, coherent.
const EDGES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The constrained minimum, also where the coefficients are not unique.
pub(super) fn best(points: &[LoadPoint], form: Form) -> Option<Fit> {
    let Observed { observations, within } = observed(points);
    let sets: &[&[usize]] = match form {
        Form::Linear => &[&[0]],
        Form::Amdahl => &[&[0], &[1], &[0, 1]],
        Form::Universal => &[&[0], &[1], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]],
    };
    let faces =
        sets.iter().map(|set| Face { origin: [0.0; 3], directions: set.iter().map(|edge| EDGES[*edge]).collect() });
    let allowed = faces.filter_map(|face| minimum(&observations, &face)).filter(|found| is_allowed(found.at));
    let found = allowed.reduce(|best, found| if found.squares < best.squares { found } else { best })?;
    let mut fit = of_minimum(points, &observations, within, found)?;
    if form == Form::Universal && distinct(points) >= 3 {
        fit.superlinear = superlinear(&usable(points), &observations, within);
    }
    Some(fit)
}

/// Whether the coefficients are those of g > 0, 0 <= s <= 1, k >= 0.
pub(super) fn is_allowed([a, b, c]: [f64; 3]) -> bool {
    a > 0.0 && b >= 0.0 && c >= 0.0 && b <= a * (1.0 + 1e-12)
}

fn of_minimum(points: &[LoadPoint], observations: &[Observation], within: f64, found: Minimum) -> Option<Fit> {
    let [a, b, c] = found.at;
    let used = usable(points);
    let (first, last) = (used.first()?, used.last()?);
    let (contention, coherency) = ((b / a).min(1.0), c / a);
    Some(Fit {
        per_unit: 1.0 / a,
        contention,
        coherency,
        form: match (contention > 0.0, coherency > 0.0) {
            (_, true) => Form::Universal,
            (true, false) => Form::Amdahl,
            (false, false) => Form::Linear,
        },
        squares: squares(observations, found.at)? + within,
        points: used.len(),
        n_range: (first.n, last.n),
        superlinear: None,
        scatter: scatter(observations, found.at),
    })
}

/// Fits without bounds; None unless contention is below zero.
fn superlinear(points: &[LoadPoint], observations: &[Observation], within: f64) -> Option<Superlinear> {
    let directions = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let found = minimum(observations, &Face { origin: [0.0; 3], directions })?;
    let contention = found.at[1] / found.at[0];
    // Ignores gains within the noise.
    let gain = -contention * points.iter().map(|point| point.n - 1.0).fold(0.0, f64::max);
    if found.at[0] <= 0.0 || gain <= RULES.scale_noise_min {
        return None;
    }
    let freedom = points.len().saturating_sub(3);
    let error = scatter(observations, found.at).filter(|_| freedom > 0);
    let error = error.map(|scatter| (scatter[1][1] * (found.squares + within) / freedom as f64).sqrt());
    let significant = error.map(|error| contention + student_end(freedom) * error < 0.0);
    Some(Superlinear { contention, significant })
}

/// (Jᵀ W J)⁻¹ over g, s, k of the relative residuals.
fn scatter(observations: &[Observation], [a, b, c]: [f64; 3]) -> Option<[[f64; 3]; 3]> {
    let (g, s, k) = (1.0 / a, b / a, c / a);
    let rows = observations.iter().map(|observation| {
        let divisor = dot(observation.terms, [1.0, s, k]);
        // The predicted rate over the measured one.
        let quotient = g * observation.measured / divisor;
        let scale = observation.weight.sqrt() * quotient;
        let [_, pairs, all_pairs] = observation.terms;
        (vec![scale / g, -scale * pairs / divisor, -scale * all_pairs / divisor], 0.0)
    });
    let inverse = inverse(&normal_equations(3, rows).0)?;
    let mut scatter = [[0.0; 3]; 3];
    scatter.iter_mut().zip(&inverse).for_each(|(to, from)| to.copy_from_slice(from));
    Some(scatter)
}

impl Fit {
    /// The rate at `n`.
    pub fn rate(&self, n: f64) -> f64 {
        self.per_unit * n / self.divisor(n)
    }

    /// Efficiency at `n`: share of linear scaling, in (0, 1].
    pub fn efficiency(&self, n: f64) -> f64 {
        1.0 / self.divisor(n)
    }

    fn divisor(&self, n: f64) -> f64 {
        dot(terms(n), [1.0, self.contention, self.coherency])
    }

    /// N at which the fitted rate is highest, sqrt((1 - s)/k), whether k is significant or not; None where the rate rises
    /// without limit.
    pub(super) fn peak_n(&self) -> Option<f64> {
        let peak = ((1.0 - self.contention) / self.coherency).sqrt();
        (self.coherency > 0.0).then(|| peak.max(1.0))
    }

    /// The ceiling g/s without coherency, with its 95 % interval by the delta method on the logarithm; None without
    /// contention, or where the points do not determine it. `run_width` as in [`Fit::intervals`].
    pub(super) fn ceiling(&self, run_width: f64) -> Option<Interval> {
        let scatter = self.scatter.filter(|_| self.contention > 0.0)?;
        let slope = [1.0 / self.per_unit, -1.0 / self.contention, 0.0];
        let factor = (run_width * delta(&scatter, slope)).exp();
        let estimate = self.per_unit / self.contention;
        Some(Interval { estimate, low: estimate / factor, high: estimate * factor })
    }

    /// Degrees of freedom: points less coefficients.
    pub fn freedom(&self) -> usize {
        self.points.saturating_sub(3)
    }

    /// Coefficients that are not at a bound: g, s, k.
    pub(super) fn free(&self) -> [bool; 3] {
        [true, self.contention > 0.0 && self.contention < 1.0, self.coherency > 0.0]
    }

    /// Variance of a relative residual of weight 1, from the residuals of the fit; None without degrees of freedom.
    pub fn variance(&self) -> Option<f64> {
        (self.freedom() > 0).then(|| self.squares / self.freedom() as f64)
    }

    /// Standard errors of g, s and k from the residuals; absent where there is no degree of freedom.
    pub fn standard_errors(&self) -> Option<[f64; 3]> {
        let (scatter, variance) = (self.scatter?, self.variance()?);
        Some([0, 1, 2].map(|at| (scatter[at][at] * variance).sqrt()))
    }

    /// 95 % intervals of g, s and k, not clipped at their bounds: contention or coherency is not significant where its
    /// interval includes zero. `run_width`: half of the relative 95 % interval of a run of weight 1, as
    /// [`super::Noise::half_width`] has it. Absent where the points do not determine the coefficients.
    pub fn intervals(&self, run_width: f64) -> Option<[Interval; 3]> {
        let values = [self.per_unit, self.contention, self.coherency];
        let scatter = self.scatter?;
        Some([0, 1, 2].map(|at| Interval::around(values[at], run_width * scatter[at][at].sqrt())))
    }

    /// Natural logarithm of the factor by which the true rate at `n` may lie above or below the fit, with 95 %
    /// confidence: the delta method on the logarithm. `run_width` as in [`Fit::intervals`].
    pub fn log_half_width(&self, n: f64, run_width: f64) -> Option<f64> {
        let [_, pairs, all_pairs] = terms(n);
        let divisor = self.divisor(n);
        Some(run_width * delta(&self.scatter?, [1.0 / self.per_unit, -pairs / divisor, -all_pairs / divisor]))
    }

    /// The 95 % band of the true rate at `n`; None where the points do not determine the coefficients. Valid up to about
    /// twice the largest measured N. `run_width` as in [`Fit::intervals`].
    pub fn band(&self, n: f64, run_width: f64) -> Option<Interval> {
        let (estimate, factor) = (self.rate(n), self.log_half_width(n, run_width)?.exp());
        Some(Interval { estimate, low: estimate / factor, high: estimate * factor })
    }
}

/// Standard error of a function of g, s and k with these derivatives, in units of the noise of a run.
fn delta(scatter: &[[f64; 3]; 3], slope: [f64; 3]) -> f64 {
    dot(slope, scatter.map(|row| dot(row, slope))).max(0.0).sqrt()
}

/// Standard errors of a 95 % interval with estimated variance.
pub(super) fn student_end(freedom: usize) -> f64 {
    student_quantile(1.0 - RULES.significance / 2.0, freedom as f64)
}

/// The same with known variance.
pub(super) fn normal_end() -> f64 {
    normal_quantile(1.0 - RULES.significance / 2.0)
}
