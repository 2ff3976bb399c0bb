//! A search for the highest rate that meets a service level: its next measurement, and its result.
//!
//! First the limit is bracketed roughly ([`Search`]). Then rounds visit five rates around the estimate each, in
//! randomized order, so that drift is not taken for rate; after each round [`level_limit`] is fitted to all runs. Once
//! its interval is narrow enough, or the budget of runs is spent, the limit and the rate 10 % above it are visited
//! three times each, also in randomized order. The result is confirmed where the level is missed above each time, or
//! five times of six, and met at least once at the limit. Otherwise rounds continue with these visits, within the
//! budget.
//!
//! A run that is invalid because of disturbances (steal, swapping) is repeated and does not count, unless more than
//! half of all are disturbed. The search is a function of the seed and of the recorded runs, so that an aborted search
//! can be resumed, and the purpose of each run follows from a record.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::kept_curve::{LevelLimit, Told, level_limit};
use crate::search::{Answer, Search, Step};

/// The visits of a round, in steps from the estimated limit.
const ROUND: [f64; 5] = [-2.0, -1.0, 0.0, 1.0, 2.0];

/// A step as a share of the scale of the curve,
const STEP_OF_SCALE: f64 = 0.75;

/// and its bounds, in the logarithm of the rate.
const STEP_MIN: f64 = 0.025;
const STEP_MAX: f64 = 0.12;

/// The step of the first round, without a curve.
const STEP_FIRST: f64 = 0.06;

/// Minimum of rounds.
const ROUNDS_MIN: u32 = 4;

/// Rounds between a failed confirmation and the next one.
const ROUNDS_BETWEEN: u32 = 2;

/// Maximum of runs in rounds and confirmations.
pub const SEARCH_RUNS_MAX: usize = 66;

/// Visits of a confirmation at each of its two rates.
const CONFIRMING: usize = 3;

/// Required misses above the limit per hit: with fewer, a flat curve would often be confirmed.
const MISSED_PER_KEPT: usize = 5;

/// The confirmation rate above the limit, as a multiple of it.
pub const ABOVE: f64 = 1.1;

/// Tolerance of the bracket, as a multiple of the goal of the rounds.
const BRACKET_GOALS: f64 = 2.0;

/// Disturbed runs that are repeated while bracketing; beyond, they count if more than half are disturbed.
const DISTURBED_MAX: usize = 6;

/// Relative tolerance of equal rates: machines may round differently.
const SAME: f64 = 1e-6;

/// One run at a rate, as recorded by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// Target steps per second.
    pub rate: f64,
    /// Whether it met the level; None where not known.
    pub kept: Option<bool>,
    /// Whether it is invalid because of disturbances.
    pub is_disturbed: bool,
}

/// The purpose of a run of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Purpose {
    /// To bracket the limit.
    Bracket,
    /// A round around the limit, counted from 1.
    Round(u32),
    /// A visit at the limit.
    AtLimit,
    /// A visit 10 % above it.
    AboveLimit,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The level is missed 10 % above the limit.
    Confirmed,
    /// It is not missed there, and the budget of runs is spent.
    NotConfirmed,
    /// All searched rates meet the level, or none does.
    OneSided,
}

/// The visits at the limit and above it.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmation {
    /// The estimated limit then, in steps per second.
    pub rate: f64,
    /// Its visits, as indexes.
    pub at: Vec<usize>,
    /// The visits 10 % above.
    pub above: Vec<usize>,
    /// Whether the level was missed above each time, or five times of six, and met at the limit at least once.
    pub is_confirmed: bool,
}

