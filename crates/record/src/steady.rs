//! Whether the rate of a run was steady: the verdict, and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Rate, Ratio};

/// Whether the rate of a run was steady. There are no other words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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

/// Why a verdict on steadiness is what it is. Seconds are counted from the beginning of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SteadyReason {
    /// The window has too few whole seconds to ask.
    TooShort {
        /// Whole seconds of the window.
        seconds: u64,
        /// Seconds that it takes.
        seconds_min: u64,
    },
    /// Nothing was done in the seconds that count.
    NothingDone {
        /// Seconds that count, the last of the window.
        seconds: u64,
        /// All seconds.
        of_seconds: u64,
    },
    /// The last level is shorter than half of the window.
    LastLevelShort {
        /// When the last level began.
        from_second: u64,
        /// The end of the window.
        to_second: u64,
    },
    /// The rate rises or falls all along.
    Drifting {
        /// Whether it rises.
        rises: bool,
        /// By how much, over these seconds.
        drift: Ratio,
        /// By how much at least, with a chance of 0.975.
        drift_min: Ratio,
        /// The seconds.
        seconds: u64,
        /// Drift up to here is taken for steady.
        margin: Ratio,
    },
    /// Steady seconds were found.
    Steady {
        /// Seconds at the beginning that do not count.
        cut_seconds: u64,
        /// How the rate was in them.
        class: SteadyClass,
        /// Drift over the seconds that count that cannot be excluded.
        drift_max: Ratio,
        /// The seconds that count.
        seconds: u64,
        /// Checkpoints of the engine within the window, where it counts them.
        checkpoints: Option<u64>,
    },
    /// The window does not tell.
    Inconclusive {
        /// What is missing.
        doubts: Vec<SteadyDoubt>,
    },
}

/// What a window lacks to tell whether a rate was steady.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SteadyDoubt {
    /// A large drift cannot be excluded.
    WideDrift {
        /// The largest that cannot.
        drift_max: Ratio,
        /// The largest that would do.
        limit: Ratio,
    },
    /// The rate has a period, of which the window holds too few.
    FewCycles {
        /// The period.
        period_seconds: u64,
        /// The seconds that count.
        seconds: u64,
        /// Periods that it takes.
        cycles_min: u64,
    },
    /// The window holds too few checkpoints of the engine.
    FewCheckpoints {
        /// How many it holds.
        checkpoints: u64,
        /// Seconds at the beginning that do not count.
        cut_seconds: u64,
        /// All seconds.
        of_seconds: u64,
        /// Checkpoints that bound enough cycles.
        checkpoints_min: u64,
    },
    /// Each second depends on those before it.
    FewIndependentSeconds {
        /// The seconds that count.
        seconds: u64,
        /// Independent ones that they are worth.
        independent_seconds: f64,
        /// Independent ones that it takes.
        independent_seconds_min: f64,
    },
}

/// The steady seconds of a run with their rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SteadyRate {
    /// The first of them, counted from 1.
    pub first_second: u64,
    /// The last of them.
    pub last_second: u64,
    /// Operations per second in them.
    pub rate: Rate,
    /// Operations per second over the whole window; absent where it is the same, to the margin.
    pub window_rate: Option<Rate>,
}
