//! Why parts cannot be merged.

use std::fmt;

use record::Nanos;

/// Why the parts of a run cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// There are no parts.
    NoParts,
    /// A part is of another run than the first one.
    OtherRun {
        /// The agent.
        agent: String,
        /// The number of its run.
        number: u32,
        /// The test of its run.
        test: String,
    },
    /// A part has results that are not merged.
    Unmergeable {
        /// The agent.
        agent: String,
        /// What it has.
        what: &'static str,
    },
    /// A part started too long after the first one.
    Apart {
        /// The agent.
        agent: String,
        /// How long after.
        after: Nanos,
        /// The longest time.
        limit: Nanos,
    },
    /// A histogram cannot be read.
    Unreadable {
        /// The agent.
        agent: String,
    },
    /// A histogram has another number of values than its latency says.
    OtherCount {
        /// The agent.
        agent: String,
        /// Values in the histogram.
        found: u64,
        /// Values by the latency.
        expected: u64,
    },
    /// The histograms of the parts have more values together than one can have.
    TooManyValues {
        /// The agent whose histogram has no room beside those before it.
        agent: String,
        /// Its values.
        found: u64,
        /// The values of one histogram, at most.
        limit: u64,
    },
    /// A histogram has other buckets than those of the first part.
    OtherBuckets {
        /// The agent.
        agent: String,
        /// Its significant digits.
        digits: u8,
        /// Those of the first part.
        expected_digits: u8,
    },
    /// The widths of slices are no powers of two of each other.
    OtherWidth {
        /// The agent.
        agent: String,
        /// Its width.
        width: Nanos,
        /// The narrowest width of all parts.
        narrowest: Nanos,
    },
}

impl fmt::Display for MergeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::NoParts => write!(formatter, "no agent delivered a part of the run"),
            MergeError::OtherRun { agent, number, test } => {
                write!(formatter, "agent {agent} delivered a part of another run: {number} ({test})")
            }
            MergeError::Unmergeable { agent, what } => {
                write!(formatter, "the part of agent {agent} has results of {what}, which are not merged")
            }
            MergeError::Apart { agent, after, limit } => write!(
                formatter,
                "agent {agent} started {:.3} s after the first one; the limit is {:.0} s",
                after.seconds(),
                limit.seconds()
            ),
            MergeError::Unreadable { agent } => write!(formatter, "a histogram of agent {agent} cannot be decoded"),
            MergeError::OtherCount { agent, found, expected } => {
                write!(formatter, "a histogram of agent {agent} has {found} values; {expected} were counted")
            }
            MergeError::TooManyValues { agent, found, limit } => write!(
                formatter,
                "a histogram of agent {agent} has {found} values, and with those of other agents more than {limit}"
            ),
            MergeError::OtherBuckets { agent, digits, expected_digits } => write!(
                formatter,
                "a histogram of agent {agent} has other buckets ({digits} significant digits) than that of the first \
                 agent ({expected_digits})"
            ),
            MergeError::OtherWidth { agent, width, narrowest } => write!(
                formatter,
                "slices of agent {agent} are {} ns wide, which is {} ns times no power of two",
                width.0, narrowest.0
            ),
        }
    }
}

impl std::error::Error for MergeError {}
