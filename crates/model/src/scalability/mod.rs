//! Scalability: throughput over the degree of parallelism N, and extrapolation beyond the measured N.
//!
//! [`fit`] is the Universal Scalability Law (Gunther 1993, 2007) with Amdahl's law (1967) and a straight line as its
//! special cases. [`scalability`] is the fit for display: curve, band, knee, peak. [`judge`] decides whether a claim
//! about a larger N is supported, and otherwise up to which N to measure. Intervals are from the delta method on the
//! logarithm and from profiles; beyond twice the largest measured N they are too wide for an estimate.
//!
//! It assumes that only one quantity varies: hosts with a load per host, or jobs on one machine. It is wrong where that
//! is not so, and where the law is not smooth.

mod added;
mod claim;
mod curve;
mod extrapolation;
mod face;
mod fit;
mod information;
mod misfit;
mod profile;
mod reason;
#[cfg(test)]
mod tests;

pub use added::{Added, Varied};
pub use claim::{Claim, ClaimVerdict, Judgement, judge};
pub use curve::{FittedPoint, MeasuredPoint, Note, Peak, Scalability, load_points, scalability};
pub use extrapolation::{Circumstances, Extrapolation, Noise, SharedCeiling, extrapolation};
pub use fit::{Fit, Form, LoadPoint, Superlinear, fit, fit_of};
pub use information::{NeededN, needed_n, sweep};
pub use misfit::Misfit;
pub use profile::{Profile, Scatter};
pub use reason::Reason;
