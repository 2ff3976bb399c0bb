//! The points that a verdict is about, and among how many they were chosen.

use std::collections::BTreeMap;

use super::logarithm::logs;
use super::rank_sum::rank_sum;
use crate::rules::RULES;
use crate::system::{SystemPoint, SystemTest};

/// A point of the base and one of another system.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    pub(super) base: &'a SystemPoint,
    pub(super) other: &'a SystemPoint,
    /// The degrees of each side that may have done best by chance, this one included: the point is the best of so many.
    pub(super) choices: [usize; 2],
}

impl Choice<'_> {
    /// Whether both are the same points, chosen among as many.
    pub(super) fn is(self, other: Choice<'_>) -> bool {
        std::ptr::eq(self.base, other.base) && std::ptr::eq(self.other, other.other) && self.choices == other.choices
    }
}

/// The median rate, as a number.
fn rate(point: &SystemPoint) -> Option<f64> {
    point.median().map(|rate| rate.0)
}

/// The point with the highest median rate; of equal ones that with the least parallelism, which comes first.
pub(super) fn best(test: &SystemTest) -> Option<&SystemPoint> {
    let rated = test.points.iter().filter_map(|point| Some((rate(point)?, point)));
    rated.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, point)| point)
}

/// The points of the degree with the highest product of both rates, among those with paired repeats, which cancel
/// drift.
pub(super) fn headline_of_pair<'a>(shared: &[(&'a SystemPoint, &'a SystemPoint)]) -> Option<Choice<'a>> {
    let paired: Vec<_> = shared.iter().copied().filter(|(one, other)| !products(one, other).is_empty()).collect();
    common(&paired)
}

/// The two points that the verdict is about for unpaired systems, see [`super::ComparedTest::headline`].
///
/// The common degree is that with the highest product of both rates: taking the best degree of the base would favour
/// the base where several degrees are equally good.
pub(super) fn headline<'a>(
    tests: [&'a SystemTest; 2],
    shared: &[(&'a SystemPoint, &'a SystemPoint)],
    margin: f64,
) -> Option<Choice<'a>> {
    let (base, other) = (best(tests[0])?, best(tests[1])?);
    let is_near = |point: &SystemPoint, best: &SystemPoint| {
        rate(point).zip(rate(best)).is_some_and(|(at, best)| at * (1.0 + margin) >= best)
    };
    let common = common(shared).filter(|common| is_near(common.base, base) && is_near(common.other, other));
    Some(common.unwrap_or_else(|| Choice { base, other, choices: [rivals(tests[0], base), rivals(tests[1], other)] }))
}

/// The points of the degree with the highest product of both rates. It is that of both sides, and may be by the noise of
/// either of them.
fn common<'a>(shared: &[(&'a SystemPoint, &'a SystemPoint)]) -> Option<Choice<'a>> {
    let rated = shared.iter().filter_map(|(one, other)| Some((rate(one)? * rate(other)?, *one, *other)));
    let (_, base, other) = rated.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let of_best = products(base, other);
    let is_rival = |(one, another): &&(&SystemPoint, &SystemPoint)| {
        let is_rated = rate(one).is_some() && rate(another).is_some();
        is_rated && (std::ptr::eq(*one, base) || may_be_best(&products(one, another), &of_best))
    };
    let count = shared.iter().filter(is_rival).count();
    Some(Choice { base, other, choices: [count, count] })
}

/// The degrees of `test` that may be as fast as `best`, it included.
fn rivals(test: &SystemTest, best: &SystemPoint) -> usize {
    let values = |point: &SystemPoint| logs(point).into_values().collect::<Vec<f64>>();
    let of_best = values(best);
    let is_rival = |point: &&SystemPoint| {
        rate(point).is_some() && (std::ptr::eq(*point, best) || may_be_best(&values(point), &of_best))
    };
    test.points.iter().filter(is_rival).count()
}

/// The sums of the logarithms of both rates, for each repeat that both have.
fn products(base: &SystemPoint, other: &SystemPoint) -> Vec<f64> {
    let others: BTreeMap<u32, f64> = logs(other);
    logs(base).iter().filter_map(|(repeat, log)| Some(log + others.get(repeat)?)).collect()
}

/// Whether `values` may belong to a degree that is as fast as that of `best`, which did best: some of them overlap, and the
/// rank-sum test does not tell the two apart.
fn may_be_best(values: &[f64], best: &[f64]) -> bool {
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lowest = best.iter().copied().fold(f64::INFINITY, f64::min);
    let is_apart = rank_sum(values, best).is_some_and(|test| test.p_value <= RULES.rival_significance);
    values.is_empty() || best.is_empty() || (highest >= lowest && !is_apart)
}
