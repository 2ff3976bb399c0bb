//! The words for the steadiness of a run. There are no others.

/// Whether the rate of a run was steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SteadyVerdict {
    /// From the beginning, but for a disturbance at most that is cut off.
    Steady,
    /// After a slower beginning that is cut off.
    WarmupCut,
    /// After a faster beginning that is cut off: spent burst credits, a full cache, heat.
    Slowdown,
    /// The rate rises or falls all along.
    Drifting,
    /// The last level is too short to be the lasting one.
    NotSteady,
    /// The run does not tell; a longer one may.
    Inconclusive,
    /// Too short to ask.
    TooShort,
}

impl SteadyVerdict {
    /// All of them, the best first.
    pub const ALL: [SteadyVerdict; 7] = [
        SteadyVerdict::Steady,
        SteadyVerdict::WarmupCut,
        SteadyVerdict::Slowdown,
        SteadyVerdict::Drifting,
        SteadyVerdict::NotSteady,
        SteadyVerdict::Inconclusive,
        SteadyVerdict::TooShort,
    ];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            SteadyVerdict::Steady => "STEADY",
            SteadyVerdict::WarmupCut => "WARMUP-CUT",
            SteadyVerdict::Slowdown => "SLOWDOWN",
            SteadyVerdict::Drifting => "DRIFTING",
            SteadyVerdict::NotSteady => "NOT_STEADY",
            SteadyVerdict::Inconclusive => "INCONCLUSIVE",
            SteadyVerdict::TooShort => "TOO_SHORT",
        }
    }

    /// Whether the counted seconds are steady.
    pub fn is_steady(self) -> bool {
        matches!(self, SteadyVerdict::Steady | SteadyVerdict::WarmupCut | SteadyVerdict::Slowdown)
    }
}

/// How a run began (after Barrett et al. 2017).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SteadyClass {
    /// As it went on, to the margin.
    Flat,
    /// Slower than it went on.
    Warmup,
    /// Faster than it went on.
    Slowdown,
}

impl SteadyClass {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            SteadyClass::Flat => "flat",
            SteadyClass::Warmup => "warm-up",
            SteadyClass::Slowdown => "slowdown",
        }
    }
}
