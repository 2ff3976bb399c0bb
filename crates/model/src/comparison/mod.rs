//! Comparison of systems: which is faster, by how much, and whether the difference is significant.
//!
//! The first system is the base; each other one is compared with it, test by test, by the logarithm of the ratio of
//! their rates, so that twice and half are at equal distances. The conclusion depends on how the two were measured, see
//! [`Evidence`]: only pairs that are measured next to each other in randomized order are free of environment drift.
//!
//! A verdict needs an interval; [`ComparisonVerdict`](crate::ComparisonVerdict) compares it with the margin, below which a difference does not
//! matter. It also needs a p-value that is significant after correction for multiple tests (Holm 1979), so that of all
//! comparisons at most 5 % have a wrong verdict, however many tests they have.

mod advice;
mod claim;
mod compared_test;
mod difference;
mod gate;
mod headline;
mod logarithm;
mod needed_pairs;
mod overall;
mod rank_sum;
mod shift;
mod shifts;
mod signed_rank;
#[cfg(test)]
mod tests;
mod verdict;

use std::collections::BTreeMap;

use record::{Layer, Nanos, Rate, Unit};

pub use difference::Difference;
pub use gate::{Gate, GateError, Violation, ViolationFound};
pub use needed_pairs::{PairPlan, Pilot};
pub use rank_sum::{RankSum, rank_sum, shift_interval, shift_median};
pub use signed_rank::{SignedRank, signed_rank, walsh_interval, walsh_median};
pub use verdict::{ComparisonOutcome, ComparisonWarning, Evidence, Reason, VerdictBasis, VerdictReason, holm};

use claim::Claim;

use crate::degree::Degree;
use crate::delta::share;
use crate::rules::RULES;
use crate::statistics::Interval;
use crate::system::{InvalidRun, Remark, System};
use crate::times::{Quantile, Times};

/// Options of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompareOptions {
    /// Equivalence margin: share by which equivalent rates may differ; above 0.
    pub margin: f64,
    /// Whether tests with commits are judged even where those of one system are durable and those of the other are not.
    pub ranks_any_durability: bool,
}

impl Default for CompareOptions {
    fn default() -> CompareOptions {
        CompareOptions { margin: RULES.equivalence_margin, ranks_any_durability: false }
    }
}

/// A comparison. Lists with one entry per system are in the order of `systems`.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Their names; the first is the base.
    pub systems: Vec<String>,
    /// The margin in force.
    pub margin: f64,
    /// Facts of the platforms, settings and measurements that differ.
    pub differences: Vec<Difference>,
    /// Tests that the base and at least one other system have, in the order of the base.
    pub tests: Vec<TestComparison>,
    /// The other tests.
    pub unshared: Vec<Unshared>,
    /// Mean over all tests, one per system; absent for the base and without comparable tests.
    pub means: Vec<Option<GeometricMean>>,
    /// Remarks on a system as a whole, by its name.
    pub remarks: Vec<(String, Remark)>,
}

/// A test that cannot be compared, because the base or every other system lacks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unshared {
    /// Its code.
    pub code: String,
    /// Its title.
    pub title: String,
    /// The systems that have it, as indexes.
    pub systems: Vec<usize>,
}

/// One test on all systems.
#[derive(Clone, Debug, PartialEq)]
pub struct TestComparison {
    /// Its code.
    pub code: String,
    /// Its title in the base.
    pub title: String,
    /// Whether it is a probe: native code in one process, without an engine.
    pub is_probe: bool,
    /// The layer that it tests, where known.
    pub layer: Option<Layer>,
    /// What the rates of the base count.
    pub unit: Unit,
    /// The figures of each system, one per system; absent where it lacks the test.
    pub sides: Vec<Option<TestSide>>,
    /// Each system compared with the base, one per system; absent for the base and where it lacks the test.
    pub compared_tests: Vec<Option<ComparedTest>>,
}

/// The figures of one system in one test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestSide {
    /// With one job, thread and node; absent where not measured.
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
    /// Valid repeats.
    pub repeats: usize,
    /// Service time, where it was measured.
    pub service: Option<Times>,
    /// Its mean, which is all that publications print.
    pub service_mean_ns: Option<Nanos>,
}

