//! Tests whether the law fits the points.
//!
//! Four tests of the residuals: outliers (externally studentised residuals, Cook and Weisberg 1982); lack of fit, that
//! is means of repeats further from the law than repeats from each other (F test); too few changes of sign along N (the
//! exact runs test of Wald and Wolfowitz 1940); and curvature in the linearised plot (N/C - 1)/(N - 1) against N, which
//! the law makes a straight line.

use crate::rules::RULES;
use crate::statistics::{f_quantile, normal_quantile, student_quantile};

use super::face::{inverse, normal_equations, solve, terms};
use super::fit::{Fit, LoadPoint, middle, usable};

/// Neighbouring N whose rates are on one side of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// Whether the rates are above the curve.
    pub is_above: bool,
    /// The smallest N; absent where it is the smallest measured one.
    pub from: Option<f64>,
    /// The largest N; absent where it is the largest measured one.
    pub to: Option<f64>,
}

/// Most sides that are named.
const SIDES_MAX: usize = 4;

/// A misfit of the law.
#[derive(Clone, Debug, PartialEq)]
pub enum Misfit {
    /// An outlier.
    Outlier {
        /// Its N.
        n: f64,
        /// Relative residual.
        residual: f64,
    },
    /// Means of repeats are further from the law than repeats from each other.
    LackOfFit {
        /// Ratio of the mean squares.
        quotient: f64,
    },
    /// Residuals of one sign are grouped.
    Runs {
        /// Probability of so few changes of sign.
        p_value: f64,
    },
    /// The linearised plot is curved.
    Curved,
    /// Where the points are beside the curve, in ascending order of N: the largest departures. Only beside another misfit.
    Beside(Vec<Side>),
}

/// The misfits of `fit` to its `points`; `noise`: the coefficient of variation of a run of weight 1, where given.
pub(super) fn misfits(points: &[LoadPoint], fit: &Fit, noise: Option<f64>) -> Vec<Misfit> {
    let points = usable(points);
    let noise = noise.or_else(|| (fit.freedom() == 0).then_some(RULES.scale_noise_assumed));
    let outlier = outlier(&points, fit, noise);
    let residual = |same: &[LoadPoint]| (same[0].n, 1.0 - fit.rate(same[0].n) / middle(same));
    let residuals: Vec<(f64, f64)> = points.chunk_by(|one, other| one.n == other.n).map(residual).collect();
    // The signs of rounding errors are no pattern.
    let is_rounded = residuals.iter().all(|(_, residual)| residual.abs() < RULES.scale_noise_min);
    let p_value = runs_p_value(&residuals.iter().map(|(_, residual)| *residual).collect::<Vec<f64>>());
    let runs = (p_value < RULES.scale_runs_p_min && !is_rounded).then_some(Misfit::Runs { p_value });
    let curved = is_curved(&points).then_some(Misfit::Curved);
    let mut patterns: Vec<Misfit> = lack_of_fit(&points, fit).into_iter().chain(runs).chain(curved).collect();
    if !patterns.is_empty() {
        patterns.push(Misfit::Beside(sides(&residuals)));
    }
    outlier.into_iter().chain(patterns).collect()
}

/// The stretches of `residuals`, by ascending N, of one sign that add most to their sum, in ascending order of N.
fn sides(residuals: &[(f64, f64)]) -> Vec<Side> {
    let is_same = |one: &(f64, f64), other: &(f64, f64)| (one.1 > 0.0) == (other.1 > 0.0);
    let mut stretches: Vec<&[(f64, f64)]> = residuals.chunk_by(is_same).collect();
    let size = |stretch: &[(f64, f64)]| stretch.iter().map(|(_, residual)| residual.abs()).sum::<f64>();
    stretches.sort_by(|one, other| size(other).total_cmp(&size(one)));
    stretches.truncate(SIDES_MAX);
    let ends = |stretch: &[(f64, f64)]| Some((stretch.first()?.0, stretch.last()?.0));
    stretches.sort_by(|one, other| ends(one).partial_cmp(&ends(other)).unwrap_or(std::cmp::Ordering::Equal));
    let whole = ends(residuals).unwrap_or_default();
    let side = |stretch: &&[(f64, f64)]| {
        let (from, to) = ends(stretch)?;
        Some(Side {
            is_above: stretch.first()?.1 > 0.0,
            from: Some(from).filter(|from| *from > whole.0),
            to: Some(to).filter(|to| *to < whole.1),
        })
    };
    stretches.iter().filter_map(side).collect()
}

