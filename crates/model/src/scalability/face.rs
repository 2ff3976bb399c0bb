//! Least squares under the bounds of the law, one face of the feasible set at a time.
//!
//! The reciprocal of the law is linear: N/X = a + b(N-1) + cN(N-1) with a = 1/g, b = s/g, c = k/g. The feasible set
//! (g > 0, 0 <= s <= 1, k >= 0) is a cone with three edges (linear, serial, coherent) or, for a given rate at one N, a
//! triangle with these corners. The minimum lies inside, on an edge or on a corner; each is an unconstrained problem,
//! solved by Levenberg-Marquardt from the solution of the linear problem. This is an active set method that tries all
//! seven sets.

/// Reciprocal coefficients a, b, c.
pub(super) type Reciprocal = [f64; 3];

/// One observation, in the units of the reciprocal law.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    /// 1, N-1, N(N-1).
    pub(super) terms: [f64; 3],
    /// N over the rate.
    pub(super) measured: f64,
    /// Weight of the squared relative residual.
    pub(super) weight: f64,
}

/// 1, N-1, N(N-1).
pub(super) fn terms(n: f64) -> [f64; 3] {
    [1.0, n - 1.0, n * (n - 1.0)]
}

/// A face: all points `origin` + sum of directions.
#[derive(Clone, Debug)]
pub(super) struct Face {
    pub(super) origin: Reciprocal,
    pub(super) directions: Vec<Reciprocal>,
}

/// The minimum of the sum of squares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minimum {
    pub(super) at: Reciprocal,
    pub(super) squares: f64,
}

const STEPS_MAX: usize = 200;

/// The least sum of squares of (y - X)/y on `face`, ignoring bounds; None where the observations do not determine
/// its directions, or where the linear solution has a rate below zero.
pub(super) fn minimum(observations: &[Observation], face: &Face) -> Option<Minimum> {
    let mut at = linear(observations, face)?;
    let mut squares = squares(observations, at)?;
    let mut damping = 1e-3;
    for _ in 0..STEPS_MAX {
        let rows = observations.iter().map(|observation| {
            let predicted = dot(observation.terms, at);
            let root = observation.weight.sqrt();
            let slope = root * observation.measured / (predicted * predicted);
            let columns = face.directions.iter().map(|direction| slope * dot(observation.terms, *direction));
            (columns.collect(), -root * (1.0 - observation.measured / predicted))
        });
        let (normal, right) = normal_equations(face.directions.len(), rows);
        let Some(step) = solve(&normal, &right, damping) else { break };
        let next = along(at, face, &step);
        match self::squares(observations, next) {
            Some(better) if better <= squares => {
                let gained = squares - better;
                (at, squares, damping) = (next, better, damping / 6.0);
                if gained <= 1e-15 * squares || squares == 0.0 {
                    break;
                }
            }
            _ if damping > 1e12 => break,
            _ => damping *= 4.0,
        }
    }
    Some(Minimum { at, squares })
}

/// Sum of weighted squares of (y - X)/y; None where a rate is not above zero.
pub(super) fn squares(observations: &[Observation], at: Reciprocal) -> Option<f64> {
    observations.iter().try_fold(0.0, |sum, observation| {
        let predicted = dot(observation.terms, at);
        let residual = 1.0 - observation.measured / predicted;
        (predicted > 0.0 && residual.is_finite()).then_some(sum + observation.weight * residual * residual)
    })
}

/// The minimum of the problem with residuals relative to the reciprocal, which is linear.
fn linear(observations: &[Observation], face: &Face) -> Option<Reciprocal> {
    if face.directions.is_empty() {
        return Some(face.origin);
    }
    let rows = observations.iter().map(|observation| {
        let scale = observation.weight.sqrt() / observation.measured;
        let columns = face.directions.iter().map(|direction| scale * dot(observation.terms, *direction));
        (columns.collect(), scale * (observation.measured - dot(observation.terms, face.origin)))
    });
    let (normal, right) = normal_equations(face.directions.len(), rows);
    Some(along(face.origin, face, &solve(&normal, &right, 0.0)?))
}

