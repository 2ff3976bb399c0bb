//! What a statement about a platform rests on, and whether what is required fits.

use crate::statistics::Interval;

/// What a statement rests on: a gain, a limit, or that something fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClaimBasis {
    /// A law that holds however the platform works inside: the truth does not lie beyond the figure.
    Bound,
    /// A formula over figures of runs, or over rates: the truth may lie on either side of the figure.
    Estimate,
    /// Runs with and without the change, or with more and with less of what the statement is about.
    Measured,
}

/// Whether what is required fits what is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitVerdict {
    /// All of the range of what is required is available.
    Fits,
    /// None of it is.
    DoesNotFit,
    /// A part of it is, or something is not known.
    NotKnown,
}

/// Shares that are above 1 by rounding errors fit.
const ROUNDING: f64 = 1e-9;

impl FitVerdict {
    /// The verdict on `used`: what is required over what is available, with its range.
    pub fn of(used: Interval) -> FitVerdict {
        let most = 1.0 + ROUNDING;
        match used {
            Interval { low, .. } if low > most => FitVerdict::DoesNotFit,
            Interval { high, .. } if high <= most => FitVerdict::Fits,
            _ => FitVerdict::NotKnown,
        }
    }

    /// The verdict on all of `parts` together: one that does not fit decides, and otherwise one that is not known.
    pub fn of_all(parts: impl IntoIterator<Item = FitVerdict>) -> FitVerdict {
        parts.into_iter().fold(FitVerdict::Fits, |all, part| match (all, part) {
            (FitVerdict::DoesNotFit, _) | (_, FitVerdict::DoesNotFit) => FitVerdict::DoesNotFit,
            (FitVerdict::NotKnown, _) | (_, FitVerdict::NotKnown) => FitVerdict::NotKnown,
            (FitVerdict::Fits, FitVerdict::Fits) => FitVerdict::Fits,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_by_its_estimate_alone_is_not_known_to_fit() {
        let of = |low, estimate, high| FitVerdict::of(Interval { estimate, low, high });
        assert_eq!(of(0.7, 0.9, 1.0), FitVerdict::Fits);
        assert_eq!(of(0.7, 0.99, 1.14), FitVerdict::NotKnown);
        assert_eq!(of(0.9, 1.05, 1.14), FitVerdict::NotKnown, "nor not to fit");
        assert_eq!(of(1.01, 1.05, 1.14), FitVerdict::DoesNotFit);
        assert_eq!(of(0.5, 0.9, f64::INFINITY), FitVerdict::NotKnown);
        assert_eq!(FitVerdict::of(Interval::around(1.0 + 1e-15, 0.0)), FitVerdict::Fits, "rounding errors");
    }

    #[test]
    fn one_part_that_does_not_fit_decides() {
        use FitVerdict::{DoesNotFit, Fits, NotKnown};
        assert_eq!(FitVerdict::of_all([Fits, NotKnown, DoesNotFit, Fits]), DoesNotFit);
        assert_eq!(FitVerdict::of_all([Fits, NotKnown, Fits]), NotKnown);
        assert_eq!(FitVerdict::of_all([Fits, Fits]), Fits);
    }
}
