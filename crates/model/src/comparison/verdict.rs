//! The words of a comparison.

use record::Finding;

use crate::system::InvalidRun;

/// What is said of one system against the base. A closed set.
///
/// The 95 % interval decides, held against a margin m on both sides of equal, 1 / (1 + m) and 1 + m; of several that
/// hold, the first one is said:
///
/// - FASTER, SLOWER: the interval lies wholly beyond the margin.
/// - EQUIVALENT: the 90 % interval lies wholly within the margin (two one-sided tests, Schuirmann 1987).
/// - INCONCLUSIVE: everything else, and where there is no interval. A difference that is beyond doubt and may be too
///   small to matter is one of these: the reason says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComparisonVerdict {
    /// It gives more.
    Faster,
    /// It gives less.
    Slower,
    /// What difference there is does not matter.
    Equivalent,
    /// The data cannot tell.
    Inconclusive,
}

impl ComparisonVerdict {
    /// As every view writes it.
    pub fn word(self) -> &'static str {
        match self {
            ComparisonVerdict::Faster => "FASTER",
            ComparisonVerdict::Slower => "SLOWER",
            ComparisonVerdict::Equivalent => "EQUIVALENT",
            ComparisonVerdict::Inconclusive => "INCONCLUSIVE",
        }
    }
}

/// How one system stands against the base in one test.
#[derive(Clone, Debug, PartialEq)]
pub enum ComparisonOutcome {
    /// There is a verdict.
    Judged {
        /// The verdict.
        verdict: ComparisonVerdict,
        /// The p-value with all tests of the comparison taken into account (Holm); absent where there is none.
        p_adjusted: Option<f64>,
        /// Of INCONCLUSIVE: how many pairs more would probably decide. Where the systems were not measured in pairs, how
        /// many pairs that takes. Absent where it cannot be told.
        more_pairs: Option<u64>,
        /// Why, in a clause.
        reason: String,
    },
    /// A figure is published: there is a ratio and no verdict.
    Unjudged,
    /// The two did not measure the same, or one of them is no result.
    Incomparable {
        /// Why; never empty.
        reasons: Vec<Reason>,
    },
}

/// Why two systems cannot be compared in a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// They were not measured alike, in a clause.
    NotAlike(String),
    /// A system has no figure.
    NoFigure {
        /// Its name.
        system: String,
    },
    /// All runs of a system are invalid.
    Invalid {
        /// Its name.
        system: String,
        /// How many runs.
        runs: usize,
        /// The first of them.
        first: InvalidRun,
    },
}

/// Why what a comparison says of a test is to be doubted.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// The measurement as a whole, in a clause.
    Measurement(String),
    /// What the runs of the systems are doubted for, by the name of the system.
    Runs(Vec<(String, Vec<Finding>)>),
}

impl ComparisonOutcome {
    /// The verdict, where there is one.
    pub fn verdict(&self) -> Option<ComparisonVerdict> {
        match self {
            ComparisonOutcome::Judged { verdict, .. } => Some(*verdict),
            ComparisonOutcome::Unjudged | ComparisonOutcome::Incomparable { .. } => None,
        }
    }

    /// The word of the verdict, `INCOMPARABLE`, or `PUBLISHED` where no verdict is given.
    pub fn word(&self) -> &'static str {
        match self {
            ComparisonOutcome::Judged { verdict, .. } => verdict.word(),
            ComparisonOutcome::Unjudged => "PUBLISHED",
            ComparisonOutcome::Incomparable { .. } => "INCOMPARABLE",
        }
    }
}