/// The point furthest from the law fitted to the others, in standard errors, if significant after Bonferroni
/// correction. The noise, where not given, is estimated from the others, since the outlier would inflate it.
fn outlier(points: &[LoadPoint], fit: &Fit, noise: Option<f64>) -> Option<Misfit> {
    let free = fit.free();
    let row = |(point, middle): &(LoadPoint, f64)| -> Vec<f64> {
        let quotient = point.weight.sqrt() * fit.rate(point.n) / middle;
        let [_, pairs, all_pairs] = terms(point.n);
        let slopes = [1.0, pairs * fit.efficiency(point.n), all_pairs * fit.efficiency(point.n)];
        slopes.into_iter().zip(free).filter(|(_, free)| *free).map(|(slope, _)| quotient * slope).collect()
    };
    let size = free.iter().filter(|free| **free).count();
    // Each point with the mean of the repeats at its N.
    let with_middle = |same: &[LoadPoint]| {
        let middle = middle(same);
        same.iter().map(|point| (*point, middle)).collect::<Vec<(LoadPoint, f64)>>()
    };
    let points: Vec<(LoadPoint, f64)> = points.chunk_by(|one, other| one.n == other.n).flat_map(with_middle).collect();
    let inverse = inverse(&normal_equations(size, points.iter().map(|point| (row(point), 0.0))).0)?;
    let freedom = points.len().checked_sub(size + 1)?;
    let studentised = |repeat: &(LoadPoint, f64)| {
        let (point, middle) = repeat;
        let residual = 1.0 - fit.rate(point.n) / middle + (point.rate / middle).ln();
        let (row, residual) = (row(repeat), point.weight.sqrt() * residual);
        let image = inverse.iter().map(|line| line.iter().zip(&row).map(|(one, other)| one * other).sum::<f64>());
        // One less the leverage of the point.
        let left = 1.0 - image.zip(&row).map(|(one, other)| one * other).sum::<f64>();
        let variance = match noise {
            None => {
                let others = fit.squares - residual * residual / left;
                (others / freedom as f64).max(RULES.scale_noise_min.powi(2))
            }
            Some(noise) => noise * noise,
        };
        // A point with full leverage has no residual.
        (left > 1e-6).then(|| residual.abs() / (variance * left).sqrt())
    };
    let furthest = points.iter().filter_map(|repeat| Some((repeat.0, studentised(repeat)?)));
    let (point, distance) = furthest.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let chance = RULES.scale_curve_p_min / 2.0 / points.len() as f64;
    let limit = match noise {
        None if freedom == 0 => return None,
        None => student_quantile(1.0 - chance, freedom as f64),
        Some(_) => normal_quantile(1.0 - chance),
    };
    (distance > limit).then(|| Misfit::Outlier { n: point.n, residual: 1.0 - fit.rate(point.n) / point.rate })
}

