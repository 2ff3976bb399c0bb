//! A search for the highest rate that keeps a service level: what is measured next, and what it came to.
//!
//! First the limit is bracketed ([`Search`]), roughly. Then rounds visit rates around what is known of it: five rates
//! each, in an order that is drawn by lot, so that a platform that drifts is not taken for a rate; after each round the
//! curve of [`level_limit`] is drawn through all that was told. When its interval is as narrow as was asked for, or the
//! budget of runs is spent, the limit is visited three times, and three times the rate 10 % above it, by lot as well:
//! an answer is claimed only where the level is missed there each time, or five times of six, and kept at least once at
//! the limit. Otherwise rounds go on with what these visits told, as long as the budget lasts.
//!
//! A run that is invalid for what the surroundings took (the hypervisor, swapping) is made again and is no evidence,
//! unless more than half of all are: then there is no other. What is asked for next depends on the seed and on what was
//! recorded, so that a search that was broken off goes on where it was, and a record tells what each of its runs was
//! made for.

mod answer;
mod lot;

pub use answer::{Confirmation, Ending, Purpose, RateAnswer, Visit};

use self::lot::Lot;
use crate::kept_curve::{LevelLimit, Told, level_limit};
use crate::search::{Answer, Search, Step};

/// Where a round visits, in steps from the limit as it is known then.
const ROUND: [f64; 5] = [-2.0, -1.0, 0.0, 1.0, 2.0];

/// A step is such a part of the scale of the curve,
const STEP_OF_SCALE: f64 = 0.75;

/// and not shorter or longer than this, in the logarithm of the rate.
const STEP_MIN: f64 = 0.025;
const STEP_MAX: f64 = 0.12;

/// The step of the first round, when no curve is known yet.
const STEP_FIRST: f64 = 0.06;

/// Rounds before an interval is believed.
const ROUNDS_MIN: u32 = 4;

/// Rounds between a confirmation that failed and the next one.
const ROUNDS_BETWEEN: u32 = 2;

/// Runs of rounds and confirmations, at most.
pub const SEARCH_RUNS_MAX: usize = 66;

/// Visits of a confirmation at each of its two rates.
const CONFIRMING: usize = 3;

/// Visits above the limit that have to miss the level for one that kept it: with three of six, a curve that is flat would be
/// confirmed every other time.
const MISSED_PER_KEPT: usize = 5;

/// The rate above the limit at which a level has to be missed, in times of the limit.
pub const ABOVE: f64 = 1.1;

/// A search that has rounds behind it needs no bracket that is narrower than so many times their goal.
const BRACKET_GOALS: f64 = 2.0;

/// While the limit is bracketed, so many disturbed runs are made again; where they are more than half, they count from
/// then on.
const DISTURBED_MAX: usize = 6;