/// One system against the base in one test.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedTest {
    /// The outcome.
    pub outcome: ComparisonOutcome,
    /// A warning about the outcome: from the runs of either side or, for the sides of a pair, about the measurement as
    /// a whole.
    pub warning: Option<ComparisonWarning>,
    /// The points that the outcome is about. For the sides of a pair, the degree of parallelism with the highest
    /// product of both rates, since only equal degrees are paired. Otherwise the common degree at which both are within
    /// the margin of their own best, so that it is not chosen by chance, or else each system's own best. Absent where
    /// one of the two has no valid repeat.
    pub headline: Option<ComparedPoint>,
    /// The points at equal degrees of parallelism, without a verdict.
    pub points: Vec<ComparedPoint>,
    /// The verdict that the headline comes nearest to; absent without repeats.
    claim: Option<Claim>,
    /// Logarithm of the ratio of each pair of the headline, by repeat; empty without pairs.
    pairs: BTreeMap<u32, f64>,
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
}

impl ComparedPoint {
    /// Ratio of a quantile of the service time, other over base; without a verdict.
    pub fn service_ratio(&self, quantile: &Quantile) -> Option<f64> {
        let of = |side: &PointFigures| side.service.as_ref().and_then(quantile.of);
        share(of(&self.other)?.0 as f64, of(&self.base)?.0 as f64)
    }

    /// Ratio of the mean service times, other over base; without a verdict.
    pub fn service_mean_ratio(&self) -> Option<f64> {
        share(self.other.service_mean_ns?.0 as f64, self.base.service_mean_ns?.0 as f64)
    }
}

/// Ratio of two rates, other over base. A rate of zero makes it zero or infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The ratio, by the estimate of Hodges and Lehmann (1963): of pairs, the median of the mean changes of every two of
    /// them; of repeats without pairs, the median of the ratios of every two, one of each system. Without repeats, that of
    /// the rates.
    pub ratio: f64,
    /// How the two were measured.
    pub evidence: Evidence,
    /// Degrees of parallelism of the base and of the other system that the runs do not tell from the one here, so that it
    /// may be the best by chance, itself included. Interval and p-value hold for the best of all of them.
    pub choices: [usize; 2],
    /// Its 95 % interval; absent with too few repeats. For single runs, of the noise within the runs only.
    pub interval: Option<Interval>,
    /// Its 90 % interval, for the two one-sided tests of equivalence.
    pub equivalence: Option<Interval>,
    /// Two-sided p-value of a difference, however small: exact signed-rank test (Wilcoxon) for pairs, exact rank-sum test
    /// (Mann and Whitney) otherwise. Absent without repeats.
    pub p_value: Option<f64>,
    /// Win rate: share of the pairs in which the other is faster; without pairs, the probability that one of its
    /// repeats is faster than one of the base (A of Vargha and Delaney 2000). Absent without repeats.
    pub superiority: Option<f64>,
    /// Standard deviation of the logarithms of the ratios of pairs, as if unpaired repeats were pairs; absent below
    /// two, and where a rate is zero.
    pub deviation: Option<f64>,
}

/// The geometric mean of the ratios of several tests (Fleming and Wallace 1986).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeometricMean {
    /// The mean.
    pub ratio: f64,
    /// Its 95 % interval over the pairs that all of these tests have, by the geometric mean of each pair; absent with too few
    /// of them, and where a test has none. Tests are no sample: how much they differ from each other is not how well their
    /// mean is known.
    pub interval: Option<Interval>,
    /// The number of comparable tests. Probes are left out, unless there is nothing else.
    pub tests: usize,
    /// The number of these pairs.
    pub pairs: usize,
}

impl Shift {
    /// Relative change: 0.05 is 5 % more.
    pub fn gain(&self) -> f64 {
        self.ratio - 1.0
    }
}

/// Compares `systems`, of which the first is the base. Deterministic.
///
/// Without a test in common the comparison has no tests: see [`Comparison::unshared`].
pub fn compare(systems: &[System], options: CompareOptions) -> Comparison {
    compared_test::compare(systems, options)
}