/// The F test for lack of fit; None without repeats.
fn lack_of_fit(points: &[LoadPoint], fit: &Fit) -> Option<Misfit> {
    let (mut within, mut between, mut groups) = (0.0, 0.0, 0usize);
    for same in points.chunk_by(|one, other| one.n == other.n) {
        let weight: f64 = same.iter().map(|point| point.weight).sum();
        let middle = middle(same);
        within += same.iter().map(|point| point.weight * (point.rate / middle).ln().powi(2)).sum::<f64>();
        between += weight * (middle / fit.rate(same[0].n)).ln().powi(2);
        groups += 1;
    }
    let free = fit.free().into_iter().filter(|is_free| *is_free).count();
    let (above, below) = (groups.saturating_sub(free), points.len() - groups);
    if above == 0 || below < RULES.scale_freedom_min {
        return None;
    }
    let scatter = (within / below as f64).max(RULES.scale_noise_min.powi(2));
    let quotient = between / above as f64 / scatter;
    let limit = f_quantile(1.0 - RULES.scale_curve_p_min, above as f64, below as f64);
    (quotient > limit).then_some(Misfit::LackOfFit { quotient })
}

/// Whether a term with N²(N - 1), curvature in the linearised plot, is significant.
fn is_curved(points: &[LoadPoint]) -> bool {
    const TERMS: usize = 4;
    let n_max = points.last().map_or(1.0, |point| point.n);
    let freedom = points.len().saturating_sub(TERMS);
    if freedom < RULES.scale_freedom_min {
        return false;
    }
    let rows: Vec<(Vec<f64>, f64)> = points
        .iter()
        .map(|point| {
            let scale = point.weight.sqrt() * point.rate / point.n;
            let [one, pairs, all_pairs] = terms(point.n);
            let columns = [one, pairs, all_pairs, all_pairs * point.n / n_max];
            (columns.map(|column| scale * column).to_vec(), point.weight.sqrt())
        })
        .collect();
    let (normal, right) = normal_equations(TERMS, rows.iter().cloned());
    let (Some(solved), Some(inverse)) = (solve(&normal, &right, 0.0), inverse(&normal)) else { return false };
    let squares: f64 = rows
        .iter()
        .map(|(columns, value)| {
            let predicted: f64 = columns.iter().zip(&solved).map(|(column, solved)| column * solved).sum();
            (value - predicted).powi(2)
        })
        .sum();
    // Lower bound for synthetic rates.
    let variance = (squares / freedom as f64).max(RULES.scale_noise_min.powi(2));
    let error = (inverse[TERMS - 1][TERMS - 1] * variance).sqrt();
    solved[TERMS - 1].abs() > student_quantile(1.0 - RULES.scale_curve_p_min / 2.0, freedom as f64) * error
}

/// Probability of at most as many runs of sign as in `values`, given the number of each sign.
fn runs_p_value(values: &[f64]) -> f64 {
    let above: Vec<bool> = values.iter().map(|value| *value > 0.0).collect();
    let (one, other) = (above.iter().filter(|above| **above).count(), above.iter().filter(|above| !**above).count());
    let runs = 1 + above.windows(2).filter(|pair| pair[0] != pair[1]).count();
    if one == 0 || other == 0 {
        return 1.0;
    }
    let all = choose(one + other, one);
    (2..=runs).map(|runs| arrangements(one, other, runs)).sum::<f64>() / all
}

/// The number of arrangements of two kinds with this number of runs.
fn arrangements(one: usize, other: usize, runs: usize) -> f64 {
    let parts = |count: usize, parts: usize| if parts == 0 { 0.0 } else { choose(count - 1, parts - 1) };
    let half = runs / 2;
    match runs % 2 {
        0 => 2.0 * parts(one, half) * parts(other, half),
        _ => parts(one, half + 1) * parts(other, half) + parts(one, half) * parts(other, half + 1),
    }
}