/// Rates this close to each other, as a part of them, are the same: another machine may round otherwise.
const SAME: f64 = 1e-6;

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
    /// A search where a closed loop gives `capacity` steps per second, which is to know the limit to `goal`: 0.1 for ten
    /// percent to both sides. The order of visits is drawn from `seed`.
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

    /// The rate to measure next; none where nothing is left to be measured.
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

    /// Notes what a run told.
    pub fn record(&mut self, visit: Visit) {
        if !(visit.rate.is_finite() && visit.rate > 0.0) {
            return;
        }
        let asked = self.next();
        let is_asked = asked.is_some_and(|(rate, _)| (rate / visit.rate - 1.0).abs() < SAME);
        // What was not asked for is evidence all the same: of a record that another version made.
        let otherwise = if self.stage == Stage::Bracket { Purpose::Bracket } else { Purpose::Round(self.rounds) };
        let purpose = asked.filter(|_| is_asked).map_or(otherwise, |(_, purpose)| purpose);
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
        let again = self.is_made_again(visit);
        let (Stage::Round { queue } | Stage::Confirm { queue, .. }) = &mut self.stage else { return };
        if is_asked {
            let rate = queue.remove(0);
            queue.extend(again.then_some(rate));
        }
        if queue.is_empty() {
            self.end_queue();
        }
    }

    /// The runs so far, in their order, each with what it was made for.
    pub fn visits(&self) -> &[(Visit, Purpose)] {
        &self.visits
    }

    /// The first part of the search.
    pub fn bracketing(&self) -> &Search {
        &self.bracket
    }

    /// What the search came to, so far.
    pub fn answer(&self) -> RateAnswer {
        let (told, disturbed_count) = self.evidence();
        let confirmed = self.confirmation.as_ref().filter(|confirmation| confirmation.is_confirmed);
        let limit = level_limit(&told).map(|limit| match confirmed {
            None => limit,
            // What was confirmed is what is claimed; its own visits are among what the interval is made of.
            Some(Confirmation { rate, .. }) => {
                let (mut low, mut high) = (limit.low, limit.high);
                (low.rate, high.rate) = (low.rate.min(*rate), high.rate.max(*rate));
                LevelLimit { estimate: *rate, low, high, ..limit }
            }
        });
        RateAnswer {
            limit,
            bracket: self.bracket.bracket(),
            told: told.len(),
            disturbed: self.visits.iter().filter(|(visit, _)| visit.is_disturbed).count(),
            disturbed_count,
            confirmation: self.confirmation.clone(),
            ending: match self.stage {
                Stage::Done(ending) => Some(ending),
                _ => None,
            },
        }
    }

    /// How near to the limit is near enough.
    pub fn goal(&self) -> f64 {
        self.goal
    }

    /// What counts, and whether runs count that their surroundings disturbed.
    fn evidence(&self) -> (Vec<Told>, bool) {
        let disturbed = self.visits.iter().filter(|(visit, _)| visit.is_disturbed && visit.kept.is_some()).count();
        let all = self.visits.iter().filter(|(visit, _)| visit.kept.is_some()).count();
        let with_disturbed = 2 * disturbed > all;
        let counts = self.visits.iter().filter(|(visit, _)| with_disturbed || !visit.is_disturbed);
        let mut round = 0;
        let told = counts.filter_map(|(visit, purpose)| {
            round = match purpose {
                Purpose::Bracket => 0,
                Purpose::Round(number) => 2 * number,
                // The confirmation behind a round is a round of its own.
                Purpose::AtLimit | Purpose::AboveLimit => round | 1,
            };
            Some(Told { rate: visit.rate, kept: visit.kept?, round })
        });
        (told.collect(), with_disturbed && disturbed > 0)
    }

    /// Whether the rate of `visit` needs another one.
    fn is_made_again(&self, visit: Visit) -> bool {
        let own = || self.visits.iter().filter(|(_, purpose)| *purpose != Purpose::Bracket);
        let lost = own().filter(|(visit, _)| visit.is_disturbed || visit.kept.is_none()).count();
        (visit.is_disturbed || visit.kept.is_none()) && 2 * lost <= own().count() && self.is_left(1)
    }

    /// Whether the budget allows so many runs.
    fn is_left(&self, runs: usize) -> bool {
        self.spent + runs <= SEARCH_RUNS_MAX
    }

    fn end_bracket(&mut self) {
        match self.bracket.next() {
            Step::Measure(_) => {}
            Step::Done(Answer::EvenHighest { .. }) => self.stage = Stage::Done(Ending::OneSided),
            Step::Done(_) => match (self.bracket.bracket(), level_limit(&self.evidence().0)) {
                ((Some(kept), Some(not_kept)), _) => self.begin_round((kept * not_kept).sqrt(), STEP_FIRST),
                // Not kept at the lowest rate, but at a higher one: where the limit lies is for rounds to tell.
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

    /// Behind a round: another one, or the confirmation.
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
        let mut lot = Lot::new(self.seed, self.spent);
        // Where a round visits differs from round to round, so that together they visit more rates.
        let center = center * (step * (lot.share() - 0.5)).exp();
        let queue = lot.shuffled(ROUND.map(|place| center * (step * place).exp()).to_vec());
        self.stage = Stage::Round { queue };
    }

    fn begin_confirmation(&mut self, rate: f64) {
        let rates = [[rate; CONFIRMING], [rate * ABOVE; CONFIRMING]].concat();
        let queue = Lot::new(self.seed, self.spent).shuffled(rates);
        self.stage = Stage::Confirm { rate, queue, first: self.visits.len() };
    }

    fn judge(&mut self, rate: f64, first: usize) {
        let of = |purpose: Purpose| -> Vec<usize> {
            let own = self.visits.iter().enumerate().skip(first);
            own.filter(|(_, (_, other))| *other == purpose).map(|(place, _)| place).collect()
        };
        let (at, above) = (of(Purpose::AtLimit), of(Purpose::AboveLimit));
        let (_, with_disturbed) = self.evidence();
        let count = |places: &[usize], kept: bool| {
            let visits = places.iter().map(|place| self.visits[*place].0);
            visits.filter(|visit| visit.kept == Some(kept) && (with_disturbed || !visit.is_disturbed)).count()
        };
        let (missed, kept) = (count(&above, false), count(&above, true));
        if kept == 1 && above.len() < 2 * CONFIRMING && self.is_left(CONFIRMING) {
            // One that kept it may be luck: as many again say more.
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

fn purpose(limit: f64, rate: f64) -> Purpose {
    if rate > limit { Purpose::AboveLimit } else { Purpose::AtLimit }
}

#[cfg(test)]
mod tests;