/// The result of a search, so far.
#[derive(Clone, Debug, PartialEq)]
pub struct RateAnswer {
    /// The limit; None where all runs that count met the level or all missed it.
    pub limit: Option<LevelLimit>,
    /// The highest rate that met the level by the rule of [`Search`](crate::Search), and the lowest one above it that
    /// missed it.
    pub bracket: (Option<f64>, Option<f64>),
    /// Runs that count.
    pub told: usize,
    /// Disturbed runs.
    pub disturbed: usize,
    /// Whether disturbed runs count, because they are more than half of all.
    pub disturbed_count: bool,
    /// The last complete confirmation.
    pub confirmation: Option<Confirmation>,
    /// How the search ended; None while in progress or aborted.
    pub ending: Option<Ending>,
}

#[derive(Clone, Debug, PartialEq)]
enum Stage {
    Bracket,
    Round { queue: Vec<f64> },
    Confirm { rate: f64, queue: Vec<f64>, first: usize },
    Done(Ending),
}

/// A search in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct RateSearch {
    goal: f64,
    seed: u64,
    bracket: Search,
    stage: Stage,
    visits: Vec<(Visit, Purpose)>,
    /// Runs of rounds and confirmations.
    spent: usize,
    rounds: u32,
    rounds_since: u32,
    confirmation: Option<Confirmation>,
}

impl RateSearch {
    /// A search where a closed loop achieves `capacity` steps per second, to a half-width of `goal`: 0.1 for 10 %.
    /// Visits are randomized by `seed`.
    pub fn new(capacity: f64, goal: f64, seed: u64) -> RateSearch {
        let goal = if goal.is_finite() { goal.clamp(0.01, 0.5) } else { 0.1 };
        RateSearch {
            goal,
            seed,
            bracket: Search::of_rates(capacity, goal * BRACKET_GOALS),
            stage: Stage::Bracket,
            visits: Vec::new(),
            spent: 0,
            rounds: 0,
            rounds_since: 0,
            confirmation: None,
        }
    }

    /// The rate to measure next; None where the search has ended.
    pub fn next(&self) -> Option<(f64, Purpose)> {
        match &self.stage {
            Stage::Bracket => match self.bracket.next() {
                Step::Measure(rate) => Some((rate, Purpose::Bracket)),
                Step::Done(_) => None,
            },
            Stage::Round { queue } => Some((*queue.first()?, Purpose::Round(self.rounds))),
            Stage::Confirm { rate, queue, .. } => queue.first().map(|next| (*next, purpose(*rate, *next))),
            Stage::Done(_) => None,
        }
    }

    /// Records a run.
    pub fn record(&mut self, visit: Visit) {
        if !(visit.rate.is_finite() && visit.rate > 0.0) {
            return;
        }
        let expected = self.next();
        let is_expected = expected.is_some_and(|(rate, _)| (rate / visit.rate - 1.0).abs() < SAME);
        // Other runs count too: a record may be of another version.
        let otherwise = if self.stage == Stage::Bracket { Purpose::Bracket } else { Purpose::Round(self.rounds) };
        let purpose = expected.filter(|_| is_expected).map_or(otherwise, |(_, purpose)| purpose);
        self.visits.push((visit, purpose));
        if self.stage == Stage::Bracket {
            let disturbed = self.visits.iter().filter(|(visit, _)| visit.is_disturbed).count();
            if !visit.is_disturbed || (disturbed > DISTURBED_MAX && 2 * disturbed > self.visits.len()) {
                self.bracket.record(visit.rate, visit.kept);
            }
            self.end_bracket();
            return;
        }
        self.spent += 1;
        let again = self.is_repeated(visit);
        let (Stage::Round { queue } | Stage::Confirm { queue, .. }) = &mut self.stage else { return };
        if is_expected {
            let rate = queue.remove(0);
            queue.extend(again.then_some(rate));
        }
        if queue.is_empty() {
            self.end_queue();
        }
    }

    /// The runs so far, in order, with their purposes.
    pub fn visits(&self) -> &[(Visit, Purpose)] {
        &self.visits
    }

    /// The bracketing part of the search.
    pub fn bracketing(&self) -> &Search {
        &self.bracket
    }

