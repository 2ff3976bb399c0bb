//! What a search is told, and what it came to.

use crate::kept_curve::LevelLimit;

/// One run under a rate, as a search sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// Steps per second that were due.
    pub rate: f64,
    /// Whether it kept the level; none where it does not tell.
    pub kept: Option<bool>,
    /// Whether it is invalid for what its surroundings took.
    pub is_disturbed: bool,
}

/// What a run of a search was made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Purpose {
    /// To find out about where the limit lies.
    Bracket,
    /// A round around the limit, counted from 1.
    Round(u32),
    /// A visit at the limit.
    AtLimit,
    /// A visit 10 % above it.
    AboveLimit,
}

/// Why a search is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The level is missed 10 % above the limit.
    Confirmed,
    /// It was not missed there, and the budget of runs is spent.
    NotConfirmed,
    /// All rates that are searched keep the level, or none does.
    OneSided,
}

/// The visits at the limit and above it.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmation {
    /// The limit as it was known then, in steps per second.
    pub rate: f64,
    /// The visits there, by their places among all.
    pub at: Vec<usize>,
    /// Those 10 % above.
    pub above: Vec<usize>,
    /// Whether the level was missed above each time, or five times of six, and kept at the limit at least once.
    pub is_confirmed: bool,
}

/// What a search came to, so far.
#[derive(Clone, Debug, PartialEq)]
pub struct RateAnswer {
    /// The limit; none where all runs that count kept the level or all missed it.
    pub limit: Option<LevelLimit>,
    /// The highest rate at which the level was kept by the rule of [`Search`](crate::Search), and the lowest one above it
    /// at which it was not.
    pub bracket: (Option<f64>, Option<f64>),
    /// Runs that tell of the limit.
    pub told: usize,
    /// Runs that are invalid for what their surroundings took,
    pub disturbed: usize,
    /// which count all the same, because they are more than half of all.
    pub disturbed_count: bool,
    /// The last confirmation that came to its end.
    pub confirmation: Option<Confirmation>,
    /// Why the search is over; none while it goes on, and of one that was broken off.
    pub ending: Option<Ending>,
}