pub(super) fn dot(one: [f64; 3], other: [f64; 3]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn along(from: Reciprocal, face: &Face, step: &[f64]) -> Reciprocal {
    let mut to = from;
    for (direction, length) in face.directions.iter().zip(step) {
        to.iter_mut().zip(direction).for_each(|(to, part)| *to += length * part);
    }
    to
}

type Matrix = Vec<Vec<f64>>;

/// Jᵀ J and Jᵀ r of rows (J, r).
pub(super) fn normal_equations(size: usize, rows: impl Iterator<Item = (Vec<f64>, f64)>) -> (Matrix, Vec<f64>) {
    let (mut normal, mut right) = (vec![vec![0.0; size]; size], vec![0.0; size]);
    for (columns, value) in rows {
        for row in 0..size {
            right[row] += columns[row] * value;
            (0..size).for_each(|column| normal[row][column] += columns[row] * columns[column]);
        }
    }
    (normal, right)
}

/// Solves (A + damping diag A) x = b by Cholesky, scaled to a diagonal of one; None where A is singular.
pub(super) fn solve(normal: &Matrix, right: &[f64], damping: f64) -> Option<Vec<f64>> {
    // Limit of the squared condition number.
    const SINGULAR: f64 = 1e-13;
    let size = right.len();
    let scale: Vec<f64> = (0..size).map(|at| normal[at][at].sqrt()).collect();
    if scale.iter().any(|scale| !(scale.is_finite() && *scale > 0.0)) {
        return None;
    }
    let mut lower = vec![vec![0.0; size]; size];
    for row in 0..size {
        for column in 0..=row {
            let done: f64 = (0..column).map(|at| lower[row][at] * lower[column][at]).sum();
            let scaled = normal[row][column] / (scale[row] * scale[column]);
            lower[row][column] = match row == column {
                true => {
                    let left = scaled * (1.0 + damping) - done;
                    (left > SINGULAR).then(|| left.sqrt())?
                }
                false => (scaled - done) / lower[column][column],
            };
        }
    }
    let mut solved: Vec<f64> = right.iter().zip(&scale).map(|(right, scale)| right / scale).collect();
    for row in 0..size {
        let done: f64 = (0..row).map(|at| lower[row][at] * solved[at]).sum();
        solved[row] = (solved[row] - done) / lower[row][row];
    }
    for row in (0..size).rev() {
        let done: f64 = (row + 1..size).map(|at| lower[at][row] * solved[at]).sum();
        solved[row] = (solved[row] - done) / lower[row][row];
    }
    Some(solved.iter().zip(&scale).map(|(solved, scale)| solved / scale).collect())
}

/// The inverse of a symmetric matrix; None where it is singular.
pub(super) fn inverse(normal: &Matrix) -> Option<Matrix> {
    let size = normal.len();
    let unit = |at: usize| (0..size).map(|row| if row == at { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    (0..size).map(|at| solve(normal, &unit(at), 0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_by_hand() {
        let normal = vec![vec![4.0, 2.0], vec![2.0, 3.0]];
        let solved = solve(&normal, &[8.0, 8.0], 0.0).unwrap();
        assert!((solved[0] - 1.0).abs() < 1e-12 && (solved[1] - 2.0).abs() < 1e-12, "{solved:?}");
        assert_eq!(solve(&vec![vec![1.0, 1.0], vec![1.0, 1.0]], &[1.0, 1.0], 0.0), None, "singular");
        let inverse = inverse(&normal).unwrap();
        assert!((inverse[0][0] - 0.375).abs() < 1e-12 && (inverse[1][0] + 0.25).abs() < 1e-12);
    }

    #[test]
    fn exact_data_are_recovered_over_nine_octaves() {
        let truth = [1e-3, 3e-5, 2e-9];
        let observations: Vec<Observation> = (0..10)
            .map(|power| terms(f64::from(1u32 << power)))
            .map(|terms| Observation { terms, measured: dot(terms, truth), weight: 1.0 })
            .collect();
        let directions = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let found = minimum(&observations, &Face { origin: [0.0; 3], directions }).unwrap();
        for (found, truth) in found.at.iter().zip(truth) {
            assert!((found / truth - 1.0).abs() < 1e-6, "{found} {truth}");
        }
        assert!(found.squares < 1e-18);
    }
}