    /// The result so far.
    pub fn answer(&self) -> RateAnswer {
        let (trials, disturbed_count) = self.evidence();
        let confirmed = self.confirmation.as_ref().filter(|confirmation| confirmation.is_confirmed);
        let limit = level_limit(&trials).map(|limit| match confirmed {
            None => limit,
            // The confirmed rate is the result; its visits are part of the interval.
            Some(Confirmation { rate, .. }) => {
                let (mut low, mut high) = (limit.low, limit.high);
                (low.rate, high.rate) = (low.rate.min(*rate), high.rate.max(*rate));
                LevelLimit { estimate: *rate, low, high, ..limit }
            }
        });
        RateAnswer {
            limit,
            bracket: self.bracket.bracket(),
            told: trials.len(),
            disturbed: self.visits.iter().filter(|(visit, _)| visit.is_disturbed).count(),
            disturbed_count,
            confirmation: self.confirmation.clone(),
            ending: match self.stage {
                Stage::Done(ending) => Some(ending),
                _ => None,
            },
        }
    }

    /// The goal of the half-width.
    pub fn goal(&self) -> f64 {
        self.goal
    }

    /// The runs that count, and whether disturbed ones do.
    fn evidence(&self) -> (Vec<Told>, bool) {
        let disturbed = self.visits.iter().filter(|(visit, _)| visit.is_disturbed && visit.kept.is_some()).count();
        let all = self.visits.iter().filter(|(visit, _)| visit.kept.is_some()).count();
        let with_disturbed = 2 * disturbed > all;
        let counts = self.visits.iter().filter(|(visit, _)| with_disturbed || !visit.is_disturbed);
        let mut round = 0;
        let trials = counts.filter_map(|(visit, purpose)| {
            round = match purpose {
                Purpose::Bracket => 0,
                Purpose::Round(number) => 2 * number,
                // A confirmation after a round is a round of its own.
                Purpose::AtLimit | Purpose::AboveLimit => round | 1,
            };
            Some(Told { rate: visit.rate, kept: visit.kept?, round })
        });
        (trials.collect(), with_disturbed && disturbed > 0)
    }

    /// Whether the run `visit` is to be repeated.
    fn is_repeated(&self, visit: Visit) -> bool {
        let own = || self.visits.iter().filter(|(_, purpose)| *purpose != Purpose::Bracket);
        let lost = own().filter(|(visit, _)| visit.is_disturbed || visit.kept.is_none()).count();
        (visit.is_disturbed || visit.kept.is_none()) && 2 * lost <= own().count() && self.is_left(1)
    }

    /// Whether the budget allows this number of runs.
    fn is_left(&self, runs: usize) -> bool {
        self.spent + runs <= SEARCH_RUNS_MAX
    }

    fn end_bracket(&mut self) {
        match self.bracket.next() {
            Step::Measure(_) => {}
            Step::Done(Answer::EvenHighest { .. }) => self.stage = Stage::Done(Ending::OneSided),
            Step::Done(_) => match (self.bracket.bracket(), level_limit(&self.evidence().0)) {
                ((Some(kept), Some(not_kept)), _) => self.begin_round((kept * not_kept).sqrt(), STEP_FIRST),
                // Missed at the lowest rate, but met at a higher one: left to the rounds.
                (_, Some(limit)) => self.begin_round(limit.estimate, STEP_MAX),
                (_, None) => self.stage = Stage::Done(Ending::OneSided),
            },
        }
    }

    fn end_queue(&mut self) {
        match std::mem::replace(&mut self.stage, Stage::Bracket) {
            Stage::Confirm { rate, first, .. } => self.judge(rate, first),
            _ => self.go_on(),
        }
    }

