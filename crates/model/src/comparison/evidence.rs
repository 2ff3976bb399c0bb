//! What a ratio of two rates rests on.

/// How two systems were measured against each other, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// In pairs, next to each other in an order drawn by lot.
    Paired {
        /// Pairs of which both sides count.
        pairs: usize,
    },
    /// Each several times, at its own time.
    Unpaired {
        /// Repeats of the base.
        base: usize,
        /// Repeats of the other.
        other: usize,
    },
    /// At least one of the two only once.
    Single,
    /// At least one of the two by somebody else, who says nothing of repeats.
    Published,
}

impl Evidence {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Evidence::Paired { .. } => "paired",
            Evidence::Unpaired { .. } => "unpaired: environment drift not controlled",
            Evidence::Single => "single run: repeatability unknown",
            Evidence::Published => "published",
        }
    }

    /// What follows a sentence that would be taken for stronger than it is: ` (unpaired)`, or nothing.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Evidence::Unpaired { .. } => " (unpaired)",
            Evidence::Paired { .. } | Evidence::Single | Evidence::Published => "",
        }
    }

    /// Whether a verdict that rests on it is free of what drifts in the environment.
    pub fn is_strong(self) -> bool {
        matches!(self, Evidence::Paired { .. })
    }
}
