//! Systems side by side: which is faster, by how much, and whether the data can tell.
//!
//! The first system is the base, each other one is held against it, test by test, by the logarithm of the ratio of
//! their rates, so that twice as fast and half as fast are equally far from equal. What may be said follows from how the
//! two were measured, see [`Evidence`]; only pairs that were measured next to each other in an order drawn by lot are
//! free of what drifts in the environment meanwhile.
//!
//! A verdict needs an interval. [`ComparisonVerdict`] says how it is held against the margin, below which a difference
//! does not matter. Several tests are several chances to be wrong: FASTER and SLOWER also need a p-value that stays
//! significant when all tests of the comparison are taken together (Holm 1979).

mod comparable;
mod compared_test;
mod difference;
mod evidence;
mod gate;
mod holm;
mod judge;
mod rank_sum;
mod signed_rank;
mod summary;
#[cfg(test)]
mod tests;
mod verdict;

use record::{Layer, Nanos, Rate, Unit};

pub use difference::Difference;
pub use evidence::Evidence;
pub use gate::{Gate, GateError, Violation, ViolationFound};
pub use holm::holm;
pub use rank_sum::{RankSum, rank_sum, shift_interval, shift_median};
pub use signed_rank::{SignedRank, signed_rank, walsh_interval, walsh_median};
pub use summary::GeometricMean;
pub use verdict::{ComparisonOutcome, ComparisonVerdict, Doubt, Reason};

use crate::rules::RULES;
use crate::statistics::Interval;
use crate::system::{Degree, InvalidRun, Remark, System};

/// What a comparison may be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompareOptions {
    /// Share by which two rates may differ that are called equivalent; above 0.
    pub margin: f64,
}

impl Default for CompareOptions {
    fn default() -> CompareOptions {
        CompareOptions { margin: RULES.equivalence_margin }
    }
}

/// Systems side by side. Every list that has one entry per system has them in the order of `systems`.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Their names; the first is the base.
    pub systems: Vec<String>,
    /// The margin in force.
    pub margin: f64,
    /// Facts of the platforms, settings and measurements that differ, to be read first.
    pub differences: Vec<Difference>,
    /// Tests that the base and at least one other system have, in the order of the base. Empty where there is none.
    pub tests: Vec<TestComparison>,
    /// Tests that are not among them.
    pub unshared: Vec<Unshared>,
    /// Over all tests, one per system; absent for the base and where there is nothing to take together.
    pub means: Vec<Option<GeometricMean>>,
    /// What is to be said of a system as a whole, by its name.
    pub remarks: Vec<(String, Remark)>,
}

/// A test that cannot be compared, because the base or every other system lacks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unshared {
    /// Its code.
    pub code: String,
    /// What it is, in a few words.
    pub title: String,
    /// The systems that have it, as indexes.
    pub systems: Vec<usize>,
}

/// One test on all systems.
#[derive(Clone, Debug, PartialEq)]
pub struct TestComparison {
    /// Its code.
    pub code: String,
    /// What it is, in a few words, as the base has it.
    pub title: String,
    /// Whether it is a probe: native code in one process, without an engine.
    pub is_probe: bool,
    /// The layer that it is about, where known.
    pub layer: Option<Layer>,
    /// What the rates of the base count.
    pub unit: Unit,
    /// What each system gives, one per system; absent where it lacks the test.
    pub sides: Vec<Option<TestSide>>,
    /// How each system stands against the base, one per system; absent for the base and where it lacks the test.
    pub compared_tests: Vec<Option<ComparedTest>>,
}

/// What one system gives in one test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestSide {
    /// At one of each; absent where that was not measured.
    pub speed: Option<PointFigures>,
    /// At the degree of parallelism with the highest median rate; absent where every repeat is invalid.
    pub best: Option<PointFigures>,
    /// Repeats that are invalid.
    pub invalid: Vec<InvalidRun>,
}

/// One system at one degree of parallelism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointFigures {
    /// The degree of parallelism.
    pub degree: Degree,
    /// The median of the repeats, the lower one of two in the middle.
    pub rate: Rate,
    /// Repeats that count.
    pub repeats: usize,
    /// Its 0.99 quantile.
    pub service_p99_ns: Option<Nanos>,
    /// Its mean.
    pub service_mean_ns: Option<Nanos>,
}

/// One system against the base in one test.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedTest {
    /// What may be said.
    pub outcome: ComparisonOutcome,
    /// Why it is to be doubted all the same: what the runs of either side are doubted for, and where the two are the sides
    /// of a pair, a clause about the measurement as a whole.
    pub doubt: Option<Doubt>,
    /// What it is said of: the points at which both give most. Of two sides of a pair that is the degree of parallelism
    /// at which both together give most, for nothing else is paired. Otherwise it is the same degree wherever both come
    /// there within the margin of their own best, so that chance does not choose, and else each system's own best.
    /// Absent where one of the two has no valid repeat.
    pub headline: Option<ComparedPoint>,
    /// The points at equal degrees of parallelism. They are figures without a verdict.
    pub points: Vec<ComparedPoint>,
}

/// Two points, one of each system.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedPoint {
    /// The point of the base.
    pub base: PointFigures,
    /// The point of the other system.
    pub other: PointFigures,
    /// The ratio of the rates.
    pub shift: Shift,
    /// The other's 0.99 quantile of the service time over that of the base; below 1 is quicker. Figures without a verdict.
    pub service_p99_ratio: Option<f64>,
    /// The same of the means; publications print nothing else.
    pub service_mean_ratio: Option<f64>,
}

/// The other's rate over that of the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The ratio: the Hodges-Lehmann estimate where there are repeats, that of the medians otherwise.
    pub ratio: f64,
    /// What it rests on.
    pub evidence: Evidence,
    /// Its 95 % interval; absent where there are too few repeats for one. Of a single run, the noise within the runs
    /// only.
    pub interval: Option<Interval>,
    /// Its 90 % interval: within the margin the two one-sided tests of equivalence both reject.
    pub equivalence: Option<Interval>,
    /// Two-sided: the chance of a difference like this between equal systems. By the exact test of Wilcoxon for pairs, by
    /// that of Mann and Whitney otherwise. Absent where there are no repeats.
    pub p_value: Option<f64>,
    /// Share of the pairs in which the other is faster; without pairs, the chance that one of its repeats is faster
    /// than one of the base (A of Vargha and Delaney 2000). Absent where there are no repeats.
    pub superiority: Option<f64>,
    /// Standard deviation of the logarithms of the ratios of pairs, or what it would be were the repeats pairs;
    /// absent of fewer than two.
    pub deviation: Option<f64>,
}

impl Shift {
    /// How much more the other gives: 0.05 is 5 % more.
    pub fn gain(&self) -> f64 {
        self.ratio - 1.0
    }
}

/// `systems` side by side, the first of them as the base.
///
/// A comparison without a test in common has no tests: see [`Comparison::unshared`]. The same systems give the same
/// comparison for ever.
pub fn compare(systems: &[System], options: CompareOptions) -> Comparison {
    compared_test::compare(systems, options)
}
