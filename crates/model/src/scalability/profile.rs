//! Profile intervals: every rate at a target N that the data do not exclude.

use super::face::{Face, minimum, squares, terms};
use super::fit::{Fit, Form, LoadPoint, Observed, best, normal_end, observed, student_end};

/// Of the interval between the estimate and zero, or infinity, this many halvings are looked at.
const HALVINGS: usize = 60;
/// A rate of so small a share of the estimate is called zero.
const NOTHING: f64 = 1e-12;

/// What is known of the scatter of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scatter {
    /// From the residuals of the fit, with these degrees of freedom.
    Residual {
        /// Variance of a relative residual of weight 1.
        variance: f64,
        /// Degrees of freedom.
        freedom: usize,
    },
    /// Stated: the coefficient of variation of one run.
    Stated {
        /// In (0, 1).
        noise: f64,
    },
}

impl Scatter {
    /// By how much the sum of squares may exceed its minimum: F(.95; 1, freedom) or chi²(.95; 1) times the variance.
    fn allowance(self) -> f64 {
        match self {
            Scatter::Residual { variance, freedom } => student_end(freedom).powi(2) * variance,
            Scatter::Stated { noise } => (normal_end() * noise).powi(2),
        }
    }
}

/// The rates at one N that a set of points is compatible with.
pub struct Profile {
    observed: Observed,
    n: f64,
    fit: Fit,
    allowance: f64,
}

impl Profile {
    /// Of the law at `n`, at least 1. It needs no more than one point: where coefficients are
    /// not unique, all of them are allowed. None where not one point is usable.
    pub fn new(points: &[LoadPoint], n: f64, scatter: Scatter) -> Option<Profile> {
        let fit = best(points, Form::Universal)?;
        (n >= 1.0).then(|| Profile { observed: observed(points), n, fit, allowance: scatter.allowance() })
    }

    /// Whether the data do not exclude `rate` with 95 % confidence.
    pub fn contains(&self, rate: f64) -> bool {
        rate > 0.0
            && self.constrained(rate).is_some_and(|squares| squares <= self.fit.squares + self.allowance * (1.0 + 1e-9))
    }

    /// The lowest and the highest rate that they do not exclude; the lowest is 0 where nothing bounds it.
    pub fn interval(&self) -> (f64, f64) {
        let inside = self.fit.rate(self.n);
        let low = match self.contains(inside * NOTHING) {
            true => 0.0,
            false => self.edge(inside, inside * NOTHING),
        };
        // Nothing is better than linear from a point; twice the noise of a point above that is outside.
        let (_, above) = self.bracket(inside);
        (low, self.edge(inside, above))
    }

    fn bracket(&self, inside: f64) -> (f64, f64) {
        let mut outside = inside * 2.0;
        while self.contains(outside) && outside < inside / NOTHING {
            outside *= 2.0;
        }
        (inside, outside)
    }

    /// Between a rate that is contained and one that is not, on the logarithm.
    fn edge(&self, inside: f64, outside: f64) -> f64 {
        let (mut inside, mut outside) = (inside.ln(), outside.ln());
        for _ in 0..HALVINGS {
            let middle = (inside + outside) / 2.0;
            match self.contains(middle.exp()) {
                true => inside = middle,
                false => outside = middle,
            }
        }
        inside.exp()
    }

    /// The least sum of squares of all laws with this rate at N: those of a triangle whose corners are the linear, the
    /// serial and the purely coherent law through it. At N = 1, where coherency is not felt, its third corner lies at
    /// infinity.
    fn constrained(&self, rate: f64) -> Option<f64> {
        let cost = self.n / rate;
        let all_pairs = terms(self.n)[2];
        let (linear, serial) = ([cost, 0.0, 0.0], [1.0 / rate, 1.0 / rate, 0.0]);
        let found: Vec<Face> = match all_pairs > 0.0 {
            true => faces(&[linear, serial, [0.0, 0.0, cost / all_pairs]]).collect(),
            false => faces(&[linear, serial]).flat_map(|face| [open(&face), face]).collect(),
        };
        found.iter().filter_map(|face| self.minimum_on(face)).reduce(f64::min)
    }

    /// The minimum on one face, where it lies within the triangle.
    fn minimum_on(&self, face: &Face) -> Option<f64> {
        let found = minimum(&self.observed.observations, face)?;
        let [a, b, c] = found.at;
        let slack = 1e-9 * a.abs();
        let allowed = a >= 0.0 && b >= -slack && c >= 0.0 && b <= a + slack;
        allowed.then(|| squares(&self.observed.observations, found.at)).flatten().map(|sum| sum + self.observed.within)
    }
}

/// `face` with any coherency beside it.
fn open(face: &Face) -> Face {
    let coherent = std::iter::once([0.0, 0.0, 1.0]);
    Face { origin: face.origin, directions: face.directions.iter().copied().chain(coherent).collect() }
}

/// Corners, edges and inside of the polygon with these corners.
fn faces(corners: &[[f64; 3]]) -> impl Iterator<Item = Face> {
    (1usize..1 << corners.len()).map(|set| {
        let mut chosen = corners.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, corner)| *corner);
        let origin = chosen.next().expect("a set that is not empty");
        let directions = chosen.map(|corner| [0, 1, 2].map(|at| corner[at] - origin[at])).collect();
        Face { origin, directions }
    })
}