    /// After a round: another one, or the confirmation.
    fn go_on(&mut self) {
        let limit = level_limit(&self.evidence().0);
        let is_enough = limit.is_some_and(|limit| limit.is_within(self.goal))
            && self.rounds >= ROUNDS_MIN
            && self.rounds_since >= ROUNDS_BETWEEN;
        match limit {
            Some(limit) if is_enough || !self.is_left(ROUND.len() + 2 * CONFIRMING) => {
                self.begin_confirmation(limit.estimate);
            }
            Some(limit) => {
                self.begin_round(limit.estimate, (limit.scale * STEP_OF_SCALE).clamp(STEP_MIN, STEP_MAX));
            }
            None => self.stage = Stage::Done(Ending::OneSided),
        }
    }

    fn begin_round(&mut self, center: f64, step: f64) {
        self.rounds += 1;
        self.rounds_since += 1;
        let mut order = RandomOrder::new(self.seed, self.spent);
        // Shifts each round at random, so that the rounds cover more rates.
        let center = center * (step * (order.share() - 0.5)).exp();
        let queue = order.shuffled(ROUND.map(|offset| center * (step * offset).exp()).to_vec());
        self.stage = Stage::Round { queue };
    }

    fn begin_confirmation(&mut self, rate: f64) {
        let rates = [[rate; CONFIRMING], [rate * ABOVE; CONFIRMING]].concat();
        let queue = RandomOrder::new(self.seed, self.spent).shuffled(rates);
        self.stage = Stage::Confirm { rate, queue, first: self.visits.len() };
    }

    fn judge(&mut self, rate: f64, first: usize) {
        let of = |purpose: Purpose| -> Vec<usize> {
            let own = self.visits.iter().enumerate().skip(first);
            own.filter(|(_, (_, other))| *other == purpose).map(|(index, _)| index).collect()
        };
        let (at, above) = (of(Purpose::AtLimit), of(Purpose::AboveLimit));
        let (_, with_disturbed) = self.evidence();
        let count = |indexes: &[usize], kept: bool| {
            let visits = indexes.iter().map(|index| self.visits[*index].0);
            visits.filter(|visit| visit.kept == Some(kept) && (with_disturbed || !visit.is_disturbed)).count()
        };
        let (missed, kept) = (count(&above, false), count(&above, true));
        if kept == 1 && above.len() < 2 * CONFIRMING && self.is_left(CONFIRMING) {
            // One hit may be chance: repeat.
            self.stage = Stage::Confirm { rate, queue: vec![rate * ABOVE; CONFIRMING], first };
            return;
        }
        let is_confirmed = missed >= 2 && missed >= MISSED_PER_KEPT * kept && count(&at, true) > 0;
        self.confirmation = Some(Confirmation { rate, at, above, is_confirmed });
        self.rounds_since = 0;
        let more = ROUNDS_BETWEEN as usize * ROUND.len() + 2 * CONFIRMING;
        match is_confirmed {
            true => self.stage = Stage::Done(Ending::Confirmed),
            false if self.is_left(more) => self.go_on(),
            false => self.stage = Stage::Done(Ending::NotConfirmed),
        }
    }
}

/// The randomized order of visits, and the randomized position of a round.
struct RandomOrder(Xoshiro256PlusPlus);

impl RandomOrder {
    /// A generator of its own for each number of runs made.
    fn new(seed: u64, runs: usize) -> RandomOrder {
        RandomOrder(Xoshiro256PlusPlus::seed_from_u64(seed ^ (runs as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A number in [0, 1).
    fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A random permutation (Fisher and Yates).
    fn shuffled(&mut self, mut values: Vec<f64>) -> Vec<f64> {
        for last in (1..values.len()).rev() {
            let other = (self.share() * (last + 1) as f64) as usize;
            values.swap(last, other.min(last));
        }
        values
    }
}

fn purpose(limit: f64, rate: f64) -> Purpose {
    if rate > limit { Purpose::AboveLimit } else { Purpose::AtLimit }
}

#[cfg(test)]
mod tests;
