//! Steadiness of the rate of a run: verdict and reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Rate, Ratio};

/// Verdict on the steadiness of the rate of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyVerdict {
    /// Steady from the start, except for a short disturbance that is cut.
    Steady,
    /// Steady after a slower start that is cut.
    WarmupCut,
    /// Steady after a faster start that is cut: exhausted burst credits, a full cache, heat.
    Slowdown,
    /// The rate rises or falls throughout.
    Drifting,
    /// The last level is too short.
    NotSteady,
    /// Undecided; a longer run may decide.
    Inconclusive,
    /// Too short for a verdict.
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

/// Class of the start of a run (after Barrett et al. 2017).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyClass {
    /// Equal to the rest, within the margin.
    Flat,
    /// Slower than the rest.
    Warmup,
    /// Faster than the rest.
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

/// Reason of a verdict on steadiness. Seconds are counted from the start of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SteadyReason {
    /// The window has too few whole seconds.
    TooShort {
        /// Whole seconds of the window.
        seconds: u64,
        /// Required seconds.
        seconds_min: u64,
    },
    /// No operations in the counted seconds.
    NothingDone {
        /// Counted seconds, the last of the window.
        seconds: u64,
        /// All seconds.
        of_seconds: u64,
    },
    /// The last level is shorter than half of the window.
    LastLevelShort {
        /// Start of the last level.
        from_second: u64,
        /// The end of the window.
        to_second: u64,
    },
    /// The rate rises or falls throughout.
    Drifting {
        /// Whether it rises.
        rises: bool,
        /// Drift over these seconds.
        drift: Ratio,
        /// Lower confidence bound of the drift (97.5 %).
        drift_min: Ratio,
        /// The seconds.
        seconds: u64,
        /// Maximum drift that counts as steady.
        margin: Ratio,
    },
    /// Steady seconds were found.
    Steady {
        /// Seconds at the start that are cut.
        cut_seconds: u64,
        /// Class of the start.
        class: SteadyClass,
        /// Upper confidence bound of the drift over the counted seconds.
        drift_max: Ratio,
        /// The counted seconds.
        seconds: u64,
        /// Checkpoints of the engine within the window, if it counts them.
        checkpoints: Option<u64>,
    },
    /// Undecided.
    Inconclusive {
        /// Reasons.
        doubts: Vec<SteadyUncertainty>,
    },
}

/// Why steadiness could not be decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SteadyUncertainty {
    /// A large drift cannot be excluded.
    WideDrift {
        /// Upper confidence bound of the drift.
        drift_max: Ratio,
        /// Limit.
        limit: Ratio,
    },
    /// The rate is periodic, and the window has too few periods.
    FewCycles {
        /// The period.
        period_seconds: u64,
        /// The counted seconds.
        seconds: u64,
        /// Required periods.
        cycles_min: u64,
    },
    /// The window has too few checkpoints of the engine.
    FewCheckpoints {
        /// Number of checkpoints.
        checkpoints: u64,
        /// Seconds at the start that are cut.
        cut_seconds: u64,
        /// All seconds.
        of_seconds: u64,
        /// Required checkpoints.
        checkpoints_min: u64,
    },
    /// Consecutive seconds are correlated.
    FewIndependentSeconds {
        /// The counted seconds.
        seconds: u64,
        /// Effective number of independent seconds.
        independent_seconds: f64,
        /// Required number of independent seconds.
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
    /// Operations per second over the whole window; absent if equal within the margin.
    pub window_rate: Option<Rate>,
}
