//! How throughput grows with what is added, and what measured figures say of more than was measured.
//!
//! [`fit`] is the Universal Scalability Law (Gunther 1993, 2007) with Amdahl's law (1967) and a straight line as its
//! special cases. [`scalability`] is the fit as a sheet shows it: curve, band, knee, peak. [`judge`] says whether a
//! claim about a larger N is supported, and otherwise how far would have to be measured. Intervals come from the delta
//! method on the logarithm and from profiles; at twice the largest measured N they have become so wide that no number
//! is given.
//!
//! All of it is about one thing that is added while everything else stays: hosts under a load per host, or jobs on one
//! machine. It lies where that is not so, and where the law is not smooth.

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

pub use added::Added;
pub use claim::{Claim, ClaimVerdict, Judgement, judge};
pub use curve::{FittedPoint, MeasuredPoint, Peak, Scalability, load_points, scalability};
pub use extrapolation::{Circumstances, Extrapolation, Noise, SharedCeiling, extrapolation};
pub use fit::{Fit, Form, LoadPoint, Superlinear, fit, fit_of};
pub use information::{NeededN, needed_n, sweep};
pub use misfit::{Misfit, linearised};
pub use profile::{Profile, Scatter};
pub use reason::Reason;
