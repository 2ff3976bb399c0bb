//! Reasons why an estimate at an N that was not measured is refused, or cannot support a claim.

use super::misfit::Misfit;

/// A reason; each alone suffices.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// (a) Too few different N, or too few repetitions of one of them.
    FewPoints {
        /// Different N.
        distinct: usize,
        /// Repetitions of the N that has fewest.
        repeats: usize,
    },
    /// (b) The target lies too far above the largest measured N.
    Far {
        /// The largest measured N.
        n_max: f64,
        /// The target as a multiple of it.
        factor: f64,
    },
    /// (b) The interval is too wide.
    Wide {
        /// Its extent as a multiple of the estimate, up or down.
        factor: f64,
    },
    /// (c) The law does not fit the points.
    Misfit(Misfit),
    /// (d) Coherency is not significantly above 0, and would matter.
    OpenCoherency {
        /// The high end of its 95 % interval.
        coherency_high: f64,
        /// Its contribution to the divisor of the law at the target.
        adds: f64,
    },
    /// (e) The capacity of shared resources is unknown.
    UnverifiedCeilings(Vec<String>),
    /// (f) The setup of the target differs from the measured one.
    Differs(Vec<String>),
    /// (g) All points are nearly linear: no information about contention and coherency.
    Uninformative,
}
