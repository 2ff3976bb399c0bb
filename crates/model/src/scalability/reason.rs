//! Why a number is refused, or no claim rests on it, at an N that was not measured.

use std::fmt;

use crate::rules::RULES;

use super::misfit::Misfit;

/// One reason; each alone is enough.
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
        /// How many times that is the target.
        factor: f64,
    },
    /// (b) The interval is too wide for a number.
    Wide {
        /// How many times the estimate it reaches, up or down.
        factor: f64,
    },
    /// (c) The law does not describe the points.
    Misfit(Misfit),
    /// (d) Coherency cannot be told from none, and would matter.
    OpenCoherency {
        /// The high end of its 95 % interval.
        coherency_high: f64,
        /// What that would add to the divisor of the law at the target.
        adds: f64,
    },
    /// (e) What all share was not measured to its end.
    UnverifiedCeilings(Vec<String>),
    /// (f) The target is set up otherwise than what was measured.
    Differs(Vec<String>),
    /// (g) All points are nearly linear: they hold no information about contention and coherency.
    Uninformative,
}

impl fmt::Display for Reason {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::FewPoints { distinct, repeats } => {
                let (n, times) = (RULES.scale_distinct_min, RULES.scale_repeats_min);
                write!(to, "{distinct} different N, each measured at least {repeats} times: {n} and {times} are needed")
            }
            Reason::Far { n_max, factor } => {
                let most = RULES.scale_horizon;
                write!(to, "the target is {factor:.3} times the largest measured N, which is {n_max}; limit {most}")
            }
            Reason::Wide { factor } => {
                let most = RULES.scale_interval_factor_max;
                write!(to, "the interval reaches {factor:.2} times the estimate, up or down; limit {most}")
            }
            Reason::Misfit(Misfit::Outlier { n, residual }) => {
                write!(to, "the law does not fit: the rate at N = {n} is off by {:.1} %", residual * 100.0)
            }
            Reason::Misfit(Misfit::LackOfFit { quotient }) => write!(
                to,
                "the law does not fit: rates lie {:.1} times as far from it as repeats from each other",
                quotient.sqrt()
            ),
            Reason::Misfit(Misfit::Runs { p_value }) => {
                write!(to, "the law does not fit: rates lie above it and below it in groups (p = {p_value:.3})")
            }
            Reason::Misfit(Misfit::Curved) => to.write_str("the law does not fit: the linearised plot is curved"),
            Reason::OpenCoherency { coherency_high, adds } => write!(
                to,
                "coherency cannot be told from none, and as much as cannot be excluded ({coherency_high:.2e}) would \
                 add {adds:.2} to the divisor at the target; limit {}",
                RULES.scale_open_coherency_max
            ),
            Reason::UnverifiedCeilings(names) => {
                write!(to, "shared, and not measured to its end: {}", names.join(", "))
            }
            Reason::Differs(what) => write!(to, "set up otherwise at the target: {}", what.join(", ")),
            Reason::Uninformative => write!(
                to,
                "every rate is above {:.0} % of linear: nothing is known of contention and coherency",
                RULES.scale_uninformative_efficiency * 100.0
            ),
        }
    }
}
