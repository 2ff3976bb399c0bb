//! Scalability: throughput over the degree of parallelism N, and extrapolation beyond the measured N.
//!
//! [`fit`] is the Universal Scalability Law (Gunther 1993, 2007) with Amdahl's law (1967) and a straight line as its
//! special cases. [`scalability`] is the fit for display: curve, band, limit. [`judge`] decides whether a claim is
//! supported, at a measured N by the measurement, at another one by the law, and otherwise up to which N to measure.
//! Intervals are from the delta method on the logarithm and from profiles, all for one [`Noise`]; beyond twice the largest
//! measured N they are too wide for an estimate. Where the law does not fit, nothing is said by it.
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
mod limit;
mod misfit;
mod noise;
mod profile;
mod reason;
#[cfg(test)]
mod tests;

pub use added::{Added, Varied};
pub use claim::{Claim, ClaimVerdict, Judgement, judge};
pub use curve::{FittedPoint, MeasuredPoint, Note, Scalability, load_points, scalability};
pub use extrapolation::{Circumstances, Extrapolation, SharedCeiling, extrapolation};
pub use fit::{Fit, Form, LoadPoint, Superlinear, Weights, fit, fit_of, weighted};
pub use information::{NeededN, needed_n, sweep};
pub use limit::{Ceiling, Limit, Peak, UnknownLimit};
pub use misfit::{Misfit, Side};
pub use noise::{Measurement, Noise, NoiseBasis};
pub use profile::Profile;
pub use reason::Reason;
