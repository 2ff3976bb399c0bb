//! Profile intervals: the rates at a target N that the data do not exclude.

use super::face::{Face, minimum, squares, terms};
use super::fit::{Fit, Form, LoadPoint, Observed, best, observed};

/// Halvings of the search for an end of the interval.
const HALVINGS: usize = 60;
/// A rate below this share of the estimate counts as zero.
const NOTHING: f64 = 1e-12;

/// The rates at one N that a set of points is compatible with.
pub struct Profile {
    observed: Observed,
    n: f64,
    fit: Fit,
    allowance: f64,
}

impl Profile {
    /// The profile of the law at `n`, at least 1. One point suffices: where coefficients are not unique, all of them
    /// count. None where no point is usable. `run_width`: half of the relative 95 % interval of a run of weight 1; the
    /// square of it is the allowed excess of the sum of squares over its minimum, F(.95; 1, freedom) or chi²(.95; 1) times
    /// the variance.
    pub fn new(points: &[LoadPoint], n: f64, run_width: f64) -> Option<Profile> {
        let fit = best(points, Form::Universal)?;
        (n >= 1.0).then(|| Profile { observed: observed(points), n, fit, allowance: run_width * run_width })
    }

    /// Whether the data do not exclude `rate` with 95 % confidence.
    pub fn contains(&self, rate: f64) -> bool {
        rate > 0.0
            && self.constrained(rate).is_some_and(|squares| squares <= self.fit.squares + self.allowance * (1.0 + 1e-9))
    }

    /// The lowest and the highest rate that the data do not exclude; the lowest is 0 where unbounded.
    pub fn interval(&self) -> (f64, f64) {
        let inside = self.fit.rate(self.n);
        let low = match self.contains(inside * NOTHING) {
            true => 0.0,
            false => self.edge(inside, inside * NOTHING),
        };
        // Linear scaling plus noise bounds the upper end.
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

    /// Bisects on the logarithm between a contained rate and one that is not.
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

    /// The least sum of squares of all laws with this rate at N: a triangle whose corners are the linear, the serial
    /// and the purely coherent law through it. At N = 1, where coherency has no effect, the third corner is at
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

/// `face` with any additional coherency.
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