fn choose(of: usize, chosen: usize) -> f64 {
    match chosen > of {
        true => 0.0,
        false => (0..chosen).map(|at| (of - at) as f64 / (at + 1) as f64).product(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalability::fit::fit;
    use crate::simulation::Simulation;

    #[test]
    fn the_runs_test_counts_arrangements() {
        // Four and four: 2 of 70 arrangements have two runs, 6 have three.
        let grouped = [1.0, 2.0, 1.0, 3.0, -1.0, -1.0, -2.0, -1.0];
        assert!((runs_p_value(&grouped) - 2.0 / 70.0).abs() < 1e-12);
        let three = [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0];
        assert!((runs_p_value(&three) - 8.0 / 70.0).abs() < 1e-12);
        assert!((runs_p_value(&[1.0, -1.0, 1.0, -1.0]) - 1.0).abs() < 1e-12);
        assert_eq!(runs_p_value(&[1.0, 1.0]), 1.0);
    }

    fn points(mut rate: impl FnMut(f64) -> f64) -> Vec<LoadPoint> {
        (0..9).map(|power| f64::from(1u32 << power)).map(|n| LoadPoint::new(n, rate(n))).collect()
    }

    #[test]
    fn the_law_itself_is_no_misfit_and_a_wall_is_one() {
        let law = points(|n| 100.0 * n / (1.0 + 0.02 * (n - 1.0) + 2e-4 * n * (n - 1.0)));
        assert_eq!(misfits(&law, &fit(&law).unwrap(), Some(0.005)), []);
        let wall = points(|n| (100.0 * n).min(1_600.0));
        let found = misfits(&wall, &fit(&wall).unwrap(), Some(0.02));
        assert!(found.iter().any(|misfit| matches!(misfit, Misfit::Outlier { .. })), "{found:?}");
    }

    #[test]
    fn one_point_far_off_is_found_by_what_the_others_scatter() {
        let outlier = |points: &[LoadPoint]| {
            let fit = fit(points).unwrap();
            outlier(points, &fit, None)
        };
        let mut random = Simulation::new(4);
        let mut found = 0;
        for _ in 0..200 {
            let law = |n: f64| 100.0 * n / (1.0 + 0.02 * (n - 1.0) + 2e-4 * n * (n - 1.0));
            let mut points = points(|n| law(n) * (1.0 + 0.01 * random.normal()));
            points.truncate(8);
            found += usize::from(outlier(&points).is_some());
            points[4].rate *= 0.7;
            let named = outlier(&points);
            assert!(matches!(named, Some(Misfit::Outlier { n: 16.0, residual }) if residual < -0.15), "{named:?}");
        }
        assert!(found <= 6, "{found} of 200 clean sweeps, 1 % are expected");
    }

    #[test]
    fn repeats_that_agree_on_something_else_than_the_law_are_lack_of_fit() {
        let repeated = |rate: fn(f64) -> f64| -> Vec<LoadPoint> {
            let shaken = |n: f64| [0.99, 1.0, 1.01].map(|shaken| LoadPoint::new(n, rate(n) * shaken));
            (0..8).map(|power| f64::from(1u32 << power)).flat_map(shaken).collect()
        };
        let law = repeated(|n| 100.0 * n / (1.0 + 0.02 * (n - 1.0) + 2e-4 * n * (n - 1.0)));
        assert_eq!(lack_of_fit(&law, &fit(&law).unwrap()), None);
        // Two threads per core: a slope, a quarter of it, and a wall.
        let threads = repeated(|n| 100.0 * (n.min(32.0) + 0.25 * (n.min(64.0) - 32.0).max(0.0)));
        let found = lack_of_fit(&threads, &fit(&threads).unwrap());
        assert!(matches!(found, Some(Misfit::LackOfFit { quotient }) if quotient > 10.0), "{found:?}");
        assert_eq!(lack_of_fit(&points(|n| n.min(8.0)), &fit(&law).unwrap()), None, "no repeats");
    }

    #[test]
    fn the_law_is_not_curved_and_a_steeper_one_is() {
        let law = points(|n| 100.0 * n / (1.0 + 0.02 * (n - 1.0) + 2e-4 * n * (n - 1.0)));
        assert!(!is_curved(&law));
        let curved = points(|n| 100.0 * n / (1.0 + 1e-5 * n * n * (n - 1.0)));
        assert!(is_curved(&curved));
    }
}
