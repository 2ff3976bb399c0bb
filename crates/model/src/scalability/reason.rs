//! Reasons why an estimate at an N that was not measured is refused, or cannot support a claim.

use std::fmt;

use crate::rules::RULES;

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

impl fmt::Display for Reason {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::FewPoints { distinct, repeats } => {
                let (n, times) = (RULES.scale_distinct_min, RULES.scale_repeats_min);
                write!(to, "{distinct} different N with at least {repeats} repeats each: {n} and {times} are required")
            }
            Reason::Far { n_max, factor } => {
                let most = RULES.scale_horizon;
                write!(to, "the target is {factor:.3} times the largest measured N of {n_max}; limit {most}")
            }
            Reason::Wide { factor } => {
                let most = RULES.scale_interval_factor_max;
                write!(to, "the interval extends to {factor:.2} times the estimate, up or down; limit {most}")
            }
            Reason::Misfit(Misfit::Outlier { n, residual }) => {
                write!(to, "the law does not fit: the rate at N = {n} is off by {:.1} %", residual * 100.0)
            }
            Reason::Misfit(Misfit::LackOfFit { quotient }) => write!(
                to,
                "the law does not fit: lack of fit is {:.1} times the noise between repeats",
                quotient.sqrt()
            ),
            Reason::Misfit(Misfit::Runs { p_value }) => {
                write!(to, "the law does not fit: residuals of one sign are grouped (p = {p_value:.3})")
            }
            Reason::Misfit(Misfit::Curved) => to.write_str("the law does not fit: the linearised plot is curved"),
            Reason::OpenCoherency { coherency_high, adds } => write!(
                to,
                "coherency is not significantly above 0, but its upper limit ({coherency_high:.2e}) would add {adds:.2} to \
                 the divisor at the target; limit {}",
                RULES.scale_open_coherency_max
            ),
            Reason::UnverifiedCeilings(names) => {
                write!(to, "shared resources of unknown capacity: {}", names.join(", "))
            }
            Reason::Differs(what) => write!(to, "different setup at the target: {}", what.join(", ")),
            Reason::Uninformative => write!(
                to,
                "every rate is above {:.0} % of linear: contention and coherency are unknown",
                RULES.scale_uninformative_efficiency * 100.0
            ),
        }
    }
}
